#pragma once

#include "smb2/auth/der.hpp"

#include <expected>

/// The tokens of SPNEGO, in DER.
/// · source: RFC 4178 section 4.2, MS-SPNG 2.2.1
namespace smb2::auth {

/// OBJECT IDENTIFIERs as DER has them, without tag and length.
namespace oid {
[[nodiscard]] bytes spnego() noexcept;                ///< 1.3.6.1.5.5.2
[[nodiscard]] bytes ntlmssp() noexcept;               ///< 1.3.6.1.4.1.311.2.2.10
[[nodiscard]] bytes kerberos() noexcept;              ///< 1.2.840.113554.1.2.2
[[nodiscard]] bytes ms_kerberos() noexcept;           ///< 1.2.840.48018.1.2.2
[[nodiscard]] bytes kerberos_user_to_user() noexcept; ///< 1.2.840.113554.1.2.2.3
[[nodiscard]] bytes negoex() noexcept;                ///< 1.3.6.1.4.1.311.2.2.30
} // namespace oid

/// "NTLMSSP", "Kerberos", …; "unknown mechanism" for others.
[[nodiscard]] std::string_view mechanism_name(bytes oid) noexcept;

/// Ours: a Windows server offers five.
inline constexpr std::size_t mech_types_max = 32;

/// The initiator's first token.
/// · lifetime: all parts are views into the decoded token.
struct neg_token_init {
  static constexpr std::string_view title = "SPNEGO NegTokenInit";
  std::vector<bytes> mech_types;
  std::optional<bytes> req_flags;
  std::optional<bytes> mech_token;
  std::optional<bytes> mech_list_mic;

  static bool fields(auto& m, auto& ar) {
    using namespace der_tag;
    const auto elements = [&] {
      return ar.nested(context(0),
                       [&] {
                         return ar.nested(sequence,
                                          [&] { return ar.oids(m.mech_types, mech_types_max); });
                       }) &&
             ar.optional(context(1), bit_string, m.req_flags) &&
             ar.optional(context(2), octet_string, m.mech_token) &&
             ar.optional(context(3), octet_string, m.mech_list_mic) && ar.extensions();
    };
    return ar.nested(application_0, [&] {
      return ar.constant(der_tag::oid, oid::spnego()) &&
             ar.nested(context(0), [&] { return ar.nested(sequence, elements); });
    });
  }
};

/// What a server says first, in its NEGOTIATE response: the same, with hints before the MIC.
struct neg_token_init2 {
  static constexpr std::string_view title = "SPNEGO NegTokenInit2";
  std::vector<bytes> mech_types;
  std::optional<bytes> req_flags;
  std::optional<bytes> mech_token;
  bool hints = false;
  std::optional<bytes> hint_name;
  std::optional<bytes> hint_address;
  std::optional<bytes> mech_list_mic;

  static bool fields(auto& m, auto& ar) {
    using namespace der_tag;
    const auto hint_elements = [&] {
      return ar.optional(context(0), general_string, m.hint_name) &&
             ar.optional(context(1), octet_string, m.hint_address) && ar.extensions();
    };
    const auto elements = [&] {
      return ar.nested(context(0),
                       [&] {
                         return ar.nested(sequence,
                                          [&] { return ar.oids(m.mech_types, mech_types_max); });
                       }) &&
             ar.optional(context(1), bit_string, m.req_flags) &&
             ar.optional(context(2), octet_string, m.mech_token) &&
             ar.optional_nested(context(3), m.hints,
                                [&] { return ar.nested(sequence, hint_elements); }) &&
             ar.optional(context(4), octet_string, m.mech_list_mic) && ar.extensions();
    };
    return ar.nested(application_0, [&] {
      return ar.constant(der_tag::oid, oid::spnego()) &&
             ar.nested(context(0), [&] { return ar.nested(sequence, elements); });
    });
  }
};

enum class neg_state : u8 {
  accept_completed = 0,
  accept_incomplete = 1,
  reject = 2,
  request_mic = 3
};

/// Every token after the first, from either side.
struct neg_token_resp {
  static constexpr std::string_view title = "SPNEGO NegTokenResp";
  std::optional<neg_state> state;
  std::optional<bytes> supported_mech;
  std::optional<bytes> response_token;
  std::optional<bytes> mech_list_mic;

  static bool fields(auto& m, auto& ar) {
    using namespace der_tag;
    return ar.nested(context(1), [&] {
      return ar.nested(sequence, [&] {
        return ar.optional(context(0), m.state) &&
               ar.optional(context(1), der_tag::oid, m.supported_mech) &&
               ar.optional(context(2), octet_string, m.response_token) &&
               ar.optional(context(3), octet_string, m.mech_list_mic) && ar.extensions();
      });
    });
  }
};

template <class Token>
[[nodiscard]] std::expected<Token, wire::decode_error> decode_spnego(bytes message) {
  Token out;
  der_reader in(message);
  if (!Token::fields(out, in) || !in.ended()) return std::unexpected(in.error(Token::title));
  return out;
}

template <class Token>
[[nodiscard]] std::vector<std::byte> encode_spnego(const Token& value) {
  der_writer out;
  Token::fields(value, out);
  return out.take();
}

/// MechTypeList, over which mechListMIC is computed.
/// · source: RFC 4178 section 5
[[nodiscard]] std::vector<std::byte> encode_mech_types(const std::vector<bytes>& mech_types);

/// The mechanisms in the SecurityBuffer of a NEGOTIATE response, in the server's order. Servers
/// send NegTokenInit2; NegTokenInit is taken too.
[[nodiscard]] std::expected<std::vector<bytes>, wire::decode_error>
offered_mechanisms(bytes security_buffer);

} // namespace smb2::auth
