#include "smb2/crypto/preauth.hpp"
#include "tests/support/analysis.hpp"
#include "tests/support/smb2_sealed.hpp"
#include "wire/hex.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace {

using namespace std::chrono_literals;
using smb2::cipher;
using support::analyse;
using support::byte_vector;
using support::pattern;
using support::sealed_noise;
using support::smb2_error;
using support::smb2_frame;
using support::smb2_interim;
using support::smb2_request;
using support::smb2_response;
using support::smb2_sealer;
using support::tcp_talk;
using support::v4;
using wire::nanos;

const auto client = v4(198, 18, 1, 1, 50'123);
const auto server = v4(198, 18, 1, 2, 445);
constexpr wire::u64 session = 7;
constexpr smb2::fileid file_one{11, 12};
constexpr std::array ciphers{cipher::aes_128_ccm, cipher::aes_128_gcm, cipher::aes_256_ccm,
                             cipher::aes_256_gcm};

byte_vector key_of(cipher algorithm, unsigned char fill) {
  const bool wide = algorithm == cipher::aes_256_ccm || algorithm == cipher::aes_256_gcm;
  return byte_vector(wide ? 32 : 16, std::byte{fill});
}

/// Both directions of one session.
struct sealers {
  sealers(cipher algorithm, wire::bytes to_server_key, wire::bytes to_client_key)
      : to_server(algorithm, to_server_key, session), to_client(algorithm, to_client_key, session) {
  }
  explicit sealers(cipher algorithm)
      : sealers(algorithm, key_of(algorithm, 1), key_of(algorithm, 2)) {}

  smb2_sealer to_server;
  smb2_sealer to_client;
};

profiler::analysis_options with_keys(const std::string& line) {
  auto keys = profiler::flow::smb2_keys::parse(line, "keys");
  if (!keys) throw std::invalid_argument(keys.error());
  return {.ports = {}, .smb2_keys = std::move(*keys)};
}

profiler::analysis_options with_both_keys(cipher algorithm) {
  return with_keys(fmt::format("0x7,,{},{}", wire::to_hex(key_of(algorithm, 2)),
                               wire::to_hex(key_of(algorithm, 1))));
}

byte_vector read_request(wire::u64 id, wire::u32 length) {
  smb2::read::request r;
  r.length = length;
  r.file = file_one;
  return smb2_frame(smb2_request<smb2::read>(id, r));
}

byte_vector read_response(wire::u64 id, wire::bytes data) {
  smb2::read::response r;
  r.data = smb2::part(data);
  return smb2_frame(smb2_response<smb2::read>(id, r));
}

byte_vector echo_request(wire::u64 id) {
  return smb2_frame(smb2_request<smb2::echo>(id, {}));
}

byte_vector echo_response(wire::u64 id) {
  return smb2_frame(smb2_response<smb2::echo>(id, {}));
}

TEST(Smb2Sealed, IsWithItsKeysWhatItIsUnsealed) {
  const auto data = pattern(5000);
  const auto talk_of = [&](auto&& to_server, auto&& to_client) {
    tcp_talk talk(client, server);
    talk.handshake();
    talk.to_server(to_server(read_request(1, 5000))).wait(1ms);
    talk.to_client(to_client(smb2_frame(smb2_interim(smb2::read::number, 1)))).wait(2ms);
    talk.to_client(to_client(read_response(1, data))).wait(1ms);
    talk.to_server(
        to_server(smb2_frame({smb2_request<smb2::echo>(2, {}), smb2_request<smb2::echo>(3, {})})));
    talk.wait(1ms).to_client(to_client(
        smb2_frame({smb2_response<smb2::echo>(2, {}), smb2_response<smb2::echo>(3, {})})));
    return talk.frames;
  };
  const auto same = [](byte_vector frame) { return frame; };
  const auto plain = analyse(talk_of(same, same));
  ASSERT_EQ(plain.exchanges.size(), 3u);

  for (const auto algorithm : ciphers) {
    sealers seal(algorithm);
    const auto got = analyse(talk_of(seal.to_server, seal.to_client), with_both_keys(algorithm));

    ASSERT_EQ(got.exchanges.size(), 3u);
    for (std::size_t i = 0; i < 3; ++i) {
      const auto& a = got.exchanges[i];
      const auto& b = plain.exchanges[i];
      EXPECT_EQ(a.operation, b.operation);
      EXPECT_EQ(a.operations, b.operations);
      EXPECT_EQ(a.interim, b.interim);
      EXPECT_EQ(a.id, b.id);
      EXPECT_EQ(a.file, b.file);
      EXPECT_EQ(a.data_bytes, b.data_bytes);
      EXPECT_EQ(a.latency(), b.latency());
      EXPECT_EQ(a.request_bytes, b.request_bytes + (a.part == 0 ? 52 : 0));
    }
    const auto& seen = got.result.seen;
    EXPECT_EQ(seen.encrypted_messages, 5u);
    EXPECT_EQ(seen.decrypted_messages, 5u);
    EXPECT_EQ(seen.decrypted_unverified, 0u);
    EXPECT_EQ(seen.tag_failures + seen.encrypted_without_key + seen.encrypted_unpaired, 0u);
    EXPECT_EQ(got.result.smb.sessions.at(session).cipher, static_cast<wire::u16>(algorithm));
  }
}

TEST(Smb2Sealed, LooksIntoTheStartOfWhatIsNotKeptOrCapturedWhole) {
  const auto data = pattern(200'000);
  for (const auto algorithm : ciphers) {
    sealers seal(algorithm);
    tcp_talk talk(client, server);
    talk.handshake();
    talk.to_server(seal.to_server(read_request(1, 200'000))).wait(1ms);
    talk.to_client(seal.to_client(read_response(1, data)));

    const auto got = analyse(talk.frames, with_both_keys(algorithm));
    ASSERT_EQ(got.exchanges.size(), 1u);
    EXPECT_EQ(got.exchanges[0].data_bytes, 200'000u);
    EXPECT_EQ(got.result.seen.decrypted_unverified, 1u);

    const auto cut = analyse(support::cut_to(talk.frames, 220), with_both_keys(algorithm));
    ASSERT_EQ(cut.exchanges.size(), 1u);
    EXPECT_EQ(cut.exchanges[0].operation, smb2::read::number);
    EXPECT_EQ(cut.exchanges[0].latency(), got.exchanges[0].latency());
    EXPECT_EQ(cut.result.seen.decrypted_unverified, 2u);
  }
}

TEST(Smb2Sealed, CountsWhatIsDamagedAndWhatNoKeyFits) {
  sealers seal(cipher::aes_128_gcm);
  tcp_talk talk(client, server);
  talk.handshake();
  auto damaged = seal.to_server(echo_request(1));
  damaged.back() ^= std::byte{1};
  talk.to_server(damaged).wait(1ms);
  talk.to_server(seal.to_server(echo_request(2))).wait(1ms);
  talk.to_client(seal.to_client(echo_response(2))).wait(1ms);

  const auto good = analyse(talk.frames, with_both_keys(cipher::aes_128_gcm)).result;
  EXPECT_EQ(good.seen.tag_failures, 1u);
  EXPECT_EQ(good.seen.decrypted_messages, 2u);
  EXPECT_EQ(good.seen.timed, 1u);

  const auto wrong =
      analyse(talk.frames, with_keys("0x7,," + std::string(32, '5') + "," + std::string(32, '6')))
          .result;
  EXPECT_EQ(wrong.seen.tag_failures, 3u);
  EXPECT_EQ(wrong.smb.sessions.at(session).tag_failures, 3u);
  EXPECT_EQ(wrong.seen.timed, 0u);

  const auto other = analyse(talk.frames, with_keys("0x8," + std::string(32, '5'))).result;
  EXPECT_EQ(other.seen.encrypted_without_key, 3u);
  EXPECT_EQ(other.smb.sessions.at(session).without_key, 3u);
}

TEST(Smb2Sealed, KnowsASessionOnAllItsConnections) {
  sealers seal(cipher::aes_256_gcm);
  std::vector<support::timed_frame> frames;
  for (wire::u16 port = 50'001; port <= 50'003; ++port) {
    tcp_talk talk(v4(198, 18, 1, 1, port), server);
    talk.handshake();
    talk.to_server(seal.to_server(echo_request(1))).wait(1ms);
    talk.to_client(seal.to_client(echo_response(1)));
    frames.insert(frames.end(), talk.frames.begin(), talk.frames.end());
  }
  const auto got = analyse(frames, with_both_keys(cipher::aes_256_gcm)).result;
  EXPECT_EQ(got.seen.timed, 3u);
  EXPECT_EQ(got.smb.sessions.at(session).decrypted, 6u);
}

TEST(Smb2Sealed, CountsCompressedMessagesInside) {
  sealers seal(cipher::aes_128_gcm);
  smb2::compression_header head;
  head.original_segment_size = 9000;
  head.algorithm = 3;
  auto message = smb2::encode_buffer(head);
  message.resize(message.size() + 100);
  tcp_talk talk(client, server);
  talk.handshake();
  talk.to_server(seal.to_server(support::framed(message))).wait(1ms);
  talk.to_server(support::framed(message));

  const auto r = analyse(talk.frames, with_both_keys(cipher::aes_128_gcm)).result;
  EXPECT_EQ(r.seen.compressed_messages, 2u);
  EXPECT_EQ(r.smb.compressed[3], 2u);
  EXPECT_EQ(r.smb.compressed_inside, 1u);
  EXPECT_EQ(r.smb.uncompressed_bytes, 18'000u);
}

/// A connection from its NEGOTIATE on, up to sealed requests.
class handshake_talk {
 public:
  static constexpr std::string_view session_key = "000102030405060708090a0b0c0d0e0f";

  handshake_talk(smb2::dialect revision, cipher algorithm) : talk(client, server) {
    talk.handshake();
    smb2::negotiate::request ask;
    ask.dialects = {revision};
    const auto chosen = smb2::encode_buffer(smb2::encryption_capabilities{{algorithm}});
    smb2::negotiate::response answer;
    answer.revision = revision;
    if (revision == smb2::dialect::smb_3_1_1)
      answer.contexts.push_back({smb2::context_type::encryption, chosen});
    send(true, smb2_request<smb2::negotiate>(0, ask), 0);
    send(false, smb2_response<smb2::negotiate>(0, answer), 0);
    send(true, smb2_request<smb2::session_setup>(1, {}), 0);
    auto more = smb2_response<smb2::session_setup>(1, {});
    more.head.status = smb2::status::more_processing_required;
    send(false, more, session);
    send(true, smb2_request<smb2::session_setup>(2, {}), session);
    const auto keys =
        smb2::crypto::derive_keys(revision, *wire::from_hex(session_key), hash_.value(), algorithm);
    send(false, smb2_response<smb2::session_setup>(2, {}), session);
    sealers seal(algorithm, keys.encryption.view(), keys.decryption.view());
    talk.to_server(seal.to_server(echo_request(3))).wait(1ms);
    talk.to_client(seal.to_client(echo_response(3)));
  }

  tcp_talk talk;

 private:
  void send(bool to_server, support::smb2_part part, wire::u64 session_id) {
    part.head.session_id = session_id;
    const auto frame = smb2_frame(part);
    const wire::bytes pieces[] = {wire::bytes(frame).subspan(4)};
    hash_.update(pieces);
    to_server ? talk.to_server(frame) : talk.to_client(frame);
    talk.wait(1ms);
  }

  smb2::crypto::preauth_sha512 hash_;
};

const auto session_key_line = "0x7," + std::string(handshake_talk::session_key);

TEST(Smb2Sealed, DerivesTheKeysOfEveryDialectFromTheSessionKey) {
  for (const auto revision : {smb2::dialect::smb_3_0, smb2::dialect::smb_3_0_2}) {
    const auto r = analyse(handshake_talk(revision, cipher::aes_128_ccm).talk.frames,
                           with_keys(session_key_line))
                       .result;
    EXPECT_EQ(r.seen.decrypted_messages, 2u);
    EXPECT_EQ(r.seen.timed, 4u);
  }
  for (const auto algorithm : ciphers) {
    const auto r = analyse(handshake_talk(smb2::dialect::smb_3_1_1, algorithm).talk.frames,
                           with_keys(session_key_line))
                       .result;
    EXPECT_EQ(r.seen.decrypted_messages, 2u);
    EXPECT_EQ(r.seen.timed, 4u);
    EXPECT_EQ(r.smb.sessions.at(session).cipher, static_cast<wire::u16>(algorithm));
    EXPECT_FALSE(r.smb.sessions.at(session).hash_missing);
  }
}

TEST(Smb2Sealed, SaysWhenTheHandshakeThatTheKeysDependOnIsMissing) {
  const auto all = handshake_talk(smb2::dialect::smb_3_1_1, cipher::aes_128_gcm).talk.frames;
  const auto expect_missing = [](const std::vector<support::timed_frame>& frames) {
    const auto r = analyse(frames, with_keys(session_key_line)).result;
    EXPECT_EQ(r.seen.encrypted_without_key, 2u);
    EXPECT_EQ(r.seen.tag_failures, 0u);
    EXPECT_TRUE(r.smb.sessions.at(session).hash_missing);
  };
  // Three segments of TCP's handshake, six messages, two sealed ones.
  ASSERT_EQ(all.size(), 11u);
  for (std::size_t lost = 3; lost < 8; ++lost) {
    SCOPED_TRACE(lost);
    auto frames = all;
    frames.erase(frames.begin() + static_cast<std::ptrdiff_t>(lost));
    expect_missing(frames);
  }
  expect_missing({all.begin() + 9, all.end()});
  auto cut = all;
  cut[5].wire_length = static_cast<wire::u32>(cut[5].data.size());
  cut[5].data.resize(cut[5].data.size() - 1);
  expect_missing(cut);
}

// Without keys.

struct sealed_counts {
  std::size_t pairs;
  wire::u64 unpaired;
};

sealed_counts counts_of(const tcp_talk& talk) {
  const auto got = analyse(talk.frames);
  EXPECT_EQ(got.result.seen.timed, got.exchanges.size());
  for (const auto& e : got.exchanges)
    EXPECT_EQ(e.operation, 126);
  return {got.exchanges.size(), got.result.seen.encrypted_unpaired};
}

tcp_talk a_talk() {
  tcp_talk talk(client, server);
  talk.handshake();
  return talk;
}

constexpr wire::u32 interim_bytes = 73;

TEST(Smb2Unopened, TimesTheOnlyRequestThatIsOutstanding) {
  auto talk = a_talk();
  talk.to_server(sealed_noise(113)).wait(300us);
  talk.to_client(sealed_noise(5000)).wait(1ms);
  talk.to_server(sealed_noise(88)).wait(200us);
  talk.to_client(sealed_noise(124));

  const auto got = analyse(talk.frames);
  ASSERT_EQ(got.exchanges.size(), 2u);
  EXPECT_EQ(got.exchanges[0].latency(), nanos{300us});
  EXPECT_EQ(got.exchanges[0].request_bytes, 4u + 52 + 113);
  EXPECT_EQ(got.exchanges[0].reply_bytes, 4u + 52 + 5000);
  EXPECT_EQ(got.exchanges[1].latency(), nanos{200us});
  EXPECT_EQ(got.result.seen.share(), 1.0);
  EXPECT_EQ(got.result.seen.encrypted_without_key, 4u);
}

TEST(Smb2Unopened, GuessesNothingWhileSeveralAreOutstanding) {
  auto talk = a_talk();
  talk.to_server(sealed_noise(113)).to_server(sealed_noise(113)).to_server(sealed_noise(113));
  talk.wait(1ms);
  for (int i = 0; i < 3; ++i)
    talk.to_client(sealed_noise(4000));
  talk.wait(1ms).to_server(sealed_noise(113)).wait(1ms).to_client(sealed_noise(4000));

  const auto got = counts_of(talk);
  EXPECT_EQ(got.pairs, 1u) << "the one that came when the others were done";
  EXPECT_EQ(got.unpaired, 3u);
}

TEST(Smb2Unopened, TimesSessionsThatShareAConnectionApart) {
  auto talk = a_talk();
  talk.to_server(sealed_noise(113, 1)).to_server(sealed_noise(113, 2)).wait(1ms);
  talk.to_client(sealed_noise(400, 2)).wait(1ms).to_client(sealed_noise(400, 1));
  const auto got = counts_of(talk);
  EXPECT_EQ(got.pairs, 2u);
  EXPECT_EQ(got.unpaired, 0u);
}

TEST(Smb2Unopened, TakesNoInterimResponseForAnAnswer) {
  auto talk = a_talk();
  talk.to_server(sealed_noise(3000)).wait(1ms).to_client(sealed_noise(interim_bytes)).wait(1ms);
  talk.to_client(sealed_noise(80)).wait(1ms);
  talk.to_server(sealed_noise(88)).wait(1ms).to_client(sealed_noise(124));
  const auto got = counts_of(talk);
  EXPECT_EQ(got.pairs, 1u);
  EXPECT_EQ(got.unpaired, 1u);
}

TEST(Smb2Unopened, TakesPairsBackWhenAResponseTurnsOutToBeOneTooMany) {
  auto talk = a_talk();
  // A request becomes pending; its answer comes while another one waits, and is taken for that's.
  talk.to_server(sealed_noise(96)).wait(1ms).to_client(sealed_noise(interim_bytes)).wait(1ms);
  talk.to_server(sealed_noise(113)).wait(1ms).to_client(sealed_noise(100)).wait(1ms);
  talk.to_client(sealed_noise(4000));
  const auto got = counts_of(talk);
  EXPECT_EQ(got.pairs, 0u);
  EXPECT_EQ(got.unpaired, 2u);
}

TEST(Smb2Unopened, LetsANotificationComeWhenNobodyWaits) {
  auto talk = a_talk();
  talk.to_server(sealed_noise(113)).wait(1ms).to_client(sealed_noise(400)).wait(1ms);
  for (const wire::u32 size : {88, 108, 76})
    talk.to_client(sealed_noise(size)).wait(1ms);
  const auto got = counts_of(talk);
  EXPECT_EQ(got.pairs, 1u);
  EXPECT_EQ(got.unpaired, 0u);
}

TEST(Smb2Unopened, CountsRequestsThatAreNeverAnswered) {
  auto talk = a_talk();
  talk.to_server(sealed_noise(113)).wait(1ms);
  const auto got = counts_of(talk);
  EXPECT_EQ(got.pairs, 0u);
  EXPECT_EQ(got.unpaired, 1u);
}

TEST(Smb2Unopened, IsNotReadBeyondWhatItsHeaderSays) {
  auto talk = a_talk();
  auto lying = sealed_noise(100);
  wire::store_le(lying.data() + 4 + 36, wire::u32{200});
  talk.to_server(lying).wait(1ms).to_server(
      support::framed(byte_vector(lying.begin() + 4, lying.begin() + 24)));
  const auto seen = analyse(talk.frames, with_both_keys(cipher::aes_128_gcm)).result.seen;
  EXPECT_EQ(seen.malformed, 2u);
  EXPECT_EQ(seen.encrypted_messages, 2u);
  EXPECT_EQ(seen.decrypted_messages, 0u);
}

} // namespace
