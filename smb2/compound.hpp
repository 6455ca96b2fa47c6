#pragma once

#include "smb2/header.hpp"

#include <optional>

namespace smb2 {

/// One message of a compound; of a frame that is none, the only one.
struct submessage {
  header head;
  bytes data;          ///< from its header, padding to the next one included; maybe cut
  u64 wire_length = 0; ///< of `data` on the wire
  u32 index = 0;
};

/// Walks a NextCommand chain. A broken link ends the walk with an error; what came before is good.
/// · bytes: NextCommand is a multiple of 8, at least 64, and leaves room for a header behind it.
/// A header that was not captured to its end is read as far as it goes.
/// · errors: bad_offset, over_limit, and those of decode_header.
/// · source: MS-SMB2 2.2.1, 3.2.4.1.4
class compound_walker {
 public:
  explicit compound_walker(bytes frame) : compound_walker(frame, frame.size()) {}
  compound_walker(bytes captured, u64 wire_length) : rest_(captured), wire_left_(wire_length) {}

  [[nodiscard]] std::optional<submessage> next() {
    if (done_) return std::nullopt;
    const bool cut = rest_.size() < header_bytes && rest_.size() < wire_left_;
    const auto head = cut ? decode_header_start(rest_) : decode_header(rest_);
    if (!head) return fail(head.error().code);
    submessage out{*head, rest_, wire_left_, index_};
    const u64 step = head->next_command;
    if (step == 0) {
      done_ = true;
      return out;
    }
    if (step % 8 != 0 || step < header_bytes || step > wire_left_ ||
        wire_left_ - step < header_bytes)
      return fail(wire::errc::bad_offset);
    if (++index_ == compound_messages_max) return fail(wire::errc::over_limit);
    const auto here = static_cast<std::size_t>(std::min<u64>(step, rest_.size()));
    out.data = rest_.first(here);
    out.wire_length = step;
    rest_ = rest_.subspan(here);
    position_ += step;
    wire_left_ -= step;
    return out;
  }

  [[nodiscard]] wire::decode_error error() const noexcept {
    return {code_, static_cast<u32>(position_), "SMB2 compound"};
  }
  [[nodiscard]] bool ok() const noexcept { return code_ == wire::errc::ok; }

 private:
  std::nullopt_t fail(wire::errc code) {
    code_ = code;
    done_ = true;
    return std::nullopt;
  }

  bytes rest_;
  u64 wire_left_;
  u64 position_ = 0;
  u32 index_ = 0;
  bool done_ = false;
  wire::errc code_ = wire::errc::ok;
};

} // namespace smb2
