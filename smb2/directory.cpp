#include "smb2/directory.hpp"

namespace smb2::detail {

awaitable<std::expected<reply<query_directory>, error>>
query_directory_bytes(file directory, u8 information_class, directory_query query) {
  const auto tree = directory.tree();
  const auto pattern = to_utf16(query.pattern);
  if (!pattern || pattern->data.size() > name_bytes_max) {
    error e;
    e.code = errc::bad_name;
    e.text = fmt::format("QUERY_DIRECTORY {}: the pattern cannot be sent", directory.path());
    co_return std::unexpected(std::move(e));
  }
  query_directory::request request;
  request.information_class = information_class;
  if (query.restart) request.flags |= query_directory::flag_restart_scans;
  if (query.single_entry) request.flags |= query_directory::flag_return_single_entry;
  if (query.file_index) request.flags |= query_directory::flag_index_specified;
  request.file_index = query.file_index.value_or(0);
  request.file = directory.id();
  request.file_name = pattern->view();
  request.output_buffer_length =
      std::min(query.buffer_bytes, tree->session->facts.max_transact_size);
  auto got = co_await tree->session->connection->call<query_directory>(request, tree->options);
  if (!got) co_return std::unexpected(std::move(got.error()));
  const bool end = got->status == status::no_more_files || got->status == status::no_such_file;
  if (got->status != status::success && !end)
    co_return std::unexpected(status_error("QUERY_DIRECTORY " + directory.path(), got->status));
  co_return std::move(*got);
}

bool buffer_too_small(std::error_code code) noexcept {
  return code == make_status_error(status::info_length_mismatch) ||
         code == make_status_error(status::buffer_overflow);
}

error repeats_itself(std::string_view path) {
  return {errc::bad_response,
          fmt::format("QUERY_DIRECTORY {}: the server gives the same entries again", path)};
}

} // namespace smb2::detail
