#pragma once

#include "wire/bytes.hpp"

#include <algorithm>
#include <array>
#include <concepts>
#include <optional>
#include <vector>

namespace wire {

/// What a 4-byte prefix of a stream says of the piece behind it.
struct frame_prefix {
  u32 length = 0;    ///< bytes behind the prefix
  bool last = true;  ///< the piece ends a frame (RPC records have several pieces)
  bool valid = true; ///< the prefix can stand there at all
};

/// How a protocol cuts its stream: RFC 5531 section 11 (record marking), MS-SMB2 2.1 (direct TCP).
template <class P>
concept framing = requires(u32 prefix) {
  { P::parse(prefix) } -> std::same_as<frame_prefix>;
  { P::frame_bytes_max } -> std::convertible_to<u64>;
};

/// One whole message of a stream, without its prefixes.
struct frame {
  bytes data;            ///< its first bytes: all of them, or as many as were seen and are kept
  u64 length = 0;        ///< its length on the wire
  u64 prefix_bytes = 0;  ///< bytes that its prefixes took
  u64 missing_bytes = 0; ///< how many of `length` were never seen (a gap or the snap length)
  stamp first;           ///< its earliest byte, prefix included
  stamp last;            ///< its latest byte

  [[nodiscard]] bool whole() const noexcept { return data.size() == length; }
};

/// Cuts a stream into frames; the same one serves our clients (feed) and the profiler (feed, gap).
/// Call order: feed(), then next() until it is empty, then feed() or gap() again. A frame that lies
/// in one fed chunk is not copied; of others the first `keep_bytes` are, or fewer: as many as
/// `keep(start)` says, which is asked once the first `keep_asks_bytes` are there.
/// A gap inside a frame is skipped by the frame's length. A gap over a prefix, or a prefix that
/// cannot be, puts the framer out of step: it then drops bytes until `resync(candidate)` says yes
/// for bytes that start a frame, or for ever when there is no such function. It is asked again for
/// the last bytes of a chunk when the next one has come.
/// · lifetime: a frame's data lives until the next call of next(), feed() or gap().
template <framing Policy>
class framer {
 public:
  explicit framer(std::size_t keep_bytes) : keep_bytes_(keep_bytes) {}

  /// `data` may be shorter than `wire_length` when the capture was cut; the rest counts as missing.
  void feed(bytes data, u64 wire_length, stamp at) {
    chunk_ = data;
    cut_ = wire_length - std::min<u64>(wire_length, data.size());
    at_ = at;
    in_gap_ = false;
  }

  void feed(bytes data, stamp at) { feed(data, data.size(), at); }

  /// Behind the headers of RPC and of SMB2.
  static constexpr std::size_t keep_asks_bytes = 64;

  /// The next complete frame, if there is one. `resync` is asked only out of step, `keep` only of
  /// frames that do not lie in one chunk.
  template <class Resync, class Keep>
  [[nodiscard]] std::optional<frame> next(Resync&& resync, Keep&& keep) {
    if (!started_ && kept_.capacity() > kept_idle_max) std::vector<std::byte>().swap(kept_);
    while (true) {
      if (!in_step_ && !find_step(resync, keep)) return std::nullopt;
      if (auto whole = take_whole()) return whole;
      if (done_) return finish();
      if (!advance(keep)) return std::nullopt;
    }
  }

  template <class Resync>
  [[nodiscard]] std::optional<frame> next(Resync&& resync) {
    return next(resync, [this](bytes) { return keep_bytes_; });
  }

  [[nodiscard]] std::optional<frame> next() {
    return next([](bytes) { return false; });
  }

  /// `n` bytes of the stream were never seen, which became known at `at`: the time says something
  /// of a frame only when it ends inside them. Such a frame is given by next().
  void gap(u64 n, stamp at) {
    chunk_ = {};
    cut_ = n;
    at_ = at;
    in_gap_ = true;
  }

  /// The stream is joined in the middle: the next byte need not start a frame.
  void join() noexcept { lose_step(); }

  [[nodiscard]] bool in_step() const noexcept { return in_step_; }
  [[nodiscard]] bool in_frame() const noexcept { return started_; }
  /// Bytes dropped out of step, missing ones included.
  [[nodiscard]] u64 dropped_bytes() const noexcept { return dropped_bytes_; }
  /// How often the step was lost.
  [[nodiscard]] u64 lost_steps() const noexcept { return lost_steps_; }
  /// Bytes of memory held for the frame that is being put together.
  [[nodiscard]] std::size_t kept_bytes() const noexcept { return kept_.capacity(); }

