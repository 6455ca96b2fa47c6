#include "profiler/capture/decompress.hpp"

#include <algorithm>
#include <array>

#include <bzlib.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

namespace profiler::capture {

namespace {

/// What the three libraries share: a piece of input, a piece of output, and how far they came.
struct step {
  std::size_t used = 0;
  std::size_t made = 0;
  bool member_done = false;
  bool failed = false;
};

class gzip_engine {
 public:
  static constexpr std::string_view name = "gzip";
  static constexpr compression kind = compression::gzip;

  // 15: the largest window, 16: with a gzip header.
  gzip_engine() : ready_(::inflateInit2(&stream_, 15 + 16) == Z_OK) {}
  gzip_engine(const gzip_engine&) = delete;
  gzip_engine& operator=(const gzip_engine&) = delete;
  ~gzip_engine() { (void)::inflateEnd(&stream_); }

  step run(bytes in, std::span<std::byte> out) {
    if (!ready_) return {.failed = true};
    // zlib's interface takes non-const input and does not write to it.
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(in.data()));
    stream_.avail_in = static_cast<uInt>(in.size());
    stream_.next_out = reinterpret_cast<Bytef*>(out.data());
    stream_.avail_out = static_cast<uInt>(out.size());
    const int code = ::inflate(&stream_, Z_NO_FLUSH);
    return {in.size() - stream_.avail_in, out.size() - stream_.avail_out, code == Z_STREAM_END,
            code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR};
  }

  void restart() { ready_ = ::inflateReset(&stream_) == Z_OK; }

 private:
  z_stream stream_{};
  bool ready_;
};

class bzip2_engine {
 public:
  static constexpr std::string_view name = "bzip2";
  static constexpr compression kind = compression::bzip2;

  bzip2_engine() : ready_(::BZ2_bzDecompressInit(&stream_, 0, 0) == BZ_OK) {}
  bzip2_engine(const bzip2_engine&) = delete;
  bzip2_engine& operator=(const bzip2_engine&) = delete;
  ~bzip2_engine() { (void)::BZ2_bzDecompressEnd(&stream_); }

  step run(bytes in, std::span<std::byte> out) {
    if (!ready_) return {.failed = true};
    stream_.next_in = reinterpret_cast<char*>(const_cast<std::byte*>(in.data()));
    stream_.avail_in = static_cast<unsigned>(in.size());
    stream_.next_out = reinterpret_cast<char*>(out.data());
    stream_.avail_out = static_cast<unsigned>(out.size());
    const int code = ::BZ2_bzDecompress(&stream_);
    return {in.size() - stream_.avail_in, out.size() - stream_.avail_out, code == BZ_STREAM_END,
            code != BZ_OK && code != BZ_STREAM_END};
  }

  void restart() {
    (void)::BZ2_bzDecompressEnd(&stream_);
    stream_ = {};
    ready_ = ::BZ2_bzDecompressInit(&stream_, 0, 0) == BZ_OK;
  }

 private:
  bz_stream stream_{};
  bool ready_;
};

class zstd_engine {
 public:
  static constexpr std::string_view name = "zstd";
  static constexpr compression kind = compression::zstd;
  /// 128 MiB, as `zstd -d` takes without being told more. It is allocated only for a file that was
  /// packed with such a window (--long, --ultra); others need at most 8 MiB.
  static constexpr int window_log_max = 27;

  zstd_engine() : stream_(::ZSTD_createDStream(), &::ZSTD_freeDStream) {
    if (stream_) (void)::ZSTD_DCtx_setParameter(stream_.get(), ZSTD_d_windowLogMax, window_log_max);
  }

  step run(bytes in, std::span<std::byte> out) {
    if (!stream_) return {.failed = true};
    ZSTD_inBuffer from{in.data(), in.size(), 0};
    ZSTD_outBuffer to{out.data(), out.size(), 0};
    const auto code = ::ZSTD_decompressStream(stream_.get(), &to, &from);
    window_too_large_ = ::ZSTD_getErrorCode(code) == ZSTD_error_frameParameter_windowTooLarge;
    return {from.pos, to.pos, code == 0, ::ZSTD_isError(code) != 0};
  }

