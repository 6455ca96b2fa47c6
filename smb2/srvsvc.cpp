#include "smb2/srvsvc.hpp"

#include "smb2/utf16.hpp"
#include "wire/reader.hpp"
#include "wire/writer.hpp"

namespace smb2::srvsvc {

namespace {

constexpr std::string_view title = "NetShareEnum response";
/// Any number but 0: a pointer that is there.
constexpr u32 referent = 0x0002'0000;
/// Ours: characters of a name or a remark, which have 80 and 256 at most.
constexpr u32 text_units_max = 4096;
constexpr u32 level = 1;

/// A conformant varying string with its 0 at the end.
void put_text(wire::writer& out, const utf16_string& text) {
  const auto units = static_cast<u32>(text.data.size() / 2 + 1);
  out.le(units);
  out.le(u32{0});
  out.le(units);
  out.put(text.data);
  out.le(u16{0});
  out.zeros(wire::align_up(out.size(), 4) - out.size());
}

bool take_text(wire::reader& in, std::string& out) {
  u32 most = 0;
  u32 offset = 0;
  u32 units = 0;
  bytes data;
  if (!in.le(most) || !in.le(offset) || !in.le(units)) return false;
  if (units > text_units_max || offset != 0) return in.fail(wire::errc::over_limit);
  if (!in.take(data, std::size_t{units} * 2)) return false;
  if (units > 0) data = data.first(data.size() - 2); // its 0
  out = utf16_view(data).text();
  // The last string of all may stand without its padding.
  return in.left() < 4 || in.skip(wire::align_up(in.position(), 4) - in.position());
}

struct pointers {
  u32 name = 0;
  u32 remark = 0;
};

/// SHARE_INFO_1 with pointers first, then what they point to.
bool take_shares(wire::reader& in, u32 count, std::vector<share>& out) {
  constexpr std::size_t fixed_bytes = 12;
  if (count > in.left() / fixed_bytes) return in.fail(wire::errc::truncated);
  std::vector<pointers> there(count);
  out.resize(count);
  for (u32 i = 0; i < count; ++i)
    if (!in.le(there[i].name) || !in.le(out[i].type) || !in.le(there[i].remark)) return false;
  for (u32 i = 0; i < count; ++i) {
    if (there[i].name != 0 && !take_text(in, out[i].name)) return false;
    if (there[i].remark != 0 && !take_text(in, out[i].remark)) return false;
  }
  return true;
}

bool take_container(wire::reader& in, std::vector<share>& out) {
  u32 said = 0;
  u32 array = 0;
  u32 count = 0;
  if (!in.le(said) || !in.le(array)) return false;
  if (array == 0) return true;
  if (!in.le(count)) return false;
  if (count != said) return in.fail(wire::errc::bad_value);
  return take_shares(in, count, out);
}

bool take_all(wire::reader& in, share_list& out) {
  u32 said_level = 0;
  u32 tag = 0;
  u32 container = 0;
  if (!in.le(said_level) || !in.le(tag) || !in.le(container)) return false;
  if (said_level != level || tag != level) return in.fail(wire::errc::bad_value);
  if (container != 0 && !take_container(in, out.shares)) return false;
  u32 resume = 0;
  if (!in.le(out.total) || !in.le(resume)) return false;
  if (resume != 0 && !in.skip(sizeof(u32))) return false;
  return in.le(out.status);
}

} // namespace

const dcerpc::syntax& interface() noexcept {
  static constexpr auto make = [] {
    constexpr std::array<u8, 16> raw{0xc8, 0x4f, 0x32, 0x4b, 0x70, 0x16, 0xd3, 0x01,
                                     0x12, 0x78, 0x5a, 0x47, 0xbf, 0x6e, 0xe1, 0x88};
    dcerpc::syntax out;
    for (std::size_t i = 0; i < raw.size(); ++i)
      out.uuid[i] = std::byte{raw[i]};
    out.version = 3;
    return out;
  };
  static constexpr dcerpc::syntax value = make();
  return value;
}

std::vector<std::byte> encode_share_enum(std::string_view server) {
  const auto name = to_utf16(server);
  wire::writer out;
  out.le(referent);
  put_text(out, name ? *name : utf16_string{});
  out.le(level);
  out.le(level); // the union's tag
  out.le(referent);
  out.le(u32{0});  // no entries
  out.le(u32{0});  // no array
  out.le(~u32{0}); // PreferedMaximumLength: as much as there is
  out.le(u32{0});  // no ResumeHandle
  return out.flatten();
}

std::expected<share_list, wire::decode_error> decode_share_enum(bytes stub) {
  wire::reader in(stub);
  share_list out;
  if (!take_all(in, out)) return std::unexpected(in.error(title));
  return out;
}

} // namespace smb2::srvsvc
