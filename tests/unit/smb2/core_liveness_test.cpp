// What becomes of a connection on which the server says nothing.

#include "tests/unit/smb2/core_script.hpp"

namespace smb2::script {
namespace {

class Smb2Liveness : public testing::Test {
 protected:
  Smb2Liveness()
      : talk({.credits_target = 10, .quiet = seconds(20), .echo_timeout = seconds(10)}) {}

  /// A READ that the server is silent about.
  u64 begin_read() {
    talk.submit<read>(request, 7, seconds(1000));
    const auto sent = talk.take();
    EXPECT_TRUE(sent);
    return sent ? sent->head.message_id : 0;
  }

  session_script talk;
  read::request request;
};

TEST_F(Smb2Liveness, AsksASilentServerWhetherItLives) {
  talk.session_id = 5;
  talk.give_credits(10);
  const auto id = begin_read();
  for (int round = 1; round <= 3; ++round) {
    talk.advance(seconds(19));
    EXPECT_FALSE(talk.take());
    talk.advance(seconds(1));
    const auto probe = talk.take();
    ASSERT_TRUE(probe) << round;
    EXPECT_EQ(probe->head.command, echo::number);
    EXPECT_EQ(probe->head.session_id, 5u);
    EXPECT_FALSE(talk.take()) << "once is enough";
    talk.advance(seconds(9));
    talk.reply({.command = echo::number, .message_id = probe->head.message_id, .session_id = 5});
    EXPECT_FALSE(talk.core.failed());
  }
  EXPECT_TRUE(talk.events.empty()) << "nobody asked for the answer";
  EXPECT_EQ(talk.core.counters().probes, 3u);
  EXPECT_EQ(talk.core.counters().late_responses, 0u);
  talk.reply({.command = read::number, .message_id = id, .status = status::end_of_file});
  ASSERT_EQ(talk.events.size(), 1u);
  EXPECT_EQ(talk.user_of(0), 7u);
}

TEST_F(Smb2Liveness, GivesUpAServerThatDoesNotAnswerThat) {
  talk.give_credits(10);
  begin_read();
  talk.advance(seconds(20));
  EXPECT_TRUE(talk.take());
  EXPECT_EQ(talk.core.poll_timeout(), talk.now + seconds(10));
  talk.advance(seconds(9));
  EXPECT_FALSE(talk.core.failed());
  talk.advance(seconds(1));
  EXPECT_TRUE(talk.core.failed());
  EXPECT_EQ(talk.core.failure(), "nothing for 30.0 s, not even an answer to ECHO");
  talk.core.connection_lost(std::make_error_code(std::errc::protocol_error), talk.now);
  talk.drain();
  ASSERT_EQ(talk.events.size(), 1u) << "of the READ, and none of the ECHO";
  EXPECT_EQ(talk.events[0].outcome, call_outcome::connection_lost);
}

TEST_F(Smb2Liveness, AsksWithTheCreditThatIsHeldBack) {
  talk.give_credits(10);
  std::size_t sent = 0;
  for (int i = 0; i < 10; ++i)
    talk.submit<read>(request, 7, seconds(1000));
  sent = talk.take_all().size();
  EXPECT_EQ(sent, 9u);
  talk.advance(seconds(20));
  const auto probe = talk.take();
  ASSERT_TRUE(probe);
  EXPECT_EQ(probe->head.command, echo::number);
}

TEST_F(Smb2Liveness, TakesNoSilenceForDeathWhenItCouldNotAsk) {
  begin_read(); // with the only credit
  talk.advance(seconds(20));
  EXPECT_FALSE(talk.take());
  for (int i = 0; i < 10; ++i)
    talk.advance(seconds(10));
  EXPECT_FALSE(talk.core.failed());
}

TEST_F(Smb2Liveness, GivesUpAServerThatTakesNoBytesEither) {
  talk.give_credits(10);
  begin_read();
  talk.submit<read>(request, 8, seconds(1000));
  ASSERT_TRUE(talk.begin_sending());
  talk.advance(seconds(20));
  EXPECT_FALSE(talk.begin_sending());
  talk.advance(seconds(10));
  EXPECT_TRUE(talk.core.failed());
}

TEST_F(Smb2Liveness, AsksNothingWhenNothingIsOutstanding) {
  talk.give_credits(10);
  EXPECT_FALSE(talk.core.poll_timeout());
  talk.advance(seconds(100));
  EXPECT_FALSE(talk.take());
  begin_read();
  talk.advance(seconds(19));
  EXPECT_FALSE(talk.take()) << "the silence counts from the READ on";
}

TEST_F(Smb2Liveness, AsksNothingWhileASessionIsSetUp) {
  talk.give_credits(10);
  const session_setup::request setup;
  talk.submit<session_setup>(setup, 1, seconds(1000));
  EXPECT_TRUE(talk.take());
  talk.advance(seconds(20));
  EXPECT_FALSE(talk.take());
  talk.advance(seconds(20));
  EXPECT_FALSE(talk.core.failed());
}

TEST_F(Smb2Liveness, SaysWhichRequestsAreReplaysAndOfWhichChannelSequence) {
  auto asked = talk.request_of<read>(request, 1);
  asked.replay = true;
  asked.channel_sequence = 3;
  ASSERT_TRUE(talk.core.submit(asked, talk.now));
  const auto sent = talk.take();
  ASSERT_TRUE(sent);
  EXPECT_EQ(sent->head.flags, flags::replay_operation);
  EXPECT_EQ(sent->head.status, 3u);
}

} // namespace
} // namespace smb2::script
