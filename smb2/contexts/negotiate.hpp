#pragma once

#include "smb2/le.hpp"

#include <optional>

/// The NEGOTIATE contexts of dialect 3.1.1. Each stands at a multiple of 8 from the SMB2 header:
/// type (2), length of the data (2), reserved (4), data. · source: MS-SMB2 2.2.3.1, 2.2.4.1
namespace smb2 {

enum class context_type : u16 {
  preauth_integrity = 0x0001,
  encryption = 0x0002,
  compression = 0x0003,
  netname = 0x0005,
  transport = 0x0006,
  rdma_transform = 0x0007,
  signing = 0x0008,
  contextual_encryption = 0x0009,
  posix = 0x0100,
};

/// Any context; those that are not known keep their number and their bytes.
/// · lifetime: a view into the message.
struct negotiate_context {
  context_type type{};
  bytes data;
};

inline bool negotiate_contexts(std::vector<negotiate_context>& list, le_reader& ar,
                               std::size_t slot) {
  constexpr u64 context_header_bytes = 8;
  if (!ar.cursor().ok()) return false;
  const auto message = ar.cursor().message();
  const auto count = ar.slot_count(slot);
  if (count > negotiate_contexts_max) return ar.fail(wire::errc::over_limit);
  u64 at = ar.slot_offset(slot);
  for (u32 i = 0; i < count; ++i) {
    at = wire::align_up(at, 8);
    if (at < header_bytes || at > ar.wire_length() || ar.wire_length() - at < context_header_bytes)
      return ar.fail(wire::errc::bad_offset);
    if (at > message.size() || message.size() - at < context_header_bytes)
      return ar.fail(wire::errc::truncated);
    const auto* p = message.data() + at;
    const u64 length = wire::load_le<u16>(p + 2);
    at += context_header_bytes;
    if (length > ar.wire_length() - at) return ar.fail(wire::errc::bad_offset);
    if (at > message.size() || length > message.size() - at) return ar.fail(wire::errc::truncated);
    list.push_back(
        {static_cast<context_type>(wire::load_le<u16>(p)),
         message.subspan(static_cast<std::size_t>(at), static_cast<std::size_t>(length))});
    at += length;
  }
  return true;
}

template <class Archive>
bool negotiate_contexts(const std::vector<negotiate_context>& list, Archive& ar, std::size_t slot) {
  if constexpr (requires { ar.out(); }) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (i == 0)
        ar.begin_tail(slot, 8);
      else
        ar.pad(wire::align_up(ar.position(), 8) - ar.position());
      ar("type", list[i].type, "length", static_cast<u16>(list[i].data.size()));
      ar.pad(4);
      ar.out().put(list[i].data);
    }
  } else {
    for (const auto& context : list)
      ar("context", context.type) && ar.rest("data", context.data);
  }
  return true;
}

enum class hash_algorithm : u16 { sha512 = 0x0001 };

/// SMB2_PREAUTH_INTEGRITY_CAPABILITIES, 2.2.3.1.1
struct preauth_integrity_capabilities {
  static constexpr std::string_view title = "preauth integrity capabilities";
  static constexpr auto type = context_type::preauth_integrity;

  std::vector<hash_algorithm> algorithms;
  bytes salt;

  static bool fields(auto& m, auto& ar) {
    return ar.count16(m.algorithms, 0) && ar.length16(m.salt, 1) &&
           ar.list("algorithms", m.algorithms, 0, algorithms_max) && ar.run("salt", m.salt, 1);
  }
};

/// SMB2_ENCRYPTION_CAPABILITIES, 2.2.3.1.2. A server answers with one cipher, 0: none suits.
struct encryption_capabilities {
  static constexpr std::string_view title = "encryption capabilities";
  static constexpr auto type = context_type::encryption;

  std::vector<cipher> ciphers;

  static bool fields(auto& m, auto& ar) {
    return ar.count16(m.ciphers, 0) && ar.list("ciphers", m.ciphers, 0, algorithms_max);
  }
};

enum class compression_algorithm : u16 {
  none = 0,
  lznt1 = 1,
  lz77 = 2,
  lz77_huffman = 3,
  pattern_v1 = 4,
  lz4 = 5,
};

/// SMB2_COMPRESSION_CAPABILITIES, 2.2.3.1.3
struct compression_capabilities {
  static constexpr std::string_view title = "compression capabilities";
  static constexpr auto type = context_type::compression;
  static constexpr u32 flag_chained = 0x0000'0001;

  u32 flags = 0;
  std::vector<compression_algorithm> algorithms;

  static bool fields(auto& m, auto& ar) {
    return ar.count16(m.algorithms, 0) && ar.pad(2) && ar("flags", m.flags) &&
           ar.list("algorithms", m.algorithms, 0, algorithms_max);
  }
};

/// SMB2_NETNAME_NEGOTIATE_CONTEXT_ID, 2.2.3.1.4: the name by which the client knows the server.
struct netname_context {
  static constexpr std::string_view title = "netname context";
  static constexpr auto type = context_type::netname;

  utf16_view name;

  static bool fields(auto& m, auto& ar) { return ar.rest("name", m.name); }
};

/// SMB2_TRANSPORT_CAPABILITIES, 2.2.3.1.5. Flag 1: the transport is secure enough (QUIC).
struct transport_capabilities {
  static constexpr std::string_view title = "transport capabilities";
  static constexpr auto type = context_type::transport;

  u32 flags = 0;

  static bool fields(auto& m, auto& ar) { return ar("flags", m.flags); }
};

enum class rdma_transform : u16 { none = 0, encryption = 1, signing = 2 };

/// SMB2_RDMA_TRANSFORM_CAPABILITIES, 2.2.3.1.6
struct rdma_transform_capabilities {
  static constexpr std::string_view title = "RDMA transform capabilities";
  static constexpr auto type = context_type::rdma_transform;

  std::vector<rdma_transform> transforms;

  static bool fields(auto& m, auto& ar) {
    return ar.count16(m.transforms, 0) && ar.pad(6) &&
           ar.list("transforms", m.transforms, 0, algorithms_max);
  }
};

/// SMB2_SIGNING_CAPABILITIES, 2.2.3.1.7
struct signing_capabilities {
  static constexpr std::string_view title = "signing capabilities";
  static constexpr auto type = context_type::signing;

  std::vector<signing_algorithm> algorithms;

  static bool fields(auto& m, auto& ar) {
    return ar.count16(m.algorithms, 0) && ar.list("algorithms", m.algorithms, 0, algorithms_max);
  }
};

/// The POSIX extensions of Samba and Linux: a GUID that names their version.
struct posix_context {
  static constexpr std::string_view title = "POSIX context";
  static constexpr auto type = context_type::posix;

  guid version{};

  static bool fields(auto& m, auto& ar) { return ar("version", m.version); }
};

/// The first context of type T; nothing when there is none.
template <class T>
[[nodiscard]] std::expected<std::optional<T>, wire::decode_error>
find_context(const std::vector<negotiate_context>& list) {
  for (const auto& context : list) {
    if (context.type != T::type) continue;
    auto found = decode_buffer<T>(context.data);
    if (!found) return std::unexpected(found.error());
    return std::optional<T>(std::move(*found));
  }
  return std::optional<T>{};
}

} // namespace smb2
