#include "cli/op_arguments.hpp"

#include "wire/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace cli {

std::expected<wire::u64, std::string> parse_number(std::string_view text) {
  const bool hexadecimal = text.starts_with("0x");
  const bool octal =
      text.size() > 1 && text[0] == '0' && text.find_first_not_of("01234567") == text.npos;
  if (!hexadecimal && !octal) return wire::parse_size(text);
  wire::u64 out = 0;
  const auto* end = text.data() + text.size();
  const auto [at, error] =
      std::from_chars(text.data() + (hexadecimal ? 2 : 1), end, out, hexadecimal ? 16 : 8);
  if (error != std::errc{} || at != end)
    return std::unexpected(fmt::format("'{}' is not a number", text));
  return out;
}

namespace {

wire::u64 most_of(op_argument::kind what) {
  switch (what) {
  case op_argument::kind::byte:
    return 0xFF;
  case op_argument::kind::half:
    return 0xFFFF;
  case op_argument::kind::large:
    return ~wire::u64{0};
  default:
    return 0xFFFF'FFFF;
  }
}

/// What is wrong with it; empty: nothing.
std::string problem_with(std::string_view text, op_argument::kind what) {
  const auto n = parse_number(text);
  if (!n) return n.error();
  return *n <= most_of(what) ? "" : fmt::format("'{}' is more than {:#x}", text, most_of(what));
}

std::string names_of(const op_argument& a) {
  return fmt::format("{}{}", fmt::join(a.choices(), ", "),
                     a.what == op_argument::kind::code ? ", or a number" : "");
}

std::expected<void, std::string> check(const op_argument& a, std::string_view value) {
  using kind = op_argument::kind;
  if (a.choices != nullptr) {
    const auto choices = a.choices();
    const bool known = std::ranges::find(choices, value) != choices.end();
    if (known || (a.what == kind::code && problem_with(value, a.what).empty())) return {};
    return std::unexpected(fmt::format("{}={} is none of {}", a.name, value, names_of(a)));
  }
  if (a.what == kind::text) return {};
  std::string problem;
  if (a.what != kind::time)
    problem = problem_with(value, a.what);
  else if (auto t = wire::parse_time(value); !t)
    problem = t.error();
  if (problem.empty()) return {};
  return std::unexpected(fmt::format("{}: {}", a.name, problem));
}

} // namespace

std::expected<op_arguments, std::string>
op_arguments::parse(std::span<const op_argument> takes, const std::vector<std::string>& given) {
  op_arguments out;
  for (const auto& a : takes)
    out.values_.emplace(a.name, a.otherwise);
  for (const auto& word : given) {
    const auto equals = word.find('=');
    const auto name = word.substr(0, equals);
    const auto known = std::ranges::find(takes, name, &op_argument::name);
    if (equals == std::string::npos || known == takes.end())
      return std::unexpected(fmt::format("'{}' is no argument of it; it takes {}", word,
                                         takes.empty() ? "none" : text_of(takes)));
    const auto value = word.substr(equals + 1);
    if (auto good = check(*known, value); !good) return std::unexpected(good.error());
    out.values_[name] = value;
  }
  for (const auto& a : takes)
    if (a.what == op_argument::kind::code && out.text(a.name).empty())
      return std::unexpected(fmt::format("{}= is missing: {}", a.name, names_of(a)));
  return out;
}

const std::string& op_arguments::text(std::string_view name) const {
  static const std::string none;
  const auto at = values_.find(name);
  return at == values_.end() ? none : at->second;
}

wire::u64 op_arguments::number(std::string_view name) const {
  return parse_number(text(name)).value_or(0);
}

wire::nanos op_arguments::time(std::string_view name) const {
  return wire::parse_time(text(name)).value_or(wire::nanos{0});
}

std::string text_of(std::span<const op_argument> takes) {
  std::string out;
  for (const auto& a : takes)
    out += fmt::format("{}{}={}", out.empty() ? "" : " ", a.name, a.otherwise);
  return out;
}

std::vector<std::string> choices_of(std::span<const op_argument> takes) {
  std::vector<std::string> out;
  for (const auto& a : takes)
    if (a.choices != nullptr) out.push_back(fmt::format("{}: {}", a.name, names_of(a)));
  return out;
}

} // namespace cli
