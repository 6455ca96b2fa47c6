#include "smb2/pipe.hpp"

#include "smb2/file_control.hpp"

#include <fmt/format.h>

namespace smb2 {

namespace {

using message_result = std::expected<std::vector<std::byte>, error>;

/// Reads what is left of a message behind `out`.
awaitable<std::expected<void, error>> read_to_end(file pipe, u32 bytes_max,
                                                  std::vector<std::byte>& out) {
  const auto tree = pipe.tree();
  read::request request;
  request.file = pipe.id();
  request.length = bytes_max;
  while (true) {
    auto got = co_await tree->session->connection->call<read>(request, tree->options);
    if (!got) co_return std::unexpected(std::move(got.error()));
    const bool more = got->status == status::buffer_overflow;
    if (got->status != status::success && !more)
      co_return std::unexpected(detail::status_error("READ " + pipe.path(), got->status));
    const auto data = got->message.data.data;
    if ((more && data.empty()) || data.size() > message_bytes_max - out.size()) {
      error e;
      e.code = errc::too_long;
      e.text = fmt::format("READ {}: the message never ends", pipe.path());
      co_return std::unexpected(std::move(e));
    }
    out.insert(out.end(), data.begin(), data.end());
    if (!more) co_return std::expected<void, error>{};
  }
}

} // namespace

awaitable<std::expected<file, error>> open_pipe(tree ipc, std::string name) {
  open_options options;
  options.access = access::read_data | access::write_data | access::append_data |
                   access::read_attributes | access::read_control | access::synchronize;
  options.create_options = 0;
  auto opened = co_await ipc.open(std::move(name), options);
  co_return opened;
}

awaitable<message_result> transceive(file pipe, std::vector<std::byte> message, u32 bytes_max) {
  auto got = co_await control(pipe, fsctl::pipe_transceive, std::move(message), bytes_max);
  if (!got) co_return std::unexpected(std::move(got.error()));
  const bool more = got->status == status::buffer_overflow;
  if (got->status != status::success && !more)
    co_return std::unexpected(detail::control_error("PIPE_TRANSCEIVE", pipe, got->status));
  const auto output = got->message.output;
  std::vector<std::byte> out(output.begin(), output.end());
  if (more) {
    auto rest = co_await read_to_end(pipe, bytes_max, out);
    if (!rest) co_return std::unexpected(std::move(rest.error()));
  }
  co_return out;
}

awaitable<message_result> read_pipe(file pipe, u32 bytes_max) {
  std::vector<std::byte> out;
  auto done = co_await read_to_end(pipe, bytes_max, out);
  if (!done) co_return std::unexpected(std::move(done.error()));
  co_return out;
}

awaitable<message_result> write_and_read(file pipe, std::vector<std::byte> message, u32 bytes_max) {
  auto written = co_await pipe.write(0, message);
  if (!written) co_return std::unexpected(std::move(written.error()));
  auto out = co_await read_pipe(pipe, bytes_max);
  co_return out;
}

} // namespace smb2
