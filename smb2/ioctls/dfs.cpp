#include "smb2/ioctls/dfs.hpp"

namespace smb2 {

namespace {

constexpr std::string_view title = "DFS referral";

/// The string at `offset`, up to its 0.
bool text_at(bytes buffer, std::size_t offset, utf16_view& out) {
  if (offset > buffer.size()) return false;
  const auto rest = buffer.subspan(offset);
  for (std::size_t n = 0; rest.size() - n >= 2; n += 2) {
    if (wire::load_le<u16>(rest.data() + n) != 0) continue;
    out = utf16_view(rest.first(n));
    return true;
  }
  return false;
}

void put_text(wire::writer& out, const utf16_view& text) {
  out.put(text.data);
  out.le(u16{0});
}

/// What every version starts with.
struct referral_start {
  static constexpr std::string_view title = "DFS referral";

  u16 version = 0;
  u16 size = 0;
  u16 server_type = 0;
  u16 entry_flags = 0;

  static bool fields(auto& m, auto& ar) {
    return ar("version", m.version, "size", m.size, "server_type", m.server_type, "entry_flags",
              m.entry_flags);
  }
};

struct referral_v2 {
  static constexpr std::string_view title = "DFS referral";

  referral_start start;
  u32 proximity = 0;
  u32 time_to_live = 0;
  u16 path = 0;
  u16 alternate_path = 0;
  u16 network_address = 0;

  static bool fields(auto& m, auto& ar) {
    return ar("start", m.start, "proximity", m.proximity, "time_to_live", m.time_to_live, "path",
              m.path, "alternate_path", m.alternate_path, "network_address", m.network_address);
  }
};

/// Versions 3 and 4; of a name list the three offsets are that of the special name, the number of
/// names, and the offset of the first.
struct referral_v3 {
  static constexpr std::string_view title = "DFS referral";
  static constexpr u16 bytes_without_guid = 18;

  referral_start start;
  u32 time_to_live = 0;
  std::array<u16, 3> offsets{};

  static bool fields(auto& m, auto& ar) {
    return ar("start", m.start, "time_to_live", m.time_to_live, "first", m.offsets[0], "second",
              m.offsets[1], "third", m.offsets[2]);
  }
};

std::unexpected<wire::decode_error> wrong(wire::errc code, std::size_t at) {
  return std::unexpected(wire::decode_error{code, static_cast<u32>(at), title});
}

/// `names` more strings behind each other; `left` of all responses' names are still allowed.
wire::errc take_names(bytes entry, std::size_t offset, u16 names, std::size_t& left,
                      dfs_referral& out) {
  if (names > left) return wire::errc::over_limit;
  left -= names;
  for (u16 i = 0; i < names; ++i) {
    utf16_view name;
    if (!text_at(entry, offset, name)) return wire::errc::bad_offset;
    out.expanded_names.push_back(name);
    offset += name.data.size() + 2;
  }
  return wire::errc::ok;
}

wire::errc take_v2(bytes entry, dfs_referral& out) {
  const auto fixed = decode_buffer<referral_v2>(entry);
  if (!fixed) return fixed.error().code;
  out.proximity = fixed->proximity;
  out.time_to_live = fixed->time_to_live;
  const bool good = text_at(entry, fixed->path, out.dfs_path) &&
                    text_at(entry, fixed->alternate_path, out.dfs_alternate_path) &&
                    text_at(entry, fixed->network_address, out.network_address);
  return good ? wire::errc::ok : wire::errc::bad_offset;
}

wire::errc take_v3(bytes entry, std::size_t& names_left, dfs_referral& out) {
  const auto fixed = decode_buffer<referral_v3>(entry);
  if (!fixed) return fixed.error().code;
  out.time_to_live = fixed->time_to_live;
  const auto [first, second, third] = fixed->offsets;
  if (out.is_name_list()) {
    if (!text_at(entry, first, out.special_name)) return wire::errc::bad_offset;
    return take_names(entry, third, second, names_left, out);
  }
  // Servers leave the GUID out, or write zeros (MS-DFSC 2.2.5.3.1).
  constexpr std::size_t with_guid = referral_v3::bytes_without_guid + sizeof(guid);
  if (fixed->start.size >= with_guid) {
    if (entry.size() < with_guid) return wire::errc::truncated;
    std::ranges::copy(entry.subspan(referral_v3::bytes_without_guid, sizeof(guid)),
                      out.service_site.begin());
  }
  const bool good = text_at(entry, first, out.dfs_path) &&
                    text_at(entry, second, out.dfs_alternate_path) &&
                    text_at(entry, third, out.network_address);
  return good ? wire::errc::ok : wire::errc::bad_offset;
}

wire::errc take_referral(bytes entry, const referral_start& start, std::size_t& names_left,
                         dfs_referral& out) {
  out.version = start.version;
  out.server_type = start.server_type;
  out.entry_flags = start.entry_flags;
  constexpr std::size_t start_bytes = 8;
  switch (start.version) {
  case 1:
    return text_at(entry, start_bytes, out.network_address) ? wire::errc::ok
                                                            : wire::errc::bad_value;
  case 2:
    return take_v2(entry, out);
  case 3:
  case 4:
    return take_v3(entry, names_left, out);
  default:
    return wire::errc::bad_value;
  }
}

u16 fixed_bytes(const dfs_referral& r) {
  if (r.version == 1) return static_cast<u16>(8 + r.network_address.data.size() + 2);
  if (r.version == 2) return 22;
  return referral_v3::bytes_without_guid + sizeof(guid);
}

/// The strings of a referral go behind all fixed parts; `text` is how far from its start they are.
struct text_place {
  std::size_t at = 0;

