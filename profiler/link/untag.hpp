#pragma once

#include "profiler/link/ethernet.hpp"
#include "profiler/link/linux_sll.hpp"
#include "profiler/link/linux_sll2.hpp"

#include <algorithm>
#include <vector>

namespace profiler::link {

/// Where 802.1Q tags stand in a frame: in [begin, end), of which the last two bytes are the type
/// that belongs to `type_at` when they are gone.
struct tag_place {
  std::size_t type_at = 0;
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// Nothing for a frame without tags, for one that ends inside them, and for other link types.
[[nodiscard]] inline std::optional<tag_place> find_tags(u32 link_type, bytes frame) noexcept {
  tag_place out;
  if (link_type == ethernet::link_type)
    out = {12, ethernet::header_bytes, 0};
  else if (link_type == linux_sll::link_type)
    out = {14, linux_sll::header_bytes, 0};
  else if (link_type == linux_sll2::link_type)
    out = {0, linux_sll2::header_bytes, 0};
  else
    return std::nullopt;
  if (frame.size() < out.begin) return std::nullopt;
  const auto found = strip_tags(frame, static_cast<u32>(frame.size()), out.begin,
                                wire::load_be<u16>(frame.data() + out.type_at));
  if (!found || found->tags == 0) return std::nullopt;
  out.end = frame.size() - found->data.size();
  return out;
}

/// Writes the frame without its tags to `out`.
inline void copy_without(const tag_place& tags, bytes frame, std::vector<std::byte>& out) {
  const auto at = [&](std::size_t n) { return frame.begin() + static_cast<std::ptrdiff_t>(n); };
  out.assign(at(0), at(tags.begin));
  out.insert(out.end(), at(tags.end), frame.end());
  std::copy_n(at(tags.end - 2), 2, out.begin() + static_cast<std::ptrdiff_t>(tags.type_at));
}

} // namespace profiler::link
