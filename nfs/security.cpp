#include "nfs/security.hpp"

#include <fmt/format.h>

#include <array>

namespace nfs {

namespace {

struct row {
  security how;
  std::string_view name;
  wire::u32 flavor;
  rpc::gss_service service;
};

constexpr std::array rows{
    row{security::sys, "sys", 1, {}},
    row{security::krb5, "krb5", 390003, rpc::gss_service::none},
    row{security::krb5i, "krb5i", 390004, rpc::gss_service::integrity},
    row{security::krb5p, "krb5p", 390005, rpc::gss_service::privacy},
};

constexpr const row& row_of(security how) noexcept {
  return rows[static_cast<std::size_t>(how)];
}

} // namespace

std::string_view to_string(security how) noexcept {
  return row_of(how).name;
}

std::optional<security> security_of(std::string_view name) noexcept {
  for (const auto& r : rows)
    if (r.name == name) return r.how;
  return std::nullopt;
}

rpc::auth_flavor flavor_of(security how) noexcept {
  return static_cast<rpc::auth_flavor>(row_of(how).flavor);
}

std::expected<std::optional<rpc::gss_options>, std::string>
gss_for(security how, const std::string& server, const rpc::gss_source_of_server& kerberos) {
  std::optional<rpc::gss_options> out;
  if (how == security::sys) return out;
  if (!kerberos)
    return std::unexpected(
        fmt::format("sec={} needs Kerberos, which this program was not given", to_string(how)));
  out.emplace();
  out->service = row_of(how).service;
  out->mechanism = kerberos(server);
  return out;
}

} // namespace nfs
