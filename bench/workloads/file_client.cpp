#include "bench/workloads/file_client.hpp"

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

} // namespace bench
