#include "smb2/session.hpp"

#include "smb2/crypto/keys.hpp"
#include "smb2/crypto/sealer.hpp"
#include "smb2/crypto/signer.hpp"
#include "smb2/negotiation.hpp"
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

std::string who_is(const session_options& options) {
  const auto& who = options.who;
  if (who.anonymous) return "anonymous";
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
  facts.guest = (flags & (session_flag::is_guest | session_flag::is_null)) != 0;
  if (facts.guest || session_key.empty()) {
    if (facts.signs)
      return std::unexpected(
          setup_error(state, errc::not_secure,
                      "the server took us as a guest, and a guest's messages cannot be signed"));
    if (facts.seals || (flags & session_flag::encrypt_data) != 0)
      return std::unexpected(
          setup_error(state, errc::not_secure,
                      "the server took us as a guest, and a guest's messages cannot be sealed"));
    return {};
  }
  const auto keys = crypto::derive_keys(facts.dialect, session_key, hash.value(), facts.sealing);
  state.signer = crypto::make_signer(facts.dialect, facts.algorithm, keys.signing);
  const auto head = decode_header(last.body);
  if (!head->is_signed()) {
    if (facts.dialect < dialect::smb_3_1_1 && !facts.signs)
      return establish_sealing(state, flags, keys);
    return std::unexpected(
        setup_error(state, errc::not_secure, "the server did not sign its last response"));
  }
  if (!signature_matches(*state.signer, *head, last.body))
    return std::unexpected(
        setup_error(state, errc::bad_signature,
                    "the server's signature is wrong: it does not have the key, or somebody "
                    "between us has changed the negotiation"));
  return establish_sealing(state, flags, keys);
}

awaitable<std::expected<void, error>> authenticate(session_state& state,
                                                   crypto::preauth_sha512 hash,
                                                   std::vector<std::byte> server_token,
                                                   filetime now) {
  auto made = auth::make_ntlm_authenticator(state.options.who, state.options.where.host, now);
  if (!made) co_return std::unexpected(setup_error(state, made.error(), made.error().message()));
  const auto client = std::move(*made);
  auto token = client->step(server_token);

  for (int round = 0; round < rounds_max; ++round) {
    if (!token)
      co_return std::unexpected(setup_error(state, token.error(), token.error().message()));
    if (token->size() > token_bytes_max)
      co_return std::unexpected(setup_error(state, errc::too_long, "the token is too long"));
    session_setup::request request;
    request.security_mode = static_cast<u8>(state.offered_security_mode);
    request.security_buffer = *token;
    call_options options;
    options.session_id = state.facts.session_id;
    options.preauth = &hash;
    auto got = co_await state.connection->call<session_setup>(request, options);
    if (!got) co_return std::unexpected(std::move(got.error()));
    state.facts.session_id = got->session_id;
    if (got->status != status::success && got->status != status::more_processing_required)
      co_return std::unexpected(
          status_error("SESSION_SETUP as " + who_is(state.options), got->status));
    const bool last = got->status == status::success;
    const auto from_server = got->message.security_buffer;
    if (!last || !client->done()) token = client->step(from_server);
    if (!last) continue;
    if (!token)
      co_return std::unexpected(setup_error(state, token.error(), token.error().message()));
    if (!client->done())
      co_return std::unexpected(
          setup_error(state, errc::bad_response, "the server says success too early"));
    co_return establish(state, *got, client->session_key(), hash);
  }
  co_return std::unexpected(
      setup_error(state, errc::bad_response, "the server never comes to an end"));
}

filetime wall_clock() {
  return to_filetime(
      std::chrono::duration_cast<nanos>(std::chrono::system_clock::now().time_since_epoch()));
}

} // namespace

} // namespace detail

awaitable<std::expected<session, error>> session::open(session_options options) {
  if (options.where.port == 0) options.where.port = detail::default_port;
  auto state = std::make_shared<detail::session_state>();
  auto connected = co_await smb2::connection::connect(options.where, options.connection);
  if (!connected) co_return std::unexpected(std::move(connected.error()));
  state->options = std::move(options);
  state->connection = std::move(*connected);

  crypto::preauth_sha512 hash;
  std::vector<std::byte> server_token;
  auto negotiated = co_await detail::negotiate(*state, hash, server_token);
  if (!negotiated) co_return std::unexpected(std::move(negotiated.error()));
  auto known =
      co_await detail::authenticate(*state, hash, std::move(server_token), detail::wall_clock());
  if (!known) co_return std::unexpected(std::move(known.error()));
  state->options.who.password.clear();
  co_return session(std::move(state));
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
  state->connection->close();
  if (!got) co_return std::unexpected(std::move(got.error()));
  if (is_failure(smb2::logoff::number, got->status))
    co_return std::unexpected(detail::status_error("LOGOFF", got->status));
  co_return std::expected<void, error>{};
}

} // namespace smb2
