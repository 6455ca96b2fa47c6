#pragma once

#include "tests/support/analysis.hpp"
#include "tests/support/synthesiser/traffic.hpp"

#include <string>

/// Captures of traffic, and what our analysis makes of them.
namespace support {

/// `link_type` and `snap_length` of `options` are those of the packets, which must agree.
[[nodiscard]] byte_vector pcap_of(const traffic& t, pcap_options options = {});

struct pcapng_options {
  bool big_endian = false;
  u8 resolution = 9; ///< if_tsresol
};

/// An interface for each `encapsulation::interface`, with the link type and snap length of the
/// first packet there.
[[nodiscard]] byte_vector pcapng_of(const traffic& t, const pcapng_options& options = {});

/// Not by way of a file.
[[nodiscard]] analysed analyse(const traffic& t, profiler::analysis_options options = {});

[[nodiscard]] analysed analyse_file(bytes file);

} // namespace support
