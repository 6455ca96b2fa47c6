// One session over several connections, on both links, and several sessions, against a real server.
// WIRETRIP_LAB_SMB_DURABLE names it (tests/lab/smb-durable.conf), WIRETRIP_PASSWORD the password;
// without the first all of this is skipped.

#include "smb2/multichannel.hpp"
#include "smb2/tree_pool.hpp"
#include "tests/support/lab_checks.hpp"
#include "tests/support/lab_share.hpp"

#include <asio/experimental/awaitable_operators.hpp>
#include <asio/steady_timer.hpp>
#include <gtest/gtest.h>

#include <map>
#include <random>

namespace smb2 {
namespace {

using support::good;
using support::pattern;
using namespace asio::experimental::awaitable_operators;
using std::chrono::milliseconds;
using std::chrono::seconds;

struct bytes_by_connection final : wire::exchange_sink {
  std::map<u32, u64> bytes;
  std::map<u32, u64> requests;
  void on_exchange(const wire::exchange& e) override {
    ++requests[e.connection];
    if (e.replied && (e.operation == write::number || e.operation == read::number))
      bytes[e.connection] += e.data_bytes;
  }
};

struct way {
  dialect revision;
  signing_policy sign;
  sealing_policy seal;
};

class smb2_channels : public testing::TestWithParam<way> {
 protected:
  void SetUp() override {
    const auto found = support::find_share("WIRETRIP_LAB_SMB_DURABLE");
    if (!found) GTEST_SKIP() << "WIRETRIP_LAB_SMB_DURABLE is not set: no server with multichannel";
    share = found->name;
    options = found->options;
    options.connection.timeout = seconds(20);
    options.connection.sink = &sink;
    options.dialect = GetParam().revision;
    options.sign = GetParam().sign;
    options.seal = GetParam().seal;
    name = "wiretrip-channels-" + std::to_string(std::random_device{}());
  }

  void run(awaitable<void> work) {
    if (IsSkipped()) return;
    asio::co_spawn(io, std::move(work), [](std::exception_ptr e) { EXPECT_FALSE(e); });
    io.run();
  }

