#pragma once

#include "profiler/analysis/options.hpp"
#include "profiler/analysis/result.hpp"
#include "profiler/capture/packet.hpp"

#include <expected>
#include <memory>
#include <string>
#include <vector>

namespace profiler {

/// The whole pipeline: packets in, a result out. For live capture give it packets; for files,
/// paths. Files that follow each other in time (a ring of captures) are one analysis, so that
/// connections go on across them; one that starts before the last one ended is analysed apart and
/// added up. · memory: bounded, whatever the size of the capture.
class analyzer {
 public:
  explicit analyzer(analysis_options options = {});
  analyzer(analyzer&&) noexcept;
  analyzer& operator=(analyzer&&) noexcept;
  ~analyzer();

  /// Sees every exchange too, in the order in which they complete; must live until finish().
  void add_sink(wire::exchange_sink& sink);

  void packet(const profiler::packet& p);

  /// What a file of an exchange is called, as far as it is known by now: for sinks.
  [[nodiscard]] std::string path_of(wire::u64 file);

  /// "-" is standard input. Errors: a sentence when the file is no capture or holds no packet.
  /// Damage further on is a warning of the result; what came before it counts.
  [[nodiscard]] std::expected<void, std::string> file(const std::string& path);

  /// Ends all connections. Call once, last.
  [[nodiscard]] result finish();

 private:
  class session;
  void end_session();

  analysis_options options_;
  std::unique_ptr<session> session_;
  std::vector<wire::exchange_sink*> sinks_;
  result total_;
};

} // namespace profiler
