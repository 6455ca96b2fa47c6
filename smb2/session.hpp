#pragma once

#include "smb2/auth/credentials.hpp"
#include "smb2/connection.hpp"
#include "smb2/crypto/mac.hpp"
#include "smb2/crypto/preauth.hpp"
#include "smb2/key_sink.hpp"
#include "smb2/oplocks.hpp"

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

/// How we show who we are. A guest and nobody only when asked for: neither has a key.
enum class login : u8 {
  ntlm,      ///< NTLMv2 with name and password; a server that takes us for a guest is refused
  kerberos,  ///< a ticket of the user's cache; likewise
  guest,     ///< as ntlm, and to be taken for a guest is fine; no name: "guest"
  anonymous, ///< nobody
};

struct session_options {
  wire::net::connect_options where; ///< port 0: 445
  auth::credentials who;            ///< kept while the session lives: it may have to be renewed
  login sec = login::ntlm;
  /// auth::kerberos_source() of the library smb2_kerberos; login::kerberos needs it.
  auth::mechanism_source kerberos;
  std::optional<smb2::dialect> dialect; ///< exactly this one
  std::vector<smb2::dialect> dialects;  ///< offered where `dialect` names none; empty: all
  signing_policy sign = signing_policy::automatic;
  /// Offered on 3.1.1, the preferred one first; none: AES-GMAC, AES-CMAC, HMAC-SHA256.
  std::vector<signing_algorithm> signing_algorithms;
  sealing_policy seal = sealing_policy::automatic;
  /// Offered on 3.1.1, the preferred one first; none: GCM before CCM, 128 bits before 256. On 3.0
  /// and 3.0.2 sealing is AES-128-CCM, offered unless this list is there and lacks it.
  std::vector<cipher> ciphers;
  /// What the server may send compressed, the preferred algorithm first; none: nothing. Offered on
  /// 3.1.1; a server that does not compress is fine. What we send is never compressed.
  std::vector<compression_algorithm> compression;
  bool chained_compression = true; ///< offered with it
  /// A session of ours that the server may still hold, of a connection that was lost: it ends now
  /// (MS-SMB2 3.3.5.5.3). 0: none.
  u64 previous_session_id = 0;
  /// Which client we are: leases and durable opens are given back to the same one only. All zero: a
  /// new one.
  guid client_guid{};
  key_sink* keys = nullptr; ///< must outlive the session
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
  bool signs = false;                ///< every request and response that is not sealed
  cipher sealing = cipher::none;     ///< agreed on; used where `seals` or a share wants it
  bool seals = false;                ///< every request and response after SESSION_SETUP
  compression_agreement compression; ///< no algorithm: the server compresses nothing
  bool guest = false;
  u64 session_id = 0;
  std::optional<bool> related_compounds; ///< work; nothing: nobody has tried (one_round_trip)
};

namespace detail {

class hold_table;

/// A session and its connection. Trees and files share it; the connection closes with the last
/// session that uses it.
struct session_state {
  session_options options;
  std::shared_ptr<smb2::connection> connection;
  session_facts facts;
  crypto::preauth_sha512 negotiated;    ///< the hash behind NEGOTIATE: where each session begins
  std::vector<std::byte> server_offers; ///< the SPNEGO token of NEGOTIATE
  guid client_guid{};
  std::vector<smb2::dialect> offered_dialects;
  u32 offered_capabilities = 0;
  u16 offered_security_mode = 0;
  std::shared_ptr<message_signer> signer; ///< none: guest or anonymous
  crypto::key_128 signing_key{};          ///< what binds further channels, whatever they sign with
  std::shared_ptr<message_sealer> sealer; ///< none: guest, anonymous, or no cipher was agreed on
  bool negotiate_validated = false;
  bool probing_compounds = false; ///< somebody is finding out
  // What all channels of the session share; there once it is set up.
  std::shared_ptr<session_renewal> renewal;
  std::shared_ptr<u16> channel_sequence; ///< 3.x: how many channels were lost
  bool counted_lost = false;             ///< this channel is
  std::shared_ptr<hold_table> holds;     ///< sessions on the same connections share it too

  /// Requests on the other channels tell the server from now on that one was lost
  /// (MS-SMB2 3.2.7.1).
  void note_lost() {
    if (!std::exchange(counted_lost, true)) ++*channel_sequence;
  }

  /// How a call of the session is made; `must_sign`: even if the session does not. What is sealed
  /// is not signed.
  [[nodiscard]] call_options call(u32 tree_id, bool must_sign = false) const {
    call_options out;
    out.session_id = facts.session_id;
    out.tree_id = tree_id;
    out.renewal = renewal.get();
    if (facts.dialect >= dialect::smb_3_0) out.channel_sequence = channel_sequence.get();
    if (facts.seals)
      out.sealer = sealer;
    else if (facts.signs || must_sign)
      out.signer = signer;
    return out;
  }
};

/// "TREE_CONNECT \\host\share: STATUS_BAD_NETWORK_NAME (no such share)"
[[nodiscard]] error status_error(std::string_view what, u32 status);

} // namespace detail

/// A user on a server: a connection and a SESSION_SETUP. Several may share a connection, and one
/// may have several (bind()). Belongs to one strand. When the server calls it expired, it
/// authenticates again and repeats the call.
class session {
 public:
  /// Connects, NEGOTIATEs, authenticates and checks the signature of the last response.
  /// Errors: "SESSION_SETUP as wiretrip: STATUS_LOGON_FAILURE (wrong user name or password)",
  /// those of the connection, errc::not_secure, auth and crypto errors.
  [[nodiscard]] static awaitable<std::expected<session, error>> open(session_options options);

  /// A further user on the connection of `existing`: `options.where`, dialects, algorithms and
  /// connection options are those of the first.
  [[nodiscard]] static awaitable<std::expected<session, error>>
  open_beside(session existing, session_options options);

  /// A further channel: the same session, over a connection of its own to an address of the same
  /// server. What is open is open in both; each signs with a key of its own. The first logoff ends
  /// the session. Dialect 3.0 and later; not for guests.
  /// `number` is the `connection` of its exchanges; none: that of the first channel.
  /// Errors: STATUS_REQUEST_NOT_ACCEPTED from a server without multichannel.
  /// · source: MS-SMB2 3.2.4.2.3, 3.2.5.3.3
  [[nodiscard]] static awaitable<std::expected<session, error>>
  bind(session existing, wire::net::connect_options where, std::optional<u32> number = {});

  /// Authenticates again, in the same session and with the same keys.
  /// · source: MS-SMB2 3.2.4.2.3.1, 3.2.5.3.2
  [[nodiscard]] awaitable<std::expected<void, error>> renew();

  [[nodiscard]] awaitable<std::expected<wire::exchange, error>> echo();
  /// Ends the session; what is open in it is closed. The last one on a connection closes that too.
  [[nodiscard]] awaitable<std::expected<void, error>> logoff();

  /// Broken oplocks and leases of this client on the server.
  [[nodiscard]] const break_counters& breaks() const noexcept;

  [[nodiscard]] const session_facts& facts() const noexcept { return state_->facts; }
  [[nodiscard]] smb2::connection& connection() const noexcept { return *state_->connection; }
  [[nodiscard]] const std::shared_ptr<detail::session_state>& state() const noexcept {
    return state_;
  }

 private:
  [[nodiscard]] static awaitable<std::expected<session, error>>
  log_on(std::shared_ptr<detail::session_state> state);
  friend class tree;
  explicit session(std::shared_ptr<detail::session_state> state) : state_(std::move(state)) {}

  std::shared_ptr<detail::session_state> state_;
};

} // namespace smb2
