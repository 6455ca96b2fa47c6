#include "profiler/capture/pcap_writer.hpp"

#include <array>
#include <cerrno>
#include <span>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

namespace profiler::capture {

namespace {

constexpr std::size_t buffer_bytes = 1024 * 1024;
constexpr u32 magic_ns = 0xa1b23c4d;

std::string cannot(const std::string& path, const char* what) {
  return path + " cannot be " + what + ": " + std::generic_category().message(errno);
}

} // namespace

std::expected<pcap_writer, std::string> pcap_writer::open(const std::string& path, u32 link_type,
                                                          u32 snap_length) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (descriptor < 0) return std::unexpected(cannot(path, "created"));
  pcap_writer out(descriptor, path);
  const std::array<u32, 6> header{
      magic_ns,    std::endian::native == std::endian::little ? 2u | 4u << 16 : 2u << 16 | 4u,
      0,           0,
      snap_length, link_type};
  out.append(std::as_bytes(std::span(header)));
  return out;
}

pcap_writer::pcap_writer(int descriptor, std::string path)
    : descriptor_(descriptor), path_(std::move(path)) {
  buffer_.reserve(buffer_bytes);
}

pcap_writer::pcap_writer(pcap_writer&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), path_(std::move(other.path_)),
      buffer_(std::move(other.buffer_)), error_(std::move(other.error_)), packets_(other.packets_),
      bytes_(other.bytes_) {}

pcap_writer::~pcap_writer() {
  (void)close();
}

void pcap_writer::write(nanos at, bytes captured, u32 wire_length) {
  const auto ns = static_cast<u64>(at.count());
  const std::array<u32, 4> header{static_cast<u32>(ns / 1'000'000'000),
                                  static_cast<u32>(ns % 1'000'000'000),
                                  static_cast<u32>(captured.size()), wire_length};
  append(std::as_bytes(std::span(header)));
  append(captured);
  ++packets_;
}

void pcap_writer::append(bytes data) {
  if (data.size() > buffer_bytes - buffer_.size()) flush();
  buffer_.insert(buffer_.end(), data.begin(), data.end());
  bytes_ += data.size();
  if (buffer_.size() >= buffer_bytes) flush();
}

void pcap_writer::flush() {
  bytes left = buffer_;
  while (!left.empty() && error_.empty()) {
    const auto n = ::write(descriptor_, left.data(), left.size());
    if (n >= 0)
      left = left.subspan(static_cast<std::size_t>(n));
    else if (errno != EINTR)
      error_ = cannot(path_, "written");
  }
  buffer_.clear();
}

std::expected<void, std::string> pcap_writer::close() {
  if (descriptor_ >= 0) {
    flush();
    if (::close(std::exchange(descriptor_, -1)) != 0 && error_.empty())
      error_ = cannot(path_, "closed");
  }
  if (!error_.empty()) return std::unexpected(error_);
  return {};
}

} // namespace profiler::capture
