#include "smb2/locks.hpp"

#include <fmt/format.h>

namespace smb2 {

awaitable<std::expected<void, error>> lock_ranges(file where, std::vector<lock_element> ranges,
                                                  u32 sequence, nanos timeout) {
  const auto tree = where.tree();
  if (ranges.size() > locks_max) {
    error e;
    e.code = errc::too_long;
    e.text = fmt::format("LOCK {}: {} ranges, where {} are the most", where.path(), ranges.size(),
                         locks_max);
    co_return std::unexpected(std::move(e));
  }
  smb2::lock::request request;
  request.lock_sequence = sequence;
  request.file = where.id();
  request.locks = std::move(ranges);
  auto options = tree->options;
  options.timeout = timeout;
  auto got = co_await tree->session->connection->call<smb2::lock>(request, options);
  if (!got) co_return std::unexpected(std::move(got.error()));
  if (got->status != status::success)
    co_return std::unexpected(detail::status_error("LOCK " + where.path(), got->status));
  co_return std::expected<void, error>{};
}

awaitable<std::expected<void, error>> lock_range(file where, u64 offset, u64 length,
                                                 lock_options options) {
  std::vector<lock_element> one(1);
  one.front().offset = offset;
  one.front().length = length;
  one.front().flags = (options.exclusive ? lock_element::exclusive : lock_element::shared) |
                      (options.fail_immediately ? lock_element::fail_immediately : 0);
  return lock_ranges(std::move(where), std::move(one), options.sequence, options.timeout);
}

awaitable<std::expected<void, error>> unlock_range(file where, u64 offset, u64 length,
                                                   u32 sequence) {
  std::vector<lock_element> one(1);
  one.front().offset = offset;
  one.front().length = length;
  one.front().flags = lock_element::unlock;
  return lock_ranges(std::move(where), std::move(one), sequence);
}

} // namespace smb2
