#pragma once

#include "profiler/analysis/sequence_tree.hpp"
#include "wire/call_table.hpp"
#include "wire/histogram.hpp"

#include <unordered_map>
#include <vector>

namespace profiler::analysis {

using wire::nanos;

/// What was done to the files, and how many round trips each took. A visit is what happens to one
/// file without a break: it ends where the file is named anew (LOOKUP, CREATE, REMOVE) after
/// something else was done to it, and behind a pause of `visit_pause`.
/// Directories are left out as soon as they are known to be some.
/// Bounded: above `files_max` files the oldest is closed, and counts again should it come back.
class file_table final : public wire::exchange_sink {
 public:
  static constexpr nanos visit_pause = std::chrono::seconds(1);
  static constexpr std::size_t files_max_default = 1u << 17;

  file_table() : file_table(files_max_default) {}
  explicit file_table(std::size_t files_max);

  void on_exchange(const wire::exchange& e) override;
  /// Closes all files; call before the results are asked for and before merge().
  void finish();
  void merge(const file_table& other);

  struct sequence {
    std::vector<sequence_step> steps;
    u64 visits = 0;
    u64 round_trips = 0;
    double seconds = 0; ///< Σ r1 − q0 of its round trips
  };

  /// A file and what it cost.
  struct costly_file {
    u64 file = 0;
    u64 round_trips = 0;
    u64 extent = 0; ///< bytes up to the last one that was read or written
    nanos time{0};  ///< Σ r1 − q0 of its round trips
  };
  static constexpr std::size_t slowest_max = 20;

  struct io_sizes {
    u64 count = 0;
    u64 bytes = 0;
    wire::u32 largest = 0;
    void merge(const io_sizes& other) noexcept;
    [[nodiscard]] double mean() const noexcept {
      return count == 0 ? 0.0 : static_cast<double>(bytes) / static_cast<double>(count);
    }
  };

  [[nodiscard]] u64 count() const noexcept { return round_trips_.count(); }
  /// A histogram of counts, not of times.
  [[nodiscard]] const wire::histogram& round_trips() const noexcept { return round_trips_; }
  [[nodiscard]] u64 evicted() const noexcept { return evicted_; }
  /// Mean over the files that had data moved, of the end of the last byte that was.
  [[nodiscard]] double bytes_mean() const noexcept;
  [[nodiscard]] const io_sizes& reads() const noexcept { return reads_; }
  [[nodiscard]] const io_sizes& writes() const noexcept { return writes_; }
  /// Those that took most time, the slowest first.
  [[nodiscard]] std::vector<costly_file> slowest() const;
  /// The largest first, by seconds.
  [[nodiscard]] std::vector<sequence> sequences() const;

 private:
  struct file {
    u64 extent = 0;
    nanos last{0};
    nanos time{0};
    nanos visit_time{0};
    u32 node = sequence_tree::empty;
    u32 visit_round_trips = 0;
    u32 round_trips = 0;
    bool directory = false;
    bool used = false; ///< this visit did more than name it
  };
  struct totals {
    u64 visits = 0;
    u64 round_trips = 0;
    nanos time{0};
  };

  file& entry(u64 id);
  void count_io(const wire::exchange& e, operation_key key, file* f) noexcept;
  void close_visit(file& f);
  void close(u64 id, file& f);
  void note_cost(const costly_file& f);

  sequence_tree tree_;
  wire::call_table<file> files_;
  std::unordered_map<u32, totals> sequences_; ///< by node; at most one visit count per node
  wire::histogram round_trips_;
  u64 evicted_ = 0;
  u64 files_with_data_ = 0;
  double extent_sum_ = 0;
  std::vector<costly_file> slowest_; ///< a heap, the fastest of them on top
  io_sizes reads_;
  io_sizes writes_;
};

} // namespace profiler::analysis
