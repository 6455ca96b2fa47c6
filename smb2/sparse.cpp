#include "smb2/sparse.hpp"

#include "smb2/file_control.hpp"

namespace smb2 {

namespace {

using ranges = std::vector<file_allocated_range_buffer>;

awaitable<std::expected<void, error>> control_only(file where, u32 code, std::string_view name,
                                                   std::vector<std::byte> input) {
  auto got = co_await control(where, code, std::move(input), 0);
  if (!got) co_return std::unexpected(std::move(got.error()));
  if (got->status != status::success)
    co_return std::unexpected(detail::control_error(name, where, got->status));
  co_return std::expected<void, error>{};
}

} // namespace

awaitable<std::expected<void, error>> set_sparse(file where, bool sparse) {
  file_set_sparse_buffer input;
  input.set_sparse = sparse ? 1 : 0;
  return control_only(std::move(where), fsctl::set_sparse, "SET_SPARSE", encode_buffer(input));
}

awaitable<std::expected<void, error>> zero_data(file where, u64 offset, u64 end) {
  file_zero_data_information input;
  input.file_offset = offset;
  input.beyond_final_zero = end;
  return control_only(std::move(where), fsctl::set_zero_data, "SET_ZERO_DATA",
                      encode_buffer(input));
}

awaitable<std::expected<ranges, error>> allocated_ranges(file where, u64 offset, u64 length) {
  constexpr std::string_view name = "QUERY_ALLOCATED_RANGES";
  constexpr u32 output_max = 65'536; // what one credit pays for: 4,096 ranges
  const u64 end = length > ~u64{0} - offset ? ~u64{0} : offset + length;
  ranges all;
  while (offset < end) {
    file_allocated_range_buffer wanted;
    wanted.file_offset = offset;
    wanted.length = end - offset;
    auto input = encode_buffer(wanted);
    auto got = co_await control(where, fsctl::query_allocated_ranges, std::move(input), output_max);
    if (!got) co_return std::unexpected(std::move(got.error()));
    const bool more = got->status == status::buffer_overflow;
    if (got->status != status::success && !more)
      co_return std::unexpected(detail::control_error(name, where, got->status));
    const auto some =
        decode_array<file_allocated_range_buffer>(got->message.output, allocated_ranges_max);
    if (!some) co_return std::unexpected(detail::bad_control(name, where, some.error()));
    all.insert(all.end(), some->begin(), some->end());
    if (!more || some->empty()) break;
    const auto& last = some->back();
    if (last.length > ~u64{0} - last.file_offset || last.file_offset + last.length <= offset) break;
    offset = last.file_offset + last.length;
  }
  co_return all;
}

} // namespace smb2
