#pragma once

#include "bench/workloads/file_client.hpp"
#include "nfs/url.hpp"

namespace bench::detail {

/// Of the version that the URL names.
[[nodiscard]] wire::net::awaitable<result<std::unique_ptr<file_client>>>
connect_nfs(target where, wire::exchange_sink* sink);

[[nodiscard]] wire::net::awaitable<result<std::unique_ptr<file_client>>>
connect_nfs3(nfs::url url, wire::exchange_sink* sink);

[[nodiscard]] wire::net::awaitable<result<std::unique_ptr<file_client>>>
connect_nfs4(nfs::url url, recipe how, wire::exchange_sink* sink);

[[nodiscard]] wire::net::awaitable<result<std::unique_ptr<file_client>>>
connect_smb2(target where, wire::exchange_sink* sink);

} // namespace bench::detail
