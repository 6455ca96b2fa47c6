#pragma once

#include "smb2/transform.hpp"
#include "wire/writer.hpp"

#include <map>
#include <optional>
#include <vector>

/// The other side of smb2/compression: plain LZ77, and chained messages. Simple, not fast.
namespace support {

/// Matches of up to 9 + 15 + 254 bytes, by the last place where the same three bytes stood.
class lz77_compressor {
 public:
  explicit lz77_compressor(wire::bytes data) : data_(data) {}

  std::vector<std::byte> run() {
    std::size_t at = 0;
    while (at < data_.size()) {
      const auto [distance, length] = longest_match(at);
      begin_item(length != 0);
      if (length == 0)
        out_.push_back(data_[at]);
      else
        put_match(distance, length);
      for (std::size_t i = 0; i < std::max<std::size_t>(length, 1); ++i, ++at)
        remember(at);
    }
    return std::move(out_);
  }

 private:
  struct found {
    std::size_t distance = 0;
    std::size_t length = 0;
  };

  [[nodiscard]] wire::u32 key(std::size_t at) const {
    wire::u32 out = 0;
    for (std::size_t i = 0; i < 3; ++i)
      out = out << 8 | std::to_integer<wire::u32>(data_[at + i]);
    return out;
  }

  void remember(std::size_t at) {
    if (data_.size() - at >= 3) last_[key(at)] = at;
  }

  [[nodiscard]] found longest_match(std::size_t at) const {
    constexpr std::size_t window = 8192;
    constexpr std::size_t longest = 3 + 7 + 15 + 254;
    if (data_.size() - at < 3) return {};
    const auto seen = last_.find(key(at));
    if (seen == last_.end() || at - seen->second > window) return {};
    found out{at - seen->second, 3};
    while (out.length < longest && at + out.length < data_.size() &&
           data_[at + out.length] == data_[at + out.length - out.distance])
      ++out.length;
    return out;
  }

  void begin_item(bool match) {
    if (flags_left_ == 0) {
      flags_at_ = out_.size();
      out_.resize(out_.size() + 4);
      flags_ = 0;
      flags_left_ = 32;
    }
    --flags_left_;
    if (match) flags_ |= 1u << flags_left_;
    wire::store_le(out_.data() + flags_at_, flags_);
  }

  void put_match(std::size_t distance, std::size_t length) {
    const auto rest = length - 3;
    const auto token = (distance - 1) << 3 | std::min<std::size_t>(rest, 7);
    out_.push_back(static_cast<std::byte>(token & 0xFF));
    out_.push_back(static_cast<std::byte>(token >> 8));
    if (rest < 7) return;
    const auto nibble = std::min<std::size_t>(rest - 7, 15);
    if (half_at_ == 0) {
      half_at_ = out_.size();
      out_.push_back(static_cast<std::byte>(nibble));
    } else {
      out_[half_at_] |= static_cast<std::byte>(nibble << 4);
      half_at_ = 0;
    }
    if (nibble == 15) out_.push_back(static_cast<std::byte>(rest - 22));
  }

  wire::bytes data_;
  std::map<wire::u32, std::size_t> last_;
  std::vector<std::byte> out_;
  std::size_t flags_at_ = 0;
  wire::u32 flags_ = 0;
  unsigned flags_left_ = 0;
  std::size_t half_at_ = 0;
};

/// Not chained: `message` with its first `plain` bytes as they are.
inline std::vector<std::byte> compress_lz77(wire::bytes message, std::size_t plain = 0) {
  smb2::compression_header head;
  head.protocol = {std::byte{0xFC}, std::byte{'S'}, std::byte{'M'}, std::byte{'B'}};
  head.original_segment_size = static_cast<wire::u32>(message.size() - plain);
  head.algorithm = 2;
  head.offset = static_cast<wire::u32>(plain);
  auto out = smb2::encode_buffer(head);
  const auto packed = lz77_compressor(message.subspan(plain)).run();
  out.insert(out.end(), message.begin(), message.begin() + static_cast<std::ptrdiff_t>(plain));
  out.insert(out.end(), packed.begin(), packed.end());
  return out;
}

/// One payload of a chain; `original_size` counts for algorithms that have one in front.
struct chained_payload {
  wire::u16 algorithm = 0;
  std::vector<std::byte> data;
  std::optional<wire::u32> original_size;
};

inline std::vector<std::byte> chain_of(wire::u32 size, const std::vector<chained_payload>& parts) {
  wire::writer out;
  out.put(std::as_bytes(std::span("\xFCSMB", 4)));
  out.le(size);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto& one = parts[i];
    out.le(one.algorithm);
    out.le(static_cast<wire::u16>(i == 0 ? 1 : 0));
    out.le(static_cast<wire::u32>(one.data.size() + (one.original_size ? 4 : 0)));
    if (one.original_size) out.le(*one.original_size);
    out.put(one.data);
  }
  return out.flatten();
}

/// That byte, so many times.
inline chained_payload pattern_payload(std::byte value, wire::u32 repetitions) {
  chained_payload out{4, std::vector<std::byte>(8), {}};
  out.data[0] = value;
  wire::store_le(out.data.data() + 4, repetitions);
  return out;
}

/// Chained: the first `plain` bytes as they are, then what LZ77 makes of the rest, but for its last
/// byte and those like it, which are a pattern.
inline std::vector<std::byte> compress_chained(wire::bytes message, std::size_t plain) {
  const auto last = message.back();
  auto end = message.size();
  while (end > plain && message[end - 1] == last)
    --end;
  const auto head = message.first(plain);
  const auto middle = message.subspan(plain, end - plain);
  return chain_of(static_cast<wire::u32>(message.size()),
                  {{0, {head.begin(), head.end()}, {}},
                   {2, lz77_compressor(middle).run(), static_cast<wire::u32>(middle.size())},
                   pattern_payload(last, static_cast<wire::u32>(message.size() - end))});
}

} // namespace support
