#include "bench/workloads/clients.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace bench {

std::string_view name_of(recipe r) noexcept {
  return r == recipe::compound ? "compound" : "minimal";
}

std::optional<recipe> recipe_of(std::string_view name) noexcept {
  for (const auto r : {recipe::minimal, recipe::compound})
    if (name == name_of(r)) return r;
  return std::nullopt;
}

nlohmann::ordered_json file_client::window_history() const {
  return nullptr;
}

wire::net::awaitable<result<std::unique_ptr<file_client>>>
detail::connect_nfs(target where, wire::exchange_sink* sink) {
  auto url = nfs::parse_url(where.url);
  if (!url) co_return std::unexpected(failure(std::move(url.error())));
  if (where.rsize) url->rsize = *where.rsize;
  if (where.wsize) url->wsize = *where.wsize;
  if (url->version == 4)
    co_return co_await detail::connect_nfs4(std::move(*url), where.recipe, sink);
  if (where.recipe == recipe::compound)
    co_return std::unexpected(failure(
        "NFSv3 has no compounds: --recipe minimal, version=4.1 in the URL, or an smb:// URL"));
  co_return co_await detail::connect_nfs3(std::move(*url), sink);
}

wire::net::awaitable<result<std::unique_ptr<file_client>>> connect(target where,
                                                                   wire::exchange_sink* sink) {
  if (where.url.starts_with("nfs://"))
    co_return co_await detail::connect_nfs(std::move(where), sink);
  if (where.url.starts_with("smb://"))
    co_return co_await detail::connect_smb2(std::move(where), sink);
  co_return std::unexpected(
      failure(fmt::format("'{}' is no URL that wiretrip knows: nfs://server/export/path or "
                          "smb://user@server/share/path",
                          where.url)));
}

} // namespace bench
