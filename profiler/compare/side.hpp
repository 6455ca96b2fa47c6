#pragma once

#include "wire/bytes.hpp"

#include <nlohmann/json_fwd.hpp>

#include <expected>
#include <string>
#include <vector>

namespace profiler::compare {

using wire::u64;

/// Time that went to one thing: a phase, and the operation that was in it.
struct part {
  std::string phase;     ///< "network", "server", "think"…
  std::string protocol;  ///< "nfs3"; empty for think
  std::string operation; ///< "CREATE"; empty for think
  double seconds = 0;
};

/// How often an operation was asked and what it cost the server, each time.
struct operation_cost {
  std::string protocol;
  std::string operation;
  u64 count = 0;
  double server_us_mean = 0; ///< network+server where they could not be told apart
};

/// One stretch of work: a phase of a run's workload, or a whole capture.
struct stretch {
  std::string name;
  double seconds = 0;
  u64 files = 0;
  u64 round_trips = 0;
  u64 bytes = 0;
  std::vector<part> parts; ///< sum to `seconds` less the residual
  double residual_seconds = 0;
  std::vector<operation_cost> operations;

  void add(const stretch& other);
};

/// One of the two things that are compared.
struct side {
  std::string name;                 ///< of the file or URL
  std::string protocol;             ///< "nfs3", "smb2", "nfs3 smb2"
  u64 file_bytes = 0;               ///< size of each file of a run; 0: not known
  std::vector<stretch> phases;      ///< of a run, by the client's own clock
  std::vector<stretch> wire_phases; ///< the same by the capture beside it; empty: there was none
  std::vector<stretch> whole;       ///< the whole capture, one entry; empty: there was none
};

/// Takes `wiretrip.run/1` and `wiretrip.analysis/1`. Of a run's repeats the one with the median
/// time counts. The error is a sentence.
[[nodiscard]] std::expected<side, std::string> side_of(const nlohmann::ordered_json& document,
                                                       std::string name);

} // namespace profiler::compare
