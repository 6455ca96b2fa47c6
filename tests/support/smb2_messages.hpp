#pragma once

#include "smb2/commands.hpp"
#include "smb2/header.hpp"
#include "smb2/ntstatus.hpp"
#include "wire/writer.hpp"

#include <vector>

/// SMB2 messages for tests of what reads them.
namespace support {

/// One command of a frame: its header fields and its body.
struct smb2_part {
  smb2::header head;
  std::vector<std::byte> body;
};

template <class Body>
smb2_part smb2_message(wire::u16 command, wire::u64 id, const Body& body) {
  wire::writer out;
  out.zeros(smb2::header_bytes);
  smb2::encode(body, out, 0);
  auto message = out.flatten();
  message.erase(message.begin(), message.begin() + smb2::header_bytes);
  smb2_part part;
  part.head.command = command;
  part.head.message_id = id;
  part.head.credits = 1;
  part.head.tree_id = 5;
  part.head.session_id = 7;
  part.body = std::move(message);
  return part;
}

template <class Command>
smb2_part smb2_request(wire::u64 id, const typename Command::request& body) {
  return smb2_message(Command::number, id, body);
}

template <class Command>
smb2_part smb2_response(wire::u64 id, const typename Command::response& body) {
  auto part = smb2_message(Command::number, id, body);
  part.head.flags = smb2::flags::server_to_redir;
  return part;
}

inline smb2_part smb2_error(wire::u16 command, wire::u64 id, wire::u32 status) {
  auto part = smb2_message(command, id, smb2::error_response{});
  part.head.flags = smb2::flags::server_to_redir;
  part.head.status = status;
  return part;
}

/// STATUS_PENDING for the request `id`.
inline smb2_part smb2_interim(wire::u16 command, wire::u64 id) {
  auto part = smb2_error(command, id, smb2::status::pending);
  part.head.flags |= smb2::flags::async_command;
  part.head.async_id = 77;
  return part;
}

/// A frame of the stream, prefix and all; several parts make a compound (MS-SMB2 3.2.4.1.4).
inline std::vector<std::byte> smb2_frame(std::vector<smb2_part> parts) {
  wire::writer out;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    auto& part = parts[i];
    const auto size = smb2::header_bytes + part.body.size();
    const bool last = i + 1 == parts.size();
    const auto step = last ? size : wire::align_up(size, 8);
    part.head.next_command = last ? 0 : static_cast<wire::u32>(step);
    smb2::encode_header(part.head, out);
    out.put(part.body);
    out.zeros(step - size);
  }
  wire::writer frame;
  frame.be(static_cast<wire::u32>(out.size()));
  frame.put(out.flatten());
  return frame.flatten();
}

inline std::vector<std::byte> smb2_frame(smb2_part part) {
  return smb2_frame(std::vector<smb2_part>{std::move(part)});
}

/// UTF-16LE of ASCII text.
inline std::vector<std::byte> utf16(std::string_view ascii) {
  std::vector<std::byte> out;
  for (const char c : ascii) {
    out.push_back(static_cast<std::byte>(c));
    out.push_back(std::byte{0});
  }
  return out;
}

inline smb2_part create_request(wire::u64 id, std::string_view path) {
  const auto name = utf16(path);
  smb2::create::request r;
  r.name = smb2::utf16_view(name);
  return smb2_request<smb2::create>(id, r);
}

inline smb2_part create_response(wire::u64 id, smb2::fileid file, bool created = false) {
  smb2::create::response r;
  r.file = file;
  r.create_action = created ? 2 : 1;
  r.file_attributes = smb2::attribute::normal;
  return smb2_response<smb2::create>(id, r);
}

inline smb2_part read_request(wire::u64 id, smb2::fileid file, wire::u32 length,
                              wire::u64 offset = 0) {
  smb2::read::request r;
  r.length = length;
  r.offset = offset;
  r.file = file;
  return smb2_request<smb2::read>(id, r);
}

inline smb2_part read_response(wire::u64 id, wire::bytes data) {
  smb2::read::response r;
  r.data = smb2::part(data);
  return smb2_response<smb2::read>(id, r);
}

inline smb2_part close_request(wire::u64 id, smb2::fileid file) {
  smb2::close::request r;
  r.file = file;
  return smb2_request<smb2::close>(id, r);
}

inline smb2_part close_response(wire::u64 id) {
  return smb2_response<smb2::close>(id, {});
}

/// Works on the file of the command before it in the compound.
inline smb2_part related(smb2_part part) {
  part.head.flags |= smb2::flags::related_operations;
  return part;
}

inline smb2_part write_request(wire::u64 id, smb2::fileid file, wire::bytes data,
                               wire::u64 offset = 0) {
  smb2::write::request r;
  r.offset = offset;
  r.file = file;
  r.data = smb2::part(data);
  return smb2_request<smb2::write>(id, r);
}

inline smb2_part write_response(wire::u64 id, wire::u32 count) {
  smb2::write::response r;
  r.count = count;
  return smb2_response<smb2::write>(id, r);
}

} // namespace support
