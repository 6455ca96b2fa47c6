#include "cli/commands.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cstdio>
#include <exception>

namespace {

constexpr auto manual =
    R"(Where did the time of this NFS or SMB2/3 workload go, and what would change it?

Sizes take k, m, g (1024): 10k. Times take ns, us, ms, s: 0.5ms.
URLs: nfs://server[:port]/export/path?version=3|4.1|4.2&transport=tcp|udp&sec=sys|krb5|krb5i|krb5p
      smb://[domain;]user@server[:port]/share/path?dialect=&sign=&seal=&compress=&sec=krb5|guest|…
Exit status: 0 done, 1 the work failed, 2 wrong usage.)";

/// CLI11's own exit codes stand for many kinds of wrong usage; ours is one.
int usage_error(const CLI::App& app, const CLI::ParseError& error) {
  const int code = app.exit(error);
  return code == 0 ? 0 : 2;
}

} // namespace

int main(int argc, char** argv) {
  CLI::App app(manual, "wiretrip");
  app.set_version_flag("--version", "wiretrip " WIRETRIP_VERSION);
  app.require_subcommand(1);
  app.failure_message([](const CLI::App*, const CLI::Error& error) {
    return fmt::format("wiretrip: {} (--help says what can be given)\n", error.what());
  });
  int status = 0;
  cli::add_analyze(app, status);
  cli::add_run(app, status);
  cli::add_compare(app, status);
  cli::add_op(app, status);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return usage_error(app, error);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "wiretrip: %s\n", error.what());
    return 1;
  }
  return status;
}
