#include "smb2/crypto/sealer.hpp"

#include "smb2/crypto/random.hpp"

#include <algorithm>

namespace smb2::crypto {

namespace {

class aead_sealer final : public message_sealer {
 public:
  aead_sealer(aead to_peer, aead from_peer, u64 messages_max)
      : to_peer_(std::move(to_peer)), from_peer_(std::move(from_peer)), left_(messages_max) {
    random_bytes(std::span(nonce_).first(to_peer_.nonce_bytes()));
    counter_ = wire::load_le<u64>(nonce_.data());
  }

  [[nodiscard]] bool used_up() const noexcept override { return left_ == 0; }

  void seal(u64 session_id, std::span<const bytes> plain, std::span<std::byte> out) override {
    --left_;
    wire::store_le(nonce_.data(), counter_++);
    transform_header head;
    head.nonce = nonce_;
    head.original_size = static_cast<u32>(out.size() - transform_header::size);
    head.session_id = session_id;
    store(head, out);
    head.tag = to_peer_.seal(bytes(nonce_).first(to_peer_.nonce_bytes()), associated(out), plain,
                             out.subspan(transform_header::size));
    store(head, out);
  }

  [[nodiscard]] bool open(const transform_header& head, bytes frame,
                          std::span<std::byte> plain) override {
    return open_sealed(from_peer_, head, frame, plain);
  }

 private:
  static bytes associated(bytes frame) {
    return frame.first(transform_header::size).subspan(transform_header::associated_offset);
  }

  void store(const transform_header& head, std::span<std::byte> out) {
    header_.clear();
    encode(head, header_, 0);
    header_.for_each_segment([&](bytes all) { std::ranges::copy(all, out.begin()); });
  }

  aead to_peer_;
  aead from_peer_;
  u64 left_;
  std::array<std::byte, 16> nonce_{}; ///< those bytes that the cipher does not take stay 0
  u64 counter_ = 0;
  wire::writer header_;
};

} // namespace

std::unique_ptr<message_sealer> make_sealer(cipher algorithm, const session_keys& keys,
                                            u64 messages_max) {
  auto to_peer = aead::create(algorithm, keys.encryption.view());
  auto from_peer = aead::create(algorithm, keys.decryption.view());
  if (!to_peer || !from_peer) return nullptr;
  return std::make_unique<aead_sealer>(std::move(*to_peer), std::move(*from_peer), messages_max);
}

bool open_sealed(aead& with, const transform_header& head, bytes message,
                 std::span<std::byte> plain) {
  const auto nonce = bytes(head.nonce).first(with.nonce_bytes());
  const auto associated =
      message.first(transform_header::size).subspan(transform_header::associated_offset);
  const auto sealed = message.subspan(transform_header::size, head.original_size);
  return with.open(nonce, associated, sealed, head.tag, plain);
}

} // namespace smb2::crypto