  session_options options;
  std::string share;
  std::string name;
  bytes_by_connection sink;
  asio::io_context io;
};

open_options to_work() {
  auto out = open_options::to_write();
  out.access |= access::read_data;
  return out;
}

constexpr transfer_options in_pieces{.chunk_bytes = 65'536, .window_bytes = 1 << 20};

/// Does `work` with an open file in a session of `count` channels.
using body = std::function<awaitable<void>(multichannel, tree, file)>;
awaitable<void> with_channels(session_options options, std::string share, std::string name,
                              std::size_t count, body work) {
  auto first = co_await session::open(std::move(options));
  if (!good(first)) co_return;
  auto where = co_await tree::connect(*first, std::move(share));
  if (!good(where)) co_return;
  channel_options how;
  how.count = count;
  auto all = co_await multichannel::over(*first, how);
  if (!good(all)) co_return;
  EXPECT_EQ(all->size(), count);
  auto out = co_await all->open(*where, name, to_work());
  if (!good(out)) co_return;
  co_await work(*all, *where, *out);
  auto last = all->through(*out);
  auto closed = co_await last.close();
  good(closed);
  auto left = all->through(*where);
  auto gone = co_await left.remove(name);
  good(gone);
}

TEST_P(smb2_channels, SpreadsAFileOverBothLinks) {
  const auto data = pattern(32 << 20);
  run(with_channels(options, share, name, 4,
                    [&](multichannel all, tree, file out) -> awaitable<void> {
                      std::map<std::string, int> addresses;
                      for (std::size_t i = 0; i < all.size(); ++i)
                        ++addresses[all.channel(i).connection().server()];
                      EXPECT_GE(addresses.size(), 2u);
                      auto written = co_await all.write(out, 0, data, in_pieces);
                      good(written);
                      std::vector<std::byte> back(data.size());
                      auto got = co_await all.read(out, 0, back, in_pieces);
                      if (good(got)) {
                        EXPECT_TRUE(back == data);
                      }
                    }));
  EXPECT_EQ(sink.bytes.size(), 4u);
  u64 sum = 0;
  for (const auto& [connection, bytes] : sink.bytes) {
    EXPECT_GT(bytes, 1u << 20) << connection;
    sum += bytes;
  }
  EXPECT_EQ(sum, 2 * data.size()) << "and none of it twice";
}

/// In the middle of the work, when the channel has requests under way: a fast link leaves it
/// without any at times.
awaitable<void> cut(multichannel all, std::size_t which) {
  const auto strand = co_await asio::this_coro::executor;
  asio::steady_timer timer(strand);
  for (int i = 0; i < 2000; ++i) {
    timer.expires_after(milliseconds(i == 0 ? 20 : 1));
    auto [error] = co_await timer.async_wait(wire::net::as_result);
    EXPECT_FALSE(error);
    const auto credits = all.channel(which).connection().credit_history().samples();
    if (!credits.empty() && credits.back().in_flight > 0) break;
  }
  all.channel(which).connection().close();
}

TEST_P(smb2_channels, SurvivesTheLossOfAChannel) {
  const auto data = pattern(32 << 20);
  for (const std::size_t lost : {0u, 1u, 2u}) {
    io.restart();
    run(with_channels(options, share, name, 3,
                      [&, lost](multichannel all, tree, file out) -> awaitable<void> {
                        transfer_report report;
                        auto pieces = in_pieces;
                        pieces.report = &report;
                        auto writing = all.write(out, 0, data, pieces);
                        auto cutting = cut(all, lost);
                        auto both = std::move(writing) && std::move(cutting);
                        auto written = co_await std::move(both);
                        if (!good(written)) co_return;
                        const std::vector<byte_range> everything{{0, data.size()}};
                        EXPECT_EQ(report.moved, everything);
                        EXPECT_EQ(all.living(), 2u);
                        EXPECT_FALSE(all.channel(lost).connection().unanswered().empty());
                        std::vector<std::byte> back(data.size());
                        auto got = co_await all.read(out, 0, back, in_pieces);
                        if (good(got)) {
                          EXPECT_TRUE(back == data);
                        }
                        auto mended = co_await all.mend();
                        good(mended);
                        EXPECT_EQ(all.living(), 3u);
                      }));
  }
}

awaitable<void> look_for_links(session_options options) {
  auto first = co_await session::open(std::move(options));
  if (!good(first)) co_return;
  auto list = co_await server_interfaces(*first);
  if (!good(list)) co_return;
  std::map<std::string, u64> speeds;
  for (const auto& one : *list)
    speeds[one.address.to_string()] = one.link_speed;
  EXPECT_GT(speeds["198.18.1.2"], 0u);
  EXPECT_GT(speeds["198.18.2.2"], 0u);
}

TEST_P(smb2_channels, LearnsBothLinksFromTheServer) {
  run(look_for_links(options));
}

awaitable<void> work_on_files(session_options options, std::string share, std::string name) {
  auto pool = co_await tree_pool::open(std::move(options), std::move(share), 4);
  if (!good(pool)) co_return;
  auto made = co_await pool->next().make_directory(name);
  if (!good(made)) co_return;
  const auto data = pattern(10'000);
  std::size_t left = 8;
  wire::net::signal all_done;
  const auto strand = co_await asio::this_coro::executor;
  const auto some_files = [](tree_pool& where, std::string prefix,
                             bytes content) -> awaitable<void> {
    for (int i = 0; i < 25; ++i) {
      auto out = co_await where.next().open(prefix + std::to_string(i), open_options::to_write());
      if (!good(out)) co_return;
      auto written = co_await out->write(0, content);
      good(written);
      auto closed = co_await out->close();
      good(closed);
      auto gone = co_await where.next().remove(prefix + std::to_string(i));
      good(gone);
    }
  };
  for (char worker = 'a'; worker < 'i'; ++worker)
    asio::co_spawn(strand, some_files(*pool, name + "/" + worker, data), [&](std::exception_ptr e) {
      EXPECT_FALSE(e);
      if (--left == 0) all_done.notify();
    });
  co_await all_done.wait();
  auto gone = co_await pool->next().remove_directory(name);
  good(gone);
  auto closed = co_await pool->close();
  good(closed);
}

TEST_P(smb2_channels, WorksOnManyFilesOverConnectionsOfTheirOwn) {
  run(work_on_files(options, share, name));
  EXPECT_EQ(sink.requests.size(), 4u);
  for (const auto& [connection, count] : sink.requests)
    EXPECT_GT(count, 50u) << connection;
}

INSTANTIATE_TEST_SUITE_P(
    ways, smb2_channels,
    testing::Values(way{dialect::smb_3_0, signing_policy::automatic, sealing_policy::off},
                    way{dialect::smb_3_0_2, signing_policy::required, sealing_policy::off},
                    way{dialect::smb_3_1_1, signing_policy::required, sealing_policy::off},
                    way{dialect::smb_3_1_1, signing_policy::automatic, sealing_policy::required}),
    [](const testing::TestParamInfo<way>& chosen) {
      const auto& w = chosen.param;
      return "smb" + std::to_string(static_cast<int>(w.revision)) +
             (w.seal == sealing_policy::required   ? "sealed"
              : w.sign == signing_policy::required ? "signed"
                                                   : "plain");
    });

} // namespace
} // namespace smb2
