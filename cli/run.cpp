#include "cli/commands.hpp"

#include "bench/workloads/run_report.hpp"
#include "cli/credentials.hpp"
#include "cli/interrupt.hpp"
#include "cli/keylog.hpp"
#include "cli/output.hpp"
#include "cli/units.hpp"
#include "smb2/url.hpp"
#include "wire/text.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <memory>
#include <unistd.h>

namespace cli {

namespace {

struct arguments {
  std::string workload;
  bench::run_options run;
  std::string capture;
  std::string credentials;
  std::string keylog;
  std::string save;
  bool json = false;
};

/// One line on stderr that is written over; only where somebody looks at it.
bench::step_function progress_line() {
  if (isatty(STDERR_FILENO) == 0) return {};
  return [last = wire::u64{0}](std::string_view phase, wire::u64 done, wire::u64 total) mutable {
    const auto percent = done * 100 / total;
    if (percent == last && done != total) return;
    last = percent;
    fmt::print(stderr, "\r{} {} of {} files\033[K{}", phase, wire::text_of_count(done),
               wire::text_of_count(total), done == total ? "\r\033[K" : "");
    std::fflush(stderr);
  };
}

int run(arguments& a) {
  if (!a.capture.empty()) a.run.capture = a.capture;
  const auto smb = smb2::parse_url(a.run.where.url);
  if (smb && smb2::needs_password(*smb)) {
    auto password = find_password(a.credentials);
    if (!password) return fail(password.error());
    a.run.where.password = *password;
  }
  std::unique_ptr<smb2::key_sink> keys;
  if (!a.keylog.empty()) {
    auto opened = open_keylog(a.keylog);
    if (!opened) return fail(opened.error());
    keys = std::move(*opened);
    a.run.where.keys = keys.get();
  }
  if (a.run.workload.group > 1) a.run.where.recipe = bench::recipe::compound;
  auto result = bench::run_workload(a.run, progress_line(), watch_interrupts());
  if (!result) return fail(result.error().what);
  const auto document = bench::document_of(*result, a.run);
  if (!a.save.empty() && save_document(document, a.save) != 0) return 1;
  if (a.json) return print_document(document);
  return print_text(bench::text_of(*result, a.run));
}

} // namespace

void add_run(CLI::App& app, int& status) {
  const auto a = std::make_shared<arguments>();
  auto* command = app.add_subcommand(
      "run", "issue a workload against a server and time each request from inside");
  command
      ->add_option("workload", a->workload,
                   "smallfile: write N files, read them back and compare, remove them")
      ->required()
      ->check(CLI::IsMember({"smallfile"}));
  command
      ->add_option("url", a->run.where.url,
                   "nfs://server/export/path?version=3 or smb://user@server/share/path")
      ->required();
  command->add_option("--files", a->run.workload.files, "how many files")
      ->capture_default_str()
      ->check(CLI::Range(wire::u64{1}, wire::u64{10'000'000}));
  add_size(*command, "--size", a->run.workload.size, "size of each file")
      ->default_str(wire::text_of_bytes(a->run.workload.size));
  command->add_option("--depth", a->run.workload.depth, "files under way at once")
      ->capture_default_str()
      ->check(CLI::Range(wire::u32{1}, wire::u32{4096}));
  command
      ->add_option("--per-compound", a->run.workload.group,
                   "files in one compound, as far as the server's limits allow (NFSv4)")
      ->capture_default_str()
      ->check(CLI::Range(wire::u32{1}, wire::u32{1000}));
  command
      ->add_option_function<std::string>(
          "--recipe",
          [a](const std::string& name) { a->run.where.recipe = *bench::recipe_of(name); },
          "minimal: the shortest correct sequence of the protocol, operation by operation;\n"
          "compound: all of a file in one compound (SMB, NFSv4.1 and 4.2)")
      ->check(CLI::IsMember({"minimal", "compound"}))
      ->default_str("minimal");
  command->add_option("--repeat", a->run.repeats, "how often; medians are printed")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000));
  add_size(*command, "--rsize", a->run.where.rsize, "largest READ (default: the server's choice)");
  add_size(*command, "--wsize", a->run.where.wsize, "largest WRITE (default: the server's choice)");
  command->add_option("--capture", a->capture,
                      "record the wire to this file beside the run, and say how both agree");
  command->add_option("-i,--interface", a->run.interface,
                      "where to capture (default: the interface that leads to the server)");
  command->add_option("--credentials", a->credentials,
                      "file with a line password=…, readable by its owner alone\n"
                      "(default: WIRETRIP_PASSWORD, else a prompt)");
  command->add_option("--keylog", a->keylog,
                      "append the keys of SMB sessions to this file, for `analyze --keys` and\n"
                      "Wireshark; whoever has it reads what was sealed");
  command->add_option("--save", a->save, "write the run to this file, for `wiretrip compare`");
  command->add_flag("--json", a->json, "print the run as JSON, schema wiretrip.run/1");
  command->callback([a, &status] { status = run(*a); });
}

} // namespace cli
