#pragma once

#include "smb2/types.hpp"

#include <expected>
#include <string>
#include <string_view>
#include <vector>

namespace smb2 {

/// UTF-16LE characters of a message, in whole units. Lives as long as the message does.
struct utf16_view {
  bytes data;

  utf16_view() = default;
  explicit utf16_view(bytes of) : data(of) {}

  [[nodiscard]] bool empty() const noexcept { return data.empty(); }
  /// UTF-8; what is no valid UTF-16 (Windows allows lone surrogates in names) becomes U+FFFD.
  [[nodiscard]] std::string text() const;

  friend bool operator==(const utf16_view& a, const utf16_view& b) noexcept;
};

/// The bytes of a name to be sent; owns them.
struct utf16_string {
  std::vector<std::byte> data;

  [[nodiscard]] utf16_view view() const noexcept { return utf16_view(data); }
};

/// Nothing when `utf8` is not valid UTF-8.
[[nodiscard]] std::expected<utf16_string, std::string> to_utf16(std::string_view utf8);

} // namespace smb2
