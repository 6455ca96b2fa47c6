#pragma once

#include "profiler/analysis/capture_details.hpp"
#include "profiler/analysis/file_table.hpp"
#include "profiler/analysis/operation_table.hpp"
#include "profiler/flow/connection.hpp"
#include "profiler/flow/coverage.hpp"
#include "profiler/flow/smb_facts.hpp"
#include "profiler/net/counters.hpp"
#include "profiler/timing/attribution.hpp"

#include <deque>
#include <string>
#include <vector>

namespace profiler {

/// What was captured, file by file added up.
struct capture_facts {
  std::vector<std::string> files;
  wire::u64 packets = 0;
  wire::u64 wire_bytes = 0;
  wire::u64 cut_packets = 0; ///< captured shorter than they were on the wire
  wire::u64 dropped = 0;     ///< by the capturing system, as far as the files say
  wire::u64 time_steps_back = 0;
  std::vector<wire::u32> link_types;
  wire::nanos first{0};
  wire::nanos last{0};
  wire::u64 filtered_out = 0; ///< of the packets, by the user's filter: not analysed
  analysis::capture_details details;

  [[nodiscard]] double seconds() const noexcept {
    return static_cast<double>((last - first).count()) / 1e9;
  }
};

/// One of the files that took most time.
struct slow_file {
  std::string path;
  wire::u64 round_trips = 0;
  wire::u64 bytes = 0; ///< up to the last one that was read or written
  double seconds = 0;  ///< Σ r1 − q0 of its round trips
};

/// All that one analysis found out. Results of parts add up to that of the whole, but for what lies
/// across the parts: exchanges and files that are in two of them.
struct result {
  capture_facts capture;
  flow::coverage seen;
  flow::smb_facts smb;
  net::counters network;
  std::deque<flow::connection> connections;
  wire::u64 connections_not_listed = 0;
  analysis::operation_table operations;
  analysis::file_table files;
  timing::attribution wall;
  std::vector<slow_file> slowest;    ///< the slowest first
  std::vector<std::string> warnings; ///< sentences

  void merge(const result& other);
};

} // namespace profiler
