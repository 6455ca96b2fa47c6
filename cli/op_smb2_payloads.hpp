#pragma once

#include "smb2/commands.hpp"
#include "smb2/info/entries.hpp"
#include "smb2/le_print.hpp"

#include <algorithm>
#include <expected>
#include <span>
#include <string>
#include <vector>

/// What the variable parts of SMB2 commands hold, by name: one table entry for each class and
/// control that `wiretrip op` knows.
namespace cli {

using info_printer = std::vector<std::string> (*)(smb2::bytes buffer);

/// The text of a buffer that holds one structure, or why it cannot be decoded.
template <class T>
[[nodiscard]] std::vector<std::string> print_one(smb2::bytes buffer) {
  const auto got = smb2::decode_buffer<T>(buffer);
  return {got ? smb2::print(*got) : describe(got.error())};
}

/// The same of a chain of them.
template <class Entry>
[[nodiscard]] std::vector<std::string> print_entries(smb2::bytes buffer) {
  std::vector<std::string> out;
  smb2::entry_walker<Entry> walk(buffer);
  while (auto one = walk.next())
    out.push_back(smb2::print(*one));
  if (!walk.ok()) out.push_back(describe(walk.error()));
  return out;
}

/// "3 bytes: 01 02 03": of what has no structure.
[[nodiscard]] std::vector<std::string> print_hex(smb2::bytes buffer);

/// A class of QUERY_INFO or QUERY_DIRECTORY. The printer gives one text for each entry.
struct info_entry {
  std::string_view name;
  smb2::info_type type;
  smb2::u8 number;
  info_printer print;
};

[[nodiscard]] std::span<const info_entry> info_classes();
[[nodiscard]] std::span<const info_entry> directory_classes();

/// A class of SET_INFO. Without `encode` its bytes come from --in.
struct setting_entry {
  std::string_view name;
  smb2::info_type type;
  smb2::u8 number;
  std::expected<std::vector<std::byte>, std::string> (*encode)(const std::string& value);
};

[[nodiscard]] std::span<const setting_entry> setting_classes();

struct disposition_entry {
  std::string_view name;
  smb2::create_disposition value;
};

[[nodiscard]] std::span<const disposition_entry> dispositions();

/// Null when there is none of that name.
template <class Entry>
[[nodiscard]] const Entry* find_named(std::span<const Entry> all, std::string_view name) {
  const auto at = std::ranges::find(all, name, &Entry::name);
  return at == all.end() ? nullptr : &*at;
}

/// The names of one of these tables (or of those of cli/op_smb2_controls.hpp), as the choices of an
/// argument.
template <auto table>
[[nodiscard]] std::vector<std::string_view> names_in() {
  std::vector<std::string_view> out;
  for (const auto& entry : table())
    out.push_back(entry.name);
  return out;
}

} // namespace cli
