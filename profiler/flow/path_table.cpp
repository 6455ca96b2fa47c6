#include "profiler/flow/path_table.hpp"

#include <fmt/format.h>

namespace profiler::flow {

namespace {

/// How many bytes the valid character has that starts there; 0: none does.
/// · source: RFC 3629 section 4
std::size_t character_bytes(std::string_view text) noexcept {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const auto first = byte(0);
  if (first < 0x80) return first >= 0x20 && first != 0x7f ? 1 : 0;
  const std::size_t n = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < n) return 0;
  for (std::size_t i = 1; i < n; ++i)
    if ((byte(i) & 0xc0) != 0x80) return 0;
  const auto second = byte(1);
  const bool overlong = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
  const bool surrogate = first == 0xed && second >= 0xa0;
  const bool beyond = first == 0xf4 && second >= 0x90;
  return overlong || surrogate || beyond ? 0 : n;
}

bool separates(char c) noexcept {
  return c == '/' || c == '\\';
}

} // namespace

std::string each_component(std::string_view path,
                           const std::function<std::string(std::string_view)>& change) {
  std::string out;
  while (!path.empty()) {
    std::size_t n = 0;
    while (n < path.size() && separates(path[n]) == separates(path[0]))
      ++n;
    const auto part = path.substr(0, n);
    out += separates(part[0]) ? std::string(part) : change(part);
    path.remove_prefix(n);
  }
  return out;
}

std::string short_hash(u64 number) {
  return fmt::format("{:08x}", static_cast<u32>(number ^ number >> 32));
}

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const auto n = character_bytes(text);
    if (n > 0)
      out += text.substr(0, n);
    else
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[0]));
    text.remove_prefix(std::max<std::size_t>(n, 1));
  }
  return out;
}

void path_table::remember(u64 name, u64 parent, std::string_view text, char separator) {
  if (knows(name)) return;
  auto kept = printable(text.substr(0, name_bytes_max));
  if (text.size() > name_bytes_max) kept += "…";
  text_bytes_ += kept.size();
  const auto evicted = names_.insert(name, {parent, std::move(kept), separator}).evicted;
  if (evicted) text_bytes_ -= evicted->text.size();
  while (text_bytes_ > text_bytes_max)
    forget_oldest();
}

void path_table::derive(u64 name, u64 parent, u64 component) {
  if (knows(name)) return;
  const auto* found = names_.find(component);
  if (found == nullptr) return;
  const auto text = found->text; // remember() may forget the component
  remember(name, parent, text, found->separator);
}

void path_table::forget_oldest() {
  text_bytes_ -= names_.take(names_.oldest_id())->text.size();
}

void path_table::bind(u64 file, u64 name) {
  if (file == 0 || !knows(name)) return;
  if (auto* known = files_.find(file))
    known->value = name;
  else
    files_.insert(file, {name});
}

std::string path_table::text(u64 file) {
  std::string out;
  char separator = 0;
  for (int depth = 0; depth < depth_max; ++depth) {
    const auto* name = files_.find(file);
    const auto* found = name == nullptr ? nullptr : names_.find(name->value);
    if (found == nullptr) {
      const auto unknown = "<" + short_hash(file) + ">";
      return separator == 0 ? unknown : unknown + separator + out;
    }
    const auto& part = found->text;
    const bool joined = separator == 0 || (!part.empty() && separates(part.back()));
    out = joined ? part + out : part + separator + out;
    if (found->parent == 0 || found->parent == file) return out;
    file = found->parent;
    separator = found->separator;
  }
  return "…" + out;
}

} // namespace profiler::flow
