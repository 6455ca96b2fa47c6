#pragma once

#include "profiler/analysis/result.hpp"

#include <nlohmann/json.hpp>

namespace profiler::report {

using json = nlohmann::ordered_json;

/// The document `wiretrip.analysis/1`. Keys are only ever added; every unit is in its name.
[[nodiscard]] json analysis_document(const result& r);

/// Rows of `operations[]`, the most expensive first; with client-side exchanges they have the
/// phases queue, encode and decode too.
[[nodiscard]] json operations_of(const analysis::operation_table& operations,
                                 const timing::attribution& wall);

/// `wall {seconds, attribution[] {to, seconds, share}, residual_s}`. `to` is "think", or a phase
/// and what it was of: "server: nfs3 CREATE".
[[nodiscard]] json wall_of(const timing::attribution& wall);

/// `files {count, round_trips_per_file, sequences[], bytes_mean, io_size}`.
[[nodiscard]] json files_of(const analysis::file_table& files);

/// {min, mean, p50, p90, p99, p999, max} in microseconds.
[[nodiscard]] json microseconds_of(const wire::histogram& h);

/// The operations of a sequence: "CREATE", "WRITE"; "CREATE+READ+CLOSE" in one compound; "WRITE*"
/// for four and more in a row; "…" where it is longer than what is kept.
[[nodiscard]] std::vector<std::string>
sequence_names(const std::vector<analysis::sequence_step>& steps);

} // namespace profiler::report
