// Data of READs that goes straight to where it is wanted, however the stream is cut.
#include "tests/unit/smb2/core_script.hpp"

#include "smb2/frame_intake.hpp"
#include "wire/framer.hpp"

#include <random>

namespace smb2 {
namespace {

using namespace script;

std::vector<std::byte> noise(std::size_t n, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::byte> out(n);
  for (auto& b : out)
    b = static_cast<std::byte>(random());
  return out;
}

/// A body of a READ response; the header is not in it.
std::vector<std::byte> body_of(bytes data, u8 offset = read::data_offset) {
  wire::writer out;
  out.le(u16{17});
  out.le(offset);
  out.le(u8{0});
  out.le(static_cast<u32>(data.size()));
  out.le(u32{0});
  out.le(u32{0});
  out.zeros(offset - read::data_offset);
  out.put(data);
  return out.flatten();
}

std::vector<std::byte> read_response(u64 message_id, bytes data, message_signer* signer = nullptr) {
  return framed(answer{
      .command = read::number, .message_id = message_id, .signer = signer, .body = body_of(data)}
                    .message());
}

class Placing : public testing::Test {
 protected:
  /// What became of a call.
  struct outcome {
    u64 user = 0;
    call_outcome how = call_outcome::replied;
    u32 placed_bytes = 0;
    std::vector<std::byte> message;
  };

  Placing() { s.give_credits(200); }

  /// Sends a READ whose data goes to `into`; its MessageId.
  u64 send_read(std::span<std::byte> into, u64 user) {
    read::request request;
    request.length = static_cast<u32>(into.size());
    auto call = s.request_of<read>(request, user);
    call.credit_bytes = 0;
    call.into = into;
    tickets.push_back(*s.core.submit(call, s.now));
    return s.take()->head.message_id;
  }

  void collect() {
    while (auto event = s.core.poll_event())
      ended.push_back({reinterpret_cast<u64>(event->user),
                       event->outcome,
                       event->placed_bytes,
                       {event->message.begin(), event->message.end()}});
  }

  /// As a driver does it, with reads of 1 to `most` bytes.
  void pump(bytes stream, std::size_t most, unsigned seed = 1) {
    std::mt19937 random(seed);
    while (!stream.empty() && !s.core.failed()) {
      const auto where = s.core.poll_reception();
      const auto room = where.place.empty() ? where.bytes_max : where.place.size();
      const auto n = std::min({1 + random() % most, room, stream.size()});
      if (where.place.empty()) {
        const std::vector<std::byte> passing(stream.begin(), stream.begin() + static_cast<long>(n));
        s.core.receive(passing, s.now);
        collect();
      } else {
        std::ranges::copy(stream.first(n), where.place.begin());
        s.core.received(n, s.now);
        collect();
      }
      stream = stream.subspan(n);
    }
  }

