#include "nfs/url.hpp"

#include "nfs/mount/types.hpp"
#include "rpc/record_mark.hpp"
#include "wire/text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <span>
#include <utility>

namespace nfs {

namespace {

using namespace std::string_view_literals;
using wire::u32;

using failure = std::optional<std::string>; ///< nothing: all is well

constexpr u32 transfer_bytes_min = 512;

int hex_digit(char c) noexcept {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

/// Nothing when a '%' is not followed by two hex digits, or when there is a NUL in it.
std::optional<std::string> percent_decode(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\0') return std::nullopt;
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    if (text.size() - i < 3) return std::nullopt;
    const int high = hex_digit(text[i + 1]);
    const int low = hex_digit(text[i + 2]);
    if (high < 0 || low < 0 || (high == 0 && low == 0)) return std::nullopt;
    out += static_cast<char>(high << 4 | low);
    i += 2;
  }
  return out;
}

/// Of names, IPv4 and IPv6 addresses, and of the interface behind a link-local address.
bool may_be_in_host(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
         c == '-' || c == '_' || c == ':' || c == '%';
}

template <class T>
std::optional<T> number(std::string_view text) noexcept {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}

failure set_port(wire::u16& out, std::string_view what, std::string_view text) {
  const auto value = number<wire::u16>(text);
  if (!value || *value == 0) return fmt::format("{} is not a port: '{}' (1 to 65535)", what, text);
  out = *value;
  return std::nullopt;
}

failure set_id(std::optional<u32>& out, std::string_view what, std::string_view text) {
  out = number<u32>(text);
  if (!out) return fmt::format("{} is not a number: '{}'", what, text);
  return std::nullopt;
}

failure set_transport(rpc::transport& out, std::string_view text) {
  if (text != "tcp" && text != "udp")
    return fmt::format("transport='{}' is none of tcp, udp", text);
  out = text == "udp" ? rpc::transport::udp : rpc::transport::tcp;
  return std::nullopt;
}

failure set_security(security& out, std::string_view text) {
  const auto how = security_of(text);
  if (!how) return fmt::format("sec='{}' is none of sys, krb5, krb5i, krb5p", text);
  out = *how;
  return std::nullopt;
}

failure set_size(u32& out, std::string_view what, std::string_view text) {
  const auto size = wire::parse_size(text);
  if (!size) return fmt::format("{}: {}", what, size.error());
  if (*size < transfer_bytes_min || *size > rpc::data_bytes_max)
    return fmt::format("{}={} is out of range: {} to {}", what, text, transfer_bytes_min,
                       wire::text_of_bytes(rpc::data_bytes_max));
  out = static_cast<u32>(*size);
  return std::nullopt;
}

/// The first value is the one that works.
failure check_choice(std::string_view what, std::string_view text,
                     std::span<const std::string_view> values) {
  if (text == values.front()) return std::nullopt;
  if (std::ranges::find(values, text) == values.end())
    return fmt::format("{}='{}' is none of {}", what, text, fmt::join(values, ", "));
  return fmt::format("{}={} is not supported yet; {}={} is", what, text, what, values.front());
}

constexpr std::array transport_security{"none"sv, "tls"sv, "mtls"sv};
constexpr std::array connections{"1"sv, "2"sv, "4"sv, "8"sv, "16"sv};

failure set_version(url& out, std::string_view value) {
  if (value == "4.0") return "version=4.0 is not supported yet; version=3, 4.1 and 4.2 are";
  if (value != "3" && value != "4.1" && value != "4.2")
    return fmt::format("version='{}' is none of 3, 4.0, 4.1, 4.2", value);
  out.version = value == "3" ? 3 : 4;
  out.minor_version = value == "4.1" ? 1 : value == "4.2" ? 2 : 0;
  return std::nullopt;
}

failure set_option(url& out, std::string_view key, std::string_view value) {
  if (key == "version") return set_version(out, value);
  if (key == "transport") return set_transport(out.transport, value);
  if (key == "sec") return set_security(out.sec, value);
  if (key == "xprtsec") return check_choice(key, value, transport_security);
  if (key == "nconnect") return check_choice(key, value, connections);
  if (key == "rsize") return set_size(out.rsize, key, value);
  if (key == "wsize") return set_size(out.wsize, key, value);
  if (key == "uid") return set_id(out.uid, key, value);
  if (key == "gid") return set_id(out.gid, key, value);
  if (key == "mountport") return set_port(out.mount_port, key, value);
  return fmt::format("no such option: '{}' (there are version, transport, sec, xprtsec, rsize, "
                     "wsize, nconnect, uid, gid, mountport)",
                     key);
}

failure set_options(url& out, std::string_view query) {
  while (!query.empty()) {
    const auto end = std::min(query.find('&'), query.size());
    const auto option = query.substr(0, end);
    query.remove_prefix(std::min(end + 1, query.size()));
    const auto equals = option.find('=');
    if (equals == std::string_view::npos)
      return fmt::format("the option '{}' has no value", option);
    const auto value = percent_decode(option.substr(equals + 1));
    if (!value) return fmt::format("the option '{}' has a bad %-escape", option);
    if (auto wrong = set_option(out, option.substr(0, equals), *value)) return wrong;
  }
  return std::nullopt;
}

failure set_server(url& out, std::string_view authority) {
  if (authority.find('@') != std::string_view::npos)
    return "NFS takes no user before the server: say uid= and gid= behind '?'";
  std::string_view port;
  if (authority.starts_with('[')) {
    const auto end = authority.find(']');
    if (end == std::string_view::npos) return "the IPv6 address has no ']'";
    out.host = authority.substr(1, end - 1);
    port = authority.substr(end + 1);
    if (!port.empty() && !port.starts_with(':'))
      return fmt::format("'{}' behind the address is no port", port);
  } else {
    const auto colon = std::min(authority.find(':'), authority.size());
    out.host = authority.substr(0, colon);
    port = authority.substr(colon);
    if (port.find(':', 1) != std::string_view::npos)
      return "an IPv6 address stands in brackets: nfs://[fd00::1]/export";
  }
  if (out.host.empty()) return "there is no server in it";
  if (!std::ranges::all_of(out.host, may_be_in_host))
    return fmt::format("'{}' is no name or address of a server", out.host);
  if (port.empty()) return std::nullopt;
  return set_port(out.port, "the port", port.substr(1));
}

failure set_path(url& out, std::string_view text) {
  auto path = percent_decode(text);
  if (!path) return "the path has a bad %-escape";
  while (path->size() > 1 && path->back() == '/')
    path->pop_back();
  if (path->empty()) path = "/";
  if (path->size() > mount::path_bytes_max)
    return fmt::format("the path is longer than MOUNT takes ({} bytes)", mount::path_bytes_max);
  out.path = std::move(*path);
  return std::nullopt;
}

failure parse_into(url& out, std::string_view text) {
  constexpr auto scheme = "nfs://"sv;
  if (!text.starts_with(scheme)) return "it does not start with nfs://";
  text.remove_prefix(scheme.size());
  const auto query = std::min(text.find('?'), text.size());
  const auto options = text.substr(std::min(query + 1, text.size()));
  text = text.substr(0, query);
  const auto slash = std::min(text.find('/'), text.size());
  if (auto wrong = set_server(out, text.substr(0, slash))) return wrong;
  if (auto wrong = set_path(out, text.substr(slash))) return wrong;
  if (auto wrong = set_options(out, options)) return wrong;
  if (out.version == 4 && out.transport == rpc::transport::udp)
    return "NFSv4 goes over TCP alone: UDP has no congestion control (RFC 8881 section 2.9.1)";
  return std::nullopt;
}

std::string percent_encode(std::string_view text) {
  constexpr auto plain = "/-._~"sv;
  std::string out;
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (letter || plain.find(c) != std::string_view::npos)
      out += c;
    else
      out += fmt::format("%{:02X}", code);
  }
  return out;
}

} // namespace

