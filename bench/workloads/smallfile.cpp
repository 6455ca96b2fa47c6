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
  enum class state : wire::u8 { absent, perhaps, there };
  using operation = awaitable<result<void>> (run::*)(u64 file, std::span<std::byte> buffer);

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

  /// `depth` workers, each with one file at a time.
  awaitable<void> for_each_file(operation one) {
    next_ = done_ = 0;
    const auto workers = std::min<u64>(options_.depth, options_.files);
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
    std::vector<std::byte> buffer(options_.size);
    while (!problem_ && next_ < options_.files) {
      if (progress_.cancelled()) {
        note(failure("interrupted"));
        co_return;
      }
      const auto file = next_++;
      auto done = co_await (this->*one)(file, buffer);
      if (!done) {
        note(std::move(done.error()));
        co_return;
      }
      progress_.step(++done_, options_.files);
    }
  }

  void note(failure f) {
    if (!problem_) problem_ = std::move(f);
  }

  awaitable<result<void>> write(u64 file, std::span<std::byte>) {
    files_[file] = state::perhaps;
    auto done = co_await client_.write_file(name_of(file), contents_.of(file));
    if (done) files_[file] = state::there;
    co_return done;
  }

  awaitable<result<void>> read(u64 file, std::span<std::byte> buffer) {
    auto got = co_await client_.read_file(name_of(file), buffer);
    if (!got) co_return std::unexpected(std::move(got.error()));
    const auto want = contents_.of(file);
    if (*got != want.size())
      co_return std::unexpected(failure(fmt::format("{}: {} bytes were written, {} came back",
                                                    name_of(file), want.size(), *got)));
    const auto differs = std::mismatch(want.begin(), want.end(), buffer.begin());
    if (differs.first != want.end())
      co_return std::unexpected(
          failure(fmt::format("{}: byte {} came back other than it was written", name_of(file),
                              differs.first - want.begin())));
    co_return result<void>();
  }

  awaitable<result<void>> remove(u64 file, std::span<std::byte>) {
    auto done = co_await client_.remove_file(name_of(file));
    if (done) files_[file] = state::absent;
    co_return done;
  }

  [[nodiscard]] u64 left() const {
    return static_cast<u64>(std::ranges::count(files_, state::there));
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
