#include "bench/workloads/smallfile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <random>

namespace bench {

namespace {

using wire::bytes;
using wire::u64;
using wire::net::awaitable;

/// Every file is a window of one random buffer at a place of its own, so that files differ and a
/// server that mixes them up is found out.
class contents {
 public:
  explicit contents(std::size_t size) : size_(size), data_(size + spread) {
    std::mt19937_64 random(size);
    for (auto& b : data_)
      b = static_cast<std::byte>(random());
  }
  [[nodiscard]] bytes of(u64 file) const {
    return bytes(data_).subspan((file * step) % spread, size_);
  }

 private:
  static constexpr std::size_t spread = 65536;
  static constexpr std::size_t step = 4099; // prime to spread: windows repeat after 65,536 files
  std::size_t size_;
  std::vector<std::byte> data_;
};

std::string name_of(u64 file) {
  return fmt::format("f{:07}", file);
}

class run {
 public:
  run(file_client& client, smallfile_options options, progress& p)
      : client_(client), options_(options), progress_(p), contents_(options.size),
        files_(options.files, state::absent) {}

  awaitable<result<void>> all() {
    std::random_device seed;
    const auto folder = fmt::format("wiretrip-smallfile-{:08x}", seed());
    auto made = co_await client_.make_folder(folder);
    if (!made) co_return made;
    auto done = co_await phases();
    auto cleaned = co_await clean_up();
    if (!done) {
      if (!cleaned)
        done.error().what += fmt::format(" (the folder {} with {} files is left behind: {})",
                                         folder, left(), cleaned.error().what);
      co_return done;
    }
    co_return cleaned;
  }

 private:
  /// `perhaps`: its write was not answered, or failed; `going`: the same of its removal.
  enum class state : wire::u8 { absent, perhaps, there, going };
  /// Files first … last - 1.
  struct group {
    u64 first = 0;
    u64 last = 0;
  };
  using operation = awaitable<result<void>> (run::*)(group files, std::span<std::byte> buffer);

  awaitable<result<void>> phases() {
    auto written = co_await phase("write", options_.size, &run::write);
    if (!written) co_return written;
    auto read = co_await phase("read", options_.size, &run::read);
    if (!read) co_return read;
    auto removed = co_await phase("remove", 0, &run::remove);
    co_return removed;
  }

  awaitable<result<void>> phase(std::string_view name, u64 bytes_a_file, operation one) {
    progress_.phase_begins(name);
    co_await for_each_file(one);
    if (problem_) {
      result<void> failed = std::unexpected(*std::exchange(problem_, std::nullopt));
      co_return failed;
    }
    progress_.phase_ends(options_.files, options_.files * bytes_a_file);
    co_return result<void>();
  }

  /// `depth` workers, each with one group of files at a time.
  awaitable<void> for_each_file(operation one) {
    next_ = done_ = 0;
    const auto groups = (options_.files - 1) / options_.group + 1;
    const auto workers = std::min<u64>(options_.depth, groups);
    running_ = workers;
    finished_.reset();
    const auto executor = co_await asio::this_coro::executor;
    for (u64 i = 0; i < workers; ++i)
      asio::co_spawn(executor, work(one), [this](std::exception_ptr e) {
        if (e) note(failure("interrupted"));
        if (--running_ == 0) finished_.notify();
      });
    co_await finished_.wait();
  }

  awaitable<void> work(operation one) {
    std::vector<std::byte> buffer(std::size_t{options_.size} * options_.group);
    while (!problem_ && next_ < options_.files) {
      if (progress_.cancelled()) {
        note(failure("interrupted"));
        co_return;
      }
      group files;
      files.first = next_;
      files.last = next_ = std::min(next_ + options_.group, options_.files);
      auto done = co_await (this->*one)(files, buffer);
      if (!done) {
        note(std::move(done.error()));
        co_return;
      }
      for (u64 i = files.first; i < files.last; ++i)
        progress_.step(++done_, options_.files);
    }
  }

  void note(failure f) {
    if (!problem_) problem_ = std::move(f);
  }

  awaitable<result<void>> write(group files, std::span<std::byte>) {
    std::vector<file_to_write> all;
    for (u64 i = files.first; i < files.last; ++i) {
      files_[i] = state::perhaps;
      all.push_back({name_of(i), contents_.of(i)});
    }
    auto done = co_await client_.write_files(std::move(all));
    if (done) mark(files, state::there);
    co_return done;
  }

  awaitable<result<void>> read(group files, std::span<std::byte> buffer) {
    std::vector<file_to_read> all;
    for (u64 i = files.first; i < files.last; ++i)
      all.push_back({name_of(i), part_of(buffer, i - files.first)});
    auto done = co_await client_.read_files(std::move(all));
    if (!done) co_return done;
    for (u64 i = files.first; i < files.last; ++i) {
      auto same = compare(i, part_of(buffer, i - files.first));
      if (!same) co_return same;
    }
    co_return done;
  }

  [[nodiscard]] std::span<std::byte> part_of(std::span<std::byte> buffer, u64 place) const {
    return buffer.subspan(place * options_.size, options_.size);
  }

  [[nodiscard]] result<void> compare(u64 file, bytes came) const {
    const auto want = contents_.of(file);
    const auto differs = std::mismatch(want.begin(), want.end(), came.begin());
    if (differs.first == want.end()) return {};
    return std::unexpected(failure(fmt::format("{}: byte {} came back other than it was written",
                                               name_of(file), differs.first - want.begin())));
  }

  awaitable<result<void>> remove(group files, std::span<std::byte>) {
    std::vector<std::string> names;
    for (u64 i = files.first; i < files.last; ++i)
      names.push_back(name_of(i));
    mark(files, state::going);
    auto done = co_await client_.remove_files(std::move(names));
    if (done) mark(files, state::absent);
    co_return done;
  }

  void mark(group files, state now) {
    std::fill(files_.begin() + static_cast<std::ptrdiff_t>(files.first),
              files_.begin() + static_cast<std::ptrdiff_t>(files.last), now);
  }

  [[nodiscard]] u64 left() const {
    return static_cast<u64>(
        std::ranges::count_if(files_, [](state s) { return s >= state::there; }));
  }

  /// Also after a failure.
  awaitable<result<void>> clean_up() {
    for (u64 file = 0; file < options_.files; ++file) {
      const auto before = files_[file];
      if (before == state::absent) continue;
      auto done = co_await client_.remove_file(name_of(file));
      if (!done && before == state::there) co_return done;
      files_[file] = state::absent;
    }
    auto removed = co_await client_.remove_folder();
    co_return removed;
  }

  file_client& client_;
  smallfile_options options_;
  progress& progress_;
  contents contents_;
  std::vector<state> files_;
  u64 next_ = 0;
  u64 done_ = 0;
  u64 running_ = 0;
  wire::net::signal finished_;
  std::optional<failure> problem_;
};

} // namespace

awaitable<result<void>> run_smallfile(file_client& client, smallfile_options options, progress& p) {
  run work(client, options, p);
  co_return co_await work.all();
}

} // namespace bench
