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

u32 chunk_of(const tree_state& tree, u32 size_max, const transfer_options& options) {
  const auto& credits = tree.session->connection->credits();
  // Half of the window at most, so that there is always a second one on its way.
  const u64 affordable = u64{std::max(credits.total() / 2, 1u)} * bytes_per_credit;
  const u32 wanted = options.chunk_bytes == 0 ? chunk_bytes_default : options.chunk_bytes;
  return static_cast<u32>(std::min<u64>({wanted, size_max, affordable}));
}

plan make_plan(const tree_state& tree, u64 size, u32 size_max, const transfer_options& options) {
  const u32 window = options.window_bytes == 0 ? window_bytes_default : options.window_bytes;
  plan out;
  out.chunk = chunk_of(tree, size_max, options);
  out.chunks = static_cast<std::size_t>((size + out.chunk - 1) / out.chunk);
  out.slots = std::clamp<std::size_t>(window / out.chunk, 1, slots_max);
  out.slots = std::min(out.slots, out.chunks);
  return out;
}

/// One transfer under way: a slot takes the next chunk as soon as its last one is done. Lives in
/// the frame of the coroutine that waits for it.
template <class Command>
class window {
 public:
  window(tree_state& tree, fileid id, u64 offset, plan how)
      : tree_(&tree), connection_(tree.session->connection->state()), id_(id), offset_(offset),
        plan_(how), slots_(how.slots), moved_(how.chunks, 0) {}

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
    for (std::size_t i = 0; i < moved_.size(); ++i) {
      sum += moved_[i];
      if (moved_[i] < length_of(i)) break;
    }
    return sum;
  }

 private:
  using slot = chunk_call<Command>;

  [[nodiscard]] u64 size() const noexcept {
    return std::is_same_v<Command, read> ? into.size() : from.size();
  }

  [[nodiscard]] u32 length_of(std::size_t chunk) const noexcept {
    const auto at = static_cast<u64>(chunk) * plan_.chunk;
    return static_cast<u32>(std::min<u64>(plan_.chunk, size() - at));
  }

  void start_next(slot& s) {
    if (failed || at_end_ || next_ == plan_.chunks) return;
    s = slot{};
    s.index = next_++;
    const auto at = s.index * plan_.chunk;
    const auto length = length_of(s.index);
    s.message.file = id_;
    s.message.offset = offset_ + at;
    if constexpr (std::is_same_v<Command, read>) {
      s.message.length = length;
      if (!tree_->session->facts.compression.algorithms.empty())
        s.message.flags = read::flag_request_compressed;
      s.into = into.subspan(at, length);
      s.take = &take_data;
    } else {
      s.message.data = part(from.subspan(at, length));
      if (write_through) s.message.flags = write::flag_write_through;
      s.take = &take_count;
    }
    prepare<Command>(s, s.message, tree_->options);
    s.resume = [this, &s] { finished(s); };
    ++active_;
    start(*connection_, s, nanos{});
    if (s.done && s.resume) {
      s.resume = nullptr; // it never came to be sent
      finished(s);
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
    report(*connection_, s);
    moved_[s.index] = s.moved;
    note_problem(s);
    if (s.moved < length_of(s.index)) at_end_ = true;
    start_next(s);
    if (--active_ == 0)
      if (auto resume = std::exchange(resume_, nullptr)) resume();
  }

  void note_problem(slot& s) {
    if (failed) return;
    failed = true;
    if (s.outcome != call_outcome::replied || s.cancelled || s.problem.code != wire::errc::ok)
      problem = failure(*connection_, s);
    else if (s.exchange.failed)
      problem = status_error(Command::name, s.head.status);
    else
      failed = false;
  }

  static void cancel(void* self) {
    auto& w = *static_cast<window*>(self);
    w.at_end_ = true;
    for (auto& s : w.slots_)
      if (s.owner != nullptr && !s.done) s.owner->cancel(s);
  }

  tree_state* tree_;
  std::shared_ptr<connection_state> connection_;
  fileid id_;
  u64 offset_;
  plan plan_;
  std::vector<slot> slots_;
  std::vector<u32> moved_;
  std::size_t next_ = 0;
  std::size_t active_ = 0;
  bool at_end_ = false; ///< a chunk came back short: nothing more is asked for
  std::move_only_function<void()> resume_;
};

} // namespace

awaitable<std::expected<u64, error>> read_window(std::shared_ptr<tree_state> tree, fileid id,
                                                 u64 offset, std::span<std::byte> into,
                                                 transfer_options options) {
  const auto how = make_plan(*tree, into.size(), tree->session->facts.max_read_size, options);
  window<read> transfer(*tree, id, offset, how);
  transfer.into = into;
  co_await transfer.run();
  if (transfer.failed) co_return std::unexpected(std::move(transfer.problem));
  co_return transfer.contiguous();
}

awaitable<std::expected<void, error>> write_window(std::shared_ptr<tree_state> tree, fileid id,
                                                   u64 offset, bytes data,
                                                   transfer_options options) {
  const auto how = make_plan(*tree, data.size(), tree->session->facts.max_write_size, options);
  window<write> transfer(*tree, id, offset, how);
  transfer.from = data;
  transfer.write_through = options.write_through;
  co_await transfer.run();
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

} // namespace smb2::detail
