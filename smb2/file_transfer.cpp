#include "smb2/file_transfer.hpp"

#include "smb2/connection_state.hpp"
#include "wire/net/waiter.hpp"

#include <fmt/format.h>

#include <cstring>
#include <functional>
#include <limits>
#include <memory>

namespace smb2::detail {

namespace {

/// Medium chunks in a wide window keep the line busy without holding up what comes between.
constexpr u32 chunk_bytes_default = 1u << 20;
/// What is sealed or signed is touched twice: shorter chunks stay in the caches meanwhile.
constexpr u32 secured_chunk_bytes_default = 1u << 19;
constexpr u32 window_bytes_default = 16u << 20;
constexpr std::size_t slots_max = 64;

/// A READ or WRITE of one chunk.
template <class Command>
struct chunk_call : pending_call {
  typename Command::request message;
  std::size_t index = 0;
  std::size_t lane = 0;
  bool busy = false;
  u32 moved = 0;        ///< bytes
  bool arrived = false; ///< of a stream: it waits for those before it
};

/// Copies the data to where it is wanted, unless it was put there from the socket.
void take_data(pending_call& call, bytes message) {
  auto& self = static_cast<chunk_call<read>&>(call);
  if (!carries_response(read::number, call.head.status)) return;
  const auto got = decode_prefix<read::response>(message, message.size() + call.placed_bytes);
  // What stands elsewhere is not in the message, which therefore ends too early.
  const auto cut = call.placed_bytes > 0 && got.message.data.length == call.placed_bytes;
  if (got.error.code != (cut ? wire::errc::truncated : wire::errc::ok)) {
    call.problem = got.error;
    return;
  }
  const auto data = got.message.data;
  const auto into = call.request.into;
  if (data.length > into.size()) {
    call.problem = {wire::errc::over_limit, header_bytes, read::response::title};
    return;
  }
  // std::ranges::copy goes byte by byte here (GCC 12).
  if (call.placed_bytes == 0 && data.length > 0)
    std::memcpy(into.data(), data.data.data(), data.length);
  self.moved = data.length;
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
  u64 size = 0;
  u32 chunk = 0;
  std::size_t chunks = 0;
  std::size_t slots = 0;
};

u32 chunk_of(const tree_state& tree, u32 size_max, const transfer_options& options) {
  const auto& credits = tree.session->connection->credits();
  // Half of the window at most, so that there is always a second one on its way.
  const u64 affordable = u64{std::max(credits.total() / 2, 1u)} * bytes_per_credit;
  const bool secured = tree.options.sealer || tree.options.signer;
  const u32 usual = secured ? secured_chunk_bytes_default : chunk_bytes_default;
  const u32 wanted = options.chunk_bytes == 0 ? usual : options.chunk_bytes;
  return static_cast<u32>(std::min<u64>({wanted, size_max, affordable}));
}

plan make_plan(const tree_state& tree, u64 size, u32 size_max, const transfer_options& options) {
  const u32 window = options.window_bytes == 0 ? window_bytes_default : options.window_bytes;
  plan out;
  out.chunk = chunk_of(tree, size_max, options);
  out.chunks = static_cast<std::size_t>((size + out.chunk - 1) / out.chunk);
  out.slots = std::clamp<std::size_t>(window / out.chunk, 1, slots_max);
  out.slots = std::min(out.slots, out.chunks);
  out.size = size;
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
  chunk_taker take;          ///< of a streamed read: instead of `into`; one lane
  chunk_filler fill;         ///< of a streamed write: instead of `from`; one lane
  bool write_through = false;
  error problem; ///< of the first chunk that failed
  bool failed = false;

  awaitable<void> run() {
    if (take || fill)
      ring_ = std::make_unique_for_overwrite<std::byte[]>(slots_.size() * plan_.chunk);
    for (auto& s : slots_)
      start_next(s);
    if (active_ > 0) co_await wire::net::suspend(resume_, &cancel, this);
  }

  /// Bytes moved from the start without a hole; of a streamed read, those that were taken.
  [[nodiscard]] u64 contiguous() const noexcept {
    u64 sum = 0;
    const auto end = take ? taken_ : chunks_.size();
    for (std::size_t i = 0; i < end; ++i) {
      sum += chunks_[i].moved;
      if (chunks_[i].moved < length_of(i)) break;
    }
    return sum;
  }

  void tell(transfer_report* report) const {
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

  [[nodiscard]] u32 length_of(std::size_t chunk) const noexcept {
    const auto at = static_cast<u64>(chunk) * plan_.chunk;
    return static_cast<u32>(std::min<u64>(plan_.chunk, plan_.size - at));
  }

  /// The part of the ring that is the slot's.
  [[nodiscard]] std::span<std::byte> room_of(const slot& s) const noexcept {
    return {ring_.get() + static_cast<std::size_t>(&s - slots_.data()) * plan_.chunk, plan_.chunk};
  }

  [[nodiscard]] std::span<std::byte> place_of(const slot& s) const noexcept {
    const auto length = length_of(s.index);
    return ring_ ? room_of(s).first(length) : into.subspan(s.index * plan_.chunk, length);
  }

  /// What a slot shall write; less than a chunk only at the end.
  [[nodiscard]] bytes data_of(const slot& s) {
    const auto length = length_of(s.index);
    if (!fill) return from.subspan(s.index * plan_.chunk, length);
    const auto room = room_of(s).first(length);
    const auto filled = fill(room);
    if (filled < length) at_end_ = true;
    return room.first(std::min<std::size_t>(filled, length));
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
    if (!fill_message(s)) {
      s.busy = false;
      return;
    }
    prepare<Command>(s, s.message, way.tree->options);
    if constexpr (std::is_same_v<Command, read>) s.request.into = place_of(s);
    s.resume = [this, &s] { finished(s); };
    ++active_;
    start(*way.connection, s, nanos{});
    if (s.done && s.resume) {
      s.resume = nullptr; // it never came to be sent
      finished(s);
    }
  }

  /// False: a stream has nothing more to write.
  [[nodiscard]] bool fill_message(slot& s) {
    s.message.file = id_;
    s.message.offset = offset_ + u64{s.index} * plan_.chunk;
    if constexpr (std::is_same_v<Command, read>) {
      s.message.length = length_of(s.index);
      if (!lanes_[s.lane].tree->session->facts.compression.algorithms.empty())
        s.message.flags = read::flag_request_compressed;
      s.take = &take_data;
    } else {
      s.message.data = part(data_of(s));
      if (s.message.data.length == 0) return false;
      if (write_through) s.message.flags = write::flag_write_through;
      s.take = &take_count;
    }
    return true;
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
    if (!ring_ && overtaken(s)) {
      again_.push_back(s.index);
    } else if (!ring_ && is_lost(s) && lose(lanes_[s.lane])) {
      again_.push_back(s.index);
      for (auto& other : slots_)
        if (!other.busy) start_next(other);
    } else {
      note_problem(s);
      if (s.moved < length_of(s.index)) at_end_ = true;
    }
    s.busy = false;
    if (take)
      hand_over(s);
    else
      start_next(s);
    if (--active_ == 0)
      if (auto resume = std::exchange(resume_, nullptr)) resume();
  }

  /// The chunks go to `take` in order. A slot goes on when its chunk is taken, so each has every
  /// n-th of them.
  void hand_over(slot& last) {
    last.arrived = !failed;
    for (;;) {
      auto& s = slots_[taken_ % slots_.size()];
      if (!s.arrived || s.index != taken_ || done_taking_) return;
      s.arrived = false;
      ++taken_;
      const bool wanted = take(bytes(room_of(s).first(s.moved)));
      if (s.moved < length_of(s.index)) done_taking_ = true;
      if (!wanted) done_taking_ = at_end_ = true;
      start_next(s);
    }
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
  std::size_t taken_ = 0; ///< chunks
  bool done_taking_ = false;
  bool at_end_ = false;               ///< a chunk came back short: nothing more is asked for
  std::unique_ptr<std::byte[]> ring_; ///< of a stream: a chunk for each slot
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
  transfer.tell(options.report);
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
  transfer.tell(options.report);
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

u64 read_max(const tree_state& tree, const transfer_options& options) {
  return chunk_of(tree, tree.session->facts.max_read_size, options);
}

u64 write_max(const tree_state& tree, const transfer_options& options) {
  return chunk_of(tree, tree.session->facts.max_write_size, options);
}

awaitable<std::expected<u64, error>> read_streamed(std::shared_ptr<tree_state> tree, fileid id,
                                                   u64 offset, u64 size, chunk_taker take,
                                                   transfer_options options) {
  const auto how = make_plan(*tree, size, tree->session->facts.max_read_size, options);
  window<read> transfer({tree}, id, offset, how);
  transfer.take = std::move(take);
  co_await transfer.run();
  transfer.tell(options.report);
  if (transfer.failed) co_return std::unexpected(std::move(transfer.problem));
  co_return transfer.contiguous();
}

awaitable<std::expected<u64, error>> write_streamed(std::shared_ptr<tree_state> tree, fileid id,
                                                    u64 offset, u64 size, chunk_filler fill,
                                                    transfer_options options) {
  const auto how = make_plan(*tree, size, tree->session->facts.max_write_size, options);
  window<write> transfer({tree}, id, offset, how);
  transfer.fill = std::move(fill);
  transfer.write_through = options.write_through;
  co_await transfer.run();
  transfer.tell(options.report);
  if (transfer.failed) co_return std::unexpected(std::move(transfer.problem));
  co_return transfer.contiguous();
}

awaitable<bool> renewed(std::shared_ptr<session_state> session, error& problem, u32 seen) {
  if (problem.code != make_status_error(status::network_session_expired)) co_return false;
  auto done = co_await session->renewal->renew(seen);
  if (!done) problem = std::move(done.error());
  co_return done.has_value();
}

} // namespace smb2::detail
