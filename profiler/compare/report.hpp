#pragma once

#include "profiler/compare/waterfall.hpp"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace profiler::compare {

/// What a person would say: which is slower, by how much, and what it is and is not. One sentence
/// a line, the largest step first.
[[nodiscard]] std::vector<std::string> words_of(const comparison& c);

/// Words, waterfall and phases, in at most 40 lines.
[[nodiscard]] std::string text_of(const comparison& c);

/// The document `wiretrip.compare/1`.
[[nodiscard]] nlohmann::ordered_json document_of(const comparison& c);

} // namespace profiler::compare
