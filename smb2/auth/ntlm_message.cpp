#include "smb2/auth/ntlm_message.hpp"

#include "wire/reader.hpp"
#include "wire/writer.hpp"

#include <algorithm>
#include <limits>

namespace smb2::auth {
namespace {

// "NTLMSSP" and its NUL.
constexpr std::array signature{std::byte{'N'}, std::byte{'T'}, std::byte{'L'}, std::byte{'M'},
                               std::byte{'S'}, std::byte{'S'}, std::byte{'P'}, std::byte{0}};
constexpr std::size_t slots_max = 6;

class ntlm_reader {
 public:
  explicit ntlm_reader(bytes message) : in_(message), payload_start_(message.size()) {}

  bool begin(u32 type) {
    std::array<std::byte, 8> magic;
    u32 got = 0;
    return in_.copy(magic) && (magic == signature || in_.fail(wire::errc::bad_value)) &&
           in_.le(got) && (got == type || in_.fail(wire::errc::bad_value));
  }

  bool number(u32& value) { return in_.le(value); }
  template <std::size_t N>
  bool array(std::array<std::byte, N>& value) {
    return in_.copy(value);
  }
  bool reserved(std::size_t n) { return in_.skip(n); }

  bool field(bytes&, std::size_t slot) {
    u16 length = 0, room = 0;
    u32 offset = 0;
    if (!in_.le(length) || !in_.le(room) || !in_.le(offset)) return false;
    slots_[slot] = {offset, length};
    if (length != 0) payload_start_ = std::min<std::size_t>(payload_start_, offset);
    return true;
  }

  template <class T>
  bool optional(std::optional<T>& value) {
    const auto here = in_.position();
    if (!in_.ok() || payload_start_ < here || payload_start_ - here < sizeof(T)) return in_.ok();
    return array(value.emplace());
  }

  bool payload(bytes& value, std::size_t slot) {
    const auto [offset, length] = slots_[slot];
    if (!in_.ok()) return false;
    if (length == 0) return true;
    const auto message = in_.message();
    if (offset < in_.position() || offset > message.size()) return in_.fail(wire::errc::bad_offset);
    if (length > message.size() - offset) return in_.fail(wire::errc::truncated);
    value = message.subspan(offset, length);
    return true;
  }

  bool supplied(bytes& value, std::size_t slot) { return payload(value, slot); }

  [[nodiscard]] wire::decode_error error(std::string_view title) const { return in_.error(title); }

 private:
  struct place {
    u32 offset = 0;
    u16 length = 0;
  };

  wire::reader in_;
  std::size_t payload_start_;
  std::array<place, slots_max> slots_{};
};

class ntlm_writer {
 public:
  bool begin(u32 type) {
    out_.put(signature);
    out_.le(type);
    return true;
  }

  bool number(u32 value) {
    out_.le(value);
    return true;
  }
  template <std::size_t N>
  bool array(const std::array<std::byte, N>& value) {
    out_.put(value);
    return true;
  }
  bool reserved(std::size_t n) {
    out_.zeros(n);
    return true;
  }

  bool field(const bytes& value, std::size_t slot) {
    // Our callers keep names below what the field can say.
    assert(value.size() <= std::numeric_limits<u16>::max());
    out_.le(static_cast<u16>(value.size()));
    out_.le(static_cast<u16>(value.size()));
    offset_at_[slot] = out_.size();
    out_.le(u32{0});
    return true;
  }

  template <class T>
  bool optional(const std::optional<T>& value) {
    if (value) out_.put(*value);
    return true;
  }

  bool payload(const bytes& value, std::size_t slot) {
    wire::store_le(out_.patch(offset_at_[slot], 4).data(), static_cast<u32>(out_.size()));
    out_.put(value);
    return true;
  }

  /// Windows leaves the offset at 0 where NEGOTIATE_MESSAGE supplies no name.
  bool supplied(const bytes& value, std::size_t slot) {
    return value.empty() || payload(value, slot);
  }

  [[nodiscard]] std::vector<std::byte> take() const { return out_.flatten(); }

 private:
  wire::writer out_;
  std::array<std::size_t, slots_max> offset_at_{};
};

} // namespace

template <class Message>
std::expected<Message, wire::decode_error> decode_ntlm(bytes message) {
  Message out;
  ntlm_reader in(message);
  if (!in.begin(Message::type) || !Message::fields(out, in))
    return std::unexpected(in.error(Message::title));
  return out;
}

template <class Message>
std::vector<std::byte> encode_ntlm(const Message& message) {
  ntlm_writer out;
  out.begin(Message::type);
  Message::fields(message, out);
  return out.take();
}

template std::expected<negotiate_message, wire::decode_error> decode_ntlm(bytes);
template std::expected<challenge_message, wire::decode_error> decode_ntlm(bytes);
template std::expected<authenticate_message, wire::decode_error> decode_ntlm(bytes);
template std::vector<std::byte> encode_ntlm(const negotiate_message&);
template std::vector<std::byte> encode_ntlm(const challenge_message&);
template std::vector<std::byte> encode_ntlm(const authenticate_message&);

std::expected<std::vector<av_pair>, wire::decode_error> decode_av_pairs(bytes data) {
  std::vector<av_pair> pairs;
  wire::reader in(data);
  for (;;) {
    u16 id = 0, length = 0;
    bytes value;
    if (!in.le(id) || !in.le(length) || !in.take(value, length)) break;
    if (static_cast<av_id>(id) == av_id::eol) return pairs;
    if (pairs.size() == av_pairs_max) {
      in.fail(wire::errc::over_limit);
      break;
    }
    pairs.push_back({static_cast<av_id>(id), value});
  }
  return std::unexpected(in.error("NTLM AV_PAIR list"));
}

std::vector<std::byte> encode_av_pairs(std::span<const av_pair> pairs) {
  wire::writer out;
  for (const auto& [id, value] : pairs) {
    assert(value.size() <= std::numeric_limits<u16>::max());
    out.le(static_cast<u16>(id));
    out.le(static_cast<u16>(value.size()));
    out.put(value);
  }
  out.zeros(4);
  return out.flatten();
}

std::optional<bytes> find(std::span<const av_pair> pairs, av_id id) noexcept {
  const auto it = std::ranges::find(pairs, id, &av_pair::id);
  if (it == pairs.end()) return std::nullopt;
  return it->value;
}

std::expected<client_challenge, wire::decode_error> decode_client_challenge(bytes data) {
  client_challenge out;
  wire::reader in(data);
  u8 version = 0, highest_version = 0;
  if (in.le(version) && (version == 1 || in.fail(wire::errc::bad_value)) &&
      in.le(highest_version) && in.skip(6) && in.le(out.timestamp) && in.copy(out.challenge) &&
      in.skip(4)) {
    out.av_pairs = in.rest();
    return out;
  }
  return std::unexpected(in.error(client_challenge::title));
}

std::vector<std::byte> encode_client_challenge(const client_challenge& value) {
  wire::writer out;
  out.le(u8{1});
  out.le(u8{1});
  out.zeros(6);
  out.le(value.timestamp);
  out.put(value.challenge);
  out.zeros(4);
  out.put(value.av_pairs);
  out.zeros(4);
  return out.flatten();
}

} // namespace smb2::auth