  session_script s{{.credits_target = 200}};
  std::vector<u64> tickets;
  std::vector<outcome> ended;
};

TEST_F(Placing, PutsDataWhereItIsWantedHoweverTheStreamIsCut) {
  for (const std::size_t most : {1u, 7u, 83u, 90u, 5'000u, 100'000u, 400'000u}) {
    s.signer = std::make_shared<sum_signer>(u8{9});
    ended.clear();
    std::vector<std::vector<std::byte>> wanted, got(6);
    std::vector<std::byte> stream;
    for (std::size_t i = 0; i < got.size(); ++i) {
      wanted.push_back(noise(i * 40'000 + i, static_cast<unsigned>(i)));
      got[i].resize(wanted[i].size());
      const auto id = send_read(got[i], i);
      const auto frame = read_response(id, wanted[i], s.signer.get());
      stream.insert(stream.end(), frame.begin(), frame.end());
    }

    pump(stream, most, static_cast<unsigned>(most));

    ASSERT_EQ(ended.size(), got.size()) << s.core.failure();
    for (std::size_t i = 0; i < got.size(); ++i) {
      EXPECT_EQ(ended[i].user, i);
      EXPECT_EQ(ended[i].how, call_outcome::replied);
      if (ended[i].placed_bytes == 0) {
        // It lay in one chunk: its data is in the message.
        const auto m = decode<read::response>(ended[i].message);
        ASSERT_TRUE(m);
        EXPECT_TRUE(std::ranges::equal(m->data.data, wanted[i]));
      } else {
        EXPECT_EQ(ended[i].placed_bytes, wanted[i].size());
        EXPECT_EQ(got[i], wanted[i]);
      }
    }
    if (most <= 5'000) {
      EXPECT_EQ(ended.back().placed_bytes, wanted.back().size());
    }
  }
}

TEST_F(Placing, PutsDataThatStandsFurtherBehind) {
  std::vector<std::byte> place(100'000);
  const auto data = noise(place.size(), 5);
  const auto id = send_read(place, 1);
  pump(
      framed(
          answer{.command = read::number, .message_id = id, .body = body_of(data, 0x58)}.message()),
      4'096);

  ASSERT_EQ(ended.size(), 1u);
  EXPECT_EQ(ended[0].placed_bytes, data.size());
  EXPECT_EQ(place, data);
}

TEST_F(Placing, GivesAnAbandonedPlaceBackAtOnce) {
  std::vector<std::byte> place(200'000), second(70'000);
  const auto data = noise(place.size(), 3), more = noise(second.size(), 4);
  const auto stream = read_response(send_read(place, 1), data);
  const auto next = read_response(send_read(second, 2), more);
  pump(bytes(stream).first(90'000), 4'096);
  ASSERT_FALSE(s.core.poll_reception().place.empty());

  ASSERT_FALSE(s.core.abandon(tickets[0]));
  std::ranges::fill(place, std::byte{0xAA});
  pump(bytes(stream).subspan(90'000), 4'096);
  pump(next, 4'096);

  EXPECT_TRUE(std::ranges::all_of(place, [](std::byte b) { return b == std::byte{0xAA}; }));
  ASSERT_EQ(ended.size(), 1u) << s.core.failure();
  EXPECT_EQ(ended[0].user, 2u);
  EXPECT_EQ(second, more);
  EXPECT_EQ(s.core.counters().late_responses, 1u);
}

TEST_F(Placing, GivesThePlaceOfACallThatTimedOutBack) {
  std::vector<std::byte> place(200'000);
  const auto data = noise(place.size(), 3);
  const auto stream = read_response(send_read(place, 1), data);
  pump(bytes(stream).first(90'000), 4'096);

  s.now += seconds(61);
  s.core.handle_timeout(s.now);
  collect();
  ASSERT_EQ(ended.size(), 1u);
  EXPECT_EQ(ended[0].how, call_outcome::timed_out);
  std::ranges::fill(place, std::byte{0xAA});
  pump(bytes(stream).subspan(90'000), 4'096);

  EXPECT_TRUE(std::ranges::all_of(place, [](std::byte b) { return b == std::byte{0xAA}; }));
  EXPECT_FALSE(s.core.failed());
}

TEST_F(Placing, SeesEveryBitOfPlacedDataThatIsSigned) {
  s.signer = std::make_shared<sum_signer>(u8{9});
  std::vector<std::byte> place(100'000);
  const auto data = noise(place.size(), 3);
  auto stream = read_response(send_read(place, 1), data, s.signer.get());
  stream[60'000] ^= std::byte{1};

  pump(stream, 4'096);

  ASSERT_EQ(ended.size(), 1u);
  EXPECT_EQ(ended[0].how, call_outcome::bad_signature);
  EXPECT_TRUE(s.core.failed());
}

TEST_F(Placing, PutsNothingBeyondItsPlaceNorWhatNoReadAskedFor) {
  std::vector<std::byte> place(50'000, std::byte{0xAA});
  const auto long_data = noise(80'000, 3);
  pump(read_response(send_read(place, 1), long_data), 4'096);
  // A length that does not reach the end of the frame, one beyond it, an offset in the fixed
  // fields.
  auto short_length = body_of(noise(20'000, 1));
  wire::store_le(short_length.data() + 4, u32{19'000});
  auto long_length = body_of(noise(20'000, 1));
  wire::store_le(long_length.data() + 4, u32{21'000});
  auto wrong_offset = body_of(noise(20'000, 1));
  wrong_offset[2] = std::byte{0x20};
  for (const auto& body : {short_length, long_length, wrong_offset}) {
    const auto id = send_read(place, 1);
    pump(framed(answer{.command = read::number, .message_id = id, .body = body}.message()), 4'096);
  }
  const auto failed = send_read(place, 1);
  pump(framed(answer{.command = read::number,
                     .message_id = failed,
                     .status = status::access_denied,
                     .body = body_of(noise(20'000, 1))}
                  .message()),
       4'096);

  ASSERT_EQ(ended.size(), 5u) << s.core.failure();
  for (const auto& one : ended)
    EXPECT_EQ(one.placed_bytes, 0u);
  EXPECT_EQ(ended[0].message.size(), frame_intake::start_bytes + long_data.size());
  EXPECT_TRUE(std::ranges::all_of(place, [](std::byte b) { return b == std::byte{0xAA}; }));
}

TEST(FrameIntake, CutsAsTheFramerDoes) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    std::vector<std::byte> stream;
    for (int i = 0; i < 20; ++i) {
      const auto frame =
          framed(noise(random() % 2 == 0 ? random() % 200 : random() % 20'000, seed));
      stream.insert(stream.end(), frame.begin(), frame.end());
    }
    if (seed % 5 == 0) stream.insert(stream.begin() + random() % 3'000, std::byte{0xFF});
    wire::framer<direct_tcp> framer(message_bytes_max);
    frame_intake intake;
    std::vector<std::vector<std::byte>> expected, got;
    const auto most = 1 + random() % 8'000;
    for (bytes rest = stream; !rest.empty();) {
      const auto piece = rest.first(std::min<std::size_t>(1 + random() % most, rest.size()));
      rest = rest.subspan(piece.size());
      framer.feed(piece, wire::stamp{});
      while (auto f = framer.next())
        expected.emplace_back(f->data.begin(), f->data.end());
      if (const auto place = intake.place(); !place.empty()) {
        const auto n = std::min(place.size(), piece.size());
        std::ranges::copy(piece.first(n), place.begin());
        intake.received(n, nanos{});
        while (auto f = intake.next([](bytes, u64) { return std::optional<frame_place>(); }))
          got.emplace_back(f->data.begin(), f->data.end());
        intake.feed(piece.subspan(n), nanos{});
      } else {
        intake.feed(piece, nanos{});
      }
      while (auto f = intake.next([](bytes, u64) { return std::optional<frame_place>(); }))
        got.emplace_back(f->data.begin(), f->data.end());
      intake.rest();
    }
    EXPECT_EQ(got, expected);
    EXPECT_EQ(intake.in_step(), framer.in_step());
  }
}

} // namespace
} // namespace smb2
