#include "smb2/hold_table.hpp"

#include <fmt/format.h>

namespace smb2::detail {

namespace {

/// Breaks of which nobody wants to be told; the oldest go.
constexpr std::size_t breaks_kept = 64;

void wake(hold& h) {
  for (auto* timer : h.waiting)
    timer->cancel();
}

/// Epochs count in 16 bits and wrap around.
bool newer(u16 epoch, u16 than) {
  return static_cast<std::int16_t>(static_cast<u16>(epoch - than)) > 0;
}

awaitable<void> answer(std::shared_ptr<hold_table> table, std::shared_ptr<hold> h, u8 level,
                       u32 state) {
  auto done = co_await acknowledge_break(table, h, level, state);
  static_cast<void>(done); // it is counted, and nobody waits for it
}

} // namespace

std::shared_ptr<hold> hold_table::add_lease(const guid& key) {
  auto& h = leases_[key];
  if (h) {
    ++h->opens;
    return h;
  }
  h = std::make_shared<hold>();
  h->grant.oplock_level = oplock::lease;
  h->grant.lease_key = key;
  return h;
}

/// · source: MS-SMB2 3.2.5.7
void hold_table::grant_lease(hold& h, u32 state, u16 epoch) {
  const bool first = h.opens == 1;
  if (h.has_epoch && !first && !newer(epoch, h.grant.epoch)) return;
  h.grant.lease_state = state;
  h.grant.epoch = epoch;
}

void hold_table::add_oplock(const fileid& file, std::shared_ptr<hold> h) {
  h->file = file;
  oplocks_.push_back(std::move(h));
}

void hold_table::remove(hold& h) {
  if (--h.opens > 0) return;
  if (h.grant.is_lease())
    leases_.erase(h.grant.lease_key);
  else
    std::erase_if(oplocks_, [&](const hold_ptr& one) { return one.get() == &h; });
  h.lost = true;
  wake(h);
}

/// Whose it is, its FileId or its key says; the header names no session, or that of the open.
void hold_table::on_break(const header& head, bytes message) {
  ++counters_.notifications;
  const auto got = decode_prefix<oplock_break::response>(message, message.size());
  const auto& m = got.message;
  hold_ptr found;
  if (got.error.code == wire::errc::ok) {
    if (m.structure_size == oplock_break::oplock_size) found = find_oplock(head, m.file);
    if (m.structure_size == oplock_break::lease_notification_size) found = find_lease(m.lease_key);
  }
  if (!found)
    ++counters_.unknown;
  else if (found->grant.is_lease())
    break_lease(found, m);
  else
    break_oplock(found, m);
}

hold_table::hold_ptr hold_table::find_oplock(const header& head, const fileid& file) const {
  for (const auto& h : oplocks_) {
    const bool same_session = head.session_id == 0 || head.session_id == h->session_id;
    if (same_session && h->file == file) return h;
  }
  return nullptr;
}

hold_table::hold_ptr hold_table::find_lease(const guid& key) const {
  const auto found = leases_.find(key);
  return found == leases_.end() ? nullptr : found->second;
}

/// From level II there is but one way to go, and nobody asks whether it was gone.
/// · source: MS-SMB2 3.2.5.19.1
void hold_table::break_oplock(const hold_ptr& h, const oplock_break::response& m) {
  cache_break what;
  what.before = h->grant;
  what.oplock_level = m.oplock_level;
  what.must_acknowledge = h->grant.oplock_level != oplock::level_ii;
  if (what.must_acknowledge)
    h->grant.breaking = true;
  else
    h->grant.oplock_level = m.oplock_level;
  tell(h, what);
}

/// · source: MS-SMB2 3.2.5.19.2
void hold_table::break_lease(const hold_ptr& h, const oplock_break::response& m) {
  cache_break what;
  what.before = h->grant;
  what.oplock_level = oplock::lease;
  what.lease_state = m.new_lease_state;
  what.epoch = m.new_epoch;
  what.must_acknowledge = (m.flags & oplock_break::acknowledgment_required) != 0;
  if (h->has_epoch && !newer(m.new_epoch, h->grant.epoch)) {
    ++counters_.stale;
    if (!what.must_acknowledge) return;
  } else if (h->has_epoch) {
    what.missed = newer(m.new_epoch, static_cast<u16>(h->grant.epoch + 1));
    h->grant.epoch = m.new_epoch;
  }
  if (what.must_acknowledge)
    h->grant.breaking = true;
  else
    h->grant.lease_state = m.new_lease_state;
  tell(h, what);
}

void hold_table::tell(const hold_ptr& h, const cache_break& what) {
  if (h->breaks.size() == breaks_kept) h->breaks.pop_front();
  h->breaks.push_back(what);
  wake(*h);
  if (!what.must_acknowledge || h->answer != break_answer::at_once) return;
  asio::co_spawn(h->strand, answer(shared_from_this(), h, what.oplock_level, what.lease_state),
                 [](std::exception_ptr e) {
                   if (e) std::rethrow_exception(e);
                 });
}

void hold_table::on_connection_lost() {
  if (--connections_ > 0) return;
  const auto end = [](hold& h) {
    h.lost = true;
    wake(h);
  };
  for (const auto& h : std::exchange(oplocks_, {}))
    end(*h);
  for (const auto& [key, h] : std::exchange(leases_, {}))
    end(*h);
}

awaitable<std::expected<cache_break, error>> wait_for_break(std::shared_ptr<hold> h,
                                                            std::string path, nanos timeout) {
  const auto strand = co_await asio::this_coro::executor;
  asio::steady_timer timer(strand);
  if (timeout > nanos{})
    timer.expires_after(timeout);
  else
    timer.expires_at(asio::steady_timer::time_point::max());
  error e;
  while (h->breaks.empty() && !h->lost && !e.code) {
    h->waiting.push_back(&timer);
    auto [woken] = co_await timer.async_wait(wire::net::as_result);
    std::erase(h->waiting, &timer);
    if (!woken) e.code = errc::timed_out;
    const auto cancelled = co_await asio::this_coro::cancellation_state;
    if (cancelled.cancelled() != asio::cancellation_type::none) e.code = errc::cancelled;
  }
  if (!h->breaks.empty()) {
    const auto out = h->breaks.front();
    h->breaks.pop_front();
    co_return out;
  }
  if (!e.code) e.code = errc::connection_lost;
  e.text = fmt::format("waiting for a break of {}: {}", path, e.code.message());
  co_return std::unexpected(std::move(e));
}

awaitable<std::expected<void, error>>
acknowledge_break(std::shared_ptr<hold_table> table, std::shared_ptr<hold> h, u8 level, u32 state) {
  const auto session = h->session.lock();
  error e;
  e.code = errc::connection_lost;
  e.text = "OPLOCK_BREAK: the session has ended";
  if (!session || h->lost) {
    ++table->counters().unacknowledged;
    co_return std::unexpected(std::move(e));
  }
  oplock_break::request request;
  if (h->grant.is_lease()) {
    request.structure_size = oplock_break::lease_size;
    request.lease_key = h->grant.lease_key;
    request.lease_state = state;
  } else {
    request.oplock_level = level;
    request.file = h->file;
  }
  const auto options = h->options;
  auto got = co_await session->connection->call<oplock_break>(request, options);
  if (got && got->status == status::success) {
    ++table->counters().acknowledgments;
    h->grant.breaking = false;
    h->grant.oplock_level = h->grant.is_lease() ? oplock::lease : got->message.oplock_level;
    h->grant.lease_state = got->message.lease_state;
    co_return std::expected<void, error>{};
  }
  ++table->counters().unacknowledged;
  if (!got) co_return std::unexpected(std::move(got.error()));
  co_return std::unexpected(status_error("OPLOCK_BREAK", got->status));
}

} // namespace smb2::detail
