#include "nfs/mount/operations.hpp"
#include "nfs/v3/client.hpp"
#include "tests/support/fake_nfs_server.hpp"

#include <gtest/gtest.h>

namespace {

using namespace nfs;
using namespace nfs::v3;
using namespace std::chrono_literals;
using support::octets;

struct recorder : wire::exchange_sink {
  void on_exchange(const wire::exchange& e) override { seen.push_back(e); }
  std::vector<wire::exchange> seen;
};

octets pattern(std::size_t n) {
  octets out(n);
  for (std::size_t i = 0; i < n; ++i)
    out[i] = static_cast<std::byte>(i * 7 + i / 251);
  return out;
}

struct Nfs3Client : testing::Test {
  asio::io_context io;
  support::fake_nfs_server server{io};
  recorder sink;
  rpc::gss_source_of_server kerberos;
  support::toy_realm realm;
  support::toy_gss_server gss;

  nfs::url where(std::string path, u32 size = 0) {
    nfs::url out;
    out.host = "127.0.0.1";
    out.port = out.mount_port = server.rpc.port();
    out.path = std::move(path);
    out.rsize = out.wsize = size;
    return out;
  }

  client_settings settings() {
    client_settings out;
    out.timeout = 5s;
    out.sink = &sink;
    out.kerberos = kerberos;
    return out;
  }

  /// A toy in its place.
  void use_kerberos() {
    kerberos = [this](const std::string&) { return support::toy_source(realm); };
    server.rpc.gss = &gss;
    for (const auto sec : {security::krb5, security::krb5i, security::krb5p})
      server.flavors.push_back(flavor_of(sec));
  }

  /// Runs a test's coroutine with a client; what it returns is the failure, empty if there is none.
  std::string with_client(const nfs::url& u, result<void> (*work)(Nfs3Client&, client&)) {
    return wire::net::run_to_end(io, session(*this, u, work));
  }

