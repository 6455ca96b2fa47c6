#pragma once

#include "wire/bytes.hpp"
#include "wire/hex.hpp"

#include <nlohmann/json.hpp>

#include <array>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

/// The golden files of smb2/crypto and smb2/auth: published vectors, and captured sessions.
namespace vectors {

using byte_string = std::vector<std::byte>;

inline nlohmann::json load(const char* name) {
  std::ifstream in(std::string(WIRETRIP_SOURCE_DIR "/tests/golden/") + name);
  return nlohmann::json::parse(in);
}

inline const nlohmann::json& published() {
  static const auto all = load("smb2_vectors.json");
  return all;
}

inline const nlohmann::json& captured() {
  static const auto all = load("smb2_sessions.json");
  return all;
}

inline byte_string hex(std::string_view digits) {
  auto parsed = wire::from_hex(digits);
  if (!parsed) throw std::invalid_argument("not hex: " + std::string(digits));
  return std::move(*parsed);
}

inline byte_string hex(const nlohmann::json& of, const char* key) {
  return hex(of.at(key).get<std::string>());
}

template <std::size_t N>
std::array<std::byte, N> array_of(const byte_string& from) {
  if (from.size() != N) throw std::invalid_argument("a vector of the wrong size");
  std::array<std::byte, N> out;
  std::copy(from.begin(), from.end(), out.begin());
  return out;
}

template <std::size_t N>
std::array<std::byte, N> array_of(const nlohmann::json& of, const char* key) {
  return array_of<N>(hex(of, key));
}

/// The message cut into pieces at the places given.
inline std::vector<wire::bytes> cut(wire::bytes whole, std::initializer_list<std::size_t> at) {
  std::vector<wire::bytes> out;
  std::size_t from = 0;
  for (const auto to : at) {
    out.push_back(whole.subspan(from, to - from));
    from = to;
  }
  out.push_back(whole.subspan(from));
  return out;
}

} // namespace vectors
