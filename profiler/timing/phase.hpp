#pragma once

#include "wire/exchange.hpp"

#include <array>
#include <string_view>

namespace profiler::timing {

using wire::nanos;
using wire::u32;
using wire::u64;
using wire::u8;

/// Where the time of a request goes; docs/definitions.md has the formulas.
enum class phase : u8 {
  queue,
  encode,
  request_transmit,
  network,
  server,
  network_server, ///< the two together, where no RTT estimate is valid
  response_transmit,
  decode,
  stall,
  waiting, ///< waits by design or for a reply that never came: not service time
  think,   ///< nothing outstanding; never part of a request
};

inline constexpr std::size_t phase_count = 11;

/// The names of the reports: "request_transmit", "network+server".
[[nodiscard]] std::string_view to_string(phase p) noexcept;

/// The phases of one request in the order of time, without holes: they begin at the first time
/// that is known of it and end at the last one. Empty ones are left out; `network` comes twice,
/// as the way there and the way back.
struct phase_list {
  struct span {
    phase what;
    nanos end;
  };
  static constexpr std::size_t spans_max = 14;

  nanos begin{0};
  std::array<span, spans_max> spans;
  u8 count = 0;

  [[nodiscard]] nanos end() const noexcept { return count == 0 ? begin : spans[count - 1u].end; }
};

/// Times that run backwards (a capture with disordered time stamps) give empty phases, and the
/// list ends at r1 whatever lies before it.
[[nodiscard]] phase_list phases_of(const wire::exchange& e) noexcept;

/// Time in each phase of one request, or of many added up.
struct phase_sums {
  std::array<nanos, phase_count> of{};

  void add(const phase_list& list) noexcept;
  [[nodiscard]] nanos operator[](phase p) const noexcept { return of[static_cast<u8>(p)]; }
  [[nodiscard]] nanos total() const noexcept;
  void merge(const phase_sums& other) noexcept;
};

} // namespace profiler::timing
