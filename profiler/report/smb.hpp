#pragma once

#include "profiler/report/json.hpp"

#include <string>
#include <vector>

namespace profiler::report {

/// What is known of SMB beside its timed requests: SMB1 commands, compression, sealed sessions,
/// NetBIOS. Parts that there is nothing of are left out.
[[nodiscard]] json smb_of(const flow::smb_facts& facts);

/// The same in sentences for the text report, the most important first.
[[nodiscard]] std::vector<std::string> smb_sentences(const flow::smb_facts& facts);

} // namespace profiler::report
