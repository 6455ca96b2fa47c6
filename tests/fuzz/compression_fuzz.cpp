// Whatever the bytes are: nothing is read or written beyond the buffers, and what comes out is as
// long as the header said. The first byte chooses: a whole message, or one of the algorithms.

#include "smb2/compression/decoders.hpp"
#include "smb2/compression/message.hpp"

#include <cstdint>
#include <cstdlib>
#include <memory>

namespace {

using namespace smb2;

void require(bool condition) {
  if (!condition) std::abort();
}

void expand(wire::errc (*algorithm)(bytes, std::span<std::byte>), bytes data) {
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{1}, data.size(), 3 * data.size(), std::size_t{70'000}}) {
    const auto out =
        std::make_unique<std::byte[]>(size); // exact, so that sanitizers see one too far
    const auto code = algorithm(data, std::span(out.get(), size));
    require(size != 0 || code == wire::errc::ok);
  }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* raw, std::size_t size) {
  const auto data = std::as_bytes(std::span(raw, size));
  constexpr u32 bytes_max = 1 << 20;
  if (const auto out = decompress(data, bytes_max)) {
    require(out->size() <= bytes_max);
    require(data.size() >= 8);
  }
  if (data.empty()) return 0;
  switch (std::to_integer<unsigned>(data.front()) % 4) {
  case 0:
    expand(compression::lznt1, data.subspan(1));
    break;
  case 1:
    expand(compression::lz77, data.subspan(1));
    break;
  case 2:
    expand(compression::lz77_huffman, data.subspan(1));
    break;
  default:
    expand(compression::lz4, data.subspan(1));
  }
  return 0;
}
