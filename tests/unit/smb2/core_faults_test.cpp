#include "tests/unit/smb2/core_script.hpp"

#include "wire/hex.hpp"

namespace smb2 {
namespace {

using namespace script;

/// One ECHO on its way, with MessageId 0.
struct one_call : session_script {
  one_call() {
    submit<echo>(request, 1);
    static_cast<void>(take());
  }
  echo::request request;
};

void expect_failure(const session_script& s, std::string_view what) {
  EXPECT_TRUE(s.core.failed());
  EXPECT_EQ(s.core.failure(), what);
}

TEST(ClientCoreFaults, RefusesAResponseThatNobodyAwaits) {
  one_call s;
  s.reply({.message_id = 7});
  expect_failure(s, "a response to MessageId 7, which is not awaited");
  EXPECT_TRUE(s.events.empty());
}

TEST(ClientCoreFaults, RefusesASecondResponseToTheSameCall) {
  one_call s;
  s.reply({.message_id = 0});
  s.reply({.message_id = 0});
  expect_failure(s, "a response to MessageId 0, which is not awaited");
}

TEST(ClientCoreFaults, RefusesAResponseToAnotherCommand) {
  one_call s;
  s.reply({.command = logoff::number, .message_id = 0});
  expect_failure(s, "a LOGOFF response to the request ECHO");
}

TEST(ClientCoreFaults, RefusesRequestsOfTheServer) {
  one_call s;
  auto message = answer{.message_id = 0}.message();
  wire::store_le(message.data() + 16, u32{0});
  s.feed(framed(message));
  expect_failure(s, "a request, where only responses may come");
}

TEST(ClientCoreFaults, RefusesWhatIsNoSmb2) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"00000004ff534d42", "an SMB1 message: it does not speak SMB2"},
      {"00000004fd534d42", "a sealed message whose header is wrong"},
      {"00000004fc534d42", "a compressed message, though no compression was agreed on"},
      {"0000000401020304", "bytes that are no SMB2"},
      {"00000002fe53", "bytes that are no SMB2"},
      {"485454502f312e31", "bytes that are no SMB2"},
      {"00000004fe534d42", "a message that is cut wrongly"},
  };
  for (const auto& [hex, what] : cases) {
    SCOPED_TRACE(hex);
    one_call s;
    s.feed(*wire::from_hex(hex));
    expect_failure(s, what);
  }
}

TEST(ClientCoreFaults, RefusesACompoundThatLeadsOutOfItsFrame) {
  for (const u32 next : {8u, 60u, 68u, 72u, 0x8000'0000u, 0xFFFF'FFF8u}) {
    one_call s;
    auto message = answer{.message_id = 0}.message();
    wire::store_le(message.data() + next_command_offset, next);
    s.feed(framed(message));
    expect_failure(s, "a message that is cut wrongly");
  }
}

TEST(ClientCoreFaults, SurvivesEveryChangeOfEveryByteOfAResponse) {
  const auto good = framed(answer{.message_id = 0}.message());
  for (std::size_t at = 0; at < good.size(); ++at)
    for (const unsigned flip : {0x01u, 0x80u, 0xFFu}) {
      one_call s;
      auto bad = good;
      bad[at] ^= static_cast<std::byte>(flip);
      s.feed(bad);
      ASSERT_LE(s.events.size(), 1u);
    }
}

TEST(ClientCoreFaults, SignsRequestsAndTakesOnlyResponsesWithTheRightSignature) {
  const auto right = std::make_shared<sum_signer>(u8{1});
  session_script s;
  s.signer = right;
  const echo::request request;
  s.submit<echo>(request, 1);
  const auto sent = s.take();
  EXPECT_TRUE(sent->head.is_signed());
  EXPECT_TRUE(signature_matches(*right, sent->head, sent->data));

  s.reply({.message_id = 0, .signer = right.get()});

  ASSERT_EQ(s.events.size(), 1u);
  EXPECT_EQ(s.events[0].outcome, call_outcome::replied);
  EXPECT_FALSE(s.core.failed());
}

