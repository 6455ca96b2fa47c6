#include "wire/histogram.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace wire {

std::size_t histogram::bucket_of(u64 value) noexcept {
  constexpr u64 linear = u64{1} << sub_bits;
  if (value < linear) return static_cast<std::size_t>(value);
  const int exponent = static_cast<int>(std::bit_width(value)) - 1 - sub_bits;
  const auto bucket = (static_cast<std::size_t>(exponent) << sub_bits) +
                      static_cast<std::size_t>(value >> exponent);
  return std::min(bucket, bucket_count - 1);
}

u64 histogram::middle_of(std::size_t bucket) noexcept {
  constexpr std::size_t linear = std::size_t{1} << sub_bits;
  if (bucket < 2 * linear) return bucket;
  const auto exponent = (bucket >> sub_bits) - 1;
  const u64 low = u64{linear + (bucket & (linear - 1))} << exponent;
  return low + (u64{1} << exponent) / 2;
}

void histogram::record(nanos value) noexcept {
  const i64 ns = std::max<i64>(value.count(), 0);
  if (!buckets_)
    buckets_ = std::make_shared<counts>();
  else if (buckets_.use_count() > 1)
    buckets_ = std::make_shared<counts>(*buckets_);
  ++(*buckets_)[bucket_of(static_cast<u64>(ns))];
  min_ = count_ == 0 ? ns : std::min(min_, ns);
  max_ = std::max(max_, ns);
  sum_ += ns;
  ++count_;
}

void histogram::merge(const histogram& other) {
  if (other.count_ == 0) return;
  if (count_ == 0) {
    *this = other;
    return;
  }
  auto merged = std::make_shared<counts>(*buckets_);
  for (std::size_t i = 0; i < bucket_count; ++i)
    (*merged)[i] += (*other.buckets_)[i];
  buckets_ = std::move(merged);
  count_ += other.count_;
  sum_ += other.sum_;
  min_ = std::min(min_, other.min_);
  max_ = std::max(max_, other.max_);
}

nanos histogram::quantile(double q) const noexcept {
  if (count_ == 0) return nanos{0};
  const auto rank = std::max<u64>(
      1, static_cast<u64>(std::ceil(std::clamp(q, 0.0, 1.0) * static_cast<double>(count_))));
  if (rank == count_) return max();
  u64 seen = 0;
  for (std::size_t i = 0; i < bucket_count; ++i) {
    seen += (*buckets_)[i];
    if (seen >= rank) return nanos{std::clamp(static_cast<i64>(middle_of(i)), min_, max_)};
  }
  return max();
}

} // namespace wire
