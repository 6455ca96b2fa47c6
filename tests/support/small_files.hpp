#pragma once

#include "tests/support/analysis.hpp"
#include "tests/support/nfs_messages.hpp"

namespace support {

/// `files` files are created and written, read back, and removed, one request at a time:
/// 5 round trips each, of 100 µs on the network and 200 µs in the server, and 50 µs of thinking.
inline std::vector<timed_frame> small_files(wire::u32 files, wire::u32 bytes_each = 10'240) {
  using namespace std::chrono_literals;
  tcp_talk talk(v4(198, 18, 1, 1, 741), v4(198, 18, 1, 2, 2049));
  talk.handshake(100us);
  wire::u32 xid = 0;
  const auto round_trip = [&](const record& call, const record& reply) {
    talk.wait(50us).to_server(call).wait(300us).to_client(reply);
  };
  const auto data = pattern(bytes_each);
  const auto name = [](wire::u32 n) { return "file" + std::to_string(n); };
  for (wire::u32 n = 0; n < files; ++n) {
    ++xid;
    round_trip(create_call(xid, 2, name(n)), create_reply(xid, 100 + n));
    ++xid;
    round_trip(write_call(xid, 100 + n, 0, data), write_reply(xid, bytes_each));
  }
  for (wire::u32 n = 0; n < files; ++n) {
    ++xid;
    round_trip(lookup_call(xid, 2, name(n)), lookup_reply(xid, 100 + n));
    ++xid;
    round_trip(read_call(xid, 100 + n, 0, bytes_each), read_reply(xid, data));
  }
  for (wire::u32 n = 0; n < files; ++n) {
    ++xid;
    round_trip(remove_call(xid, 2, name(n)), remove_reply(xid));
  }
  talk.close();
  return talk.frames;
}

} // namespace support
