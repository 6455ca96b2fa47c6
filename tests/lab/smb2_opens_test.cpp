// Opens that others break and that outlive their connection: oplocks, leases and durable opens
// against a real server. WIRETRIP_LAB_SMB_DURABLE names it (tests/lab/smb-durable.conf),
// WIRETRIP_PASSWORD the password; without the first all of this is skipped.

#include "smb2/crypto/random.hpp"
#include "smb2/durable.hpp"
#include "tests/support/lab_checks.hpp"
#include "tests/support/lab_share.hpp"

#include <asio/experimental/awaitable_operators.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/steady_timer.hpp>
#include <asio/write.hpp>
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <thread>

namespace smb2 {
namespace {

using support::good;
using support::pattern;
using namespace asio::experimental::awaitable_operators;
using std::chrono::milliseconds;
using std::chrono::seconds;
using wire::net::run_to_end;
using done = std::expected<void, error>;

class smb2_opens : public testing::TestWithParam<dialect> {
 protected:
  void SetUp() override {
    const auto found = support::find_share("WIRETRIP_LAB_SMB_DURABLE");
    if (!found) GTEST_SKIP() << "WIRETRIP_LAB_SMB_DURABLE is not set: no server with durable opens";
    share = found->name;
    options = found->options;
    options.connection.timeout = seconds(10);
    options.dialect = GetParam();
    name = "wiretrip-opens-" + std::to_string(std::random_device{}());
  }

  [[nodiscard]] bool leases_have_epochs() const { return GetParam() >= dialect::smb_3_0; }