TEST(ClientCoreFaults, SignsBorrowedDataToo) {
  const auto right = std::make_shared<sum_signer>(u8{1});
  session_script s;
  s.give_credits(4);
  s.signer = right;
  std::vector<std::byte> data(10'000, std::byte{0x5A});
  write::request request;
  request.data = part(data);
  s.submit<write>(request);

  const auto sent = s.take();

  ASSERT_TRUE(sent);
  EXPECT_EQ(sent->data.size(), 64 + 48 + data.size());
  EXPECT_TRUE(signature_matches(*right, sent->head, sent->data));
}

TEST(ClientCoreFaults, RefusesEverySingleBitThatWasChangedInASignedResponse) {
  const auto signer = std::make_shared<sum_signer>(u8{1});
  const auto good = answer{.message_id = 0, .signer = signer.get()}.message();
  for (std::size_t bit = 0; bit < good.size() * 8; ++bit) {
    session_script s;
    s.signer = signer;
    const echo::request request;
    s.submit<echo>(request, 1);
    static_cast<void>(s.take());
    auto bad = good;
    bad[bit / 8] ^= static_cast<std::byte>(1u << (bit % 8));

    s.feed(framed(bad));

    for (const auto& e : s.events)
      ASSERT_NE(e.outcome, call_outcome::replied) << "bit " << bit;
    ASSERT_TRUE(s.core.failed()) << "bit " << bit;
  }
}

TEST(ClientCoreFaults, RefusesAnUnsignedResponseToASignedCall) {
  session_script s;
  s.signer = std::make_shared<sum_signer>(u8{1});
  const echo::request request;
  s.submit<echo>(request, 1);
  static_cast<void>(s.take());

  s.reply({.message_id = 0});

  ASSERT_EQ(s.events.size(), 1u);
  EXPECT_EQ(s.events[0].outcome, call_outcome::bad_signature);
  expect_failure(s, "a response whose signature is wrong (ECHO)");
}

TEST(ClientCoreFaults, TakesTheUnsignedNewsThatTheSessionIsGone) {
  session_script s;
  s.signer = std::make_shared<sum_signer>(u8{1});
  const echo::request request;
  s.submit<echo>(request, 1);
  static_cast<void>(s.take());

  s.reply({.message_id = 0, .status = status::user_session_deleted});

  ASSERT_EQ(s.events.size(), 1u);
  EXPECT_EQ(s.events[0].outcome, call_outcome::replied);
  EXPECT_EQ(s.events[0].head.status, status::user_session_deleted);
}

TEST(ClientCoreFaults, EndsACallAtItsDeadlineAndDropsItsLateResponse) {
  session_script s;
  s.give_credits(3);
  const echo::request request;
  s.submit<echo>(request, 1, milliseconds(100));
  const auto sent = s.take();
  ASSERT_EQ(s.core.poll_timeout(), s.now + milliseconds(100));

  s.advance(milliseconds(99));
  EXPECT_TRUE(s.events.empty());
  s.advance(milliseconds(1));
  ASSERT_EQ(s.events.size(), 1u);
  EXPECT_EQ(s.events[0].outcome, call_outcome::timed_out);

  const auto given_up = s.take();
  ASSERT_TRUE(given_up) << "no CANCEL";
  EXPECT_EQ(given_up->head.command, cancel::number);
  EXPECT_EQ(given_up->head.message_id, sent->head.message_id);
  EXPECT_EQ(given_up->head.credit_charge, 0);
  s.reply({.message_id = sent->head.message_id, .status = status::cancelled, .credits = 1});
  EXPECT_EQ(s.events.size(), 1u);
  EXPECT_FALSE(s.core.failed());
  EXPECT_EQ(s.core.counters().late_responses, 1u);
  EXPECT_EQ(s.core.calls_in_flight(), 0u);
}

TEST(ClientCoreFaults, EndsACallThatWaitsForCreditsAtItsDeadline) {
  session_script s;
  const echo::request request;
  s.submit<echo>(request, 1);
  s.submit<echo>(request, 2, milliseconds(10));
  EXPECT_EQ(s.take_all().size(), 1u);

  s.advance(milliseconds(10));

  ASSERT_EQ(s.events.size(), 1u);
  EXPECT_EQ(s.user_of(0), 2u);
  EXPECT_EQ(s.events[0].outcome, call_outcome::timed_out);
  EXPECT_FALSE(wire::known(s.events[0].times.granted));
  EXPECT_FALSE(s.take()) << "a call that was never sent needs no CANCEL";
}

TEST(ClientCoreFaults, CancelsAPendingCallByItsAsyncIdSigned) {
  const auto signer = std::make_shared<sum_signer>(u8{3});
  session_script s;
  s.signer = signer;
  const change_notify::request request;
  const auto ticket = s.submit<change_notify>(request, 1);
  static_cast<void>(s.take());
  s.reply({.command = change_notify::number,
           .message_id = 0,
           .status = status::pending,
           .credits = 5,
           .async_id = 4711});

  EXPECT_FALSE(s.core.abandon(*ticket));
  const auto given_up = s.take();

  ASSERT_TRUE(given_up);
  EXPECT_EQ(given_up->head.command, cancel::number);
  EXPECT_TRUE(given_up->head.async());
  EXPECT_EQ(given_up->head.async_id, 4711u);
  EXPECT_TRUE(signature_matches(*signer, given_up->head, given_up->data));
  EXPECT_TRUE(s.events.empty());
}

TEST(ClientCoreFaults, ForgetsAnAbandonedCallThatWasNotSent) {
  session_script s;
  const echo::request request;
  s.submit<echo>(request, 1);
  const auto ticket = s.submit<echo>(request, 2);
  static_cast<void>(s.take_all());

  EXPECT_FALSE(s.core.abandon(*ticket));
  s.reply({.message_id = 0, .credits = 5});

  EXPECT_FALSE(s.take());
  EXPECT_EQ(s.events.size(), 1u);
}

TEST(ClientCoreFaults, SaysWhichTransmissionMustBeCopiedWhenItsCallIsAbandoned) {
  session_script s;
  s.give_credits(3);
  std::vector<std::byte> data(10'000);
  write::request request;
  request.data = part(data);
  const auto ticket = s.submit<write>(request, 1);
  const auto sending = s.begin_sending();
  ASSERT_TRUE(sending);

  const auto partly_sent = s.core.abandon(*ticket);

  ASSERT_TRUE(partly_sent);
  EXPECT_EQ(*partly_sent, sending->id);
}

} // namespace
} // namespace smb2
