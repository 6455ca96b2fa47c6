#include "smb2/auth/kerberos_client.hpp"

#include "smb2/auth/error.hpp"
#include "smb2/auth/spnego.hpp"

#include <gssapi/gssapi_ext.h>
#include <gssapi/gssapi_krb5.h>
#include <krb5.h>

#include <algorithm>
#include <arpa/inet.h>
#include <array>

namespace smb2::auth {
namespace {

/// GSSAPI's own texts and bytes, given back when they go.
class gss_buffer {
 public:
  gss_buffer() = default;
  gss_buffer(const gss_buffer&) = delete;
  gss_buffer& operator=(const gss_buffer&) = delete;
  ~gss_buffer() {
    OM_uint32 minor = 0;
    gss_release_buffer(&minor, &buffer_);
  }

  [[nodiscard]] gss_buffer_t out() noexcept { return &buffer_; }
  [[nodiscard]] bytes view() const noexcept {
    return {static_cast<const std::byte*>(buffer_.value), buffer_.length};
  }
  [[nodiscard]] std::string text() const {
    return {static_cast<const char*>(buffer_.value), buffer_.length};
  }

 private:
  gss_buffer_desc buffer_ = GSS_C_EMPTY_BUFFER;
};

/// GSSAPI takes what it only reads without const.
gss_buffer_desc lent(bytes data) noexcept {
  return {data.size(), const_cast<std::byte*>(data.data())};
}

class gss_name {
 public:
  gss_name() = default;
  gss_name(const gss_name&) = delete;
  gss_name& operator=(const gss_name&) = delete;
  ~gss_name() {
    OM_uint32 minor = 0;
    gss_release_name(&minor, &name_);
  }

  [[nodiscard]] bool import(const std::string& text, gss_OID type) {
    auto from = lent(wire::as_bytes(text));
    OM_uint32 minor = 0;
    return gss_import_name(&minor, &from, type, &name_) == GSS_S_COMPLETE;
  }
  [[nodiscard]] gss_name_t get() const noexcept { return name_; }

 private:
  gss_name_t name_ = GSS_C_NO_NAME;
};

/// What the library says of its own code; of several lines the first.
std::string library_text(OM_uint32 code, int kind) {
  OM_uint32 minor = 0;
  OM_uint32 more = 0;
  gss_buffer text;
  if (gss_display_status(&minor, code, kind, gss_mech_krb5, &more, text.out()) != GSS_S_COMPLETE)
    return "unknown error";
  return text.text();
}

constexpr OM_uint32 code_of(krb5_error_code code) noexcept {
  return static_cast<OM_uint32>(code);
}

/// What to do about a failure; empty where the library's own words must do.
std::string_view advice(OM_uint32 major, OM_uint32 minor) noexcept {
  switch (minor) {
  case code_of(KRB5_FCC_NOFILE):
  case code_of(KRB5_CC_NOT_KTYPE):
    return "there is no Kerberos ticket (kinit gets one)";
  case code_of(KRB5_CC_NOTFOUND):
    return "there is no Kerberos ticket for this user (kinit gets one, klist shows whose there is)";
  case code_of(KRB5KRB_AP_ERR_TKT_EXPIRED):
    return "the Kerberos ticket has expired (kinit gets a new one)";
  case code_of(KRB5KDC_ERR_S_PRINCIPAL_UNKNOWN):
    return "the KDC knows no such server: its name must be that of its service principal "
           "cifs/NAME, in full";
  case code_of(KRB5_REALM_UNKNOWN):
  case code_of(KRB5_REALM_CANT_RESOLVE):
    return "no KDC is known for the realm (realms and their hosts stand in krb5.conf)";
  case code_of(KRB5_KDC_UNREACH):
    return "no KDC of the realm answers";
  case code_of(KRB5KRB_AP_ERR_SKEW):
  case code_of(KRB5_KDCREP_SKEW):
    return "the clocks differ too much: Kerberos allows for five minutes";
  default:
    break;
  }
  switch (GSS_ROUTINE_ERROR(major)) {
  case GSS_S_CREDENTIALS_EXPIRED:
    return "the Kerberos ticket has expired (kinit gets a new one)";
  case GSS_S_NO_CRED:
    return "there is no Kerberos ticket (kinit gets one)";
  default:
    return {};
  }
}

std::string sentence(OM_uint32 major, OM_uint32 minor) {
  auto said =
      minor != 0 ? library_text(minor, GSS_C_MECH_CODE) : library_text(major, GSS_C_GSS_CODE);
  // Of another realm the KDC has no server, nor a ticket for that realm's KDC.
  if (minor == code_of(KRB5KDC_ERR_S_PRINCIPAL_UNKNOWN) && said.find("krbtgt/") != said.npos)
    return "the server is in a realm to which our ticket does not lead: " + said;
  const auto what = advice(major, minor);
  return what.empty() ? "Kerberos: " + said : std::string(what) + ": " + said;
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
    if (is_address(server))
      return "Kerberos needs the server's name, and " + server +
             " is an address: no KDC has a ticket for it";
    if (!server_.import("cifs@" + server, GSS_C_NT_HOSTBASED_SERVICE))
      return "'" + server + "' is no server name that Kerberos takes";
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

bool is_address(std::string_view server) noexcept {
  std::array<char, INET6_ADDRSTRLEN + 1> text{};
  if (server.size() >= text.size()) return false;
  std::ranges::copy(server, text.begin());
  std::array<std::byte, sizeof(in6_addr)> address{};
  return inet_pton(AF_INET, text.data(), address.data()) == 1 ||
         inet_pton(AF_INET6, text.data(), address.data()) == 1;
}

} // namespace smb2::auth
