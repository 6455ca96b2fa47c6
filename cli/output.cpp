#include "cli/output.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>

namespace cli {

namespace {

/// A name from a server need not be UTF-8: the document is all the same.
std::string text_of(const nlohmann::ordered_json& document) {
  return document.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

} // namespace

int fail(std::string_view sentence) {
  fmt::print(stderr, "wiretrip: {}\n", sentence);
  return 1;
}

int print_text(std::string_view text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  return std::fflush(stdout) == 0 && written ? 0 : fail("cannot write to standard output");
}

int print_document(const nlohmann::ordered_json& document) {
  return print_text(text_of(document));
}

int save_document(const nlohmann::ordered_json& document, const std::string& file) {
  std::ofstream out(file, std::ios::binary);
  out << text_of(document);
  out.close();
  return out ? 0 : fail(fmt::format("cannot write {}: {}", file, std::strerror(errno)));
}

} // namespace cli
