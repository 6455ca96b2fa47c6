#pragma once

#include "smb2/client_core.hpp"
#include "smb2/commands.hpp"
#include "smb2/ntstatus.hpp"
#include "smb2/signing.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <vector>

/// A core without a socket: what it sends is taken, what a server would answer is fed, and time is
/// a number that the test moves.
namespace smb2::script {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// No cryptography, but it sees every bit: a rotating sum over all bytes and the nonce's inputs.
class sum_signer final : public message_signer {
 public:
  explicit sum_signer(u8 key) : key_(key) {}
  signature sign(std::span<const bytes> segments, const signing_input& input) override {
    u64 sum = key_ + input.message_id * 3 + (input.from_server ? 5 : 0) + (input.cancel ? 7 : 0);
    for (const auto segment : segments)
      for (const auto b : segment)
        sum = (sum << 7 | sum >> 57) ^ std::to_integer<u64>(b);
    signature out{};
    wire::store_le(out.data(), sum);
    wire::store_le(out.data() + 8, ~sum);
    return out;
  }

 private:
  u8 key_;
};

/// Remembers what it hashed.
class recording_hash final : public preauth_hash {
 public:
  std::vector<std::vector<std::byte>> messages;
  void update(std::span<const bytes> segments) override {
    auto& all = messages.emplace_back();
    for (const auto part : segments)
      all.insert(all.end(), part.begin(), part.end());
  }
};

/// A request as it went out, without its prefix.
struct sent_message {
  std::vector<std::byte> data;
  header head; ///< of its first message
  u64 id = 0;
  std::array<std::byte, 16> nonce{}; ///< of a sealed one
};

/// What a server answers.
struct answer {
  u16 command = echo::number;
  u64 message_id = 0;
  u32 status = status::success;
  u16 credits = 1;
  u64 async_id = 0; ///< not 0: the asynchronous form
  u64 session_id = 0;
  u32 more_flags = 0;
  message_signer* signer = nullptr;
  std::vector<std::byte> body{};

  [[nodiscard]] std::vector<std::byte> message() const {
    header h;
    h.status = status;
    h.command = command;
    h.credits = credits;
    h.flags = flags::server_to_redir | more_flags | (signer ? flags::is_signed : 0) |
              (async_id != 0 ? flags::async_command : 0);
    h.message_id = message_id;
    h.async_id = async_id;
    h.session_id = session_id;
    wire::writer out;
    encode_header(h, out);
    if (!body.empty())
      out.put(body);
    else if (carries_response(command, status))
      encode(echo::response{}, out, 0);
    else
      encode(error_response{}, out, 0);
    auto all = out.flatten();
    if (signer != nullptr) {
      const bytes whole = all;
      const auto s = signer->sign(std::span(&whole, 1),
                                  {.message_id = message_id, .from_server = true, .cancel = false});
      std::ranges::copy(s, all.begin() + signature_offset);
    }
    return all;
  }
};

inline std::vector<std::byte> framed(bytes message) {
  wire::writer out;
  out.be(static_cast<u32>(message.size()));
  out.put(message);
  return out.flatten();
}

class session_script {
 public:
  explicit session_script(client_options options = {.credits_target = 10}) : core(options) {}

  client_core core;
  nanos now = seconds(1000);
  std::shared_ptr<message_signer> signer;
  std::shared_ptr<message_sealer> sealer;
  message_sealer* server_sealer = nullptr; ///< opens what take() takes
  u64 session_id = 0;
  preauth_hash* preauth = nullptr;
  std::vector<call_event> events;

  /// Submits a call; `user` comes back with its event.
  template <class Command>
  std::optional<u64> submit(const typename Command::request& m, u64 user = 0,
                            nanos timeout = seconds(60)) {
    return core.submit(request_of<Command>(m, user, timeout), now);
  }

  template <class Command>
  [[nodiscard]] call_request request_of(const typename Command::request& m, u64 user,
                                        nanos timeout = seconds(60)) {
    call_request request;
    request.session_id = session_id;
    request.command = Command::number;
    if constexpr (requires { Command::credit_bytes(m); })
      request.credit_bytes = Command::credit_bytes(m);
    request.body = &m;
    request.encode = [](const void* body, wire::writer& out, std::size_t base) {
      encode(*static_cast<const typename Command::request*>(body), out, base);
    };
    request.signer = signer;
    request.sealer = sealer;
    request.preauth = preauth;
    request.deadline = now + timeout;
    request.user = reinterpret_cast<void*>(user);
    return request;
  }

  /// Takes one message if there is one to be sent; it is sent at once.
  std::optional<sent_message> take() {
    auto out = begin_sending();
    if (out) core.transmitted(out->id, now, now, now);
    return out;
  }

  /// Takes one message, which then is on its way until end_sending().
  std::optional<sent_message> begin_sending() {
    const auto transmission = core.poll_transmit(now);
    if (!transmission) return std::nullopt;
    auto framed_bytes = transmission->message->flatten();
    sent_message out;
    EXPECT_GE(framed_bytes.size(), 4 + header_bytes);
    EXPECT_EQ(wire::load_be<u32>(framed_bytes.data()), framed_bytes.size() - 4);
    out.data.assign(framed_bytes.begin() + 4, framed_bytes.end());
    if (server_sealer != nullptr && kind_of(out.data) == message_kind::sealed) {
      const auto outer = *decode_buffer<transform_header>(out.data);
      out.nonce = outer.nonce;
      std::vector<std::byte> plain(outer.original_size);
      EXPECT_TRUE(server_sealer->open(outer, out.data, plain));
      out.data = std::move(plain);
    }
    out.head = *decode_header(out.data);
    out.id = transmission->id;
    return out;
  }

  std::vector<sent_message> take_all() {
    std::vector<sent_message> out;
    while (auto one = take())
      out.push_back(std::move(*one));
    return out;
  }

  /// Feeds bytes in one piece and collects what happens.
  void feed(bytes data) {
    core.receive(data, now);
    drain();
  }

  void reply(const answer& a) { feed(framed(a.message())); }

  void drain() {
    while (auto event = core.poll_event()) {
      event->message = {};
      events.push_back(*event);
    }
  }

  void advance(nanos by) {
    now += by;
    core.handle_timeout(now);
    drain();
  }

  /// A connection with that many credits.
  void give_credits(u16 credits) {
    const echo::request request;
    submit<echo>(request);
    const auto sent = take();
    ASSERT_TRUE(sent);
    reply({.command = echo::number, .message_id = sent->head.message_id, .credits = credits});
    events.clear();
  }

  [[nodiscard]] u64 user_of(std::size_t event) const {
    return reinterpret_cast<u64>(events.at(event).user);
  }
};

} // namespace smb2::script
