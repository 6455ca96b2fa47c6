#include "smb2/auth/error.hpp"

#include <string>

namespace smb2::auth {
namespace {

class category final : public std::error_category {
 public:
  const char* name() const noexcept override { return "smb2 authentication"; }

  std::string message(int code) const override {
    switch (static_cast<errc>(code)) {
    case errc::ok:
      return "ok";
    case errc::malformed_token:
      return "the server sent a security token that cannot be decoded";
    case errc::unexpected_token:
      return "the server sent a security token out of turn";
    case errc::no_common_mechanism:
      return "the server takes none of the authentication mechanisms offered";
    case errc::rejected:
      return "the server rejected the authentication";
    case errc::weak_challenge:
      return "the server asks for an NTLM older than NTLMv2 with session security";
    case errc::wrong_mic:
      return "the negotiation of the authentication mechanism was tampered with (mechListMIC)";
    case errc::missing_mic:
      return "the server did not protect the negotiation of the authentication mechanism "
             "(mechListMIC is missing)";
    case errc::no_user:
      return "no user name, and anonymous access was not asked for";
    case errc::not_utf8:
      return "user, domain, password or server name is not valid UTF-8";
    case errc::too_long:
      return "user, domain or server name is too long";
    case errc::kerberos:
      return "Kerberos does not take us to the server";
    }
    return "unknown error";
  }
};

} // namespace

const std::error_category& auth_category() noexcept {
  static const category instance;
  return instance;
}

} // namespace smb2::auth
