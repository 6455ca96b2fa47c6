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
        buffer_(options.size) {}

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
                                         folder, written_ - removed_, cleaned.error().what);
      co_return done;
    }
    co_return cleaned;
  }

 private:
  awaitable<result<void>> phases() {
    auto written = co_await phase("write", options_.size, &run::write);
    if (!written) co_return written;
    auto read = co_await phase("read", options_.size, &run::read);
    if (!read) co_return read;
    co_return co_await phase("remove", 0, &run::remove);
  }

  awaitable<result<void>> phase(std::string_view name, u64 bytes_a_file,
                                awaitable<result<void>> (run::*one)(u64)) {
    progress_.phase_begins(name);
    for (u64 file = 0; file < options_.files; ++file) {
      if (progress_.cancelled()) co_return std::unexpected(failure("interrupted"));
      auto done = co_await (this->*one)(file);
      if (!done) co_return done;
      progress_.step(file + 1, options_.files);
    }
    progress_.phase_ends(options_.files, options_.files * bytes_a_file);
    co_return result<void>();
  }

  awaitable<result<void>> write(u64 file) {
    auto done = co_await client_.write_file(name_of(file), contents_.of(file));
    if (done) ++written_;
    co_return done;
  }

  awaitable<result<void>> read(u64 file) {
    auto got = co_await client_.read_file(name_of(file), buffer_);
    if (!got) co_return std::unexpected(std::move(got.error()));
    const auto want = contents_.of(file);
    if (*got != want.size())
      co_return std::unexpected(failure(fmt::format("{}: {} bytes were written, {} came back",
                                                    name_of(file), want.size(), *got)));
    const auto differs = std::mismatch(want.begin(), want.end(), buffer_.begin());
    if (differs.first != want.end())
      co_return std::unexpected(
          failure(fmt::format("{}: byte {} came back other than it was written", name_of(file),
                              differs.first - want.begin())));
    co_return result<void>();
  }

  awaitable<result<void>> remove(u64 file) {
    auto done = co_await client_.remove_file(name_of(file));
    if (done) removed_ = file + 1;
    co_return done;
  }

  /// Also after a failure: files from `removed_` to `written_` are there, and the one being written
  /// may be.
  awaitable<result<void>> clean_up() {
    for (u64 file = removed_; file < written_; ++file) {
      auto done = co_await client_.remove_file(name_of(file));
      if (!done) co_return done;
      removed_ = file + 1;
    }
    if (written_ < options_.files) {
      auto ignored = co_await client_.remove_file(name_of(written_));
      (void)ignored; // most often there is none
    }
    co_return co_await client_.remove_folder();
  }

  file_client& client_;
  smallfile_options options_;
  progress& progress_;
  contents contents_;
  std::vector<std::byte> buffer_;
  u64 written_ = 0;
  u64 removed_ = 0;
};

} // namespace

awaitable<result<void>> run_smallfile(file_client& client, smallfile_options options, progress& p) {
  run work(client, options, p);
  co_return co_await work.all();
}

} // namespace bench
