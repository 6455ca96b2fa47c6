#include "smb2/file.hpp"

#include "smb2/file_transfer.hpp"
#include "smb2/hold_table.hpp"
#include "smb2/open.hpp"

#include <fmt/format.h>

namespace smb2 {

namespace {

/// Enough for 500 entries and what one credit pays for.
constexpr u32 listing_bytes = 65'536;
/// The longest class is FileAllInformation with a path.
constexpr u32 info_bytes_max = 4096;

error named(error e, std::string_view path) {
  e.text = fmt::format("{}: {}", path, e.text);
  return e;
}

directory_entry entry_of(const file_id_both_directory_information& m) {
  directory_entry out;
  out.name = m.file_name.text();
  out.file_id = m.file_id;
  out.facts.created = to_unix(m.creation_time);
  out.facts.accessed = to_unix(m.last_access_time);
  out.facts.written = to_unix(m.last_write_time);
  out.facts.changed = to_unix(m.change_time);
  out.facts.size = m.end_of_file;
  out.facts.allocated = m.allocation_size;
  out.facts.attributes = m.file_attributes;
  return out;
}

} // namespace

namespace detail {

create::request create_request(const open_options& options, utf16_view name) {
  create::request out;
  out.desired_access = options.access;
  out.file_attributes = options.attributes;
  out.share_access = options.share;
  out.disposition = options.disposition;
  out.create_options = options.create_options;
  out.name = name;
  return out;
}

file_facts facts_of(const create::response& m) {
  file_facts out;
  out.created = to_unix(m.creation_time);
  out.accessed = to_unix(m.last_access_time);
  out.written = to_unix(m.last_write_time);
  out.changed = to_unix(m.change_time);
  out.size = m.end_of_file;
  out.allocated = m.allocation_size;
  out.attributes = m.file_attributes;
  return out;
}

} // namespace detail

awaitable<std::expected<u64, error>> file::read(u64 offset, std::span<std::byte> into,
                                                transfer_options options) {
  const auto path = path_;
  const auto tree = tree_;
  const auto id = id_;
  const detail::transfer_lanes lanes{tree};
  const auto seen = tree->session->renewal->generation();
  auto got = co_await detail::read_window(lanes, id, offset, into, options);
  if (!got) {
    const bool again = co_await detail::renewed(tree->session, got.error(), seen);
    if (again) got = co_await detail::read_window(lanes, id, offset, into, options);
  }
  if (!got) co_return std::unexpected(named(std::move(got.error()), path));
  co_return *got;
}

awaitable<std::expected<void, error>> file::write(u64 offset, bytes data,
                                                  transfer_options options) {
  const auto path = path_;
  const auto tree = tree_;
  const auto id = id_;
  const detail::transfer_lanes lanes{tree};
  const auto seen = tree->session->renewal->generation();
  auto done = co_await detail::write_window(lanes, id, offset, data, options);
  if (!done) {
    const bool again = co_await detail::renewed(tree->session, done.error(), seen);
    if (again) done = co_await detail::write_window(lanes, id, offset, data, options);
  }
  if (!done) co_return std::unexpected(named(std::move(done.error()), path));
  co_return done;
}

awaitable<std::expected<u64, error>> file::read_stream(u64 offset, u64 size, chunk_taker take,
                                                       transfer_options options) {
  const auto path = path_;
  const auto tree = tree_;
  const auto id = id_;
  const auto seen = tree->session->renewal->generation();
  u64 taken = 0;
  auto counting = [&](bytes data) {
    taken += data.size();
    return take(data);
  };
  chunk_taker first = std::ref(counting);
  auto got = co_await detail::read_streamed(tree, id, offset, size, std::move(first), options);
  if (!got) {
    const bool again = co_await renewed(tree->session, got.error(), seen);
    if (again) {
      const u64 before = taken;
      chunk_taker rest = std::ref(counting);
      got = co_await detail::read_streamed(tree, id, offset + before, size - before,
                                           std::move(rest), options);
      if (got) *got += before;
    }
  }
  if (!got) co_return std::unexpected(named(std::move(got.error()), path));
  co_return *got;
}

awaitable<std::expected<u64, error>> file::write_stream(u64 offset, u64 size, chunk_filler fill,
                                                        transfer_options options) {
  const auto path = path_;
  const auto tree = tree_;
  const auto id = id_;
  auto done = co_await detail::write_streamed(tree, id, offset, size, std::move(fill), options);
  if (!done) co_return std::unexpected(named(std::move(done.error()), path));
  co_return *done;
}

awaitable<std::expected<void, error>> file::flush() {
  const auto tree = tree_;
  const auto path = path_;
  smb2::flush::request request;
  request.file = id_;
  auto got = co_await tree->session->connection->call<smb2::flush>(request, tree->options);
  if (!got) co_return std::unexpected(std::move(got.error()));
  if (got->status != status::success)
    co_return std::unexpected(detail::status_error("FLUSH " + path, got->status));
  co_return std::expected<void, error>{};
}

awaitable<std::expected<void, error>> file::close() {
  const auto tree = tree_;
  const auto path = path_;
  const auto open = open_;
  smb2::close::request request;
  request.file = id_;
  auto got = co_await tree->session->connection->call<smb2::close>(request, tree->options);
  if (!got) co_return std::unexpected(std::move(got.error()));
  if (got->status != status::success)
    co_return std::unexpected(detail::status_error("CLOSE " + path, got->status));
  open->let_go();
  co_return std::expected<void, error>{};
}

const cache_grant& file::grant() const noexcept {
  static const cache_grant nothing;
  return open_->held ? open_->held->grant : nothing;
}

const durable_grant& file::durable() const noexcept {
  return open_->durable;
}

awaitable<std::expected<cache_break, error>> file::next_break(nanos timeout) {
  const auto held = open_->held;
  auto path = path_;
  if (!held) {
    error e;
    e.code = errc::unsupported;
    e.text = fmt::format("{}: no oplock and no lease is held, so none is broken", path);
    co_return std::unexpected(std::move(e));
  }
  auto out = co_await detail::wait_for_break(held, std::move(path), timeout);
  co_return out;
}

awaitable<std::expected<void, error>> file::acknowledge(cache_break broken) {
  const auto open = open_;
  if (!open->held) co_return std::expected<void, error>{};
  auto done = co_await detail::acknowledge_break(open->table, open->held, broken.oplock_level,
                                                 broken.lease_state);
  co_return done;
}

awaitable<std::expected<reply<query_info>, error>> file::query_bytes(info_type type,
                                                                     u8 info_class) {
  const auto tree = tree_;
  const auto path = path_;
  query_info::request request;
  request.type = type;
  request.file_info_class = info_class;
  request.output_buffer_length = info_bytes_max;
  request.file = id_;
  auto got = co_await tree->session->connection->call<query_info>(request, tree->options);
  if (!got) co_return std::unexpected(std::move(got.error()));
  if (is_failure(query_info::number, got->status))
    co_return std::unexpected(detail::status_error("QUERY_INFO " + path, got->status));
  co_return std::move(*got);
}

error file::wrong_info(const wire::decode_error& problem) const {
  return {errc::bad_response, fmt::format("QUERY_INFO {}: {}", path_, describe(problem))};
}

awaitable<std::expected<void, error>> file::set_class(u8 info_class,
                                                      std::vector<std::byte> buffer) {
  const auto tree = tree_;
  const auto path = path_;
  set_info::request request;
  request.file_info_class = info_class;
  request.file = id_;
  request.buffer = buffer;
  auto got = co_await tree->session->connection->call<set_info>(request, tree->options);
  if (!got) co_return std::unexpected(std::move(got.error()));
  if (got->status != status::success)
    co_return std::unexpected(detail::status_error("SET_INFO " + path, got->status));
  co_return std::expected<void, error>{};
}

awaitable<std::expected<std::vector<directory_entry>, error>> file::next_entries() {
  using entry = file_id_both_directory_information;
  const auto tree = tree_;
  const auto path = path_;
  const auto pattern = to_utf16("*");
  query_directory::request request;
  request.information_class = entry::info_class;
  request.file = id_;
  request.file_name = pattern->view();
  request.output_buffer_length = listing_bytes;
  auto got = co_await tree->session->connection->call<query_directory>(request, tree->options);
  if (!got) co_return std::unexpected(std::move(got.error()));
  std::vector<directory_entry> out;
  if (got->status == status::no_more_files || got->status == status::no_such_file) co_return out;
  if (got->status != status::success)
    co_return std::unexpected(detail::status_error("QUERY_DIRECTORY " + path, got->status));
  entry_walker<entry> walk(got->message.buffer);
  while (auto one = walk.next())
    out.push_back(entry_of(*one));
  if (!walk.ok()) {
    error e;
    e.code = errc::bad_response;
    e.text = fmt::format("QUERY_DIRECTORY {}: {}", path, describe(walk.error()));
    co_return std::unexpected(std::move(e));
  }
  co_return out;
}

} // namespace smb2
