#pragma once

#include "nfs/v3/operations.hpp"
#include "rpc/message.hpp"
#include "wire/writer.hpp"

#include <cassert>
#include <vector>

/// RPC records for tests of what reads them.
namespace support {

using record = std::vector<std::byte>;

/// `message` as one record of `fragments` pieces. Source: RFC 5531 section 11.
inline record as_record(wire::bytes message, std::size_t fragments = 1) {
  wire::writer out;
  const auto piece = (message.size() + fragments - 1) / fragments;
  while (fragments-- > 0) {
    const auto n = std::min(piece, message.size());
    out.be(static_cast<wire::u32>(n) | (fragments == 0 ? 0x8000'0000u : 0u));
    out.put(message.first(n));
    message = message.subspan(n);
  }
  return out.flatten();
}

template <class Op>
record call_message(wire::u32 xid, const typename Op::args& args) {
  wire::writer out;
  rpc::call_header header;
  header.xid = xid;
  header.program = Op::program::number;
  header.version = Op::program::version;
  header.procedure = Op::procedure;
  const bool ok = rpc::encode(header, out) && rpc::encode(args, out);
  assert(ok);
  static_cast<void>(ok);
  return out.flatten();
}

template <class Op>
record reply_message(wire::u32 xid, const typename Op::reply& reply) {
  wire::writer out;
  rpc::reply_header header;
  header.xid = xid;
  const bool ok = rpc::encode(header, out) && rpc::encode(reply, out);
  assert(ok);
  static_cast<void>(ok);
  return out.flatten();
}

template <class Op>
record call(wire::u32 xid, const typename Op::args& args) {
  return as_record(call_message<Op>(xid, args));
}

template <class Op>
record reply(wire::u32 xid, const typename Op::reply& r) {
  return as_record(reply_message<Op>(xid, r));
}

/// A handle that differs from all with another number.
inline nfs::v3::file_handle handle(wire::u32 number) {
  std::array<std::byte, 32> data{};
  wire::store_be(data.data() + 4, number);
  data[0] = std::byte{0x01};
  return nfs::v3::file_handle(data);
}

inline record getattr_call(wire::u32 xid, wire::u32 file) {
  return call<nfs::v3::getattr>(xid, {.object = handle(file)});
}

inline record getattr_reply(wire::u32 xid) {
  return reply<nfs::v3::getattr>(xid, {});
}

inline record create_call(wire::u32 xid, wire::u32 dir, std::string_view name) {
  nfs::v3::create::args args;
  args.where = {.dir = handle(dir), .name = name};
  return call<nfs::v3::create>(xid, args);
}

inline record create_reply(wire::u32 xid, wire::u32 file) {
  nfs::v3::create_result result;
  result.obj = handle(file);
  return reply<nfs::v3::create>(xid, result);
}

inline record lookup_call(wire::u32 xid, wire::u32 dir, std::string_view name) {
  return call<nfs::v3::lookup>(xid, {.what = {.dir = handle(dir), .name = name}});
}

inline record lookup_reply(wire::u32 xid, wire::u32 file) {
  nfs::v3::lookup::reply result;
  result.object = handle(file);
  return reply<nfs::v3::lookup>(xid, result);
}

inline record lookup_missing(wire::u32 xid) {
  nfs::v3::lookup::reply result;
  result.status = nfs::nfsstat3::noent;
  return reply<nfs::v3::lookup>(xid, result);
}

inline record write_call(wire::u32 xid, wire::u32 file, wire::u64 offset, wire::bytes data) {
  return call<nfs::v3::write>(xid, {.file = handle(file),
                                    .offset = offset,
                                    .count = static_cast<wire::u32>(data.size()),
                                    .stable = nfs::v3::stable_how::file_sync,
                                    .data = data});
}

inline record write_reply(wire::u32 xid, wire::u32 count) {
  nfs::v3::write::reply result;
  result.count = count;
  result.committed = nfs::v3::stable_how::file_sync;
  return reply<nfs::v3::write>(xid, result);
}

inline record read_call(wire::u32 xid, wire::u32 file, wire::u64 offset, wire::u32 count) {
  return call<nfs::v3::read>(xid, {.file = handle(file), .offset = offset, .count = count});
}

inline record read_reply(wire::u32 xid, wire::bytes data) {
  nfs::v3::read::reply result;
  result.count = static_cast<wire::u32>(data.size());
  result.eof = true;
  result.data = data;
  return reply<nfs::v3::read>(xid, result);
}

inline record remove_call(wire::u32 xid, wire::u32 dir, std::string_view name) {
  return call<nfs::v3::remove>(xid, {.object = {.dir = handle(dir), .name = name}});
}

inline record remove_reply(wire::u32 xid) {
  return reply<nfs::v3::remove>(xid, {});
}

} // namespace support
