#pragma once

#include "profiler/flow/connection.hpp"
#include "profiler/flow/coverage.hpp"
#include "profiler/flow/object_map.hpp"
#include "profiler/flow/smb2_sealing.hpp"
#include "profiler/flow/smb_facts.hpp"
#include "wire/exchange.hpp"

namespace profiler::flow {

/// What all flows of one analysis share.
struct context {
  explicit context(wire::exchange_sink& sink, smb2_keys keys = {})
      : out(sink), sealing(std::move(keys)) {}

  wire::exchange_sink& out;
  coverage seen; ///< of connections that were never listed; the others keep their own
  object_map objects;
  connection_list connections;
  smb_facts smb;
  smb2_sealing sealing;
};

/// The connection of one flow, listed with its first message.
class listed_connection {
 public:
  listed_connection(context& shared, const flow_key& key, const net::tcp_facts* facts,
                    bool mid_stream)
      : shared_(shared) {
    draft_.key = key;
    draft_.mid_stream = mid_stream;
    draft_.live = facts;
  }

  listed_connection(const listed_connection&) = delete;
  listed_connection& operator=(const listed_connection&) = delete;

  /// TCP's facts are complete when the stream's consumer goes.
  ~listed_connection() {
    if (listed_)
      shared_.connections.close(number_);
    else
      shared_.seen.merge(draft_.seen);
  }

  /// Its entry in the list, with the message's time and protocol.
  connection& touch(wire::protocol proto, nanos at) {
    auto& c = touch(at);
    c.protocols |= 1u << static_cast<unsigned>(proto);
    return c;
  }

  /// The same for a message whose protocol cannot be told.
  connection& touch(nanos at) {
    if (!listed_) {
      draft_.first = at;
      number_ = shared_.connections.add(draft_);
      listed_ = true;
    }
    auto& c = shared_.connections.at(number_);
    c.last = std::max(c.last, at);
    return c;
  }

  /// What was seen of it. · lifetime: until the next touch().
  [[nodiscard]] coverage& seen() noexcept {
    return listed_ ? shared_.connections.at(number_).seen : draft_.seen;
  }

  [[nodiscard]] bool mid_stream() const noexcept { return draft_.mid_stream; }
  [[nodiscard]] u32 number() const noexcept { return number_; }
  [[nodiscard]] nanos round_trip() const noexcept {
    return draft_.live ? draft_.live->rtt_min : nanos{0};
  }

 private:
  context& shared_;
  connection draft_;
  u32 number_ = 0;
  bool listed_ = false;
};

} // namespace profiler::flow
