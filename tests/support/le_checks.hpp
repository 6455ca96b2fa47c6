#pragma once

#include "smb2/commands.hpp"
#include "smb2/header.hpp"
#include "smb2/le_print.hpp"
#include "smb2/ntstatus.hpp"
#include "wire/hex.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

/// The battery that every SMB2 message passes, driven by golden bytes: the little-endian twin of
/// codec_checks.hpp.
namespace support::le {

using smb2::bytes;
using smb2::header_bytes;
using smb2::u16;
using smb2::u32;
using wire::errc;

/// Golden bytes: hex, one field a line, '#' comments; the first line says where they are from. A
/// line "# encodes differently: why" marks bytes that we read but would not write that way.
struct golden {
  std::string name;
  std::vector<std::byte> data;
  bool encodes_same = true;
};

inline golden load_golden(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::stringstream text;
  text << in.rdbuf();
  EXPECT_TRUE(text.str().starts_with("# ")) << file << " does not say where it is from";
  auto data = wire::from_hex(text.str());
  EXPECT_TRUE(data && !data->empty()) << file << " is missing or not hex";
  const bool same = text.str().find("# encodes differently: ") == std::string::npos;
  return {file.filename().string(), data.value_or(std::vector<std::byte>{}), same};
}

inline std::filesystem::path golden_folder() {
  return std::filesystem::path(WIRETRIP_SOURCE_DIR) / "tests" / "golden" / "smb2";
}

inline golden golden_named(std::string_view name) {
  return load_golden(golden_folder() / (std::string(name) + ".hex"));
}

/// "READ", "reply" → read.reply.hex and its variants read.reply.*.hex
inline std::vector<golden> goldens_of(std::string_view command, std::string_view kind) {
  std::string start(command);
  std::ranges::transform(start, start.begin(), [](char c) {
    return static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  });
  start.append(".").append(kind).append(".");
  std::vector<golden> out;
  for (const auto& entry : std::filesystem::directory_iterator(golden_folder()))
    if (entry.path().filename().string().starts_with(start))
      out.push_back(load_golden(entry.path()));
  std::ranges::sort(out, {}, &golden::name);
  return out;
}

/// Memory of exactly this size, so that sanitizers see one byte too far.
class exact_buffer {
 public:
  explicit exact_buffer(bytes data) : data_(new std::byte[data.size()]), size_(data.size()) {
    std::ranges::copy(data, data_.get());
  }
  [[nodiscard]] bytes view() const { return {data_.get(), size_}; }
  [[nodiscard]] std::byte* at(std::size_t i) { return data_.get() + i; }

 private:
  std::unique_ptr<std::byte[]> data_;
  std::size_t size_;
};

/// Where the words that steer the decoder stand.
struct landmark {
  std::size_t at = 0;
  std::size_t width = 0;
  std::size_t slot = 0;
};

/// Walks a message as the encoder does and notes where each length, count and offset stands.
class landmark_finder {
 public:
  static constexpr bool decoding = false;

  explicit landmark_finder(std::size_t at) : at_(at) {}

  std::vector<landmark> lengths; ///< of parts that are not empty, and counts
  std::vector<landmark> offsets; ///< with the slot of their part
  std::vector<std::size_t> filled_slots;

