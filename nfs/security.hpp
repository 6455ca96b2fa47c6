#pragma once

#include "rpc/gss_context.hpp"

#include <expected>
#include <optional>
#include <string>
#include <string_view>

namespace nfs {

/// `sec=` of a URL: whom the server takes us for, and what protects calls and replies.
enum class security : wire::u8 {
  sys,   ///< AUTH_SYS: who we say we are
  krb5,  ///< RPCSEC_GSS with Kerberos: headers cannot be changed on their way
  krb5i, ///< nor arguments and results
  krb5p, ///< and those are encrypted
};

/// "krb5i"
[[nodiscard]] std::string_view to_string(security how) noexcept;
[[nodiscard]] std::optional<security> security_of(std::string_view name) noexcept;

/// Its number in what MOUNT answers. Source: RFC 2623 section 2.1.
[[nodiscard]] rpc::auth_flavor flavor_of(security how) noexcept;

/// What an rpc::connection to that server needs for it; nothing for sys. The service is nfs@server.
/// · errors: a sentence, when the program has no Kerberos.
[[nodiscard]] std::expected<std::optional<rpc::gss_options>, std::string>
gss_for(security how, const std::string& server, const rpc::gss_source_of_server& kerberos);

} // namespace nfs
