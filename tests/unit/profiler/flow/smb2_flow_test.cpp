#include "tests/support/analysis.hpp"
#include "tests/support/smb2_messages.hpp"
#include "tests/support/talks.hpp"

#include <gtest/gtest.h>

namespace {

using namespace std::chrono_literals;
using support::analyse;
using support::close_request;
using support::close_response;
using support::create_request;
using support::create_response;
using support::pattern;
using support::read_request;
using support::read_response;
using support::related;
using support::smb2_error;
using support::smb2_frame;
using support::smb2_interim;
using support::smb2_part;
using support::smb2_request;
using support::smb2_response;
using support::smb_talk;
using support::tcp_talk;
using support::v4;
using wire::nanos;

const auto client = support::smb_client;

constexpr smb2::fileid file_one{11, 12};
constexpr smb2::fileid file_two{21, 22};

TEST(Smb2Flow, MatchesResponsesByMessageId) {
  auto talk = smb_talk();
  talk.to_server(smb2_frame(smb2_request<smb2::echo>(5, {}))).wait(10us);
  talk.to_server(smb2_frame(smb2_request<smb2::echo>(6, {}))).wait(300us);
  talk.to_client(smb2_frame(smb2_response<smb2::echo>(6, {}))).wait(50us);
  talk.to_client(smb2_frame(smb2_response<smb2::echo>(5, {})));

  const auto got = analyse(talk.frames);

  ASSERT_EQ(got.exchanges.size(), 2u);
  EXPECT_EQ(got.exchanges[0].id, 6u);
  EXPECT_EQ(got.exchanges[0].latency(), nanos{300us});
  EXPECT_EQ(got.exchanges[1].latency(), nanos{360us});
  EXPECT_EQ(got.exchanges[0].proto, wire::protocol::smb2);
  EXPECT_EQ(got.exchanges[0].request_bytes, 4u + 64 + 4);
}

TEST(Smb2Flow, MakesACompoundOneRoundTripOfSeveralCommands) {
  auto talk = smb_talk();
  talk.to_server(smb2_frame({create_request(1, "a.txt"),
                             related(read_request(2, smb2::fileid::of_previous(), 8192)),
                             related(close_request(3, smb2::fileid::of_previous()))}));
  talk.wait(500us);
  const auto data = pattern(8192);
  talk.to_client(
      smb2_frame({create_response(1, file_one), read_response(2, data), close_response(3)}));

  const auto got = analyse(talk.frames);

  ASSERT_EQ(got.exchanges.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(got.exchanges[i].part, i);
    EXPECT_EQ(got.exchanges[i].operations, 3u);
    EXPECT_EQ(got.exchanges[i].latency(), nanos{500us});
    EXPECT_EQ(got.exchanges[i].file, got.exchanges[0].file);
  }
  EXPECT_NE(got.exchanges[0].file, 0u);
  EXPECT_EQ(got.exchanges[1].data_bytes, 8192u);
  EXPECT_EQ(got.result.operations.round_trips(), 1u);
  EXPECT_EQ(got.result.files.round_trips().max().count(), 1);
  EXPECT_NEAR(got.result.wall.wall_seconds(), 500e-6, 1e-12);
}

TEST(Smb2Flow, SeesTheCommandsBehindTheDataOfACompoundInManySegments) {
  auto talk = smb_talk({.mss = 1000});
  talk.to_server(smb2_frame({create_request(1, "a.txt"),
                             related(read_request(2, smb2::fileid::of_previous(), 60'000)),
                             related(close_request(3, smb2::fileid::of_previous()))}));
  const auto data = pattern(60'000);
  talk.wait(1ms).to_client(
      smb2_frame({create_response(1, file_one), read_response(2, data), close_response(3)}));

  EXPECT_EQ(analyse(talk.frames).result.seen.timed, 3u);
}

TEST(Smb2Flow, KeepsARequestOpenWhileItIsPending) {
  auto talk = smb_talk();
  talk.to_server(smb2_frame(create_request(1, "a.txt"))).wait(1ms);
  talk.to_client(smb2_frame(smb2_interim(smb2::create::number, 1))).wait(35s);
  auto final_response = create_response(1, file_one);
  final_response.head.flags |= smb2::flags::async_command;
  final_response.head.async_id = 77;
  talk.to_client(smb2_frame(final_response));

  const auto got = analyse(talk.frames);

  ASSERT_EQ(got.exchanges.size(), 1u);
  EXPECT_TRUE(got.exchanges[0].interim);
  EXPECT_FALSE(got.exchanges[0].long_wait);
  EXPECT_EQ(got.exchanges[0].latency(), nanos{35s + 1ms});
  EXPECT_EQ(got.result.seen.interim_replies, 1u);
  const auto* row = got.result.operations.find({wire::protocol::smb2, smb2::create::number});
  ASSERT_NE(row, nullptr);
  EXPECT_EQ(row->waits, 1u);
  EXPECT_EQ(row->latency.count(), 0u);
}

TEST(Smb2Flow, LeavesChangeNotifyOutOfServiceTimesHoweverLongItTakes) {
  auto talk = smb_talk();
  talk.to_server(smb2_frame(smb2_request<smb2::change_notify>(1, {}))).wait(1ms);
  talk.to_client(smb2_frame(smb2_interim(smb2::change_notify::number, 1))).wait(10min);
  talk.to_server(smb2_frame(smb2_request<smb2::echo>(2, {}))).wait(1ms);
  talk.to_client(smb2_frame(smb2_response<smb2::echo>(2, {}))).wait(1ms);
  talk.to_client(smb2_frame(smb2_response<smb2::change_notify>(1, {}))).wait(1ms);
  talk.to_server(smb2_frame(smb2_request<smb2::change_notify>(3, {})));

  const auto got = analyse(talk.frames);

  EXPECT_EQ(got.result.seen.timed, 2u);
  EXPECT_EQ(got.result.seen.unanswered, 0u);
  EXPECT_EQ(got.result.seen.still_waiting, 1u);
  EXPECT_EQ(got.result.seen.share(), 1.0);
  EXPECT_NEAR(got.result.wall.wall_seconds(), 1e-3, 1e-9) << "only ECHO is work";
}

TEST(Smb2Flow, CallsALockThatWasPendingALongWait) {
  auto talk = smb_talk();
  smb2::lock::request lock;
  lock.file = file_one;
  lock.locks.push_back({0, 10, smb2::lock_element::exclusive});
  talk.to_server(smb2_frame(smb2_request<smb2::lock>(1, lock))).wait(1ms);
  talk.to_client(smb2_frame(smb2_interim(smb2::lock::number, 1))).wait(5s);
  talk.to_client(smb2_frame(smb2_response<smb2::lock>(1, {}))).wait(1ms);
  talk.to_server(smb2_frame(smb2_request<smb2::lock>(2, lock))).wait(1ms);
  talk.to_client(smb2_frame(smb2_response<smb2::lock>(2, {})));

  const auto got = analyse(talk.frames);

  ASSERT_EQ(got.exchanges.size(), 2u);
  EXPECT_TRUE(got.exchanges[0].long_wait);
  EXPECT_FALSE(got.exchanges[1].long_wait);
}

TEST(Smb2Flow, ExpectsNoAnswerToACancelAndNoRequestForABreak) {
  auto talk = smb_talk();
  talk.to_server(smb2_frame(smb2_request<smb2::change_notify>(1, {}))).wait(1ms);
  talk.to_client(smb2_frame(smb2_interim(smb2::change_notify::number, 1))).wait(1ms);
  auto cancel = smb2_request<smb2::cancel>(1, {});
  cancel.head.flags |= smb2::flags::async_command;
  cancel.head.async_id = 77;
  talk.to_server(smb2_frame(cancel)).wait(1ms);
  talk.to_client(smb2_frame(smb2_error(smb2::change_notify::number, 1, smb2::status::cancelled)));
  smb2::oplock_break::response notification;
  notification.file = file_one;
  talk.to_client(
      smb2_frame(smb2_response<smb2::oplock_break>(smb2::unsolicited_message_id, notification)));

  const auto seen = analyse(talk.frames).result.seen;

  EXPECT_EQ(seen.cancels, 1u);
  EXPECT_EQ(seen.breaks, 1u);
  EXPECT_EQ(seen.calls, 1u);
  EXPECT_EQ(seen.timed, 1u);
  EXPECT_EQ(seen.orphan_replies, 0u);
}

TEST(Smb2Flow, KnowsWhichStatusIsAFailure) {
  auto talk = smb_talk();
  talk.to_server(smb2_frame(smb2_request<smb2::session_setup>(1, {}))).wait(1ms);
  auto more = smb2_response<smb2::session_setup>(1, {});
  more.head.status = smb2::status::more_processing_required;
  talk.to_client(smb2_frame(more)).wait(1ms);
  talk.to_server(smb2_frame(create_request(2, "none"))).wait(1ms);
  talk.to_client(
      smb2_frame(smb2_error(smb2::create::number, 2, smb2::status::object_name_not_found)));

  const auto got = analyse(talk.frames);

  ASSERT_EQ(got.exchanges.size(), 2u);
  EXPECT_FALSE(got.exchanges[0].failed);
  EXPECT_TRUE(got.exchanges[1].failed);
  EXPECT_EQ(got.exchanges[1].status, smb2::status::object_name_not_found);
}

TEST(Smb2Flow, DoesNotTakeANameThatWasNotCapturedForTheRoot) {
  for (const std::size_t snap : {96, 130, 170}) {
    auto talk = smb_talk();
    for (const auto* name : {"some-file-in-the-root", "dir\\another-file"}) {
      const wire::u64 id = talk.frames.size();
      talk.to_server(smb2_frame(create_request(id, name))).wait(1ms);
      talk.to_client(smb2_frame(smb2_error(smb2::create::number, id, smb2::status::access_denied)))
          .wait(1ms);
    }

    const auto got = analyse(support::cut_to(talk.frames, snap));

    ASSERT_EQ(got.exchanges.size(), 2u) << snap;
    EXPECT_EQ(got.exchanges[0].file, 0u) << snap;
    EXPECT_EQ(got.exchanges[0].parent, 0u) << snap;
    EXPECT_EQ(got.exchanges[1].file, 0u) << snap;
  }
}

TEST(Smb2Flow, GivesAFileOneNumberOverSeveralOpens) {
  auto talk = smb_talk();
  const auto round_trip = [&](const smb2_part& request, const smb2_part& response) {
    talk.wait(100us).to_server(smb2_frame(request)).wait(100us).to_client(smb2_frame(response));
  };
  round_trip(create_request(0, "dir\\a"), create_response(0, file_one, true));
  round_trip(close_request(1, file_one), close_response(1));
  round_trip(create_request(2, "dir\\a"), create_response(2, file_two));
  const auto data = pattern(100);
  round_trip(read_request(3, file_two, 100), read_response(3, data));
  round_trip(close_request(4, file_two), close_response(4));
  round_trip(create_request(5, "dir\\a"), create_response(5, {31, 32}, true));

  const auto got = analyse(talk.frames);

  ASSERT_EQ(got.exchanges.size(), 6u);
  for (std::size_t i = 1; i < 5; ++i)
    EXPECT_EQ(got.exchanges[i].file, got.exchanges[0].file) << i;
  EXPECT_NE(got.exchanges[5].file, got.exchanges[0].file) << "created where one had been";
  EXPECT_NE(got.exchanges[0].parent, 0u);
  EXPECT_EQ(got.exchanges[0].parent, got.exchanges[2].parent);
  EXPECT_EQ(got.result.files.count(), 2u);
}

TEST(Smb2Flow, CountsWhatItCannotLookInto) {
  auto talk = smb_talk();
  const auto framed = [](std::string_view start) {
    std::vector<std::byte> out(4 + 100);
    out[3] = std::byte{100};
    for (std::size_t i = 0; i < start.size(); ++i)
      out[4 + i] = static_cast<std::byte>(start[i]);
    return out;
  };
  talk.to_server(framed("\xFD"
                        "SMB"))
      .wait(1ms)
      .to_client(framed("\xFD"
                        "SMB"))
      .wait(1ms);
  talk.to_server(framed("\xFC"
                        "SMB"))
      .wait(1ms);

  const auto r = analyse(talk.frames).result;

  EXPECT_EQ(r.seen.encrypted_messages, 2u);
  EXPECT_EQ(r.seen.encrypted_bytes, 208u);
  EXPECT_EQ(r.seen.compressed_messages, 1u);
  EXPECT_EQ(r.seen.malformed, 0u);
  EXPECT_TRUE(r.connections.at(0).encrypted);
}

TEST(Smb2Flow, TakesAnSmb1NegotiateForTheRequestOfAnSmb2Response) {
  auto talk = smb_talk();
  std::vector<std::byte> smb1(4 + 40);
  smb1[3] = std::byte{40};
  smb1[4] = std::byte{0xFF};
  smb1[5] = std::byte{'S'};
  smb1[6] = std::byte{'M'};
  smb1[7] = std::byte{'B'};
  smb1[8] = std::byte{0x72};
  talk.to_server(smb1).wait(2ms);
  smb2::negotiate::response response;
  response.revision = smb2::any_smb2;
  talk.to_client(smb2_frame(smb2_response<smb2::negotiate>(0, response))).wait(1ms);
  talk.to_server(smb2_frame(smb2_request<smb2::negotiate>(1, {}))).wait(1ms);
  response.revision = smb2::dialect::smb_3_0_2;
  response.max_read_size = 1u << 23;
  talk.to_client(smb2_frame(smb2_response<smb2::negotiate>(1, response)));

  const auto got = analyse(talk.frames);

  ASSERT_EQ(got.exchanges.size(), 2u);
  EXPECT_EQ(got.exchanges[0].latency(), nanos{2ms});
  EXPECT_EQ(got.result.seen.smb1_messages, 1u);
  EXPECT_EQ(got.result.seen.orphan_replies, 0u);
  EXPECT_EQ(got.result.connections.at(0).dialect, 0x0302);
  EXPECT_EQ(got.result.connections.at(0).max_read, 1u << 23);
}

TEST(Smb2Flow, CountsResponsesWithoutRequestAndThoseThatComeTwice) {
  auto talk = smb_talk();
  talk.to_client(smb2_frame(smb2_response<smb2::echo>(9, {}))).wait(1ms);
  talk.to_server(smb2_frame(smb2_request<smb2::echo>(10, {}))).wait(1ms);
  talk.to_client(smb2_frame(smb2_response<smb2::echo>(10, {}))).wait(1ms);
  talk.to_client(smb2_frame(smb2_response<smb2::echo>(10, {})));

  const auto seen = analyse(talk.frames).result.seen;

  EXPECT_EQ(seen.orphan_replies, 1u);
  EXPECT_EQ(seen.duplicate_replies, 1u);
  EXPECT_EQ(seen.timed, 1u);
}

TEST(Smb2Flow, TimesAResponseThatLacksASegmentAndFindsTheNextOne) {
  auto talk = smb_talk({.gap_between = 20us});
  const auto data = pattern(30'000);
  talk.to_server(smb2_frame(read_request(1, file_one, 30'000))).wait(1ms);
  const auto first = talk.frames.size();
  talk.to_client(smb2_frame(read_response(1, data)));
  const auto end = talk.now;
  talk.wait(1ms).to_server(smb2_frame(smb2_request<smb2::echo>(2, {}))).wait(1ms);
  talk.to_client(smb2_frame(smb2_response<smb2::echo>(2, {})));
  talk.frames.erase(talk.frames.begin() + static_cast<std::ptrdiff_t>(first) + 4);

  const auto got = analyse(talk.frames);

  EXPECT_EQ(got.result.seen.timed, 2u);
  EXPECT_EQ(got.result.seen.payload_gaps, 1u);
  EXPECT_EQ(got.exchanges.at(0).t.r1, end);
  EXPECT_EQ(got.exchanges.at(0).data_bytes, 30'000u);
}

TEST(Smb2Flow, FindsTheMessagesAgainBehindALostHeader) {
  auto talk = smb_talk();
  for (wire::u64 id = 1; id <= 6; ++id)
    talk.to_server(smb2_frame(read_request(id, file_one, 4000))).wait(10us);
  talk.wait(1ms);
  const auto data = pattern(4000);
  std::vector<std::size_t> starts;
  for (wire::u64 id = 1; id <= 6; ++id) {
    starts.push_back(talk.frames.size());
    talk.to_client(smb2_frame(read_response(id, data))).wait(10us);
  }
  talk.ack_by_client();
  talk.frames.erase(talk.frames.begin() + static_cast<std::ptrdiff_t>(starts[2]));

  const auto got = analyse(talk.frames);

  EXPECT_EQ(got.result.seen.timed, 5u);
  EXPECT_EQ(got.result.seen.by_elimination, 1u);
  EXPECT_EQ(got.result.seen.unanswered, 0u);
}

TEST(Smb2Flow, JoinsAConnectionInTheMiddleOfAMessage) {
  auto talk = smb_talk();
  const auto data = pattern(4000);
  talk.to_server(smb2_frame(read_request(1, file_one, 4000))).wait(1ms);
  talk.to_client(smb2_frame(read_response(1, data))).wait(1ms);
  for (wire::u64 id = 2; id <= 9; ++id)
    talk.to_server(smb2_frame(read_request(id, file_one, 4000)))
        .wait(1ms)
        .to_client(smb2_frame(read_response(id, data)))
        .wait(1ms);
  talk.frames.erase(talk.frames.begin(), talk.frames.begin() + 5);

  const auto seen = analyse(talk.frames).result.seen;

  EXPECT_EQ(seen.timed, 8u);
  EXPECT_EQ(seen.orphan_replies, 1u) << "the one in which it was joined";
}

TEST(Smb2Flow, ReadsMessagesBehindASessionRequestOfPort139) {
  tcp_talk talk(client, v4(198, 18, 1, 2, 139));
  talk.handshake();
  std::vector<std::byte> session_request(4 + 68);
  session_request[0] = std::byte{0x81};
  session_request[3] = std::byte{68};
  session_request[4] = session_request[4 + 34] = std::byte{32}; // lengths of the names
  talk.to_server(session_request).wait(1ms);
  talk.to_client(std::array{std::byte{0x82}, std::byte{0}, std::byte{0}, std::byte{0}}).wait(1ms);
  talk.to_server(smb2_frame(smb2_request<smb2::echo>(1, {}))).wait(1ms);
  talk.to_client(smb2_frame(smb2_response<smb2::echo>(1, {})));

  const auto seen = analyse(talk.frames).result.seen;

  EXPECT_EQ(seen.timed, 1u);
  EXPECT_EQ(seen.malformed, 0u);
}

} // namespace
