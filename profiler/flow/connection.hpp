#pragma once

#include "profiler/flow/coverage.hpp"
#include "profiler/flow/nfs4_compound.hpp"
#include "profiler/net/consumer.hpp"
#include "profiler/timing/phase.hpp"
#include "wire/exchange.hpp"

#include <deque>

namespace profiler::flow {

using net::direction;
using net::flow_key;
using wire::bytes;
using wire::known;
using wire::nanos;
using wire::stamp;
using wire::u16;
using wire::u32;
using wire::u64;
using wire::u8;

/// What is known of one connection (or pair of UDP ports) with requests on it.
struct connection {
  flow_key key;
  bool mid_stream = false;
  nanos first{0};
  nanos last{0};
  u32 protocols = 0; ///< bit n: wire::protocol n was seen
  u64 exchanges = 0;
  u8 security = 0;        ///< bit n: a call with rpc_security n was seen
  bool tls = false;       ///< RPC over TLS (RFC 9289)
  u16 dialect = 0;        ///< SMB2 DialectRevision; 0: NEGOTIATE was not seen
  u32 max_read = 0;       ///< bytes: MaxReadSize, rtmax of FSINFO, maxread; 0: not seen
  u32 max_write = 0;      ///< bytes
  nfs4_session session;   ///< NFSv4.1: the last that was made here
  bool is_signed = false; ///< SMB2: some requests carry a signature
  bool encrypted = false; ///< SMB2: some messages are behind a TRANSFORM header
  coverage seen;          ///< of this connection alone
  net::tcp_facts facts;   ///< as they were when the connection ended
  const net::tcp_facts* live = nullptr; ///< while it lasts

  [[nodiscard]] const net::tcp_facts& tcp() const noexcept { return live ? *live : facts; }
};

/// Every connection, by the number that its exchanges carry. Bounded: what comes behind the last
/// place shares it.
class connection_list {
 public:
  static constexpr u32 connections_max = 16384;

  u32 add(connection c);
  [[nodiscard]] connection& at(u32 number) { return list_[number]; }
  [[nodiscard]] const std::deque<connection>& all() const noexcept { return list_; }
  [[nodiscard]] u64 not_listed() const noexcept { return not_listed_; }

  /// The connection is over: keeps what its TCP facts were.
  void close(u32 number);

  /// How much of r0 − q1 the way explains: the round trip between the capture point and the server,
  /// and what the call and the first segment of the reply take to get through the line, as far as
  /// that is not in q1 − q0 already. wire::unknown_time without a round trip that can be trusted.
  [[nodiscard]] nanos network_of(const wire::exchange& e) const;

 private:
  std::deque<connection> list_;
  u64 not_listed_ = 0;
};

} // namespace profiler::flow