 private:
  static awaitable<std::string> session(Nfs3Client& test, nfs::url u,
                                        result<void> (*work)(Nfs3Client&, client&)) {
    const auto with = test.settings();
    auto c = co_await client::connect(std::move(u), with);
    if (!c) co_return c.error().text;
    auto done = co_await work(test, *c);
    if (!done) co_return done.error().text;
    auto closed = co_await c->close();
    co_return closed ? "" : closed.error().text;
  }
};

std::expected<void, error> fine() {
  return {};
}

result<void> no_work(Nfs3Client&, client&) {
  co_return fine();
}

TEST_F(Nfs3Client, MountsTheExportAndForgetsItAtTheEnd) {
  EXPECT_EQ(with_client(where("/export"), no_work), "");

  EXPECT_EQ(server.rpc.calls<nfs::mount::mnt>(), 1);
  EXPECT_EQ(server.rpc.calls<fsinfo>(), 1);
  EXPECT_EQ(server.rpc.calls<nfs::mount::umnt>(), 1);
}

TEST_F(Nfs3Client, MountsTheLongestPartOfThePathAndLooksUpTheRest) {
  const auto failure =
      with_client(where("/export/dir/sub"), [](auto& test, auto& c) -> result<void> {
        EXPECT_EQ(c.export_path(), "/export");
        EXPECT_EQ(c.root(), test.server.handle_of("sub"));
        co_return fine();
      });

  EXPECT_EQ(failure, "");
  EXPECT_EQ(server.rpc.calls<nfs::mount::mnt>(), 3);
  EXPECT_EQ(server.rpc.calls<lookup>(), 2);
}

TEST_F(Nfs3Client, SaysWhatTheServerOffersWhenThereIsNoSuchExport) {
  EXPECT_EQ(with_client(where("/nope"), no_work),
            "MOUNT of /nope on 127.0.0.1: MNT3ERR_NOENT (no such export); the server offers: "
            "/export, /scratch");
}

TEST_F(Nfs3Client, SaysWhichPartBelowTheExportIsMissing) {
  const auto failure = with_client(where("/export/dir/nope"), no_work);

  EXPECT_TRUE(failure.starts_with("/export/dir/nope is not there (/export was mounted): "
                                  "LOOKUP of 'nope' on 127.0.0.1:"))
      << failure;
  EXPECT_TRUE(failure.ends_with("NFS3ERR_NOENT (no such file or directory)")) << failure;
}

TEST_F(Nfs3Client, RefusesAnExportWithoutAuthSys) {
  server.flavors = {rpc::auth_flavor::gss};

  const auto failure = with_client(where("/export"), no_work);

  EXPECT_NE(failure.find("does not offer sec=sys"), std::string::npos) << failure;
}

TEST_F(Nfs3Client, RefusesAnExportWithoutTheKerberosThatWasAskedFor) {
  use_kerberos();
  server.flavors = {flavor_of(security::sys), flavor_of(security::krb5)};
  auto u = where("/export");
  u.sec = security::krb5p;

  const auto failure = with_client(u, no_work);

  EXPECT_NE(failure.find("the server does not offer sec=krb5p for it, but: sys, krb5"),
            std::string::npos)
      << failure;
}

TEST_F(Nfs3Client, SaysThatTheProgramHasNoKerberos) {
  auto u = where("/export");
  u.sec = security::krb5;

  EXPECT_EQ(with_client(u, no_work), "sec=krb5 needs Kerberos, which this program was not given");
}

TEST_F(Nfs3Client, TakesTheServersSizesUpToItsLimitAndOurs) {
  server.preferred_bytes = 16u << 20;
  const auto failure = with_client(where("/export"), [](auto&, auto& c) -> result<void> {
    EXPECT_EQ(c.limits().rsize, 1u << 20);
    co_return fine();
  });
  EXPECT_EQ(failure, "");

  server.most_bytes = 8192;
  const auto asked = with_client(where("/export", 65536), [](auto&, auto& c) -> result<void> {
    EXPECT_EQ(c.limits().rsize, 8192u);
    EXPECT_EQ(c.limits().wsize, 8192u);
    co_return fine();
  });
  EXPECT_EQ(asked, "");
}

/// Writes a file of the test's size and reads it back.
result<void> write_and_read(Nfs3Client& test, client& c) {
  const auto data = pattern(100'000);
  auto made = co_await c.create(c.root(), "f", sattr3{});
  if (!made) co_return std::unexpected(made.error());
  write_options how;
  how.window = 4;
  auto written = co_await c.write_file(made->handle, data, 0, how);
  if (!written) co_return std::unexpected(written.error());
  EXPECT_EQ(written->bytes, data.size());
  EXPECT_TRUE(test.server.content == data);

  octets back(data.size() + 10);
  read_options ahead;
  ahead.window = 4;
  auto read = co_await c.read_file(made->handle, back, 0, ahead);
  if (!read) co_return std::unexpected(read.error());
  EXPECT_EQ(read->bytes, data.size());
  EXPECT_TRUE(read->eof);
  back.resize(data.size());
  EXPECT_TRUE(back == data);
  co_return fine();
}

TEST_F(Nfs3Client, WritesAndReadsAFileInPieces) {
  EXPECT_EQ(with_client(where("/export", 4096), write_and_read), "");

  EXPECT_EQ(server.rpc.calls<v3::write>(), 25);
  EXPECT_EQ(server.rpc.calls<commit>(), 1);
  EXPECT_EQ(server.last_stable, stable_how::unstable);
}

TEST_F(Nfs3Client, WritesAndReadsUnderEveryProtection) {
  use_kerberos();
  for (const auto sec : {security::krb5, security::krb5i, security::krb5p}) {
    auto u = where("/export", 4096);
    u.sec = sec;

    EXPECT_EQ(with_client(u, write_and_read), "") << to_string(sec);
  }
  EXPECT_EQ(realm.made, 3);
  EXPECT_EQ(server.rpc.destroyed_contexts, 3);
}

TEST_F(Nfs3Client, GoesOnInANewContextWhenTheServerForgetsTheOldOne) {
  use_kerberos();
  server.rpc.forget_contexts = 1;
  auto u = where("/export", 4096);
  u.sec = security::krb5i;

  EXPECT_EQ(with_client(u, write_and_read), "");
  EXPECT_EQ(realm.made, 2);
}

TEST_F(Nfs3Client, TakesNoReplyThatIsNotTheServers) {
  use_kerberos();
  gss.spoil_verifier = [](octets& v) { v[0] ^= std::byte{1}; };
  auto u = where("/export");
  u.sec = security::krb5;

  const auto failure = with_client(u, no_work);

  EXPECT_NE(failure.find("its RPCSEC_GSS verifier is wrong"), std::string::npos) << failure;
}

TEST_F(Nfs3Client, SaysThatThereIsNoTicket) {
  use_kerberos();
  realm.no_ticket = "there is no ticket (kinit gets one)";
  auto u = where("/export");
  u.sec = security::krb5;

  const auto failure = with_client(u, no_work);

  EXPECT_TRUE(failure.ends_with("no RPCSEC_GSS context: there is no ticket (kinit gets one)"))
      << failure;
}

TEST_F(Nfs3Client, WritesASmallFileWithOneStableWrite) {
  EXPECT_EQ(with_client(where("/export"), write_and_read), "");

  EXPECT_EQ(server.rpc.calls<v3::write>(), 1);
  EXPECT_EQ(server.rpc.calls<commit>(), 0);
  EXPECT_EQ(server.last_stable, stable_how::file_sync);
}

TEST_F(Nfs3Client, CommitsWhatTheServerLeftUnstableAgainstTheRequest) {
  server.committed = stable_how::unstable;

  EXPECT_EQ(with_client(where("/export"), write_and_read), "");

  EXPECT_EQ(server.rpc.calls<commit>(), 1);
}

TEST_F(Nfs3Client, GoesOnBehindShortWritesAndShortReads) {
  server.short_bytes = 1000;

  EXPECT_EQ(with_client(where("/export", 4096), write_and_read), "");

  EXPECT_GT(server.rpc.calls<v3::write>(), 100);
  EXPECT_GT(server.rpc.calls<v3::read>(), 100);
}

TEST_F(Nfs3Client, SendsTheDataAgainWhenTheServerRestartedBeforeTheCommit) {
  server.restart_at_commit = 1;

  EXPECT_EQ(with_client(where("/export", 4096), write_and_read), "");

  EXPECT_EQ(server.rpc.calls<v3::write>(), 50);
  EXPECT_EQ(server.rpc.calls<commit>(), 2);
}

TEST_F(Nfs3Client, SendsTheDataAgainWhenTheServerRestartedBetweenWrites) {
  server.restart_at_write = 7;

  EXPECT_EQ(with_client(where("/export", 4096), write_and_read), "");

  EXPECT_EQ(server.rpc.calls<v3::write>(), 50);
  EXPECT_EQ(server.rpc.calls<commit>(), 1);
}

TEST_F(Nfs3Client, GivesUpOnAServerThatLosesTheDataEachTime) {
  server.restart_at_commit = 1000;

  const auto failure = with_client(where("/export", 4096), write_and_read);

  EXPECT_NE(failure.find("its write verifier changes each time"), std::string::npos) << failure;
  EXPECT_EQ(server.rpc.calls<commit>(), 4);
}

TEST_F(Nfs3Client, DoesNotBelieveCountsThatCannotBe) {
  server.claim_more = true;

  const auto failure = with_client(where("/export", 4096), write_and_read);

  EXPECT_NE(failure.find("it took more than it got"), std::string::npos) << failure;
}

TEST_F(Nfs3Client, TakesRepliesInFragments) {
  server.rpc.fragment_bytes = 97;

  EXPECT_EQ(with_client(where("/export", 4096), write_and_read), "");
}

TEST_F(Nfs3Client, TriesAgainWhenTheServerSaysLater) {
  server.jukebox_reads = 3;

  EXPECT_EQ(with_client(where("/export"), write_and_read), "");

  EXPECT_EQ(server.rpc.calls<v3::read>(), 4);
}

TEST_F(Nfs3Client, KeepsAsManyCallsInFlightAsItsWindow) {
  const auto failure = with_client(where("/export", 1024), [](auto& test, auto& c) -> result<void> {
    test.server.content = pattern(40 * 1024);
    test.server.rpc.hold = 8; // answers eight READs at once, the last one first
    octets back(40 * 1024);
    read_options ahead;
    ahead.window = 8;
    auto read = co_await c.read_file(test.server.handle_of("f"), back, 0, ahead);
    test.server.rpc.hold = 1;
    if (!read) co_return std::unexpected(read.error());
    EXPECT_TRUE(back == test.server.content);
    co_return fine();
  });

  EXPECT_EQ(failure, "");
}

TEST_F(Nfs3Client, StopsAtTheFirstError) {
  server.write_status = nfsstat3::nospc;

  const auto failure = with_client(where("/export", 4096), write_and_read);

  EXPECT_TRUE(failure.starts_with("WRITE on 127.0.0.1:")) << failure;
  EXPECT_TRUE(failure.ends_with("NFS3ERR_NOSPC (no space left on the server)")) << failure;
  EXPECT_LE(server.rpc.calls<v3::write>(), 4);
}

TEST_F(Nfs3Client, SaysThatTheServerWentAwayInTheMiddle) {
  const auto failure = with_client(where("/export", 4096), [](auto& test, auto& c) -> result<void> {
    test.server.rpc.close_on_call = true;
    auto r = co_await write_and_read(test, c);
    co_return r;
  });

  EXPECT_TRUE(failure.starts_with("nfs3 CREATE to 127.0.0.1:")) << failure;
  EXPECT_TRUE(failure.ends_with("the server closed the connection")) << failure;
}

TEST_F(Nfs3Client, LooksUpWhatAServerMadeWithoutGivingItsHandle) {
  server.gives_handles = false;

  EXPECT_EQ(with_client(where("/export"), write_and_read), "");

  EXPECT_EQ(server.rpc.calls<lookup>(), 1);
}

result<void> list_twice(Nfs3Client&, client& c) {
  for (const bool plus : {false, true}) {
    auto entries = co_await c.readdir(c.root(), plus);
    if (!entries) co_return std::unexpected(entries.error());
    EXPECT_EQ(entries->size(), 25u);
    if (entries->size() != 25) continue;
    EXPECT_EQ(entries->front().name, "entry0");
    EXPECT_EQ(entries->back().name, "entry24");
    EXPECT_EQ(entries->back().handle.has_value(), plus);
  }
  co_return fine();
}

TEST_F(Nfs3Client, ListsADirectoryPageByPage) {
  server.entries = 25;

  EXPECT_EQ(with_client(where("/export"), list_twice), "");

  EXPECT_EQ(server.rpc.calls<readdir>(), 3);
  EXPECT_EQ(server.rpc.calls<readdirplus>(), 3);
}

TEST_F(Nfs3Client, DoesNotListADirectoryForEver) {
  server.entries = 25;
  server.stuck = true;

  const auto failure = with_client(where("/export"), list_twice);

  EXPECT_NE(failure.find("the directory does not end"), std::string::npos) << failure;
}

TEST_F(Nfs3Client, FollowsSymbolicLinksOnTheWay) {
  const auto failure = with_client(where("/export"), [](auto& test, auto& c) -> result<void> {
    auto there = co_await c.walk(c.root(), "link/sub"); // link → dir
    if (!there) co_return std::unexpected(there.error());
    EXPECT_EQ(there->handle, test.server.handle_of("sub"));
    auto loop = co_await c.walk(c.root(), "loop/sub"); // loop → loop
    EXPECT_FALSE(loop);
    auto itself = co_await c.walk(c.root(), "link");
    EXPECT_TRUE(itself && itself->handle == test.server.handle_of("link"));
    co_return fine();
  });

  EXPECT_EQ(failure, "");
}

TEST_F(Nfs3Client, ShowsEveryCallToItsSink) {
  EXPECT_EQ(with_client(where("/export"), write_and_read), "");

  std::vector<std::string> names;
  for (const auto& e : sink.seen)
    names.push_back(std::string(wire::to_string(e.proto)) + " " + std::to_string(e.operation));
  EXPECT_EQ(names, (std::vector<std::string>{"mount 1", "nfs3 19", "nfs3 8", "nfs3 7", "nfs3 6",
                                             "mount 3"}));
  const auto& w = sink.seen[3];
  EXPECT_EQ(w.data_bytes, 100'000u);
  EXPECT_EQ(w.file, server.handle_of("f").hash());
  EXPECT_GT(w.request_bytes, 100'000u);
  const auto& r = sink.seen[4];
  EXPECT_EQ(r.data_bytes, 100'000u);
  EXPECT_GT(r.reply_bytes, 100'000u);
}

TEST_F(Nfs3Client, SendsACallThatIsNotAnsweredInTimeNoSecondTime) {
  const auto failure = with_client(where("/export"), [](auto& test, auto& c) -> result<void> {
    test.server.rpc.hold = 100;
    rpc::call_options soon;
    soon.timeout = 10ms;
    getattr::args args;
    args.object = c.root();
    auto r = co_await c.connection().template call<getattr>(args, soon);
    EXPECT_FALSE(r);
    if (!r) {
      EXPECT_EQ(r.error().code, rpc::errc::timed_out);
    }
    test.server.rpc.hold = 1;
    co_return fine();
  });

  EXPECT_EQ(failure, "");
  EXPECT_EQ(server.rpc.calls<getattr>(), 1);
}

} // namespace
