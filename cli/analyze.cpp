#include "cli/commands.hpp"
#include "cli/interrupt.hpp"
#include "cli/output.hpp"
#include "profiler/analysis/analyzer.hpp"
#include "profiler/capture/bpf_filter.hpp"
#include "profiler/report/anonymise.hpp"
#include "profiler/report/json.hpp"
#include "profiler/report/requests.hpp"
#include "profiler/report/text.hpp"

#include <CLI/CLI.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cli {

namespace {

struct analyze_options {
  std::vector<std::string> files;
  std::string requests;
  std::vector<std::string> decode_as;
  std::string anonymise;
  std::string filter;
  bool follow = false;
  std::string keys;
  bool json = false;
};

/// An empty value is a variable that was not set: nothing must be left out for it in silence, names
/// least of all.
std::string not_empty(const std::string& value) {
  return value.empty() ? "is empty" : "";
}

std::expected<profiler::analysis_options, std::string> told_by(const analyze_options& o) {
  profiler::analysis_options out;
  for (const auto& text : o.decode_as) {
    const auto port = profiler::flow::parse_port_service(text);
    if (!port) return std::unexpected("--decode-as: " + port.error());
    out.ports.insert_or_assign(port->first, port->second);
  }
  if (!o.filter.empty()) {
    auto filter = profiler::capture::compile_filter(o.filter);
    if (!filter) return std::unexpected(std::move(filter.error()));
    out.filter = std::move(*filter);
  }
  if (o.follow && o.files.size() > 1)
    return std::unexpected("--follow takes one capture: it waits for more at the end of each");
  if (o.follow) out.follow_until = &watch_interrupts();
  if (!o.keys.empty()) {
    auto keys = profiler::flow::smb2_keys::load(o.keys);
    if (!keys) return std::unexpected("--keys: " + keys.error());
    out.smb2_keys = std::move(*keys);
  }
  return out;
}

/// How requests name files: by path, or by hashes of its parts.
profiler::report::file_names names_in(profiler::analyzer& analyzer,
                                      std::optional<profiler::report::anonymiser>& hide) {
  if (!hide)
    return {.path = [&analyzer](wire::u64 file) { return analyzer.path_of(file); }, .number = {}};
  return {.path = [&analyzer, &hide](wire::u64 file) { return hide->path(analyzer.path_of(file)); },
          .number = [&hide](wire::u64 file) { return hide->number(file); }};
}

/// A capture that cannot be used does not spoil the others: the status is 1 when none could.
int analyze(const analyze_options& o) {
  const auto told = told_by(o);
  if (!told) {
    fail(told.error());
    return 2;
  }
  profiler::analyzer analyzer(*told);
  std::optional<profiler::report::anonymiser> hide;
  if (!o.anonymise.empty()) hide.emplace(o.anonymise);
  std::optional<profiler::report::request_log> log;
  if (!o.requests.empty()) {
    auto opened = profiler::report::request_log::open(o.requests, names_in(analyzer, hide));
    if (!opened) return fail(opened.error());
    log.emplace(std::move(*opened));
    analyzer.add_sink(*log);
  }
  std::size_t usable = 0;
  for (const auto& path : o.files) {
    if (const auto read = analyzer.file(path); read)
      ++usable;
    else
      fail(read.error());
  }
  if (usable == 0) return 1;
  auto result = analyzer.finish();
  if (hide) profiler::report::anonymise(result, *hide);
  for (const auto& warning : result.warnings)
    fail(warning);
  if (log)
    if (const auto closed = log->close(); !closed) return fail(closed.error());
  if (o.json) return print_document(profiler::report::analysis_document(result));
  return print_text(profiler::report::text_of(result));
}

} // namespace

void add_analyze(CLI::App& app, int& status) {
  auto options = std::make_shared<analyze_options>();
  auto* command = app.add_subcommand("analyze", "what happened in these captures, and where the "
                                                "time went");
  command
      ->add_option("CAPTURE", options->files,
                   "pcap or pcapng, plain or compressed (gzip, bzip2, zstd); - is standard input")
      ->required();
  command->add_flag("--json", options->json, "the whole result, schema wiretrip.analysis/1");
  command
      ->add_option("--requests", options->requests,
                   "write every request with its times to this file, one JSON object a line")
      ->type_name("FILE")
      ->check(not_empty);
  command
      ->add_option("--decode-as", options->decode_as,
                   "what is spoken on a port: PORT=nfs or PORT=smb2 (others are recognised by\n"
                   "what their first messages look like)")
      ->type_name("PORT=SERVICE")
      ->allow_extra_args(false);
  command
      ->add_option("--anonymise", options->anonymise,
                   "replace names and addresses in all output by hashes with this key;\n"
                   "the same key gives the same hashes")
      ->type_name("KEY")
      ->check(not_empty);
  command
      ->add_option("--filter", options->filter,
                   "analyse only packets for which this is true, in libpcap's language, e.g.\n"
                   "'host 198.18.2.2 and port 2049'; VLAN tags are no obstacle")
      ->type_name("EXPRESSION");
  command->add_flag("-f,--follow", options->follow,
                    "wait at the end of a capture that is still written, until Ctrl-C, and then\n"
                    "tell what there is");
  command
      ->add_option("--keys", options->keys,
                   "look into encrypted SMB3: a file with lines of\n"
                   "SESSION_ID,SESSION_KEY[,S2C_KEY[,C2S_KEY]] in hex, as Wireshark's\n"
                   "smb2_seskey_list takes them")
      ->type_name("FILE")
      ->check(not_empty);
  command->callback([options, &status] { status = analyze(*options); });
}

} // namespace cli
