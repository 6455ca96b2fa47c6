#pragma once

#include "wire/bytes.hpp"

#include <expected>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace profiler::flow {

/// What users know of one session. Keys that are not known are empty.
struct smb2_session_key {
  std::vector<std::byte> session;   ///< what authentication gave
  std::vector<std::byte> to_client; ///< the key that seals responses, 16 or 32 bytes
  std::vector<std::byte> to_server; ///< the key that seals requests
};

/// The keys of --keys, by SessionId; a session may have several lines.
///   session id, session key [, server-to-client key [, client-to-server key]]
/// in hex, as Wireshark's smb2_seskey_list has them: the id in the order of its bytes on the wire,
/// or as a number when it starts with 0x. Fields may stand in quotes, hex digits in groups; blank
/// lines and what follows a # are passed over.
class smb2_keys {
 public:
  /// The error is a sentence with `name` and the number of the line.
  [[nodiscard]] static std::expected<smb2_keys, std::string> parse(std::string_view text,
                                                                   const std::string& name);
  /// The same of a file.
  [[nodiscard]] static std::expected<smb2_keys, std::string> load(const std::string& path);

  [[nodiscard]] bool empty() const noexcept { return lines_.empty(); }
  [[nodiscard]] std::size_t size() const noexcept { return lines_.size(); }
  /// All lines of a session.
  [[nodiscard]] auto of(wire::u64 session_id) const { return lines_.equal_range(session_id); }

 private:
  std::multimap<wire::u64, smb2_session_key> lines_;
};

} // namespace profiler::flow
