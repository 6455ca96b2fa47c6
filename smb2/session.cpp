#include "smb2/session.hpp"

#include "smb2/auth/error.hpp"
#include "smb2/auth/ntlm_client.hpp"
#include "smb2/auth/spnego_client.hpp"
#include "smb2/crypto/keys.hpp"
#include "smb2/crypto/sealer.hpp"
#include "smb2/crypto/signer.hpp"
#include "smb2/hold_table.hpp"
#include "smb2/negotiation.hpp"
#include "smb2/policy.hpp"
#include "smb2/signing.hpp"

#include <fmt/format.h>

namespace smb2 {

namespace detail {

error status_error(std::string_view what, u32 code) {
  return {make_status_error(code), fmt::format("{}: {}", what, describe_status(code))};
}

namespace {

constexpr u16 default_port = 445;
/// A token is at most what a SecurityBufferLength can say; exchanges take two or three.
constexpr std::size_t token_bytes_max = 65'535;
constexpr int rounds_max = 8;
constexpr auto signature_is_wrong = "the server's signature is wrong: it does not have the key, or "
                                    "somebody between us has changed the negotiation";

std::string who_is(const session_options& options) {
  const auto& who = options.who;
  if (options.sec == login::anonymous) return "anonymous";
  if (options.sec == login::guest && who.user.empty()) return "guest";
  if (options.sec == login::kerberos && who.user.empty()) return "the user of the ticket";
  return who.domain.empty() ? who.user : fmt::format("{}\\{}", who.domain, who.user);
}

error setup_error(const session_state& state, std::error_code code, std::string_view why) {
  return {code, fmt::format("SESSION_SETUP as {}: {}", who_is(state.options), why)};
}

/// The session's key is proven; from here on what the policy or the server wants is sealed.
/// · source: MS-SMB2 3.2.5.3.1, 3.2.4.1.8
std::expected<void, error> establish_sealing(session_state& state, u16 session_flags,
                                             const crypto::session_keys& keys) {
  auto& facts = state.facts;
  if (facts.sealing != cipher::none) state.sealer = crypto::make_sealer(facts.sealing, keys);
  facts.seals = facts.seals || (session_flags & session_flag::encrypt_data) != 0;
  if (facts.seals && !state.sealer)
    return std::unexpected(setup_error(state, errc::not_secure,
                                       "the server demands sealing, and no cipher was agreed on"));
  if (state.sealer) state.connection->open_sealed_with(facts.session_id, state.sealer);
  return {};
}

/// The last response of the set-up is the first that the session's key signs. From it we learn
/// that the server has the key too, and on 3.1.1 that nobody changed a word of the negotiation.
/// · source: MS-SMB2 3.2.5.3.1
std::expected<void, error> establish(session_state& state, const reply<session_setup>& last,
                                     bytes session_key, const crypto::preauth_sha512& hash) {
  auto& facts = state.facts;
  const auto flags = last.message.session_flags;
  facts.guest = (flags & (session_flag::is_guest | session_flag::is_null)) != 0 ||
                state.options.sec == login::anonymous;
  const bool asked = state.options.sec == login::guest || state.options.sec == login::anonymous;
  if (facts.guest) {
    if (!asked)
      return std::unexpected(
          setup_error(state, errc::not_secure,
                      "the server took us for a guest, which nobody asked for (sec=guest does), "
                      "and a guest's messages cannot be signed"));
    if (facts.seals || (flags & session_flag::encrypt_data) != 0)
      return std::unexpected(
          setup_error(state, errc::not_secure,
                      "the server took us as a guest, and a guest's messages cannot be sealed"));
    facts.signs = false; // whatever the server requires of others
    return {};
  }
  if (session_key.empty())
    return std::unexpected(
        setup_error(state, errc::not_secure, "the authentication gave no session key"));
  const auto keys = crypto::derive_keys(facts.dialect, session_key, hash.value(), facts.sealing);
  state.signer = crypto::make_signer(facts.dialect, facts.algorithm, keys.signing);
  state.signing_key = keys.signing;
  if (state.options.keys != nullptr)
    state.options.keys->on_session_keys({.session_id = facts.session_id,
                                         .session_key = session_key,
                                         .to_client = keys.decryption.view(),
                                         .to_server = keys.encryption.view()});
  const auto head = decode_header(last.body);
  if (!head->is_signed()) {
    if (facts.dialect < dialect::smb_3_1_1 && !facts.signs)
      return establish_sealing(state, flags, keys);
    return std::unexpected(
        setup_error(state, errc::not_secure, "the server did not sign its last response"));
  }
  if (!signature_matches(*state.signer, *head, last.body))
    return std::unexpected(setup_error(state, errc::bad_signature, signature_is_wrong));
  return establish_sealing(state, flags, keys);
}

filetime wall_clock() {
  return to_filetime(
      std::chrono::duration_cast<nanos>(std::chrono::system_clock::now().time_since_epoch()));
}

using made_authenticator = std::expected<std::unique_ptr<auth::authenticator>, error>;

made_authenticator make_kerberos(const session_state& state) {
  const auto& options = state.options;
  if (!options.kerberos)
    return std::unexpected(setup_error(state, errc::unsupported,
                                       "session_options::kerberos is not set (library "
                                       "smb2_kerberos)"));
  auto made = options.kerberos(options.who, options.where.host);
  if (!made) return std::unexpected(setup_error(state, auth::errc::kerberos, made.error()));
  std::vector<std::unique_ptr<auth::mechanism>> mechanisms;
  mechanisms.push_back(std::move(*made));
  return std::make_unique<auth::spnego_client>(std::move(mechanisms));
}

made_authenticator make_authenticator(const session_state& state) {
  const auto& options = state.options;
  if (options.sec == login::kerberos) return make_kerberos(state);
  auto who = options.who;
  who.anonymous = options.sec == login::anonymous;
  if (options.sec == login::guest && who.user.empty()) who.user = "guest";
  auto made = auth::make_ntlm_authenticator(who, options.where.host, wall_clock());
  if (!made) return std::unexpected(setup_error(state, made.error(), made.error().message()));
  return std::move(*made);
}

error token_error(const session_state& state, const auth::authenticator& client,
                  std::error_code code) {
  const auto why = client.explanation();
  return setup_error(state, code, why.empty() ? code.message() : why);
}

/// A server that takes sealed sessions alone denies access where there can be none (MS-SMB2
/// 3.3.5.5).
error refused(const session_state& state, u32 code) {
  auto out = status_error("SESSION_SETUP as " + who_is(state.options), code);
  if (code != status::access_denied) return out;
  if (state.facts.dialect < dialect::smb_3_0)
    out.text += fmt::format("; if the server demands sealing: dialect {} cannot seal",
                            to_string(state.facts.dialect));
  else if (state.options.seal == sealing_policy::off)
    out.text += "; if the server demands sealing: seal=off rules it out";
  return out;
}

bool proven(const reply<session_setup>& got, message_signer& signer) {
  const auto head = decode_header(got.body);
  return head && head->is_signed() && signature_matches(signer, *head, got.body);
}

/// How an exchange of SESSION_SETUPs ended.
struct setup_end {
  reply<session_setup> last;
  std::vector<std::byte> session_key;
};

/// `request` is that of each round but for the token; `options` are of each call.
awaitable<std::expected<setup_end, error>>
exchange_tokens(session_state& state, session_setup::request request, call_options options) {
  auto made = make_authenticator(state);
  if (!made) co_return std::unexpected(std::move(made.error()));
  const auto client = std::move(*made);
  request.security_mode = static_cast<u8>(state.offered_security_mode);
  auto token = client->step(state.server_offers);
  bool fresh = options.session_id == 0; // the first response names the session

  for (int round = 0; round < rounds_max; ++round) {
    if (!token) co_return std::unexpected(token_error(state, *client, token.error()));
    if (token->size() > token_bytes_max)
      co_return std::unexpected(setup_error(state, errc::too_long, "the token is too long"));
    request.security_buffer = *token;
    auto got = co_await state.connection->call<session_setup>(request, options);
    if (!got) co_return std::unexpected(std::move(got.error()));
    if (std::exchange(options.session_id, got->session_id) != got->session_id && !fresh)
      co_return std::unexpected(
          setup_error(state, errc::bad_response, "the server answers for another session"));
    fresh = false;
    if (got->status != status::success && got->status != status::more_processing_required)
      co_return std::unexpected(refused(state, got->status));
    const bool last = got->status == status::success;
    if (options.checked_by_caller && !last && !proven(*got, *options.signer))
      co_return std::unexpected(setup_error(state, errc::bad_signature, signature_is_wrong));
    const auto from_server = got->message.security_buffer;
    if (!last || !client->done()) token = client->step(from_server);
    if (!last) continue;
    if (!token) co_return std::unexpected(token_error(state, *client, token.error()));
    if (!client->done())
      co_return std::unexpected(
          setup_error(state, errc::bad_response, "the server says success too early"));
    const auto key = client->session_key();
    setup_end out;
    out.session_key.assign(key.begin(), key.end());
    out.last = std::move(*got);
    co_return out;
  }
  co_return std::unexpected(
      setup_error(state, errc::bad_response, "the server never comes to an end"));
}

awaitable<std::expected<void, error>> authenticate(session_state& state) {
  auto hash = state.negotiated;
  session_setup::request request;
  request.previous_session_id = state.options.previous_session_id;
  call_options options;
  options.preauth = &hash;
  auto done = co_await exchange_tokens(state, request, options);
  if (!done) co_return std::unexpected(std::move(done.error()));
  state.facts.session_id = done->last.session_id;
  co_return establish(state, done->last, done->session_key, hash);
}

/// The keys stay as they are (MS-SMB2 3.3.5.5.2), so the new session key is of no use. What is
/// sealed in the session, this is too (3.2.4.1.8).
awaitable<std::expected<void, error>> authenticate_again(session_state& state) {
  const session_setup::request request;
  call_options options;
  options.session_id = state.facts.session_id;
  if (state.facts.signs) options.signer = state.signer;
  if (state.facts.seals) options.sealer = state.sealer;
  auto done = co_await exchange_tokens(state, request, options);
  if (!done) {
    error e = std::move(done.error());
    e.text = "the session has expired, and cannot be renewed: " + e.text;
    co_return std::unexpected(std::move(e));
  }
  co_return std::expected<void, error>{};
}

/// Why `state`, fresh from NEGOTIATE, cannot be a channel of `first`; empty when it can.
std::string_view cannot_bind(const session_state& state, const session_state& first) {
  const auto& a = first.facts;
  const auto& b = state.facts;
  if (b.dialect != a.dialect || b.algorithm != a.algorithm)
    return "the server negotiates otherwise there than with the first channel";
  if (b.server_guid != a.server_guid) return "another server answers there";
  if ((b.capabilities & capability::multi_channel) == 0) return "the server has no multichannel";
  return {};
}

/// The requests are signed with the session's key, and so is every response but the last, which
/// the channel's own key signs.
awaitable<std::expected<void, error>> bind_channel(session_state& state,
                                                   const session_state& first) {
  auto hash = state.negotiated;
  session_setup::request request;
  request.flags = session_setup::request::flag_binding;
  call_options options;
  options.session_id = first.facts.session_id;
  options.signer =
      crypto::make_signer(state.facts.dialect, state.facts.algorithm, first.signing_key);
  options.checked_by_caller = true;
  options.preauth = &hash;
  auto done = co_await exchange_tokens(state, request, options);
  if (!done) co_return std::unexpected(std::move(done.error()));
  const auto& last = done->last;
  if ((last.message.session_flags & session_flag::is_guest) != 0 || done->session_key.empty())
    co_return std::unexpected(
        setup_error(state, errc::bad_response, "a guest cannot have a further channel"));
  const auto keys = crypto::derive_keys(state.facts.dialect, done->session_key, hash.value());
  state.signer = crypto::make_signer(state.facts.dialect, state.facts.algorithm, keys.signing);
  if (!proven(last, *state.signer))
    co_return std::unexpected(setup_error(state, errc::bad_signature, signature_is_wrong));
  state.signing_key = first.signing_key;
  state.facts.session_id = first.facts.session_id;
  state.facts.signs = first.facts.signs;
  state.facts.seals = first.facts.seals;
  state.facts.sealing = first.facts.sealing;
  state.sealer = first.sealer;
  if (state.sealer) state.connection->open_sealed_with(state.facts.session_id, state.sealer);
  co_return std::expected<void, error>{};
}

/// Of a session with all its channels: renewed on any of them, it is renewed on all.
class renewal final : public session_renewal {
 public:
  void add_channel(const std::shared_ptr<session_state>& channel) { channels_.push_back(channel); }

