#include "profiler/analysis/file_table.hpp"
#include "profiler/analysis/operation_table.hpp"
#include "profiler/flow/dispatcher.hpp"
#include "profiler/timing/attribution.hpp"

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>

namespace {

using profiler::net::direction;
using wire::u32;

/// The tables behind the flows, as in an analysis.
class tables final : public wire::exchange_sink {
 public:
  void on_exchange(const wire::exchange& e) override {
    operations.on_exchange(e);
    files.on_exchange(e);
    wall.on_exchange(e);
  }

  profiler::analysis::operation_table operations;
  profiler::analysis::file_table files{8};
  profiler::timing::attribution wall{16};
};

profiler::net::flow_key key_of_port(wire::u16 port, bool tcp) {
  profiler::net::flow_key key;
  key.client.port = 700;
  key.server.port = port;
  key.tcp = tcp;
  return key;
}

/// Session 7 opens: its keys are those of the corpus, so that what is inside gets mutated messages
/// too; session 8 has a session key, of which a handshake in the input is part.
profiler::flow::smb2_keys keys() {
  return *profiler::flow::smb2_keys::parse(
      "0x7,,22222222222222222222222222222222,11111111111111111111111111111111\n"
      "0x8,33333333333333333333333333333333\n",
      "keys");
}

constexpr std::size_t step_bytes = 4;
constexpr std::array<wire::u16, 4> ports{2049, 445, 139, 9999};

void check(const profiler::flow::coverage& seen, const tables& t) {
  if (seen.calls != seen.answered + seen.unanswered + seen.still_waiting) std::abort();
  if (seen.decrypted_messages + seen.encrypted_without_key + seen.tag_failures >
      seen.encrypted_messages)
    std::abort();
  if (seen.decrypted_unverified > seen.decrypted_messages) std::abort();
  if (seen.decompressed_messages > seen.compressed_messages) std::abort();
  if (seen.orphans_in_gaps + seen.orphans_before_start > seen.orphan_replies) std::abort();
  if (seen.timed + seen.bounded + seen.by_elimination > seen.answered) std::abort();
  double sum = 0;
  for (const auto& row : t.wall.rows())
    sum += row.seconds;
  const double wall = t.wall.wall_seconds();
  if (std::abs(sum - wall) > 1e-6 * (1 + wall)) std::abort();
}

} // namespace

/// The first byte chooses the port and whether the stream is joined in the middle; then steps of
/// flags (1: to the client, 2: a gap, 4: a datagram, 8: cut), a step in time, and a length in 16
/// bits.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto left = std::as_bytes(std::span(data, size));
  if (left.empty()) return 0;
  const auto first = std::to_integer<unsigned>(left[0]);
  const auto port = ports[first % ports.size()];
  left = left.subspan(1);

  tables t;
  const profiler::net::tcp_facts facts;
  profiler::flow::dispatcher flows(t, {}, keys());
  wire::stamp at{wire::nanos{1'000'000}, 1};
  auto stream = flows.open(key_of_port(port, true), facts, (first & 4) != 0, at);
  while (left.size() >= step_bytes) {
    const auto flags = std::to_integer<unsigned>(left[0]);
    const auto length =
        std::min<std::size_t>(wire::load_le<wire::u16>(left.data() + 2), left.size() - step_bytes);
    at.time += wire::nanos{(wire::i64{1} << (std::to_integer<int>(left[1]) % 40)) - 1};
    ++at.packet;
    const auto d = (flags & 1) != 0 ? direction::to_client : direction::to_server;
    const auto start = left.begin() + step_bytes;
    // Exact size, so that a read behind the end is seen.
    const std::vector<std::byte> piece(start, start + static_cast<std::ptrdiff_t>(length));
    const auto wire_length = static_cast<u32>(length) + ((flags & 8) != 0 ? flags * 4 : 0);
    if ((flags & 4) != 0)
      flows.datagram(key_of_port(port, false), d, piece, wire_length, at);
    else if ((flags & 2) != 0 && wire_length > 0)
      stream->gap(d, wire_length, at);
    else if (wire_length > 0)
      stream->chunk(d, piece, wire_length, at);
    left = left.subspan(step_bytes + length);
  }
  stream->end(at);
  stream.reset();
  flows.end(at);
  t.files.finish();
  t.wall.finish();
  check(flows.seen(), t);
  return 0;
}
