#include "profiler/report/anonymise.hpp"
#include "profiler/report/json.hpp"
#include "profiler/report/requests.hpp"
#include "profiler/report/text.hpp"
#include "tests/support/small_files.hpp"

#include <gtest/gtest.h>

namespace {

using profiler::report::anonymise;
using profiler::report::anonymiser;

TEST(Anonymiser, GivesTheSameNameTheSameHashUnderOneKey) {
  anonymiser one("key");
  anonymiser again("key");
  anonymiser other("another");
  EXPECT_EQ(one.name("may.txt"), again.name("may.txt"));
  EXPECT_NE(one.name("may.txt"), one.name("june.txt"));
  EXPECT_NE(one.name("may.txt"), other.name("may.txt"));
  EXPECT_EQ(one.path("/a/b"), "/" + one.name("a") + "/" + one.name("b"));
  EXPECT_EQ(one.path("<0000004d>/b").front(), '<');
}

TEST(Anonymiser, KeepsPortsAndNothingElseOfAnAddress) {
  anonymiser by("key");
  const auto from = support::v4(198, 18, 1, 1, 741);
  const auto hidden = by.address(from);
  EXPECT_EQ(hidden.port, 741);
  EXPECT_EQ(hidden.address[0], 0xfd);
  EXPECT_EQ(by.address(support::v4(198, 18, 1, 1, 2049)).address, hidden.address);
  EXPECT_NE(by.address(support::v4(198, 18, 1, 2, 741)).address, hidden.address);
}

TEST(Anonymise, LeavesNoNameAndNoAddressInAnyReport) {
  const auto frames = support::small_files(5);
  profiler::analyzer analyzer;
  anonymiser by("key");
  std::string requests;
  struct log final : wire::exchange_sink {
    log(profiler::analyzer& a, anonymiser& k, std::string& o) : of(a), by(k), out(o) {}
    void on_exchange(const wire::exchange& e) override {
      out += profiler::report::request_line(
          e, {.path = [&](wire::u64 file) { return by.path(of.path_of(file)); },
              .number = [&](wire::u64 file) { return by.number(file); }});
    }
    profiler::analyzer& of;
    anonymiser& by;
    std::string& out;
  } sink(analyzer, by, requests);
  analyzer.add_sink(sink);
  support::feed(analyzer, frames);
  auto r = analyzer.finish();
  r.capture.files = {"/home/alice/secret.pcap"};
  r.warnings = {"/home/alice/secret.pcap is cut"};
  r.capture.details.interfaces.push_back({.name = "alice0", .description = "to alice"});
  r.capture.details.comment_texts.push_back({.text = "alice did it"});

  const auto shown = [&] {
    return profiler::report::analysis_document(r).dump() + profiler::report::text_of(r);
  };
  const auto plain = shown();
  anonymise(r, by);
  const auto hidden = shown() + requests;

  // "file3" is what small_files calls one.
  for (const auto* secret : {"file3", "198.18.1.", "alice", "secret"}) {
    EXPECT_NE(plain.find(secret), std::string::npos) << secret;
    EXPECT_EQ(hidden.find(secret), std::string::npos) << secret;
  }
  EXPECT_NE(hidden.find(by.name("file3")), std::string::npos);
}

} // namespace