  u16 add(const utf16_view& text) {
    const auto here = at;
    at += text.data.size() + 2;
    return static_cast<u16>(here);
  }
};

void put_fixed(wire::writer& out, const dfs_referral& r, text_place& place) {
  const referral_start start{r.version, fixed_bytes(r), r.server_type, r.entry_flags};
  if (r.version == 1) {
    encode(start, out, out.size());
    put_text(out, r.network_address);
  } else if (r.version == 2) {
    referral_v2 fixed{start, r.proximity, r.time_to_live, 0, 0, 0};
    fixed.path = place.add(r.dfs_path);
    fixed.alternate_path = place.add(r.dfs_alternate_path);
    fixed.network_address = place.add(r.network_address);
    encode(fixed, out, out.size());
  } else {
    referral_v3 fixed{start, r.time_to_live, {}};
    if (r.is_name_list()) {
      fixed.offsets[0] = place.add(r.special_name);
      fixed.offsets[1] = static_cast<u16>(r.expanded_names.size());
      fixed.offsets[2] = static_cast<u16>(place.at);
      for (const auto& name : r.expanded_names)
        place.add(name);
    } else {
      fixed.offsets = {place.add(r.dfs_path), place.add(r.dfs_alternate_path),
                       place.add(r.network_address)};
    }
    encode(fixed, out, out.size());
    out.put(r.service_site);
  }
}

void put_strings(wire::writer& out, const dfs_referral& r) {
  if (r.version == 1) return;
  if (r.is_name_list()) {
    put_text(out, r.special_name);
    for (const auto& name : r.expanded_names)
      put_text(out, name);
    return;
  }
  put_text(out, r.dfs_path);
  put_text(out, r.dfs_alternate_path);
  put_text(out, r.network_address);
}

} // namespace

std::expected<dfs_referral_request, wire::decode_error> decode_dfs_request(bytes input) {
  if (input.size() < 2) return wrong(wire::errc::truncated, input.size());
  dfs_referral_request out;
  out.max_referral_level = wire::load_le<u16>(input.data());
  if (!text_at(input, 2, out.file_name)) return wrong(wire::errc::truncated, 2);
  return out;
}

std::vector<std::byte> encode_dfs_request(const dfs_referral_request& request) {
  wire::writer out;
  out.le(request.max_referral_level);
  put_text(out, request.file_name);
  return out.flatten();
}

std::expected<dfs_referral_response, wire::decode_error> decode_dfs_referrals(bytes output) {
  constexpr std::size_t response_bytes = 8;
  if (output.size() < response_bytes) return wrong(wire::errc::truncated, output.size());
  dfs_referral_response out;
  out.path_consumed = wire::load_le<u16>(output.data());
  const auto count = wire::load_le<u16>(output.data() + 2);
  out.header_flags = wire::load_le<u32>(output.data() + 4);
  if (count > dfs_referrals_max) return wrong(wire::errc::over_limit, 2);
  std::size_t names_left = dfs_referrals_max;
  std::size_t at = response_bytes;
  for (u16 i = 0; i < count; ++i) {
    const auto entry = output.subspan(at);
    const auto start = decode_buffer<referral_start>(entry);
    if (!start) return wrong(start.error().code, at);
    dfs_referral one;
    const auto code = take_referral(entry, *start, names_left, one);
    if (code != wire::errc::ok) return wrong(code, at);
    out.referrals.push_back(std::move(one));
    constexpr u16 smallest = 8;
    if (start->size < smallest || start->size > entry.size())
      return wrong(wire::errc::bad_offset, at);
    at += start->size;
  }
  return out;
}

std::vector<std::byte> encode_dfs_referrals(const dfs_referral_response& response) {
  wire::writer out;
  out.le(response.path_consumed);
  out.le(static_cast<u16>(response.referrals.size()));
  out.le(response.header_flags);
  text_place place;
  for (const auto& r : response.referrals)
    place.at += fixed_bytes(r);
  for (const auto& r : response.referrals) {
    put_fixed(out, r, place);
    place.at -= fixed_bytes(r);
  }
  for (const auto& r : response.referrals)
    put_strings(out, r);
  return out.flatten();
}

} // namespace smb2
