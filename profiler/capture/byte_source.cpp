#include "profiler/capture/byte_source.hpp"

#include <algorithm>
#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

namespace profiler::capture {

namespace {

std::string reason(int error) {
  return std::generic_category().message(error);
}

class file_source final : public byte_source {
 public:
  explicit file_source(int descriptor) : descriptor_(descriptor) {}
  ~file_source() override {
    if (descriptor_ != STDIN_FILENO) ::close(descriptor_);
  }

  std::size_t read(std::span<std::byte> out) override {
    while (true) {
      const auto n = ::read(descriptor_, out.data(), out.size());
      if (n >= 0) return static_cast<std::size_t>(n);
      if (errno == EINTR) continue;
      trouble_ = reason(errno);
      return 0;
    }
  }

 private:
  int descriptor_;
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

} // namespace

std::expected<std::unique_ptr<byte_source>, std::string> open_source(const std::string& path) {
  if (path == "-") return std::make_unique<file_source>(STDIN_FILENO);
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return std::unexpected(path + " cannot be opened: " + reason(errno));
  // A hint only: the kernel reads further ahead. Pipes refuse it, which does no harm.
  (void)::posix_fadvise(descriptor, 0, 0, POSIX_FADV_SEQUENTIAL);
  return std::make_unique<file_source>(descriptor);
}

std::unique_ptr<byte_source> memory_source(bytes data) {
  return std::make_unique<span_source>(data);
}

} // namespace profiler::capture
