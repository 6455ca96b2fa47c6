#include "bench/workloads/clients.hpp"

#include <fmt/format.h>

namespace bench {

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
