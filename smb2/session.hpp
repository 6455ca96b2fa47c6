#pragma once

#include "smb2/auth/ntlm_client.hpp"
#include "smb2/connection.hpp"

#include <optional>

namespace smb2 {

enum class signing_policy : u8 {
  automatic, ///< when the server requires it
  required,
  off, ///< a server that requires it is refused
};

enum class sealing_policy : u8 {
  automatic, ///< what the server requires, of the session or of a share
  required,  ///< all that follows SESSION_SETUP; a server that cannot is refused
  off,       ///< not offered; a server that requires it is refused
};

struct session_options {
  wire::net::connect_options where; ///< port 0: 445
  auth::credentials who;
  std::optional<smb2::dialect> dialect; ///< exactly this one; none: the best that the server has
  signing_policy sign = signing_policy::automatic;
  /// Offered on 3.1.1, the preferred one first; none: AES-GMAC, AES-CMAC, HMAC-SHA256.
  std::vector<signing_algorithm> signing_algorithms;
  sealing_policy seal = sealing_policy::automatic;
  /// Offered on 3.1.1, the preferred one first; none: GCM before CCM, 128 bits before 256. On 3.0
  /// and 3.0.2 sealing is AES-128-CCM, offered unless this list is there and lacks it.
  std::vector<cipher> ciphers;
  connection_options connection;
};

/// What NEGOTIATE and SESSION_SETUP have settled.
struct session_facts {
  smb2::dialect dialect{};
  u32 capabilities = 0;
  u16 security_mode = 0;
  guid server_guid{};
  u32 max_transact_size = 0; ///< bytes, all three
  u32 max_read_size = 0;
  u32 max_write_size = 0;
  signing_algorithm algorithm = signing_algorithm::hmac_sha256;
  bool signs = false; ///< every request and response
  bool guest = false;
  u64 session_id = 0;
};

namespace detail {

/// A session and its connection. Trees and files share it; the connection closes with the last.
struct session_state {
  session_options options;
  std::optional<smb2::connection> connection;
  session_facts facts;
  guid client_guid{};
  std::vector<smb2::dialect> offered_dialects;
  u32 offered_capabilities = 0;
  u16 offered_security_mode = 0;
  std::shared_ptr<message_signer> signer; ///< none: guest or anonymous
  bool negotiate_validated = false;

  /// How a call of the session is made; `must_sign`: even if the session does not.
  [[nodiscard]] call_options call(u32 tree_id, bool must_sign = false) const {
    call_options out;
    out.session_id = facts.session_id;
    out.tree_id = tree_id;
    if (facts.signs || must_sign) out.signer = signer;
    return out;
  }
};

/// "TREE_CONNECT \\host\share: STATUS_BAD_NETWORK_NAME (no such share)"
[[nodiscard]] error status_error(std::string_view what, u32 status);

} // namespace detail

/// A user on a server: one connection, one SESSION_SETUP. Belongs to one strand.
/// Where sealing belongs: session_facts and the signer gain the cipher and its keys; where further
/// channels belong: `connection` becomes a list, bound by SESSION_SETUP with the binding flag.
class session {
 public:
  /// Connects, NEGOTIATEs, authenticates and checks the signature of the last response.
  /// Errors: "SESSION_SETUP as wiretrip: STATUS_LOGON_FAILURE (wrong user name or password)",
  /// those of the connection, errc::not_secure, auth and crypto errors.
  [[nodiscard]] static awaitable<std::expected<session, error>> open(session_options options);

  [[nodiscard]] awaitable<std::expected<wire::exchange, error>> echo();
  /// Ends the session; what is open in it is closed. Then closes the connection.
  [[nodiscard]] awaitable<std::expected<void, error>> logoff();

  [[nodiscard]] const session_facts& facts() const noexcept { return state_->facts; }
  [[nodiscard]] smb2::connection& connection() const noexcept { return *state_->connection; }
  [[nodiscard]] const std::shared_ptr<detail::session_state>& state() const noexcept {
    return state_;
  }

 private:
  explicit session(std::shared_ptr<detail::session_state> state) : state_(std::move(state)) {}

  std::shared_ptr<detail::session_state> state_;
};

} // namespace smb2
