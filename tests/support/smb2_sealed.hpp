#pragma once

#include "smb2/crypto/aead.hpp"
#include "smb2/crypto/keys.hpp"
#include "smb2/transform.hpp"
#include "tests/support/smb2_messages.hpp"

/// Sealed SMB3 messages for tests of what opens them.
namespace support {

inline std::vector<std::byte> framed(wire::bytes message) {
  wire::writer out;
  out.be(static_cast<wire::u32>(message.size()));
  out.put(message);
  return out.flatten();
}

/// Seals with one key; each message gets a nonce of its own.
class smb2_sealer {
 public:
  smb2_sealer(smb2::cipher algorithm, wire::bytes key, wire::u64 session_id)
      : with_(smb2::crypto::aead::create(algorithm, key).value()), session_id_(session_id) {}

  /// `frame` has its prefix, and so has what comes out.
  std::vector<std::byte> operator()(wire::bytes frame) {
    const auto plain = frame.subspan(4);
    smb2::transform_header head;
    head.original_size = static_cast<wire::u32>(plain.size());
    head.session_id = session_id_;
    wire::store_le(head.nonce.data(), ++nonce_);
    const auto raw = smb2::encode_buffer(head);
    std::vector<std::byte> sealed(plain.size());
    const wire::bytes pieces[] = {plain};
    head.tag = with_.seal(wire::bytes(head.nonce).first(with_.nonce_bytes()),
                          wire::bytes(raw).subspan(20), pieces, sealed);
    auto message = smb2::encode_buffer(head);
    message.insert(message.end(), sealed.begin(), sealed.end());
    return framed(message);
  }

 private:
  smb2::crypto::aead with_;
  wire::u64 session_id_;
  wire::u64 nonce_ = 0;
};

/// A frame that says that it is sealed, and holds nothing that any key could open.
inline std::vector<std::byte> sealed_noise(wire::u32 original_size, wire::u64 session_id = 7) {
  smb2::transform_header head;
  head.original_size = original_size;
  head.session_id = session_id;
  auto message = smb2::encode_buffer(head);
  message.resize(message.size() + original_size, std::byte{0xA5});
  return framed(message);
}

} // namespace support