  template <class T, class... More>
  bool operator()(const char*, const T& field, const More&... more) {
    value(field);
    if constexpr (sizeof...(More) > 0) (*this)(more...);
    return true;
  }
  bool structure_size(u16) { return step(2); }
  bool pad(std::size_t n) { return step(n); }
  bool at_least_one_byte() { return true; }
  bool fail(errc) { return false; }
  bool offset8(std::size_t slot) { return offset(slot, 1); }
  bool offset16(std::size_t slot) { return offset(slot, 2); }
  bool offset32(std::size_t slot) { return offset(slot, 4); }
  bool length8(const auto& v, std::size_t slot) { return length(v, slot, 1); }
  bool length16(const auto& v, std::size_t slot) { return length(v, slot, 2); }
  bool length32(const auto& v, std::size_t slot) { return length(v, slot, 4); }
  bool count8(const auto& v, std::size_t slot) { return count(v.size(), slot, 1); }
  bool count16(const auto& v, std::size_t slot) { return count(v.size(), slot, 2); }
  bool count32(const auto& v, std::size_t slot) { return count(v.size(), slot, 4); }
  bool tail(const char*, const auto&, std::size_t, std::size_t = 1) { return true; }
  bool tail_to_end(const char*, const auto&, std::size_t, std::size_t = 1) { return true; }
  bool run(const char*, const auto& v, std::size_t) {
    return step(smb2::detail::view_of(v).size());
  }
  bool rest(const char*, const auto&) { return true; }
  bool list(const char*, const auto& v, std::size_t, u32) {
    for (const auto& item : v)
      value(item);
    return true;
  }

 private:
  bool step(std::size_t n) {
    at_ += n;
    return true;
  }
  bool offset(std::size_t slot, std::size_t width) {
    offsets.push_back({at_, width, slot});
    return step(width);
  }
  bool length(const auto& v, std::size_t slot, std::size_t width) {
    return count(smb2::detail::view_of(v).size(), slot, width);
  }
  bool count(std::size_t n, std::size_t slot, std::size_t width) {
    if (n > 0) {
      lengths.push_back({at_, width, slot});
      filled_slots.push_back(slot);
    }
    return step(width);
  }
  template <class T>
  void value(const T& field) {
    if constexpr (requires { T::fields(field, *this); })
      T::fields(field, *this);
    else
      step(sizeof field);
  }

