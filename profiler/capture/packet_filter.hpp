#pragma once

#include "profiler/capture/packet.hpp"

#include <expected>
#include <string>

namespace profiler::capture {

/// Chooses packets before they are analysed. It may be asked about a packet inside another one too:
/// an IP packet out of a tunnel is one of link type 101 (raw IP).
class packet_filter {
 public:
  virtual ~packet_filter() = default;
  packet_filter(const packet_filter&) = delete;
  packet_filter& operator=(const packet_filter&) = delete;

  /// Errors: a sentence; the filter cannot be asked about packets of this link type.
  [[nodiscard]] virtual std::expected<bool, std::string> wants(const packet& p) = 0;

 protected:
  packet_filter() = default;
};

} // namespace profiler::capture
