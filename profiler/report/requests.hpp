#pragma once

#include "wire/exchange.hpp"

#include <cstdio>
#include <expected>
#include <memory>
#include <string>

namespace profiler::report {

/// Writes every exchange as one JSON object a line (NDJSON), in the order in which they complete.
/// Times are nanoseconds of the capture's clock; those that are not known are left out.
class request_log final : public wire::exchange_sink {
 public:
  /// Errors: a sentence when the file cannot be written.
  [[nodiscard]] static std::expected<request_log, std::string> open(const std::string& path);

  void on_exchange(const wire::exchange& e) override;

  /// Whether all of it was written.
  [[nodiscard]] std::expected<void, std::string> close();

 private:
  struct closer {
    void operator()(std::FILE* f) const noexcept { std::fclose(f); }
  };

  explicit request_log(std::FILE* out, std::string path) : out_(out), path_(std::move(path)) {}

  std::unique_ptr<std::FILE, closer> out_;
  std::string path_;
  std::string line_;
  bool failed_ = false;
};

/// The line of one exchange, without the line feed.
[[nodiscard]] std::string request_line(const wire::exchange& e);

} // namespace profiler::report
