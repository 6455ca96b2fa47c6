#include "smb2/negotiation.hpp"

#include "smb2/crypto/random.hpp"
#include "smb2/ioctls/validate_negotiate_info.hpp"
#include "smb2/policy.hpp"
#include "smb2/transform.hpp"

#include <fmt/format.h>

namespace smb2::detail {

namespace {

/// Everything that the request views.
struct offer {
  std::array<std::byte, 32> salt{};
  std::vector<std::byte> preauth;
  std::vector<std::byte> signing;
  std::vector<std::byte> encryption;
  std::vector<std::byte> compression;
  utf16_string netname;
  negotiate::request request;
};

const std::vector<cipher> all_ciphers{cipher::aes_128_gcm, cipher::aes_256_gcm, cipher::aes_128_ccm,
                                      cipher::aes_256_ccm};

/// None where sealing is off.
std::vector<cipher> ciphers_of(const session_options& options) {
  if (options.seal == sealing_policy::off) return {};
  return options.ciphers.empty() ? all_ciphers : options.ciphers;
}

bool offers(const session_options& options, cipher wanted) {
  const auto list = ciphers_of(options);
  return std::ranges::find(list, wanted) != list.end();
}

void add_contexts(offer& out, const session_options& options) {
  preauth_integrity_capabilities preauth;
  preauth.algorithms.push_back(hash_algorithm::sha512);
  preauth.salt = out.salt;
  out.preauth = encode_buffer(preauth);
  signing_capabilities signing;
  signing.algorithms = algorithms_of(options);
  out.signing = encode_buffer(signing);
  auto& contexts = out.request.contexts;
  contexts.push_back({context_type::preauth_integrity, out.preauth});
  contexts.push_back({context_type::signing, out.signing});
  if (encryption_capabilities sealing{ciphers_of(options)}; !sealing.ciphers.empty()) {
    out.encryption = encode_buffer(sealing);
    contexts.push_back({context_type::encryption, out.encryption});
  }
  if (!options.compression.empty()) {
    compression_capabilities compression;
    compression.algorithms = options.compression;
    if (options.chained_compression) compression.flags |= compression_capabilities::flag_chained;
    out.compression = encode_buffer(compression);
    contexts.push_back({context_type::compression, out.compression});
  }
  if (auto name = to_utf16(options.where.host)) {
    out.netname = std::move(*name);
    contexts.push_back({context_type::netname, out.netname.data});
  }
}

/// A client that takes 2.0.2 only has no GUID, one that takes nothing from 3.0 up no capabilities
/// (MS-SMB2 3.2.4.2.2.2).
offer make_offer(session_state& state) {
  const auto& options = state.options;
  offer out;
  out.salt = crypto::random_bytes<32>();
  out.request.dialects = dialects_of(options);
  const auto best = out.request.dialects.back();
  // Further channels of a session come under the GUID of the first.
  if (best > dialect::smb_2_0_2)
    out.request.client_guid =
        state.client_guid == guid{} ? crypto::random_bytes<16>() : state.client_guid;
  if (best >= dialect::smb_3_0) out.request.capabilities = capability::large_mtu;
  if (best >= dialect::smb_3_0)
    out.request.capabilities |=
        capability::multi_channel | capability::leasing | capability::persistent_handles;
  // Samba (4.17) looks at the flag on 3.1.1 too.
  const bool can_seal = best >= dialect::smb_3_1_1 ? !ciphers_of(options).empty()
                                                   : offers(options, cipher::aes_128_ccm);
  if (best >= dialect::smb_3_0 && can_seal) out.request.capabilities |= capability::encryption;
  out.request.security_mode = options.sign == signing_policy::required
                                  ? security_mode::signing_required
                                  : security_mode::signing_enabled;
  if (best >= dialect::smb_3_1_1) add_contexts(out, options);
  state.offered_dialects = out.request.dialects;
  state.client_guid = out.request.client_guid;
  state.offered_capabilities = out.request.capabilities;
  state.offered_security_mode = out.request.security_mode;
  return out;
}

std::string names_of(const session_state& state) {
  std::string out;
  for (const auto one : state.offered_dialects)
    out.append(out.empty() ? "" : ", ").append(to_string(one));
  return out;
}

error refuse(const session_state& state, errc code, std::string_view why) {
  return {code, fmt::format("NEGOTIATE with {}: {}", state.connection->server(), why)};
}

/// The only context of type T; none is fine here, two are not (MS-SMB2 3.2.5.2).
template <class T>
std::expected<std::optional<T>, error> only_context(const session_state& state,
                                                    const negotiate::response& m) {
  if (std::ranges::count(m.contexts, T::type, &negotiate_context::type) > 1)
    return std::unexpected(
        refuse(state, errc::bad_response, fmt::format("two contexts of {}", T::title)));
  auto found = find_context<T>(m.contexts);
  if (!found) return std::unexpected(refuse(state, errc::bad_response, describe(found.error())));
  return std::move(*found);
}

std::expected<void, error> note_cipher(session_state& state, const negotiate::response& m) {
  const auto found = only_context<encryption_capabilities>(state, m);
  if (!found) return std::unexpected(found.error());
  if (!*found) return {};
  const auto& chosen = (*found)->ciphers;
  if (chosen.size() != 1 ||
      (chosen.front() != cipher::none && !offers(state.options, chosen.front())))
    return std::unexpected(
        refuse(state, errc::bad_response, "it chose a cipher that was not offered"));
  state.facts.sealing = chosen.front();
  return {};
}

/// · source: MS-SMB2 3.2.5.2
std::expected<void, error> note_compression(session_state& state, const negotiate::response& m) {
  const auto& options = state.options;
  const auto found = only_context<compression_capabilities>(state, m);
  if (!found) return std::unexpected(found.error());
  if (!*found) return {};
  const auto& said = **found;
  compression_agreement agreed;
  agreed.chained = (said.flags & compression_capabilities::flag_chained) != 0;
  bool good = !said.algorithms.empty() && (!agreed.chained || options.chained_compression);
  for (const auto one : said.algorithms) {
    if (one == compression_algorithm::none) continue; // none of those offered
    good = good && std::ranges::count(options.compression, one) == 1 &&
           std::ranges::count(agreed.algorithms, one) == 0;
    agreed.algorithms.push_back(one);
  }
  if (!good || options.compression.empty())
    return std::unexpected(
        refuse(state, errc::bad_response, "it chose compression that was not offered"));
  const auto& facts = state.facts;
  const auto payload_max =
      std::max({facts.max_read_size, facts.max_write_size, facts.max_transact_size});
  constexpr u32 around = 256 + compression_header::size;
  state.connection->take_compressed_as(agreed, std::min(payload_max + around, message_bytes_max));
  state.facts.compression = std::move(agreed);
  return {};
}

std::expected<void, error> note_chosen(session_state& state, const negotiate::response& m) {
  if (auto noted = note_cipher(state, m); !noted) return noted;
  return note_compression(state, m);
}

std::expected<void, error> note_contexts(session_state& state, const negotiate::response& m) {
  const auto preauth = only_context<preauth_integrity_capabilities>(state, m);
  if (!preauth) return std::unexpected(preauth.error());
  if (!*preauth || (*preauth)->algorithms.size() != 1 ||
      (*preauth)->algorithms.front() != hash_algorithm::sha512)
    return std::unexpected(refuse(state, errc::bad_response,
                                  "dialect 3.1.1 without the SHA-512 preauthentication hash"));
  const auto signing = only_context<signing_capabilities>(state, m);
  if (!signing) return std::unexpected(signing.error());
  state.facts.algorithm = signing_algorithm::aes_cmac;
  if (!*signing && !std::ranges::count(algorithms_of(state.options), signing_algorithm::aes_cmac))
    return std::unexpected(
        refuse(state, errc::not_secure,
               "it signs with AES-CMAC alone, which was not among the algorithms asked for"));
  if (!*signing) return note_chosen(state, m);
  const auto& chosen = (*signing)->algorithms;
  if (chosen.size() != 1 || std::ranges::find(algorithms_of(state.options), chosen.front()) ==
                                algorithms_of(state.options).end())
    return std::unexpected(
        refuse(state, errc::bad_response, "it chose a signing algorithm that was not offered"));
  state.facts.algorithm = chosen.front();
  return note_chosen(state, m);
}

std::expected<void, error> note_response(session_state& state, const negotiate::response& m) {
  auto& facts = state.facts;
  const auto& offered = state.offered_dialects;
  if (std::ranges::find(offered, m.revision) == offered.end())
    return std::unexpected(
        refuse(state, errc::bad_response,
               fmt::format("it chose dialect {} (0x{:04x}), which was not offered",
                           to_string(m.revision), std::to_underlying(m.revision))));
  constexpr u32 size_min = bytes_per_credit;
  if (std::min({m.max_transact_size, m.max_read_size, m.max_write_size}) < size_min)
    return std::unexpected(
        refuse(state, errc::bad_response, "it takes less than 64 KiB at a time"));
  facts.dialect = m.revision;
  facts.capabilities = m.capabilities;
  facts.security_mode = m.security_mode;
  facts.server_guid = m.server_guid;
  const bool multi_credit =
      m.revision > dialect::smb_2_0_2 && (m.capabilities & capability::large_mtu) != 0;
  const u32 size_max = multi_credit ? message_bytes_max : bytes_per_credit;
  facts.max_transact_size = std::min(m.max_transact_size, size_max);
  facts.max_read_size = std::min(m.max_read_size, size_max);
  facts.max_write_size = std::min(m.max_write_size, size_max);
  facts.algorithm =
      m.revision >= dialect::smb_3_0 ? signing_algorithm::aes_cmac : signing_algorithm::hmac_sha256;
  if (multi_credit) state.connection->allow_multi_credit();

  if (auto settled = settle_signing(state); !settled) return settled;
  if (m.revision >= dialect::smb_3_1_1)
    if (auto noted = note_contexts(state, m); !noted) return noted;
  return settle_sealing(state);
}

} // namespace

std::expected<void, error> settle_sealing(session_state& state) {
  auto& facts = state.facts;
  const bool on_3_0 = facts.dialect == dialect::smb_3_0 || facts.dialect == dialect::smb_3_0_2;
  if (on_3_0 && (facts.capabilities & capability::encryption) != 0 &&
      offers(state.options, cipher::aes_128_ccm))
    facts.sealing = cipher::aes_128_ccm;
  facts.seals = state.options.seal == sealing_policy::required;
  if (facts.seals && facts.sealing == cipher::none)
    return std::unexpected(refuse(
        state, errc::not_secure,
        fmt::format("it cannot seal with what was offered (dialect {}), and sealing is required",
                    to_string(facts.dialect))));
  return {};
}

std::expected<void, error> settle_signing(session_state& state) {
  const bool required = (state.facts.security_mode & security_mode::signing_required) != 0;
  if (required && state.options.sign == signing_policy::off)
    return std::unexpected(
        refuse(state, errc::not_secure, "it requires signing, which sign=off rules out"));
  state.facts.signs = required || state.options.sign == signing_policy::required;
  return {};
}

awaitable<std::expected<void, error>> negotiate(session_state& state) {
  const auto sent = make_offer(state);
  call_options options;
  options.preauth = &state.negotiated;
  auto got = co_await state.connection->call<smb2::negotiate>(sent.request, options);
  if (!got) co_return std::unexpected(std::move(got.error()));
  if (got->status == status::not_supported)
    co_return std::unexpected(
        refuse(state, errc::unsupported,
               fmt::format("it speaks none of the dialects offered ({})", names_of(state))));
  if (got->status != status::success)
    co_return std::unexpected(
        status_error(fmt::format("NEGOTIATE with {}", state.connection->server()), got->status));
  const auto token = got->message.security_buffer;
  state.server_offers.assign(token.begin(), token.end());
  co_return note_response(state, got->message);
}

namespace {

/// What the VALIDATE_NEGOTIATE_INFO response shows. · source: MS-SMB2 3.2.5.14.12
std::expected<void, error> check_validation(const session_state& state, const reply<ioctl>& got,
                                            bool sealed) {
  const auto& facts = state.facts;
  // That a session is gone may come unsigned, from anybody: then nothing is validated.
  if (!sealed && !decode_header(got.body)->is_signed())
    return std::unexpected(refuse(state, errc::not_secure,
                                  "VALIDATE_NEGOTIATE_INFO was answered without a signature"));
  // A signed refusal shows as well that nobody has changed anything: old servers do not know it.
  if (is_failure(ioctl::number, got.status) && got.status != status::access_denied) return {};
  const auto said = decode_buffer<validate_negotiate_info_response>(got.message.output);
  if (said && said->capabilities == facts.capabilities && said->server_guid == facts.server_guid &&
      said->security_mode == facts.security_mode && said->revision == facts.dialect)
    return {};
  return std::unexpected(refuse(
      state, errc::not_secure,
      "somebody between us and the server has changed it (VALIDATE_NEGOTIATE_INFO differs)"));
}

/// A server that was asked for something else than we asked for says so by closing the connection
/// (MS-SMB2 3.3.5.15.12).
error validation_failed(const session_state& state, error e) {
  if (e.code != errc::connection_lost && e.code != errc::outcome_unknown)
    return {e.code, "VALIDATE_NEGOTIATE_INFO: " + e.text};
  return refuse(
      state, errc::not_secure,
      fmt::format("the connection ended at VALIDATE_NEGOTIATE_INFO, which is how a server "
                  "says that somebody has changed our request ({})",
                  e.text));
}

} // namespace

awaitable<std::expected<void, error>> validate_negotiation(session_state& state,
                                                           call_options options) {
  const bool can_do_better = state.offered_dialects.back() >= dialect::smb_3_0;
  if (state.negotiate_validated || state.facts.dialect >= dialect::smb_3_1_1 || !can_do_better ||
      !state.signer)
    co_return std::expected<void, error>{};

  validate_negotiate_info_request asked;
  asked.capabilities = state.offered_capabilities;
  asked.client_guid = state.client_guid;
  asked.security_mode = state.offered_security_mode;
  asked.dialects = state.offered_dialects;
  const auto input = encode_buffer(asked);
  ioctl::request request;
  request.ctl_code = fsctl::validate_negotiate_info;
  request.max_output_response = 24;
  request.input = input;
  if (!options.sealer) options.signer = state.signer;
  auto got = co_await state.connection->call<ioctl>(request, options);
  if (!got) co_return std::unexpected(validation_failed(state, std::move(got.error())));
  auto checked = check_validation(state, *got, options.sealer != nullptr);
  if (!checked) {
    state.connection->close();
    co_return std::unexpected(std::move(checked.error()));
  }
  state.negotiate_validated = true;
  co_return std::expected<void, error>{};
}

} // namespace smb2::detail
