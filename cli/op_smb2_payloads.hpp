#pragma once

#include "smb2/commands.hpp"

#include <algorithm>
#include <expected>
#include <span>
#include <string>
#include <vector>

/// What the variable parts of SMB2 commands hold, by name: one table entry for each class and
/// control that `wiretrip op` knows.
namespace cli {

using info_printer = std::vector<std::string> (*)(smb2::bytes buffer);

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

/// A control code of IOCTL, and how to print its output.
struct control_entry {
  std::string_view name;
  smb2::u32 code;
  std::string (*print)(smb2::bytes output);
};

[[nodiscard]] std::span<const control_entry> controls();

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

/// The names of one of these tables, as the choices of an argument.
template <auto table>
[[nodiscard]] std::vector<std::string_view> names_in() {
  std::vector<std::string_view> out;
  for (const auto& entry : table())
    out.push_back(entry.name);
  return out;
}

} // namespace cli
