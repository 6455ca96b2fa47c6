#include "bench/workloads/clients.hpp"

#include <fmt/format.h>

namespace bench {

wire::net::awaitable<result<std::unique_ptr<file_client>>> connect(target where,
                                                                   wire::exchange_sink* sink) {
  if (where.url.starts_with("nfs://"))
    co_return co_await detail::connect_nfs3(std::move(where), sink);
  if (where.url.starts_with("smb://"))
    co_return co_await detail::connect_smb2(std::move(where), sink);
  co_return std::unexpected(
      failure(fmt::format("'{}' is no URL that wiretrip knows: nfs://server/export/path or "
                          "smb://user@server/share/path",
                          where.url)));
}

} // namespace bench
