#pragma once

#include "wire/bytes.hpp"

#include <string>
#include <string_view>

namespace profiler::report {

/// "1,456 frames that are not IP", "1 frame that is not IP": a number before what it counts, which
/// is given in the plural.
[[nodiscard]] std::string counted(wire::u64 n, std::string_view plural);

} // namespace profiler::report
