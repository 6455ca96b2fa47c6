#include "smb2/auth/spnego.hpp"

#include <array>

namespace smb2::auth {
namespace {

template <class... Octets>
constexpr auto octets(Octets... value) {
  return std::array{static_cast<std::byte>(value)...};
}

constexpr auto spnego_oid = octets(0x2B, 0x06, 0x01, 0x05, 0x05, 0x02);
constexpr auto ntlmssp_oid = octets(0x2B, 0x06, 0x01, 0x04, 0x01, 0x82, 0x37, 0x02, 0x02, 0x0A);
constexpr auto kerberos_oid = octets(0x2A, 0x86, 0x48, 0x86, 0xF7, 0x12, 0x01, 0x02, 0x02);
constexpr auto ms_kerberos_oid = octets(0x2A, 0x86, 0x48, 0x82, 0xF7, 0x12, 0x01, 0x02, 0x02);
constexpr auto user_to_user_oid =
    octets(0x2A, 0x86, 0x48, 0x86, 0xF7, 0x12, 0x01, 0x02, 0x02, 0x03);
constexpr auto negoex_oid = octets(0x2B, 0x06, 0x01, 0x04, 0x01, 0x82, 0x37, 0x02, 0x02, 0x1E);

struct named_oid {
  bytes oid;
  std::string_view name;
};

constexpr std::array known{
    named_oid{ntlmssp_oid, "NTLMSSP"},
    named_oid{kerberos_oid, "Kerberos"},
    named_oid{ms_kerberos_oid, "Kerberos (Microsoft's first number)"},
    named_oid{user_to_user_oid, "Kerberos user-to-user"},
    named_oid{negoex_oid, "NEGOEX"},
};

} // namespace

namespace oid {
bytes spnego() noexcept {
  return spnego_oid;
}
bytes ntlmssp() noexcept {
  return ntlmssp_oid;
}
bytes kerberos() noexcept {
  return kerberos_oid;
}
bytes ms_kerberos() noexcept {
  return ms_kerberos_oid;
}
bytes kerberos_user_to_user() noexcept {
  return user_to_user_oid;
}
bytes negoex() noexcept {
  return negoex_oid;
}
} // namespace oid

std::string_view mechanism_name(bytes oid) noexcept {
  for (const auto& [number, name] : known)
    if (std::ranges::equal(number, oid)) return name;
  return "unknown mechanism";
}

std::vector<std::byte> encode_mech_types(const std::vector<bytes>& mech_types) {
  der_writer out;
  out.nested(der_tag::sequence, [&] { return out.oids(mech_types, mech_types_max); });
  return out.take();
}

std::expected<std::vector<bytes>, wire::decode_error> offered_mechanisms(bytes security_buffer) {
  auto hinted = decode_spnego<neg_token_init2>(security_buffer);
  if (hinted) return std::move(hinted->mech_types);
  auto plain = decode_spnego<neg_token_init>(security_buffer);
  if (plain) return std::move(plain->mech_types);
  return std::unexpected(hinted.error());
}

} // namespace smb2::auth
