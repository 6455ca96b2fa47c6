#pragma once

#include <system_error>

namespace smb2::crypto {

enum class errc {
  ok,
  legacy_provider_missing, ///< OpenSSL cannot load MD4 and RC4, which NTLM needs
  unsupported_algorithm,   ///< this OpenSSL has no such algorithm, or its configuration forbids it
  bad_key_length,
};

[[nodiscard]] const std::error_category& crypto_category() noexcept;

[[nodiscard]] inline std::error_code make_error_code(errc code) noexcept {
  return {static_cast<int>(code), crypto_category()};
}

} // namespace smb2::crypto

template <>
struct std::is_error_code_enum<smb2::crypto::errc> : std::true_type {};
