#include "profiler/flow/smb1_commands.hpp"
#include "smb2/direct_tcp.hpp"
#include "tests/support/analysis.hpp"
#include "tests/support/smb2_compressor.hpp"
#include "tests/support/smb2_sealed.hpp"
#include "tests/support/talks.hpp"

#include <gtest/gtest.h>

/// What stands between the requests and responses of SMB2, or beside them.
namespace {

using namespace std::chrono_literals;
using support::analyse;
using support::byte_vector;
using support::framed;
using support::smb2_error;
using support::smb2_frame;
using support::smb2_interim;
using support::smb2_part;
using support::smb2_request;
using support::smb2_response;
using support::tcp_talk;
using support::v4;
using wire::nanos;

tcp_talk a_talk(wire::u16 port = 445) {
  auto server = support::smb_server;
  server.port = port;
  return support::open_talk(support::smb_client, server);
}

byte_vector smb1(wire::u8 command, bool response) {
  byte_vector message(35);
  wire::store_be(message.data(), wire::u32{0xFF53'4D42});
  message[4] = std::byte{command};
  message[9] = response ? std::byte{0x98} : std::byte{0x18};
  return framed(message);
}

void echo(tcp_talk& talk, wire::u64 id) {
  talk.to_server(smb2_frame(smb2_request<smb2::echo>(id, {}))).wait(1ms);
  talk.to_client(smb2_frame(smb2_response<smb2::echo>(id, {}))).wait(1ms);
}

smb2_part async(smb2_part part, wire::u64 async_id) {
  part.head.flags |= smb2::flags::async_command;
  part.head.async_id = async_id;
  return part;
}

TEST(SmbOthers, NamesTheCommandsOfSmb1AndTimesNone) {
  auto talk = a_talk();
  for (const wire::u8 command : std::array<wire::u8, 6>{0x72, 0x73, 0x32, 0x32, 0xa2, 0x0e})
    talk.to_server(smb1(command, false)).wait(1ms).to_client(smb1(command, true)).wait(1ms);

  const auto got = analyse(talk.frames);
  EXPECT_TRUE(got.exchanges.empty());
  EXPECT_EQ(got.result.seen.smb1_messages, 12u);
  EXPECT_EQ(got.result.smb.smb1[0x32].requests, 2u);
  EXPECT_EQ(got.result.smb.smb1[0x32].responses, 2u);
  const auto rows = profiler::flow::smb1_rows(got.result.smb);
  ASSERT_EQ(rows.size(), 5u);
  EXPECT_EQ(profiler::flow::smb1_command_name(rows[0].command), "TRANSACTION2");
  EXPECT_EQ(profiler::flow::smb1_command_name(0xa2), "NT_CREATE_ANDX");
  EXPECT_EQ(profiler::flow::smb1_command_name(0x0e), "COMMAND 0x0e");
}

TEST(SmbOthers, FollowsTheSessionServiceOfPort139) {
  byte_vector names(4 + 68);
  names[0] = std::byte{0x81};
  names[3] = std::byte{68};
  names[4] = names[4 + 34] = std::byte{32};
  const auto packet = [](unsigned char type, byte_vector data) {
    byte_vector out{std::byte{type}, {}, {}, static_cast<std::byte>(data.size())};
    out.insert(out.end(), data.begin(), data.end());
    return out;
  };
  std::vector<support::timed_frame> frames;
  const auto connection = [&](const byte_vector& answer, bool goes_on) {
    auto talk = a_talk(139);
    talk.to_server(names).wait(1ms).to_client(answer).wait(1ms);
    if (goes_on) {
      echo(talk, 1);
      talk.to_server(packet(0x85, {})).wait(1ms).to_client(packet(0x85, {})).wait(1ms);
      echo(talk, 2);
    }
    const auto seen = analyse(talk.frames);
    EXPECT_EQ(seen.result.seen.malformed, 0u);
    EXPECT_EQ(seen.result.seen.timed, goes_on ? 2u : 0u);
    return seen.result.smb;
  };
  const auto accepted = connection(packet(0x82, {}), true);
  EXPECT_EQ(accepted.netbios_requests, 1u);
  EXPECT_EQ(accepted.netbios_accepted, 1u);
  EXPECT_EQ(accepted.keep_alives, 2u);
  EXPECT_EQ(connection(packet(0x83, {std::byte{0x82}}), false).netbios_refused, 1u);
  EXPECT_EQ(connection(packet(0x84, byte_vector(6, std::byte{1})), false).netbios_retargeted, 1u);
}

TEST(SmbOthers, TakesLengthsOf17BitsWithNetbiosTypesAndOf24Without) {
  EXPECT_TRUE(smb2::direct_tcp::parse(0x8501'FFFF).valid);
  EXPECT_FALSE(smb2::direct_tcp::parse(0x8502'0000).valid);
  EXPECT_EQ(smb2::direct_tcp::parse(0x00FF'FFFF).length, 0xFF'FFFFu);
  EXPECT_FALSE(smb2::direct_tcp::parse(0x8600'0000).valid);
}

TEST(SmbOthers, LosesStepAtAWrongPrefixAndFindsItAgain) {
  auto talk = a_talk();
  echo(talk, 1);
  talk.to_server(byte_vector(100, std::byte{0x77})).wait(1ms);
  talk.to_client(byte_vector(1400, std::byte{0x77})).wait(1ms);
  for (wire::u64 id = 2; id < 6; ++id)
    echo(talk, id);
  const auto seen = analyse(talk.frames).result.seen;
  EXPECT_EQ(seen.timed, 5u);
  EXPECT_EQ(seen.lost_steps, 2u);
  EXPECT_GT(seen.dropped_bytes, 0u);
}

TEST(SmbOthers, CountsCompressionByAlgorithm) {
  auto talk = a_talk();
  for (const wire::u16 algorithm : std::array<wire::u16, 4>{1, 5, 5, 900}) {
    smb2::compression_header head;
    head.algorithm = algorithm;
    head.original_segment_size = 1000;
    talk.to_server(framed(smb2::encode_buffer(head))).wait(1ms);
  }
  const auto r = analyse(talk.frames).result;
  EXPECT_EQ(r.smb.compressed[1], 1u);
  EXPECT_EQ(r.smb.compressed[5], 2u);
  EXPECT_EQ(r.smb.compressed[7], 1u);
  EXPECT_EQ(r.smb.uncompressed_bytes, 4000u);
}

byte_vector message_of(const smb2_part& part) {
  const auto frame = smb2_frame(part);
  return {frame.begin() + 4, frame.end()};
}

TEST(SmbOthers, LooksIntoCompressedMessages) {
  auto talk = a_talk();
  const std::vector<std::byte> zeros(4000);
  smb2::write::request request;
  request.data = smb2::part(zeros);
  const auto call = message_of(smb2_request<smb2::write>(9, request));
  const auto reply = message_of(smb2_response<smb2::write>(9, {}));
  talk.to_server(framed(support::compress_lz77(call, smb2::header_bytes))).wait(1ms);
  talk.to_client(framed(support::compress_lz77(reply))).wait(1ms);
  auto damaged = support::compress_lz77(call);
  damaged.resize(damaged.size() - 1);
  talk.to_server(framed(damaged)).wait(1ms);

  const auto r = analyse(talk.frames).result;

  EXPECT_EQ(r.seen.compressed_messages, 3u);
  EXPECT_EQ(r.seen.decompressed_messages, 2u);
  EXPECT_EQ(r.seen.timed, 1u);
}

TEST(SmbOthers, KnowsWhatACancelCancels) {
  auto talk = a_talk();
  const auto notify = [&](wire::u64 id, wire::u64 async_id) {
    talk.to_server(smb2_frame(smb2_request<smb2::change_notify>(id, {}))).wait(1ms);
    auto interim = smb2_interim(smb2::change_notify::number, id);
    interim.head.async_id = async_id;
    talk.to_client(smb2_frame(interim)).wait(1ms);
  };
  notify(1, 501);
  notify(2, 502);
  // By AsyncId: the MessageId of such a CANCEL means nothing.
  talk.to_server(smb2_frame(async(smb2_request<smb2::cancel>(0, {}), 502))).wait(1ms);
  talk.to_server(smb2_frame(smb2_request<smb2::cancel>(1, {}))).wait(1ms);
  talk.to_server(smb2_frame(async(smb2_request<smb2::cancel>(0, {}), 777))).wait(1ms);
  talk.to_client(
      smb2_frame(async(smb2_error(smb2::change_notify::number, 2, smb2::status::cancelled), 502)));

  const auto seen = analyse(talk.frames).result.seen;
  EXPECT_EQ(seen.cancels, 3u);
  EXPECT_EQ(seen.cancels_unmatched, 1u);
  EXPECT_EQ(seen.timed, 1u);
}

TEST(SmbOthers, FindsARequestByTheAsyncIdOfItsInterimResponse) {
  auto talk = a_talk();
  talk.to_server(smb2_frame(smb2_request<smb2::change_notify>(1, {}))).wait(1ms);
  auto interim = smb2_interim(smb2::change_notify::number, 1);
  interim.head.async_id = 501;
  talk.to_client(smb2_frame(interim)).wait(1s);
  talk.to_client(smb2_frame(async(smb2_response<smb2::change_notify>(0, {}), 501)));
  const auto got = analyse(talk.frames);
  ASSERT_EQ(got.exchanges.size(), 1u);
  EXPECT_EQ(got.exchanges[0].latency(), nanos{1s + 1ms});
  EXPECT_EQ(got.result.seen.orphan_replies, 0u);
}

TEST(SmbOthers, TellsNotificationsApart) {
  auto talk = a_talk();
  const auto unsolicited = [&](wire::u16 command, wire::u16 structure, std::size_t size) {
    smb2_part part;
    part.head.command = command;
    part.head.flags = smb2::flags::server_to_redir;
    part.head.message_id = smb2::unsolicited_message_id;
    part.body.resize(size);
    wire::store_le(part.body.data(), structure);
    talk.to_client(smb2_frame(part)).wait(1ms);
  };
  unsolicited(smb2::oplock_break::number, 24, 24);
  unsolicited(smb2::oplock_break::number, 44, 44);
  unsolicited(smb2::oplock_break::number, 44, 44);
  unsolicited(0x13, 4, 12);

  const auto seen = analyse(talk.frames).result.seen;
  EXPECT_EQ(seen.breaks, 3u);
  EXPECT_EQ(seen.lease_breaks, 2u);
  EXPECT_EQ(seen.notifications, 1u);
  EXPECT_EQ(seen.orphan_replies, 0u);
}

TEST(SmbOthers, SaysWhyARequestIsNotThere) {
  auto talk = a_talk();
  for (wire::u64 id = 1; id < 9; ++id)
    echo(talk, id);
  const auto nth = [&](std::size_t n) {
    return talk.frames.begin() + static_cast<std::ptrdiff_t>(n);
  };
  // Joined between a request and its response.
  const auto joined =
      analyse(std::vector<support::timed_frame>(nth(3 + 2 * 2 + 1), talk.frames.end())).result.seen;
  EXPECT_EQ(joined.orphan_replies, 1u);
  EXPECT_EQ(joined.orphans_before_start, 1u);
  EXPECT_EQ(joined.orphans_in_gaps, 0u);

  auto damaged = talk.frames;
  damaged.erase(nth(3 + 2 * 4) - talk.frames.begin() + damaged.begin());
  const auto gap = analyse(damaged).result.seen;
  EXPECT_EQ(gap.orphan_replies + gap.timed, 8u);
  EXPECT_EQ(gap.orphans_in_gaps, gap.orphan_replies);
  EXPECT_EQ(gap.orphans_before_start, 0u);

  auto never = a_talk();
  never.to_client(smb2_frame(smb2_response<smb2::echo>(9, {})));
  const auto seen = analyse(never.frames).result.seen;
  EXPECT_EQ(seen.orphan_replies, 1u);
  EXPECT_EQ(seen.orphans_in_gaps + seen.orphans_before_start, 0u);
}

TEST(SmbOthers, CountsAResponseToARequestThatWasGivenUpAsLate) {
  auto talk = a_talk();
  talk.to_server(smb2_frame(smb2_request<smb2::echo>(1, {}))).wait(121s);
  talk.to_server(smb2_frame(smb2_request<smb2::echo>(2, {}))).wait(1ms);
  talk.to_client(smb2_frame(smb2_response<smb2::echo>(1, {}))).wait(1ms);
  talk.to_client(smb2_frame(smb2_response<smb2::echo>(2, {})));

  const auto seen = analyse(talk.frames).result.seen;
  EXPECT_EQ(seen.unanswered, 1u);
  EXPECT_EQ(seen.late_replies, 1u);
  EXPECT_EQ(seen.orphan_replies, 0u);
  EXPECT_EQ(seen.timed, 1u);
}

TEST(SmbOthers, KeepsMessageIdsOfConnectionsApart) {
  auto first = a_talk();
  first.to_server(smb2_frame(smb2_request<smb2::echo>(1, {}))).wait(1ms).close();
  tcp_talk second(v4(198, 18, 1, 1, 50'124), support::smb_server);
  second.now = first.now + 1ms;
  second.handshake();
  echo(second, 1);
  auto frames = first.frames;
  frames.insert(frames.end(), second.frames.begin(), second.frames.end());

  const auto seen = analyse(frames).result.seen;
  EXPECT_EQ(seen.calls, 2u);
  EXPECT_EQ(seen.timed, 1u);
  EXPECT_EQ(seen.unanswered, 1u);
  EXPECT_EQ(seen.retransmitted, 0u);
}

} // namespace
