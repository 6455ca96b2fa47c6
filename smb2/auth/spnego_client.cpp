#include "smb2/auth/spnego_client.hpp"

#include "smb2/auth/error.hpp"

#include <cassert>

namespace smb2::auth {
namespace {

bool contains(const std::vector<bytes>& list, bytes oid) {
  return std::ranges::any_of(list, [&](bytes one) { return std::ranges::equal(one, oid); });
}

std::vector<bytes> oids_of(const std::vector<std::unique_ptr<mechanism>>& list) {
  std::vector<bytes> out;
  for (const auto& one : list)
    out.push_back(one->oid());
  return out;
}

/// "NTLMSSP, Kerberos"
std::string list_of(const std::vector<bytes>& oids) {
  std::string out;
  for (const auto& oid : oids)
    out.append(out.empty() ? "" : ", ").append(mechanism_name(oid));
  return out.empty() ? "none" : out;
}

std::unexpected<std::error_code> error(errc code) {
  return std::unexpected(make_error_code(code));
}

} // namespace

spnego_client::spnego_client(std::vector<std::unique_ptr<mechanism>> mechanisms)
    : mechanisms_(std::move(mechanisms)) {
  assert(!mechanisms_.empty());
}

token_result spnego_client::step(bytes from_server) {
  const auto act = [&]() -> token_result {
    switch (state_) {
    case state::start:
      return start(from_server);
    case state::first_reply:
    case state::later_reply: {
      // A server that has nothing to add may send no token at all with its success.
      if (from_server.empty()) return finish();
      const auto decoded = decode_spnego<neg_token_resp>(from_server);
      if (!decoded) return error(errc::malformed_token);
      return reply(*decoded);
    }
    case state::done:
    case state::failed:
      break;
    }
    return error(errc::unexpected_token);
  };
  auto out = act();
  if (!out) state_ = state::failed;
  return out;
}

token_result spnego_client::start(bytes offer) {
  if (!offer.empty()) {
    const auto offered = offered_mechanisms(offer);
    if (!offered) return error(errc::malformed_token);
    if (const auto none = keep_offered(*offered)) return std::unexpected(none);
  }
  neg_token_init first;
  first.mech_types = oids_of(mechanisms_);
  mech_types_ = encode_mech_types(first.mech_types);

  const auto optimistic = chosen().step({});
  if (!optimistic) return optimistic;
  first.mech_token = bytes(*optimistic);
  state_ = state::first_reply;
  return encode_spnego(first);
}

/// At least one of ours stays, for chosen() to have something to point at.
std::error_code spnego_client::keep_offered(const std::vector<bytes>& offered) {
  const auto taken = [&](const auto& ours) { return contains(offered, ours->oid()); };
  if (std::ranges::any_of(mechanisms_, taken)) {
    std::erase_if(mechanisms_, [&](const auto& ours) { return !taken(ours); });
    return {};
  }
  explanation_ = "the server does not take " + list_of(oids_of(mechanisms_)) + "; it takes " +
                 list_of(offered);
  return errc::no_common_mechanism;
}

token_result spnego_client::reply(const neg_token_resp& from_server) {
  if (from_server.state == neg_state::reject) return error(errc::rejected);
  if (from_server.state == neg_state::request_mic) mic_required_ = true;

  std::optional<token> response;
  if (state_ == state::first_reply && from_server.supported_mech) {
    const auto before = chosen_;
    if (const auto bad = choose(*from_server.supported_mech)) return std::unexpected(bad);
    if (chosen_ != before) {
      // The server has read nothing of this mechanism yet, so it can have nothing to answer.
      if (from_server.response_token) return error(errc::unexpected_token);
      auto restarted = chosen().step({});
      if (!restarted) return restarted;
      response = std::move(*restarted);
    }
  }
  state_ = state::later_reply;

  if (from_server.response_token && !from_server.response_token->empty()) {
    if (chosen().complete()) return error(errc::unexpected_token);
    auto next = chosen().step(*from_server.response_token);
    if (!next) return next;
    if (!next->empty()) response = std::move(*next);
  }
  if (const auto bad = check_mic(from_server)) return std::unexpected(bad);
  if (from_server.state == neg_state::accept_completed) {
    if (response) return error(errc::unexpected_token);
    return finish();
  }
  return answer(response);
}

std::error_code spnego_client::choose(bytes supported) {
  for (std::size_t i = 0; i < mechanisms_.size(); ++i) {
    if (!std::ranges::equal(mechanisms_[i]->oid(), supported)) continue;
    // RFC 4178 section 5: without the MIC anybody could have made us take a weaker one.
    if (i != chosen_) mic_required_ = true;
    chosen_ = i;
    return {};
  }
  return errc::no_common_mechanism;
}

std::error_code spnego_client::check_mic(const neg_token_resp& from_server) {
  if (!from_server.mech_list_mic || !chosen().has_integrity()) return {};
  // A MIC can come but once, and not before there is a key.
  if (!chosen().complete() || mic_verified_) return errc::unexpected_token;
  if (!chosen().verify(mech_types_, *from_server.mech_list_mic)) return errc::wrong_mic;
  mic_verified_ = true;
  return {};
}

token_result spnego_client::finish() {
  if (!chosen().complete()) return error(errc::unexpected_token);
  if (mic_required_ && chosen().has_integrity() && !mic_verified_) return error(errc::missing_mic);
  state_ = state::done;
  return token{};
}

token_result spnego_client::answer(const std::optional<token>& response) {
  neg_token_resp next;
  next.state = neg_state::accept_incomplete;
  if (response) next.response_token = bytes(*response);
  token mic;
  if (chosen().complete() && chosen().has_integrity() && !mic_sent_) {
    mic = chosen().sign(mech_types_);
    next.mech_list_mic = bytes(mic);
    mic_sent_ = true;
  }
  // With nothing left to say on either side this would go on for ever.
  if (!next.response_token && !next.mech_list_mic) return error(errc::unexpected_token);
  return encode_spnego(next);
}

} // namespace smb2::auth
