#include "smb2/info/security.hpp"

#include <fmt/format.h>

namespace smb2 {

namespace {

constexpr std::string_view title = "security descriptor";
/// AceCount has 16 bits, AclSize too: an ACE takes at least this.
constexpr std::size_t ace_header_bytes = 4;
constexpr u8 acl_revision = 2;

struct descriptor_header {
  static constexpr std::string_view title = "security descriptor";
  static constexpr std::size_t size = 20;

  u8 revision = 1;
  u16 control = 0;
  u32 owner = 0;
  u32 group = 0;
  u32 sacl = 0;
  u32 dacl = 0;

  static bool fields(auto& m, auto& ar) {
    return ar("revision", m.revision) && ar.pad(1) &&
           ar("control", m.control, "owner", m.owner, "group", m.group, "sacl", m.sacl, "dacl",
              m.dacl);
  }
};

struct acl_header {
  static constexpr std::string_view title = "access list";
  static constexpr std::size_t size = 8;

  u8 revision = acl_revision;
  u16 acl_size = size;
  u16 count = 0;

  static bool fields(auto& m, auto& ar) {
    return ar("revision", m.revision) && ar.pad(1) &&
           ar("acl_size", m.acl_size, "count", m.count) && ar.pad(2);
  }
};

struct mask_and_sid {
  static constexpr std::string_view title = "access list entry";

  u32 mask = 0;
  sid who;

