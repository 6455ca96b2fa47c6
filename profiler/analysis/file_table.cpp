#include "profiler/analysis/file_table.hpp"

#include <algorithm>

namespace profiler::analysis {

using wire::known;

void file_table::io_sizes::merge(const io_sizes& other) noexcept {
  count += other.count;
  bytes += other.bytes;
  largest = std::max(largest, other.largest);
}

file_table::file_table(std::size_t files_max) : files_(files_max) {}

file_table::file& file_table::entry(u64 id) {
  if (auto* found = files_.find(id)) return *found;
  auto inserted = files_.insert(id, file{});
  if (inserted.evicted) {
    close(inserted.evicted_id, *inserted.evicted);
    ++evicted_;
  }
  return *inserted.entry;
}

void file_table::on_exchange(const wire::exchange& e) {
  const auto key = timing::key_of(e);
  if (e.parent != 0)
    if (auto* parent = files_.find(e.parent)) parent->directory = true;
  if (e.file == 0) {
    count_io(e, key, nullptr);
    return;
  }
  auto& f = entry(e.file);
  f.directory = f.directory || e.directory;
  count_io(e, key, &f);
  const bool named = e.parent != 0;
  const bool paused =
      known(e.t.q0) && f.node != sequence_tree::empty && e.t.q0 - f.last > visit_pause;
  if ((named && f.used && e.part == 0) || paused) close_visit(f);
  f.node = tree_.append(f.node, key, e.part > 0 && f.node != sequence_tree::empty);
  f.used = f.used || !named;
  if (known(e.t.r1)) f.last = std::max(f.last, e.t.r1);
  if (e.part > 0) return;
  ++f.round_trips;
  ++f.visit_round_trips;
  if (known(e.t.q0) && known(e.t.r1)) f.visit_time += std::max(e.latency(), nanos{0});
}

void file_table::count_io(const wire::exchange& e, operation_key key, file* f) noexcept {
  if (!e.replied || e.data_bytes == 0) return;
  const bool read = timing::is_read(key);
  if (!read && !timing::is_write(key)) return;
  (read ? reads_ : writes_).merge({1, e.data_bytes, e.data_bytes});
  if (f != nullptr) f->extent = std::max(f->extent, e.offset + e.data_bytes);
}

void file_table::close_visit(file& f) {
  if (f.node != sequence_tree::empty && !f.directory) {
    auto& t = sequences_[f.node];
    ++t.visits;
    t.round_trips += f.visit_round_trips;
    t.time += f.visit_time;
  }
  f.time += f.visit_time;
  f.node = sequence_tree::empty;
  f.visit_round_trips = 0;
  f.visit_time = nanos{0};
  f.used = false;
}

void file_table::close(u64 id, file& f) {
  close_visit(f);
  if (f.directory) return;
  round_trips_.record(nanos{f.round_trips});
  note_cost({id, f.round_trips, f.extent, f.time});
  if (f.extent == 0) return;
  ++files_with_data_;
  extent_sum_ += static_cast<double>(f.extent);
}

void file_table::finish() {
  files_.for_each([this](u64 id, file& f) { close(id, f); });
  files_ = wire::call_table<file>(files_.capacity());
}

namespace {
bool slower(const file_table::costly_file& a, const file_table::costly_file& b) noexcept {
  return a.time != b.time ? a.time > b.time : a.file < b.file;
}
} // namespace

void file_table::note_cost(const costly_file& f) {
  if (slowest_.size() == slowest_max) {
    if (!slower(f, slowest_.front())) return;
    std::pop_heap(slowest_.begin(), slowest_.end(), slower);
    slowest_.pop_back();
  }
  slowest_.push_back(f);
  std::push_heap(slowest_.begin(), slowest_.end(), slower);
}

std::vector<file_table::costly_file> file_table::slowest() const {
  auto out = slowest_;
  std::sort(out.begin(), out.end(), slower);
  return out;
}

double file_table::bytes_mean() const noexcept {
  return files_with_data_ == 0 ? 0.0 : extent_sum_ / static_cast<double>(files_with_data_);
}

void file_table::merge(const file_table& other) {
  for (const auto& [node, t] : other.sequences_) {
    auto& mine = sequences_[tree_.adopt(other.tree_, node)];
    mine.visits += t.visits;
    mine.round_trips += t.round_trips;
    mine.time += t.time;
  }
  round_trips_.merge(other.round_trips_);
  for (const auto& f : other.slowest_)
    note_cost(f);
  evicted_ += other.evicted_;
  files_with_data_ += other.files_with_data_;
  extent_sum_ += other.extent_sum_;
  reads_.merge(other.reads_);
  writes_.merge(other.writes_);
}

std::vector<file_table::sequence> file_table::sequences() const {
  std::vector<sequence> out;
  out.reserve(sequences_.size());
  for (const auto& [node, t] : sequences_)
    out.push_back(
        {tree_.steps(node), t.visits, t.round_trips, static_cast<double>(t.time.count()) / 1e9});
  std::sort(out.begin(), out.end(), [](const sequence& a, const sequence& b) {
    if (a.seconds != b.seconds) return a.seconds > b.seconds;
    return a.visits != b.visits ? a.visits > b.visits : a.round_trips > b.round_trips;
  });
  return out;
}

} // namespace profiler::analysis
