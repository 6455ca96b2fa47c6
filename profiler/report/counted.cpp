#include "profiler/report/counted.hpp"

#include "wire/text.hpp"

#include <array>
#include <fmt/format.h>

namespace profiler::report {

namespace {

struct replacement {
  std::string_view many;
  std::string_view one;
};

/// Where the noun ends: words before it ("TCP", "TLS", "encrypted") have no small s at their end.
std::size_t end_of_noun(std::string_view plural) noexcept {
  for (std::size_t i = 0; i < plural.size(); ++i)
    if (plural[i] == 's' &&
        (i + 1 == plural.size() || plural[i + 1] == ' ' || plural[i + 1] == ','))
      return i + 1;
  return plural.npos;
}

std::string singular_noun(std::string_view plural) {
  if (plural.ends_with("ies")) return std::string(plural.substr(0, plural.size() - 3)) + "y";
  return std::string(plural.substr(0, plural.size() - 1));
}

/// What agrees with the noun. A verb does only right behind it: "calls of programs that are not".
std::string singular_rest(std::string_view rest) {
  constexpr std::array<replacement, 2> verbs{
      {{" that are", " that is"}, {" that wait", " that waits"}}};
  constexpr std::array<replacement, 2> pronouns{{{" they were", " it was"}, {" their ", " its "}}};
  std::string out(rest);
  for (const auto& [many, one] : verbs)
    if (out.starts_with(many)) out.replace(0, many.size(), one);
  for (const auto& [many, one] : pronouns)
    if (const auto at = out.find(many); at != out.npos) out.replace(at, many.size(), one);
  return out;
}

} // namespace

std::string counted(wire::u64 n, std::string_view plural) {
  const auto noun = end_of_noun(plural);
  if (n != 1 || noun == plural.npos) return fmt::format("{} {}", wire::text_of_count(n), plural);
  return fmt::format("1 {}{}", singular_noun(plural.substr(0, noun)),
                     singular_rest(plural.substr(noun)));
}

} // namespace profiler::report
