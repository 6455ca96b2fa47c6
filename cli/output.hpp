#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>

namespace cli {

/// "wiretrip: sentence" on stderr. Gives the exit status 1.
int fail(std::string_view sentence);

/// Prints on standard output. Gives the exit status: 1 when it cannot be written.
int print_text(std::string_view text);

/// Prints the document on standard output. Gives the exit status.
int print_document(const nlohmann::ordered_json& document);

/// Gives the exit status: 1 when the file cannot be written.
int save_document(const nlohmann::ordered_json& document, const std::string& file);

} // namespace cli
