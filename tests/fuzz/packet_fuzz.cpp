#include "profiler/net/dispatcher.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <span>

namespace {

using profiler::net::direction;
using profiler::net::flow_key;
using profiler::net::stamp;
using profiler::net::tcp_facts;
using wire::bytes;
using wire::u32;
using wire::u64;

void touch(bytes data, u32 wire_length) {
  if (data.size() > wire_length) std::abort();
  volatile unsigned sum = 0; // every byte is looked at
  for (const auto b : data)
    sum = sum + std::to_integer<unsigned>(b);
}

class consumer final : public profiler::net::transport_consumer {
 public:
  std::unique_ptr<profiler::net::stream_consumer> open(const flow_key&, const tcp_facts&, bool,
                                                       stamp) override {
    ++open_;
    return std::make_unique<stream>(*this);
  }
  void datagram(const flow_key&, direction, bytes data, u32 wire_length, stamp) override {
    touch(data, wire_length);
  }
  [[nodiscard]] bool all_ended() const noexcept { return open_ == 0; }

 private:
  class stream final : public profiler::net::stream_consumer {
   public:
    explicit stream(consumer& c) : c_(c) {}
    void chunk(direction, bytes data, u32 wire_length, stamp) override { touch(data, wire_length); }
    void gap(direction, u64 n, stamp) override {
      if (n == 0) std::abort();
    }
    void end(stamp) override { --c_.open_; }

   private:
    consumer& c_;
  };

  long open_ = 0;
};

} // namespace

/// Frames of any link type: a record is 2 bytes of link type, 1 of flags, 1 of length / 8, 1 of
/// time step (a power of two, with 0x80 backwards), then the frame. Small limits, so that every one
/// of them is reached.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  consumer to;
  profiler::net::limits l;
  l.connections = 4;
  l.connections_aside = 4;
  l.stream_bytes = 4096;
  l.stream_segments = 8;
  l.all_streams_bytes = 8192;
  l.datagrams = 4;
  l.datagrams_bytes = 8192;
  l.fragments_per_datagram = 8;
  profiler::net::dispatcher d(to, l);
  auto left = std::as_bytes(std::span(data, size));
  profiler::packet p;
  while (left.size() >= 5) {
    p.link_type = wire::load_le<wire::u16>(left.data());
    const auto flags = std::to_integer<u32>(left[2]);
    const auto length =
        std::min<std::size_t>(std::to_integer<std::size_t>(left[3]) * 8, left.size() - 5);
    const auto step = std::to_integer<int>(left[4]);
    const auto moved = (wire::i64{1} << (step & 0x3f) % 62) - 1;
    p.at.time += wire::nanos{(step & 0x80) != 0 ? -moved : moved};
    p.at.time = std::clamp(p.at.time, wire::nanos{0}, wire::nanos{wire::i64{1} << 62});
    ++p.at.packet;
    p.data = left.subspan(5, length);
    p.wire_length = static_cast<u32>(length) + ((flags & 1) != 0 ? flags * 16 : 0);
    d.packet(p);
    if (d.held_bytes() > l.all_streams_bytes + 2048 + 128) std::abort();
    left = left.subspan(5 + length);
  }
  d.finish();
  if (!to.all_ended() || d.held_bytes() != 0) std::abort();
  return 0;
}