  [[nodiscard]] u32 generation() const noexcept override { return generation_; }

  [[nodiscard]] awaitable<std::expected<void, error>> renew(u32 seen) override {
    if (generation_ != seen) co_return std::expected<void, error>{};
    if (under_way_) {
      wire::net::signal over;
      waiting_.push_back(&over);
      co_await over.wait();
      co_return last_;
    }
    under_way_ = true;
    auto done = co_await on_a_channel(channels_);
    under_way_ = false;
    if (done) ++generation_;
    last_ = done;
    for (auto* other : std::exchange(waiting_, {}))
      other->notify();
    co_return done;
  }

 private:
  using channel_list = std::vector<std::weak_ptr<session_state>>;

  /// On the first that lives.
  static awaitable<std::expected<void, error>> on_a_channel(channel_list channels) {
    std::shared_ptr<session_state> chosen;
    for (const auto& one : channels) {
      const auto channel = one.lock();
      if (!channel) continue;
      if (!chosen || chosen->connection->closed()) chosen = channel;
    }
    auto done = co_await authenticate_again(*chosen);
    co_return done;
  }

  channel_list channels_;
  u32 generation_ = 0;
  bool under_way_ = false;
  std::expected<void, error> last_;
  std::vector<wire::net::signal*> waiting_;
};

/// What the channels of a session share.
void share_channels(const std::shared_ptr<session_state>& state, const session_state* first) {
  if (first == nullptr) {
    state->renewal = std::make_shared<renewal>();
    state->channel_sequence = std::make_shared<u16>(u16{0});
  } else {
    state->renewal = first->renewal;
    state->channel_sequence = first->channel_sequence;
  }
  static_cast<renewal&>(*state->renewal).add_channel(state);
}

/// The server tells of broken oplocks and leases on any of the connections.
void listen_to(session_state& state, std::shared_ptr<hold_table> holds) {
  state.holds = std::move(holds);
  state.holds->connection_added();
  state.connection->listen(state.holds);
}

} // namespace

} // namespace detail

awaitable<std::expected<session, error>> session::open(session_options options) {
  if (options.where.port == 0) options.where.port = detail::default_port;
  auto state = std::make_shared<detail::session_state>();
  state->client_guid = options.client_guid;
  state->options = std::move(options);
  if (const auto wrong = contradiction_in(state->options); !wrong.empty())
    co_return std::unexpected(detail::setup_error(*state, errc::not_secure, wrong));
  const auto where = state->options.where;
  const auto how = state->options.connection;
  auto connected = co_await smb2::connection::connect(where, how);
  if (!connected) co_return std::unexpected(std::move(connected.error()));
  state->connection = std::make_shared<smb2::connection>(std::move(*connected));
  detail::listen_to(*state, std::make_shared<detail::hold_table>());
  auto negotiated = co_await detail::negotiate(*state);
  if (!negotiated) co_return std::unexpected(std::move(negotiated.error()));
  auto opened = co_await log_on(std::move(state));
  co_return opened;
}

awaitable<std::expected<session, error>> session::open_beside(session existing,
                                                              session_options options) {
  const auto& first = *existing.state();
  auto state = std::make_shared<detail::session_state>();
  options.where = first.options.where;
  options.connection = first.options.connection;
  options.dialect = first.facts.dialect;
  options.dialects.clear();
  options.signing_algorithms = first.options.signing_algorithms;
  options.ciphers = first.options.ciphers;
  state->options = std::move(options);
  if (const auto wrong = contradiction_in(state->options); !wrong.empty())
    co_return std::unexpected(detail::setup_error(*state, errc::not_secure, wrong));
  state->connection = first.connection;
  state->holds = first.holds;
  state->facts = first.facts;
  state->facts.session_id = 0;
  state->negotiated = first.negotiated;
  state->server_offers = first.server_offers;
  state->client_guid = first.client_guid;
  state->offered_dialects = first.offered_dialects;
  state->offered_capabilities = first.offered_capabilities;
  state->offered_security_mode = first.offered_security_mode;
  state->negotiate_validated = first.negotiate_validated;
  auto settled = detail::settle_signing(*state);
  if (settled) settled = detail::settle_sealing(*state);
  if (!settled) co_return std::unexpected(std::move(settled.error()));
  auto opened = co_await log_on(std::move(state));
  co_return opened;
}

awaitable<std::expected<session, error>>
session::log_on(std::shared_ptr<detail::session_state> state) {
  auto known = co_await detail::authenticate(*state);
  if (!known) co_return std::unexpected(std::move(known.error()));
  detail::share_channels(state, nullptr);
  co_return session(std::move(state));
}

awaitable<std::expected<session, error>>
session::bind(session existing, wire::net::connect_options where, std::optional<u32> number) {
  const auto first = existing.state();
  auto state = std::make_shared<detail::session_state>();
  state->options = first->options;
  state->options.dialect = first->facts.dialect;
  state->client_guid = first->client_guid;
  if (number) state->options.connection.number = *number;
  if (first->facts.dialect < dialect::smb_3_0 || !first->signer)
    co_return std::unexpected(detail::setup_error(
        *state, errc::unsupported,
        "further channels need dialect 3.0 or later, and a user who is no guest"));
  if (where.port == 0) where.port = state->options.where.port;
  const auto how = state->options.connection;
  auto connected = co_await smb2::connection::connect(where, how);
  if (!connected) co_return std::unexpected(std::move(connected.error()));
  state->connection = std::make_shared<smb2::connection>(std::move(*connected));
  auto negotiated = co_await detail::negotiate(*state);
  if (!negotiated) co_return std::unexpected(std::move(negotiated.error()));
  if (const auto wrong = detail::cannot_bind(*state, *first); !wrong.empty())
    co_return std::unexpected(detail::setup_error(*state, errc::unsupported, wrong));
  auto bound = co_await detail::bind_channel(*state, *first);
  if (!bound) co_return std::unexpected(std::move(bound.error()));
  detail::listen_to(*state, first->holds);
  detail::share_channels(state, first.get());
  co_return session(std::move(state));
}

const break_counters& session::breaks() const noexcept {
  return state_->holds->counters();
}

awaitable<std::expected<void, error>> session::renew() {
  const auto state = state_;
  const auto seen = state->renewal->generation();
  auto done = co_await state->renewal->renew(seen);
  co_return done;
}

awaitable<std::expected<wire::exchange, error>> session::echo() {
  const auto state = state_;
  const smb2::echo::request request;
  const auto options = state->call(0);
  auto got = co_await state->connection->call<smb2::echo>(request, options);
  if (!got) co_return std::unexpected(std::move(got.error()));
  if (got->status != status::success)
    co_return std::unexpected(detail::status_error("ECHO", got->status));
  co_return got->exchange;
}

awaitable<std::expected<void, error>> session::logoff() {
  const auto state = state_;
  const smb2::logoff::request request;
  const auto options = state->call(0);
  auto got = co_await state->connection->call<smb2::logoff>(request, options);
  if (state->connection.use_count() == 1) state->connection->close();
  if (!got) co_return std::unexpected(std::move(got.error()));
  if (is_failure(smb2::logoff::number, got->status))
    co_return std::unexpected(detail::status_error("LOGOFF", got->status));
  co_return std::expected<void, error>{};
}

} // namespace smb2