  session_options options;
  std::string share;
  std::string name;
  asio::io_context io;
};

awaitable<std::expected<tree, error>> enter(session_options options, std::string share) {
  auto opened = co_await session::open(std::move(options));
  if (!opened) co_return std::unexpected(opened.error());
  auto entered = co_await tree::connect(*opened, std::move(share));
  co_return entered;
}

open_options to_work() {
  auto out = open_options::to_write();
  out.access |= access::read_data;
  out.disposition = create_disposition::open_if;
  return out;
}

constexpr u32 rwh =
    lease_state::read_caching | lease_state::handle_caching | lease_state::write_caching;

open_options with_lease(break_answer answer) {
  auto out = to_work();
  out.lease.emplace();
  out.lease->key = crypto::random_bytes<16>();
  out.on_break = answer;
  return out;
}

/// Opens it as another client does; how long that took.
awaitable<nanos> open_as_another(session_options options, std::string share, std::string name) {
  auto where = co_await enter(std::move(options), std::move(share));
  if (!good(where)) co_return nanos{};
  const auto begin = wire::net::now();
  auto second = co_await where->open(std::move(name), to_work());
  const auto took = wire::net::now() - begin;
  if (!good(second)) co_return took;
  const auto data = pattern(1000, 2);
  auto written = co_await second->write(0, data);
  good(written);
  auto closed = co_await second->close();
  good(closed);
  co_return took;
}

awaitable<void> share_and_remove(session_options options, std::string share, std::string name,
                                 open_options how, cache_grant left) {
  auto where = co_await enter(options, share);
  if (!good(where)) co_return;
  auto first = co_await where->open(name, how);
  if (!good(first)) co_return;
  EXPECT_TRUE(first->grant().exclusive()) << int{first->grant().oplock_level};
  const auto before = pattern(5000, 1);
  auto written = co_await first->write(0, before);
  good(written);
  const auto took = co_await open_as_another(options, share, name);
  EXPECT_LT(took, seconds(2));
  // What its WRITE takes from us comes on its own time.
  const auto settled = [&] {
    const auto& now = first->grant();
    return !now.breaking && now.oplock_level == left.oplock_level &&
           now.lease_state == left.lease_state;
  };
  while (!settled()) {
    auto told = co_await first->next_break(seconds(2));
    if (!good(told)) break;
    auto heard = co_await where->of_session().echo();
    good(heard);
  }
  EXPECT_EQ(first->grant().oplock_level, left.oplock_level);
  EXPECT_EQ(first->grant().lease_state, left.lease_state);
  const auto on = where->of_session();
  EXPECT_GE(on.breaks().acknowledgments, 1u);
  EXPECT_EQ(on.breaks().unacknowledged, 0u);
  EXPECT_EQ(on.breaks().unknown, 0u);
  EXPECT_EQ(on.breaks().stale, 0u);
  std::vector<std::byte> back(5000);
  auto got = co_await first->read(0, back);
  good(got);
  const auto theirs = pattern(1000, 2);
  EXPECT_TRUE(std::ranges::equal(bytes(back).first(1000), theirs)) << "data of the other one";
  EXPECT_TRUE(std::ranges::equal(bytes(back).subspan(1000), bytes(before).subspan(1000)));
  auto closed = co_await first->close();
  good(closed);
  auto gone = co_await where->remove(name);
  good(gone);
}

TEST_P(smb2_opens, SharesAFileWhoseOplockItHad) {
  for (const u8 level : {oplock::exclusive, oplock::batch}) {
    auto how = to_work();
    how.oplock_level = level;
    // The other one writes: level II goes as well.
    asio::co_spawn(io, share_and_remove(options, share, name, how, {}),
                   [](std::exception_ptr e) { EXPECT_FALSE(e); });
    io.restart();
    io.run();
  }
}

TEST_P(smb2_opens, SharesAFileWhoseLeaseItHad) {
  if (GetParam() < dialect::smb_2_1) return;
  cache_grant left;
  left.oplock_level = oplock::lease;
  // The other one writes: what we may have cached to read goes, and the handle with it.
  left.lease_state = lease_state::none;
  asio::co_spawn(io,
                 share_and_remove(options, share, name, with_lease(break_answer::at_once), left),
                 [](std::exception_ptr e) { EXPECT_FALSE(e); });
  io.run();
}

awaitable<void> hold_back(session_options options, std::string share, std::string name,
                          bool epochs) {
  auto where = co_await enter(options, share);
  if (!good(where)) co_return;
  auto first = co_await where->open(name, with_lease(break_answer::by_caller));
  if (!good(first)) co_return;
  EXPECT_EQ(first->grant().lease_state, rwh);
  auto other = open_as_another(options, share, name);
  const auto answer_late = [](file ours, bool with_epoch) -> awaitable<void> {
    auto told = co_await ours.next_break(seconds(5));
    if (!good(told)) co_return;
    EXPECT_TRUE(told->must_acknowledge);
    EXPECT_EQ(told->epoch > 0, with_epoch);
    const auto strand = co_await asio::this_coro::executor;
    asio::steady_timer timer(strand, milliseconds(700));
    auto [error] = co_await timer.async_wait(wire::net::as_result);
    EXPECT_FALSE(error);
    EXPECT_TRUE(ours.grant().breaking);
    auto acknowledged = co_await ours.acknowledge(*told);
    good(acknowledged);
  };
  auto late = answer_late(*first, epochs);
  auto both = std::move(other) && std::move(late);
  const auto took = co_await std::move(both);
  EXPECT_GT(took, milliseconds(600)) << "the other one waits for the acknowledgment";
  EXPECT_LT(took, seconds(5));
  auto closed = co_await first->close();
  good(closed);
  auto gone = co_await where->remove(name);
  good(gone);
}

TEST_P(smb2_opens, LetsTheOtherOneWaitUntilItHasAnswered) {
  if (GetParam() < dialect::smb_2_1) return;
  asio::co_spawn(io, hold_back(options, share, name, leases_have_epochs()),
                 [](std::exception_ptr e) { EXPECT_FALSE(e); });
  io.run();
}

/// What a helper process does in the middle of our work: `lab kill smb` and the like.
int lab(const std::string& command) {
  const char* program = std::getenv("WIRETRIP_LAB");
  return program == nullptr ? -1 : std::system((std::string(program) + " " + command).c_str());
}

awaitable<void> pause_for(nanos time) {
  const auto strand = co_await asio::this_coro::executor;
  asio::steady_timer timer(strand, time);
  auto [error] = co_await timer.async_wait(wire::net::as_result);
  EXPECT_FALSE(error);
}

/// Cuts the connection that the file has then, without a word to the server's SMB.
awaitable<void> cut_behind(durable_file what, nanos first, int times) {
  for (int i = 0; i < times; ++i) {
    co_await pause_for(first);
    what.of_session().connection().close();
  }
}

awaitable<void> go_on(session_options options, std::string share, std::string name,
                      open_options how) {
  auto opened = co_await durable_file::open(options, share, name, how);
  if (!good(opened)) co_return;
  EXPECT_TRUE(opened->current().grant().exclusive());
  EXPECT_EQ(opened->current().durable().second_version, *options.dialect >= dialect::smb_3_0);
  const auto data = pattern(64 << 20, 1);
  transfer_report report;
  transfer_options pieces;
  pieces.chunk_bytes = 65'536;
  pieces.window_bytes = 1 << 20;
  pieces.report = &report;
  auto writing = opened->write(0, data, pieces);
  auto cutting = cut_behind(*opened, milliseconds(30), 2);
  auto both = std::move(writing) && std::move(cutting);
  auto written = co_await std::move(both);
  if (!good(written)) co_return;
  EXPECT_GE(opened->counters().lost, 1u);
  EXPECT_EQ(opened->counters().comebacks, opened->counters().lost);
  const std::vector<byte_range> all{{0, data.size()}};
  EXPECT_EQ(report.moved, all);
  opened->of_session().connection().close();
  std::vector<std::byte> back(data.size());
  auto got = co_await opened->read(0, back);
  if (good(got)) {
    EXPECT_TRUE(back == data);
  }
  auto closed = co_await opened->close();
  good(closed);
  auto where = co_await enter(options, share);
  if (!good(where)) co_return;
  auto gone = co_await where->remove(name);
  good(gone);
}

TEST_P(smb2_opens, GoesOnWhenItsConnectionIsCut) {
  if (GetParam() < dialect::smb_2_1) return;
  auto leased = with_lease(break_answer::at_once);
  for (const auto& how : {to_work(), leased}) {
    asio::co_spawn(io, go_on(options, share, name, how),
                   [](std::exception_ptr e) { EXPECT_FALSE(e); });
    io.restart();
    io.run();
  }
}

/// Stands between client and server. What it stalls stays connected and says nothing any more, as
/// behind a cable that was pulled.
class stalling_relay {
 public:
  stalling_relay(asio::io_context& io, std::string host)
      : acceptor_(io, tcp::endpoint(asio::ip::address_v4::loopback(), 0)), host_(std::move(host)) {
    asio::co_spawn(io, accept(*this), [](std::exception_ptr) {});
  }

