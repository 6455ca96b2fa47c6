#include "smb2/file_control.hpp"

#include <fmt/format.h>

namespace smb2 {

awaitable<std::expected<reply<ioctl>, error>>
control(file where, u32 ctl_code, std::vector<std::byte> input, u32 output_max) {
  const auto tree = where.tree();
  ioctl::request request;
  request.ctl_code = ctl_code;
  request.file = where.id();
  request.input = input;
  request.max_output_response = output_max;
  auto got = co_await tree->session->connection->call<ioctl>(request, tree->options);
  co_return got;
}

namespace detail {

error control_error(std::string_view what, const file& where, u32 status) {
  return status_error(fmt::format("IOCTL {} {}", what, where.path()), status);
}

error bad_control(std::string_view what, const file& where, const wire::decode_error& problem) {
  return {errc::bad_response,
          fmt::format("IOCTL {} {}: {}", what, where.path(), describe(problem))};
}

} // namespace detail

} // namespace smb2