  std::size_t at_;
};

template <class T>
std::string described(const std::expected<T, wire::decode_error>& decoded) {
  return decoded ? smb2::print(*decoded) : wire::describe(decoded.error());
}

/// All cuts below some length are refused, all above it are not: only padding may be missing.
/// Whatever is captured of it, a message that was longer on the wire is `truncated`.
template <class T>
void check_every_truncation(bytes whole) {
  constexpr std::size_t padding_max = 8;
  const auto all = described(smb2::decode<T>(whole));
  std::size_t shortest = 0;
  for (std::size_t n = 0; n < whole.size(); ++n) {
    const exact_buffer cut(whole.first(n));
    const auto decoded = smb2::decode<T>(cut.view());
    const auto part = smb2::decode_prefix<T>(cut.view(), whole.size());
    if (decoded) {
      EXPECT_EQ(described(decoded), all) << "cut to " << n;
      EXPECT_EQ(part.error.code, errc::ok);
      if (shortest == 0) shortest = n;
      continue;
    }
    ASSERT_EQ(shortest, 0u) << "a longer cut is refused though a shorter one is not: " << n;
    ASSERT_TRUE(decoded.error().code == errc::truncated || decoded.error().code == errc::bad_offset)
        << "cut to " << n << ": " << described(decoded);
    ASSERT_EQ(part.error.code, errc::truncated) << "cut to " << n;
    ASSERT_LE(part.error.offset, std::max(n, header_bytes));
  }
  if (shortest != 0) {
    EXPECT_LE(whole.size() - shortest, padding_max);
  }
}

template <class T>
void check_landmarks(const T& message, bytes whole, std::size_t start) {
  landmark_finder found(start);
  T::fields(message, found);
  const auto refused = [&](const landmark& mark, std::string_view what) {
    exact_buffer changed(whole);
    std::fill_n(changed.at(mark.at), mark.width, std::byte{0xFF});
    smb2::le_reader in(changed.view(), start);
    T out{};
    EXPECT_FALSE(T::fields(out, in)) << what << " at byte " << mark.at << " is accepted";
    static_cast<void>(smb2::print(out)); // what was read must be safe to look at
  };
  for (const auto& mark : found.lengths)
    refused(mark, "a length of all ones");
  for (const auto& mark : found.offsets)
    if (std::ranges::find(found.filled_slots, mark.slot) != found.filled_slots.end())
      refused(mark, "an offset of all ones");
}

/// Golden decode, golden encode, truncations, padding, lengths and offsets at their maximum.
template <class T>
void check_message(const golden& g) {
  const bytes whole = g.data;
  const exact_buffer buffer(whole);
  const auto decoded = smb2::decode<T>(buffer.view());
  ASSERT_TRUE(decoded) << wire::describe(decoded.error());

  wire::writer out;
  out.put(whole.first(header_bytes));
  smb2::encode(*decoded, out, 0);
  if (g.encodes_same)
    EXPECT_EQ(wire::to_hex(out.flatten()), wire::to_hex(whole));
  else
    EXPECT_NE(wire::to_hex(out.flatten()), wire::to_hex(whole)) << "it does encode the same";
  const auto ours = out.flatten();
  EXPECT_EQ(described(smb2::decode<T>(ours)), described(decoded));

  std::vector<std::byte> longer(whole.begin(), whole.end());
  longer.push_back(std::byte{0xAA});
  EXPECT_EQ(described(smb2::decode<T>(longer)), described(decoded));

  exact_buffer other_size(whole);
  *other_size.at(header_bytes) ^= std::byte{0x80};
  const auto refused = smb2::decode<T>(other_size.view());
  ASSERT_FALSE(refused) << "a StructureSize that is wrong";
  EXPECT_EQ(refused.error().code, errc::bad_value);

  check_every_truncation<T>(whole);
  check_landmarks(*decoded, whole, header_bytes);
}

/// A structure without an SMB2 header, found in `buffer`.
template <class T>
void check_buffer(bytes buffer) {
  const exact_buffer exact(buffer);
  const auto decoded = smb2::decode_buffer<T>(exact.view());
  ASSERT_TRUE(decoded) << wire::describe(decoded.error());
  EXPECT_EQ(wire::to_hex(smb2::encode_buffer(*decoded)), wire::to_hex(buffer));
  for (std::size_t n = 0; n < buffer.size(); ++n) {
    const exact_buffer cut(buffer.first(n));
    const auto shorter = smb2::decode_buffer<T>(cut.view());
    ASSERT_FALSE(shorter) << "cut to " << n;
    ASSERT_EQ(shorter.error().code, errc::truncated);
  }
  check_landmarks(*decoded, buffer, 0);
}

template <class List>
struct as_types;

template <class... Commands>
struct as_types<smb2::command_list<Commands...>> {
  using type = ::testing::Types<Commands...>;
};

struct command_names {
  template <class Command>
  static std::string GetName(int) {
    return std::string(Command::name);
  }
};

template <class Command>
void check_calls() {
  const auto calls = goldens_of(Command::name, "call");
  ASSERT_FALSE(calls.empty()) << "no golden request of " << Command::name;
  for (const auto& g : calls) {
    SCOPED_TRACE(g.name);
    const auto head = smb2::decode_header(g.data);
    ASSERT_TRUE(head);
    EXPECT_EQ(head->command, Command::number);
    EXPECT_FALSE(head->response());
    check_message<typename Command::request>(g);
  }
}

/// A reply whose status says so is an ERROR response.
template <class Command>
void check_replies() {
  const auto replies = goldens_of(Command::name, "reply");
  bool succeeded = false;
  for (const auto& g : replies) {
    SCOPED_TRACE(g.name);
    const auto head = smb2::decode_header(g.data);
    ASSERT_TRUE(head);
    EXPECT_EQ(head->command, Command::number);
    EXPECT_TRUE(head->response());
    if (smb2::carries_response(head->command, head->status)) {
      succeeded = true;
      check_message<typename Command::response>(g);
    } else {
      check_message<smb2::error_response>(g);
    }
  }
  EXPECT_TRUE(succeeded) << "no golden response of " << Command::name;
}

} // namespace support::le
