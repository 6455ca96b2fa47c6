#pragma once

#include "wire/bytes.hpp"

#include <algorithm>
#include <optional>

namespace rpc {

/// How long to wait for a reply before a datagram is sent again. Sans-I/O.
/// · source: RFC 6298, with the limits of a client on a local network; doubled for each try.
class retransmission_timer {
 public:
  using nanos = wire::nanos;

  static constexpr nanos first = std::chrono::milliseconds(1100); ///< as Linux: before a sample
  static constexpr nanos least = std::chrono::milliseconds(100);
  static constexpr nanos most = std::chrono::seconds(60);

  /// What a call took that was sent once: a reply to a repeated one may be to either (Karn).
  void sample(nanos round_trip) noexcept {
    if (!smoothed_) {
      smoothed_ = round_trip;
      deviation_ = round_trip / 2;
      return;
    }
    const auto apart = std::max(*smoothed_ - round_trip, round_trip - *smoothed_);
    deviation_ = (deviation_ * 3 + apart) / 4;
    smoothed_ = (*smoothed_ * 7 + round_trip) / 8;
  }

  /// After the message was sent `sent` times, at least once.
  [[nodiscard]] nanos timeout(wire::u32 sent) const noexcept {
    auto out = smoothed_ ? std::max(*smoothed_ + deviation_ * 4, least) : first;
    for (wire::u32 i = 1; i < sent && out < most; ++i)
      out *= 2;
    return std::min(out, most);
  }

 private:
  std::optional<nanos> smoothed_;
  nanos deviation_{};
};

} // namespace rpc
