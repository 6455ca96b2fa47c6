#include "smb2/file_transfer.hpp"

#include "smb2/connection_state.hpp"
#include "wire/net/waiter.hpp"

#include <fmt/format.h>

#include <limits>

namespace smb2::detail {

namespace {

/// Medium chunks in a wide window keep the line busy without holding up what comes between.
constexpr u32 chunk_bytes_default = 1u << 20;
constexpr u32 window_bytes_default = 16u << 20;
constexpr std::size_t slots_max = 64;

/// A READ or WRITE of one chunk.
template <class Command>
struct chunk_call : pending_call {
  typename Command::request message;
  std::span<std::byte> into; ///< of a READ
  std::size_t index = 0;
  std::size_t lane = 0;
  bool busy = false;
  u32 moved = 0; ///< bytes
};

/// Copies the data to where it is wanted, with no stop in between.
void take_data(pending_call& call, bytes message) {
  auto& self = static_cast<chunk_call<read>&>(call);
  if (!carries_response(read::number, call.head.status)) return;
  const auto got = decode_prefix<read::response>(message, message.size());
  call.problem = got.error;
  if (got.error.code != wire::errc::ok) return;
  const auto data = got.message.data.data;
  if (data.size() > self.into.size()) {
    call.problem = {wire::errc::over_limit, header_bytes, read::response::title};
    return;
  }
  std::ranges::copy(data, self.into.begin());
  self.moved = static_cast<u32>(data.size());
  note_response<read>(got.message, call.exchange);
}

void take_count(pending_call& call, bytes message) {
  auto& self = static_cast<chunk_call<write>&>(call);
  if (!carries_response(write::number, call.head.status)) return;
  const auto got = decode_prefix<write::response>(message, message.size());
  call.problem = got.error;
  if (got.error.code == wire::errc::ok) self.moved = got.message.count;
}

/// How one transfer is cut.
struct plan {
  u32 chunk = 0;
  std::size_t chunks = 0;
  std::size_t slots = 0;
};

plan make_plan(const tree_state& tree, u64 size, u32 size_max, const transfer_options& options) {
  const auto& credits = tree.session->connection->credits();
  // Half of the window at most, so that there is always a second one on its way.
  const u64 affordable = u64{std::max(credits.total() / 2, 1u)} * bytes_per_credit;
  const u32 wanted = options.chunk_bytes == 0 ? chunk_bytes_default : options.chunk_bytes;
  const u32 window = options.window_bytes == 0 ? window_bytes_default : options.window_bytes;
  plan out;
  out.chunk = static_cast<u32>(std::min<u64>({wanted, size_max, affordable}));
  out.chunks = static_cast<std::size_t>((size + out.chunk - 1) / out.chunk);
  out.slots = std::clamp<std::size_t>(window / out.chunk, 1, slots_max);
  out.slots = std::min(out.slots, out.chunks);
  return out;
}

void append(std::vector<byte_range>& to, byte_range what) {
  if (what.size() == 0) return;
  if (!to.empty() && to.back().end == what.offset)
    to.back().end = what.end;
  else
    to.push_back(what);
}

/// One transfer under way: a slot takes the next chunk as soon as its last one is done. Lives in
/// the frame of the coroutine that waits for it.
template <class Command>
class window {
 public:
  window(const transfer_lanes& lanes, fileid id, u64 offset, plan how)
      : id_(id), offset_(offset), plan_(how), slots_(how.slots * lanes.size()),
        chunks_(how.chunks) {
    for (const auto& tree : lanes)
      lanes_.push_back({tree, tree->session->connection->state()});
    for (std::size_t i = 0; i < slots_.size(); ++i)
      slots_[i].lane = i % lanes_.size();
  }

  bytes from;                ///< of a write
  std::span<std::byte> into; ///< of a read
  bool write_through = false;
  error problem; ///< of the first chunk that failed
  bool failed = false;

  awaitable<void> run() {
    for (auto& s : slots_)
      start_next(s);
    if (active_ > 0) co_await wire::net::suspend(resume_, &cancel, this);
  }