  void restart() {} // a finished frame leaves the stream ready for the next one
  [[nodiscard]] std::string_view refusal() const noexcept {
    return window_too_large_ ? "its zstd data need a window above 128 MiB (they were packed with "
                               "--long); unzstd --long=31 unpacks them"
                             : "";
  }

 private:
  bool window_too_large_ = false;
  std::unique_ptr<ZSTD_DStream, decltype(&::ZSTD_freeDStream)> stream_;
};

template <class Engine>
class unpacked_source final : public byte_source {
 public:
  explicit unpacked_source(window packed) : packed_(std::move(packed)) {}

  std::size_t read(std::span<std::byte> out) override {
    while (!over_) {
      // Without input there may still be output inside the engine.
      const bool more = packed_.ensure(1);
      if (members_ > 0 && !in_member_ && !another_member()) {
        over_ = true;
        trouble_ = packed_.trouble();
        return 0;
      }
      const auto s = engine_.run({packed_.data(), packed_.available()}, out);
      packed_.consume(s.used);
      if (s.used > 0) in_member_ = true;
      const bool stuck = s.used == 0 && s.made == 0 && !s.member_done;
      if (stuck && !more && !s.failed) return end_of_input();
      if (s.failed || stuck) return damaged(s.made);
      if (s.member_done) next_member();
      if (s.made > 0) return s.made;
    }
    return 0;
  }

 private:
  std::size_t end_of_input() {
    over_ = true;
    if (!packed_.trouble().empty())
      trouble_ = packed_.trouble();
    else if (in_member_)
      trouble_ = "its " + std::string(Engine::name) + " data end in the middle, after " +
                 std::to_string(packed_.offset()) + " compressed bytes";
    return 0;
  }

  std::size_t damaged(std::size_t made) {
    over_ = true;
    if constexpr (requires { engine_.refusal(); })
      if (trouble_ = engine_.refusal(); !trouble_.empty()) return made;
    trouble_ = "its " + std::string(Engine::name) + " data are damaged at compressed byte " +
               std::to_string(packed_.offset());
    return made;
  }

  /// What else stands behind a whole member is padding, which gzip passes over as well.
  bool another_member() {
    (void)packed_.ensure(4);
    return compression_of({packed_.data(), packed_.available()}) == Engine::kind;
  }

  void next_member() {
    ++members_;
    in_member_ = false;
    engine_.restart();
  }

  window packed_;
  Engine engine_;
  bool over_ = false;
  bool in_member_ = false;
  u64 members_ = 0;
};

} // namespace

std::string_view to_string(compression c) noexcept {
  switch (c) {
  case compression::gzip:
    return gzip_engine::name;
  case compression::bzip2:
    return bzip2_engine::name;
  case compression::zstd:
    return zstd_engine::name;
  }
  return "compressed";
}

std::optional<compression> compression_of(bytes start) noexcept {
  const auto text = wire::as_text(start);
  if (text.starts_with("\x1f\x8b")) return compression::gzip;
  if (text.starts_with("BZh")) return compression::bzip2;
  if (text.starts_with("\x28\xb5\x2f\xfd")) return compression::zstd;
  // A skippable frame, 184d2a50 to 5f: pzstd writes one before each frame.
  if (text.size() >= 4 && (std::to_integer<u8>(start[0]) & 0xf0) == 0x50 &&
      text.substr(1).starts_with("\x2a\x4d\x18"))
    return compression::zstd;
  return std::nullopt;
}

std::unique_ptr<byte_source> decompress(window packed, compression c) {
  switch (c) {
  case compression::gzip:
    return std::make_unique<unpacked_source<gzip_engine>>(std::move(packed));
  case compression::bzip2:
    return std::make_unique<unpacked_source<bzip2_engine>>(std::move(packed));
  case compression::zstd:
    return std::make_unique<unpacked_source<zstd_engine>>(std::move(packed));
  }
  return nullptr;
}

} // namespace profiler::capture
