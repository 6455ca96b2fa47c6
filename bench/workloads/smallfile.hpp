#pragma once

#include "bench/workloads/file_client.hpp"

#include <functional>
#include <string_view>

namespace bench {

/// N files of one size: written, read back and compared byte for byte, removed.
struct smallfile_options {
  wire::u64 files = 1000;
  wire::u32 size = 10 * 1024;
  wire::u32 depth = 1; ///< files, or groups of them, under way at once
  wire::u32 group = 1; ///< files that are handed over together
};

/// What a workload tells while it runs.
class progress {
 public:
  virtual ~progress() = default;
  virtual void phase_begins(std::string_view name) = 0;
  /// `files` were handled, `bytes` of file data moved.
  virtual void phase_ends(wire::u64 files, wire::u64 bytes) = 0;
  /// `done` of `total` files of the phase are finished.
  virtual void step(wire::u64 done, wire::u64 total) = 0;
  /// True when the user wants to stop (Ctrl-C): the workload then removes what it made.
  [[nodiscard]] virtual bool cancelled() const = 0;

 protected:
  progress() = default;
  progress(const progress&) = default;
  progress& operator=(const progress&) = default;
};

/// Phases: write, read, remove. On failure it tries to remove what it made, and says so if it
/// cannot.
[[nodiscard]] wire::net::awaitable<result<void>>
run_smallfile(file_client& client, smallfile_options options, progress& p);

} // namespace bench
