#include "smb2/auth/kerberos_client.hpp"

#include "smb2/auth/error.hpp"
#include "smb2/auth/spnego.hpp"
#include "wire/krb5/gssapi.hpp"

#include <gssapi/gssapi_ext.h>

namespace smb2::auth {
namespace {

using wire::krb5::gss_buffer;
using wire::krb5::gss_name;
using wire::krb5::lent;

std::string sentence(OM_uint32 major, OM_uint32 minor) {
  return wire::krb5::sentence(major, minor, "cifs");
}

class kerberos_client final : public mechanism {
 public:
  kerberos_client() = default;
  kerberos_client(const kerberos_client&) = delete;
  kerberos_client& operator=(const kerberos_client&) = delete;
  ~kerberos_client() override {
    OM_uint32 minor = 0;
    gss_delete_sec_context(&minor, &context_, GSS_C_NO_BUFFER);
    gss_release_cred(&minor, &user_);
  }

  /// Empty: done. A user that is named must be the cache's.
  [[nodiscard]] std::string prepare(const credentials& who, const std::string& server) {
    if (auto wrong = server_.import_service("cifs", server); !wrong.empty()) return wrong;
    if (who.user.empty()) return {};
    gss_name user;
    const auto name = who.domain.empty() ? who.user : who.user + "@" + who.domain;
    if (!user.import(name, GSS_C_NT_USER_NAME))
      return "'" + name + "' is no user name that Kerberos takes";
    gss_OID_set_desc only{1, gss_mech_krb5};
    OM_uint32 minor = 0;
    const auto major = gss_acquire_cred(&minor, user.get(), GSS_C_INDEFINITE, &only, GSS_C_INITIATE,
                                        &user_, nullptr, nullptr);
    return GSS_ERROR(major) ? sentence(major, minor) : std::string();
  }

  [[nodiscard]] bytes oid() const noexcept override { return auth::oid::kerberos(); }
  [[nodiscard]] bool complete() const noexcept override { return complete_; }
  [[nodiscard]] std::string explanation() const override { return explanation_; }
  [[nodiscard]] bytes session_key() const noexcept override { return session_key_; }
  [[nodiscard]] bool has_integrity() const noexcept override {
    return complete_ && (flags_ & GSS_C_INTEG_FLAG) != 0;
  }

  [[nodiscard]] token_result step(bytes from_server) override {
    if (complete_) return std::unexpected(make_error_code(errc::unexpected_token));
    auto in = lent(from_server);
    gss_buffer out;
    OM_uint32 minor = 0;
    const auto major = gss_init_sec_context(
        &minor, user_, &context_, server_.get(), gss_mech_krb5,
        GSS_C_MUTUAL_FLAG | GSS_C_INTEG_FLAG | GSS_C_REPLAY_FLAG, GSS_C_INDEFINITE,
        GSS_C_NO_CHANNEL_BINDINGS, from_server.empty() ? GSS_C_NO_BUFFER : &in, nullptr, out.out(),
        &flags_, nullptr);
    if (GSS_ERROR(major)) return fail(sentence(major, minor));
    complete_ = major == GSS_S_COMPLETE;
    if (complete_ && (flags_ & GSS_C_MUTUAL_FLAG) == 0)
      return fail("Kerberos: the server has not shown that it is the one we asked for");
    if (complete_ && !take_session_key()) return fail("Kerberos: there is no session key");
    const auto token = out.view();
    return auth::token(token.begin(), token.end());
  }

  [[nodiscard]] token sign(bytes message) override {
    auto in = lent(message);
    gss_buffer mic;
    OM_uint32 minor = 0;
    if (gss_get_mic(&minor, context_, GSS_C_QOP_DEFAULT, &in, mic.out()) != GSS_S_COMPLETE)
      return {};
    return {mic.view().begin(), mic.view().end()};
  }

  [[nodiscard]] bool verify(bytes message, bytes mic) override {
    auto in = lent(message);
    auto with = lent(mic);
    OM_uint32 minor = 0;
    return gss_verify_mic(&minor, context_, &in, &with, nullptr) == GSS_S_COMPLETE;
  }

 private:
  token_result fail(std::string why) {
    explanation_ = std::move(why);
    return std::unexpected(make_error_code(errc::kerberos));
  }

  bool take_session_key() {
    gss_buffer_set_t found = GSS_C_NO_BUFFER_SET;
    OM_uint32 minor = 0;
    const auto major =
        gss_inquire_sec_context_by_oid(&minor, context_, GSS_C_INQ_SSPI_SESSION_KEY, &found);
    if (major == GSS_S_COMPLETE && found != GSS_C_NO_BUFFER_SET && found->count > 0) {
      const auto& key = found->elements[0];
      const auto* begin = static_cast<const std::byte*>(key.value);
      session_key_.assign(begin, begin + key.length);
    }
    gss_release_buffer_set(&minor, &found);
    return !session_key_.empty();
  }

  gss_cred_id_t user_ = GSS_C_NO_CREDENTIAL;
  gss_name server_;
  gss_ctx_id_t context_ = GSS_C_NO_CONTEXT;
  OM_uint32 flags_ = 0;
  bool complete_ = false;
  std::vector<std::byte> session_key_;
  std::string explanation_;
};

} // namespace

mechanism_source kerberos_source() {
  return [](const credentials& who,
            const std::string& server) -> std::expected<std::unique_ptr<mechanism>, std::string> {
    auto out = std::make_unique<kerberos_client>();
    if (auto wrong = out->prepare(who, server); !wrong.empty())
      return std::unexpected(std::move(wrong));
    return out;
  };
}

} // namespace smb2::auth
