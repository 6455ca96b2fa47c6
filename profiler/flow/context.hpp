#pragma once

#include "profiler/flow/connection.hpp"
#include "profiler/flow/coverage.hpp"
#include "profiler/flow/object_map.hpp"
#include "profiler/flow/path_table.hpp"
#include "profiler/flow/retries.hpp"
#include "profiler/flow/smb2_sealing.hpp"
#include "profiler/flow/smb_facts.hpp"
#include "wire/exchange.hpp"

#include <memory>

namespace profiler::flow {

/// What all flows of one analysis share.
struct context {
  explicit context(wire::exchange_sink& sink, smb2_keys keys = {})
      : out(sink), sealing(std::move(keys)) {}

  wire::exchange_sink& out;
  coverage seen; ///< of connections that were never listed; the others keep their own
  object_map objects;
  path_table paths;
  connection_list connections;
  retry_index retries;
  smb_facts smb;
  smb2_sealing sealing;
};

/// The connection of one flow, listed with its first message.
class listed_connection {
 public:
  listed_connection(context& shared, const flow_key& key, const net::tcp_facts* facts,
                    bool mid_stream)
      : shared_(shared), key_(key), facts_(facts), mid_stream_(mid_stream),
        draft_(std::make_unique<connection>()) {
    draft_->key = key;
    draft_->mid_stream = mid_stream;
    draft_->live = facts;
  }

  listed_connection(const listed_connection&) = delete;
  listed_connection& operator=(const listed_connection&) = delete;

  /// TCP's facts are complete when the stream's consumer goes.
  ~listed_connection() {
    if (listed_)
      shared_.connections.close(number_);
    else
      shared_.seen.merge(draft_->seen);
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
      draft_->first = at;
      number_ = shared_.connections.add(std::move(*draft_));
      draft_.reset();
      listed_ = true;
    }
    auto& c = shared_.connections.at(number_);
    c.last = std::max(c.last, at);
    return c;
  }

  /// What was seen of it. · lifetime: until the next touch().
  [[nodiscard]] coverage& seen() noexcept {
    return listed_ ? shared_.connections.at(number_).seen : draft_->seen;
  }

  /// Nothing that goes this way has been captured so far, though the other way shows that it
  /// exists.
  [[nodiscard]] bool unseen(direction d) const noexcept {
    if (facts_ == nullptr) return false;
    const auto sender =
        d == direction::to_server ? net::unseen_side::client : net::unseen_side::server;
    return facts_->unseen == sender;
  }

  [[nodiscard]] const flow_key& key() const noexcept { return key_; }
  /// nullptr for UDP.
  [[nodiscard]] const net::tcp_facts* tcp() const noexcept { return facts_; }
  [[nodiscard]] bool mid_stream() const noexcept { return mid_stream_; }
  [[nodiscard]] u32 number() const noexcept { return number_; }
  [[nodiscard]] nanos round_trip() const noexcept { return facts_ ? facts_->rtt_min : nanos{0}; }

 private:
  context& shared_;
  flow_key key_;
  const net::tcp_facts* facts_;
  bool mid_stream_;
  std::unique_ptr<connection> draft_; ///< until it is listed
  u32 number_ = 0;
  bool listed_ = false;
};

} // namespace profiler::flow
