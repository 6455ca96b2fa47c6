#include "profiler/compare/report.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <numeric>
#include <random>

namespace {

using json = nlohmann::ordered_json;
using namespace profiler::compare;
using testing::HasSubstr;

json operation(std::string protocol, std::string name, int count, double server_us) {
  return {{"protocol", protocol},
          {"operation", name},
          {"count", count},
          {"bytes", 0},
          {"phases_us", {{"server", server_us}}}};
}

json attribution(std::string to, double seconds) {
  return {{"to", to}, {"seconds", seconds}, {"share", 0.0}};
}

/// One phase of 100 files: NFSv3 with two round trips, 1 ms on the way each, a quick server.
json nfs_view() {
  return {
      {"operations", {operation("nfs3", "CREATE", 100, 100), operation("nfs3", "WRITE", 100, 50)}},
      {"wall",
       {{"seconds", 0.23},
        {"attribution",
         {attribution("network: nfs3 CREATE", 0.1), attribution("network: nfs3 WRITE", 0.1),
          attribution("server: nfs3 CREATE", 0.01), attribution("server: nfs3 WRITE", 0.005),
          attribution("think", 0.01)}},
        {"residual_s", 0.005}}}};
}

/// The same over SMB2: three round trips, a server that takes longer to open.
json smb_view() {
  return {{"operations",
           {operation("smb2", "CREATE", 100, 1000), operation("smb2", "WRITE", 100, 50),
            operation("smb2", "CLOSE", 100, 20)}},
          {"wall",
           {{"seconds", 0.42},
            {"attribution",
             {attribution("network: smb2 CREATE", 0.1), attribution("network: smb2 WRITE", 0.1),
              attribution("network: smb2 CLOSE", 0.1), attribution("server: smb2 CREATE", 0.1),
              attribution("server: smb2 WRITE", 0.005), attribution("server: smb2 CLOSE", 0.002),
              attribution("think", 0.013)}},
            {"residual_s", 0.0}}}};
}

json run_of(std::string protocol, json view, bool wire) {
  json phase = view;
  phase["name"] = "write";
  phase["seconds"] = view["wall"]["seconds"];
  phase["files"] = 100;
  if (wire) phase["wire"] = view;
  return {{"schema", "wiretrip.run/1"},
          {"protocol", protocol},
          {"settings", {{"size", 10240}}},
          {"repeats", {{{"phases", {phase}}}}}};
}

comparison compared(const json& a, const json& b) {
  auto side_a = side_of(a, "a.json");
  auto side_b = side_of(b, "b.json");
  EXPECT_TRUE(side_a && side_b);
  auto out = compare(std::move(*side_a), std::move(*side_b));
  EXPECT_TRUE(out) << (out ? "" : out.error());
  return std::move(*out);
}

double sum_of_steps(const waterfall& w) {
  return std::accumulate(w.steps.begin(), w.steps.end(), 0.0,
                         [](double sum, const step& s) { return sum + s.seconds(); });
}

TEST(Compare, StepsAndResidualSumToTheGap) {
  const auto c = compared(run_of("nfs3", nfs_view(), true), run_of("smb2", smb_view(), true));

  EXPECT_NEAR(c.total.gap_seconds(), 0.19, 1e-12);
  EXPECT_NEAR(sum_of_steps(c.total) + c.total.residual_seconds(), c.total.gap_seconds(), 1e-12);
  EXPECT_NEAR(c.total.residual_seconds(), -0.005, 1e-12) << "B's residual less A's";
}

TEST(Compare, AlignsOperationsOfBothProtocolsByWhatTheyAreFor) {
  const auto c = compared(run_of("nfs3", nfs_view(), true), run_of("smb2", smb_view(), true));

  const auto* open = c.total.find("server: open, create, look up");
  ASSERT_NE(open, nullptr);
  EXPECT_NEAR(open->a_seconds, 0.01, 1e-12);
  EXPECT_NEAR(open->b_seconds, 0.1, 1e-12);
  const auto* network = c.total.find("network");
  ASSERT_NE(network, nullptr);
  EXPECT_NEAR(network->seconds(), 0.1, 1e-12);
}

TEST(Compare, SaysInWordsWhereTheGapComesFrom) {
  const auto c = compared(run_of("nfs3", nfs_view(), true), run_of("smb2", smb_view(), true));

  const auto words = words_of(c);

  ASSERT_GE(words.size(), 4u);
  EXPECT_EQ(words[0], "smb2 took 420 ms, nfs3 230 ms: 190 ms more for 100 files of 10 KiB.");
  EXPECT_EQ(words[1], "Round trips: 3.0 a file against 2.0, 1.00 ms and 1.00 ms on the way each: "
                      "+100 ms, 53 % of the gap.");
  EXPECT_THAT(words[2], HasSubstr("The server: +92.0 ms, 48 % of the gap."));
  EXPECT_THAT(words[2], HasSubstr("CREATE 1.00 ms in smb2, CREATE 100 µs in nfs3"));
  EXPECT_THAT(text_of(c), HasSubstr("It is not bandwidth"));
}

TEST(Compare, TakesTheWireOnlyWhereBothSidesHaveIt) {
  EXPECT_TRUE(compared(run_of("nfs3", nfs_view(), true), run_of("smb2", smb_view(), true)).by_wire);
  EXPECT_FALSE(
      compared(run_of("nfs3", nfs_view(), true), run_of("smb2", smb_view(), false)).by_wire);
}

TEST(Compare, ComparesWholeCapturesToo) {
  auto a = nfs_view();
  a["schema"] = "wiretrip.analysis/1";
  a["files"] = {{"count", 100}};
  auto b = smb_view();
  b["schema"] = "wiretrip.analysis/1";
  b["files"] = {{"count", 100}};

  const auto c = compared(a, b);

  EXPECT_EQ(c.a_protocol, "nfs3");
  EXPECT_EQ(c.b_protocol, "smb2");
  EXPECT_TRUE(c.phases.empty());
  EXPECT_NEAR(c.total.gap_seconds(), 0.19, 1e-12);
}

TEST(Compare, CountsTheRepeatWithTheMedianTime) {
  auto run = run_of("nfs3", nfs_view(), false);
  const auto repeat = run["repeats"][0];
  run["repeats"] = json::array();
  for (const double seconds : {9.0, 1.0, 2.0}) {
    auto changed = repeat;
    changed["phases"][0]["seconds"] = seconds;
    changed["phases"][0]["wall"]["seconds"] = seconds;
    run["repeats"].push_back(changed);
  }

  const auto s = side_of(run, "a.json");

  ASSERT_TRUE(s);
  EXPECT_EQ(s->phases.front().seconds, 2.0);
}

TEST(Compare, RefusesWhatItDoesNotKnow) {
  EXPECT_THAT(side_of(json{{"schema", "other/1"}}, "x.json").error(),
              HasSubstr("x.json: expected a capture or a document of schema"));
  EXPECT_THAT(side_of(json::array(), "x.json").error(), HasSubstr("found neither"));
  EXPECT_THAT(side_of(json{{"schema", "wiretrip.run/1"}}, "x.json").error(),
              HasSubstr("not a whole wiretrip.run/1 document"));
}

TEST(Compare, RefusesSidesWithNothingInCommon) {
  auto a = side_of(run_of("nfs3", nfs_view(), false), "a.json");
  auto other = run_of("smb2", smb_view(), false);
  other["repeats"][0]["phases"][0]["name"] = "stat";
  auto b = side_of(other, "b.json");

  EXPECT_THAT(compare(std::move(*a), std::move(*b)).error(), HasSubstr("nothing in common"));
}

TEST(Compare, GivesEveryOperationARole) {
  EXPECT_EQ(role_of("nfs3", "LOOKUP"), role::open);
  EXPECT_EQ(role_of("smb2", "CREATE"), role::open);
  EXPECT_EQ(role_of("nfs3", "COMMIT"), role_of("smb2", "FLUSH"));
  EXPECT_EQ(role_of("smb2", "NEGOTIATE"), role::session);
  EXPECT_EQ(role_of("mount", "MNT"), role::session);
}

/// Whatever the parts are, nothing is lost between them and the gap.
TEST(Compare, LosesNothingWhateverThePartsAre) {
  std::mt19937 random(4);
  std::uniform_real_distribution<double> seconds(0, 3);
  const std::vector<std::string> to{"network: nfs3 READ",
                                    "server: smb2 CLOSE",
                                    "stall: nfs3 WRITE",
                                    "network+server: mount MNT",
                                    "think",
                                    "a new phase: nfs3 READ"};
  for (int round = 0; round < 100; ++round) {
    stretch a;
    stretch b;
    for (auto* s : {&a, &b}) {
      s->seconds = seconds(random);
      for (const auto& t : to) {
        if (random() % 2 == 0) continue;
        part p;
        p.phase = t.substr(0, t.find(':'));
        p.protocol = "nfs3";
        p.operation = "READ";
        p.seconds = seconds(random);
        s->parts.push_back(p);
      }
    }
    const auto w = waterfall_of(a, b);

    EXPECT_NEAR(sum_of_steps(w) + w.residual_seconds(), b.seconds - a.seconds, 1e-9);
    double parts = 0;
    for (const auto& p : b.parts)
      parts += p.seconds;
    for (const auto& p : a.parts)
      parts -= p.seconds;
    EXPECT_NEAR(sum_of_steps(w), parts, 1e-9);
  }
}

} // namespace
