#pragma once

#include "wire/bytes.hpp"
#include "wire/call_table.hpp"

#include <functional>
#include <string>
#include <string_view>

namespace profiler::flow {

using wire::bytes;
using wire::u32;
using wire::u64;

/// What files are called, for reports: learned from whatever names a file (LOOKUP, CREATE,
/// READDIRPLUS, OPEN, MNT, TREE_CONNECT). Files have the numbers of the object_map.
/// Bounded in names and in bytes: the names learned first are forgotten first.
class path_table {
 public:
  static constexpr std::size_t names_max = 1u << 17;
  static constexpr std::size_t text_bytes_max = 8u << 20;
  static constexpr std::size_t name_bytes_max = 1024; ///< longer ones end in "…"
  static constexpr int depth_max = 64;

  [[nodiscard]] bool knows(u64 name) noexcept { return names_.find(name) != nullptr; }

  /// `name` is a name_key; `parent` the number of what it is a name in, 0: it stands for itself,
  /// as exports and shares do. `text` is UTF-8, or bytes that are meant to be.
  void remember(u64 name, u64 parent, std::string_view text, char separator);

  /// The same with the text that `component` was remembered with, a name without its directory.
  void derive(u64 name, u64 parent, u64 component);

  /// `file` is now called that. Of names that are not known nothing is kept.
  void bind(u64 file, u64 name);

  /// "/export/reports/may.txt"; with "<1a2b3c4d>" for what has no name, or whose name was
  /// forgotten.
  [[nodiscard]] std::string text(u64 file);

 private:
  struct entry {
    u64 parent = 0;
    std::string text;
    char separator = '/';
  };
  struct number {
    u64 value = 0;
  };

  void forget_oldest();

  wire::call_table<entry> names_{names_max};
  wire::call_table<number> files_{names_max}; ///< by file: its name
  std::size_t text_bytes_ = 0;
};

/// "1a2b3c4d": enough to tell files apart that have no name.
[[nodiscard]] std::string short_hash(u64 number);

/// The path with each component ("reports") changed; separators of either kind stay.
[[nodiscard]] std::string
each_component(std::string_view path, const std::function<std::string(std::string_view)>& change);

/// Valid UTF-8 as it is; control characters and other bytes as "\x07".
[[nodiscard]] std::string printable(std::string_view text);

} // namespace profiler::flow
