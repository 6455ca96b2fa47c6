#include "smb2/durable.hpp"

#include "smb2/crypto/random.hpp"
#include "smb2/file_control.hpp"
#include "smb2/ioctls/resiliency.hpp"
#include "smb2/open.hpp"

#include <asio/steady_timer.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace smb2 {

namespace {

constexpr nanos pause_max = std::chrono::seconds(5);

bool is_loss(std::error_code code) {
  return code == errc::outcome_unknown || code == errc::connection_lost;
}

/// What is behind a failure to come back that goes away with time: nobody listens yet, or the
/// server has not noticed yet that the old connection is gone.
bool may_pass(std::error_code code) {
  return is_loss(code) || code == errc::timed_out ||
         code == make_status_error(status::file_not_available) ||
         (code.category() != category() && code.category() != ntstatus_category());
}

/// Why `again` is not what `lost` was; empty when it is.
std::string_view difference(const file& lost, const file& again) {
  const auto& before = lost.open_state()->identity;
  const auto& now = again.open_state()->identity;
  if (again.id().persistent != lost.id().persistent) return "its FileId is another";
  if (now.created != before.created) return "it was created at another time";
  if (before.index_number != 0 && now.index_number != 0 && now.index_number != before.index_number)
    return "its index number is another";
  return {};
}

error other_file(const file& lost, std::string_view why) {
  return {errc::other_file,
          fmt::format("{}: what the server gives back is not the file that was open: {}",
                      lost.path(), why)};
}

std::string text_of(const std::vector<byte_range>& ranges) {
  constexpr std::size_t shown = 4;
  std::string out;
  for (std::size_t i = 0; i < std::min(ranges.size(), shown); ++i)
    out += fmt::format("{}{}-{}", i == 0 ? "" : ", ", ranges[i].offset, ranges[i].end);
  if (ranges.size() > shown) out += fmt::format(" and {} more", ranges.size() - shown);
  return out.empty() ? "none" : out;
}

void sort_and_join(std::vector<byte_range>& ranges) {
  std::ranges::sort(ranges, {}, &byte_range::offset);
  std::vector<byte_range> out;
  for (const auto& one : ranges) {
    if (!out.empty() && one.offset <= out.back().end)
      out.back().end = std::max(out.back().end, one.end);
    else
      out.push_back(one);
  }
  ranges = std::move(out);
}

/// What of `ranges` is in none of `others`; both in order.
std::vector<byte_range> without(const std::vector<byte_range>& ranges,
                                const std::vector<byte_range>& others) {
  std::vector<byte_range> out;
  for (auto left : ranges) {
    for (const auto& other : others) {
      if (other.end <= left.offset || other.offset >= left.end) continue;
      if (other.offset > left.offset) out.push_back({left.offset, other.offset});
      left.offset = std::min(other.end, left.end);
    }
    if (left.size() > 0) out.push_back(left);
  }
  return out;
}

void add(std::vector<byte_range>& to, const std::vector<byte_range>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

} // namespace

session_options replacement_of(const session& lost) {
  const auto& state = *lost.state();
  auto out = state.options;
  out.dialect = state.facts.dialect;
  out.dialects.clear();
  out.client_guid = state.client_guid;
  out.previous_session_id = state.facts.session_id;
  return out;
}

/// The disposition is that of an open: a server that knows nothing of the lost one must not empty
/// the file, and what it opens is found to be another one.
awaitable<std::expected<file, error>> reopen(tree where, file lost) {
  error e;
  if (!lost.durable().durable) {
    e.code = errc::unsupported;
    e.text = fmt::format("{}: the server did not make the open durable", lost.path());
    co_return std::unexpected(std::move(e));
  }
  auto options = lost.open_state()->options;
  options.disposition = create_disposition::open;
  detail::open_how how;
  how.lost = &lost;
  auto again = co_await detail::open_file(where.state(), lost.path(), options, how);
  if (!again) {
    e = std::move(again.error());
    e.text = "the durable open is not given back: " + e.text;
    co_return std::unexpected(std::move(e));
  }
  again->open_state()->durable = lost.durable();
  const auto why = difference(lost, *again);
  if (why.empty()) co_return std::move(*again);
  auto closed = co_await again->close();
  static_cast<void>(closed); // that it is the wrong one is what counts
  co_return std::unexpected(other_file(lost, why));
}

awaitable<std::expected<void, error>> request_resiliency(file where, nanos timeout) {
  constexpr std::string_view name = "LMR_REQUEST_RESILIENCY";
  network_resiliency_request input;
  input.timeout = detail::to_milliseconds(timeout);
  auto got = co_await control(where, fsctl::lmr_request_resiliency, encode_buffer(input), 0);
  if (!got) co_return std::unexpected(std::move(got.error()));
  if (got->status != status::success)
    co_return std::unexpected(detail::control_error(name, where, got->status));
  auto& open = *where.open_state();
  open.durable = {};
  open.durable.durable = true;
  open.durable.timeout = timeout;
  open.identity.index_number = co_await detail::index_number_of(where);
  co_return std::expected<void, error>{};
}

struct durable_file::state {
  session_options session;
  std::string share;
  std::string path;
  open_options how;
  comeback tries;
  comeback_counters counters;
  std::optional<tree> where;
  std::optional<file> current;
  std::vector<unanswered_call> unanswered;
  u64 size_known = 0;    ///< bytes that the file has at least
  u64 size_possible = 0; ///< and at most, with all whose outcome is unknown

