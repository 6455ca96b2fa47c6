#include "profiler/report/smb.hpp"

#include <gtest/gtest.h>

namespace {

using profiler::flow::smb_facts;
using profiler::report::json;
using profiler::report::smb_of;
using profiler::report::smb_sentences;

smb_facts everything() {
  smb_facts out;
  out.smb1[0x32] = {5, 4};
  out.smb1[0xa2] = {3, 3};
  out.smb1[0x73] = {0, 2};
  out.compressed[5] = 2;
  out.uncompressed_bytes = 9000;
  out.sessions[0x22b6db74] = {.messages = 9, .decrypted = 8, .tag_failures = 1, .cipher = 2};
  out.sessions[7] = {.messages = 3, .without_key = 3, .hash_missing = true};
  out.netbios_requests = out.netbios_accepted = 1;
  return out;
}

TEST(SmbReport, LeavesOutWhatThereIsNothingOf) {
  EXPECT_EQ(smb_of({}), json::object());
  EXPECT_TRUE(smb_sentences({}).empty());
}

TEST(SmbReport, HasEverythingInJson) {
  const auto document = smb_of(everything());
  EXPECT_EQ(document["smb1"]["requests"], 8);
  EXPECT_EQ(document["smb1"]["responses"], 9);
  EXPECT_EQ(document["smb1"]["timed"], false);
  EXPECT_EQ(document["smb1"]["commands"][0]["command"], "TRANSACTION2");
  EXPECT_EQ(document["compression"]["messages_by_algorithm"], (json{{"LZ4", 2}}));
  const auto& sessions = document["encryption"]["sessions"];
  ASSERT_EQ(sessions.size(), 2u);
  EXPECT_EQ(sessions[0]["session_id"], "0700000000000000") << "as it is on the wire";
  EXPECT_EQ(sessions[0]["handshake_missing"], true);
  EXPECT_EQ(sessions[1]["session_id"], "74dbb62200000000");
  EXPECT_EQ(sessions[1]["cipher"], "AES-128-GCM");
  EXPECT_EQ(sessions[1]["tag_failures"], 1);
  EXPECT_EQ(document["netbios"]["accepted"], 1);
}

TEST(SmbReport, SaysInASentenceWhatWasNotTimed) {
  const auto sentences = smb_sentences(everything());
  ASSERT_EQ(sentences.size(), 2u);
  EXPECT_TRUE(sentences[0].starts_with("1 SMB session whose session key needs"));
  EXPECT_EQ(sentences[1], "SMB1: 8 requests (TRANSACTION2 5, NT_CREATE_ANDX 3), not timed");
  auto longest = everything();
  for (auto& count : longest.smb1)
    count = {999'999'999, 1};
  for (const auto& sentence : smb_sentences(longest))
    EXPECT_LE(sentence.size(), 118u) << sentence;
}

TEST(SmbReport, AddsUpTheParts) {
  auto sum = everything();
  sum.merge(everything());
  EXPECT_EQ(sum.smb1[0x32].requests, 10u);
  EXPECT_EQ(sum.sessions.at(7).without_key, 6u);
  EXPECT_TRUE(sum.sessions.at(7).hash_missing);
  EXPECT_EQ(sum.sessions.at(0x22b6db74).cipher, 2);

  smb_facts full;
  for (wire::u64 id = 0; id < smb_facts::sessions_max; ++id)
    full.sessions[1000 + id];
  full.merge(everything());
  EXPECT_EQ(full.sessions.size(), smb_facts::sessions_max);
  EXPECT_EQ(full.sessions_not_listed, 12u);
}

} // namespace