  [[nodiscard]] u16 port() const { return acceptor_.local_endpoint().port(); }
  void stall() {
    for (const auto& one : pairs_)
      one->stalled = true;
  }
  void close() {
    acceptor_.close();
    for (const auto& one : pairs_) {
      one->near.close();
      one->far.close();
    }
  }

 private:
  using tcp = asio::ip::tcp;
  struct pair {
    tcp::socket near;
    tcp::socket far;
    bool stalled = false;
  };

  static awaitable<void> accept(stalling_relay& self) {
    const auto strand = co_await asio::this_coro::executor;
    while (true) {
      auto [error, socket] = co_await self.acceptor_.async_accept(wire::net::as_result);
      if (error) co_return;
      auto both = std::make_shared<pair>(std::move(socket), tcp::socket(strand));
      const tcp::endpoint server(asio::ip::make_address(self.host_), 445);
      auto [refused] = co_await both->far.async_connect(server, wire::net::as_result);
      if (refused) continue;
      self.pairs_.push_back(both);
      const auto ignore = [](std::exception_ptr) {};
      asio::co_spawn(strand, pump(both, both->near, both->far), ignore);
      asio::co_spawn(strand, pump(both, both->far, both->near), ignore);
    }
  }

  static awaitable<void> pump(std::shared_ptr<pair> both, tcp::socket& from, tcp::socket& to) {
    std::vector<std::byte> buffer(1 << 18);
    while (true) {
      auto [error, n] = co_await from.async_read_some(asio::buffer(buffer), wire::net::as_result);
      if (both->stalled) co_return; // and both stay open
      const auto data = asio::buffer(buffer, n);
      if (!error) {
        auto [broken, sent] = co_await asio::async_write(to, data, wire::net::as_result);
        if (!broken) continue;
      }
      to.close();
      co_return;
    }
  }

