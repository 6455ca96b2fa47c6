#include "smb2/dcerpc.hpp"

#include "wire/reader.hpp"
#include "wire/writer.hpp"

namespace smb2::dcerpc {

namespace {

constexpr std::string_view title = "DCE/RPC packet";
/// Integers little-endian, characters ASCII, floats IEEE.
constexpr u32 data_representation = 0x10;
constexpr u8 version_major = 5;

std::unexpected<wire::decode_error> wrong(wire::errc code, std::size_t at) {
  return std::unexpected(wire::decode_error{code, static_cast<u32>(at), title});
}

void put_header(wire::writer& out, packet_type type, u32 call_id) {
  out.le(version_major);
  out.le(u8{0});
  out.le(static_cast<u8>(type));
  out.le(static_cast<u8>(header::first_fragment | header::last_fragment));
  out.le(data_representation);
  out.le(u16{0}); // the length, set in the end
  out.le(u16{0}); // no authentication
  out.le(call_id);
}

std::vector<std::byte> finish(wire::writer& out) {
  wire::store_le(out.patch(8, sizeof(u16)).data(), static_cast<u16>(out.size()));
  return out.flatten();
}

void put_syntax(wire::writer& out, const syntax& s) {
  out.put(s.uuid);
  out.le(s.version);
}

/// The fragment, once it is one of `type`.
std::expected<bytes, wire::decode_error> body_of(bytes packet, packet_type type) {
  const auto head = decode_header(packet);
  if (!head) return std::unexpected(head.error());
  if (head->type != type) return wrong(wire::errc::bad_value, 2);
  if (head->fragment_length > packet.size()) return wrong(wire::errc::truncated, packet.size());
  return packet.first(head->fragment_length).subspan(header::size);
}

} // namespace

const syntax& ndr() noexcept {
  static constexpr auto make = [] {
    constexpr std::array<u8, 16> raw{0x04, 0x5d, 0x88, 0x8a, 0xeb, 0x1c, 0xc9, 0x11,
                                     0x9f, 0xe8, 0x08, 0x00, 0x2b, 0x10, 0x48, 0x60};
    syntax out;
    for (std::size_t i = 0; i < raw.size(); ++i)
      out.uuid[i] = std::byte{raw[i]};
    out.version = 2;
    return out;
  };
  static constexpr syntax value = make();
  return value;
}

std::expected<header, wire::decode_error> decode_header(bytes packet) {
  if (packet.size() < header::size) return wrong(wire::errc::truncated, packet.size());
  const auto* p = packet.data();
  if (wire::load_le<u8>(p) != version_major || (wire::load_le<u8>(p + 4) & 0xF0) != 0x10)
    return wrong(wire::errc::bad_value, 0);
  header out;
  out.type = static_cast<packet_type>(wire::load_le<u8>(p + 2));
  out.flags = wire::load_le<u8>(p + 3);
  out.fragment_length = wire::load_le<u16>(p + 8);
  out.call_id = wire::load_le<u32>(p + 12);
  if (out.fragment_length < header::size) return wrong(wire::errc::bad_offset, 8);
  return out;
}

std::vector<std::byte> encode_bind(u32 call_id, const syntax& interface) {
  wire::writer out;
  put_header(out, packet_type::bind, call_id);
  out.le(fragment_bytes_max);
  out.le(fragment_bytes_max);
  out.le(u32{0}); // a new association
  out.le(u32{1}); // one context
  out.le(u16{0}); // its id
  out.le(u16{1}); // one transfer syntax
  put_syntax(out, interface);
  put_syntax(out, ndr());
  return finish(out);
}

std::expected<bind_ack, wire::decode_error> decode_bind_ack(bytes packet) {
  const auto body = body_of(packet, packet_type::bind_ack);
  if (!body) return std::unexpected(body.error());
  wire::reader in(*body);
  bind_ack out;
  u16 address = 0;
  u8 results = 0;
  bool good = in.le(out.max_transmit) && in.le(out.max_receive) && in.skip(4) && in.le(address) &&
              in.skip(address);
  good = good && in.skip(wire::align_up(in.position(), 4) - in.position()) && in.le(results) &&
         in.skip(3);
  if (good && results == 0) return wrong(wire::errc::bad_value, header::size + in.position());
  good = good && in.le(out.result) && in.le(out.reason);
  if (!good) return wrong(wire::errc::truncated, header::size + in.position());
  return out;
}

std::vector<std::byte> encode_request(u32 call_id, u16 operation, bytes stub) {
  wire::writer out;
  put_header(out, packet_type::request, call_id);
  out.le(static_cast<u32>(stub.size()));
  out.le(u16{0}); // the context of the bind
  out.le(operation);
  out.put(stub);
  return finish(out);
}

std::expected<response, wire::decode_error> decode_response(bytes packet) {
  const auto head = decode_header(packet);
  if (!head) return std::unexpected(head.error());
  const bool fault = head->type == packet_type::fault;
  const auto body = body_of(packet, fault ? packet_type::fault : packet_type::response);
  if (!body) return std::unexpected(body.error());
  constexpr std::size_t fixed_bytes = 8;
  if (body->size() < fixed_bytes + (fault ? sizeof(u32) : 0))
    return wrong(wire::errc::truncated, packet.size());
  response out;
  out.last = (head->flags & header::last_fragment) != 0;
  out.stub = body->subspan(fixed_bytes);
  if (fault) {
    constexpr u32 unspecified = 0x1C00'0009;
    out.fault = wire::load_le<u32>(out.stub.data());
    if (out.fault == 0) out.fault = unspecified;
    out.stub = {};
  }
  return out;
}

} // namespace smb2::dcerpc
