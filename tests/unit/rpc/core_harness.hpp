#pragma once

#include "rpc/client_core.hpp"
#include "tests/support/codec_checks.hpp"

/// What the tests of the client core have in common: one call to make, one reply to give, and what
/// a driver would do.
namespace rpc::core_test {

using octets = std::vector<std::byte>;

inline octets hex(std::string_view text) {
  auto data = wire::from_hex(text);
  EXPECT_TRUE(data) << text;
  return *data;
}

inline bool encode_word(const void* args, wire::writer& out) {
  out.be(*static_cast<const u32*>(args));
  return true;
}

inline bool encode_payload(const void* args, wire::writer& out) {
  out.borrow(*static_cast<const bytes*>(args));
  return true;
}

inline bool encode_fails(const void*, wire::writer&) {
  return false;
}

inline constexpr u32 word = 0xcafe0001;

inline call_request request(int user, nanos deadline = std::chrono::seconds(10)) {
  call_request out;
  out.program = 100003;
  out.version = 3;
  out.procedure = 6;
  out.args = &word;
  out.encode = encode_word;
  out.deadline = deadline;
  out.user = reinterpret_cast<void*>(static_cast<std::uintptr_t>(user)); // only handed back
  return out;
}

inline int user_of(const call_event& e) {
  return static_cast<int>(reinterpret_cast<std::uintptr_t>(e.user));
}

inline client_options numbered(u32 first_xid) {
  client_options out;
  out.first_xid = first_xid;
  return out;
}

/// A reply to `xid` whose result is one word, with its record mark.
inline std::string reply_hex(std::string_view xid, std::string_view result) {
  return std::string("8000001c") + std::string(xid) + "00000001" + "00000000" + "0000000000000000" +
         "00000000" + std::string(result);
}

/// What a driver does, and what it saw.
struct harness {
  explicit harness(client_options options) : core(std::move(options)) {}

  octets send_one(nanos now = std::chrono::milliseconds(1)) {
    const auto t = core.poll_transmit(now);
    if (!t) return {};
    auto flat = t->message->flatten();
    core.transmitted(t->id, now, now, now + std::chrono::microseconds(1));
    return flat;
  }

  void send_all() {
    while (!send_one().empty()) {
    }
  }

  void receive(const octets& data, nanos now = std::chrono::milliseconds(2)) {
    core.receive(data, now);
    collect();
  }

  void collect() {
    while (auto e = core.poll_event()) {
      results.push_back(wire::to_hex(e->results));
      events.push_back(*e);
    }
  }

  client_core core;
  std::vector<call_event> events;
  std::vector<std::string> results;
};

} // namespace rpc::core_test
