#include "rpc/gss_context.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace rpc {

namespace {

/// Kerberos needs one round; no mechanism needs more than a few.
constexpr u32 rounds_max = 16;

std::array<std::byte, 4> word(u32 value) {
  std::array<std::byte, 4> out;
  wire::store_be(out.data(), value);
  return out;
}

void collect(const wire::writer& message, std::vector<bytes>& pieces) {
  pieces.clear();
  message.for_each_segment([&](bytes part) { pieces.push_back(part); });
}

std::unexpected<std::string> broken(std::string why) {
  return std::unexpected(std::move(why));
}

} // namespace

void put(const call_numbers& numbers, wire::writer& out) {
  out.be(numbers.xid);
  out.be(static_cast<u32>(msg_type::call));
  out.be(rpc_version);
  out.be(numbers.program);
  out.be(numbers.version);
  out.be(numbers.procedure);
}

gss_context::gss_context(std::unique_ptr<gss_mechanism> mechanism, gss_service service,
                         u32 sequence_max)
    : mechanism_(std::move(mechanism)), service_(service), sequence_max_(sequence_max) {}

std::expected<void, std::string> gss_context::next_token(call_numbers numbers, wire::writer& out) {
  if (rounds_ == 0) {
    auto first = mechanism_->step({});
    if (!first) return broken(std::move(first.error()));
    to_server_ = std::move(*first);
  }
  if (++rounds_ > rounds_max) return broken("the server never has enough security tokens");
  if (to_server_.size() > gss_token_bytes_max) return broken("the security token is too long");
  put(numbers, out);
  put_credential(rounds_ == 1 ? gss_proc::init : gss_proc::continue_init, 0, out);
  static_cast<void>(encode(opaque_auth{}, out)); // the verifier: there are no keys yet
  static_cast<void>(encode(gss_init_arg{to_server_}, out));
  return {};
}

std::expected<void, std::string> gss_context::take_token(bytes results, bytes verifier) {
  const auto decoded = decode_exact<gss_init_res>(results, "rpc_gss_init_res");
  if (!decoded)
    return broken("the server's answer cannot be decoded: " + describe(decoded.error()));
  if (decoded->major != gss_complete && decoded->major != gss_continue_needed)
    return broken(fmt::format("the server does not take our security token (gss_major {:#x}, "
                              "gss_minor {:#x})",
                              decoded->major, decoded->minor));
  handle_.assign(decoded->handle.begin(), decoded->handle.end());
  to_server_.clear();
  if (!mechanism_->complete()) {
    from_server_.assign(decoded->token.begin(), decoded->token.end());
    auto next = mechanism_->step(from_server_);
    if (!next) return broken(std::move(next.error()));
    to_server_ = std::move(*next);
  }
  if (decoded->major == gss_continue_needed) {
    if (to_server_.empty()) return broken("the server wants a security token more than there are");
    return {};
  }
  if (!mechanism_->complete() || !to_server_.empty())
    return broken("the server ends the exchange of security tokens too early");
  if (decoded->seq_window == 0)
    return broken("the server lets no call be in flight (seq_window 0)");
  if (!mechanism_->verify(word(decoded->seq_window), verifier))
    return broken("the answer that completes the context is not the server's: its verifier does "
                  "not fit seq_window");
  window_ = decoded->seq_window;
  ready_ = true;
  return {};
}

void gss_context::put_credential(gss_proc proc, u32 sequence, wire::writer& out) {
  gss_credential credential;
  credential.proc = proc;
  credential.seq_num = sequence;
  credential.service = service_;
  credential.handle = handle_; // within its limit since it came
  out.be(static_cast<u32>(auth_flavor::gss));
  out.be(static_cast<u32>(encoded_size(credential).value_or(0)));
  static_cast<void>(encode(credential, out));
}

/// The verifier is the checksum of all that stands before it, from the xid on.
bool gss_context::put_header(call_numbers numbers, gss_proc proc, u32 sequence, wire::writer& out) {
  const auto start = out.size();
  put(numbers, out);
  put_credential(proc, sequence, out);
  const bytes header = out.patch(start, out.size() - start);
  const auto mic = mechanism_->sign(std::span(&header, 1));
  if (mic.empty()) return false;
  return encode(opaque_auth{auth_flavor::gss, mic}, out);
}

/// The checksum runs over the arguments where they lie: file data is not copied for it. What is
/// sealed is a copy by its nature.
bool gss_context::put_body(wire::writer& out) {
  collect(body_, pieces_);
  if (service_ == gss_service::privacy) {
    sealed_ = mechanism_->seal(pieces_);
    return !sealed_.empty() && encode(gss_priv_data{sealed_}, out);
  }
  const auto mic = mechanism_->sign(pieces_);
  if (mic.empty()) return false;
  out.be(static_cast<u32>(body_.size()));
  for (const auto& piece : pieces_)
    out.borrow(piece);
  out.zeros(xdr_padding(body_.size()));
  xdr_writer ar(out);
  return ar.opaque("checksum", mic, gss_checksum_bytes_max);
}

bool gss_context::verify(u32 sequence, const opaque_auth& verifier) {
  return verifier.flavor == auth_flavor::gss && mechanism_->verify(word(sequence), verifier.body);
}

std::expected<bytes, gss_failure> gss_context::open(u32 sequence, bytes results) {
  if (service_ == gss_service::none) return results;
  if (service_ == gss_service::integrity) {
    const auto whole = decode_exact<gss_integ_data>(results, "rpc_gss_integ_data");
    if (!whole) return std::unexpected(gss_failure{errc::bad_reply, whole.error()});
    if (!mechanism_->verify(whole->databody, whole->checksum))
      return std::unexpected(gss_failure{errc::wrong_checksum, {}});
    return bare(sequence, whole->databody);
  }
  const auto whole = decode_exact<gss_priv_data>(results, "rpc_gss_priv_data");
  if (!whole) return std::unexpected(gss_failure{errc::bad_reply, whole.error()});
  opened_.assign(whole->databody.begin(), whole->databody.end());
  const auto databody = mechanism_->open(opened_);
  if (!databody) return std::unexpected(gss_failure{errc::cannot_unwrap, {}});
  return bare(sequence, *databody);
}

std::expected<bytes, gss_failure> gss_context::bare(u32 sequence, bytes databody) const {
  if (databody.size() < sizeof(u32) || wire::load_be<u32>(databody.data()) != sequence)
    return std::unexpected(gss_failure{errc::wrong_sequence, {}});
  return databody.subspan(sizeof(u32));
}

bool gss_context::put_destroy(call_numbers numbers, wire::writer& out) {
  return ready_ && put_header(numbers, gss_proc::destroy, next_sequence_++, out);
}

} // namespace rpc
