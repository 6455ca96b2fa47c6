#include "smb2/one_round_trip.hpp"

#include "smb2/file_transfer.hpp"

#include <fmt/format.h>

namespace smb2::one_round_trip {

namespace {

/// A server that leaves the later parts unanswered is found out by this.
constexpr auto probe_timeout = std::chrono::seconds(5);

template <class Command>
bool went_well(const std::expected<reply<Command>, error>& part) {
  return part && !is_failure(Command::number, part->status);
}

template <class Command>
void note_problem(const std::expected<reply<Command>, error>& part, std::string_view path,
                  std::optional<error>& first) {
  if (first || went_well(part)) return;
  first = part ? detail::status_error(fmt::format("{} {}", Command::name, path), part->status)
               : part.error();
}

/// Of the first part that failed: those behind it mostly repeat its status.
template <class... Parts>
std::optional<error> problem_of(const std::tuple<Parts...>& parts, std::string_view path) {
  std::optional<error> first;
  std::apply([&](const auto&... part) { (note_problem(part, path, first), ...); }, parts);
  return first;
}

template <class... Between>
using replies_around = compound_replies<create::request, Between..., close::request>;

/// CREATE, what comes between on the file it opens, CLOSE. Fails when any of it does.
template <class... Between>
awaitable<std::expected<replies_around<Between...>, error>>
in_one(tree where, std::string path, open_options options, const Between&... between) {
  const auto name = detail::share_path(path);
  if (!name) co_return std::unexpected(name.error());
  const auto opening = detail::create_request(options, name->view());
  close::request closing;
  closing.file = fileid::of_previous();
  auto got = co_await where.compound(opening, between..., closing);
  const auto& opened = std::get<0>(got);
  auto& closed = std::get<sizeof...(Between) + 1>(got);
  // A part between that fails may take CLOSE down with it (3.3.5.2.7.2), which leaves the file
  // open.
  if (went_well(opened) && closed && !went_well(closed)) {
    closing.file = opened->message.file;
    closed = co_await where.call<close>(closing);
  }
  if (auto problem = problem_of(got, path)) co_return std::unexpected(std::move(*problem));
  co_return got;
}

/// It never went out, so the plain sequence, which needs less at once, may work.
bool too_dear(const error& e) {
  return e.code == errc::no_credits;
}

awaitable<bool> works(tree where) {
  const auto session = where.state()->session;
  if (!session->facts.related_compounds && session->probing_compounds) co_return false;
  const auto known = co_await probe(where);
  co_return known&&* known;
}

awaitable<std::expected<void, error>> open_and_close(tree where, std::string path,
                                                     open_options options) {
  auto got = co_await in_one(where, std::move(path), options);
  if (!got) co_return std::unexpected(std::move(got.error()));
  co_return std::expected<void, error>{};
}

using plain_operation = awaitable<std::expected<void, error>> (tree::*)(std::string);

awaitable<std::expected<void, error>>
open_and_close_or(tree where, std::string path, open_options options, plain_operation plain) {
  const bool compounds = co_await works(where);
  if (compounds) {
    auto done = co_await open_and_close(where, path, options);
    if (done || !too_dear(done.error())) co_return done;
  }
  auto done = co_await (where.*plain)(std::move(path));
  co_return done;
}

awaitable<std::expected<read_result, error>>
read_plain(tree where, std::string path, std::span<std::byte> into, transfer_options options) {
  const auto how = open_options::to_read();
  auto opened = co_await where.open(std::move(path), how);
  if (!opened) co_return std::unexpected(std::move(opened.error()));
  auto got = co_await opened->read(0, into, options);
  auto closed = co_await opened->close();
  if (!got) co_return std::unexpected(std::move(got.error()));
  if (!closed) co_return std::unexpected(std::move(closed.error()));
  co_return read_result{*got, opened->facts()};
}

awaitable<std::expected<read_result, error>> read_in_one(tree where, std::string path,
                                                         std::span<std::byte> into) {
  read::request reading;
  reading.file = fileid::of_previous();
  reading.length = static_cast<u32>(into.size());
  const auto how = open_options::to_read();
  auto got = co_await in_one(where, std::move(path), how, reading);
  if (!got) co_return std::unexpected(std::move(got.error()));
  read_result out;
  out.facts = detail::facts_of(std::get<0>(*got)->message);
  const auto& data = std::get<1>(*got)->message.data.data; // none at the end of the file
  out.bytes = std::min(data.size(), into.size());
  std::ranges::copy(data.first(out.bytes), into.begin());
  co_return out;
}

/// `options` must live until it returns.
awaitable<std::expected<void, error>> write_in_one(tree where, std::string path, bytes data,
                                                   const write_options& options) {
  write::request writing;
  writing.file = fileid::of_previous();
  writing.data = part(data);
  if (options.transfer.write_through) writing.flags = write::flag_write_through;
  flush::request flushing;
  flushing.file = fileid::of_previous();
  set_info::request setting;
  const auto basic = encode_buffer(options.set_basic.value_or(file_basic_information{}));
  setting.file_info_class = file_basic_information::info_class;
  setting.file = fileid::of_previous();
  setting.buffer = basic;
  const bool sets = options.set_basic.has_value();
  std::optional<error> problem;
  const auto note = [&problem](auto got) {
    if (!got) problem = std::move(got.error());
  };
  if (options.flush && sets) {
    auto got = co_await in_one(where, path, options.open, writing, flushing, setting);
    note(std::move(got));
  } else if (options.flush) {
    auto got = co_await in_one(where, path, options.open, writing, flushing);
    note(std::move(got));
  } else if (sets) {
    auto got = co_await in_one(where, path, options.open, writing, setting);
    note(std::move(got));
  } else {
    auto got = co_await in_one(where, path, options.open, writing);
    note(std::move(got));
  }
  if (problem) co_return std::unexpected(std::move(*problem));
  co_return std::expected<void, error>{};
}

awaitable<std::expected<void, error>> write_plain(tree where, std::string path, bytes data,
                                                  const write_options& options) {
  auto opened = co_await where.open(std::move(path), options.open);
  if (!opened) co_return std::unexpected(std::move(opened.error()));
  std::expected<void, error> done;
  if (!data.empty()) done = co_await opened->write(0, data, options.transfer);
  if (done && options.flush) done = co_await opened->flush();
  if (done && options.set_basic) done = co_await opened->set(*options.set_basic);
  auto closed = co_await opened->close();
  co_return done ? closed : done;
}

} // namespace

awaitable<std::expected<bool, error>> probe(tree where) {
  const auto session = where.state()->session;
  if (session->facts.related_compounds) co_return *session->facts.related_compounds;
  session->probing_compounds = true;
  auto options = where.state()->options;
  options.timeout = probe_timeout;
  const create::request opening =
      detail::create_request(open_options::to_stat(), utf16_view{}); // the root of the share
  query_info::request asking;
  asking.file_info_class = file_basic_information::info_class;
  asking.output_buffer_length = 64;
  asking.file = fileid::of_previous();
  close::request closing;
  closing.file = fileid::of_previous();
  auto got =
      co_await session->connection->compound(relation::related, options, opening, asking, closing);
  session->probing_compounds = false;
  const auto& [opened, asked, closed] = got;
  if (!opened && opened.error().code != errc::timed_out) {
    if (too_dear(opened.error())) co_return false;
    co_return std::unexpected(opened.error());
  }
  const bool works = went_well(opened) && went_well(asked) && went_well(closed);
  if (went_well(opened) && !went_well(closed)) {
    closing.file = opened->message.file;
    const auto ignored = co_await where.call<close>(closing);
    static_cast<void>(ignored); // best effort: nothing depends on the root being closed
  }
  session->facts.related_compounds = works;
  co_return works;
}

awaitable<std::expected<read_result, error>>
read_file(tree where, std::string path, std::span<std::byte> into, transfer_options options) {
  bool compounds = into.size() <= detail::read_max(*where.state(), options);
  if (compounds) compounds = co_await works(where);
  if (compounds) {
    auto got = co_await read_in_one(where, path, into);
    if (!got && !too_dear(got.error())) co_return got;
    // Servers may answer with less than was asked for and is there.
    if (got && got->bytes >= std::min<u64>(got->facts.size, into.size())) co_return got;
  }
  auto got = co_await read_plain(std::move(where), std::move(path), into, options);
  co_return got;
}

awaitable<std::expected<void, error>> write_file(tree where, std::string path, bytes data,
                                                 write_options options) {
  const bool only_created = data.empty() && !options.flush && !options.set_basic;
  const bool fits = data.size() <= detail::write_max(*where.state(), options.transfer);
  bool compounds = only_created || (fits && !data.empty());
  if (compounds) compounds = co_await works(where);
  std::expected<void, error> done;
  if (compounds && only_created)
    done = co_await open_and_close(where, path, options.open);
  else if (compounds)
    done = co_await write_in_one(where, path, data, options);
  if (compounds && (done || !too_dear(done.error()))) co_return done;
  done = co_await write_plain(std::move(where), std::move(path), data, options);
  co_return done;
}

awaitable<std::expected<file_facts, error>> stat(tree where, std::string path) {
  const bool compounds = co_await works(where);
  if (compounds) {
    const auto how = open_options::to_stat();
    auto got = co_await in_one(where, path, how);
    if (got) co_return detail::facts_of(std::get<0>(*got)->message);
    if (!too_dear(got.error())) co_return std::unexpected(std::move(got.error()));
  }
  auto facts = co_await where.stat(std::move(path));
  co_return facts;
}

awaitable<std::expected<void, error>> remove(tree where, std::string path) {
  const auto options = open_options::to_remove(create_option::non_directory_file);
  return open_and_close_or(std::move(where), std::move(path), options, &tree::remove);
}

awaitable<std::expected<void, error>> remove_directory(tree where, std::string path) {
  const auto options = open_options::to_remove(create_option::directory_file);
  return open_and_close_or(std::move(where), std::move(path), options, &tree::remove_directory);
}

awaitable<std::expected<void, error>> make_directory(tree where, std::string path) {
  const auto options = open_options::to_make_directory();
  return open_and_close_or(std::move(where), std::move(path), options, &tree::make_directory);
}

awaitable<std::expected<void, error>> rename(tree where, std::string from, std::string to) {
  const auto name = detail::share_path(to);
  if (!name) co_return std::unexpected(name.error());
  const bool compounds = co_await works(where);
  if (compounds) {
    file_rename_information info;
    info.file_name = name->view();
    const auto buffer = encode_buffer(info);
    set_info::request setting;
    setting.file_info_class = file_rename_information::info_class;
    setting.file = fileid::of_previous();
    setting.buffer = buffer;
    const auto how = open_options::to_rename();
    auto got = co_await in_one(where, from, how, setting);
    if (got) co_return std::expected<void, error>{};
    if (!too_dear(got.error())) {
      got.error().text = fmt::format("renaming {} to {}: {}", from, to, got.error().text);
      co_return std::unexpected(std::move(got.error()));
    }
  }
  auto done = co_await where.rename(std::move(from), std::move(to));
  co_return done;
}

} // namespace smb2::one_round_trip
