#include "tests/unit/smb2/core_script.hpp"

#include "smb2/crypto/sealer.hpp"

namespace smb2 {
namespace {

using namespace script;

/// CREATE, READ and CLOSE of a file, related.
class Compound : public testing::Test {
 protected:
  Compound() {
    name = *to_utf16("a");
    opening.name = name.view();
    reading.file = fileid::of_previous();
    reading.length = 100;
    closing.file = fileid::of_previous();
  }

  std::optional<u64> submit(nanos timeout = seconds(60)) {
    std::array parts{s.request_of<create>(opening, 1, timeout),
                     s.request_of<read>(reading, 2, timeout),
                     s.request_of<close>(closing, 3, timeout)};
    parts[1].related = parts[2].related = true;
    return s.core.submit_compound(parts, s.now);
  }

  [[nodiscard]] static std::vector<submessage> walk(const sent_message& sent) {
    std::vector<submessage> out;
    compound_walker walker(sent.data);
    while (auto one = walker.next())
      out.push_back(*one);
    EXPECT_TRUE(walker.ok());
    return out;
  }

  /// Responses in one frame.
  void reply_together(std::span<const answer> answers) {
    std::vector<std::byte> all;
    for (std::size_t i = 0; i < answers.size(); ++i) {
      auto one = answers[i].message();
      if (i + 1 < answers.size()) {
        one.resize(wire::align_up(one.size(), 8));
        wire::store_le(one.data() + next_command_offset, static_cast<u32>(one.size()));
      }
      all.insert(all.end(), one.begin(), one.end());
    }
    s.feed(framed(all));
  }

  static answer failed(u16 command, u64 id, u32 code = status::object_name_not_found) {
    return {.command = command, .message_id = id, .status = code, .credits = 1};
  }

