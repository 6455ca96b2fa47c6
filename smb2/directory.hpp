#pragma once

#include "smb2/file.hpp"

#include <fmt/format.h>

#include <optional>

/// Listing an open directory, in any class of smb2/info/directory.hpp.
namespace smb2 {

struct directory_query {
  std::string pattern = "*";     ///< * and ?; counts in the first call, and in one that restarts
  u32 buffer_bytes = 65'536;     ///< of one call; never above what the server takes
  bool restart = false;          ///< from the start again, and with this pattern
  bool single_entry = false;     ///< one entry a call
  std::optional<u32> file_index; ///< from this FileIndex on, where the server has them
};

/// What one call returned. · lifetime: names are views into `body`; moves keep them.
template <class Entry>
struct directory_page {
  std::vector<Entry> entries;
  bool end = false; ///< STATUS_NO_MORE_FILES, or nothing fits the pattern
  std::vector<std::byte> body;

  directory_page() = default;
  directory_page(directory_page&&) noexcept = default;
  directory_page& operator=(directory_page&&) noexcept = default;
  directory_page(const directory_page&) = delete;
  directory_page& operator=(const directory_page&) = delete;
};

namespace detail {
[[nodiscard]] awaitable<std::expected<reply<query_directory>, error>>
query_directory_bytes(file directory, u8 information_class, directory_query query);
} // namespace detail

/// One QUERY_DIRECTORY. Errors: STATUS_INFO_LENGTH_MISMATCH or STATUS_BUFFER_OVERFLOW when not even
/// one entry fits.
template <class Entry>
[[nodiscard]] awaitable<std::expected<directory_page<Entry>, error>>
read_directory(file directory, directory_query query = {}) {
  const auto path = directory.path();
  auto got = co_await detail::query_directory_bytes(std::move(directory), Entry::info_class,
                                                    std::move(query));
  if (!got) co_return std::unexpected(std::move(got.error()));
  directory_page<Entry> out;
  out.end = got->status != status::success;
  if (out.end) co_return out;
  entry_walker<Entry> walk(got->message.buffer);
  while (auto one = walk.next())
    out.entries.push_back(std::move(*one));
  if (!walk.ok()) {
    error e;
    e.code = errc::bad_response;
    e.text = fmt::format("QUERY_DIRECTORY {}: {}", path, describe(walk.error()));
    co_return std::unexpected(std::move(e));
  }
  out.body = std::move(got->body);
  co_return out;
}

/// All that fits the pattern, "." and ".." included: as many calls as it takes. A buffer that does
/// not hold even one entry is doubled. `see` is called with each entry; its name is a view.
template <class Entry, class See>
[[nodiscard]] awaitable<std::expected<u64, error>> walk_directory(file directory,
                                                                  directory_query query, See see) {
  constexpr u32 buffer_enough = 65'536; // the longest name and all that stands before it
  u64 calls = 0;
  query.restart = true;
  while (true) {
    auto page = co_await read_directory<Entry>(directory, query);
    ++calls;
    if (!page) {
      const bool too_small = page.error().code == make_status_error(status::info_length_mismatch) ||
                             page.error().code == make_status_error(status::buffer_overflow);
      if (!too_small || query.buffer_bytes >= buffer_enough)
        co_return std::unexpected(std::move(page.error()));
      query.buffer_bytes = std::max<u32>(query.buffer_bytes, 64) * 2;
      continue;
    }
    query.restart = false;
    if (page->end) co_return calls;
    for (const auto& entry : page->entries)
      see(entry);
  }
}

} // namespace smb2
