#include "cli/commands.hpp"

#include "cli/output.hpp"
#include "profiler/analysis/analyzer.hpp"
#include "profiler/compare/report.hpp"
#include "profiler/report/json.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <memory>

namespace cli {

namespace {

using profiler::compare::side;

struct arguments {
  std::string a;
  std::string b;
  bool json = false;
};

/// A document of ours starts with a brace, no capture does.
bool is_document(std::ifstream& in) {
  char first = 0;
  in >> first;
  in.clear();
  in.seekg(0);
  return first == '{';
}

std::expected<side, std::string> load(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return std::unexpected(fmt::format("{}: {}", path, std::strerror(errno)));
  if (is_document(in)) {
    const auto document = nlohmann::ordered_json::parse(in, nullptr, false);
    if (document.is_discarded())
      return std::unexpected(fmt::format("{}: starts like JSON and is not", path));
    return profiler::compare::side_of(document, path);
  }
  profiler::analyzer analyzer;
  if (auto read = analyzer.file(path); !read) return std::unexpected(read.error());
  return profiler::compare::side_of(profiler::report::analysis_document(analyzer.finish()), path);
}

int compare(const arguments& args) {
  auto a = load(args.a);
  if (!a) return fail(a.error());
  auto b = load(args.b);
  if (!b) return fail(b.error());
  const auto result = profiler::compare::compare(std::move(*a), std::move(*b));
  if (!result) return fail(result.error());
  if (args.json) return print_document(profiler::compare::document_of(*result));
  return print_text(profiler::compare::text_of(*result));
}

} // namespace

void add_compare(CLI::App& app, int& status) {
  const auto a = std::make_shared<arguments>();
  auto* command = app.add_subcommand(
      "compare", "two runs or captures: where does the gap between them come from?");
  command->add_option("a", a->a, "a run's JSON, an analysis' JSON, or a capture")->required();
  command->add_option("b", a->b, "the same")->required();
  command->add_flag("--json", a->json, "print it as JSON, schema wiretrip.compare/1");
  command->callback([a, &status] { status = compare(*a); });
}

} // namespace cli
