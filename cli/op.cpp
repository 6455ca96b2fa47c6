#include "cli/op.hpp"

#include "cli/commands.hpp"
#include "cli/credentials.hpp"
#include "cli/keylog.hpp"
#include "cli/output.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>
#include <system_error>

namespace cli {

op_result misused(std::string sentence) {
  op_result out;
  out.error = std::move(sentence);
  out.usage = true;
  return out;
}

namespace {

struct arguments {
  op_request request;
  std::string in;
  std::string out;
  std::string credentials;
  std::string keylog;
  bool json = false;
  bool list = false;
};

/// More than any one request can carry.
constexpr std::size_t input_max = 64 * 1024 * 1024;

struct closer {
  void operator()(std::FILE* f) const {
    if (f != stdin && f != stdout) std::fclose(f);
  }
};
using file_pointer = std::unique_ptr<std::FILE, closer>;

std::string system_reason() {
  return std::generic_category().message(errno);
}

std::expected<std::vector<std::byte>, std::string> read_input(const std::string& path) {
  const file_pointer from(path == "-" ? stdin : std::fopen(path.c_str(), "rb"));
  if (!from) return std::unexpected(fmt::format("--in {}: {}", path, system_reason()));
  std::vector<std::byte> out;
  std::array<std::byte, 65'536> some;
  while (const auto n = std::fread(some.data(), 1, some.size(), from.get())) {
    out.insert(out.end(), some.begin(), some.begin() + static_cast<std::ptrdiff_t>(n));
    if (out.size() > input_max)
      return std::unexpected(
          fmt::format("--in {}: more than 64 MiB, which no request takes", path));
  }
  if (std::ferror(from.get()) != 0)
    return std::unexpected(fmt::format("--in {}: {}", path, system_reason()));
  return out;
}

std::expected<void, std::string> write_output(const std::string& path, wire::bytes data) {
  const file_pointer to(path == "-" ? stdout : std::fopen(path.c_str(), "wb"));
  if (!to || std::fwrite(data.data(), 1, data.size(), to.get()) != data.size() ||
      std::fflush(to.get()) != 0)
    return std::unexpected(fmt::format("--out {}: {}", path, system_reason()));
  return {};
}

int usage(std::string_view sentence) {
  fail(sentence);
  return 2;
}

std::array<op_protocol, 2> protocols() {
  return {smb2_operations(), nfs3_operations()};
}

int list() {
  std::string text;
  for (const auto& protocol : protocols()) {
    text += fmt::format("{}\n", protocol.scheme);
    for (const auto& op : protocol.list()) {
      text += fmt::format("  {:<16} {}\n", op.name, op.help);
      if (!op.arguments.empty()) text += fmt::format("  {:<16} {}\n", "", op.arguments);
      for (const auto& choices : op.choices)
        text += fmt::format("  {:<16} {}\n", "", choices);
    }
  }
  return print_text(text);
}

int finish(const arguments& a, const op_result& result, const op_report& report) {
  int status = 0;
  if (!a.out.empty() && result.error.empty())
    if (auto written = write_output(a.out, result.output); !written) status = fail(written.error());
  if (a.json) {
    auto document = report.document(a.request.url, a.request.operation);
    if (!result.error.empty()) document["error"] = result.error;
    if (const int printed = print_document(document); printed != 0) status = printed;
  }
  if (!result.error.empty()) status = fail(result.error);
  return status;
}

int run(arguments& a) {
  if (a.list) return list();
  if (a.request.url.empty() || a.request.operation.empty())
    return usage("op takes a URL and an operation (--list says which)");
  const auto all = protocols();
  const auto protocol = std::ranges::find_if(
      all, [&](const op_protocol& p) { return a.request.url.starts_with(p.scheme); });
  if (protocol == all.end())
    return usage(
        fmt::format("'{}' is no URL that op knows: smb://... or nfs://...", a.request.url));
  if (a.json && a.out == "-") return usage("--json and --out - both want standard output");
  if (!a.in.empty()) {
    auto input = read_input(a.in);
    if (!input) return fail(input.error());
    a.request.input = std::move(*input);
  }
  if (protocol->wants_password != nullptr && protocol->wants_password(a.request.url)) {
    auto password = find_password(a.credentials);
    if (!password) return fail(password.error());
    a.request.password = std::move(*password);
  }
  std::unique_ptr<smb2::key_sink> keys;
  if (!a.keylog.empty()) {
    auto opened = open_keylog(a.keylog);
    if (!opened) return fail(opened.error());
    keys = std::move(*opened);
    a.request.keys = keys.get();
  }
  op_report report(a.out == "-" ? stderr : stdout, a.json, protocol->names);
  const auto result = protocol->run(a.request, report);
  if (result.usage) return usage(result.error);
  return finish(a, result, report);
}

} // namespace

void add_op(CLI::App& app, int& status) {
  const auto a = std::make_shared<arguments>();
  auto* command =
      app.add_subcommand("op", "issue one raw operation; print every exchange decoded and timed");
  command->add_option("url", a->request.url,
                      "smb://user@server/share/path or nfs://server/export/folder");
  command->add_option("operation", a->request.operation,
                      "READ, QUERY_INFO, IOCTL, ... (see --list)");
  command->add_option("arguments", a->request.arguments, "name=value, as --list shows them");
  command->add_flag("--list", a->list, "print the operations and what each takes");
  command->add_option("--in", a->in, "data to send from this file (-: standard input)");
  command->add_option("--out", a->out,
                      "data that came, to this file (-: standard output; the report then goes to\n"
                      "standard error)");
  command->add_option("--repeat", a->request.repeat, "how often the operation is issued")
      ->capture_default_str()
      ->check(CLI::Range(1, 1'000'000));
  command->add_option("--credentials", a->credentials,
                      "file with a line password=…, readable by its owner alone\n"
                      "(default: WIRETRIP_PASSWORD, else a prompt)");
  command->add_option("--keylog", a->keylog,
                      "append the keys of SMB sessions to this file, for `analyze --keys` and\n"
                      "Wireshark; whoever has it reads what was sealed");
  command->add_flag("--json", a->json, "print one document, schema wiretrip.op/1");
  command->callback([a, &status] { status = run(*a); });
}

} // namespace cli
