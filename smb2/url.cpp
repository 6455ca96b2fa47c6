#include "smb2/url.hpp"

#include "smb2/policy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>

namespace smb2 {

namespace {

using failure = std::optional<std::string>;

int hex_digit(char c) noexcept {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

/// %41 → A; nothing when a % stands before something else, or hides a NUL.
std::optional<std::string> decode_percent(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out.push_back(text[i]);
      continue;
    }
    if (text.size() - i < 3) return std::nullopt;
    const int high = hex_digit(text[i + 1]);
    const int low = hex_digit(text[i + 2]);
    if (high < 0 || low < 0 || (high == 0 && low == 0)) return std::nullopt;
    out.push_back(static_cast<char>(high << 4 | low));
    i += 2;
  }
  return out;
}

/// What stands before the first `mark`; `text` keeps what is behind it, or all when there is none.
std::optional<std::string_view> take_before(std::string_view& text, char mark) {
  const auto at = text.find(mark);
  if (at == std::string_view::npos) return std::nullopt;
  const auto out = text.substr(0, at);
  text.remove_prefix(at + 1);
  return out;
}

failure set_user(url& out, std::string_view text) {
  if (text.find(':') != std::string_view::npos)
    return "a password does not belong into a URL, which others can see: use WIRETRIP_PASSWORD, "
           "--credentials or the prompt";
  const auto domain = take_before(text, ';');
  auto name = decode_percent(text);
  auto of = decode_percent(domain.value_or(""));
  if (!name || name->empty() || !of)
    return fmt::format("'{}' is not a user name; [domain;]user is wanted", text);
  out.user = std::move(*name);
  out.domain = std::move(*of);
  return std::nullopt;
}

failure set_port(url& out, std::string_view text) {
  unsigned port = 0;
  const auto* end = text.data() + text.size();
  const auto [at, code] = std::from_chars(text.data(), end, port);
  if (code != std::errc{} || at != end || port == 0 || port > 65'535)
    return fmt::format("'{}' is not a port; 1 to 65535 is wanted", text);
  out.port = static_cast<u16>(port);
  return std::nullopt;
}

failure set_host(url& out, std::string_view text) {
  std::string_view host = text;
  if (text.starts_with('[')) {
    const auto end = text.find(']');
    if (end == std::string_view::npos) return fmt::format("'{}' lacks the ]", text);
    host = text.substr(1, end - 1);
    text.remove_prefix(end + 1);
  } else {
    host = text.substr(0, text.find(':'));
    text.remove_prefix(host.size());
  }
  if (host.empty()) return std::string("the server is missing; smb://user@server/share is wanted");
  const auto allowed = [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return std::isalnum(byte) != 0 || byte >= 0x80 || std::string_view(".-_:").find(c) < 4;
  };
  if (!std::ranges::all_of(host, allowed))
    return fmt::format("'{}' is not a server; its name or address is wanted", host);
  out.host = host;
  if (text.empty()) return std::nullopt;
  if (text.front() != ':') return fmt::format("'{}' behind the server makes no sense", text);
  return set_port(out, text.substr(1));
}

failure set_path(url& out, std::string_view text) {
  auto all = decode_percent(text);
  if (!all) return fmt::format("'{}' is not a path: a % without two hex digits", text);
  const auto end = all->find('/');
  out.share = all->substr(0, end);
  if (end != std::string::npos) out.path = all->substr(end + 1);
  if (out.share.empty())
    return std::string("the share is missing; smb://user@server/share is wanted");
  return std::nullopt;
}

std::optional<dialect> dialect_named(std::string_view text) {
  for (const auto one : {dialect::smb_2_0_2, dialect::smb_2_1, dialect::smb_3_0, dialect::smb_3_0_2,
                         dialect::smb_3_1_1})
    if (text == to_string(one)) return one;
  return std::nullopt;
}

failure set_dialect(url& out, std::string_view value) {
  out.dialect.reset();
  out.dialects.clear();
  for (auto rest = value; !rest.empty();) {
    auto one = take_before(rest, ',');
    if (!one) one = std::exchange(rest, {});
    const auto known = dialect_named(*one);
    if (!known || value.ends_with(',')) {
      out.dialects.clear();
      break;
    }
    out.dialects.push_back(*known);
  }
  if (out.dialects.empty())
    return fmt::format("dialect={}: 2.0.2, 2.1, 3.0, 3.0.2 or 3.1.1 is wanted, or several of them "
                       "with commas between",
                       value);
  if (out.dialects.size() == 1) {
    out.dialect = out.dialects.front();
    out.dialects.clear();
  }
  return std::nullopt;
}

failure set_sign(url& out, std::string_view value) {
  out.signing_algorithms.clear();
  out.sign = signing_policy::automatic;
  if (value == "auto") return std::nullopt;
  if (value == "off") {
    out.sign = signing_policy::off;
    return std::nullopt;
  }
  out.sign = signing_policy::required;
  if (value == "required") return std::nullopt;
  for (const auto one :
       {signing_algorithm::hmac_sha256, signing_algorithm::aes_cmac, signing_algorithm::aes_gmac}) {
    if (value != to_string(one)) continue;
    out.signing_algorithms.push_back(one);
    return std::nullopt;
  }
  return fmt::format("sign={}: auto, required, off, hmac-sha256, aes-cmac or aes-gmac is wanted",
                     value);
}

failure set_seal(url& out, std::string_view value) {
  out.ciphers.clear();
  out.seal = sealing_policy::automatic;
  if (value == "auto") return std::nullopt;
  if (value == "off") {
    out.seal = sealing_policy::off;
    return std::nullopt;
  }
  out.seal = sealing_policy::required;
  if (value == "required") return std::nullopt;
  for (const auto one :
       {cipher::aes_128_ccm, cipher::aes_128_gcm, cipher::aes_256_ccm, cipher::aes_256_gcm}) {
    if (value != to_string(one)) continue;
    out.ciphers.push_back(one);
    return std::nullopt;
  }
  return fmt::format("seal={}: auto, required, off, aes-128-ccm, aes-128-gcm, aes-256-ccm or "
                     "aes-256-gcm is wanted",
                     value);
}

failure set_compress(url& out, std::string_view value) {
  out.compression.clear();
  if (value == "off") return std::nullopt;
  for (const auto one : compression_algorithms())
    if (value == "auto" || (value == to_string(one) && one != compression_algorithm::pattern_v1))
      out.compression.push_back(one);
  if (!out.compression.empty()) return std::nullopt;
  return fmt::format("compress={}: off, auto, lznt1, lz77, lz77-huffman or lz4 is wanted", value);
}

failure set_sec(url& out, std::string_view value) {
  constexpr std::pair<std::string_view, login> known[] = {{"ntlm", login::ntlm},
                                                          {"ntlmv2", login::ntlm},
                                                          {"krb5", login::kerberos},
                                                          {"guest", login::guest},
                                                          {"anonymous", login::anonymous}};
  for (const auto& [name, sec] : known) {
    if (value != name) continue;
    out.sec = sec;
    return std::nullopt;
  }
  return fmt::format("sec={}: ntlm, krb5, guest or anonymous is wanted", value);
}

failure set_option(url& out, std::string_view key, std::string_view value) {
  if (key == "dialect") return set_dialect(out, value);
  if (key == "sign") return set_sign(out, value);
  if (key == "seal") return set_seal(out, value);
  if (key == "compress") return set_compress(out, value);
  if (key == "sec") return set_sec(out, value);
  if (key == "channels") {
    if (value == "1") return std::nullopt;
    return fmt::format("channels={}: only 1 is supported yet", value);
  }
  return fmt::format("'{}' is no option; dialect, sign, seal, compress, sec and channels are", key);
}

failure set_options(url& out, std::string_view text) {
  while (!text.empty()) {
    auto one = take_before(text, '&');
    if (!one) one = std::exchange(text, {});
    const auto key = take_before(*one, '=');
    if (!key) return fmt::format("'{}' is no option; key=value is wanted", *one);
    if (auto wrong = set_option(out, *key, *one)) return wrong;
  }
  // Below 3.1.1 nothing is chosen: the dialect says it.
  if (!out.signing_algorithms.empty() && !out.dialect && out.dialects.empty())
    out.dialect = dialect::smb_3_1_1;
  auto wrong = contradiction_in(options_of(out, {}));
  if (!wrong.empty()) return wrong;
  return std::nullopt;
}

/// "smb://user:secret@s/x" → "smb://user:...@s/x": errors end up in logs.
std::string without_password(std::string_view text) {
  const auto server = text.find("//");
  const auto at = text.find('@');
  if (server == std::string_view::npos || at == std::string_view::npos) return std::string(text);
  const auto colon = text.find(':', server);
  if (colon > at) return std::string(text);
  return fmt::format("{}...{}", text.substr(0, colon + 1), text.substr(at));
}

failure parse_into(url& out, std::string_view rest) {
  constexpr std::string_view scheme = "smb://";
  if (!rest.starts_with(scheme)) return std::string("smb:// is wanted in front");
  rest.remove_prefix(scheme.size());
  std::string_view options;
  if (const auto at = rest.find('?'); at != std::string_view::npos) {
    options = rest.substr(at + 1);
    rest = rest.substr(0, at);
  }
  const auto slash = rest.find('/');
  const auto path = slash == std::string_view::npos ? std::string_view{} : rest.substr(slash + 1);
  auto server = rest.substr(0, slash);
  if (const auto user = take_before(server, '@'))
    if (auto wrong = set_user(out, *user)) return wrong;
  if (auto wrong = set_host(out, server)) return wrong;
  if (auto wrong = set_path(out, path)) return wrong;
  return set_options(out, options);
}

} // namespace

std::expected<url, std::string> parse_url(std::string_view text) {
  url out;
  if (const auto wrong = parse_into(out, text))
    return std::unexpected(fmt::format("{}: {}", without_password(text), *wrong));
  return out;
}

bool needs_password(const url& of) noexcept {
  return of.sec == login::ntlm;
}

session_options options_of(const url& from, std::string password) {
  session_options out;
  out.where.host = from.host;
  out.where.port = from.port;
  out.who.user = from.user;
  out.who.domain = from.domain;
  out.who.password = std::move(password);
  out.dialect = from.dialect;
  out.dialects = from.dialects;
  out.sec = from.sec;
  out.seal = from.seal;
  out.ciphers = from.ciphers;
  out.compression = from.compression;
  out.sign = from.sign;
  out.signing_algorithms = from.signing_algorithms;
  return out;
}

} // namespace smb2
