#include "nfs/mount/client.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace nfs::mount {

namespace {

/// "/a/b/c" → "/a/b" → "/a" → "/"; false at the root.
bool cut_last(std::string& path) {
  if (path.size() <= 1) return false;
  const auto slash = path.rfind('/');
  if (slash == std::string::npos) return false;
  path.resize(std::max<std::size_t>(slash, 1));
  return true;
}

/// An export above may still be there.
bool may_lie_deeper(mountstat3 status) noexcept {
  return status == mountstat3::noent || status == mountstat3::acces ||
         status == mountstat3::notdir || status == mountstat3::inval || status == mountstat3::perm;
}

std::string host_of(const rpc::connection& c) {
  return c.remote_endpoint().address().to_string();
}

std::string name_of(mountstat3 status) {
  return make_error_code(status).message();
}

bool offers(const std::vector<rpc::auth_flavor>& flavors, security sec) {
  return flavors.empty() || std::ranges::find(flavors, flavor_of(sec)) != flavors.end();
}

/// "sys, krb5, 390006"
std::string names_of(const std::vector<rpc::auth_flavor>& flavors) {
  std::vector<std::string> out;
  for (const auto flavor : flavors) {
    auto name =
        flavor == rpc::auth_flavor::none ? "none" : std::to_string(static_cast<u32>(flavor));
    for (const auto sec : {security::sys, security::krb5, security::krb5i, security::krb5p})
      if (flavor_of(sec) == flavor) name = to_string(sec);
    out.push_back(std::move(name));
  }
  return fmt::format("{}", fmt::join(out, ", "));
}

} // namespace

awaitable<std::expected<client, error>> client::connect(wire::net::connect_options where,
                                                        rpc::connection_options options) {
  auto opened = co_await rpc::connection::connect(std::move(where), std::move(options));
  if (!opened) co_return std::unexpected(std::move(opened.error()));
  co_return client(std::move(*opened));
}

awaitable<std::expected<mounted, error>> client::mount(std::string path, security sec) {
  auto attempt = path;
  mountstat3 first = mountstat3::ok;
  while (true) {
    auto r = co_await connection_.call<mnt>(dirpath{attempt});
    if (!r) co_return std::unexpected(std::move(r.error()));
    const auto status = r->message.status;
    if (status == mountstat3::ok) {
      if (!offers(r->message.auth_flavors, sec)) {
        error e;
        e.code = rpc::errc::unsupported;
        e.text = fmt::format("MOUNT of {} on {}: the server does not offer sec={} for it, but: {}",
                             attempt, host_of(connection_), to_string(sec),
                             names_of(r->message.auth_flavors));
        co_return std::unexpected(std::move(e));
      }
      mounted out;
      out.root = r->message.fhandle;
      out.below = path.substr(std::min(attempt.size(), path.size()));
      out.below.erase(0, out.below.find_first_not_of('/'));
      out.path = std::move(attempt);
      co_return out;
    }
    if (first == mountstat3::ok) first = status;
    if (!may_lie_deeper(status) || !cut_last(attempt)) break;
  }
  auto e = co_await refusal(std::move(path), first);
  co_return std::unexpected(std::move(e));
}

awaitable<error> client::refusal(std::string path, mountstat3 status) {
  error e;
  e.code = status;
  e.text = fmt::format("MOUNT of {} on {}: {}", path, host_of(connection_), name_of(status));
  const auto offered = co_await exports();
  if (offered && offered->empty()) e.text += "; the server offers nothing to us";
  if (offered && !offered->empty())
    e.text += fmt::format("; the server offers: {}", fmt::join(*offered, ", "));
  co_return e;
}

awaitable<std::expected<void, error>> client::unmount(std::string path) {
  auto r = co_await connection_.call<umnt>(dirpath{path});
  if (!r) co_return std::unexpected(std::move(r.error()));
  co_return std::expected<void, error>{};
}

awaitable<std::expected<std::vector<std::string>, error>> client::exports() {
  auto r = co_await connection_.call<export_list>(nothing{});
  if (!r) co_return std::unexpected(std::move(r.error()));
  std::vector<std::string> out;
  for (const auto& e : r->message.exports)
    out.emplace_back(e.directory);
  co_return out;
}

} // namespace nfs::mount
