#include "cli/op_smb2_contexts.hpp"
#include "cli/op_smb2_controls.hpp"
#include "cli/op_smb2_session.hpp"

#include <algorithm>

namespace cli {

namespace {

using namespace op_smb2;
using kind = op_argument::kind;
namespace access = smb2::access;

struct operation {
  std::string_view name;
  needs before;
  u32 access; ///< of the CREATE that opens the file of the URL before it
  std::string_view help;
  std::vector<op_argument> arguments;
  awaitable<step> (*run)(context& c);
  bool sends_input = false; ///< of --in, and nothing without it
};

/// What was given cannot be sent.
error misuse(context& c, std::string text) {
  c.result.usage = true;
  return {smb2::errc::bad_name, std::move(text)};
}

/// Of an argument whose choices are the names of the table.
template <class Entry>
const Entry& chosen(const context& c, std::string_view argument, std::span<const Entry> table) {
  return *find_named(table, c.arguments.text(argument));
}

// The operations, in the order of their numbers.

/// NEGOTIATE and SESSION_SETUP belong together: the second is made with what the first settled.
awaitable<step> run_session(context& c) {
  if (c.session)
    if (auto ended = co_await log_off(c); !ended) co_return ended;
  auto done = co_await open_session(c);
  if (!done) co_return done;
  const auto& f = c.session->facts();
  c.report.detail("settled",
                  fmt::format("dialect={} capabilities={:#x} security_mode={:#x} "
                              "max_transact_size={} max_read_size={} max_write_size={} signs={} "
                              "guest={} session_id={:#x}",
                              to_string(f.dialect), f.capabilities, f.security_mode,
                              f.max_transact_size, f.max_read_size, f.max_write_size, f.signs,
                              f.guest, f.session_id));
  co_return done;
}

awaitable<step> run_tree_connect(context& c) {
  if (c.tree) {
    auto left = co_await c.tree->disconnect();
    c.tree.reset();
    if (!left) co_return left;
  }
  auto done = co_await open_tree(c);
  if (done)
    c.report.detail("settled", fmt::format("path={} maximal_access={:#x}", c.tree->path(),
                                           c.tree->maximal_access()));
  co_return done;
}

awaitable<step> run_tree_disconnect(context& c) {
  const smb2::tree_disconnect::request request;
  auto done = co_await just<smb2::tree_disconnect>(c, request);
  c.tree.reset();
  co_return done;
}

awaitable<step> run_create(context& c) {
  smb2::create::request request;
  request.requested_oplock_level = static_cast<u8>(c.number("oplock"));
  request.desired_access = c.number("access");
  request.file_attributes = c.number("attributes");
  request.create_options = c.number("options");
  request.disposition = chosen(c, "disposition", dispositions()).value;
  const auto contexts = parse_contexts(c.arguments.text("contexts"), c.session->facts().dialect);
  if (!contexts) co_return std::unexpected(misuse(c, contexts.error()));
  request.contexts = contexts->chain;
  if (contexts->lease) request.requested_oplock_level = smb2::oplock::lease;
  auto done = co_await create_file(c, request);
  if (done) done = co_await close_file(c, 0);
  co_return done;
}

awaitable<step> run_close(context& c) {
  return close_file(c, static_cast<u16>(c.number("flags")));
}

awaitable<step> run_flush(context& c) {
  smb2::flush::request request;
  request.file = *c.file;
  auto done = co_await just<smb2::flush>(c, request);
  co_return done;
}

awaitable<step> run_read(context& c) {
  smb2::read::request request;
  request.file = *c.file;
  request.offset = c.arguments.number("offset");
  request.length = c.number("length");
  auto got = co_await issue<smb2::read>(c, request);
  if (!got) co_return std::unexpected(std::move(got.error()));
  const bytes data = got->message.data.data;
  c.result.output.assign(data.begin(), data.end());
  co_return step{};
}

awaitable<step> run_write(context& c) {
  smb2::write::request request;
  request.file = *c.file;
  request.offset = c.arguments.number("offset");
  request.flags = c.number("flags");
  request.data = smb2::part(c.asked.input);
  auto done = co_await just<smb2::write>(c, request);
  co_return done;
}

awaitable<step> run_lock(context& c) {
  smb2::lock_element range;
  range.offset = c.arguments.number("offset");
  range.length = c.arguments.number("length");
  range.flags = c.number("flags");
  smb2::lock::request request;
  request.file = *c.file;
  request.locks.push_back(range);
  auto done = co_await just<smb2::lock>(c, request);
  co_return done;
}

/// On the file of the URL, or on none when the URL has no path.
awaitable<step> run_ioctl(context& c) {
  const auto* named = find_named(controls(), c.arguments.text("ctl"));
  const auto code = named != nullptr ? named->code : c.number("ctl");
  const auto control = std::ranges::find(controls(), code, &control_entry::code);
  if (!c.url.path.empty() && !c.file) {
    smb2::create::request open;
    open.desired_access = c.number("access");
    if (auto opened = co_await create_file(c, open); !opened) co_return opened;
  }
  smb2::ioctl::request request;
  request.ctl_code = code;
  request.file = c.file.value_or(fileid::of_previous());
  request.max_output_response = c.number("max");
  auto input = c.asked.input;
  if (input.empty() && control != controls().end()) {
    const control_question question{*c.session->state(), c.arguments.text("value")};
    auto made = control->input(question);
    if (!made) co_return std::unexpected(misuse(c, "IOCTL: " + made.error()));
    input = std::move(*made);
  }
  request.input = input;
  auto got = co_await issue<smb2::ioctl>(c, request);
  if (!got) co_return std::unexpected(std::move(got.error()));
  const bytes output = got->message.output;
  c.result.output.assign(output.begin(), output.end());
  if (control != controls().end())
    for (const auto& fields : control->print(output))
      c.report.detail(std::string(control->name), fields);
  co_return step{};
}

awaitable<step> run_echo(context& c) {
  const smb2::echo::request request;
  auto done = co_await just<smb2::echo>(c, request);
  co_return done;
}

awaitable<step> run_query_directory(context& c) {
  const auto& listing = chosen(c, "class", directory_classes());
  const auto pattern = smb2::to_utf16(c.arguments.text("pattern"));
  if (!pattern) co_return std::unexpected(misuse(c, pattern.error()));
  smb2::query_directory::request request;
  request.file = *c.file;
  request.information_class = listing.number;
  request.flags = static_cast<u8>(c.number("flags"));
  request.output_buffer_length = c.number("length");
  request.file_name = pattern->view();
  auto got = co_await issue<smb2::query_directory>(c, request);
  if (!got) co_return std::unexpected(std::move(got.error()));
  const bytes buffer = got->message.buffer;
  c.result.output.assign(buffer.begin(), buffer.end());
  for (const auto& entry : listing.print(buffer))
    c.report.detail("entry", entry);
  co_return step{};
}

/// Waits for a change, or gives up with CANCEL; that is how `op` shows CANCEL as well.
awaitable<step> run_change_notify(context& c) {
  smb2::change_notify::request request;
  request.file = *c.file;
  request.flags = static_cast<u16>(c.number("flags"));
  request.output_buffer_length = c.number("length");
  request.completion_filter = c.number("filter");
  auto got = co_await issue<smb2::change_notify>(c, request, c.arguments.time("time"));
  if (got) {
    const bytes buffer = got->message.buffer;
    c.result.output.assign(buffer.begin(), buffer.end());
    co_return step{};
  }
  if (got.error().code != smb2::errc::timed_out) co_return std::unexpected(std::move(got.error()));
  c.report.detail("CANCEL", fmt::format("after {}: nothing had changed", c.arguments.text("time")));
  co_return step{};
}

awaitable<step> run_query_info(context& c) {
  const auto& info = chosen(c, "class", info_classes());
  smb2::query_info::request request;
  request.file = *c.file;
  request.type = info.type;
  request.file_info_class = info.number;
  request.additional_information = c.number("additional");
  request.output_buffer_length = c.number("length");
  auto got = co_await issue<smb2::query_info>(c, request);
  if (!got) co_return std::unexpected(std::move(got.error()));
  const bytes buffer = got->message.buffer;
  c.result.output.assign(buffer.begin(), buffer.end());
  for (const auto& fields : info.print(buffer))
    c.report.detail(std::string(info.name), fields);
  co_return step{};
}

awaitable<step> run_set_info(context& c) {
  const auto& setting = chosen(c, "class", setting_classes());
  std::expected<std::vector<std::byte>, std::string> buffer = c.asked.input;
  if (setting.encode != nullptr) buffer = setting.encode(c.arguments.text("value"));
  if (!buffer) co_return std::unexpected(misuse(c, "SET_INFO: " + buffer.error()));
  smb2::set_info::request request;
  request.file = *c.file;
  request.type = setting.type;
  request.file_info_class = setting.number;
  request.additional_information = c.number("additional");
  request.buffer = *buffer;
  auto done = co_await just<smb2::set_info>(c, request);
  co_return done;
}

/// Acknowledges a break of the file's oplock or lease; when none was broken the server says so.
awaitable<step> run_oplock_break(context& c) {
  const bool of_lease = c.arguments.has("lease");
  smb2::create::request open;
  open.requested_oplock_level = of_lease ? smb2::oplock::lease : smb2::oplock::batch;
  open.desired_access = access::read_data | access::read_attributes;
  const auto contexts = parse_contexts(of_lease ? "RqLs" : "", c.session->facts().dialect);
  open.contexts = contexts->chain;
  auto done = co_await create_file(c, open);
  if (!done) co_return done;
  smb2::oplock_break::request request;
  request.oplock_level = static_cast<u8>(c.number("level"));
  request.file = *c.file;
  if (of_lease) {
    const auto state = parse_number(c.arguments.text("lease"));
    if (!state) co_return std::unexpected(misuse(c, "lease: " + state.error()));
    request.structure_size = smb2::oplock_break::lease_size;
    request.lease_key = contexts->lease_key;
    request.lease_state = static_cast<u32>(*state);
  }
  done = co_await just<smb2::oplock_break>(c, request);
  if (!done) co_return done;
  done = co_await close_file(c, 0);
  co_return done;
}

constexpr u32 to_read = access::read_data | access::read_attributes;
constexpr u32 to_write = access::write_data | access::read_attributes;
constexpr u32 to_lock = access::read_data | access::write_data;
constexpr u32 to_set = access::write_data | access::write_attributes | access::remove;

const std::vector<op_argument> notify_arguments{{"time", kind::time, "10s"},
                                                {"filter", kind::word, "0x17f"},
                                                {"flags", kind::half, "0"},
                                                {"length", kind::word, "64k"}};

const std::vector<operation>& operations() {
  static const std::vector<operation> all{
      {"NEGOTIATE",
       needs::nothing,
       0,
       "connect, negotiate and authenticate; say what was settled",
       {},
       run_session},
      {"SESSION_SETUP", needs::nothing, 0, "the same", {}, run_session},
      {"LOGOFF", needs::session, 0, "end the session", {}, log_off},
      {"TREE_CONNECT", needs::session, 0, "enter the share of the URL", {}, run_tree_connect},
      {"TREE_DISCONNECT", needs::tree, 0, "leave it", {}, run_tree_disconnect},
      {"CREATE",
       needs::tree,
       0,
       "open or create the path of the URL, then CLOSE it; contexts=MxAc,QFid,RqLs=7,DHnQ,DH2Q=MS,"
       "AlSi=BYTES,TWrp=SECONDS,POSIX=MODE",
       {{"disposition", kind::text, "open", names_in<dispositions>},
        {"access", kind::word, "0x80"},
        {"options", kind::word, "0"},
        {"attributes", kind::word, "0"},
        {"oplock", kind::byte, "0"},
        {"contexts", kind::text, ""}},
       run_create},
      {"CLOSE",
       needs::file,
       access::read_attributes,
       "open and close; flags=1 asks for the attributes",
       {{"flags", kind::half, "1"}},
       run_close},
      {"FLUSH", needs::file, to_write, "put the file on stable storage", {}, run_flush},
      {"READ",
       needs::file,
       to_read,
       "read; the data goes to --out",
       {{"offset", kind::large, "0"}, {"length", kind::word, "64k"}},
       run_read},
      {"WRITE",
       needs::file,
       to_write,
       "write what --in gives into a file that exists; flags=1: write through",
       {{"offset", kind::large, "0"}, {"flags", kind::word, "0"}},
       run_write,
       true},
      {"LOCK",
       needs::file,
       to_lock,
       "flags: 1 shared, 2 exclusive, 4 unlock, 0x10 do not wait",
       {{"offset", kind::large, "0"}, {"length", kind::large, "1"}, {"flags", kind::word, "0x12"}},
       run_lock},
      {"IOCTL",
       needs::tree,
       0,
       "a control of the file, or of none without a path; input from --in, or made of value",
       {{"ctl", kind::code, "", names_in<controls>},
        {"value", kind::text, ""},
        {"max", kind::word, "64k"},
        {"access", kind::word, "0x120089"}},
       run_ioctl},
      {"CANCEL", needs::file, to_read, "give up a CHANGE_NOTIFY after the time", notify_arguments,
       run_change_notify},
      {"ECHO", needs::session, 0, "ask whether the server is there", {}, run_echo},
      {"QUERY_DIRECTORY",
       needs::file,
       to_read,
       "one buffer of entries",
       {{"class", kind::text, "FileIdBothDirectoryInformation", names_in<directory_classes>},
        {"pattern", kind::text, "*"},
        {"flags", kind::byte, "0"},
        {"length", kind::word, "64k"}},
       run_query_directory},
      {"CHANGE_NOTIFY", needs::file, to_read, "wait for a change in the directory, that long",
       notify_arguments, run_change_notify},
      {"QUERY_INFO",
       needs::file,
       access::read_attributes | access::read_control,
       "one information class, by name",
       {{"class", kind::text, "FileAllInformation", names_in<info_classes>},
        {"additional", kind::word, "0"},
        {"length", kind::word, "64k"}},
       run_query_info},
      {"SET_INFO",
       needs::file,
       to_set,
       "set one class: a number or a name, or bytes from --in; of FileBasicInformation "
       "written=SECONDS,accessed=,created=,changed=,attributes=",
       {{"class", kind::text, "FileEndOfFileInformation", names_in<setting_classes>},
        {"value", kind::text, ""},
        {"additional", kind::word, "0"}},
       run_set_info},
      {"OPLOCK_BREAK",
       needs::tree,
       0,
       "open with a batch oplock and acknowledge a break to that level, or with a lease and to "
       "that "
       "state",
       {{"level", kind::byte, "0"}, {"lease", kind::text, ""}},
       run_oplock_break},
  };
  return all;
}

std::vector<op_help> list() {
  return help_of(operations());
}

/// Whatever happened, the session ends in order when it can; the first error is the one that
/// counts.
awaitable<step> run_all(context& c, const operation& op) {
  step done;
  for (unsigned i = 0; done && i < c.asked.repeat; ++i) {
    done = co_await prepare(c, op.before, op.access);
    if (done) done = co_await op.run(c);
  }
  auto left = co_await leave(c);
  if (done) done = std::move(left);
  co_return done;
}

op_result run(const op_request& asked, op_report& report) {
  const auto op = std::ranges::find(operations(), asked.operation, &operation::name);
  if (op == operations().end())
    return misused(fmt::format("'{}' is no SMB2 command (--list shows them)", asked.operation));
  auto url = smb2::parse_url(asked.url);
  if (!url) return misused(url.error());
  auto given = arguments_for(*op, asked);
  if (!given) return misused(given.error());
  op_result out;
  context c{asked, std::move(*url), std::move(*given), report, out, {}, {}, {}};
  asio::io_context io(1);
  if (auto done = wire::net::run_to_end(io, run_all(c, *op)); !done) out.error = done.error().text;
  return out;
}

/// Of a URL that is wrong run() says so.
bool asks_for_password(const std::string& url) {
  const auto parsed = smb2::parse_url(url);
  return parsed && smb2::needs_password(*parsed);
}

} // namespace

op_protocol smb2_operations() {
  const op_names names{
      [](const wire::exchange& e) { return std::string(smb2::commands::name(e.operation)); },
      [](const wire::exchange& e) { return smb2::name_of_status(e.status); }};
  return {"smb://", names, &asks_for_password, &list, &run};
}

} // namespace cli
