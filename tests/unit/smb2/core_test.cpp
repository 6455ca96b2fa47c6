#include "tests/unit/smb2/core_script.hpp"

#include "wire/hex.hpp"

namespace smb2 {
namespace {

using namespace script;

TEST(ClientCore, SendsARequestWithPrefixHeaderAndBody) {
  session_script s;
  const echo::request request;
  s.submit<echo>(request);

  const auto sent = s.take();

  ASSERT_TRUE(sent);
  EXPECT_EQ(wire::to_hex(sent->data),
            "fe534d4240000000" // ProtocolId, StructureSize, CreditCharge 0
            "00000000"         // Status
            "0d00"             // ECHO
            "0a00"             // ten credits asked for: one spent, nine missing to the target
            "00000000"         // Flags
            "00000000"         // NextCommand
            "0000000000000000" // MessageId
            "00000000"         // Reserved
            "00000000"         // TreeId
            "0000000000000000" // SessionId
            "00000000000000000000000000000000"
            "04000000");
}

TEST(ClientCore, GivesTheResponseToWhoAsked) {
  session_script s;
  const echo::request request;
  s.submit<echo>(request, 77);
  const auto sent = s.take();
  s.now += milliseconds(3);

  s.reply({.message_id = sent->head.message_id});

  ASSERT_EQ(s.events.size(), 1u);
  const auto& e = s.events[0];
  EXPECT_EQ(e.outcome, call_outcome::replied);
  EXPECT_EQ(s.user_of(0), 77u);
  EXPECT_EQ(e.request_bytes, 4 + 64 + 4u);
  EXPECT_EQ(e.reply_bytes, 4 + 64 + 4u);
  EXPECT_EQ(e.times.submitted, seconds(1000));
  EXPECT_EQ(e.times.granted, seconds(1000));
  EXPECT_EQ(e.times.q1, seconds(1000));
  EXPECT_EQ(e.times.r0, seconds(1000) + milliseconds(3));
  EXPECT_EQ(s.core.calls_in_flight(), 0u);
}

TEST(ClientCore, FindsTheMessageWhereverTheStreamIsCut) {
  const auto stream = [] {
    auto out = framed(answer{.message_id = 0, .credits = 9}.message());
    const auto keep_alive = wire::from_hex("85000000");
    out.insert(out.end(), keep_alive->begin(), keep_alive->end());
    return out;
  }();
  for (std::size_t cut = 0; cut <= stream.size(); ++cut) {
    session_script s;
    const echo::request request;
    s.submit<echo>(request, 1);
    static_cast<void>(s.take());

    s.feed(bytes(stream).first(cut));
    s.feed(bytes(stream).subspan(cut));

    ASSERT_EQ(s.events.size(), 1u) << "cut at " << cut;
    EXPECT_EQ(s.events[0].outcome, call_outcome::replied);
    EXPECT_FALSE(s.core.failed());
  }
}

TEST(ClientCore, WaitsWithCallsUntilTheServerGrantsCredits) {
  session_script s;
  const echo::request request;
  s.submit<echo>(request, 1);
  s.submit<echo>(request, 2);
  EXPECT_EQ(s.take_all().size(), 1u);
  EXPECT_EQ(s.core.calls_queued(), 1u);
  EXPECT_EQ(s.core.counters().credit_waits, 1u);
  s.now += milliseconds(5);

  s.reply({.message_id = 0, .credits = 1});
  const auto second = s.take();

  ASSERT_TRUE(second);
  EXPECT_EQ(second->head.message_id, 1u);
  s.reply({.message_id = 1});
  ASSERT_EQ(s.events.size(), 2u);
  EXPECT_EQ(s.events[1].times.submitted, seconds(1000));
  EXPECT_EQ(s.events[1].times.granted, seconds(1000) + milliseconds(5));
}

TEST(ClientCore, ChargesLargeCallsAndTheirMessageIds) {
  session_script s;
  s.give_credits(20);
  s.core.allow_multi_credit();
  std::vector<std::byte> data(1 << 20);
  write::request large;
  large.data = part(data);
  const echo::request small;
  s.submit<write>(large);
  s.submit<echo>(small);

  const auto sent = s.take_all();

  ASSERT_EQ(sent.size(), 2u);
  EXPECT_EQ(sent[0].head.credit_charge, 16);
  EXPECT_EQ(sent[0].head.message_id, 1u);
  EXPECT_GE(sent[0].head.credits, 16);
  EXPECT_EQ(sent[1].head.credit_charge, 1);
  EXPECT_EQ(sent[1].head.message_id, 17u);
}

TEST(ClientCore, KeepsTheOrderWhenALargeCallWaits) {
  session_script s;
  s.give_credits(4);
  s.core.allow_multi_credit();
  std::vector<std::byte> data(6 * 65'536);
  write::request large;
  large.data = part(data);
  const flush::request small;
  s.submit<flush>(small, 1);
  s.submit<write>(large, 2);
  s.submit<flush>(small, 3);

  EXPECT_EQ(s.take_all().size(), 1u);
  s.reply({.command = flush::number, .message_id = 1, .credits = 8});
  const auto sent = s.take_all();

  ASSERT_EQ(sent.size(), 2u);
  EXPECT_EQ(sent[0].head.command, write::number);
  EXPECT_EQ(sent[1].head.command, flush::number);
}

TEST(ClientCore, EndsACallThatCostsMoreThanTheServerEverGrants) {
  session_script s;
  s.give_credits(2);
  s.core.allow_multi_credit();
  std::vector<std::byte> data(8 * 65'536);
  write::request large;
  large.data = part(data);
  s.submit<write>(large, 5);

  EXPECT_FALSE(s.take());
  s.drain();

  ASSERT_EQ(s.events.size(), 1u);
  EXPECT_EQ(s.events[0].outcome, call_outcome::no_credits);
  EXPECT_EQ(s.user_of(0), 5u);
}

TEST(ClientCore, EndsTheCallWhenTheServerTakesAllCreditsAway) {
  session_script s;
  const echo::request request;
  s.submit<echo>(request, 1);
  static_cast<void>(s.take());
  s.reply({.message_id = 0, .credits = 0});
  s.submit<echo>(request, 2);

  EXPECT_FALSE(s.take());
  s.drain();

  ASSERT_EQ(s.events.size(), 2u);
  EXPECT_EQ(s.events[1].outcome, call_outcome::no_credits);
}

TEST(ClientCore, TakesTheCreditsOfAnInterimResponseAndWaitsForTheFinalOne) {
  session_script s;
  s.give_credits(1);
  const write::request request;
  s.submit<write>(request, 9);
  s.submit<write>(request, 10);
  EXPECT_EQ(s.take_all().size(), 1u);

  s.reply({.command = write::number,
           .message_id = 1,
           .status = status::pending,
           .credits = 1,
           .async_id = 42});
  EXPECT_TRUE(s.events.empty());
  EXPECT_EQ(s.take_all().size(), 1u) << "the interim response paid for the next call";
  wire::writer body;
  encode(write::response{}, body, 0);
  s.reply({.command = write::number,
           .message_id = 1,
           .credits = 0,
           .async_id = 42,
           .body = body.flatten()});

  ASSERT_EQ(s.events.size(), 1u);
  EXPECT_TRUE(s.events[0].interim);
  EXPECT_EQ(s.user_of(0), 9u);
  EXPECT_EQ(s.core.counters().interim_responses, 1u);
}

TEST(ClientCore, CountsCreditsThatResponsesWillBringBackOnce) {
  session_script s;
  s.give_credits(5);
  EXPECT_EQ(s.core.credits().total(), 5u);
  const write::request request;
  s.submit<write>(request);
  static_cast<void>(s.take());
  EXPECT_EQ(s.core.credits().available(), 4u);
  EXPECT_EQ(s.core.credits().total(), 5u);

  answer a{.command = write::number,
           .message_id = 1,
           .status = status::pending,
           .credits = 1,
           .async_id = 42};
  s.reply(a);
  EXPECT_EQ(s.core.credits().available(), 5u);
  EXPECT_EQ(s.core.credits().total(), 5u) << "the interim response has brought it back";
  a.status = status::access_denied;
  a.credits = 0;
  s.reply(a);
  EXPECT_EQ(s.core.credits().total(), 5u);
}

TEST(ClientCore, SplitsCompoundedResponses) {
  session_script s;
  s.give_credits(2);
  const echo::request request;
  s.submit<echo>(request, 1);
  s.submit<echo>(request, 2);
  ASSERT_EQ(s.take_all().size(), 2u);
  auto first = answer{.message_id = 1}.message();
  first.resize(72);
  wire::store_le(first.data() + next_command_offset, u32{72});
  const auto second = answer{.message_id = 2}.message();
  first.insert(first.end(), second.begin(), second.end());

  s.feed(framed(first));

  ASSERT_EQ(s.events.size(), 2u);
  EXPECT_EQ(s.user_of(0), 1u);
  EXPECT_EQ(s.user_of(1), 2u);
  EXPECT_EQ(s.events[0].reply_bytes, 4 + 72u);
  EXPECT_EQ(s.events[1].reply_bytes, 68u);
}

TEST(ClientCore, SurfacesOplockBreaks) {
  session_script s;
  wire::writer body;
  oplock_break::response taken;
  taken.file = {1, 2};
  encode(taken, body, 0);

  s.reply({.command = oplock_break::number,
           .message_id = unsolicited_message_id,
           .credits = 0,
           .body = body.flatten()});

  ASSERT_EQ(s.events.size(), 1u);
  EXPECT_EQ(s.events[0].outcome, call_outcome::oplock_break);
  EXPECT_FALSE(s.core.failed());
}

TEST(ClientCore, FeedsThePreauthHashWithNegotiateAndUnfinishedSessionSetups) {
  session_script s;
  recording_hash hash;
  s.preauth = &hash;
  s.give_credits(3); // ECHO is hashed as a request: the core hashes what it is told to
  hash.messages.clear();
  const session_setup::request request;
  wire::writer body;
  encode(session_setup::response{}, body, 0);

  s.submit<session_setup>(request);
  const auto first = s.take();
  const answer more{.command = session_setup::number,
                    .message_id = first->head.message_id,
                    .status = status::more_processing_required,
                    .body = body.flatten()};
  s.reply(more);
  s.submit<session_setup>(request);
  const auto second = s.take();
  s.reply({.command = session_setup::number,
           .message_id = second->head.message_id,
           .body = body.flatten()});

  ASSERT_EQ(hash.messages.size(), 3u);
  EXPECT_EQ(hash.messages[0], first->data);
  EXPECT_EQ(hash.messages[1], more.message());
  EXPECT_EQ(hash.messages[2], second->data);
}

TEST(ClientCore, TellsEveryCallThatTheConnectionIsLost) {
  session_script s;
  const echo::request request;
  s.submit<echo>(request, 1);
  s.submit<echo>(request, 2);
  ASSERT_EQ(s.take_all().size(), 1u);

  s.core.connection_lost(std::make_error_code(std::errc::connection_reset), s.now);
  s.drain();

  ASSERT_EQ(s.events.size(), 2u);
  for (const auto& e : s.events) {
    EXPECT_EQ(e.outcome, call_outcome::connection_lost);
    EXPECT_EQ(e.error, std::errc::connection_reset);
  }
  EXPECT_FALSE(s.submit<echo>(request));
  EXPECT_FALSE(s.core.poll_timeout());
}

TEST(ClientCore, TakesNoMoreCallsThanItsLimit) {
  session_script s({.calls_max = 2, .credits_target = 4});
  const echo::request request;

  EXPECT_TRUE(s.submit<echo>(request));
  EXPECT_TRUE(s.submit<echo>(request));
  EXPECT_FALSE(s.submit<echo>(request));
}

} // namespace
} // namespace smb2
