#pragma once

#include "smb2/auth/authenticator.hpp"
#include "smb2/auth/spnego.hpp"

#include <memory>

namespace smb2::auth {

/// The initiator of SPNEGO over the mechanisms given, the preferred one first. The first token
/// bears the preferred one's; if the server chooses another, that one starts afresh and mechListMIC
/// becomes compulsory both ways. Where the mechanism can sign, ours is sent in any case.
/// · source: RFC 4178 sections 4 and 5, MS-SPNG 3.1.5
class spnego_client final : public authenticator {
 public:
  /// At least one mechanism.
  explicit spnego_client(std::vector<std::unique_ptr<mechanism>> mechanisms);

  [[nodiscard]] token_result step(bytes from_server) override;
  [[nodiscard]] bool done() const noexcept override { return state_ == state::done; }
  [[nodiscard]] std::string explanation() const override {
    return explanation_.empty() ? chosen().explanation() : explanation_;
  }
  [[nodiscard]] bytes session_key() const noexcept override { return chosen().session_key(); }

 private:
  enum class state : u8 { start, first_reply, later_reply, done, failed };

  [[nodiscard]] mechanism& chosen() const noexcept { return *mechanisms_[chosen_]; }
  token_result start(bytes offer);
  std::error_code keep_offered(const std::vector<bytes>& offered);
  token_result reply(const neg_token_resp& from_server);
  std::error_code choose(bytes supported);
  std::error_code check_mic(const neg_token_resp& from_server);
  token_result finish();
  token_result answer(const std::optional<token>& response);

  std::vector<std::unique_ptr<mechanism>> mechanisms_;
  std::vector<std::byte> mech_types_; ///< as sent, in DER
  std::size_t chosen_ = 0;
  state state_ = state::start;
  std::string explanation_;
  bool mic_required_ = false;
  bool mic_sent_ = false;
  bool mic_verified_ = false;
};

} // namespace smb2::auth
