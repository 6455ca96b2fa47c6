#pragma once

#include "smb2/types.hpp"

#include <vector>

namespace smb2 {

/// The credits of a connection at one moment.
struct credit_sample {
  nanos time{}; ///< of the clock that the core is given
  u32 available = 0;
  u32 in_flight = 0; ///< requests sent and not answered yet
};

/// How the credits went, in bounded memory: when it is full every second sample goes, and from then
/// on only every second change is kept. So what is left is even over the changes, and the first is
/// always there.
class credit_timeline {
 public:
  static constexpr std::size_t samples_max = 1024;

  void note(const credit_sample& now) {
    latest_ = now;
    if (changes_++ % step_ != 0) return;
    if (samples_.size() == samples_max) thin();
    if ((changes_ - 1) % step_ == 0) samples_.push_back(now);
  }

  /// In order of time, the last change at the end.
  [[nodiscard]] std::vector<credit_sample> samples() const {
    auto out = samples_;
    if (changes_ > 0 && (changes_ - 1) % step_ != 0) out.push_back(latest_);
    return out;
  }
  [[nodiscard]] u64 changes() const noexcept { return changes_; }

 private:
  void thin() {
    for (std::size_t i = 0; i < samples_max / 2; ++i)
      samples_[i] = samples_[2 * i];
    samples_.resize(samples_max / 2);
    step_ *= 2;
  }

  std::vector<credit_sample> samples_;
  credit_sample latest_;
  u64 changes_ = 0;
  u64 step_ = 1; ///< of how many changes one is kept
};

} // namespace smb2
