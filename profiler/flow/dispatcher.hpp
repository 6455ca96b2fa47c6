#pragma once

#include "profiler/flow/context.hpp"
#include "profiler/flow/rpc_matcher.hpp"

#include <expected>
#include <map>
#include <string>

namespace profiler::flow {

/// What a connection speaks.
enum class service : u8 { unknown, rpc, smb2, rdma };

/// By the well-known ports 111, 2049, 20048 (RPC), 445 and 139 (SMB2), 5445 and 20049 (RDMA).
[[nodiscard]] service service_of_port(u16 port) noexcept;

/// What users know of ports that we do not: --decode-as.
using port_services = std::map<u16, service>;

/// "2050=nfs", "4450=smb2"; the error is a sentence.
[[nodiscard]] std::expected<port_services::value_type, std::string>
parse_port_service(std::string_view text);

/// By the first bytes of a message, prefix and all: a call of a known RPC program, SMB, or RDMA.
[[nodiscard]] service service_of_content(bytes start) noexcept;

/// Gives each connection to who understands it; those on unknown ports are looked at first.
class dispatcher final : public net::transport_consumer {
 public:
  explicit dispatcher(wire::exchange_sink& out, port_services ports = {}, smb2_keys keys = {})
      : shared_(out, std::move(keys)), ports_(std::move(ports)) {}

  std::unique_ptr<net::stream_consumer> open(const flow_key& key, const net::tcp_facts& facts,
                                             bool mid_stream, stamp at) override;
  void datagram(const flow_key& key, direction d, bytes data, u32 wire_length, stamp at) override;
  void fragmented_datagram(const flow_key& key, direction d, bytes data, u32 wire_length,
                           stamp first, stamp last) override;

  /// The capture is over: what UDP calls are left get no reply any more.
  void end(stamp at);

  /// Of all connections, those that have ended and those that have not.
  [[nodiscard]] coverage seen() const;
  [[nodiscard]] path_table& paths() noexcept { return shared_.paths; }
  [[nodiscard]] const connection_list& connections() const noexcept { return shared_.connections; }
  [[nodiscard]] const smb_facts& smb() const noexcept { return shared_.smb; }

 private:
  struct datagram_flow {
    datagram_flow(context& shared, const flow_key& key)
        : connection(shared, key, nullptr, true), matcher(shared, connection) {}
    listed_connection connection;
    rpc_matcher matcher;
    nanos last{0};
  };

  datagram_flow* flow_of(const flow_key& key, bytes data, stamp at);
  void drop_oldest_flow();
  [[nodiscard]] service service_of(const flow_key& key) const;

  context shared_;
  port_services ports_;
  std::map<flow_key, std::unique_ptr<datagram_flow>> datagrams_;
};

} // namespace profiler::flow
