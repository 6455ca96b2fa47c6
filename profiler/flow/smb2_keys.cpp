#include "profiler/flow/smb2_keys.hpp"

#include "wire/hex.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fstream>
#include <sstream>

namespace profiler::flow {

namespace {

using wire::u64;
using byte_string = std::vector<std::byte>;

constexpr std::size_t fields_max = 4;
constexpr std::size_t session_id_bytes = 8;
constexpr std::size_t session_key_bytes_max = 64;
constexpr std::string_view blanks = " \t\r";

std::string_view trimmed(std::string_view text) {
  const auto begin = text.find_first_not_of(blanks);
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

/// `text` without the quotes around it; a quote without its partner stays, and is no hex digit.
std::string_view unquoted(std::string_view text) {
  text = trimmed(text);
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"')
    text = trimmed(text.substr(1, text.size() - 2));
  return text;
}

/// The fields of a line; nothing when there are more than a line can have.
std::expected<std::vector<std::string_view>, std::string> fields_of(std::string_view line) {
  std::vector<std::string_view> out;
  while (true) {
    const auto comma = line.find(',');
    out.push_back(unquoted(line.substr(0, comma)));
    if (comma == line.npos) return out;
    if (out.size() == fields_max)
      return std::unexpected("expected at most four fields: session id, session key, "
                             "server-to-client key, client-to-server key");
    line.remove_prefix(comma + 1);
  }
}

std::expected<u64, std::string> session_id_of(std::string_view field) {
  constexpr auto expected =
      "expected a session id of 16 hex digits in the order of its bytes, or a number that starts "
      "with 0x";
  const bool number = field.starts_with("0x") || field.starts_with("0X");
  if (number) field.remove_prefix(2);
  std::string digits(field);
  if (number && !digits.empty() && digits.size() < 2 * session_id_bytes)
    digits.insert(0, 2 * session_id_bytes - digits.size(), '0');
  const auto raw = wire::from_hex(digits);
  if (!raw || raw->size() != session_id_bytes) return std::unexpected(expected);
  return number ? wire::load_be<u64>(raw->data()) : wire::load_le<u64>(raw->data());
}

std::expected<byte_string, std::string> key_of(std::string_view field, std::string_view name,
                                               bool sealing) {
  const auto raw = wire::from_hex(field);
  if (!raw) return std::unexpected(fmt::format("expected the {} in hex digits", name));
  if (raw->empty()) return byte_string{};
  if (sealing && raw->size() != 16 && raw->size() != 32)
    return std::unexpected(
        fmt::format("expected a {} of 16 or 32 bytes, not of {}", name, raw->size()));
  if (raw->size() > session_key_bytes_max)
    return std::unexpected(fmt::format("expected a {} of at most {} bytes, not of {}", name,
                                       session_key_bytes_max, raw->size()));
  return *raw;
}

std::expected<std::pair<u64, smb2_session_key>, std::string> parse_line(std::string_view line) {
  const auto fields = fields_of(line);
  if (!fields) return std::unexpected(fields.error());
  const auto id = session_id_of(fields->front());
  if (!id) return std::unexpected(id.error());
  std::pair<u64, smb2_session_key> out{*id, {}};
  struct {
    std::string_view name;
    byte_string* to;
  } const keys[] = {{"session key", &out.second.session},
                    {"server-to-client key", &out.second.to_client},
                    {"client-to-server key", &out.second.to_server}};
  bool any = false;
  for (std::size_t i = 1; i < fields->size(); ++i) {
    auto key = key_of((*fields)[i], keys[i - 1].name, i > 1);
    if (!key) return std::unexpected(key.error());
    any |= !key->empty();
    *keys[i - 1].to = std::move(*key);
  }
  if (!any) return std::unexpected("expected a session key, or a key of one direction");
  return out;
}

} // namespace

std::expected<smb2_keys, std::string> smb2_keys::parse(std::string_view text,
                                                       const std::string& name) {
  smb2_keys out;
  std::size_t number = 0;
  while (!text.empty()) {
    ++number;
    const auto end = std::min(text.find('\n'), text.size());
    auto line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    line = trimmed(line.substr(0, line.find('#')));
    if (line.empty()) continue;
    auto parsed = parse_line(line);
    if (!parsed) return std::unexpected(fmt::format("{}:{}: {}", name, number, parsed.error()));
    out.lines_.insert(std::move(*parsed));
  }
  if (out.empty())
    return std::unexpected(name + ": expected at least one line: session id, session key");
  return out;
}

std::expected<smb2_keys, std::string> smb2_keys::load(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  if (!in || !(text << in.rdbuf())) return std::unexpected(path + ": cannot be read");
  return parse(text.str(), path);
}

} // namespace profiler::flow
