#include "rpc/error.hpp"

namespace rpc {

namespace {

struct names final : std::error_category {
  const char* name() const noexcept override { return "rpc"; }
  std::string message(int value) const override {
    switch (static_cast<errc>(value)) {
    case errc::timed_out:
      return "no reply in time";
    case errc::cancelled:
      return "cancelled";
    case errc::connection_lost:
      return "the connection was lost";
    case errc::refused:
      return "the server refused the call";
    case errc::bad_reply:
      return "the reply cannot be decoded";
    case errc::bad_arguments:
      return "an argument is over its limit";
    case errc::too_many_calls:
      return "too many calls in flight";
    case errc::not_registered:
      return "the program is not registered";
    case errc::unsupported:
      return "not supported";
    case errc::no_context:
      return "there is no RPCSEC_GSS context";
    case errc::wrong_verifier:
      return "the reply is not the server's, or not to this call (its RPCSEC_GSS verifier is "
             "wrong)";
    case errc::wrong_checksum:
      return "the results were changed on their way (their RPCSEC_GSS checksum is wrong)";
    case errc::wrong_sequence:
      return "the results are those of another call (their RPCSEC_GSS sequence number is wrong)";
    case errc::cannot_unwrap:
      return "the sealed results were changed on their way (RPCSEC_GSS cannot unwrap them)";
    }
    return "unknown error";
  }
};

} // namespace

const std::error_category& category() noexcept {
  static const names instance;
  return instance;
}

std::error_code make_error_code(errc code) noexcept {
  return {static_cast<int>(code), category()};
}

} // namespace rpc
