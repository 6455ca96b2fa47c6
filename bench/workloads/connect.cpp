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

nlohmann::ordered_json file_client::datagrams() const {
  return nullptr;
}

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
