#pragma once

#include "nfs/security.hpp"
#include "nfs/url.hpp"
#include "nfs/v4/compound_call.hpp"
#include "nfs/v4/slot_table.hpp"

#include <memory>

namespace nfs::v4 {

using wire::nanos;
using wire::net::awaitable;

template <class T>
using result = awaitable<std::expected<T, error>>;

/// · units: bytes. What a READ or WRITE needs in a message beside its data, at most.
inline constexpr u32 message_overhead = 1024;

struct session_settings {
  u32 minor_version = 1;                            ///< 1 or 2
  nanos timeout = std::chrono::seconds(60);         ///< of each call
  nanos connect_timeout = std::chrono::seconds(10); ///< of the connection
  u32 slots = 64;                                   ///< wanted
  u32 operations = 128;                             ///< of one COMPOUND, wanted
  u32 message_bytes = (1u << 20) + (64u << 10);     ///< of a request and a reply, wanted
  wire::exchange_sink* sink = nullptr;              ///< sees every call
  rpc::gss_source_of_server kerberos;               ///< sec=krb5… of the URL needs it
  u32 connection_number = 0;
};

/// What EXCHANGE_ID and CREATE_SESSION have settled.
struct session_facts {
  u64 clientid = 0;
  sessionid id{};
  channel_attrs fore;
  std::string server_owner;   ///< so_major_id, as text
  std::string implementation; ///< of the server, where it says so
};

namespace detail {
struct session_state;
}

/// An NFSv4.1 session over one TCP connection: compounds that the caller builds, each in a slot of
/// its own. A call that finds no slot free waits for one; that wait is its `queue` phase.
/// It asks for no backchannel, so the server delegates nothing. Belongs to one strand.
/// · source: RFC 8881 sections 2.10, 18.35, 18.36, 18.46
class session {
 public:
  /// Connects, EXCHANGE_ID, CREATE_SESSION, RECLAIM_COMPLETE.
  [[nodiscard]] static result<session> open(url where, session_settings settings);

  /// The compound behind a SEQUENCE. Its results, whatever their status; a SEQUENCE that the server
  /// wants later (NFS4ERR_DELAY) is sent again. `what` must live until it returns.
  /// Errors: those of the connection; NFS4ERR_BADSESSION and others of SEQUENCE.
  [[nodiscard]] result<compound_results> call(const compound& what);

  /// DESTROY_SESSION and DESTROY_CLIENTID, and the end of the connection.
  [[nodiscard]] result<void> close();

  [[nodiscard]] const session_facts& facts() const noexcept;
  [[nodiscard]] const slot_table& slots() const noexcept;
  [[nodiscard]] rpc::connection& connection() const noexcept;
  [[nodiscard]] u32 minor_version() const noexcept;

 private:
  explicit session(std::shared_ptr<detail::session_state> state) : state_(std::move(state)) {}

  std::shared_ptr<detail::session_state> state_;
};

} // namespace nfs::v4
