// One session over several connections, and several sessions for many files.

#include "smb2/ioctls/network_interface.hpp"
#include "smb2/multichannel.hpp"
#include "smb2/tree_pool.hpp"
#include "tests/unit/smb2/client_fixture.hpp"

#include <asio/experimental/awaitable_operators.hpp>
#include <gmock/gmock.h>

#include <set>

namespace smb2 {
namespace {

using namespace asio::experimental::awaitable_operators;
using std::chrono::milliseconds;

constexpr transfer_options in_pieces{.chunk_bytes = 65'536};

/// Nothing is signed once the channels are there: the server has a key for one of them only.
class Smb2Channels : public Smb2Client {
 protected:
  Smb2Channels() {
    options.dialect = server.dialect = dialect::smb_3_0;
    server.capabilities |= capability::multi_channel;
    server.files["x"] = {};
    server.before = [this](const fake::request& r, fake::response& out) {
      if (act) act(r, out);
    };
  }

  using body = std::function<awaitable<void>(tree, multichannel)>;

  text_result with_channels(std::size_t count, body work) {
    channel_options how;
    how.count = count;
    how.addresses.push_back(options.where);
    return run_to_end(io, visit(options, how, std::move(work)));
  }

  static awaitable<text_result> visit(session_options options, channel_options how, body work) {
    auto first = co_await session::open(std::move(options));
    if (!first) co_return std::unexpected(first.error());
    auto where = co_await tree::connect(*first, "share");
    if (!where) co_return std::unexpected(where.error());
    auto all = co_await multichannel::over(*first, std::move(how));
    if (!all) co_return std::unexpected(all.error());
    co_await work(*where, *all);
    co_return std::string("done");
  }

  /// How many of the requests of that command each connection saw.
  [[nodiscard]] std::map<std::size_t, std::size_t> seen_by_connection(u16 command) const {
    std::map<std::size_t, std::size_t> out;
    for (const auto& r : server.seen)
      if (r.head.command == command) ++out[r.connection];
    return out;
  }

  std::function<void(const fake::request&, fake::response&)> act;
};

open_options to_work() {
  auto out = open_options::to_write();
  out.access |= access::read_data;
  return out;
}

TEST_F(Smb2Channels, SpreadsTheBytesOfAFileOverAll) {
  const auto data = pattern(4'000'000);
  const auto result = with_channels(3, [&](tree where, multichannel all) -> awaitable<void> {
    EXPECT_EQ(all.living(), 3u);
    auto out = co_await all.open(where, "x", to_work());
    EXPECT_TRUE(out);
    if (!out) co_return;
    auto written = co_await all.write(*out, 0, data, in_pieces);
    EXPECT_TRUE(written) << written.error().text;
    std::vector<std::byte> back(data.size() + 10);
    auto got = co_await all.read(*out, 0, back, in_pieces);
    EXPECT_TRUE(got && *got == data.size());
    back.resize(data.size());
    EXPECT_TRUE(back == data);
  });
  ASSERT_TRUE(result) << text_of(result);
  for (const u16 command : {write::number, read::number}) {
    const auto seen = seen_by_connection(command);
    EXPECT_EQ(seen.size(), 3u);
    for (const auto& [connection, count] : seen)
      EXPECT_GT(count, 5u) << connection;
  }
  std::set<u32> numbers;
  for (const auto& e : sink.seen)
    if (e.operation == write::number) numbers.insert(e.connection);
  const std::set<u32> expected{0, 1, 2};
  EXPECT_EQ(numbers, expected);
}

TEST_F(Smb2Channels, SurvivesTheLossOfAny) {
  const auto data = pattern(4'000'000);
  for (const std::size_t lost : {1u, 2u, 3u}) {
    const auto before = server.seen.size();
    std::size_t first = 0;
    std::size_t writes = 0;
    act = [&, lost](const fake::request& r, fake::response& out) {
      if (r.head.command == negotiate::number && first == 0) first = r.connection;
      if (r.head.command == write::number && r.connection == first + lost - 1 && ++writes == 4)
        out.close = out.handled = true;
    };
    const auto result = with_channels(3, [&](tree where, multichannel all) -> awaitable<void> {
      auto out = co_await all.open(where, "x", to_work());
      EXPECT_TRUE(out);
      if (!out) co_return;
      transfer_report report;
      auto pieces = in_pieces;
      pieces.report = &report;
      auto written = co_await all.write(*out, 0, data, pieces);
      EXPECT_TRUE(written) << written.error().text;
      const std::vector<byte_range> everything{{0, data.size()}};
      EXPECT_EQ(report.moved, everything);
      EXPECT_TRUE(report.unknown.empty());
      EXPECT_EQ(all.living(), 2u);
      auto same = all.through(*out);
      auto flushed = co_await same.flush();
      EXPECT_TRUE(flushed) << flushed.error().text;
      auto mended = co_await all.mend();
      EXPECT_TRUE(mended) << mended.error().text;
      EXPECT_EQ(all.living(), 3u);
      std::vector<std::byte> back(data.size());
      auto got = co_await all.read(*out, 0, back, in_pieces);
      EXPECT_TRUE(got && back == data);
    });
    ASSERT_TRUE(result) << text_of(result);
    EXPECT_TRUE(server.files["x"] == data);
    bool later = false;
    for (std::size_t i = before; i < server.seen.size(); ++i) {
      const auto& head = server.seen[i].head;
      if (head.command == flush::number) {
        EXPECT_EQ(head.status, 1u) << "ChannelSequence";
      }
      later = later || head.status == 1;
      if (head.command == write::number) {
        EXPECT_EQ(head.flags & flags::replay_operation, 0u);
      }
    }
    EXPECT_TRUE(later);
  }
}

TEST_F(Smb2Channels, SendAgainWhatWasOvertakenByTheNextSequence) {
  const auto data = pattern(2'000'000);
  std::size_t writes = 0;
  std::size_t stale = 0;
  u32 newest = 0;
  act = [&](const fake::request& r, fake::response& out) {
    if (r.head.command != write::number && r.head.command != set_info::number) return;
    newest = std::max(newest, r.head.status);
    if (++writes == 4 && r.connection != 1) out.close = out.handled = true;
    if (writes == 4 && r.connection == 1) writes = 3;
    if (r.head.status == newest) return;
    ++stale;
    out.messages.push_back(server.refuse(r, status::file_not_available));
    out.handled = true;
  };
  const auto result = with_channels(3, [&](tree where, multichannel all) -> awaitable<void> {
    auto out = co_await all.open(where, "x", to_work());
    EXPECT_TRUE(out);
    if (!out) co_return;
    auto pieces = in_pieces;
    pieces.window_bytes = 8 * 65'536;
    auto written = co_await all.write(*out, 0, data, pieces);
    EXPECT_TRUE(written) << written.error().text;
  });
  ASSERT_TRUE(result) << text_of(result);
  EXPECT_GT(stale, 0u);
  EXPECT_TRUE(server.files["x"] == data);
}

TEST_F(Smb2Channels, SaysWhatIsUnknownWhenAllAreLost) {
  const auto data = pattern(2'000'000);
  std::size_t writes = 0;
  act = [&](const fake::request& r, fake::response& out) {
    if (r.head.command == write::number && ++writes > 8) out.close = out.handled = true;
  };
  const auto result = with_channels(2, [&](tree where, multichannel all) -> awaitable<void> {
    auto out = co_await all.open(where, "x", to_work());
    EXPECT_TRUE(out);
    if (!out) co_return;
    transfer_report report;
    auto pieces = in_pieces;
    pieces.report = &report;
    pieces.window_bytes = 4 * 65'536;
    auto written = co_await all.write(*out, 0, data, pieces);
    EXPECT_FALSE(written);
    EXPECT_EQ(written.error().code, errc::outcome_unknown) << written.error().text;
    u64 moved = 0;
    u64 sum = 0;
    for (const auto& r : report.moved)
      moved += r.size();
    for (const auto* part : {&report.moved, &report.unknown, &report.untouched})
      for (const auto& r : *part)
        sum += r.size();
    EXPECT_EQ(moved, 8u * 65'536);
    EXPECT_EQ(sum, data.size());
    EXPECT_FALSE(report.unknown.empty());
    EXPECT_FALSE(report.untouched.empty());
    EXPECT_EQ(all.living(), 0u);
  });
  EXPECT_TRUE(result) << text_of(result);
}

TEST_F(Smb2Channels, ReplaysADurableCreateOnAnother) {
  for (const bool durable : {true, false}) {
    const auto before = server.seen.size();
    bool lost = false;
    act = [&](const fake::request& r, fake::response& out) {
      if (r.head.command != create::number || std::exchange(lost, true)) return;
      out.close = out.handled = true;
    };
    const auto result = with_channels(2, [&](tree where, multichannel all) -> awaitable<void> {
      auto how = to_work();
      if (durable) how.durable.emplace();
      auto out = co_await all.open(where, "x", how);
      EXPECT_EQ(out.has_value(), durable);
      if (!out) {
        EXPECT_EQ(out.error().code, errc::outcome_unknown);
      }
    });
    ASSERT_TRUE(result) << text_of(result);
    std::vector<const fake::request*> creates;
    for (std::size_t i = before; i < server.seen.size(); ++i)
      if (server.seen[i].head.command == create::number) creates.push_back(&server.seen[i]);
    ASSERT_EQ(creates.size(), durable ? 2u : 1u);
    if (!durable) continue;
    EXPECT_EQ(creates[1]->head.flags & flags::replay_operation, flags::replay_operation);
    EXPECT_EQ(creates[1]->head.status, 1u);
    EXPECT_TRUE(std::ranges::equal(creates[0]->body<create>().contexts,
                                   creates[1]->body<create>().contexts));
  }
}

TEST_F(Smb2Channels, RenewTheirSessionTogether) {
  std::set<std::size_t> expired;
  act = [&](const fake::request& r, fake::response& out) {
    if (r.head.command != write::number || !expired.insert(r.connection).second) return;
    out.messages.push_back(server.refuse(r, status::network_session_expired));
    out.handled = true;
  };
  const auto data = pattern(1'000'000);
  const auto result = with_channels(2, [&](tree where, multichannel all) -> awaitable<void> {
    auto out = co_await all.open(where, "x", to_work());
    EXPECT_TRUE(out);
    if (!out) co_return;
    auto written = co_await all.write(*out, 0, data, in_pieces);
    EXPECT_TRUE(written) << written.error().text;
    EXPECT_EQ(all.channel(0).state()->renewal, all.channel(1).state()->renewal);
    EXPECT_EQ(all.channel(1).state()->renewal->generation(), 1u);
  });
  ASSERT_TRUE(result) << text_of(result);
  EXPECT_EQ(expired.size(), 2u);
  EXPECT_EQ(server.count(session_setup::number), 6u) << "two to log on, two to bind, two to renew";
}

TEST_F(Smb2Channels, RenewTheirSessionOnOneThatLives) {
  const auto result = with_channels(2, [&](tree, multichannel all) -> awaitable<void> {
    all.channel(0).connection().close();
    auto second = all.channel(1);
    auto renewed = co_await second.renew();
    EXPECT_TRUE(renewed) << renewed.error().text;
  });
  ASSERT_TRUE(result) << text_of(result);
  EXPECT_EQ(server.seen.back().connection, 2u);
}

TEST_F(Smb2Channels, SaysThatNoneCouldBeBound) {
  server.capabilities = capability::large_mtu;
  const auto result = with_channels(2, [](tree, multichannel) -> awaitable<void> { co_return; });
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().text, testing::HasSubstr("the server has no multichannel"));
}

std::vector<std::byte> encoded(std::vector<network_interface_info> list) {
  std::vector<std::byte> out;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (i + 1 < list.size()) list[i].next_entry_offset = 152;
    const auto one = encode_buffer(list[i]);
    out.insert(out.end(), one.begin(), one.end());
  }
  return out;
}

awaitable<std::expected<std::vector<server_interface>, error>> ask(session_options options) {
  auto first = co_await session::open(std::move(options));
  if (!first) co_return std::unexpected(first.error());
  auto out = co_await server_interfaces(*first);
  co_return out;
}

TEST_F(Smb2Channels, LearnTheAddressesOfTheServer) {
  network_interface_info four;
  four.if_index = 2;
  four.capability = network_interface_info::rss_capable;
  four.link_speed = 10'000'000'000;
  four.family = network_interface_info::inter_network;
  four.address[2] = std::byte{198};
  four.address[3] = std::byte{18};
  four.address[4] = std::byte{1};
  four.address[5] = std::byte{2};
  network_interface_info six;
  six.if_index = 3;
  six.capability = network_interface_info::rdma_capable;
  six.family = network_interface_info::inter_network_v6;
  six.address[6] = std::byte{0xFD};
  six.address[21] = std::byte{0x02};
  network_interface_info other;
  other.family = 99;
  auto output = encoded({four, other, six});
  act = [&](const fake::request& r, fake::response& out) {
    if (r.head.command != ioctl::number) return;
    const auto m = r.body<ioctl>();
    if (m.ctl_code != fsctl::query_network_interface_info) return;
    ioctl::response answer;
    answer.ctl_code = m.ctl_code;
    answer.output = output;
    out.messages.push_back(server.make(r, status::success, answer));
    out.handled = true;
  };

  const auto result = run_to_end(io, ask(options));

  ASSERT_TRUE(result) << result.error().text;
  ASSERT_EQ(result->size(), 2u);
  EXPECT_EQ(result->at(0).address.to_string(), "198.18.1.2");
  EXPECT_EQ(result->at(0).index, 2u);
  EXPECT_EQ(result->at(0).link_speed, 10'000'000'000u);
  EXPECT_TRUE(result->at(0).rss);
  EXPECT_FALSE(result->at(0).rdma);
  EXPECT_EQ(result->at(1).address.to_string(), "fd00::2");
  EXPECT_TRUE(result->at(1).rdma);

  output.resize(200); // the second one is cut
  const auto cut = run_to_end(io, ask(options));
  ASSERT_FALSE(cut);
  EXPECT_EQ(cut.error().code, errc::bad_response);
}

awaitable<text_result> work_in_a_pool(session_options options) {
  auto pool = co_await tree_pool::open(std::move(options), "share", 3);
  if (!pool) co_return std::unexpected(pool.error());
  std::set<const tree*> used;
  for (int i = 0; i < 3; ++i)
    used.insert(&pool->next());
  EXPECT_EQ(used.size(), 3u) << "each in turn";
  auto& busy = pool->next();
  auto reading = busy.stat("x");
  auto looking = [](tree_pool& all, tree& taken) -> awaitable<void> {
    for (int i = 0; i < 4; ++i)
      EXPECT_NE(&all.next(), &taken) << "it has a call outstanding";
    co_return;
  }(*pool, busy);
  auto both = std::move(reading) && std::move(looking);
  const auto stat = co_await std::move(both);
  EXPECT_TRUE(stat);
  busy.of_session().connection().close();
  EXPECT_EQ(pool->living(), 2u);
  for (int i = 0; i < 4; ++i)
    EXPECT_NE(&pool->next(), &busy) << "it is lost";
  auto closed = co_await pool->close();
  EXPECT_FALSE(closed) << "one of them could not be";
  co_return std::string("done");
}

TEST_F(Smb2Channels, WorksOnManyFilesOverConnectionsOfTheirOwn) {
  const auto result = run_to_end(io, work_in_a_pool(options));
  ASSERT_TRUE(result) << text_of(result);
  EXPECT_EQ(server.count(negotiate::number), 3u);
  EXPECT_EQ(server.count(logoff::number), 2u);
}

} // namespace
} // namespace smb2
