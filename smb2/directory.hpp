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

/// Whether not even one entry fits, by the error of a call.
[[nodiscard]] bool buffer_too_small(std::error_code code) noexcept;
[[nodiscard]] error repeats_itself(std::string_view path);

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

/// Less is not asked for: Samba 4.17 gives "." again and again when ".." does not fit behind it.
inline constexpr u32 directory_buffer_bytes_min = 512;

/// All that fits the pattern, "." and ".." included: as many calls as it takes. A buffer that does
/// not hold even one entry is doubled. `see` is called with each entry; its name is a view.
/// Returns the number of calls. · errors: those of read_directory; bad_response when the server
/// does not come on.
template <class Entry, class See>
[[nodiscard]] awaitable<std::expected<u64, error>> walk_directory(file directory,
                                                                  directory_query query, See see) {
  constexpr u32 buffer_enough = 65'536; // the longest name and all that stands before it
  u64 calls = 0;
  std::string last_start;
  query.restart = true;
  query.buffer_bytes = std::max(query.buffer_bytes, directory_buffer_bytes_min);
  while (true) {
    auto page = co_await read_directory<Entry>(directory, query);
    ++calls;
    if (!page) {
      if (!detail::buffer_too_small(page.error().code) || query.buffer_bytes >= buffer_enough)
        co_return std::unexpected(std::move(page.error()));
      query.buffer_bytes *= 2;
      continue;
    }
    query.restart = false;
    if (page->end) co_return calls;
    auto start = page->entries.empty() ? std::string{} : page->entries.front().file_name.text();
    if (start == last_start) co_return std::unexpected(detail::repeats_itself(directory.path()));
    last_start = std::move(start);
    for (const auto& entry : page->entries)
      see(entry);
  }
}

} // namespace smb2
