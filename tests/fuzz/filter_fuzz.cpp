#include "profiler/capture/bpf_filter.hpp"

#include <array>
#include <cstdint>
#include <cstdlib>
#include <span>

namespace {

/// One that is asked about frames without tags, and one about frames as they are.
const std::array filters{
    profiler::capture::compile_filter("tcp port 445 or udp[8:4] > 7").value().release(),
    profiler::capture::compile_filter("ether[12:2] = 0x8100").value().release()};

constexpr std::array<wire::u32, 12> link_types{0,   1,   12,  14,  101, 108,
                                               113, 147, 228, 229, 276, 9999};

} // namespace

/// A byte that chooses the link type, a byte that is added to the length on the wire, and a frame:
/// any filter may be asked about any frame, and answers the same twice.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  profiler::packet p;
  p.data = std::as_bytes(std::span(data, size).subspan(2));
  p.link_type = link_types[data[0] % link_types.size()];
  p.wire_length = static_cast<wire::u32>(p.data.size() + data[1]);
  for (auto* filter : filters) {
    const auto first = filter->wants(p);
    const auto again = filter->wants(p);
    if (first != again || (!first && first.error().empty())) std::abort();
  }
  return 0;
}
