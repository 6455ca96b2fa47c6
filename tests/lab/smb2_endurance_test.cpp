// Many connections, many open files and many requests against a real server. WIRETRIP_LAB_SMB names
// it, WIRETRIP_PASSWORD the password; without the first this is skipped.

#include "smb2/file.hpp"
#include "tests/support/lab_checks.hpp"
#include "tests/support/lab_share.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <map>
#include <random>
#include <set>

namespace smb2 {
namespace {

using support::good;
using done = std::expected<void, error>;

std::size_t open_descriptors() {
  const std::filesystem::directory_iterator all("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

std::size_t resident_kib() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (word == "VmRSS:") {
      std::size_t kib = 0;
      status >> kib;
      return kib;
    }
  return 0;
}

/// Runs body(i) for each i below n, at most `at_once` of them at a time, and ends with the last.
class crowd {
 public:
  using body = std::function<awaitable<void>(std::size_t)>;

  static awaitable<void> run(std::size_t n, std::size_t at_once, body what) {
    crowd all(n, std::move(what));
    const auto executor = co_await asio::this_coro::executor;
    all.working_ = std::min(n, at_once);
    for (std::size_t i = 0; i < std::min(n, at_once); ++i)
      asio::co_spawn(executor, work(all), [&all](std::exception_ptr) {
        if (--all.working_ == 0) all.ended_.notify();
      });
    co_await all.ended_.wait();
  }

 private:
  crowd(std::size_t n, body what) : n_(n), what_(std::move(what)) {}

  static awaitable<void> work(crowd& all) {
    while (all.next_ < all.n_) {
      const auto i = all.next_++;
      co_await all.what_(i);
    }
  }

  std::size_t n_;
  body what_;
  std::size_t next_ = 0;
  std::size_t working_ = 0;
  wire::net::signal ended_;
};

class smb2_endurance : public testing::Test {
 protected:
  using body = awaitable<void> (*)(session&, tree&, std::string);

  void SetUp() override {
    const auto found = support::find_share("WIRETRIP_LAB_SMB");
    if (!found) GTEST_SKIP() << "WIRETRIP_LAB_SMB is not set: no SMB server to talk to";
    share = found->name;
    options = found->options;
    options.connection.timeout = std::chrono::seconds(20);
  }

  static awaitable<bool> come_and_go(session_options options, std::string share, unsigned times) {
    for (unsigned i = 0; i < times; ++i) {
      auto in = co_await session::open(options);
      if (!good(in)) co_return false;
      auto where = co_await tree::connect(*in, share);
      if (!good(where)) co_return false;
      // Every second one just goes away.
      if (i % 2 == 0) {
        auto left = co_await in->logoff();
        if (!good(left)) co_return false;
      }
    }
    co_return true;
  }

  static awaitable<bool> visit(session_options options, std::string share, body work) {
    const auto folder = fmt::format("wiretrip-endurance-{}", std::random_device{}());
    auto in = co_await session::open(std::move(options));
    if (!good(in)) co_return false;
    auto where = co_await tree::connect(*in, share);
    if (!good(where)) co_return false;
    auto made = co_await where->make_directory(folder);
    if (!good(made)) co_return false;
    co_await work(*in, *where, folder);
    auto gone = co_await where->remove_directory(folder);
    good(gone);
    auto left = co_await in->logoff();
    co_return good(left);
  }

  session_options options;
  std::string share;
  asio::io_context io;
};

TEST_F(smb2_endurance, FiveHundredConnectionsLeaveNothingBehind) {
  if (IsSkipped()) return;
  ASSERT_TRUE(wire::net::run_to_end(io, come_and_go(options, share, 50)));
  const auto descriptors = open_descriptors();
  const auto memory_kib = resident_kib();

  ASSERT_TRUE(wire::net::run_to_end(io, come_and_go(options, share, 450)));

  EXPECT_LE(open_descriptors(), descriptors);
  EXPECT_LE(resident_kib(), memory_kib + 2048) << "KiB, after " << memory_kib;
}

/// Each file is gone when it is closed.
open_options passing_file() {
  auto out = open_options::to_write();
  out.access |= access::remove;
  out.disposition = create_disposition::create;
  out.create_options |= create_option::delete_on_close;
  return out;
}

awaitable<void> open_ten_thousand(session& in, tree& where, std::string folder) {
  constexpr std::size_t files = 10'000;
  constexpr std::size_t at_once = 200;
  std::vector<std::optional<file>> opened(files);
  std::map<std::string, std::size_t> refused;
  crowd::body open_one = [&](std::size_t i) -> awaitable<void> {
    const auto options = passing_file();
    auto got = co_await where.open(fmt::format("{}/f{}", folder, i), options);
    if (got)
      opened[i].emplace(std::move(*got));
    else
      ++refused[got.error().code.message()];
  };
  co_await crowd::run(files, at_once, std::move(open_one));
  std::set<std::pair<u64, u64>> ids;
  for (const auto& one : opened)
    if (one) ids.emplace(one->id().persistent, one->id().volatile_part);
  for (const auto& [why, times] : refused)
    ADD_FAILURE() << times << " of " << files << " refused: " << why;
  EXPECT_EQ(ids.size(), files) << "each open has an id of its own";

  std::size_t closed = 0;
  crowd::body close_one = [&](std::size_t i) -> awaitable<void> {
    if (!opened[i]) co_return;
    auto gone = co_await opened[i]->close();
    if (gone) ++closed;
  };
  co_await crowd::run(files, at_once, std::move(close_one));
  EXPECT_EQ(closed, ids.size());
  EXPECT_FALSE(in.connection().closed());
  auto left = co_await where.list(folder);
  if (good(left)) {
    EXPECT_TRUE(left->empty());
  }
}

TEST_F(smb2_endurance, TenThousandFilesAreOpenAtOnce) {
  if (IsSkipped()) return;
  EXPECT_TRUE(wire::net::run_to_end(io, visit(options, share, open_ten_thousand)));
}

/// Writes, reads back and removes a file of its own.
awaitable<void> work_on_a_file(tree& where, std::string path, std::size_t& finished) {
  std::vector<std::byte> data(1024, std::byte{static_cast<unsigned char>(path.back())});
  auto how = passing_file();
  how.access |= access::read_data;
  auto out = co_await where.open(path, how);
  if (!good(out)) co_return;
  auto written = co_await out->write(0, data);
  good(written);
  std::vector<std::byte> back(data.size());
  auto read = co_await out->read(0, back);
  good(read);
  EXPECT_EQ(back, data);
  auto closed = co_await out->close();
  if (good(closed)) ++finished;
}

awaitable<void> work_a_thousand_at_once(session& in, tree& where, std::string folder) {
  constexpr std::size_t workers = 1000;
  std::size_t finished = 0;
  crowd::body work = [&](std::size_t i) {
    return work_on_a_file(where, fmt::format("{}/f{}", folder, i), finished);
  };
  co_await crowd::run(workers, workers, std::move(work));

  EXPECT_EQ(finished, workers);
  const auto& counters = in.connection().counters();
  EXPECT_GT(counters.credit_waits, 0u) << "a thousand requests are more than the server allows";
  EXPECT_EQ(counters.timeouts, 0u);
  EXPECT_EQ(counters.late_responses, 0u);
  // Credits are counted without a sign: one that was spent and not there would be a huge balance.
  u32 most_in_flight = 0;
  for (const auto& at : in.connection().credit_history().samples()) {
    EXPECT_LE(at.available, 8192u);
    most_in_flight = std::max(most_in_flight, at.in_flight);
  }
  EXPECT_GT(most_in_flight, 100u);
  EXPECT_LE(in.connection().credits().available(), in.connection().credits().total());
}

TEST_F(smb2_endurance, AThousandAtOnceShareTheCreditsOfOneConnection) {
  if (IsSkipped()) return;
  EXPECT_TRUE(wire::net::run_to_end(io, visit(options, share, work_a_thousand_at_once)));
}

} // namespace
} // namespace smb2
