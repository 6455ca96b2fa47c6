#pragma once

#include "smb2/types.hpp"
#include "wire/error.hpp"

#include <algorithm>
#include <cstring>
#include <span>

/// The algorithms of compressed messages, one function each. `out` has the original size and is
/// filled to its last byte.
/// · errors: truncated (the input ends too early), bad_offset (a match before the start), bad_value
///   (a code that is none), over_limit (more comes out than `out` takes).
/// · source: MS-XCA 2.1 (LZ77+Huffman), 2.3 (LZNT1), 2.4 (LZ77); MS-SMB2 2.2.42.2.2 (Pattern_V1);
///   the LZ4 block format of the LZ4 project
namespace smb2::compression {

[[nodiscard]] wire::errc lznt1(bytes in, std::span<std::byte> out);
[[nodiscard]] wire::errc lz77(bytes in, std::span<std::byte> out);
[[nodiscard]] wire::errc lz77_huffman(bytes in, std::span<std::byte> out);
[[nodiscard]] wire::errc lz4(bytes in, std::span<std::byte> out);

/// What has been written of the output, for the algorithms above.
class sink {
 public:
  explicit sink(std::span<std::byte> out) noexcept : out_(out) {}

  [[nodiscard]] bool full() const noexcept { return at_ == out_.size(); }
  [[nodiscard]] std::size_t written() const noexcept { return at_; }
  [[nodiscard]] std::size_t room() const noexcept { return out_.size() - at_; }

  /// There must be room.
  void put(std::byte b) noexcept { out_[at_++] = b; }

  [[nodiscard]] wire::errc put(bytes data) noexcept {
    if (data.size() > room()) return wire::errc::over_limit;
    if (!data.empty()) std::memcpy(out_.data() + at_, data.data(), data.size());
    at_ += data.size();
    return wire::errc::ok;
  }

  /// Repeats what was written `distance` bytes ago; it may overlap itself.
  [[nodiscard]] wire::errc match(std::size_t distance, std::size_t length) noexcept {
    if (distance == 0 || distance > at_) return wire::errc::bad_offset;
    if (length > room()) return wire::errc::over_limit;
    for (std::size_t i = 0; i < length; ++i, ++at_)
      out_[at_] = out_[at_ - distance];
    return wire::errc::ok;
  }

 private:
  std::span<std::byte> out_;
  std::size_t at_ = 0;
};

} // namespace smb2::compression
