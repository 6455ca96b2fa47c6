#include "tests/unit/rpc/core_harness.hpp"

namespace {

using namespace rpc;
using namespace rpc::core_test;
using namespace std::chrono_literals;

TEST(ClientCore, SendsOneRecordPerCall) {
  harness h(numbered(0x11));
  ASSERT_TRUE(h.core.submit(request(1), 0ns));

  EXPECT_EQ(wire::to_hex(h.send_one()), "8000002c"         // last fragment, 44 bytes
                                        "00000011"         // xid
                                        "00000000"         // CALL
                                        "00000002"         // RPC version
                                        "000186a3"         // NFS
                                        "00000003"         // version
                                        "00000006"         // procedure
                                        "0000000000000000" // AUTH_NONE
                                        "0000000000000000" // verifier
                                        "cafe0001");
  EXPECT_TRUE(h.send_one().empty());
}

TEST(ClientCore, EncodesTheCredentialAsRecorded) {
  const auto golden = support::load_golden(support::golden_folder("rpc") / "call.auth_sys.hex");
  auth_sys who;
  who.uid = 1000;
  who.gid = 100;
  who.gids = {100, 27, 1001};
  who.machine_name = "client1";

  const auto encoded = encode_credential(who, 0x01020304);

  EXPECT_EQ(wire::to_hex(encoded), wire::to_hex(bytes(golden.data).subspan(24)));
}

TEST(ClientCore, SendsSixteenGroupsOfMany) {
  auth_sys who;
  who.gids.assign(40, 7);
  who.machine_name = std::string(300, 'x');

  const auto encoded = encode_credential(who, 1);
  const auto credential = decode_prefix<opaque_auth>(encoded);
  const auto parms = decode_exact<auth_sys_parms>(credential.message.body);

  ASSERT_TRUE(parms);
  EXPECT_EQ(parms->gids.size(), 16u);
  EXPECT_EQ(parms->machine_name.size(), 255u);
}

TEST(ClientCore, GivesTheReplyToItsCallWithAllTimes) {
  harness h(numbered(0x11));
  ASSERT_EQ(h.core.submit(request(1), 500us), 0x11u);
  h.send_one(1ms);

  h.receive(hex(reply_hex("00000011", "abcdef01")), 2ms);

  ASSERT_EQ(h.events.size(), 1u);
  const auto& e = h.events[0];
  EXPECT_EQ(user_of(e), 1);
  EXPECT_EQ(e.outcome, call_outcome::replied);
  EXPECT_EQ(h.results[0], "abcdef01");
  EXPECT_EQ(e.request_bytes, 48u);
  EXPECT_EQ(e.reply_bytes, 32u);
  EXPECT_EQ(e.times.submitted, 500us);
  EXPECT_EQ(e.times.granted, 1ms);
  EXPECT_EQ(e.times.q0, 1ms);
  EXPECT_EQ(e.times.q1, 1ms + 1us);
  EXPECT_EQ(e.times.r0, 2ms);
  EXPECT_EQ(e.times.r1, 2ms);
  EXPECT_EQ(h.core.calls_in_flight(), 0u);
  EXPECT_EQ(h.core.poll_timeout(), std::nullopt);
}

TEST(ClientCore, MatchesRepliesInAnyOrder) {
  harness h(numbered(0xfffffffe)); // the xid turns over
  for (int i = 1; i <= 3; ++i)
    ASSERT_TRUE(h.core.submit(request(i), 0ns));
  h.send_all();

  h.receive(hex(reply_hex("00000000", "00000003") + reply_hex("fffffffe", "00000001") +
                reply_hex("ffffffff", "00000002")));

  ASSERT_EQ(h.events.size(), 3u);
  EXPECT_EQ(user_of(h.events[0]), 3);
  EXPECT_EQ(user_of(h.events[1]), 1);
  EXPECT_EQ(user_of(h.events[2]), 2);
}

TEST(ClientCore, GivesTheSameEventsForAnySegmentation) {
  const auto stream = hex(reply_hex("00000011", "0000000a") +
                          "00000008"
                          "00000012"
                          "00000001" // three fragments, one of them empty
                          "00000000"
                          "80000014"
                          "00000000"
                          "0000000000000000"
                          "00000000"
                          "0000000b" +
                          reply_hex("00000013", "0000000c"));
  const std::vector<std::string> expected{"0000000a", "0000000b", "0000000c"};

  for (std::size_t first = 0; first <= stream.size(); ++first) {
    harness h(numbered(0x11));
    for (int i = 1; i <= 3; ++i)
      ASSERT_TRUE(h.core.submit(request(i), 0ns));
    h.send_all();
    const auto cut = stream.begin() + static_cast<std::ptrdiff_t>(first);
    h.receive(octets(stream.begin(), cut));
    h.receive(octets(cut, stream.end()));
    ASSERT_EQ(h.results, expected) << "cut at " << first;
  }
  for (std::size_t piece = 1; piece < 9; ++piece) {
    harness h(numbered(0x11));
    for (int i = 1; i <= 3; ++i)
      ASSERT_TRUE(h.core.submit(request(i), 0ns));
    h.send_all();
    for (std::size_t at = 0; at < stream.size(); at += piece) {
      const auto part = bytes(stream).subspan(at, std::min(piece, stream.size() - at));
      h.receive(octets(part.begin(), part.end()));
    }
    ASSERT_EQ(h.results, expected) << "pieces of " << piece;
  }
}

TEST(ClientCore, CutsLongRecordsIntoFragmentsAndBorrowsTheirPayload) {
  octets payload(100, std::byte{0xdd});
  const bytes view(payload);
  auto options = numbered(0x11);
  options.fragment_bytes_max = 64;
  harness h(options);
  auto r = request(1);
  r.args = &view;
  r.encode = encode_payload;
  ASSERT_TRUE(h.core.submit(r, 0ns));

  const auto t = h.core.poll_transmit(1ms);

  ASSERT_TRUE(t);
  bool borrowed = false;
  t->message->for_each_segment([&](bytes part) {
    borrowed |= part.data() >= payload.data() && part.data() < payload.data() + payload.size();
  });
  EXPECT_TRUE(borrowed);
  const auto sent = t->message->flatten();
  ASSERT_EQ(sent.size(), 140u + 3 * 4); // 40 bytes of header, 100 of payload, three marks
  EXPECT_EQ(wire::load_be<u32>(sent.data()), 64u);
  EXPECT_EQ(wire::load_be<u32>(sent.data() + 68), 64u);
  EXPECT_EQ(wire::load_be<u32>(sent.data() + 136), 0x80000000u | 12u);
  record_framer framer(1000);
  framer.feed(sent, {});
  const auto record = framer.next();
  ASSERT_TRUE(record);
  EXPECT_EQ(wire::to_hex(record->data.subspan(40)), wire::to_hex(payload));
}

} // namespace
