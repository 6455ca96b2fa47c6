#include "profiler/capture/capture_reader.hpp"

#include <cstdint>
#include <cstdlib>
#include <span>

/// A capture file of any format, packed or not: reading it to its end must be harmless, and what it
/// tells must agree with itself.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto reader =
      profiler::capture::capture_reader::over(std::as_bytes(std::span(data, size)), "input");
  if (!reader) return reader.error().empty() ? std::abort(), 1 : 0;
  profiler::packet p;
  wire::u64 packets = 0;
  volatile unsigned sum = 0; // every byte is looked at
  // A short packed input may hold very many frames.
  while (packets < 100'000 && reader->next(p)) {
    ++packets;
    if (p.wire_length < p.data.size()) std::abort();
    for (const auto b : p.data)
      sum = sum + std::to_integer<unsigned>(b);
  }
  if (reader->summary().packets != packets) std::abort();
  return 0;
}
