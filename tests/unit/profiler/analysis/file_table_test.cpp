#include "profiler/analysis/file_table.hpp"
#include "profiler/report/json.hpp"
#include "tests/support/exchanges.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using profiler::analysis::file_table;
using profiler::report::sequence_names;
using support::exchange_at;
using testing::ElementsAre;

constexpr wire::u16 op_getattr = 1, op_lookup = 3, op_read = 6, op_write = 7, op_create = 8,
                    op_remove = 12;
constexpr wire::u64 root = 1000;

/// One request after the other, 100 µs each.
class workload {
 public:
  explicit workload(std::size_t files_max = file_table::files_max_default) : table(files_max) {}

  workload& named(wire::u16 operation, wire::u64 file) { return add(operation, file, root); }
  workload& on(wire::u16 operation, wire::u64 file, wire::u32 bytes = 0, wire::u64 offset = 0) {
    return add(operation, file, 0, bytes, offset);
  }
  workload& wait(long us) {
    now_ += us;
    return *this;
  }

  file_table table;

 private:
  workload& add(wire::u16 operation, wire::u64 file, wire::u64 parent, wire::u32 bytes = 0,
                wire::u64 offset = 0) {
    auto e = exchange_at(now_, now_, now_ + 100, now_ + 100, operation);
    e.file = file;
    e.parent = parent;
    e.data_bytes = bytes;
    e.offset = offset;
    table.on_exchange(e);
    now_ += 100;
    return *this;
  }

  long now_ = 0;
};

TEST(FileTable, CountsRoundTripsAndSequencesOfASmallFileWorkload) {
  workload w;
  for (wire::u64 file = 1; file <= 10; ++file)
    w.named(op_create, file).on(op_write, file, 10'240);
  for (wire::u64 file = 1; file <= 10; ++file)
    w.named(op_lookup, file).on(op_read, file, 10'240);
  for (wire::u64 file = 1; file <= 10; ++file)
    w.named(op_remove, file);
  w.table.finish();

  EXPECT_EQ(w.table.count(), 10u);
  EXPECT_EQ(w.table.round_trips().mean_ns(), 5.0);
  EXPECT_EQ(w.table.round_trips().max().count(), 5);
  EXPECT_EQ(w.table.bytes_mean(), 10'240);
  const auto sequences = w.table.sequences();
  ASSERT_EQ(sequences.size(), 3u);
  for (const auto& s : sequences) {
    EXPECT_EQ(s.visits, 10u);
    EXPECT_NEAR(s.seconds, static_cast<double>(s.round_trips) * 100e-6, 1e-12);
  }
  EXPECT_THAT(sequence_names(sequences[2].steps), ElementsAre("REMOVE"));
}

TEST(FileTable, EndsAVisitWhereTheFileIsNamedAnewAndBehindALongPause) {
  workload w;
  w.named(op_lookup, 1).named(op_create, 1).on(op_write, 1, 100);
  w.named(op_lookup, 1).on(op_read, 1, 100);
  w.wait(2'000'000).on(op_getattr, 1);
  w.table.finish();

  std::vector<std::vector<std::string>> names;
  for (const auto& s : w.table.sequences())
    names.push_back(sequence_names(s.steps));
  EXPECT_THAT(names, ElementsAre(ElementsAre("LOOKUP", "CREATE", "WRITE"),
                                 ElementsAre("LOOKUP", "READ"), ElementsAre("GETATTR")));
  EXPECT_EQ(w.table.count(), 1u);
  EXPECT_EQ(w.table.round_trips().max().count(), 6);
}

TEST(FileTable, LeavesDirectoriesOut) {
  workload w;
  w.on(op_getattr, root);
  w.named(op_create, 1);
  auto listing = exchange_at(500, 500, 600, 600, 16);
  listing.file = 7;
  listing.directory = true;
  w.table.on_exchange(listing);
  w.table.finish();

  EXPECT_EQ(w.table.count(), 1u);
}

TEST(FileTable, CountsACompoundAsOneRoundTripAndShowsItJoined) {
  file_table t;
  for (wire::u16 part = 0; part < 3; ++part) {
    auto e = exchange_at(0, 0, 100, 100, part == 0 ? 5 : part == 1 ? 8 : 6);
    e.proto = wire::protocol::smb2;
    e.file = 1;
    e.parent = part == 0 ? root : 0;
    e.operations = 3;
    e.part = part;
    t.on_exchange(e);
  }
  t.finish();

  ASSERT_EQ(t.sequences().size(), 1u);
  EXPECT_THAT(sequence_names(t.sequences()[0].steps), ElementsAre("CREATE+READ+CLOSE"));
  EXPECT_EQ(t.sequences()[0].round_trips, 1u);
}

TEST(FileTable, KnowsTheSizesOfReadsAndWrites) {
  workload w;
  w.on(op_write, 1, 4096, 0).on(op_write, 1, 2048, 4096).on(op_read, 1, 6144);
  w.table.finish();

  EXPECT_EQ(w.table.writes().mean(), 3072);
  EXPECT_EQ(w.table.writes().largest, 4096u);
  EXPECT_EQ(w.table.reads().mean(), 6144);
  EXPECT_EQ(w.table.bytes_mean(), 6144) << "the end of the last byte, not the sum";
}

TEST(FileTable, ForgetsTheOldestFileWhenThereAreTooMany) {
  workload w(100);
  for (wire::u64 file = 1; file <= 250; ++file)
    w.named(op_create, file);
  w.table.finish();

  EXPECT_EQ(w.table.count(), 250u);
  EXPECT_EQ(w.table.evicted(), 150u);
}

TEST(FileTable, MergesWhatOthersCounted) {
  workload a;
  a.named(op_create, 1).on(op_write, 1, 10);
  a.table.finish();
  workload b;
  b.named(op_remove, 5);
  b.named(op_create, 2).on(op_write, 2, 30);
  b.table.finish();

  a.table.merge(b.table);

  EXPECT_EQ(a.table.count(), 3u);
  EXPECT_EQ(a.table.bytes_mean(), 20);
  ASSERT_EQ(a.table.sequences().size(), 2u);
  EXPECT_EQ(a.table.sequences()[0].visits, 2u);
  EXPECT_THAT(sequence_names(a.table.sequences()[0].steps), ElementsAre("CREATE", "WRITE"));
}

} // namespace
