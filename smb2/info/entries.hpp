#pragma once

#include "smb2/le.hpp"

#include <optional>
#include <span>

/// Lists of entries that name the next one by NextEntryOffset, their first field: directories,
/// changes, streams, extended attributes, network interfaces.
namespace smb2 {

/// Walks a chain of entries of type T.
/// · errors: those of T; bad_offset when a link leads out of the buffer or backwards.
template <class T>
class entry_walker {
 public:
  explicit entry_walker(bytes buffer) : rest_(buffer) {}

  [[nodiscard]] std::optional<T> next() {
    if (rest_.empty()) return std::nullopt;
    const auto entry = decode_buffer_prefix<T>(rest_);
    if (!entry.ok()) return fail(entry.error);
    const std::size_t step = entry.message.next_entry_offset;
    if (step >= rest_.size() || (step != 0 && step < sizeof(u32)))
      return fail({wire::errc::bad_offset, 0, T::title});
    rest_ = step == 0 ? bytes{} : rest_.subspan(step);
    position_ += static_cast<u32>(step);
    return entry.message;
  }

  [[nodiscard]] const wire::decode_error& error() const noexcept { return error_; }
  [[nodiscard]] bool ok() const noexcept { return error_.code == wire::errc::ok; }

 private:
  std::nullopt_t fail(wire::decode_error error) {
    error_ = error;
    error_.offset += position_;
    rest_ = {};
    return std::nullopt;
  }

  bytes rest_;
  u32 position_ = 0;
  wire::decode_error error_;
};

/// A chain of entries of type T, each at a multiple of `align`; their links are set here.
template <class T>
[[nodiscard]] std::vector<std::byte> encode_entries(std::span<const T> entries,
                                                    std::size_t align = 8) {
  wire::writer out;
  std::size_t last = 0;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const auto start = wire::align_up(out.size(), align);
    if (i > 0) {
      out.zeros(start - out.size());
      wire::store_le(out.patch(last, sizeof(u32)).data(), static_cast<u32>(start - last));
    }
    auto entry = entries[i];
    entry.next_entry_offset = 0;
    encode(entry, out, start);
    last = start;
  }
  return out.flatten();
}

} // namespace smb2
