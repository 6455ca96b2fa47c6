#pragma once

#include "wire/exchange.hpp"

#include <cstdio>
#include <expected>
#include <functional>
#include <memory>
#include <string>

namespace profiler::report {

/// What requests say of the files that they work on.
struct file_names {
  std::function<std::string(wire::u64 file)> path{}; ///< none: no paths are written
  std::function<wire::u64(wire::u64 file)> number{}; ///< none: the number as it is
};

/// Writes every exchange as one JSON object a line (NDJSON), in the order in which they complete.
/// Times are nanoseconds of the capture's clock; those that are not known are left out.
class request_log final : public wire::exchange_sink {
 public:
  /// Errors: a sentence when the file cannot be written.
  [[nodiscard]] static std::expected<request_log, std::string> open(const std::string& path,
                                                                    file_names names = {});

  void on_exchange(const wire::exchange& e) override;

  /// Whether all of it was written.
  [[nodiscard]] std::expected<void, std::string> close();

 private:
  struct closer {
    void operator()(std::FILE* f) const noexcept { std::fclose(f); }
  };

  request_log(std::FILE* out, std::string path, file_names names)
      : out_(out), path_(std::move(path)), names_(std::move(names)) {}

  std::unique_ptr<std::FILE, closer> out_;
  std::string path_;
  file_names names_;
  std::string line_;
  bool failed_ = false;
};

/// The line of one exchange, without the line feed.
[[nodiscard]] std::string request_line(const wire::exchange& e, const file_names& names = {});

} // namespace profiler::report
