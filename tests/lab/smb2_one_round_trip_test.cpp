// Whole files as one compound each, against a real server: the result and the round trips.
// WIRETRIP_LAB_SMB names it, WIRETRIP_PASSWORD the password; without the first this is skipped.

#include "smb2/one_round_trip.hpp"
#include "tests/support/lab_checks.hpp"
#include "tests/support/lab_share.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace smb2 {
namespace {

using support::good;
using support::pattern;
using done = std::expected<void, error>;

/// Counts frames: all parts of a compound have the number of parts.
struct frame_counter final : wire::exchange_sink {
  double frames = 0;
  void on_exchange(const wire::exchange& e) override { frames += 1.0 / e.operations; }
};

class smb2_one_round_trip : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const auto found = support::find_share("WIRETRIP_LAB_SMB", GetParam());
    if (!found) GTEST_SKIP() << "WIRETRIP_LAB_SMB is not set: no SMB server to talk to";
    share = found->name;
    options = found->options;
    options.connection.timeout = std::chrono::seconds(10);
    options.connection.sink = &count;
  }

  /// How many frames `one` took; it must have worked.
  template <class T>
  awaitable<std::optional<T>> in_one_frame(awaitable<std::expected<T, error>> one) {
    count.frames = 0;
    auto got = co_await std::move(one);
    EXPECT_NEAR(count.frames, 1.0, 1e-9);
    if (!good(got)) co_return std::nullopt;
    co_return std::move(*got);
  }
  awaitable<bool> in_one_frame(awaitable<done> one) {
    count.frames = 0;
    auto got = co_await std::move(one);
    EXPECT_NEAR(count.frames, 1.0, 1e-9);
    co_return good(got);
  }

  awaitable<bool> visit() {
    auto opened = co_await session::open(options);
    if (!good(opened)) co_return false;
    auto entered = co_await tree::connect(*opened, share);
    if (!good(entered)) co_return false;
    const auto probed = co_await one_round_trip::probe(*entered);
    if (!good(probed)) co_return false;
    EXPECT_TRUE(*probed) << "smbd does compounds";
    const auto folder = "wiretrip-one-" + std::to_string(std::random_device{}());
    co_await in_one_frame(one_round_trip::make_directory(*entered, folder));
    co_await files(*entered, folder + "/a");
    co_await refusals(*entered, folder);
    co_await in_one_frame(one_round_trip::remove_directory(*entered, folder));
    auto ended = co_await opened->logoff();
    co_return good(ended);
  }

  awaitable<void> files(tree where, std::string name) {
    for (const std::size_t size : {1u, 10'240u, 60'000u}) {
      const auto data = pattern(size);
      one_round_trip::write_options how;
      how.flush = size == 1;
      how.set_basic.emplace().last_write_time = 132'000'000'000'000'000;
      co_await in_one_frame(one_round_trip::write_file(where, name, data, how));
      std::vector<std::byte> back(size);
      const auto got = co_await in_one_frame(one_round_trip::read_file(where, name, back));
      EXPECT_TRUE(got && got->bytes == size && back == data) << size;
      const auto facts = co_await in_one_frame(one_round_trip::stat(where, name));
      EXPECT_TRUE(facts && facts->size == size);
      EXPECT_TRUE(facts && facts->written == to_unix(132'000'000'000'000'000));
      // The buffer may be larger or smaller than the file.
      std::vector<std::byte> other(size + 7);
      const auto more = co_await in_one_frame(one_round_trip::read_file(where, name, other));
      EXPECT_TRUE(more && more->bytes == size);
      const auto less = co_await in_one_frame(
          one_round_trip::read_file(where, name, std::span(other).first(size - size / 2)));
      EXPECT_TRUE(less && less->bytes == size - size / 2 && less->facts.size == size);
      co_await in_one_frame(one_round_trip::rename(where, name, name + "2"));
      co_await in_one_frame(one_round_trip::remove(where, name + "2"));
    }
    // An empty file is read to its end at once; the server may need a CLOSE of its own for that.
    const wire::bytes nothing;
    co_await in_one_frame(one_round_trip::write_file(where, name, nothing));
    std::vector<std::byte> back(10);
    auto got = co_await one_round_trip::read_file(where, name, back);
    EXPECT_TRUE(good(got) && got->bytes == 0);
    co_await in_one_frame(one_round_trip::remove(where, name));
    // Longer than what one READ and WRITE carry: the plain sequence, the same result.
    const auto data = pattern(3'000'000);
    auto written = co_await one_round_trip::write_file(where, name, data);
    EXPECT_TRUE(good(written));
    std::vector<std::byte> all(data.size());
    auto read = co_await one_round_trip::read_file(where, name, all);
    EXPECT_TRUE(good(read) && all == data);
    co_await in_one_frame(one_round_trip::remove(where, name));
  }

  awaitable<void> refusals(tree where, std::string folder) {
    std::vector<std::byte> back(10);
    auto got = co_await one_round_trip::read_file(where, folder + "/nope", back);
    EXPECT_TRUE(!got &&
                got.error().text.starts_with("CREATE " + folder + "/nope: STATUS_OBJECT_NAME"));
    for (const auto* name : {"/x", "/y"}) {
      auto made = co_await one_round_trip::write_file(where, folder + name, back);
      EXPECT_TRUE(good(made));
    }
    auto moved = co_await one_round_trip::rename(where, folder + "/x", folder + "/y");
    EXPECT_TRUE(!moved && moved.error().text.find("SET_INFO") != std::string::npos &&
                moved.error().text.find("COLLISION") != std::string::npos)
        << (moved ? "worked" : moved.error().text);
    for (const auto* name : {"/x", "/y"}) {
      auto removed = co_await one_round_trip::remove(where, folder + name);
      EXPECT_TRUE(good(removed)) << "nothing may have stayed open";
    }
  }

  std::string share;
  session_options options;
  frame_counter count;
  asio::io_context io;
};

TEST_P(smb2_one_round_trip, DoesWholeFiles) {
  if (IsSkipped()) return;
  EXPECT_TRUE(wire::net::run_to_end(io, visit()));
}

INSTANTIATE_TEST_SUITE_P(all, smb2_one_round_trip,
                         testing::Values("?dialect=2.0.2&sign=off", "?dialect=2.1&sign=required",
                                         "?dialect=3.0&sign=required", "?dialect=3.1.1&sign=off",
                                         "?sign=required", "?seal=required"),
                         [](const auto& which) {
                           std::string out = which.param + 1;
                           for (auto& c : out)
                             if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
                           return out;
                         });

} // namespace
} // namespace smb2