  /// Bytes moved from the start without a hole.
  [[nodiscard]] u64 contiguous() const noexcept {
    u64 sum = 0;
    for (std::size_t i = 0; i < chunks_.size(); ++i) {
      sum += chunks_[i].moved;
      if (chunks_[i].moved < length_of(i)) break;
    }
    return sum;
  }

  void fill(transfer_report* report) const {
    if (report == nullptr) return;
    *report = {};
    for (std::size_t i = 0; i < chunks_.size(); ++i) {
      const auto begin = offset_ + i * plan_.chunk;
      const auto end = begin + length_of(i);
      const auto moved = begin + chunks_[i].moved;
      append(report->moved, {begin, moved});
      append(chunks_[i].unknown ? report->unknown : report->untouched, {moved, end});
    }
  }

 private:
  using slot = chunk_call<Command>;

  struct lane {
    std::shared_ptr<tree_state> tree;
    std::shared_ptr<connection_state> connection;
    bool lost = false;
  };

  struct progress {
    u32 moved = 0;        ///< bytes
    bool unknown = false; ///< sent, and not answered yet
  };

  [[nodiscard]] u64 size() const noexcept {
    return std::is_same_v<Command, read> ? into.size() : from.size();
  }

  [[nodiscard]] u32 length_of(std::size_t chunk) const noexcept {
    const auto at = static_cast<u64>(chunk) * plan_.chunk;
    return static_cast<u32>(std::min<u64>(plan_.chunk, size() - at));
  }

  /// What a lost lane had under way comes first.
  [[nodiscard]] std::optional<std::size_t> next_chunk() {
    if (!again_.empty()) {
      const auto out = again_.back();
      again_.pop_back();
      return out;
    }
    if (at_end_ || next_ == plan_.chunks) return std::nullopt;
    return next_++;
  }

  void start_next(slot& s) {
    if (failed || lanes_[s.lane].lost) return;
    const auto index = next_chunk();
    if (!index) return;
    const auto lane_index = s.lane;
    auto& way = lanes_[lane_index];
    s = slot{};
    s.lane = lane_index;
    s.busy = true;
    s.index = *index;
    fill_message(s);
    prepare<Command>(s, s.message, way.tree->options);
    s.resume = [this, &s] { finished(s); };
    ++active_;
    start(*way.connection, s, nanos{});
    if (s.done && s.resume) {
      s.resume = nullptr; // it never came to be sent
      finished(s);
    }
  }

  void fill_message(slot& s) {
    const auto at = s.index * plan_.chunk;
    const auto length = length_of(s.index);
    s.message.file = id_;
    s.message.offset = offset_ + at;
    if constexpr (std::is_same_v<Command, read>) {
      s.message.length = length;
      s.into = into.subspan(at, length);
      s.take = &take_data;
    } else {
      s.message.data = part(from.subspan(at, length));
      if (write_through) s.message.flags = write::flag_write_through;
      s.take = &take_count;
    }
  }

  /// `active_` still counts this slot while the next chunk starts: whatever ends in the meantime
  /// cannot wake the coroutine, which would take us away under our feet.
  void finished(slot& s) {
    auto& e = s.exchange;
    if (s.outcome == call_outcome::replied) {
      e.status = s.head.status;
      e.failed = is_failure(Command::number, e.status);
    }
    e.t.completed = wire::net::now();
    report(*lanes_[s.lane].connection, s);
    auto& part_done = chunks_[s.index];
    part_done.moved = s.moved;
    part_done.unknown = (part_done.unknown && s.outcome != call_outcome::replied) || is_unknown(s);
    if (overtaken(s)) {
      again_.push_back(s.index);
    } else if (is_lost(s) && lose(lanes_[s.lane])) {
      again_.push_back(s.index);
      for (auto& other : slots_)
        if (!other.busy) start_next(other);
    } else {
      note_problem(s);
      if (s.moved < length_of(s.index)) at_end_ = true;
    }
    s.busy = false;
    start_next(s);
    if (--active_ == 0)
      if (auto resume = std::exchange(resume_, nullptr)) resume();
  }

