// The NFSv4.1 and 4.2 client against a real server: WIRETRIP_LAB_NFS=nfs://198.18.1.2/export

#include "nfs/v4/client.hpp"
#include "tests/support/lab_checks.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <set>

namespace {

using namespace nfs;
using namespace nfs::v4;
using nfs::v4::client; // not those of <fcntl.h> and <unistd.h>
using nfs::v4::file_handle;

using support::good;
using support::pattern;
using octets = std::vector<std::byte>;
using done = std::expected<void, error>;

struct recorder : wire::exchange_sink {
  std::size_t round_trips = 0;
  void on_exchange(const wire::exchange& e) override { round_trips += e.part == 0 ? 1 : 0; }
};

enum class manner { serial, pipelined, compound };

struct cell {
  u32 minor_version;
  manner how;
};

struct LabNfs4 : testing::TestWithParam<cell> {
  void SetUp() override {
    const char* text = std::getenv("WIRETRIP_LAB_NFS");
    if (text == nullptr) GTEST_SKIP() << "WIRETRIP_LAB_NFS names no server, no lab to test with";
    auto parsed = parse_url(text);
    ASSERT_TRUE(parsed) << parsed.error();
    where = *parsed;
    where.version = 4;
    where.minor_version = GetParam().minor_version;
  }

  awaitable<done> write_one(client& c, std::string name, wire::bytes data) {
    if (GetParam().how == manner::compound) {
      auto written = co_await c.write_file(folder, std::move(name), 0644, data);
      co_return written;
    }
    auto file = co_await c.create(folder, std::move(name), 0644);
    if (!file) co_return std::unexpected(file.error());
    auto written = co_await c.write(*file, 0, data);
    if (!written) co_return written;
    auto closed = co_await c.close(*file);
    co_return closed;
  }

  awaitable<done> read_one(client& c, std::string name, wire::bytes want) {
    octets back(want.size() + 10);
    u64 n = 0;
    if (GetParam().how == manner::compound) {
      auto got = co_await c.read_file(folder, name, back);
      if (!got) co_return std::unexpected(got.error());
      n = got->bytes;
    } else {
      auto file = co_await c.open(folder, name);
      if (!file) co_return std::unexpected(file.error());
      auto got = co_await c.read(*file, 0, back);
      if (!got) co_return std::unexpected(got.error());
      n = *got;
      auto closed = co_await c.close(*file);
      if (!closed) co_return closed;
    }
    EXPECT_EQ(n, want.size()) << name;
    EXPECT_TRUE(std::equal(want.begin(), want.end(), back.begin())) << name;
    co_return done{};
  }

  awaitable<done> both(client& c, std::string name, wire::bytes data) {
    auto written = co_await write_one(c, name, data);
    if (!written) co_return written;
    auto read = co_await read_one(c, name, data);
    co_return read;
  }

  awaitable<void> files(client& c) {
    std::vector<octets> contents;
    for (std::size_t i = 0; i < 24; ++i)
      contents.push_back(pattern(i * 523));
    contents.push_back(pattern(2'500'000)); // several READs and WRITEs, a COMMIT
    if (GetParam().how == manner::pipelined) {
      const auto executor = co_await asio::this_coro::executor;
      auto left = contents.size();
      wire::net::signal all;
      for (std::size_t i = 0; i < contents.size(); ++i)
        asio::co_spawn(executor, both(c, "f" + std::to_string(i), contents[i]),
                       [&](std::exception_ptr e, done r) {
                         EXPECT_TRUE(!e && r) << (e ? "thrown" : r.error().text);
                         if (--left == 0) all.notify();
                       });
      co_await all.wait();
    } else {
      for (std::size_t i = 0; i < contents.size(); ++i) {
        auto one = co_await both(c, "f" + std::to_string(i), contents[i]);
        good(one);
      }
    }
    std::set<std::string> names;
    auto listed = co_await c.readdir(folder);
    if (!good(listed)) co_return;
    for (const auto& entry : *listed)
      names.insert(entry.name);
    EXPECT_EQ(names.size(), contents.size());
    for (std::size_t i = 0; i < contents.size(); ++i) {
      const auto name = "f" + std::to_string(i);
      EXPECT_TRUE(names.contains(name)) << name;
      auto removed = co_await c.remove(folder, name);
      good(removed);
    }
  }

  awaitable<void> names(client& c) {
    const auto data = pattern(777);
    auto written = co_await write_one(c, "a", data);
    good(written);
    auto renamed = co_await c.rename(folder, "a", folder, "b");
    good(renamed);
    auto gone = co_await c.lookup(folder, "a");
    EXPECT_TRUE(!gone && gone.error().code == nfsstat4::noent);
    auto there = co_await c.lookup(folder, "b");
    if (!good(there)) co_return;
    EXPECT_EQ(there->facts.size, 777u);
    EXPECT_EQ(there->facts.type, ftype::reg);
    auto linked = co_await c.link(there->handle, folder, "c");
    good(linked);
    auto read = co_await read_one(c, "c", data);
    good(read);
    auto made = co_await c.symlink(folder, "s", "some/where");
    if (!good(made)) co_return;
    auto target = co_await c.readlink(*made);
    EXPECT_TRUE(good(target) && *target == "some/where");
    for (const auto* name : {"b", "c", "s"}) {
      auto removed = co_await c.remove(folder, name);
      good(removed);
    }
  }

  awaitable<bool> visit() {
    session_settings settings;
    settings.minor_version = GetParam().minor_version;
    settings.sink = &sink;
    auto opened = co_await client::connect(where, settings);
    if (!good(opened)) co_return false;
    auto& c = *opened;
    const auto name = "wiretrip-nfs4-" + std::to_string(std::random_device{}());
    auto made = co_await c.mkdir(c.root(), name, 0755);
    if (!good(made)) co_return false;
    folder = *made;
    co_await files(c);
    co_await names(c);
    auto again = co_await c.mkdir(c.root(), name, 0755);
    EXPECT_TRUE(!again && again.error().code == nfsstat4::exist);
    if (GetParam().how == manner::compound) {
      const auto before = sink.round_trips;
      const auto data = pattern(10'240);
      auto one = co_await both(c, "counted", data);
      EXPECT_TRUE(good(one));
      EXPECT_EQ(sink.round_trips - before, 2u) << "one to write it, one to read it";
      auto removed = co_await c.remove(folder, "counted");
      good(removed);
    }
    auto removed = co_await c.remove(c.root(), name);
    good(removed);
    auto closed = co_await c.close();
    co_return good(closed);
  }

  url where;
  recorder sink;
  file_handle folder;
  asio::io_context io;
};

TEST_P(LabNfs4, DoesItsWork) {
  if (IsSkipped()) return;
  EXPECT_TRUE(wire::net::run_to_end(io, visit()));
}

std::string name_of(const testing::TestParamInfo<cell>& which) {
  constexpr std::array names{"serial", "pipelined", "compound"};
  return "v4_" + std::to_string(which.param.minor_version) + "_" +
         names[static_cast<std::size_t>(which.param.how)];
}

INSTANTIATE_TEST_SUITE_P(all, LabNfs4,
                         testing::Values(cell{1, manner::serial}, cell{1, manner::pipelined},
                                         cell{1, manner::compound}, cell{2, manner::serial},
                                         cell{2, manner::pipelined}, cell{2, manner::compound}),
                         name_of);

} // namespace
