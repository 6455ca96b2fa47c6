#include "smb2/client_core.hpp"
#include "smb2/commands.hpp"
#include "smb2/ntstatus.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

namespace {

using namespace smb2;

constexpr u64 session = 7;

/// Signs with zeros: the fuzzer finds that, as it would never find a real signature.
class zero_signer final : public message_signer {
 public:
  signature sign(std::span<const bytes>, const signing_input&) override { return {}; }
};

/// Seals by doing nothing, so that what is inside is the fuzzer's too.
class open_sealer final : public message_sealer {
 public:
  [[nodiscard]] bool used_up() const noexcept override { return false; }
  void seal(u64 session_id, std::span<const bytes> plain, std::span<std::byte> out) override {
    transform_header head;
    head.session_id = session_id;
    const auto raw = encode_buffer(head);
    auto at = std::ranges::copy(raw, out.begin()).out;
    for (const auto piece : plain)
      at = std::ranges::copy(piece, at).out;
  }
  [[nodiscard]] bool open(const transform_header& head, bytes frame,
                          std::span<std::byte> plain) override {
    if (head.tag != signature{}) return false;
    opened = true;
    std::ranges::copy(frame.subspan(transform_header::size), plain.begin());
    return true;
  }

  bool opened = false; ///< anything at all
};

enum protection : u8 { none, signed_call, sealed_call };

/// Calls of which the core must keep apart what is signed, sealed and neither.
class driven {
 public:
  driven() : core_({.calls_max = 16, .credits_target = 16}) {
    core_.allow_multi_credit();
    core_.open_sealed_with(session, sealer_);
    compression_agreement agreed;
    for (u16 i = 1; i <= 5; ++i)
      agreed.algorithms.push_back(static_cast<compression_algorithm>(i));
    agreed.chained = true;
    core_.take_compressed_as(std::move(agreed), 1 << 20);
    submit(none);
    answer_first();
    submit(none);
    submit(signed_call);
    submit(sealed_call);
    const std::array parts{request(signed_call), request(signed_call)};
    if (!core_.submit_compound(parts, nanos{0})) std::abort();
    calls_ += 2;
    send_all();
  }

  void feed(bytes data) {
    core_.receive(data, nanos{1});
    drain();
  }

  /// Each call has ended once, whatever the server sent.
  void finish() {
    core_.connection_lost(std::make_error_code(std::errc::connection_reset), nanos{2});
    drain();
    if (ended_ != calls_) std::abort();
  }

 private:
  call_request request(protection how) {
    call_request out;
    out.command = echo::number;
    out.session_id = session;
    out.body = &body_;
    out.encode = [](const void* body, wire::writer& to, std::size_t base) {
      encode(*static_cast<const echo::request*>(body), to, base);
    };
    if (how == signed_call) out.signer = signer_;
    if (how == sealed_call) out.sealer = sealer_;
    out.deadline = nanos{100};
    out.user = &kinds_[how];
    return out;
  }

  void submit(protection how) {
    if (!core_.submit(request(how), nanos{0})) std::abort();
    ++calls_;
    send_all();
  }

  void send_all() {
    while (const auto sent = core_.poll_transmit(nanos{0}))
      core_.transmitted(sent->id, nanos{0}, nanos{0}, nanos{0});
  }

  /// It brings the credits for the others.
  void answer_first() {
    header head;
    head.command = echo::number;
    head.flags = flags::server_to_redir;
    head.session_id = session;
    head.credits = 15;
    wire::writer out;
    out.be(static_cast<u32>(header_bytes + 4));
    encode_header(head, out);
    encode(echo::response{}, out, 0);
    const auto all = out.flatten();
    feed(all);
  }

  void drain() {
    while (const auto event = core_.poll_event()) {
      if (event->outcome == call_outcome::oplock_break) continue;
      ++ended_;
      if (event->outcome == call_outcome::replied) check(*event);
    }
  }

  /// Whoever asked for a signature or a seal gets nothing without.
  void check(const call_event& event) const {
    const auto how = *static_cast<const protection*>(event.user);
    const auto& head = event.head;
    if (event.message.size() < header_bytes || !head.response()) std::abort();
    const bool gone = head.status == status::user_session_deleted ||
                      head.status == status::network_session_expired;
    if (sealer_->opened) return;
    if (how == sealed_call) std::abort();
    if (how == signed_call && !gone && !head.is_signed()) std::abort();
  }

  std::array<protection, 3> kinds_{none, signed_call, sealed_call};
  std::shared_ptr<message_signer> signer_ = std::make_shared<zero_signer>();
  std::shared_ptr<open_sealer> sealer_ = std::make_shared<open_sealer>();
  echo::request body_;
  client_core core_;
  int calls_ = 0;
  int ended_ = 0;
};

} // namespace

/// The input is what a server sends; its first byte says in which pieces.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto input = std::as_bytes(std::span(data, size));
  driven core;
  if (input.empty()) return 0;
  const auto piece = std::to_integer<std::size_t>(input[0]) + 1;
  input = input.subspan(1);
  while (!input.empty()) {
    const auto n = std::min(piece, input.size());
    core.feed(input.first(n));
    input = input.subspan(n);
  }
  core.finish();
  return 0;
}
