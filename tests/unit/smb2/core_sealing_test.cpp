#include "tests/unit/smb2/core_script.hpp"

#include "smb2/crypto/sealer.hpp"

#include <set>

namespace smb2 {
namespace {

using namespace script;

constexpr u64 session = 0x1234;

crypto::session_keys keys_of(cipher algorithm, bool server) {
  crypto::session_keys keys;
  const bool wide = algorithm == cipher::aes_256_ccm || algorithm == cipher::aes_256_gcm;
  keys.encryption.size = keys.decryption.size = wide ? 32 : 16;
  keys.encryption.data.fill(std::byte{0x11});
  keys.decryption.data.fill(std::byte{0x22});
  if (server) std::swap(keys.encryption, keys.decryption);
  return keys;
}

std::vector<std::byte> sealed(message_sealer& with, u64 id, bytes plain) {
  std::vector<std::byte> out(transform_header::size + plain.size());
  with.seal(id, std::span(&plain, 1), out);
  return out;
}

class Sealing : public testing::TestWithParam<cipher> {
 protected:
  Sealing() : server(crypto::make_sealer(GetParam(), keys_of(GetParam(), true))) {
    s.sealer = crypto::make_sealer(GetParam(), keys_of(GetParam(), false));
    s.server_sealer = server.get();
    s.session_id = session;
    s.core.open_sealed_with(session, s.sealer);
  }

  [[nodiscard]] std::optional<sent_message> call_echo(u64 user = 1) {
    s.submit<echo>(request, user);
    return s.take();
  }

  void reply_sealed(const answer& a) { s.feed(framed(sealed(*server, session, a.message()))); }

