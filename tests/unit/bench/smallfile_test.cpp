#include "bench/workloads/smallfile.hpp"

#include <asio/post.hpp>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <string>

namespace {

using bench::failure;
using bench::result;
using testing::ElementsAre;
using testing::HasSubstr;
using wire::u64;
using wire::net::awaitable;

/// A server in memory that can be told to go wrong.
class memory_client final : public bench::file_client {
 public:
  std::map<std::string, std::vector<std::byte>> files;
  std::string folder;
  int writes = 0;
  int fail_write_at = -1;
  bool refuse_removes = false;
  int under_way = 0;
  int most_under_way = 0;
  std::function<void(std::vector<std::byte>&)> spoil = [](auto&) {};

  awaitable<result<void>> make_folder(std::string name) override {
    folder = name;
    co_return result<void>();
  }
  awaitable<result<void>> remove_folder() override {
    if (!files.empty()) co_return std::unexpected(failure("not empty"));
    folder.clear();
    co_return result<void>();
  }
  awaitable<result<void>> write_file(std::string name, wire::bytes data) override {
    most_under_way = std::max(most_under_way, ++under_way);
    const auto executor = co_await asio::this_coro::executor;
    co_await asio::post(executor, asio::use_awaitable); // others may begin now
    --under_way;
    if (writes++ == fail_write_at) co_return std::unexpected(failure("no space left"));
    files[name].assign(data.begin(), data.end());
    co_return result<void>();
  }
  awaitable<result<std::size_t>> read_file(std::string name, std::span<std::byte> into) override {
    auto data = files.at(name);
    spoil(data);
    std::copy_n(data.begin(), std::min(data.size(), into.size()), into.begin());
    co_return data.size();
  }
  awaitable<result<void>> remove_file(std::string name) override {
    if (refuse_removes) co_return std::unexpected(failure("server is gone"));
    if (files.erase(name) == 0) co_return std::unexpected(failure("no such file"));
    co_return result<void>();
  }
  awaitable<result<void>> close() override { co_return result<void>(); }
  [[nodiscard]] std::string protocol() const override { return "memory"; }
  [[nodiscard]] nlohmann::ordered_json settings() const override { return {}; }
  [[nodiscard]] std::optional<wire::nanos> round_trip_min() const override { return {}; }
  [[nodiscard]] wire::u16 local_port() const override { return 0; }
};

struct listener final : bench::progress {
  std::vector<std::string> phases;
  std::vector<u64> moved;
  u64 steps = 0;
  u64 stop_at = ~u64{0};

  void phase_begins(std::string_view name) override { phases.emplace_back(name); }
  void phase_ends(u64, u64 bytes) override { moved.push_back(bytes); }
  void step(u64, u64) override { ++steps; }
  [[nodiscard]] bool cancelled() const override { return steps >= stop_at; }
};

result<void> run(memory_client& client, listener& l, u64 files = 20, wire::u32 size = 1000,
                 wire::u32 depth = 1) {
  asio::io_context io;
  bench::smallfile_options options;
  options.files = files;
  options.size = size;
  options.depth = depth;
  return wire::net::run_to_end(io, bench::run_smallfile(client, options, l));
}

TEST(Smallfile, WritesReadsRemovesAndLeavesNothing) {
  memory_client client;
  listener l;

  EXPECT_TRUE(run(client, l));

  EXPECT_THAT(l.phases, ElementsAre("write", "read", "remove"));
  EXPECT_THAT(l.moved, ElementsAre(20'000u, 20'000u, 0u));
  EXPECT_TRUE(client.files.empty());
  EXPECT_TRUE(client.folder.empty());
}

TEST(Smallfile, GivesEachFileOtherBytes) {
  memory_client client;
  client.refuse_removes = true;
  listener l;
  EXPECT_FALSE(run(client, l, 50));

  ASSERT_EQ(client.files.size(), 50u);
  for (auto a = client.files.begin(); a != client.files.end(); ++a)
    for (auto b = std::next(a); b != client.files.end(); ++b)
      EXPECT_NE(a->second, b->second);
}

TEST(Smallfile, KeepsAsManyFilesUnderWayAsAskedFor) {
  for (const wire::u32 depth : {1u, 4u, 20u, 100u}) {
    memory_client client;
    listener l;

    EXPECT_TRUE(run(client, l, 20, 1000, depth)) << depth;

    EXPECT_EQ(client.most_under_way, static_cast<int>(std::min(depth, 20u)));
    EXPECT_EQ(l.steps, 60u) << "each file once in each phase";
    EXPECT_TRUE(client.files.empty());
  }
}

TEST(Smallfile, RemovesWhatAllWorkersMadeWhenOneFails) {
  memory_client client;
  client.fail_write_at = 7;
  listener l;

  EXPECT_EQ(run(client, l, 40, 1000, 8).error().what, "no space left");
  EXPECT_TRUE(client.files.empty());
  EXPECT_TRUE(client.folder.empty());
}

TEST(Smallfile, FindsASingleWrongByte) {
  memory_client client;
  client.spoil = [](auto& data) { data[777] ^= std::byte{1}; };
  listener l;

  const auto done = run(client, l);

  ASSERT_FALSE(done);
  EXPECT_THAT(done.error().what, HasSubstr("f0000000: byte 777 came back other"));
  EXPECT_TRUE(client.files.empty()) << "what was made is removed";
}

TEST(Smallfile, FindsAFileThatIsTooShort) {
  memory_client client;
  client.spoil = [](auto& data) { data.pop_back(); };
  listener l;

  EXPECT_THAT(run(client, l).error().what, HasSubstr("1000 bytes were written, 999 came back"));
}

TEST(Smallfile, TakesEmptyFiles) {
  memory_client client;
  listener l;

  EXPECT_TRUE(run(client, l, 3, 0));
}

TEST(Smallfile, RemovesWhatItMadeWhenAWriteFails) {
  memory_client client;
  client.fail_write_at = 7;
  listener l;

  EXPECT_EQ(run(client, l).error().what, "no space left");
  EXPECT_TRUE(client.files.empty());
  EXPECT_TRUE(client.folder.empty());
}

TEST(Smallfile, RemovesWhatItMadeWhenInterrupted) {
  memory_client client;
  listener l;
  l.stop_at = 30;

  EXPECT_EQ(run(client, l).error().what, "interrupted");
  EXPECT_TRUE(client.files.empty());
}

TEST(Smallfile, SaysWhatItCouldNotRemove) {
  memory_client client;
  client.fail_write_at = 3;
  client.refuse_removes = true;
  listener l;

  const auto done = run(client, l);

  EXPECT_THAT(done.error().what, HasSubstr("no space left (the folder wiretrip-smallfile-"));
  EXPECT_THAT(done.error().what, HasSubstr("with 3 files is left behind: server is gone"));
}

} // namespace
