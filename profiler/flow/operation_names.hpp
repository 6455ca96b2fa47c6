#pragma once

#include "profiler/timing/operation_key.hpp"

#include <string>

namespace profiler::flow {

/// The name in the specification, in capitals: "READ", "QUERY_INFO"; "PROC 23" where it has none.
[[nodiscard]] std::string operation_name(timing::operation_key key);

} // namespace profiler::flow
