#pragma once

#include "profiler/compare/side.hpp"

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace profiler::compare {

/// What an operation is for, so that NFS and SMB stand in one row.
enum class role : wire::u8 {
  open,
  read,
  write,
  close,
  commit,
  attributes,
  names,
  listing,
  session
};

[[nodiscard]] role role_of(std::string_view protocol, std::string_view operation) noexcept;
[[nodiscard]] std::string_view to_string(role r) noexcept;

/// One step from A's time to B's.
struct step {
  std::string to;
  double a_seconds = 0;
  double b_seconds = 0;

  [[nodiscard]] double seconds() const noexcept { return b_seconds - a_seconds; }
};

/// From A's time to B's, in a fixed order: network, server by role, transmit, stalls, the client.
/// The steps and the residual sum to the gap.
struct waterfall {
  stretch a;
  stretch b;
  std::vector<step> steps; ///< those in which either side spent any time

  [[nodiscard]] double gap_seconds() const noexcept { return b.seconds - a.seconds; }
  [[nodiscard]] double residual_seconds() const noexcept;
  [[nodiscard]] const step* find(std::string_view to) const noexcept;
};

[[nodiscard]] waterfall waterfall_of(stretch a, stretch b);

/// Two sides laid over each other: all of it, and phase by phase where both are runs of the same
/// workload. By the wire where both have a capture, else by the clients' clocks.
struct comparison {
  std::string a_name;
  std::string b_name;
  std::string a_protocol;
  std::string b_protocol;
  u64 file_bytes = 0;
  bool by_wire = false;
  waterfall total;
  std::vector<waterfall> phases;
};

/// The error is a sentence: the two have nothing that can be compared.
[[nodiscard]] std::expected<comparison, std::string> compare(side a, side b);

} // namespace profiler::compare
