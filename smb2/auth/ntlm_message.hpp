#pragma once

#include "smb2/types.hpp"
#include "wire/error.hpp"

#include <expected>
#include <optional>
#include <span>
#include <vector>

/// The three messages of NTLM. Little-endian; variable parts stand behind the fixed fields and are
/// named by (length, room, offset) from the first byte of the message.
/// · source: MS-NLMP 2.2.1
namespace smb2::auth {

/// NegotiateFlags, MS-NLMP 2.2.2.5; only those that mean something to us have a name.
namespace ntlm_flag {
inline constexpr u32 unicode = 0x0000'0001;
inline constexpr u32 request_target = 0x0000'0004;
inline constexpr u32 sign = 0x0000'0010;
inline constexpr u32 ntlm = 0x0000'0200;
inline constexpr u32 anonymous = 0x0000'0800;
inline constexpr u32 always_sign = 0x0000'8000;
inline constexpr u32 target_type_server = 0x0002'0000;
inline constexpr u32 extended_session_security = 0x0008'0000;
inline constexpr u32 target_info = 0x0080'0000;
inline constexpr u32 version = 0x0200'0000;
inline constexpr u32 key_128 = 0x2000'0000;
inline constexpr u32 key_exchange = 0x4000'0000;
inline constexpr u32 key_56 = 0x8000'0000;
} // namespace ntlm_flag

/// VERSION, MS-NLMP 2.2.2.10: major, minor, build (2), reserved (3), revision.
using ntlm_version = std::array<std::byte, 8>;
using ntlm_mic = std::array<std::byte, 16>;
using ntlm_challenge = std::array<std::byte, 8>;

/// Texts are UTF-16LE where flags say unicode, and are kept as bytes: the hashes are over the
/// bytes.
struct negotiate_message {
  static constexpr u32 type = 1;
  static constexpr std::string_view title = "NTLM NEGOTIATE_MESSAGE";
  u32 flags = 0;
  bytes domain;
  bytes workstation;
  std::optional<ntlm_version> version;

  static bool fields(auto& m, auto& ar) {
    return ar.number(m.flags) && ar.field(m.domain, 0) && ar.field(m.workstation, 1) &&
           ar.optional(m.version) && ar.supplied(m.domain, 0) && ar.supplied(m.workstation, 1);
  }
};

struct challenge_message {
  static constexpr u32 type = 2;
  static constexpr std::string_view title = "NTLM CHALLENGE_MESSAGE";
  bytes target_name;
  u32 flags = 0;
  ntlm_challenge server_challenge{};
  bytes target_info; ///< AV pairs
  std::optional<ntlm_version> version;

  static bool fields(auto& m, auto& ar) {
    return ar.field(m.target_name, 0) && ar.number(m.flags) && ar.array(m.server_challenge) &&
           ar.reserved(8) && ar.field(m.target_info, 1) && ar.optional(m.version) &&
           ar.payload(m.target_name, 0) && ar.payload(m.target_info, 1);
  }
};

struct authenticate_message {
  static constexpr u32 type = 3;
  static constexpr std::string_view title = "NTLM AUTHENTICATE_MESSAGE";
  /// Where the MIC stands when there is one, behind a version.
  static constexpr std::size_t mic_offset = 72;
  bytes lm_response;
  bytes nt_response;
  bytes domain;
  bytes user;
  bytes workstation;
  bytes encrypted_session_key;
  u32 flags = 0;
  std::optional<ntlm_version> version;
  std::optional<ntlm_mic> mic;

  static bool fields(auto& m, auto& ar) {
    return ar.field(m.lm_response, 0) && ar.field(m.nt_response, 1) && ar.field(m.domain, 2) &&
           ar.field(m.user, 3) && ar.field(m.workstation, 4) &&
           ar.field(m.encrypted_session_key, 5) && ar.number(m.flags) && ar.optional(m.version) &&
           ar.optional(m.mic) && ar.payload(m.domain, 2) && ar.payload(m.user, 3) &&
           ar.payload(m.workstation, 4) && ar.payload(m.lm_response, 0) &&
           ar.payload(m.nt_response, 1) && ar.payload(m.encrypted_session_key, 5);
  }
};

/// What stands behind the fixed fields is named by the message and may lie in any order; whether
/// the optional fields are there shows from where the first of it begins. · lifetime: parts are
/// views into `message`.
template <class Message>
[[nodiscard]] std::expected<Message, wire::decode_error> decode_ntlm(bytes message);

template <class Message>
[[nodiscard]] std::vector<std::byte> encode_ntlm(const Message& message);

/// MsvAv…, MS-NLMP 2.2.2.1.
enum class av_id : u16 {
  eol = 0,
  nb_computer_name = 1,
  nb_domain_name = 2,
  dns_computer_name = 3,
  dns_domain_name = 4,
  dns_tree_name = 5,
  flags = 6,
  timestamp = 7,
  single_host = 8,
  target_name = 9,
  channel_bindings = 10,
};

struct av_pair {
  av_id id{};
  bytes value;
};

/// Ours: ten kinds are defined.
inline constexpr std::size_t av_pairs_max = 32;

/// The pairs before MsvAvEOL, which must be there; what follows it is not looked at.
[[nodiscard]] std::expected<std::vector<av_pair>, wire::decode_error> decode_av_pairs(bytes data);

/// Appends MsvAvEOL too.
[[nodiscard]] std::vector<std::byte> encode_av_pairs(std::span<const av_pair> pairs);

/// Nothing when the list has no such pair.
[[nodiscard]] std::optional<bytes> find(std::span<const av_pair> pairs, av_id id) noexcept;

/// NTLMv2_CLIENT_CHALLENGE, which MS-NLMP 3.3.2 calls temp.
/// · source: MS-NLMP 2.2.2.7
struct client_challenge {
  static constexpr std::string_view title = "NTLMv2_CLIENT_CHALLENGE";
  filetime timestamp = 0;
  ntlm_challenge challenge{};
  bytes av_pairs; ///< with MsvAvEOL and whatever the sender put behind
};

[[nodiscard]] std::expected<client_challenge, wire::decode_error>
decode_client_challenge(bytes data);

/// Four zero bytes go behind the pairs.
[[nodiscard]] std::vector<std::byte> encode_client_challenge(const client_challenge& value);

} // namespace smb2::auth