  void note_loss() {
    ++counters.lost;
    if (!where) return;
    const auto lost = where->of_session();
    const auto list = lost.connection().unanswered();
    unanswered.assign(list.begin(), list.end());
    lost.connection().close();
    session = replacement_of(lost);
  }

  void note_sizes(const transfer_report& report) {
    if (!report.moved.empty()) size_known = std::max(size_known, report.moved.back().end);
    size_possible = std::max(size_possible, size_known);
    if (!report.unknown.empty()) size_possible = std::max(size_possible, report.unknown.back().end);
  }

  /// Whoever holds the file alone knows how long it is.
  [[nodiscard]] bool wrong_size(const file& again) const {
    const auto size = again.facts().size;
    return again.grant().exclusive() && (size < size_known || size > size_possible);
  }
};

awaitable<std::expected<durable_file, error>> durable_file::open(session_options options,
                                                                 std::string share,
                                                                 std::string path, open_options how,
                                                                 comeback tries) {
  auto s = std::make_shared<state>();
  s->session = std::move(options);
  s->share = std::move(share);
  s->path = std::move(path);
  s->how = std::move(how);
  s->tries = tries;
  if (!s->how.durable) s->how.durable.emplace();
  if (s->how.durable->create_guid == guid{})
    s->how.durable->create_guid = crypto::random_bytes<16>();
  auto opened = co_await first_open(s);
  if (!opened) co_return std::unexpected(std::move(opened.error()));
  if (!s->current->durable().durable) {
    auto closed = co_await s->current->close();
    static_cast<void>(closed); // it is of no use anyway
    error e;
    e.code = errc::unsupported;
    e.text = fmt::format("{}: the server does not make the open durable", s->path);
    co_return std::unexpected(std::move(e));
  }
  s->size_known = s->size_possible = s->current->facts().size;
  co_return durable_file(std::move(s));
}

awaitable<std::expected<tree, error>> durable_file::enter(std::shared_ptr<state> s) {
  auto options = s->session;
  auto share = s->share;
  auto opened = co_await session::open(std::move(options));
  if (!opened) co_return std::unexpected(std::move(opened.error()));
  auto entered = co_await tree::connect(*opened, std::move(share));
  co_return entered;
}

/// A CREATE that is lost may be sent again where the server knows it by its CreateGuid.
awaitable<std::expected<void, error>> durable_file::first_open(std::shared_ptr<state> s) {
  detail::open_how how;
  for (u32 attempt = 0;; ++attempt) {
    auto entered = co_await enter(s);
    if (!entered) co_return std::unexpected(std::move(entered.error()));
    s->where = *entered;
    auto opened = co_await detail::open_file(s->where->state(), s->path, s->how, how);
    if (opened) {
      s->current = std::move(*opened);
      co_return std::expected<void, error>{};
    }
    const bool replayable = s->where->state()->session->facts.dialect >= dialect::smb_3_0;
    if (!is_loss(opened.error().code) || !replayable || attempt == s->tries.attempts)
      co_return std::unexpected(std::move(opened.error()));
    s->note_loss();
    how.replay = true;
  }
}

awaitable<std::expected<void, error>> durable_file::try_to_come_back(std::shared_ptr<state> s) {
  auto entered = co_await enter(s);
  if (!entered) co_return std::unexpected(std::move(entered.error()));
  const auto lost = *s->current;
  auto again = co_await reopen(*entered, lost);
  if (!again) co_return std::unexpected(std::move(again.error()));
  if (s->wrong_size(*again)) {
    const auto size = again->facts().size;
    auto closed = co_await again->close();
    static_cast<void>(closed); // that it is the wrong one is what counts
    co_return std::unexpected(
        other_file(lost, fmt::format("it has {} bytes, where {} to {} were written", size,
                                     s->size_known, s->size_possible)));
  }
  s->where = std::move(*entered);
  s->current = std::move(*again);
  ++s->counters.comebacks;
  co_return std::expected<void, error>{};
}

awaitable<std::expected<void, error>> durable_file::come_back(std::shared_ptr<state> s) {
  const auto strand = co_await asio::this_coro::executor;
  s->note_loss();
  auto pause = s->tries.pause;
  error none;
  none.code = errc::connection_lost;
  none.text = fmt::format("{}: the connection is lost, and nothing is to be tried", s->path);
  std::expected<void, error> done = std::unexpected(std::move(none));
  for (u32 attempt = 0; attempt < s->tries.attempts; ++attempt) {
    if (attempt > 0) {
      asio::steady_timer timer(strand, pause);
      auto [stopped] = co_await timer.async_wait(wire::net::as_result);
      if (stopped) break;
      pause = std::min(pause * 2, pause_max);
    }
    done = co_await try_to_come_back(s);
    if (done || !may_pass(done.error().code)) co_return done;
  }
  co_return done;
}

awaitable<std::expected<u64, error>> durable_file::read(u64 offset, std::span<std::byte> into,
                                                        transfer_options options) {
  const auto s = state_;
  while (true) {
    auto current = *s->current;
    auto got = co_await current.read(offset, into, options);
    if (got || !is_loss(got.error().code)) co_return got;
    auto back = co_await come_back(s);
    if (!back) co_return std::unexpected(std::move(back.error()));
  }
}

awaitable<std::expected<void, error>> durable_file::write(u64 offset, bytes data,
                                                          transfer_options options) {
  const auto s = state_;
  transfer_report all;
  std::vector<byte_range> left{{offset, offset + data.size()}};
  std::vector<byte_range> unknown; // of an earlier connection, and not written again yet
  std::expected<void, error> done;
  auto* const report = options.report;
  while (!left.empty()) {
    const auto part = left.front();
    left.erase(left.begin());
    auto current = *s->current;
    transfer_report one;
    options.report = &one;
    const auto piece = data.subspan(static_cast<std::size_t>(part.offset - offset),
                                    static_cast<std::size_t>(part.size()));
    done = co_await current.write(part.offset, piece, options);
    s->note_sizes(one);
    add(all.moved, one.moved);
    add(unknown, one.unknown);
    sort_and_join(unknown);
    unknown = without(unknown, one.moved);
    if (done) continue;
    add(left, one.unknown);
    add(left, one.untouched);
    sort_and_join(left);
    if (!is_loss(done.error().code)) break;
    done = co_await come_back(s);
    if (!done) break;
    for (const auto& r : one.unknown)
      s->counters.written_again += r.size();
  }
  sort_and_join(all.moved);
  all.unknown = std::move(unknown);
  all.untouched = without(left, all.unknown);
  if (!done)
    done.error().text +=
        fmt::format("; bytes written: {}; unknown: {}; not sent: {}", text_of(all.moved),
                    text_of(all.unknown), text_of(all.untouched));
  if (report != nullptr) *report = std::move(all);
  co_return done;
}

awaitable<std::expected<void, error>> durable_file::flush() {
  const auto s = state_;
  while (true) {
    auto current = *s->current;
    auto done = co_await current.flush();
    if (done || !is_loss(done.error().code)) co_return done;
    auto back = co_await come_back(s);
    if (!back) co_return back;
  }
}

/// When the CLOSE is lost and the server has no such open any more, it was carried out: but that is
/// a guess, and the error says what is known.
awaitable<std::expected<void, error>> durable_file::close() {
  const auto s = state_;
  while (true) {
    auto current = *s->current;
    auto done = co_await current.close();
    if (done || !is_loss(done.error().code)) co_return done;
    auto back = co_await come_back(s);
    if (!back) {
      done.error().text += "; " + back.error().text;
      co_return done;
    }
  }
}

const file& durable_file::current() const noexcept {
  return *state_->current;
}

session durable_file::of_session() const noexcept {
  return state_->where->of_session();
}

const comeback_counters& durable_file::counters() const noexcept {
  return state_->counters;
}

std::span<const unanswered_call> durable_file::unanswered() const noexcept {
  return state_->unanswered;
}

} // namespace smb2
