#pragma once

#include "rpc/xdr.hpp"
#include "rpc/xdr_print.hpp"
#include "wire/hex.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

/// The battery that every XDR message passes, driven by golden bytes.
namespace support {

using wire::bytes;
using wire::errc;
using wire::u32;

/// Golden bytes: hex, one field a line, '#' comments; the first line says where they are from.
struct golden {
  std::string name;
  std::vector<std::byte> data;
};

inline golden load_golden(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::stringstream text;
  text << in.rdbuf();
  EXPECT_TRUE(text.str().starts_with("# ")) << file << " does not say where it is from";
  auto data = wire::from_hex(text.str());
  EXPECT_TRUE(data) << file << " is not hex";
  return {file.filename().string(), data.value_or(std::vector<std::byte>{})};
}

inline std::filesystem::path golden_folder(std::string_view name) {
  return std::filesystem::path(WIRETRIP_SOURCE_DIR) / "tests" / "golden" / name;
}

/// Those of one message and its variants: "READ", "reply" → read.reply.hex, read.reply.bare.hex …
inline std::vector<golden> goldens_of(const std::filesystem::path& folder, std::string_view message,
                                      std::string_view kind) {
  std::string start(message);
  std::ranges::transform(start, start.begin(), [](char c) {
    return static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  });
  start += '.';
  start += kind;
  start += '.';
  std::vector<golden> out;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
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

/// Walks a message as the encoder does and notes where each length and each boolean stands.
class landmark_finder {
 public:
  static constexpr bool decoding = false;

  std::vector<std::size_t> lengths;
  std::vector<std::size_t> booleans;

  template <class T, class... More>
  bool operator()(const char*, const T& field, const More&... more) {
    value(field);
    if constexpr (sizeof...(More) > 0) (*this)(more...);
    return true;
  }
  bool opaque(const char*, bytes data, u32) {
    lengths.push_back(at_);
    at_ += 4 + wire::align_up(data.size(), 4);
    return true;
  }
  bool payload(const char* name, bytes data, u32 max) { return opaque(name, data, max); }
  bool text(const char* name, std::string_view s, u32 max) {
    return opaque(name, wire::as_bytes(s), max);
  }
  template <class T>
  bool array(const char*, const std::vector<T>& items, u32) {
    lengths.push_back(at_);
    at_ += 4;
    for (const auto& item : items)
      value(item);
    return true;
  }
  template <class T>
  bool chain(const char*, const std::vector<T>& items, u32) {
    for (const auto& item : items) {
      value(true);
      value(item);
    }
    value(false);
    return true;
  }
  bool constant(const char*, u32) {
    at_ += 4;
    return true;
  }
  bool refuse() { return true; }

 private:
  void value(const u32&) { at_ += 4; }
  void value(const wire::u64&) { at_ += 8; }
  void value(const bool&) {
    booleans.push_back(at_);
    at_ += 4;
  }
  template <rpc::word_enum E>
  void value(const E&) {
    at_ += 4;
  }
  template <std::size_t N>
  void value(const std::array<std::byte, N>&) {
    at_ += N;
  }
  template <class T>
  void value(const std::optional<T>& field) {
    value(field.has_value());
    if (field) value(*field);
  }
  template <class T>
  requires rpc::has_fields<const T, landmark_finder>
  void value(const T& field) { T::fields(field, *this); }

  std::size_t at_ = 0;
};

template <class T>
void expect_error(bytes data, errc code, std::size_t offset, std::string_view what) {
  const auto decoded = rpc::decode_exact<T>(data);
  ASSERT_FALSE(decoded) << what;
  EXPECT_EQ(decoded.error().code, code) << what << ": " << wire::describe(decoded.error());
  EXPECT_EQ(decoded.error().offset, offset) << what;
}

template <class T>
void check_every_truncation(bytes whole) {
  for (std::size_t n = 0; n < whole.size(); ++n) {
    const exact_buffer cut(whole.first(n));
    const auto decoded = rpc::decode_prefix<T>(cut.view());
    ASSERT_EQ(decoded.error.code, errc::truncated) << "cut to " << n << " bytes";
    ASSERT_LE(decoded.error.offset, n);
    ASSERT_FALSE(rpc::print(decoded.message).empty());
  }
}

template <class T>
void check_landmarks(const T& message, bytes whole) {
  landmark_finder found;
  T::fields(message, found);
  for (const auto at : found.lengths) {
    exact_buffer changed(whole);
    wire::store_be(changed.at(at), 0xffffffffu);
    expect_error<T>(changed.view(), errc::over_limit, at, "a length of 2^32 - 1");
    wire::store_be(changed.at(at), 0xfffffffcu);
    expect_error<T>(changed.view(), errc::over_limit, at, "a length of 2^32 - 4");
  }
  for (const auto at : found.booleans) {
    exact_buffer changed(whole);
    wire::store_be(changed.at(at), 2u);
    expect_error<T>(changed.view(), errc::bad_value, at, "a boolean of 2");
  }
}

/// Golden decode, golden encode, sizes, truncations, a byte too many, lengths at their maximum,
/// booleans that are none.
template <class T>
void check_codec(bytes whole) {
  const exact_buffer buffer(whole);
  const auto decoded = rpc::decode_exact<T>(buffer.view());
  ASSERT_TRUE(decoded) << wire::describe(decoded.error());

  wire::writer out;
  ASSERT_TRUE(rpc::encode(*decoded, out));
  EXPECT_EQ(wire::to_hex(out.flatten()), wire::to_hex(whole));
  EXPECT_EQ(rpc::encoded_size(*decoded), whole.size());

  std::vector<std::byte> longer(whole.begin(), whole.end());
  longer.push_back(std::byte{0});
  expect_error<T>(longer, errc::trailing_bytes, whole.size(), "a byte too many");

  check_every_truncation<T>(whole);
  check_landmarks(*decoded, whole);
}

} // namespace support
