#include "cli/keylog.hpp"

#include "profiler/flow/smb2_keys.hpp"
#include "wire/hex.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace cli {
namespace {

std::vector<std::byte> hex(std::string_view digits) {
  return *wire::from_hex(digits);
}

class Keylog : public testing::Test {
 protected:
  Keylog() { std::filesystem::remove(path); }
  ~Keylog() override { std::filesystem::remove(path); }

  [[nodiscard]] std::string content() const {
    std::ostringstream out;
    out << std::ifstream(path).rdbuf();
    return out.str();
  }

  /// Of this process alone: tests run side by side.
  const std::string path =
      testing::TempDir() + "wiretrip-keylog-test-" + std::to_string(::getpid());
};

TEST_F(Keylog, WritesLinesThatAnalyzeAndWiresharkRead) {
  const auto key = hex("270e1ba896585eeb7af3472d3b4c75a7");
  const auto to_client = hex("e2af0dcefac68da71a0dfbd0d1350d74");
  const auto to_server = hex("629bcbc54422a0f572b97f45989b6073");
  const auto log = open_keylog(path);
  ASSERT_TRUE(log) << log.error();

  (*log)->on_session_keys({.session_id = 0x1000'0000'0019,
                           .session_key = key,
                           .to_client = to_client,
                           .to_server = to_server});

  EXPECT_EQ(content(), "1900000000100000,270e1ba896585eeb7af3472d3b4c75a7,"
                       "e2af0dcefac68da71a0dfbd0d1350d74,629bcbc54422a0f572b97f45989b6073\n");
  const auto read = profiler::flow::smb2_keys::load(path);
  ASSERT_TRUE(read) << read.error();
  ASSERT_EQ(read->size(), 1u);
  const auto [first, last] = read->of(0x1000'0000'0019);
  ASSERT_NE(first, last);
  EXPECT_EQ(first->second.session, key);
  EXPECT_EQ(first->second.to_client, to_client);
  EXPECT_EQ(first->second.to_server, to_server);
}

TEST_F(Keylog, AppendsAndLeavesOutWhatASessionHasNot) {
  const auto key = hex("270e1ba896585eeb7af3472d3b4c75a7");
  for (const smb2::u64 id : {1, 2}) {
    const auto log = open_keylog(path);
    ASSERT_TRUE(log) << log.error();
    (*log)->on_session_keys(
        {.session_id = id, .session_key = key, .to_client = {}, .to_server = {}});
  }

  const auto read = profiler::flow::smb2_keys::load(path);
  ASSERT_TRUE(read) << read.error();
  EXPECT_EQ(read->size(), 2u);
}

TEST_F(Keylog, CutsALongSessionKeyToWhatWiresharkTakes) {
  const auto key = hex("02c09a20bfff8c54a2ca250d5e7bb06fb63aa4bf20596fc9e9b56a8fed38e36d");
  const auto half = wire::bytes(key).first(16);
  const auto log = open_keylog(path);
  ASSERT_TRUE(log) << log.error();

  (*log)->on_session_keys(
      {.session_id = 1, .session_key = key, .to_client = half, .to_server = half});
  // Under AES-256 half of it would mislead.
  (*log)->on_session_keys(
      {.session_id = 2, .session_key = key, .to_client = key, .to_server = key});

  const auto all = wire::to_hex(key);
  const auto cut = all.substr(0, 32);
  EXPECT_EQ(content(), "0100000000000000," + cut + "," + cut + "," + cut + "\n0200000000000000,," +
                           all + "," + all + "\n");
  const auto read = profiler::flow::smb2_keys::load(path);
  EXPECT_TRUE(read) << read.error();
}

TEST_F(Keylog, IsForItsOwnerAlone) {
  const auto log = open_keylog(path);

  ASSERT_TRUE(log) << log.error();
  using std::filesystem::perms;
  EXPECT_EQ(std::filesystem::status(path).permissions(), perms::owner_read | perms::owner_write);
}

TEST_F(Keylog, SaysWhyItCannotBeOpened) {
  const auto log = open_keylog("/nonexistent/keys");

  ASSERT_FALSE(log);
  EXPECT_EQ(log.error(), "/nonexistent/keys: No such file or directory");
}

} // namespace
} // namespace cli
