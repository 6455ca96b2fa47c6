#pragma once

#include "profiler/capture/pcapng_blocks.hpp"
#include "profiler/capture/summary.hpp"

namespace profiler::capture {

/// Puts what pcapng blocks say beside packets into the summary, each within the summary's bounds.
/// A block that is too short for its fields says nothing.
class pcapng_metadata {
 public:
  explicit pcapng_metadata(capture_summary& summary) : summary_(summary) {}

  /// A section whose interfaces are numbered from the summary's next one.
  void section(const block_body& b);
  /// Returns how the interface counts time; the body has at least 8 bytes.
  time_scale interface(const block_body& b);
  /// Of an interface of the section whose first one is `first` in the summary.
  void statistics(const block_body& b, std::size_t first);
  void names(const block_body& b);
  void secrets(const block_body& b);
  void skipped(u32 type);
  /// One that is not looked at because of its size.
  void large(u32 type);
  /// The options of a packet, from `at` on.
  void packet_options(const block_body& b, std::size_t at, capture_interface& of);

 private:
  void comment(bytes text, u64 frame);
  void add_names(bool v6, const block_body& record);

  capture_summary& summary_;
  std::size_t secrets_bytes_ = 0;
};

} // namespace profiler::capture
