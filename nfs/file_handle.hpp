#pragma once

#include "rpc/xdr.hpp"

#include <algorithm>
#include <array>

namespace nfs {

/// Names an object on its server for as long as the object lives; its content is the server's.
template <wire::u32 BytesMax>
class opaque_handle {
 public:
  static constexpr bool is_one_value = true;

  opaque_handle() = default;

  /// `data` of more than BytesMax bytes gives an empty handle.
  explicit opaque_handle(wire::bytes data) noexcept {
    if (data.size() > BytesMax) return;
    std::copy(data.begin(), data.end(), data_.begin());
    size_ = static_cast<wire::u8>(data.size());
  }

  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] wire::bytes view() const noexcept { return wire::bytes(data_).first(size_); }

  /// The `file` of a wire::exchange: client and profiler give one file the same number. Never 0.
  [[nodiscard]] wire::u64 hash() const noexcept {
    wire::u64 h = size_;
    for (std::size_t i = 0; i < size_; i += 8) {
      h = (h ^ wire::load_le<wire::u64>(data_.data() + i)) * 0x9E3779B97F4A7C15u;
      h ^= h >> 29;
    }
    return h | 1;
  }

  friend bool operator==(const opaque_handle& a, const opaque_handle& b) noexcept {
    return std::ranges::equal(a.view(), b.view());
  }

  static bool fields(auto& m, auto& ar) {
    auto data = m.view();
    if (!ar.opaque("", data, BytesMax)) return false;
    if constexpr (std::remove_reference_t<decltype(ar)>::decoding) m = opaque_handle(data);
    return true;
  }

 private:
  static_assert(BytesMax % 8 == 0 && BytesMax < 256);

  std::array<std::byte, BytesMax> data_{}; ///< zero behind size_
  wire::u8 size_ = 0;
};

} // namespace nfs
