#include "smb2/signing.hpp"

#include "smb2/commands/cancel.hpp"

namespace smb2 {

bool signature_matches(message_signer& signer, const header& head, bytes message, bytes rest) {
  if (message.size() < header_bytes) return false;
  std::array<std::byte, header_bytes> unsigned_header;
  std::memcpy(unsigned_header.data(), message.data(), header_bytes);
  std::memset(unsigned_header.data() + signature_offset, 0, sizeof(signature));
  const std::array segments{bytes(unsigned_header), message.subspan(header_bytes), rest};
  const auto expected = signer.sign(segments, {.message_id = head.message_id,
                                               .from_server = head.response(),
                                               .cancel = head.command == cancel::number});
  auto difference = std::byte{0};
  for (std::size_t i = 0; i < expected.size(); ++i)
    difference |= expected[i] ^ head.signature[i];
  return difference == std::byte{0};
}

} // namespace smb2
