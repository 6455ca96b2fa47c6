#pragma once

#include "smb2/limits.hpp"
#include "smb2/types.hpp"

#include <algorithm>

namespace smb2 {

/// The right to send: each credit is one MessageId that the server will take. Spent when a request
/// is sent, refilled by what responses grant.
/// · a request of n bytes, or one that may be answered with n, costs ⌈n / 64 KiB⌉ credits and as
///   many consecutive MessageIds where multi-credit requests were negotiated, else 1.
/// · we ask for what a request costs and what is missing to the target, never for less: the window
///   would shrink to nothing.
/// · source: MS-SMB2 3.2.4.1.2, 3.2.4.1.5, 3.2.5.1.4, 3.3.1.2
class credit_window {
 public:
  /// Servers with runaway grants exist; more than this no MessageId window needs.
  static constexpr u32 credits_max = 65'535;

  explicit credit_window(u16 target) : target_(target) {}

  /// From now on requests may cost more than one credit (2.1 and up, SMB2_GLOBAL_CAP_LARGE_MTU).
  void allow_multi_credit() noexcept { multi_credit_ = true; }
  [[nodiscard]] bool multi_credit() const noexcept { return multi_credit_; }

  [[nodiscard]] u16 charge_for(u32 payload) const noexcept {
    if (!multi_credit_ || payload <= bytes_per_credit) return 1;
    return static_cast<u16>(std::min<u32>((payload - 1) / bytes_per_credit + 1, credits_max));
  }

  /// `urgent` calls may use the credit that is held back for them. Nothing is held back while the
  /// window is small or when no response is due that could refill it.
  [[nodiscard]] bool affords(u32 charge, bool urgent) const noexcept {
    const bool hold_back = !urgent && awaited_ > 0 && total() >= small_window;
    return available_ >= charge + (hold_back ? held_back : 0);
  }

  struct grant {
    u64 message_id = 0;
    u16 request = 0; ///< for the header: credits asked for
    u16 extra = 0;   ///< of these, beyond the charge
  };

  /// The caller has checked affords().
  grant spend(u16 charge) noexcept {
    const u32 held = total() + extra_asked_;
    const u32 missing = held < target_ ? target_ - held : 0;
    grant out;
    out.message_id = next_message_id_;
    out.extra = static_cast<u16>(std::min(missing, credits_max - charge));
    out.request = static_cast<u16>(charge + out.extra);
    next_message_id_ += charge;
    available_ -= charge;
    awaited_ += charge;
    extra_asked_ += out.extra;
    return out;
  }

  /// The first response to a request came, the interim one where there is one: what was asked for
  /// is no longer awaited.
  void settle(u16 charge, u16 extra) noexcept {
    awaited_ -= charge;
    extra_asked_ -= extra;
  }

  void refill(u16 granted) noexcept { available_ = std::min(available_ + granted, credits_max); }

  [[nodiscard]] u32 available() const noexcept { return available_; }
  /// With those that responses on their way will bring back.
  [[nodiscard]] u32 total() const noexcept { return available_ + awaited_; }

 private:
  static constexpr u32 small_window = 8;
  static constexpr u32 held_back = 1; ///< for ECHO and for answers to oplock breaks

  u16 target_;
  bool multi_credit_ = false;
  u32 available_ = 1; ///< a new connection may send one request (3.2.4.2.2.1)
  u32 awaited_ = 0;
  u32 extra_asked_ = 0;
  u64 next_message_id_ = 0;
};

} // namespace smb2
