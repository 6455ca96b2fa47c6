#include "profiler/flow/dispatcher.hpp"

#include "profiler/flow/smb2_matcher.hpp"
#include "profiler/flow/unread_stream.hpp"

#include <algorithm>
#include <charconv>

namespace profiler::flow {

namespace {

constexpr std::size_t prefix_bytes = 4;

/// xid, call, version 2, program, version
bool is_call(bytes message) noexcept {
  if (message.size() < 24) return false;
  const auto* p = message.data();
  return wire::load_be<u32>(p + 4) == 0 && wire::load_be<u32>(p + 8) == rpc::rpc_version &&
         plausible_program(wire::load_be<u32>(p + 12)) && wire::load_be<u32>(p + 16) < 16;
}

std::unique_ptr<net::stream_consumer> make(service s, context& shared, const flow_key& key,
                                           const net::tcp_facts& facts, bool mid_stream, stamp at) {
  switch (s) {
  case service::rpc:
    return std::make_unique<rpc_stream>(shared, key, facts, mid_stream, at);
  case service::smb2:
    return std::make_unique<smb2_stream>(shared, key, facts, mid_stream, at);
  case service::rdma:
    return std::make_unique<rdma_stream>(shared, mid_stream);
  case service::unknown:
    return nullptr;
  }
  return nullptr;
}

/// Waits for a chunk that starts as a message of something we know. Only whole chunks are looked
/// at: what was passed over before cannot have been a request.
class sniffed_stream final : public net::stream_consumer {
 public:
  sniffed_stream(context& shared, const flow_key& key, const net::tcp_facts& facts)
      : shared_(shared), key_(key), facts_(facts) {}

  void chunk(direction d, bytes data, u32 wire_length, stamp at) override {
    if (!found_ && chunks_ < sniffed_chunks_max) {
      ++chunks_;
      // Mid-stream for the other direction, of which the start may have passed already.
      found_ = make(service_of_content(data), shared_, key_, facts_, true, at);
    }
    if (found_)
      found_->chunk(d, data, wire_length, at);
    else
      passed_bytes_ += wire_length;
  }

  void gap(direction d, u64 n, stamp at) override {
    if (found_) found_->gap(d, n, at);
  }

  void end(stamp at) override {
    if (found_) return found_->end(at);
    if (passed_bytes_ == 0) return;
    ++shared_.seen.unrecognised_connections;
    shared_.seen.unrecognised_bytes += passed_bytes_;
  }

 private:
  context& shared_;
  flow_key key_;
  const net::tcp_facts& facts_;
  u32 chunks_ = 0;
  u64 passed_bytes_ = 0; ///< before anything was recognised
  std::unique_ptr<net::stream_consumer> found_;
};

} // namespace

service service_of_port(u16 port) noexcept {
  switch (port) {
  case 111:
  case 2049:
  case 20048:
    return service::rpc;
  case 139:
  case 445:
    return service::smb2;
  case 5445:
  case 20049:
    return service::rdma;
  default:
    return service::unknown;
  }
}

service service_of_content(bytes start) noexcept {
  if (start.size() < prefix_bytes + 4) return service::unknown;
  if (starts_rdma(start)) return service::rdma;
  const auto prefix = wire::load_be<u32>(start.data());
  const auto message = start.subspan(prefix_bytes);
  if (prefix >> 24 == smb2::direct_tcp::session_message && prefix >= 32) {
    const auto kind = smb2::kind_of(message);
    if (kind == smb2::message_kind::smb2 || kind == smb2::message_kind::smb1 ||
        kind == smb2::message_kind::sealed)
      return service::smb2;
  }
  const auto mark = rpc::record_mark::parse(prefix);
  if (mark.last && mark.length >= 40 && mark.length <= rpc::record_mark::frame_bytes_max &&
      is_call(message))
    return service::rpc;
  return service::unknown;
}

std::expected<port_services::value_type, std::string> parse_port_service(std::string_view text) {
  const auto split = text.find('=');
  const auto name = split == text.npos ? std::string_view{} : text.substr(split + 1);
  u16 port = 0;
  const auto* end = text.data() + std::min(split, text.size());
  const auto [stop, error] = std::from_chars(text.data(), end, port);
  const bool number = error == std::errc{} && stop == end && port != 0;
  if (number && (name == "nfs" || name == "rpc")) return {{port, service::rpc}};
  if (number && (name == "smb2" || name == "smb")) return {{port, service::smb2}};
  return std::unexpected("expected PORT=nfs or PORT=smb2, with a port from 1 to 65535, not " +
                         std::string(text));
}

service dispatcher::service_of(const flow_key& key) const {
  for (const auto port : {key.server.port, key.client.port})
    if (const auto told = ports_.find(port); told != ports_.end()) return told->second;
  const auto known = service_of_port(key.server.port);
  return known != service::unknown ? known : service_of_port(key.client.port);
}

coverage dispatcher::seen() const {
  auto total = shared_.seen;
  for (const auto& c : shared_.connections.all())
    total.merge(c.seen);
  return total;
}

std::unique_ptr<net::stream_consumer>
dispatcher::open(const flow_key& key, const net::tcp_facts& facts, bool mid_stream, stamp at) {
  const auto known = service_of(key);
  if (known == service::unknown) return std::make_unique<sniffed_stream>(shared_, key, facts);
  return make(known, shared_, key, facts, mid_stream, at);
}

dispatcher::datagram_flow* dispatcher::flow_of(const flow_key& key, bytes data, stamp at) {
  if (const auto found = datagrams_.find(key); found != datagrams_.end())
    return found->second.get();
  const bool wanted = is_call(data) || service_of(key) == service::rpc;
  if (!wanted || !rpc::message_type(data)) return nullptr;
  if (datagrams_.size() >= datagram_flows_max) drop_oldest_flow();
  auto made = std::make_unique<datagram_flow>(shared_, key);
  made->last = at.time;
  return datagrams_.emplace(key, std::move(made)).first->second.get();
}

void dispatcher::drop_oldest_flow() {
  const auto oldest =
      std::min_element(datagrams_.begin(), datagrams_.end(), [](const auto& a, const auto& b) {
        return a.second->last < b.second->last;
      });
  ++shared_.seen.evicted_flows;
  oldest->second->matcher.end(oldest->second->last);
  datagrams_.erase(oldest);
}

void dispatcher::datagram(const flow_key& key, direction d, bytes data, u32 wire_length, stamp at) {
  fragmented_datagram(key, d, data, wire_length, at, at);
}

void dispatcher::fragmented_datagram(const flow_key& key, direction d, bytes data, u32 wire_length,
                                     stamp first, stamp last) {
  auto* flow = flow_of(key, data, last);
  if (flow == nullptr) return;
  flow->last = std::max(flow->last, last.time);
  const auto length = std::max<u64>(wire_length, data.size());
  flow->matcher.message(d, {.frame = {.data = data,
                                      .length = length,
                                      .prefix_bytes = 0,
                                      .missing_bytes = length - data.size(),
                                      .first = first,
                                      .last = last},
                            .stall = nanos{0},
                            .gap = false,
                            .end_missing = false});
}

void dispatcher::end(stamp at) {
  for (auto& [key, flow] : datagrams_)
    flow->matcher.end(at.time);
  datagrams_.clear();
  shared_.retries.give_up_all([this](const auto& call) { rpc_matcher::unanswered(shared_, call); });
}

} // namespace profiler::flow