  tcp::acceptor acceptor_;
  std::string host_;
  std::vector<std::shared_ptr<pair>> pairs_;
};

awaitable<void> go_on_without_cable(session_options options, std::string share, std::string name,
                                    stalling_relay& relay) {
  auto opened = co_await durable_file::open(options, share, name, to_work());
  if (!good(opened)) co_return;
  const auto data = pattern(32 << 20, 1);
  auto writing = opened->write(0, data);
  const auto pull = [](stalling_relay& from) -> awaitable<void> {
    co_await pause_for(milliseconds(20));
    from.stall();
  };
  auto pulling = pull(relay);
  auto both = std::move(writing) && std::move(pulling);
  auto written = co_await std::move(both);
  if (good(written)) {
    EXPECT_EQ(opened->counters().comebacks, 1u);
    std::vector<std::byte> back(data.size());
    auto got = co_await opened->read(0, back);
    if (good(got)) {
      EXPECT_TRUE(back == data);
    }
  }
  auto closed = co_await opened->close();
  good(closed);
  auto where = co_await enter(options, share);
  if (!good(where)) co_return;
  auto gone = co_await where->remove(name);
  good(gone);
  relay.close();
}

/// The server still believes in the old connection: the new session tells it otherwise.
TEST_P(smb2_opens, GoesOnWhenTheCableIsPulled) {
  if (GetParam() < dialect::smb_2_1) return;
  stalling_relay relay(io, options.where.host);
  options.where.host = "127.0.0.1";
  options.where.port = relay.port();
  options.connection.quiet = milliseconds(300);
  options.connection.echo_timeout = milliseconds(300);
  asio::co_spawn(io, go_on_without_cable(options, share, name, relay),
                 [](std::exception_ptr e) { EXPECT_FALSE(e); });
  io.run_for(seconds(60));
}

/// The file behind our back is another one.
awaitable<void> replace_the_file(session_options options, std::string share, std::string name) {
  auto opened = co_await durable_file::open(options, share, name, to_work());
  if (!good(opened)) co_return;
  const auto data = pattern(1000, 1);
  auto written = co_await opened->write(0, data);
  good(written);
  opened->of_session().connection().close();
  auto other = co_await enter(options, share);
  if (!good(other)) co_return;
  auto gone = co_await other->remove(name);
  good(gone);
  auto again = co_await other->open(name, to_work());
  if (!good(again)) co_return;
  auto closed = co_await again->close();
  good(closed);
  std::vector<std::byte> back(data.size());
  auto got = co_await opened->read(0, back);
  EXPECT_FALSE(got) << "of another file";
  gone = co_await other->remove(name);
  good(gone);
}

TEST_P(smb2_opens, DoesNotGoOnWithAFileThatWasReplaced) {
  if (GetParam() < dialect::smb_2_1) return;
  asio::co_spawn(io, replace_the_file(options, share, name),
                 [](std::exception_ptr e) { EXPECT_FALSE(e); });
  io.run();
}

bool covers(const std::vector<byte_range>& ranges, u64 offset) {
  return std::ranges::any_of(
      ranges, [&](const byte_range& r) { return r.offset <= offset && offset < r.end; });
}

/// Of each byte it is known whether it was written, or that this is not known.
void check_report(const transfer_report& report, u64 size) {
  u64 sum = 0;
  for (const auto* part : {&report.moved, &report.unknown, &report.untouched})
    for (const auto& range : *part)
      sum += range.size();
  EXPECT_EQ(sum, size);
}

awaitable<void> kill_the_server(session_options options, std::string share, std::string name) {
  auto opened = co_await durable_file::open(options, share, name, to_work());
  if (!good(opened)) co_return;
  const auto data = pattern(256 << 20, 1);
  transfer_report report;
  transfer_options pieces;
  pieces.chunk_bytes = 65'536;
  pieces.window_bytes = 1 << 20;
  pieces.report = &report;
  auto writing = opened->write(0, data, pieces);
  std::thread killer([] {
    std::this_thread::sleep_for(milliseconds(40));
    EXPECT_EQ(lab("kill smb"), 0);
    EXPECT_EQ(lab("restart smb"), 0);
  });
  auto written = co_await std::move(writing);
  killer.join();
  EXPECT_FALSE(written) << "smbd forgets all opens when it dies";
  if (written) co_return;
  EXPECT_EQ(written.error().code.category(), ntstatus_category()) << written.error().text;
  check_report(report, data.size());
  EXPECT_FALSE(report.moved.empty());
  EXPECT_FALSE(report.unknown.empty());
  EXPECT_FALSE(report.untouched.empty());
  EXPECT_FALSE(opened->unanswered().empty());
  auto where = co_await enter(options, share);
  if (!good(where)) co_return;
  auto in = co_await where->open(name, open_options::to_read());
  if (!good(in)) co_return;
  std::vector<std::byte> back(static_cast<std::size_t>(in->facts().size));
  auto got = co_await in->read(0, back);
  good(got);
  for (u64 at = 0; at < data.size(); at += 4096) {
    const auto i = static_cast<std::size_t>(at);
    const bool there = at + 4096 <= back.size() && std::equal(&data[i], &data[i] + 4096, &back[i]);
    if (covers(report.moved, at)) {
      EXPECT_TRUE(there) << "the server said that it was written: " << at;
    }
    if (covers(report.untouched, at)) {
      EXPECT_FALSE(there) << "it was never sent: " << at;
    }
  }
  auto closed = co_await in->close();
  good(closed);
  auto gone = co_await where->remove(name);
  good(gone);
}

TEST_P(smb2_opens, SaysWhatIsWrittenWhenTheServerDies) {
  if (GetParam() < dialect::smb_2_1) return;
  if (std::getenv("WIRETRIP_LAB") == nullptr) GTEST_SKIP() << "WIRETRIP_LAB is not set";
  asio::co_spawn(io, kill_the_server(options, share, name),
                 [](std::exception_ptr e) { EXPECT_FALSE(e); });
  io.run();
}

awaitable<void> ask_for_resiliency(session_options options, std::string share, std::string name) {
  auto where = co_await enter(options, share);
  if (!good(where)) co_return;
  auto opened = co_await where->open(name, to_work());
  if (!good(opened)) co_return;
  auto resilient = co_await request_resiliency(*opened, seconds(30));
  if (!resilient) {
    const auto code = resilient.error().code;
    EXPECT_TRUE(code == make_status_error(status::not_supported) ||
                code == make_status_error(status::invalid_device_request) ||
                code == make_status_error(status::invalid_parameter))
        << resilient.error().text;
  }
  auto closed = co_await opened->close();
  good(closed);
  auto gone = co_await where->remove(name);
  good(gone);
}

TEST_P(smb2_opens, AsksForResiliency) {
  asio::co_spawn(io, ask_for_resiliency(options, share, name),
                 [](std::exception_ptr e) { EXPECT_FALSE(e); });
  io.run();
}

INSTANTIATE_TEST_SUITE_P(dialects, smb2_opens,
                         testing::Values(dialect::smb_2_0_2, dialect::smb_2_1, dialect::smb_3_0,
                                         dialect::smb_3_1_1),
                         [](const testing::TestParamInfo<dialect>& chosen) {
                           return "smb" + std::to_string(static_cast<int>(chosen.param));
                         });

} // namespace
} // namespace smb2
