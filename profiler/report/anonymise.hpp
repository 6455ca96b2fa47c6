#pragma once

#include "profiler/analysis/result.hpp"
#include "smb2/crypto/mac.hpp"

#include <string>
#include <string_view>

namespace profiler::report {

/// Replaces what tells who or what is meant by keyed hashes (HMAC-SHA256), the same for the same
/// name everywhere, so that captures can be compared and nobody without the key can try names out.
/// Numbers of ports, operations, sizes and times stay.
class anonymiser {
 public:
  explicit anonymiser(std::string_view key);

  /// A name or one component of a path: "n-3fa94c1be0d2". Dots in front of an extension are part of
  /// the name.
  [[nodiscard]] std::string name(std::string_view text);
  /// A path, component by component.
  [[nodiscard]] std::string path(std::string_view text);
  /// An address of fd00::/8 (RFC 4193) that stands for it; its port stays.
  [[nodiscard]] net::endpoint address(const net::endpoint& e);
  /// A number that was made from a name.
  [[nodiscard]] wire::u64 number(wire::u64 n);

 private:
  using digest = std::array<std::byte, 32>;
  digest hash(char kind, wire::bytes data);

  smb2::crypto::mac mac_;
};

/// All names and addresses in a result.
void anonymise(result& r, anonymiser& by);

} // namespace profiler::report
