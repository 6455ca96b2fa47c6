#pragma once

#include "wire/bytes.hpp"

#include <array>
#include <memory>

namespace wire {

/// Counts of non-negative nanoseconds in log-linear buckets: 64 to each power of two, so that a
/// quantile is off by at most 1/128 (0.8 %) of its value; minimum, maximum, count and sum are
/// exact. Fixed memory (18 KiB, taken with the first value). merge(a, b) equals recording both
/// series.
class histogram {
 public:
  void record(nanos value) noexcept;

  void merge(const histogram& other);

  [[nodiscard]] u64 count() const noexcept { return count_; }
  [[nodiscard]] nanos sum() const noexcept { return nanos{sum_}; }
  /// Of an empty histogram all of these are 0.
  [[nodiscard]] nanos min() const noexcept { return nanos{count_ == 0 ? 0 : min_}; }
  [[nodiscard]] nanos max() const noexcept { return nanos{max_}; }
  [[nodiscard]] double mean_ns() const noexcept {
    return count_ == 0 ? 0.0 : static_cast<double>(sum_) / static_cast<double>(count_);
  }

  /// The value below or at which a share `q` of the values lies (nearest rank), 0 ≤ q ≤ 1.
  [[nodiscard]] nanos quantile(double q) const noexcept;

 private:
  static constexpr int sub_bits = 6;
  static constexpr int octaves = 36; ///< up to 2^41 ns, 36 minutes; above that the last bucket
  static constexpr std::size_t bucket_count = (octaves + 1) << sub_bits;

  static std::size_t bucket_of(u64 value) noexcept;
  static u64 middle_of(std::size_t bucket) noexcept;

  using counts = std::array<u64, bucket_count>;

  u64 count_ = 0;
  i64 sum_ = 0;
  i64 min_ = 0;
  i64 max_ = 0;
  std::shared_ptr<counts> buckets_; ///< never shared between writers: copied on write
};

} // namespace wire
