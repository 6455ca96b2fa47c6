#include "nfs/mount/client.hpp"
#include "nfs/v3/client.hpp"
#include "rpc/portmap/client.hpp"
#include "rpc/portmap/v2.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

/// The NFSv3 client against a real server: WIRETRIP_LAB_NFS=nfs://198.18.1.2/export
namespace {

using namespace nfs;
using namespace nfs::v3;
using nfs::v3::file_handle; // not that of <fcntl.h>

using octets = std::vector<std::byte>;

struct recorder : wire::exchange_sink {
  void on_exchange(const wire::exchange& e) override { seen.push_back(e); }
  std::vector<wire::exchange> seen;
};

struct LabNfs3 : testing::Test {
  void SetUp() override {
    const char* text = std::getenv("WIRETRIP_LAB_NFS");
    if (text == nullptr) GTEST_SKIP() << "WIRETRIP_LAB_NFS names no server, no lab to test with";
    auto parsed = parse_url(text);
    ASSERT_TRUE(parsed) << parsed.error();
    where = *parsed;
  }

  std::string with_client(url u, result<void> (*work)(client&)) {
    return wire::net::run_to_end(io, session(std::move(u), &sink, work));
  }

  static awaitable<std::string> session(url u, recorder* sink, result<void> (*work)(client&)) {
    client_settings settings;
    settings.sink = sink;
    auto c = co_await client::connect(std::move(u), settings);
    if (!c) co_return c.error().text;
    auto done = co_await work(*c);
    if (!done) co_return done.error().text;
    auto closed = co_await c->close();
    co_return closed ? "" : closed.error().text;
  }

