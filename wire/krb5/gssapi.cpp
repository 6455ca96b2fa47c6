#include "wire/krb5/gssapi.hpp"

#include <krb5.h>

#include <algorithm>
#include <arpa/inet.h>
#include <array>

namespace wire::krb5 {

gss_buffer::~gss_buffer() {
  OM_uint32 minor = 0;
  gss_release_buffer(&minor, &buffer_);
}

gss_name::~gss_name() {
  OM_uint32 minor = 0;
  gss_release_name(&minor, &name_);
}

bool gss_name::import(const std::string& text, gss_OID type) {
  auto from = lent(as_bytes(text));
  OM_uint32 minor = 0;
  return gss_import_name(&minor, &from, type, &name_) == GSS_S_COMPLETE;
}

std::string gss_name::import_service(std::string_view service, const std::string& server) {
  if (is_address(server))
    return "Kerberos needs the server's name, and " + server +
           " is an address: no KDC has a ticket for it";
  if (!import(std::string(service) + "@" + server, GSS_C_NT_HOSTBASED_SERVICE))
    return "'" + server + "' is no server name that Kerberos takes";
  return {};
}

namespace {

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
std::string advice(OM_uint32 major, OM_uint32 minor, std::string_view service) {
  switch (minor) {
  case code_of(KRB5_FCC_NOFILE):
  case code_of(KRB5_CC_NOT_KTYPE):
    return "there is no Kerberos ticket (kinit gets one)";
  case code_of(KRB5_CC_NOTFOUND):
    return "there is no Kerberos ticket for this user (kinit gets one, klist shows whose there is)";
  case code_of(KRB5KRB_AP_ERR_TKT_EXPIRED):
    return "the Kerberos ticket has expired (kinit gets a new one)";
  case code_of(KRB5KDC_ERR_S_PRINCIPAL_UNKNOWN):
    return "the KDC knows no such server: its name must be that of its service principal " +
           std::string(service) + "/NAME, in full";
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

} // namespace

std::string sentence(OM_uint32 major, OM_uint32 minor, std::string_view service) {
  auto said =
      minor != 0 ? library_text(minor, GSS_C_MECH_CODE) : library_text(major, GSS_C_GSS_CODE);
  // Of another realm the KDC has no server, nor a ticket for that realm's KDC.
  if (minor == code_of(KRB5KDC_ERR_S_PRINCIPAL_UNKNOWN) && said.find("krbtgt/") != said.npos)
    return "the server is in a realm to which our ticket does not lead: " + said;
  const auto what = advice(major, minor, service);
  return what.empty() ? "Kerberos: " + said : what + ": " + said;
}

bool is_address(std::string_view server) noexcept {
  std::array<char, INET6_ADDRSTRLEN + 1> text{};
  if (server.size() >= text.size()) return false;
  std::ranges::copy(server, text.begin());
  std::array<std::byte, sizeof(in6_addr)> address{};
  return inet_pton(AF_INET, text.data(), address.data()) == 1 ||
         inet_pton(AF_INET6, text.data(), address.data()) == 1;
}

} // namespace wire::krb5