  echo::request request;
  session_script s;
  std::unique_ptr<message_sealer> server;
};

TEST_P(Sealing, SealsARequestAndOpensItsResponse) {
  s.signer = std::make_shared<sum_signer>(u8{3});

  const auto sent = call_echo(77);
  ASSERT_TRUE(sent);
  EXPECT_EQ(sent->head.command, echo::number);
  EXPECT_EQ(sent->head.session_id, session);
  EXPECT_FALSE(sent->head.is_signed());
  reply_sealed({.message_id = 0, .credits = 5, .session_id = session});

  ASSERT_EQ(s.events.size(), 1u) << s.core.failure();
  EXPECT_EQ(s.events[0].outcome, call_outcome::replied);
  EXPECT_EQ(s.user_of(0), 77u);
  EXPECT_EQ(s.events[0].request_bytes, 4 + 52 + 64 + 4u);
  EXPECT_EQ(s.events[0].reply_bytes, 4 + 52 + 64 + 4u);
  EXPECT_EQ(s.core.counters().sealed_messages, 1u);
}

TEST_P(Sealing, SealsBorrowedDataInPieces) {
  s.core.allow_multi_credit();
  std::vector<std::byte> data(50'000, std::byte{0x5A});
  write::request large;
  large.data = part(data);
  s.submit<write>(large);

  const auto sent = s.take();

  ASSERT_TRUE(sent);
  const auto body = decode<write::request>(sent->data);
  ASSERT_TRUE(body);
  EXPECT_TRUE(std::ranges::equal(body->data.data, data));
}

TEST_P(Sealing, NeverUsesANonceTwice) {
  s.submit<echo>(request);
  std::set<std::array<std::byte, 16>> nonces;
  for (u64 id = 0; id < 500; ++id) {
    const auto sent = s.take();
    ASSERT_TRUE(sent);
    EXPECT_TRUE(nonces.insert(sent->nonce).second);
    reply_sealed({.message_id = id, .credits = 1, .session_id = session});
    s.submit<echo>(request);
  }
}

TEST_P(Sealing, EndsWhenTheServerDropsIt) {
  ASSERT_TRUE(call_echo());

  s.reply({.message_id = 0, .session_id = session});

  ASSERT_EQ(s.events.size(), 1u);
  EXPECT_EQ(s.events[0].outcome, call_outcome::not_sealed);
  EXPECT_EQ(s.core.failure(), "a response that is not sealed, though its request was (ECHO)");
}

TEST_P(Sealing, TakesNoInterimResponseThatIsNotSealed) {
  ASSERT_TRUE(call_echo());

  s.reply({.message_id = 0, .status = status::pending, .async_id = 9, .session_id = session});

  EXPECT_TRUE(s.core.failed());
}

TEST_P(Sealing, TakesASealedInterimResponse) {
  ASSERT_TRUE(call_echo());

  reply_sealed({.message_id = 0, .status = status::pending, .async_id = 9, .session_id = session});
  EXPECT_TRUE(s.events.empty());
  reply_sealed({.message_id = 0, .async_id = 9, .session_id = session});

  ASSERT_EQ(s.events.size(), 1u) << s.core.failure();
  EXPECT_TRUE(s.events[0].interim);
}

TEST_P(Sealing, TakesASealedBreakThatNamesNoSession) {
  reply_sealed({.command = oplock_break::number, .message_id = unsolicited_message_id});

  ASSERT_EQ(s.events.size(), 1u) << s.core.failure();
  EXPECT_EQ(s.events[0].outcome, call_outcome::oplock_break);
}

TEST_P(Sealing, EndsAtASessionThatHasNoKey) {
  ASSERT_TRUE(call_echo());

  const answer a{.message_id = 0, .session_id = session};
  s.feed(framed(sealed(*server, session + 1, a.message())));

  EXPECT_EQ(s.core.failure(), "a sealed message of session 0x1235, for which there is no key");
}

TEST_P(Sealing, EndsAtAMessageOfAnotherSessionInside) {
  ASSERT_TRUE(call_echo());

  reply_sealed({.message_id = 0, .session_id = 0x77});

  EXPECT_EQ(s.core.failure(), "a message of session 0x77 sealed with the key of session 0x1234");
}

TEST_P(Sealing, EndsAtASealedMessageInsideASealedOne) {
  ASSERT_TRUE(call_echo());

  const answer a{.message_id = 0, .session_id = session};
  const auto inner = sealed(*server, session, a.message());
  s.feed(framed(sealed(*server, session, inner)));

  EXPECT_EQ(s.core.failure(), "a sealed message that holds no SMB2");
}

TEST_P(Sealing, NoticesEveryBitThatIsChanged) {
  const answer a{.message_id = 0, .session_id = session};
  const auto good = sealed(*server, session, a.message());
  for (std::size_t i = 0; i < good.size(); ++i) {
    // Bytes of the nonce that the cipher leaves out are authenticated too.
    session_script one;
    one.sealer = s.sealer;
    one.session_id = session;
    one.server_sealer = server.get();
    one.core.open_sealed_with(session, s.sealer);
    one.submit<echo>(request);
    ASSERT_TRUE(one.take());
    auto bad = good;
    bad[i] ^= std::byte{0x10};
    one.feed(framed(bad));
    EXPECT_TRUE(one.core.failed()) << "byte " << i;
    EXPECT_TRUE(one.events.empty()) << "byte " << i;
  }
}

TEST_P(Sealing, RefusesEveryCutOfAMessage) {
  const answer a{.message_id = 0, .session_id = session};
  const auto good = sealed(*server, session, a.message());
  for (std::size_t n = 4; n < good.size(); ++n) {
    session_script one;
    one.core.open_sealed_with(session, s.sealer);
    one.feed(framed(bytes(good).first(n)));
    EXPECT_TRUE(one.core.failed()) << n << " bytes";
  }
}

TEST_P(Sealing, SealsACancelAsItsRequestWas) {
  const auto ticket = s.submit<echo>(request, 1);
  ASSERT_TRUE(s.take());
  static_cast<void>(s.core.abandon(*ticket));

  const auto sent = s.take();

  ASSERT_TRUE(sent);
  EXPECT_EQ(sent->head.command, cancel::number);
  EXPECT_NE(sent->nonce, (std::array<std::byte, 16>{}));
}

TEST_P(Sealing, StopsWhenTheKeyHasSealedEnough) {
  s.sealer = crypto::make_sealer(GetParam(), keys_of(GetParam(), false), 1);
  s.core.open_sealed_with(session, s.sealer);
  ASSERT_TRUE(call_echo(1));
  reply_sealed({.message_id = 0, .credits = 5, .session_id = session});

  EXPECT_FALSE(call_echo(2));

  s.drain();
  ASSERT_EQ(s.events.size(), 2u);
  EXPECT_EQ(s.events[1].outcome, call_outcome::key_used_up);
}

std::string name_of(const testing::TestParamInfo<cipher>& chosen) {
  constexpr std::array names{"none", "ccm128", "gcm128", "ccm256", "gcm256"};
  return names.at(static_cast<std::size_t>(chosen.param));
}

INSTANTIATE_TEST_SUITE_P(all, Sealing,
                         testing::Values(cipher::aes_128_ccm, cipher::aes_128_gcm,
                                         cipher::aes_256_ccm, cipher::aes_256_gcm),
                         name_of);

} // namespace
} // namespace smb2
