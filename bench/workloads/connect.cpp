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

failure wrong_length(std::string_view name, std::size_t written, std::size_t came) {
  return failure(fmt::format("{}: {} bytes were written, {} came back", name, written, came));
}

nlohmann::ordered_json file_client::window_history() const {
  return nullptr;
}

nlohmann::ordered_json file_client::datagrams() const {
  return nullptr;
}

wire::net::awaitable<result<void>> file_client::write_files(std::vector<file_to_write> files) {
  for (auto& file : files) {
    auto done = co_await write_file(file.name, file.data);
    if (!done) co_return done;
  }
  co_return result<void>();
}

wire::net::awaitable<result<void>> file_client::read_files(std::vector<file_to_read> files) {
  for (auto& file : files) {
    auto got = co_await read_file(file.name, file.into);
    if (!got) co_return std::unexpected(std::move(got.error()));
    if (*got != file.into.size())
      co_return std::unexpected(wrong_length(file.name, file.into.size(), *got));
  }
  co_return result<void>();
}

wire::net::awaitable<result<void>> file_client::remove_files(std::vector<std::string> names) {
  for (auto& name : names) {
    auto done = co_await remove_file(name);
    if (!done) co_return done;
  }
  co_return result<void>();
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
