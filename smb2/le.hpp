#pragma once

#include "smb2/le_reader.hpp"
#include "smb2/le_writer.hpp"
#include "smb2/limits.hpp"

#include <expected>

/// The archives of SMB2: little-endian numbers, and variable parts that stand behind the fixed
/// fields and are named by (offset, length) pairs counted from the first byte of the SMB2 header.
/// A struct has one `static bool fields(auto& m, auto& ar)`. In wire order it says
///   ar.structure_size(n)      the StructureSize word
///   ar("a", m.a, "b", m.b)    numbers, enums, GUIDs, FILEIDs, byte arrays, with their names
///   ar.pad(n)                 reserved: written 0, read and not looked at
///   ar.offset16(slot), ar.length32(m.p, slot), ...    the pair of a variable part
///   ar.tail("p", m.p, slot, align)                    the part itself, all parts in wire order
///   ar.tail_to_end("p", m.p, slot, align)    a part without a length: the last one
///   ar.count16(m.v, slot), ar.list("v", m.v, slot, max)   a list of fixed-size elements
///   ar.run("p", m.p, slot)                            a part that stands right here
///   ar.at_least_one_byte()    requests: a byte when there is no variable part (odd StructureSize)
/// A slot ties an offset, a length and a part together; a struct has at most four.
namespace smb2 {

/// What could be read of a message, and what stopped the reading (`errc::ok`: nothing).
template <class T>
struct prefix {
  T message{};
  wire::decode_error error;

  [[nodiscard]] bool ok() const noexcept { return error.code == wire::errc::ok; }
};

/// The body of the message that starts with its SMB2 header. The fields come in wire order: when
/// the capture was cut, those before the cut are filled.
/// · lifetime: parts and names are views into `captured`.
template <class T>
[[nodiscard]] prefix<T> decode_prefix(bytes captured, u64 wire_length) {
  prefix<T> out;
  le_reader in(captured, wire_length, header_bytes);
  if (!T::fields(out.message, in)) out.error = in.error(T::title);
  return out;
}

/// As above, of a whole message. What stands behind the described bytes is not looked at: senders
/// may pad, and do (MS-SMB2 3.3.4.1.3).
template <class T>
[[nodiscard]] std::expected<T, wire::decode_error> decode(bytes message) {
  auto out = decode_prefix<T>(message, message.size());
  if (!out.ok()) return std::unexpected(out.error);
  return std::move(out.message);
}

/// A structure that has no SMB2 header before it: context data, file information.
template <class T>
[[nodiscard]] prefix<T> decode_buffer_prefix(bytes buffer) {
  prefix<T> out;
  le_reader in(buffer);
  if (!T::fields(out.message, in)) out.error = in.error(T::title);
  return out;
}

template <class T>
[[nodiscard]] std::expected<T, wire::decode_error> decode_buffer(bytes buffer) {
  auto out = decode_buffer_prefix<T>(buffer);
  if (!out.ok()) return std::unexpected(out.error);
  return std::move(out.message);
}

/// Structures of one size that stand behind each other to the end of the buffer.
/// Errors: those of T, at its place in the buffer; over_limit beyond `max` of them.
template <class T>
[[nodiscard]] std::expected<std::vector<T>, wire::decode_error> decode_array(bytes buffer,
                                                                             std::size_t max) {
  std::vector<T> out;
  le_reader in(buffer);
  while (in.cursor().left() > 0) {
    if (out.size() == max) {
      in.fail(wire::errc::over_limit);
      return std::unexpected(in.error(T::title));
    }
    T one{};
    if (!T::fields(one, in)) return std::unexpected(in.error(T::title));
    out.push_back(std::move(one));
  }
  return out;
}

/// Appends the body; `base` is where its SMB2 header starts in `out`.
template <class T>
void encode(const T& body, wire::writer& out, std::size_t base) {
  le_writer to(out, base);
  T::fields(body, to);
}

template <class T>
[[nodiscard]] std::vector<std::byte> encode_buffer(const T& value) {
  wire::writer out;
  encode(value, out, 0);
  return out.flatten();
}

template <class T>
[[nodiscard]] std::vector<std::byte> encode_array(const std::vector<T>& values) {
  wire::writer out;
  for (const auto& value : values)
    encode(value, out, out.size());
  return out.flatten();
}

} // namespace smb2
