#include "smb2/error.hpp"

namespace smb2 {

namespace {

class smb2_category final : public std::error_category {
 public:
  [[nodiscard]] const char* name() const noexcept override { return "smb2"; }

  [[nodiscard]] std::string message(int value) const override {
    switch (static_cast<errc>(value)) {
    case errc::timed_out:
      return "no response in time";
    case errc::cancelled:
      return "cancelled";
    case errc::connection_lost:
      return "the connection is closed";
    case errc::outcome_unknown:
      return "sent, and never answered: whether it was carried out is unknown";
    case errc::bad_response:
      return "a response that cannot be used";
    case errc::bad_signature:
      return "a response whose signature is wrong";
    case errc::no_credits:
      return "the server does not grant the credits that it costs";
    case errc::too_long:
      return "longer than the protocol takes";
    case errc::too_many_calls:
      return "too many calls at once";
    case errc::bad_name:
      return "a name that is not valid UTF-8";
    case errc::not_secure:
      return "not as secure as it must be";
    case errc::unsupported:
      return "not supported";
    case errc::other_file:
      return "not the file that was open before";
    }
    return "unknown error";
  }

  [[nodiscard]] std::error_condition default_error_condition(int value) const noexcept override {
    switch (static_cast<errc>(value)) {
    case errc::timed_out:
      return std::errc::timed_out;
    case errc::cancelled:
      return std::errc::operation_canceled;
    case errc::connection_lost:
    case errc::outcome_unknown:
      return std::errc::connection_reset;
    case errc::unsupported:
      return std::errc::not_supported;
    default:
      return {value, *this};
    }
  }
};

} // namespace

const std::error_category& category() noexcept {
  static const smb2_category instance;
  return instance;
}

std::error_code make_error_code(errc code) noexcept {
  return {static_cast<int>(code), category()};
}

} // namespace smb2
