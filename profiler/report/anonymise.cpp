#include "profiler/report/anonymise.hpp"

#include "profiler/flow/path_table.hpp"
#include "wire/hex.hpp"

#include <algorithm>

namespace profiler::report {

namespace {

constexpr std::size_t name_hash_bytes = 6;

void replace_all(std::string& text, std::string_view what, std::string_view by) {
  for (auto at = text.find(what); at != text.npos; at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
}

/// Free text may hold anything: it goes. Names of hardware and programs tell nothing of users.
void anonymise_details(analysis::capture_details& d, anonymiser& by) {
  for (auto& i : d.interfaces) {
    if (!i.name.empty()) i.name = by.name(i.name);
    i.description.clear();
    i.filter.clear();
  }
  d.comment_texts.clear();
}

} // namespace

anonymiser::anonymiser(std::string_view key)
    : mac_(smb2::crypto::mac::hmac_sha256(wire::as_bytes(key))) {}

/// `kind` keeps equal bytes of different meaning apart.
anonymiser::digest anonymiser::hash(char kind, wire::bytes data) {
  const auto kind_byte = static_cast<std::byte>(kind);
  digest out;
  mac_.begin();
  mac_.update({&kind_byte, 1});
  mac_.update(data);
  mac_.finish(out);
  return out;
}

std::string anonymiser::name(std::string_view text) {
  const auto h = hash('n', wire::as_bytes(text));
  return "n-" + wire::to_hex(wire::bytes(h).first(name_hash_bytes));
}

std::string anonymiser::path(std::string_view text) {
  return flow::each_component(text, [this](std::string_view part) {
    // What stands for an unknown name is made from handles or names itself.
    return part.starts_with('<') ? "<" + name(part) + ">" : name(part);
  });
}

net::endpoint anonymiser::address(const net::endpoint& e) {
  const auto h = hash('a', std::as_bytes(std::span(e.address)));
  net::endpoint out{.port = e.port};
  out.address[0] = 0xfd;
  for (std::size_t i = 1; i < out.address.size(); ++i)
    out.address[i] = std::to_integer<wire::u8>(h[i]);
  return out;
}

wire::u64 anonymiser::number(wire::u64 n) {
  if (n == 0) return 0;
  const auto h = hash('i', std::as_bytes(std::span(&n, 1)));
  return wire::load_le<wire::u64>(h.data());
}

void anonymise(result& r, anonymiser& by) {
  for (auto& c : r.connections) {
    c.key.client = by.address(c.key.client);
    c.key.server = by.address(c.key.server);
  }
  anonymise_details(r.capture.details, by);
  for (auto& file : r.capture.files) {
    const auto hidden = by.path(file);
    for (auto& warning : r.warnings)
      replace_all(warning, file, hidden);
    file = hidden;
  }
  for (auto& s : r.slowest)
    s.path = by.path(s.path);
}

} // namespace profiler::report
