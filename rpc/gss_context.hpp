#pragma once

#include "rpc/error.hpp"
#include "rpc/gss_codec.hpp"
#include "rpc/gss_mechanism.hpp"
#include "rpc/message.hpp"
#include "wire/writer.hpp"

#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

namespace rpc {

/// RPCSEC_GSS instead of another credential.
struct gss_options {
  gss_service service = gss_service::none;
  gss_source mechanism;
  u32 sequence_max = gss_sequence_max; ///< calls of one context; fewer in tests
};

/// The numbers of the call that a message is: what stands before its credential.
struct call_numbers {
  u32 xid = 0;
  u32 program = 0;
  u32 version = 0;
  u32 procedure = 0;
};

/// Appends them, and the words between them that are the same for all calls.
void put(const call_numbers& numbers, wire::writer& out);

/// Why results are not handed out: errc::wrong_checksum, wrong_sequence or cannot_unwrap; with
/// errc::bad_reply, `problem` says where the decoder stopped.
struct gss_failure {
  std::error_code code;
  wire::decode_error problem;
};

/// One RPCSEC_GSS context: its making, the protection of calls and replies, and its end. Sans-I/O.
/// Call order: next_token() and take_token() in turn until ready(); then seal() for each call, and
/// verify() and open() for its reply; put_destroy() at the end.
/// · source: RFC 2203 section 5
class gss_context {
 public:
  /// `mechanism` is a fresh one.
  gss_context(std::unique_ptr<gss_mechanism> mechanism, gss_service service, u32 sequence_max);

  /// The message that takes the next token to the server, without a record mark. The error is a
  /// sentence; the context is of no more use then.
  [[nodiscard]] std::expected<void, std::string> next_token(call_numbers numbers,
                                                            wire::writer& out);
  /// The reply to it: `results` are those of init or continue_init, `verifier` its header's.
  [[nodiscard]] std::expected<void, std::string> take_token(bytes results, bytes verifier);

  [[nodiscard]] bool ready() const noexcept { return ready_; }
  /// Calls that may be in flight.
  [[nodiscard]] u32 window() const noexcept { return window_; }
  /// All sequence numbers but the last, which is put_destroy()'s, are used up.
  [[nodiscard]] bool used_up() const noexcept { return next_sequence_ >= sequence_max_ - 1; }

  /// Appends header and protected arguments: `encode` appends the bare ones and gives false when a
  /// field is over its limit. Borrows from the arguments and from this context, until the next
  /// seal(). Gives the call's sequence number.
  /// · errors: bad_arguments; no_context when it has expired here.
  template <class Encode>
  [[nodiscard]] std::expected<u32, errc> seal(call_numbers numbers, Encode&& encode,
                                              wire::writer& out) {
    const auto sequence = next_sequence_++;
    if (!put_header(numbers, gss_proc::data, sequence, out))
      return std::unexpected(errc::no_context);
    if (service_ == gss_service::none) {
      if (!encode(out)) return std::unexpected(errc::bad_arguments);
      return sequence;
    }
    body_.clear();
    body_.be(sequence);
    if (!encode(body_) || body_.size() > gss_body_bytes_max)
      return std::unexpected(errc::bad_arguments);
    if (!put_body(out)) return std::unexpected(errc::no_context);
    return sequence;
  }

  /// Whether the reply's verifier is the server's, for the call of that sequence number.
  [[nodiscard]] bool verify(u32 sequence, const opaque_auth& verifier);

  /// The bare results: a view into `results` or into this context, until the next open().
  [[nodiscard]] std::expected<bytes, gss_failure> open(u32 sequence, bytes results);

  /// The message that ends the context; false when it has expired or never was.
  [[nodiscard]] bool put_destroy(call_numbers numbers, wire::writer& out);

 private:
  [[nodiscard]] bool put_header(call_numbers numbers, gss_proc proc, u32 sequence,
                                wire::writer& out);
  void put_credential(gss_proc proc, u32 sequence, wire::writer& out);
  [[nodiscard]] bool put_body(wire::writer& out);
  [[nodiscard]] std::expected<bytes, gss_failure> bare(u32 sequence, bytes databody) const;

  std::unique_ptr<gss_mechanism> mechanism_;
  gss_service service_;
  u32 sequence_max_;
  u32 next_sequence_ = 1;
  u32 window_ = 0;
  u32 rounds_ = 0;
  bool ready_ = false;
  std::vector<std::byte> handle_;
  gss_mechanism::token to_server_;
  gss_mechanism::token from_server_;
  wire::writer body_;           ///< of the call under way: sequence number and arguments
  gss_mechanism::token sealed_; ///< the same, wrapped
  gss_mechanism::token opened_; ///< results, unwrapped
  std::vector<bytes> pieces_;
};

} // namespace rpc