  [[nodiscard]] static bool is_lost(const slot& s) {
    return s.outcome == call_outcome::connection_lost && !s.cancelled &&
           (s.error.category() != category() || s.error == errc::connection_lost);
  }

  /// It was sent before a channel was lost, and is there behind what was sent later on another one:
  /// the server did not touch it.
  [[nodiscard]] bool overtaken(const slot& s) const {
    return !failed && s.outcome == call_outcome::replied && was_overtaken(s);
  }

  /// It was sent, and nobody will ever say what came of it.
  [[nodiscard]] static bool is_unknown(const slot& s) {
    return s.outcome != call_outcome::replied && wire::known(s.exchange.t.granted);
  }

  /// Whether another lane can do its work. The server is told of the loss (MS-SMB2 3.2.7.1): what
  /// the lost one still has under way for a WRITE cannot overtake the one that is sent again.
  bool lose(lane& way) {
    way.lost = true;
    const bool others = std::ranges::any_of(lanes_, [](const lane& one) { return !one.lost; });
    if (others) way.tree->session->note_lost();
    return others && !failed;
  }

  void note_problem(slot& s) {
    if (failed) return;
    failed = true;
    if (s.outcome != call_outcome::replied || s.cancelled || s.problem.code != wire::errc::ok)
      problem = failure(*lanes_[s.lane].connection, s);
    else if (s.exchange.failed)
      problem = status_error(Command::name, s.head.status);
    else
      failed = false;
  }

  static void cancel(void* self) {
    auto& w = *static_cast<window*>(self);
    w.at_end_ = true;
    w.again_.clear();
    for (auto& s : w.slots_)
      if (s.owner != nullptr && !s.done) s.owner->cancel(s);
  }

  std::vector<lane> lanes_;
  fileid id_;
  u64 offset_;
  plan plan_;
  std::vector<slot> slots_;
  std::vector<progress> chunks_;
  std::vector<std::size_t> again_; ///< chunks of lost lanes
  std::size_t next_ = 0;
  std::size_t active_ = 0;
  bool at_end_ = false; ///< a chunk came back short: nothing more is asked for
  std::move_only_function<void()> resume_;
};

} // namespace

awaitable<std::expected<u64, error>> read_window(transfer_lanes lanes, fileid id, u64 offset,
                                                 std::span<std::byte> into,
                                                 transfer_options options) {
  const auto how =
      make_plan(*lanes.front(), into.size(), lanes.front()->session->facts.max_read_size, options);
  window<read> transfer(lanes, id, offset, how);
  transfer.into = into;
  co_await transfer.run();
  transfer.fill(options.report);
  if (transfer.failed) co_return std::unexpected(std::move(transfer.problem));
  co_return transfer.contiguous();
}

awaitable<std::expected<void, error>> write_window(transfer_lanes lanes, fileid id, u64 offset,
                                                   bytes data, transfer_options options) {
  const auto how =
      make_plan(*lanes.front(), data.size(), lanes.front()->session->facts.max_write_size, options);
  window<write> transfer(lanes, id, offset, how);
  transfer.from = data;
  transfer.write_through = options.write_through;
  co_await transfer.run();
  transfer.fill(options.report);
  if (transfer.failed) co_return std::unexpected(std::move(transfer.problem));
  if (transfer.contiguous() != data.size()) {
    error e;
    e.code = errc::bad_response;
    e.text =
        fmt::format("WRITE: the server took {} of {} bytes", transfer.contiguous(), data.size());
    co_return std::unexpected(std::move(e));
  }
  co_return std::expected<void, error>{};
}

awaitable<bool> renewed(std::shared_ptr<session_state> session, error& problem, u32 seen) {
  if (problem.code != make_status_error(status::network_session_expired)) co_return false;
  auto done = co_await session->renewal->renew(seen);
  if (!done) problem = std::move(done.error());
  co_return done.has_value();
}

} // namespace smb2::detail
