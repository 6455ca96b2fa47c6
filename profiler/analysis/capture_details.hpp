#pragma once

#include "profiler/capture/summary.hpp"

namespace profiler::analysis {

/// What captures say beside their packets, several files added up.
struct capture_details {
  static constexpr std::size_t interfaces_max = 256;
  static constexpr std::size_t kinds_max = 64;

  std::vector<capture::capture_interface> interfaces; ///< file by file
  wire::u64 interfaces_not_listed = 0;
  std::string hardware; ///< this and the next two: of the first file that tells
  std::string system;
  std::string application;
  wire::u64 comments = 0;
  std::vector<capture::capture_comment> comment_texts; ///< the first ones
  wire::u64 names = 0;
  std::vector<capture::block_count> secrets; ///< by what they are
  wire::u64 secrets_not_kept = 0;            ///< too many or too large
  std::vector<capture::block_count> skipped; ///< blocks that say nothing about packets
  wire::u64 large_blocks = 0;
  wire::u64 sections_not_read = 0;
  wire::u64 inbound = 0;
  wire::u64 outbound = 0;
  wire::u64 link_errors = 0;
  wire::u64 damaged_places = 0;
  wire::u64 damaged_bytes = 0;

  [[nodiscard]] static capture_details of(const capture::capture_summary& s);
  void merge(const capture_details& other);
};

} // namespace profiler::analysis
