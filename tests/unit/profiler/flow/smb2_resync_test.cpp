#include "profiler/flow/smb2_resync.hpp"
#include "tests/support/analysis.hpp"
#include "tests/support/smb2_sealed.hpp"

#include <gtest/gtest.h>
#include <map>

namespace {

using namespace std::chrono_literals;
using profiler::flow::read_start;
using profiler::net::direction;
using support::analyse;
using support::byte_vector;
using support::pattern;
using support::smb2_frame;
using support::smb2_part;
using support::smb2_request;
using support::smb2_response;
using support::tcp_talk;
using support::timed_frame;
using support::v4;

const auto client = v4(198, 18, 1, 1, 50'123);
const auto server = v4(198, 18, 1, 2, 445);
constexpr smb2::fileid file_one{11, 12};
constexpr std::size_t data_bytes = 9000;

smb2_part of_session(smb2_part part, wire::u64 session) {
  part.head.session_id = session;
  return part;
}

smb2_part read_request(wire::u64 id) {
  smb2::read::request r;
  r.length = data_bytes;
  r.file = file_one;
  return smb2_request<smb2::read>(id, r);
}

smb2_part read_response(wire::u64 id, wire::bytes data) {
  smb2::read::response r;
  r.data = smb2::part(data);
  return smb2_response<smb2::read>(id, r);
}

smb2_part write_request(wire::u64 id, wire::bytes data) {
  smb2::write::request r;
  r.file = file_one;
  r.data = smb2::part(data);
  return smb2_request<smb2::write>(id, r);
}

smb2_part write_response(wire::u64 id) {
  smb2::write::response r;
  r.count = data_bytes;
  return smb2_response<smb2::write>(id, r);
}

/// File data that hold whole messages: of before, of now, of other sessions, one behind the other.
byte_vector treacherous(wire::u64 id) {
  auto out = pattern(data_bytes, id);
  const auto small = pattern(40);
  const std::vector<byte_vector> messages{
      smb2_frame(read_response(id - 1, small)),
      smb2_frame(of_session(read_response(id, small), 99)),
      smb2_frame(smb2_response<smb2::echo>(id, {})),
      smb2_frame(read_request(id - 1)),
      smb2_frame(of_session(read_request(id + 1), 99)),
      smb2_frame(read_response(id, small)), // only what stands behind it tells
      smb2_frame(read_request(id + 5)),
      support::sealed_noise(60, 99)};
  std::size_t at = 300;
  for (const auto& m : messages) {
    std::copy(m.begin(), m.end(), out.begin() + static_cast<std::ptrdiff_t>(at));
    at += 1000;
  }
  // And a stream of another connection, as in a capture without headers.
  at = 8300;
  for (wire::u64 i = 1; i <= 4; ++i) {
    const auto m = smb2_frame(of_session(smb2_request<smb2::echo>(i, {}), 99));
    std::copy(m.begin(), m.end(), out.begin() + static_cast<std::ptrdiff_t>(at));
    at += m.size();
  }
  return out;
}

std::vector<timed_frame> treacherous_talk() {
  tcp_talk talk(client, server, {.gap_between = 5us});
  talk.handshake();
  for (wire::u64 id = 10; id < 22; id += 2) {
    talk.to_server(smb2_frame(read_request(id))).wait(1ms);
    talk.to_client(smb2_frame(read_response(id, treacherous(id)))).wait(20us).ack_by_client();
    talk.wait(1ms).to_server(smb2_frame(write_request(id + 1, treacherous(id + 1))));
    talk.wait(20us).ack_by_server().wait(1ms);
    talk.to_client(smb2_frame(write_response(id + 1))).wait(1ms).ack_by_client();
  }
  return talk.frames;
}

/// Whatever is timed is timed as it is without the hole, and nothing is made up.
void expect_nothing_made_up(const support::analysed& whole, const support::analysed& damaged) {
  std::map<wire::u64, const wire::exchange*> by_id;
  for (const auto& e : whole.exchanges)
    by_id[e.id] = &e;
  for (const auto& e : damaged.exchanges) {
    const auto found = by_id.find(e.id);
    ASSERT_NE(found, by_id.end()) << "made up: MessageId " << e.id;
    const auto& truth = *found->second;
    EXPECT_EQ(e.operation, truth.operation);
    if (!e.replied || !e.timed() || e.bounded()) continue;
    EXPECT_EQ(e.t.r0, truth.t.r0) << e.id;
    EXPECT_EQ(e.t.r1, truth.t.r1) << e.id;
    EXPECT_EQ(e.t.q1, truth.t.q1) << e.id;
  }
  EXPECT_LE(damaged.result.seen.calls, whole.result.seen.calls);
  EXPECT_EQ(damaged.result.seen.encrypted_messages, 0u);
}

TEST(Smb2Resync, IsNotTakenInByMessagesInFileDataWhereverAHoleIs) {
  const auto frames = treacherous_talk();
  const auto whole = analyse(frames);
  ASSERT_EQ(whole.result.seen.timed, 12u);
  ASSERT_EQ(whole.result.seen.lost_steps, 0u);

  for (std::size_t lost = 1; lost <= 4; ++lost)
    for (std::size_t k = 3; k + lost <= frames.size(); ++k) {
      SCOPED_TRACE(testing::Message() << lost << " segments from " << k);
      auto damaged = frames;
      const auto from = damaged.begin() + static_cast<std::ptrdiff_t>(k);
      damaged.erase(from, from + static_cast<std::ptrdiff_t>(lost));
      const auto got = analyse(damaged);
      expect_nothing_made_up(whole, got);
      EXPECT_GE(got.result.seen.timed + got.result.seen.bounded + 4, 12u) << "found again";
    }
}

TEST(Smb2Resync, StartsAnywhereAndMakesNothingUp) {
  const auto frames = treacherous_talk();
  const auto whole = analyse(frames);
  for (std::size_t k = 1; k < frames.size(); ++k) {
    SCOPED_TRACE(k);
    const std::vector<timed_frame> rest(frames.begin() + static_cast<std::ptrdiff_t>(k),
                                        frames.end());
    const auto got = analyse(rest);
    EXPECT_LE(got.result.seen.calls, whole.result.seen.calls + 1);
  }
}

TEST(Smb2Resync, FindsSealedMessagesAgain) {
  tcp_talk talk(client, server);
  talk.handshake();
  for (int i = 0; i < 6; ++i) {
    talk.to_server(support::sealed_noise(113)).wait(1ms);
    talk.to_client(support::sealed_noise(4000)).wait(1ms).ack_by_client();
  }
  for (std::size_t k = 3; k < talk.frames.size(); ++k) {
    SCOPED_TRACE(k);
    auto damaged = talk.frames;
    damaged.erase(damaged.begin() + static_cast<std::ptrdiff_t>(k));
    const auto seen = analyse(damaged).result.seen;
    EXPECT_GE(seen.encrypted_messages, 10u);
    EXPECT_GE(seen.timed, 4u);
    EXPECT_LE(seen.timed + seen.encrypted_unpaired, 6u);
  }
}

TEST(Smb2Resync, GivesUpRefusingWhenEverythingIsUnknown) {
  // The requests of a session whose set-up fell into the hole.
  tcp_talk talk(client, server);
  talk.handshake();
  const auto echo = [&](wire::u64 id, wire::u64 session) {
    talk.to_server(smb2_frame(of_session(smb2_request<smb2::echo>(id, {}), session))).wait(1ms);
    talk.to_client(smb2_frame(of_session(smb2_response<smb2::echo>(id, {}), session))).wait(1ms);
    talk.ack_by_client().ack_by_server();
  };
  for (wire::u64 id = 1; id < 5; ++id)
    echo(id, 7);
  const auto hole = talk.frames.size();
  echo(5, 7);
  for (wire::u64 id = 6; id < 200; ++id)
    echo(id, 8);
  talk.frames.erase(talk.frames.begin() + static_cast<std::ptrdiff_t>(hole),
                    talk.frames.begin() + static_cast<std::ptrdiff_t>(hole) + 2);
  EXPECT_GT(analyse(talk.frames).result.seen.timed, 100u);
}

TEST(Smb2Resync, ReadsNoMoreThanThereIsAndRefusesEveryImpossibleField) {
  const auto good = smb2_frame(read_request(10));
  ASSERT_TRUE(read_start(direction::to_server, good));
  EXPECT_FALSE(read_start(direction::to_client, good)) << "a request";
  for (std::size_t n = 0; n < good.size(); ++n) {
    const byte_vector exact(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(n));
    const auto start = read_start(direction::to_server, exact);
    EXPECT_EQ(start.has_value(), n >= 36) << n;
    if (start) {
      EXPECT_FALSE(start->ends_here);
    }
  }
  const auto refused_with = [&](std::size_t at, unsigned char value) {
    auto bad = good;
    bad[at] = std::byte{value};
    return !read_start(direction::to_server, bad);
  };
  EXPECT_TRUE(refused_with(0, 0x81)) << "no session message";
  EXPECT_TRUE(refused_with(3, 65)) << "no room for a body, and no frame behind it";
  EXPECT_TRUE(refused_with(8, 65)) << "StructureSize";
  EXPECT_TRUE(refused_with(16, 0x14)) << "Command";
  EXPECT_TRUE(refused_with(17, 1)) << "Command";
  EXPECT_TRUE(refused_with(20, 0x01)) << "a response";
  EXPECT_TRUE(refused_with(21, 0x80)) << "Flags";
  EXPECT_TRUE(refused_with(24, 4)) << "NextCommand, no multiple of 8";
  EXPECT_TRUE(refused_with(24, 64)) << "NextCommand, no header there";
  EXPECT_TRUE(refused_with(25, 8)) << "NextCommand behind the end";
}

TEST(Smb2Resync, TellsSealedFramesByTheirLength) {
  const auto good = support::sealed_noise(100);
  ASSERT_TRUE(read_start(direction::to_client, good));
  EXPECT_EQ(read_start(direction::to_client, good)->session_id, 7u);
  for (const std::size_t at : {std::size_t{4 + 36}, std::size_t{4 + 40}, std::size_t{4 + 42}}) {
    auto bad = good;
    bad[at] ^= std::byte{2};
    EXPECT_FALSE(read_start(direction::to_client, bad)) << at;
  }
}

} // namespace