  static bool fields(auto& m, auto& ar) { return ar("mask", m.mask, "who", m.who); }
};

wire::decode_error wrong(wire::errc code, std::size_t at) {
  return {code, static_cast<u32>(at), title};
}

/// Allowed, denied, audit and alarm entries have a mask and a SID and nothing else.
bool is_plain(u8 type) {
  return type <= 3;
}

std::expected<access_entry, wire::decode_error> decode_entry(bytes ace) {
  access_entry out;
  out.type = wire::load_le<u8>(ace.data());
  out.flags = wire::load_le<u8>(ace.data() + 1);
  const auto rest = ace.subspan(ace_header_bytes);
  if (!is_plain(out.type)) {
    out.other = rest;
    return out;
  }
  auto plain = decode_buffer<mask_and_sid>(rest);
  if (!plain) return std::unexpected(plain.error());
  out.mask = plain->mask;
  out.who = std::move(plain->who);
  return out;
}

/// The list that starts `buffer`, no longer than it says.
std::expected<bytes, wire::decode_error> whole_acl(bytes buffer) {
  const auto head = decode_buffer<acl_header>(buffer);
  if (!head) return std::unexpected(head.error());
  if (head->acl_size < acl_header::size) return std::unexpected(wrong(wire::errc::bad_value, 2));
  if (head->acl_size > buffer.size()) return std::unexpected(wrong(wire::errc::truncated, 2));
  return buffer.first(head->acl_size);
}

std::expected<std::vector<access_entry>, wire::decode_error> decode_acl(bytes buffer) {
  const auto acl = whole_acl(buffer);
  if (!acl) return std::unexpected(acl.error());
  const auto count = wire::load_le<u16>(acl->data() + 4);
  auto rest = acl->subspan(acl_header::size);
  std::vector<access_entry> out;
  for (u16 i = 0; i < count; ++i) {
    if (rest.size() < ace_header_bytes) return std::unexpected(wrong(wire::errc::truncated, 0));
    const auto size = wire::load_le<u16>(rest.data() + 2);
    if (size < ace_header_bytes || size > rest.size())
      return std::unexpected(wrong(wire::errc::bad_offset, 0));
    auto entry = decode_entry(rest.first(size));
    if (!entry) return std::unexpected(entry.error());
    out.push_back(std::move(*entry));
    rest = rest.subspan(size);
  }
  return out;
}

std::vector<std::byte> encode_acl(const std::vector<access_entry>& entries) {
  wire::writer out;
  out.zeros(acl_header::size);
  for (const auto& entry : entries) {
    const auto body = is_plain(entry.type)
                          ? encode_buffer(mask_and_sid{entry.mask, entry.who})
                          : std::vector<std::byte>(entry.other.begin(), entry.other.end());
    out.le(entry.type);
    out.le(entry.flags);
    out.le(static_cast<u16>(ace_header_bytes + body.size()));
    out.put(body);
  }
  acl_header head;
  head.acl_size = static_cast<u16>(out.size());
  head.count = static_cast<u16>(entries.size());
  const auto first = encode_buffer(head);
  std::ranges::copy(first, out.patch(0, first.size()).begin());
  return out.flatten();
}

/// The part at `offset`; nothing at all for 0.
std::expected<bytes, wire::decode_error> part_at(bytes buffer, u32 offset) {
  if (offset < descriptor_header::size || offset > buffer.size())
    return std::unexpected(wrong(wire::errc::bad_offset, 0));
  return buffer.subspan(offset);
}

std::expected<std::optional<sid>, wire::decode_error> sid_at(bytes buffer, u32 offset) {
  if (offset == 0) return std::optional<sid>{};
  const auto part = part_at(buffer, offset);
  if (!part) return std::unexpected(part.error());
  auto out = decode_buffer<sid>(*part);
  if (!out) return std::unexpected(out.error());
  return std::optional<sid>(std::move(*out));
}

} // namespace

std::string text_of(const sid& id) {
  u64 authority = 0;
  for (const auto b : id.authority)
    authority = authority << 8 | std::to_integer<u64>(b);
  auto out = fmt::format("S-{}-{}", id.revision, authority);
  for (const auto sub : id.sub_authorities)
    out += fmt::format("-{}", sub);
  return out;
}

std::expected<security_descriptor, wire::decode_error> decode_security_descriptor(bytes buffer) {
  const auto head = decode_buffer<descriptor_header>(buffer);
  if (!head) return std::unexpected(head.error());
  if (head->revision != 1) return std::unexpected(wrong(wire::errc::bad_value, 0));
  security_descriptor out;
  out.control = head->control;
  auto owner = sid_at(buffer, head->owner);
  if (!owner) return std::unexpected(owner.error());
  out.owner = std::move(*owner);
  auto group = sid_at(buffer, head->group);
  if (!group) return std::unexpected(group.error());
  out.group = std::move(*group);
  if (head->dacl != 0) {
    const auto part = part_at(buffer, head->dacl);
    if (!part) return std::unexpected(part.error());
    auto dacl = decode_acl(*part);
    if (!dacl) return std::unexpected(dacl.error());
    out.dacl = std::move(*dacl);
  }
  if (head->sacl != 0) {
    const auto part = part_at(buffer, head->sacl);
    if (!part) return std::unexpected(part.error());
    const auto sacl = whole_acl(*part);
    if (!sacl) return std::unexpected(sacl.error());
    out.sacl = *sacl;
  }
  return out;
}

std::vector<std::byte> encode_security_descriptor(const security_descriptor& descriptor) {
  descriptor_header head;
  head.control = descriptor.control | security_descriptor::self_relative;
  wire::writer out;
  out.zeros(descriptor_header::size);
  const auto add = [&](bytes part) {
    const auto here = static_cast<u32>(out.size());
    out.put(part);
    return here;
  };
  if (descriptor.owner) head.owner = add(encode_buffer(*descriptor.owner));
  if (descriptor.group) head.group = add(encode_buffer(*descriptor.group));
  if (!descriptor.sacl.empty()) {
    head.control |= security_descriptor::sacl_present;
    head.sacl = add(descriptor.sacl);
  }
  if (descriptor.dacl) {
    head.control |= security_descriptor::dacl_present;
    head.dacl = add(encode_acl(*descriptor.dacl));
  }
  const auto first = encode_buffer(head);
  std::ranges::copy(first, out.patch(0, first.size()).begin());
  return out.flatten();
}

} // namespace smb2
