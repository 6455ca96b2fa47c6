#pragma once

#include "smb2/le.hpp"
#include "smb2/signer.hpp"

namespace smb2 {

/// What a frame of the stream is, by its first four bytes.
enum class message_kind : u8 {
  smb2,       ///< FE 'SMB'
  sealed,     ///< FD 'SMB': an SMB2 TRANSFORM_HEADER and ciphertext
  compressed, ///< FC 'SMB'
  smb1,       ///< FF 'SMB': only a multi-protocol NEGOTIATE is of interest
  keep_alive, ///< no bytes at all
  other,      ///< NetBIOS session packets, or garbage
};

[[nodiscard]] inline message_kind kind_of(bytes frame) noexcept {
  if (frame.empty()) return message_kind::keep_alive;
  if (frame.size() < 4) return message_kind::other;
  switch (wire::load_be<u32>(frame.data())) {
  case 0xFE53'4D42:
    return message_kind::smb2;
  case 0xFD53'4D42:
    return message_kind::sealed;
  case 0xFC53'4D42:
    return message_kind::compressed;
  case 0xFF53'4D42:
    return message_kind::smb1;
  default:
    return message_kind::other;
  }
}

/// Stands before the ciphertext of one frame; sealing and unsealing go between framer and
/// compound_walker, so that nothing above sees them.
/// · bytes: 52, little-endian. AES-CCM takes 11 bytes of the nonce, AES-GCM 12.
/// · source: MS-SMB2 2.2.41
struct transform_header {
  static constexpr std::string_view title = "SMB2 TRANSFORM_HEADER";
  static constexpr std::size_t size = 52;
  static constexpr u16 encrypted = 0x0001;
  /// From here to its end the header is authenticated with the ciphertext.
  static constexpr std::size_t associated_offset = 20;

  std::array<std::byte, 4> protocol{std::byte{0xFD}, std::byte{'S'}, std::byte{'M'},
                                    std::byte{'B'}};
  smb2::signature tag{};
  std::array<std::byte, 16> nonce{};
  u32 original_size = 0; ///< bytes of plaintext
  u16 flags = encrypted; ///< 3.0: EncryptionAlgorithm, the same value
  u64 session_id = 0;

  static bool fields(auto& m, auto& ar) {
    return ar("protocol", m.protocol, "tag", m.tag, "nonce", m.nonce, "original_size",
              m.original_size) &&
           ar.pad(2) && ar("flags", m.flags, "session_id", m.session_id);
  }
};

/// Not chained: 16 bytes, then `offset` bytes as they are, then compressed ones. Chained (flags 1):
/// the first payload header starts at `algorithm` and `offset` is its length.
/// · source: MS-SMB2 2.2.42
struct compression_header {
  static constexpr std::string_view title = "SMB2 COMPRESSION_TRANSFORM_HEADER";
  static constexpr std::size_t size = 16;
  static constexpr u16 chained = 0x0001;

  std::array<std::byte, 4> protocol{std::byte{0xFC}, std::byte{'S'}, std::byte{'M'},
                                    std::byte{'B'}};
  u32 original_segment_size = 0; ///< bytes of the part that was compressed
  u16 algorithm = 0;
  u16 flags = 0;
  u32 offset = 0;

  static bool fields(auto& m, auto& ar) {
    return ar("protocol", m.protocol, "original_segment_size", m.original_segment_size, "algorithm",
              m.algorithm, "flags", m.flags, "offset", m.offset);
  }
};

} // namespace smb2