 private:
  static constexpr std::size_t prefix_size = 4;
  /// What is held between frames: there may be thousands of streams, and most are quiet.
  static constexpr std::size_t kept_idle_max = 256;

  /// The fast path: prefix and payload lie in the chunk.
  std::optional<frame> take_whole() {
    if (started_ || chunk_.size() < prefix_size) return std::nullopt;
    const auto prefix = Policy::parse(load_be<u32>(chunk_.data()));
    if (!prefix.valid || !prefix.last || prefix.length > Policy::frame_bytes_max ||
        chunk_.size() - prefix_size < prefix.length)
      return std::nullopt;
    frame out{.data = chunk_.subspan(prefix_size, prefix.length),
              .length = prefix.length,
              .prefix_bytes = prefix_size,
              .missing_bytes = 0,
              .first = at_,
              .last = at_};
    chunk_ = chunk_.subspan(prefix_size + prefix.length);
    return out;
  }

  /// Takes what the chunk has for the frame under way; false when the chunk is used up.
  template <class Keep>
  bool advance(Keep& keep) {
    if (chunk_.empty() && cut_ == 0) return false;
    if (!started_) start();
    if (piece_left_ == 0 && !piece_last_) return take_prefix();
    take_payload(keep);
    if (piece_left_ == 0 && piece_last_) done_ = true;
    return true;
  }

  void start() {
    started_ = true;
    kept_.clear();
    kept_open_ = true;
    keep_limit_ = keep_asks_bytes;
    keep_asked_ = false;
    current_ = {};
    current_.first = current_.last = at_;
    prefix_have_ = 0;
    piece_left_ = 0;
    piece_last_ = false;
  }

  bool take_prefix() {
    const auto n = std::min(prefix_size - prefix_have_, chunk_.size());
    std::copy_n(chunk_.begin(), n, prefix_.begin() + static_cast<std::ptrdiff_t>(prefix_have_));
    chunk_ = chunk_.subspan(n);
    prefix_have_ += n;
    touch();
    if (prefix_have_ < prefix_size) {
      if (cut_ > 0) lose_step();
      return cut_ > 0;
    }
    prefix_have_ = 0;
    current_.prefix_bytes += prefix_size;
    const auto prefix = Policy::parse(load_be<u32>(prefix_.data()));
    if (!prefix.valid || prefix.length > Policy::frame_bytes_max ||
        current_.length > Policy::frame_bytes_max - prefix.length) {
      lose_step();
      return true;
    }
    current_.length += prefix.length;
    piece_left_ = prefix.length;
    piece_last_ = prefix.last;
    done_ = piece_left_ == 0 && piece_last_;
    return true;
  }

  template <class Keep>
  void take_payload(Keep& keep) {
    touch();
    const auto n = static_cast<std::size_t>(std::min<u64>(piece_left_, chunk_.size()));
    if (kept_open_) keep_of(chunk_.first(n), keep);
    chunk_ = chunk_.subspan(n);
    piece_left_ -= n;
    if (chunk_.empty() && piece_left_ > 0 && cut_ > 0) {
      const auto missing = std::min(piece_left_, cut_);
      cut_ -= missing;
      piece_left_ -= missing;
      current_.missing_bytes += missing;
      kept_open_ = false;
    }
  }

  template <class Keep>
  void keep_of(bytes part, Keep& keep) {
    if (!keep_asked_) {
      part = part.subspan(append(part));
      if (kept_.size() < keep_limit_) return;
      keep_asked_ = true;
      keep_limit_ = std::min<std::size_t>(keep_bytes_, keep(bytes(kept_)));
    }
    append(part);
  }

  /// As far as the limit allows.
  std::size_t append(bytes part) {
    const auto limit = std::min(keep_limit_, keep_bytes_);
    const auto n = std::min(part.size(), limit - std::min(limit, kept_.size()));
    if (n > 0) kept_.insert(kept_.end(), part.data(), part.data() + n);
    return n;
  }

