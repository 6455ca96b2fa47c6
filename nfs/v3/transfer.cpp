#include "nfs/v3/client.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

/// Pipelined READ and WRITE: a few workers take the next piece each until none is left.
namespace nfs::v3 {

namespace {

constexpr u32 window_max = 1024;
constexpr u32 resends_max = 3; ///< a server that restarts more often in one file is broken
constexpr u32 empty_writes_max = 3;

/// What the workers of one transfer share; lives in the coroutine that waits for them.
struct transfer {
  client* owner = nullptr;
  file_handle file;
  u64 offset = 0; ///< in the file, of the first byte
  u64 size = 0;
  u64 next = 0; ///< start of the piece that nobody has taken
  u32 piece_bytes = 0;
  std::optional<error> failure;

  unsigned running = 0;
  wire::net::signal all_done;

  [[nodiscard]] bool take(u64& start, u32& count) noexcept {
    if (failure || next >= size) return false;
    start = next;
    count = static_cast<u32>(std::min<u64>(size - next, piece_bytes));
    next += count;
    return true;
  }

  void fail(error e) {
    if (!failure) failure = std::move(e);
  }
};

template <class T, class Worker>
awaitable<void> run_workers(T& shared, Worker worker, u32 window) {
  const auto pieces = (shared.size + shared.piece_bytes - 1) / shared.piece_bytes;
  const auto workers = std::min<u64>({pieces, std::max(window, 1u), window_max});
  if (workers <= 1) {
    co_await worker(shared);
    co_return;
  }
  auto executor = co_await asio::this_coro::executor;
  shared.running = static_cast<unsigned>(workers);
  shared.all_done.reset();
  for (u64 i = 0; i < workers; ++i) {
    auto* counted = &shared;
    asio::co_spawn(executor, worker(shared), [counted](std::exception_ptr e) {
      if (e) counted->fail({rpc::errc::cancelled, "the transfer was interrupted"});
      if (--counted->running == 0) counted->all_done.notify();
    });
  }
  co_await shared.all_done.wait();
}

error broken(const client& c, std::string_view operation, std::string_view what);

struct read_transfer : transfer {
  std::span<std::byte> into;
  u64 end = 0; ///< of the file, from `offset`, once eof was seen
  bool eof = false;
};

/// Reads one piece to its end; servers may give less than was asked for.
awaitable<void> read_piece(read_transfer& t, u64 start, u32 count) {
  u32 have = 0;
  while (have < count && !t.failure) {
    read::args args;
    args.file = t.file;
    args.offset = t.offset + start + have;
    args.count = count - have;
    auto r = co_await t.owner->call_ok<read>(args);
    if (!r) {
      t.fail(std::move(r.error()));
      co_return;
    }
    const auto& got = r->message;
    if (got.data.size() != got.count || got.count > args.count || (got.count == 0 && !got.eof)) {
      t.fail(broken(*t.owner, "READ", "its counts do not agree"));
      co_return;
    }
    // std::ranges::copy goes byte by byte here (GCC 12).
    if (!got.data.empty())
      std::memcpy(t.into.data() + start + have, got.data.data(), got.data.size());
    have += got.count;
    if (got.eof) {
      t.end = t.eof ? std::min(t.end, start + have) : start + have;
      t.eof = true;
      co_return;
    }
  }
}

awaitable<void> read_worker(read_transfer& t) {
  u64 start = 0;
  u32 count = 0;
  while (!(t.eof && t.next >= t.end) && t.take(start, count))
    co_await read_piece(t, start, count);
}

struct write_transfer : transfer {
  bytes data;
  stable_how stable = stable_how::unstable;
  bool all_committed = true; ///< every reply said so
  bool verf_known = false;
  bool verf_changed = false;
  writeverf3 verf{};
  u32 writes = 0;

  void note(const write::reply& r) noexcept {
    ++writes;
    const auto enough =
        stable == stable_how::file_sync ? stable_how::file_sync : stable_how::data_sync;
    if (r.committed >= enough) return;
    all_committed = false;
    if (verf_known && verf != r.verf) verf_changed = true;
    verf = r.verf;
    verf_known = true;
  }
};

awaitable<void> write_piece(write_transfer& t, u64 start, u32 count) {
  u32 have = 0;
  u32 empty = 0;
  while (have < count && !t.failure) {
    write::args args;
    args.file = t.file;
    args.offset = t.offset + start + have;
    args.count = count - have;
    args.stable = t.stable;
    args.data = t.data.subspan(static_cast<std::size_t>(start + have), args.count);
    auto r = co_await t.owner->call_ok<write>(args);
    if (!r) {
      t.fail(std::move(r.error()));
      co_return;
    }
    const auto taken = r->message.count;
    empty = taken == 0 ? empty + 1 : 0;
    if (taken > args.count || empty == empty_writes_max) {
      t.fail(
          broken(*t.owner, "WRITE", taken == 0 ? "it takes no data" : "it took more than it got"));
      co_return;
    }
    t.note(r->message);
    have += taken;
  }
}

awaitable<void> write_worker(write_transfer& t) {
  u64 start = 0;
  u32 count = 0;
  while (t.take(start, count))
    co_await write_piece(t, start, count);
}

error broken(const client& c, std::string_view operation, std::string_view what) {
  error e;
  e.code = rpc::errc::bad_reply;
  e.text = fmt::format("{} on {}: the server's reply makes no sense, {}", operation,
                       c.connection().server(), what);
  return e;
}

} // namespace

result<read_result> client::read_file(file_handle file, std::span<std::byte> into, u64 offset,
                                      read_options options) {
  read_transfer t;
  t.owner = this;
  t.file = file;
  t.offset = offset;
  t.size = into.size();
  t.piece_bytes = limits_.rsize;
  t.into = into;
  if (t.size > 0) co_await run_workers(t, read_worker, options.window);
  if (t.failure) co_return std::unexpected(std::move(*t.failure));
  read_result out;
  out.bytes = t.eof ? t.end : t.size;
  out.eof = t.eof;
  co_return out;
}

result<write_result> client::write_file(file_handle file, bytes data, u64 offset,
                                        write_options options) {
  write_result out;
  out.bytes = data.size();
  while (!data.empty()) {
    write_transfer t;
    t.owner = this;
    t.file = file;
    t.offset = offset;
    t.size = data.size();
    t.piece_bytes = limits_.wsize;
    t.data = data;
    t.stable = options.stable.value_or(data.size() <= limits_.wsize ? stable_how::file_sync
                                                                    : stable_how::unstable);
    co_await run_workers(t, write_worker, options.window);
    if (t.failure) co_return std::unexpected(std::move(*t.failure));
    out.writes += t.writes;
    bool lost = t.verf_changed;
    if (!lost && (t.all_committed || !options.commit)) break;
    if (!lost) {
      const auto count = data.size() > 0xffffffffu ? u32{0} : static_cast<u32>(data.size());
      auto verf = co_await commit(file, count == 0 ? 0 : offset, count);
      if (!verf) co_return std::unexpected(std::move(verf.error()));
      ++out.commits;
      lost = *verf != t.verf;
      if (!lost) break;
    }
    if (++out.resends > resends_max)
      co_return std::unexpected(broken(*this, "COMMIT", "its write verifier changes each time"));
  }
  co_return out;
}

} // namespace nfs::v3
