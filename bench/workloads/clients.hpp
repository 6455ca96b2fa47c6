#pragma once

#include "bench/workloads/file_client.hpp"

namespace bench::detail {

[[nodiscard]] wire::net::awaitable<result<std::unique_ptr<file_client>>>
connect_nfs3(target where, wire::exchange_sink* sink);

[[nodiscard]] wire::net::awaitable<result<std::unique_ptr<file_client>>>
connect_smb2(target where, wire::exchange_sink* sink);

} // namespace bench::detail