std::expected<url, std::string> parse_url(std::string_view text) {
  url out;
  if (auto wrong = parse_into(out, text))
    return std::unexpected(fmt::format("bad NFS URL '{}': {}", text, *wrong));
  return out;
}

std::string to_string(const url& u) {
  const bool v6 = u.host.find(':') != std::string::npos;
  std::string out = v6 ? fmt::format("nfs://[{}]", u.host) : fmt::format("nfs://{}", u.host);
  if (u.port != 0) out += fmt::format(":{}", u.port);
  out += percent_encode(u.path);
  char separator = '?';
  if (u.version != 3)
    out +=
        fmt::format("{}version={}.{}", std::exchange(separator, '&'), u.version, u.minor_version);
  const auto add = [&](std::string_view key, auto value) {
    out += fmt::format("{}{}={}", std::exchange(separator, '&'), key, value);
  };
  if (u.mount_port != 0) add("mountport", u.mount_port);
  if (u.rsize != 0) add("rsize", u.rsize);
  if (u.wsize != 0) add("wsize", u.wsize);
  if (u.transport == rpc::transport::udp) add("transport", "udp");
  if (u.sec != security::sys) add("sec", to_string(u.sec));
  if (u.uid) add("uid", *u.uid);
  if (u.gid) add("gid", *u.gid);
  return out;
}

} // namespace nfs