  asio::io_context io;
  recorder sink;
  url where;
};

std::expected<void, error> fine() {
  return {};
}

octets pattern(std::size_t n) {
  octets out(n);
  for (std::size_t i = 0; i < n; ++i)
    out[i] = static_cast<std::byte>(i * 7 + i / 251);
  return out;
}

/// A folder of its own for each run, so that two of them do not meet.
std::string folder_name() {
  return "lab-" + std::to_string(wire::net::now().count());
}

result<void> names_and_attributes(client& c, file_handle dir) {
  sattr3 mode;
  mode.mode = 0640;
  auto file = co_await c.create(dir, "file", mode, createmode3::guarded);
  if (!file) co_return std::unexpected(file.error());
  auto again = co_await c.create(dir, "file", mode, createmode3::guarded);
  EXPECT_TRUE(!again && again.error().code == nfsstat3::exist);
  auto exclusive = co_await c.create(dir, "exclusive", sattr3{}, createmode3::exclusive);
  if (!exclusive) co_return std::unexpected(exclusive.error());
  auto attributes = co_await c.getattr(file->handle);
  if (!attributes) co_return std::unexpected(attributes.error());
  EXPECT_EQ(attributes->mode & 0777u, 0640u);
  sattr3 size;
  size.size = 1234;
  auto set = co_await c.setattr(file->handle, size);
  if (!set) co_return set;
  attributes = co_await c.getattr(file->handle);
  EXPECT_TRUE(attributes && attributes->size == 1234);
  auto rights = co_await c.access(file->handle, access_right::read | access_right::modify);
  EXPECT_TRUE(rights && *rights == (access_right::read | access_right::modify));
  auto link = co_await c.symlink(dir, "symlink", "file");
  if (!link) co_return std::unexpected(link.error());
  auto target = co_await c.readlink(link->handle);
  EXPECT_TRUE(target && *target == "file");
  auto hard = co_await c.link(file->handle, dir, "hard");
  if (!hard) co_return hard;
  auto moved = co_await c.rename(dir, "hard", dir, "moved");
  if (!moved) co_return moved;
  auto found = co_await c.walk(dir, "moved");
  EXPECT_TRUE(found && found->handle == file->handle);
  auto entries = co_await c.readdir(dir, true);
  if (!entries) co_return std::unexpected(entries.error());
  std::set<std::string> names;
  for (const auto& e : *entries)
    names.insert(e.name);
  EXPECT_EQ(names, (std::set<std::string>{"file", "exclusive", "symlink", "moved"}));
  for (const auto* name : {"file", "exclusive", "symlink", "moved"}) {
    auto removed = co_await c.remove(dir, name);
    if (!removed) co_return removed;
  }
  co_return fine();
}

result<void> in_a_folder(client& c, result<void> (*work)(client&, file_handle)) {
  const auto name = folder_name();
  sattr3 mode;
  mode.mode = 0755;
  auto dir = co_await c.mkdir(c.root(), name, mode);
  if (!dir) co_return std::unexpected(dir.error());
  auto done = co_await work(c, dir->handle);
  if (!done) co_return done;
  auto removed = co_await c.rmdir(c.root(), name);
  co_return removed;
}

TEST_F(LabNfs3, DoesEachOperationOnNamesAndAttributes) {
  EXPECT_EQ(with_client(where,
                        [](client& c) -> result<void> {
                          auto r = co_await in_a_folder(c, names_and_attributes);
                          co_return r;
                        }),
            "");
}

result<void> write_and_read(client& c, file_handle dir) {
  const auto data = pattern((5u << 20) + 321);
  auto file = co_await c.create(dir, "data", sattr3{});
  if (!file) co_return std::unexpected(file.error());
  write_options how;
  how.window = 8;
  auto written = co_await c.write_file(file->handle, data, 0, how);
  if (!written) co_return std::unexpected(written.error());
  EXPECT_GT(written->writes, 1u);
  EXPECT_EQ(written->commits, 1u);
  octets back(data.size() + 1);
  read_options ahead;
  ahead.window = 8;
  auto read = co_await c.read_file(file->handle, back, 0, ahead);
  if (!read) co_return std::unexpected(read.error());
  EXPECT_TRUE(read->eof);
  EXPECT_EQ(read->bytes, data.size());
  back.resize(data.size());
  EXPECT_TRUE(back == data);
  auto removed = co_await c.remove(dir, "data");
  co_return removed;
}

TEST_F(LabNfs3, WritesAndReadsALargeFileInManyPieces) {
  where.rsize = where.wsize = 64u << 10;
  EXPECT_EQ(with_client(where,
                        [](client& c) -> result<void> {
                          auto r = co_await in_a_folder(c, write_and_read);
                          co_return r;
                        }),
            "");
}

TEST_F(LabNfs3, AsksAboutTheFileSystem) {
  EXPECT_EQ(with_client(where,
                        [](client& c) -> result<void> {
                          auto space = co_await c.fsstat_of(c.root());
                          EXPECT_TRUE(space && space->tbytes > 0);
                          auto limits = co_await c.pathconf_of(c.root());
                          EXPECT_TRUE(limits && limits->name_max >= 255);
                          auto nothing_done = co_await c.call<null>(nothing{});
                          EXPECT_TRUE(nothing_done.has_value());
                          co_return fine();
                        }),
            "");
}

TEST_F(LabNfs3, SaysWhatIsWrong) {
  const auto no_work = [](client&) -> result<void> { co_return fine(); };
  auto nowhere = where;
  nowhere.path = "/no/such/export";
  const auto missing = with_client(nowhere, no_work);
  EXPECT_TRUE(missing.starts_with("MOUNT of /no/such/export on ")) << missing;
  EXPECT_NE(missing.find("the server offers: /export"), std::string::npos) << missing;

  auto closed = where;
  closed.port = closed.mount_port = 9; // nothing listens there
  const auto refused = with_client(closed, no_work);
  EXPECT_NE(refused.find("Connection refused"), std::string::npos) << refused;

  auto other = where;
  other.mount_port = 2049; // NFS, not MOUNT: some servers do both there
  other.path += "/nope-below";
  EXPECT_FALSE(with_client(other, no_work).empty());
}

TEST_F(LabNfs3, TimesEveryCall) {
  EXPECT_EQ(with_client(where,
                        [](client& c) -> result<void> {
                          auto r = co_await in_a_folder(c, names_and_attributes);
                          co_return r;
                        }),
            "");

  ASSERT_GT(sink.seen.size(), 20u);
  for (const auto& e : sink.seen) {
    EXPECT_TRUE(e.timed());
    EXPECT_LE(e.t.submitted, e.t.q0);
    EXPECT_LE(e.t.q1, e.t.r0);
    EXPECT_LE(e.t.r1, e.t.completed);
  }
}

} // namespace