  /// Out-of-order segments are delivered late: the frame spans the earliest to the latest byte.
  void touch() {
    if (in_gap_) return;
    if (at_.time < current_.first.time) current_.first = at_;
    if (at_.time >= current_.last.time) current_.last = at_;
  }

  frame finish() {
    started_ = done_ = false;
    if (in_gap_ && at_.time >= current_.last.time) current_.last = at_;
    current_.data = kept_;
    return current_;
  }

  void lose_step() {
    if (in_step_) ++lost_steps_;
    in_step_ = started_ = done_ = false;
    prefix_have_ = 0;
    kept_.clear();
    tail_.clear();
  }

  template <class Resync, class Keep>
  bool find_step(Resync& resync, Keep& keep) {
    if (!tail_.empty() && !chunk_.empty() && find_in_tail(resync, keep)) return true;
    for (std::size_t i = 0; i < chunk_.size(); ++i) {
      if (!resync(chunk_.subspan(i))) continue;
      dropped_bytes_ += i;
      chunk_ = chunk_.subspan(i);
      tail_.clear();
      in_step_ = true;
      return true;
    }
    dropped_bytes_ += chunk_.size() + cut_;
    keep_tail();
    chunk_ = {};
    cut_ = 0;
    return false;
  }

  /// A frame that starts in the chunks before, where too little of it stood to tell.
  template <class Resync, class Keep>
  bool find_in_tail(Resync& resync, Keep& keep) {
    kept_.clear();
    for (const auto& b : tail_)
      kept_.push_back(b.value);
    const auto more = std::min(chunk_.size(), tail_looks_ahead);
    kept_.insert(kept_.end(), chunk_.begin(), chunk_.begin() + static_cast<std::ptrdiff_t>(more));
    for (std::size_t i = 0; i < tail_.size(); ++i) {
      const auto candidate = bytes(kept_).subspan(i);
      if (candidate.size() < prefix_size) return false;
      const u64 length = Policy::parse(load_be<u32>(candidate.data())).length;
      if (prefix_size + length <= tail_.size() - i || !resync(candidate)) continue;
      dropped_bytes_ -= tail_.size() - i;
      in_step_ = true;
      take_tail(i, keep);
      return true;
    }
    return false;
  }

  /// The first piece reaches from here into the chunk.
  template <class Keep>
  void take_tail(std::size_t from, Keep& keep) {
    const auto chunk = chunk_;
    const auto cut = cut_;
    const auto at = at_;
    cut_ = 0;
    for (auto i = from; i < tail_.size(); ++i) {
      at_ = tail_[i].at;
      for (chunk_ = bytes(&tail_[i].value, 1); !chunk_.empty();)
        advance(keep);
    }
    tail_.clear();
    chunk_ = chunk;
    cut_ = cut;
    at_ = at;
  }

  void keep_tail() {
    if (cut_ > 0) return tail_.clear();
    const auto fresh = chunk_.last(std::min(chunk_.size(), tail_bytes_max));
    const auto room = tail_bytes_max - fresh.size();
    if (tail_.size() > room)
      tail_.erase(tail_.begin(), tail_.end() - static_cast<std::ptrdiff_t>(room));
    for (const auto b : fresh)
      tail_.push_back({b, at_});
  }

  /// Enough of a message to know it by, less one.
  static constexpr std::size_t tail_bytes_max = 35;
  static constexpr std::size_t tail_looks_ahead = 1024;

  struct tail_byte {
    std::byte value;
    stamp at;
  };

  std::size_t keep_bytes_;
  bytes chunk_;
  u64 cut_ = 0; ///< bytes behind the chunk that were on the wire and are not in it
  stamp at_;
  bool in_gap_ = false;

  bool in_step_ = true;
  bool started_ = false;
  bool done_ = false;
  bool keep_asked_ = false;
  std::size_t keep_limit_ = 0; ///< of the present frame
  bool kept_open_ = true;      ///< false behind the first missing byte: what is kept stays a prefix
  bool piece_last_ = false;
  u64 piece_left_ = 0;
  std::array<std::byte, prefix_size> prefix_{};
  std::size_t prefix_have_ = 0;
  frame current_;
  std::vector<std::byte> kept_;
  std::vector<tail_byte> tail_; ///< out of step: the last bytes that came

  u64 dropped_bytes_ = 0;
  u64 lost_steps_ = 0;
};

} // namespace wire
