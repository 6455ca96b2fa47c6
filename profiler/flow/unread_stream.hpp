#pragma once

#include "profiler/flow/context.hpp"

namespace profiler::flow {

/// RDMA over TCP (iWARP) starts with a negotiation that has a key in it.
/// · source: RFC 5044 section 7.1.1
[[nodiscard]] inline bool starts_rdma(bytes stream) noexcept {
  constexpr std::string_view request = "MPA ID Req Frame";
  constexpr std::string_view reply = "MPA ID Rep Frame";
  const auto start = wire::as_text(stream.first(std::min(stream.size(), request.size())));
  return start == request || start == reply;
}

/// A connection that carries RDMA: SMB Direct, NFS/RDMA. What is in it is not looked into, and
/// counted. One that does not start with the negotiation, and was not joined in the middle, is no
/// such connection.
class rdma_stream final : public net::stream_consumer {
 public:
  rdma_stream(context& shared, bool known) : shared_(shared) {
    if (known) found();
  }

  void chunk(direction, bytes data, u32 wire_length, stamp) override {
    if (!found_ && !other_ && starts_rdma(data)) found();
    other_ = !found_;
    if (found_) shared_.seen.rdma_bytes += wire_length;
  }
  void gap(direction, u64 n, stamp) override {
    if (found_) shared_.seen.rdma_bytes += n;
  }
  void end(stamp) override {}

 private:
  void found() {
    found_ = true;
    ++shared_.seen.rdma_connections;
  }

  context& shared_;
  bool found_ = false;
  bool other_ = false;
};

} // namespace profiler::flow