  utf16_string name;
  create::request opening;
  read::request reading;
  close::request closing;
  session_script s;
};

TEST_F(Compound, GoesOutAsOneFrameWithAHeaderForEachPart) {
  s.give_credits(10);
  ASSERT_TRUE(submit());

  const auto sent = s.take();

  ASSERT_TRUE(sent);
  const auto parts = walk(*sent);
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_EQ(parts[0].head.command, create::number);
  EXPECT_EQ(parts[1].head.command, read::number);
  EXPECT_EQ(parts[2].head.command, close::number);
  EXPECT_FALSE(parts[0].head.related());
  EXPECT_TRUE(parts[1].head.related());
  EXPECT_TRUE(parts[2].head.related());
  EXPECT_EQ(parts[0].head.message_id + 1, parts[1].head.message_id);
  EXPECT_EQ(parts[1].head.message_id + 1, parts[2].head.message_id);
  EXPECT_EQ(parts[0].head.next_command % 8, 0u);
  EXPECT_EQ(decode<read::request>(parts[1].data)->file, fileid::of_previous());
  EXPECT_EQ(s.core.counters().compounds, 1u);
  EXPECT_EQ(s.core.calls_in_flight(), 3u);
  EXPECT_FALSE(s.take());
}

TEST_F(Compound, SpendsTheChargeOfEachPart) {
  s.give_credits(60);
  s.core.allow_multi_credit();
  reading.length = 5 * 65'536;
  ASSERT_TRUE(submit());

  const auto sent = s.take();
  ASSERT_TRUE(sent);
  const auto parts = walk(*sent);

  ASSERT_EQ(parts.size(), 3u);
  EXPECT_EQ(parts[1].head.credit_charge, 5u);
  EXPECT_EQ(parts[2].head.message_id, parts[1].head.message_id + 5);
  EXPECT_EQ(s.core.credits().available(), 60u - 7u);
}

TEST_F(Compound, WaitsUntilThereAreCreditsForAllOfIt) {
  s.give_credits(3);
  const echo::request request;
  s.submit<echo>(request, 9);
  ASSERT_TRUE(s.take());
  ASSERT_TRUE(submit());

  EXPECT_FALSE(s.take());
  EXPECT_EQ(s.core.calls_queued(), 3u);
  s.reply({.message_id = 1, .credits = 1});

  EXPECT_TRUE(s.take());
}

TEST_F(Compound, IsRefusedWholeWhenItCanNeverBePaid) {
  ASSERT_TRUE(submit()); // a new connection has one credit

  EXPECT_FALSE(s.take());

  s.drain();
  ASSERT_EQ(s.events.size(), 3u);
  for (const auto& e : s.events)
    EXPECT_EQ(e.outcome, call_outcome::no_credits);
}

TEST_F(Compound, TakesResponsesThatComeTogether) {
  s.give_credits(10);
  submit();
  ASSERT_TRUE(s.take());

  const std::array answers{failed(create::number, 1), failed(read::number, 2),
                           failed(close::number, 3)};
  reply_together(answers);

  ASSERT_EQ(s.events.size(), 3u) << s.core.failure();
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(s.user_of(i), i + 1);
    EXPECT_EQ(s.events[i].part, i);
    EXPECT_EQ(s.events[i].parts, 3u);
    EXPECT_EQ(s.events[i].frame_id, 1u);
    EXPECT_EQ(s.events[i].head.status, status::object_name_not_found);
  }
  EXPECT_EQ(s.core.calls_in_flight(), 0u);
}

TEST_F(Compound, TakesResponsesThatComeApartAndInAnyOrder) {
  s.give_credits(10);
  submit();
  ASSERT_TRUE(s.take());

  s.reply(failed(close::number, 3));
  s.reply(failed(create::number, 1));
  s.reply(failed(read::number, 2));

  ASSERT_EQ(s.events.size(), 3u) << s.core.failure();
  EXPECT_EQ(s.user_of(0), 3u);
  EXPECT_EQ(s.user_of(1), 1u);
}

TEST_F(Compound, TakesAnInterimResponseOfOnePart) {
  s.give_credits(10);
  submit();
  ASSERT_TRUE(s.take());

  s.reply(failed(create::number, 1));
  auto waits = failed(read::number, 2, status::pending);
  waits.async_id = 44;
  s.reply(waits);
  EXPECT_EQ(s.events.size(), 1u);
  auto last = failed(read::number, 2);
  last.async_id = 44;
  s.reply(last);
  s.reply(failed(close::number, 3));

  ASSERT_EQ(s.events.size(), 3u) << s.core.failure();
  EXPECT_TRUE(s.events[1].interim);
  EXPECT_FALSE(s.events[2].interim);
}

TEST_F(Compound, SignsEachPartWithItsPadding) {
  s.give_credits(10);
  s.signer = std::make_shared<sum_signer>(u8{3});
  submit();

  const auto sent = s.take();
  ASSERT_TRUE(sent);
  const auto parts = walk(*sent);

  ASSERT_EQ(parts.size(), 3u);
  for (const auto& one : parts) {
    EXPECT_TRUE(one.head.is_signed());
    EXPECT_TRUE(signature_matches(*s.signer, one.head, one.data));
  }
}

TEST_F(Compound, IsSealedAsOne) {
  s.give_credits(10);
  crypto::session_keys keys;
  keys.encryption.size = keys.decryption.size = 16;
  const auto server = crypto::make_sealer(cipher::aes_128_gcm, keys);
  s.sealer = crypto::make_sealer(cipher::aes_128_gcm, keys);
  s.signer = std::make_shared<sum_signer>(u8{3});
  s.server_sealer = server.get();
  submit();

  const auto sent = s.take();
  ASSERT_TRUE(sent);
  const auto parts = walk(*sent);

  ASSERT_EQ(parts.size(), 3u);
  EXPECT_FALSE(parts[1].head.is_signed());
  EXPECT_EQ(s.core.counters().sealed_messages, 1u);
}

TEST_F(Compound, BorrowedDataStandsWhereItsPartSays) {
  s.give_credits(10);
  std::vector<std::byte> data(1001, std::byte{0x7E});
  write::request writing;
  writing.file = fileid::of_previous();
  writing.data = part(data);
  s.signer = std::make_shared<sum_signer>(u8{3});
  std::array list{s.request_of<create>(opening, 1), s.request_of<write>(writing, 2),
                  s.request_of<close>(closing, 3)};
  ASSERT_TRUE(s.core.submit_compound(list, s.now));

  const auto sent = s.take();
  const auto parts = walk(*sent);

  ASSERT_EQ(parts.size(), 3u);
  EXPECT_TRUE(std::ranges::equal(decode<write::request>(parts[1].data)->data.data, data));
  EXPECT_TRUE(signature_matches(*s.signer, parts[1].head, parts[1].data));
  EXPECT_TRUE(decode<close::request>(parts[2].data));
}

TEST_F(Compound, IsForgottenWholeWhileItWaits) {
  const auto ticket = submit();

  static_cast<void>(s.core.abandon(*ticket));

  EXPECT_EQ(s.core.calls_queued(), 0u);
  EXPECT_FALSE(s.take());
}

TEST_F(Compound, IsCancelledPartByPart) {
  s.give_credits(10);
  const auto ticket = submit();
  ASSERT_TRUE(s.take());
  s.reply(failed(create::number, 1));

  static_cast<void>(s.core.abandon(*ticket));
  const auto cancels = s.take_all();
  s.reply(failed(read::number, 2, status::cancelled));
  s.reply(failed(close::number, 3, status::cancelled));

  ASSERT_EQ(cancels.size(), 2u);
  EXPECT_EQ(cancels[0].head.message_id, 2u);
  EXPECT_EQ(cancels[1].head.message_id, 3u);
  EXPECT_EQ(s.events.size(), 1u);
  EXPECT_FALSE(s.core.failed());
}

TEST_F(Compound, TimesOutPartByPart) {
  s.give_credits(10);
  submit(seconds(5));
  ASSERT_TRUE(s.take());
  s.reply(failed(create::number, 1));

  s.advance(seconds(6));

  ASSERT_EQ(s.events.size(), 3u);
  EXPECT_EQ(s.events[0].outcome, call_outcome::replied);
  EXPECT_EQ(s.events[1].outcome, call_outcome::timed_out);
  EXPECT_EQ(s.events[2].outcome, call_outcome::timed_out);
}

TEST_F(Compound, EndsWithTheConnection) {
  s.give_credits(10);
  submit();
  ASSERT_TRUE(s.take());
  s.reply(failed(create::number, 1));

  s.core.connection_lost({}, s.now);
  s.drain();

  ASSERT_EQ(s.events.size(), 3u);
  EXPECT_EQ(s.events[2].outcome, call_outcome::connection_lost);
}

TEST_F(Compound, HasABound) {
  const echo::request request;
  const std::vector<call_request> many(compound_messages_max + 1, s.request_of<echo>(request, 1));

  EXPECT_FALSE(s.core.submit_compound(many, s.now));
  EXPECT_FALSE(s.core.submit_compound({}, s.now));
}

TEST(CreditTimeline, StaysBoundedAndEven) {
  credit_timeline line;
  for (u32 i = 0; i < 10'000; ++i)
    line.note({.time = nanos(i), .available = i, .in_flight = 0});

  const auto samples = line.samples();

  EXPECT_EQ(line.changes(), 10'000u);
  ASSERT_GE(samples.size(), credit_timeline::samples_max / 2);
  ASSERT_LE(samples.size(), credit_timeline::samples_max + 1);
  EXPECT_EQ(samples.front().time, nanos(0));
  EXPECT_EQ(samples.back().time, nanos(9'999));
  const auto step = samples[1].time - samples[0].time;
  for (std::size_t i = 1; i + 1 < samples.size(); ++i)
    EXPECT_EQ(samples[i].time - samples[i - 1].time, step) << i;
}

TEST(CreditTimeline, ShowsWhatIsSpentAndGranted) {
  session_script s;
  s.give_credits(10);

  const auto samples = s.core.credit_history().samples();

  ASSERT_EQ(samples.size(), 2u);
  EXPECT_EQ(samples[0].available, 0u);
  EXPECT_EQ(samples[0].in_flight, 1u);
  EXPECT_EQ(samples[1].available, 10u);
  EXPECT_EQ(samples[1].in_flight, 0u);
}

} // namespace
} // namespace smb2
