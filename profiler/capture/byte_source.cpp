#include "profiler/capture/byte_source.hpp"

#include <algorithm>
#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

namespace profiler::capture {

namespace {

std::string reason(int error) {
  return std::generic_category().message(error);
}

class descriptor_source : public byte_source {
 public:
  explicit descriptor_source(int descriptor) : descriptor_(descriptor) {}
  ~descriptor_source() override {
    if (descriptor_ != STDIN_FILENO) ::close(descriptor_);
  }

 protected:
  /// 0: no more at present, or trouble.
  std::size_t read_some(std::span<std::byte> out) {
    while (true) {
      const auto n = ::read(descriptor_, out.data(), out.size());
      if (n >= 0) return static_cast<std::size_t>(n);
      if (errno == EINTR) continue;
      trouble_ = reason(errno);
      return 0;
    }
  }

  [[nodiscard]] int descriptor() const noexcept { return descriptor_; }

 private:
  int descriptor_;
};

class file_source final : public descriptor_source {
 public:
  using descriptor_source::descriptor_source;
  std::size_t read(std::span<std::byte> out) override { return read_some(out); }
};

class growing_source final : public descriptor_source {
 public:
  growing_source(int descriptor, const std::atomic<bool>& stop)
      : descriptor_source(descriptor), stop_(stop) {
    struct stat status {};
    regular_ = ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
  }

  std::size_t read(std::span<std::byte> out) override {
    while (trouble_.empty()) {
      if (stop_) {
        stopped_ = true;
        return 0;
      }
      if (!regular_ && !readable()) continue;
      if (const auto n = read_some(out); n > 0 || !regular_) return n;
      if (trouble_.empty()) wait();
    }
    return 0;
  }

 private:
  static constexpr int wait_ms = 100;

  /// A pipe's read() would wait for its writer and not see that `stop` is set.
  [[nodiscard]] bool readable() const {
    pollfd p{descriptor(), POLLIN, 0};
    return ::poll(&p, 1, wait_ms) > 0;
  }

  void wait() {
    struct stat status {};
    const auto position = ::lseek(descriptor(), 0, SEEK_CUR);
    if (::fstat(descriptor(), &status) == 0 && status.st_size < position)
      trouble_ = "it was made shorter while it was read";
    else
      (void)::poll(nullptr, 0, wait_ms); // a signal ends it early
  }

  const std::atomic<bool>& stop_;
  bool regular_ = false;
};

class span_source final : public byte_source {
 public:
  explicit span_source(bytes data) : data_(data) {}

  std::size_t read(std::span<std::byte> out) override {
    const auto n = std::min(out.size(), data_.size());
    std::copy_n(data_.begin(), n, out.begin());
    data_ = data_.subspan(n);
    return n;
  }

 private:
  bytes data_;
};

std::expected<int, std::string> descriptor_of(const std::string& path) {
  if (path == "-") return STDIN_FILENO;
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return std::unexpected(path + " cannot be opened: " + reason(errno));
  // A hint only: the kernel reads further ahead. Pipes refuse it, which does no harm.
  (void)::posix_fadvise(descriptor, 0, 0, POSIX_FADV_SEQUENTIAL);
  return descriptor;
}

} // namespace

std::expected<std::unique_ptr<byte_source>, std::string> open_source(const std::string& path) {
  const auto descriptor = descriptor_of(path);
  if (!descriptor) return std::unexpected(descriptor.error());
  return std::make_unique<file_source>(*descriptor);
}

std::expected<std::unique_ptr<byte_source>, std::string>
open_growing(const std::string& path, const std::atomic<bool>& stop) {
  const auto descriptor = descriptor_of(path);
  if (!descriptor) return std::unexpected(descriptor.error());
  return std::make_unique<growing_source>(*descriptor, stop);
}

std::unique_ptr<byte_source> memory_source(bytes data) {
  return std::make_unique<span_source>(data);
}

} // namespace profiler::capture
