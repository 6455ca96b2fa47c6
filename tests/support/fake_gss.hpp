#pragma once

#include "rpc/gss_codec.hpp"
#include "rpc/gss_mechanism.hpp"
#include "rpc/message.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

/// RPCSEC_GSS without Kerberos: a mechanism whose cipher is a toy, and the server's side of it.
namespace support {

using octets = std::vector<std::byte>;

/// 20 bytes that depend on the key, on who signs, and on every byte.
inline octets toy_mic(wire::u32 key, bool by_server, wire::bytes message) {
  wire::u64 hash = 0xcbf29ce484222325u ^ key ^ (by_server ? 1u << 31 : 0u);
  for (const auto b : message)
    hash = (hash ^ std::to_integer<wire::u64>(b)) * 0x100000001b3u;
  octets out(20);
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = static_cast<std::byte>(hash >> (i % 8) * 8);
  return out;
}

inline octets joined(std::span<const wire::bytes> pieces) {
  octets out;
  for (const auto& piece : pieces)
    out.insert(out.end(), piece.begin(), piece.end());
  return out;
}

/// Every byte changed, and a checksum behind: 21 bytes longer, so never without XDR padding.
inline octets toy_seal(wire::u32 key, bool by_server, wire::bytes message) {
  octets out(message.begin(), message.end());
  for (auto& b : out)
    b ^= std::byte{0x5a};
  const auto mic = toy_mic(key, by_server, message);
  out.insert(out.end(), mic.begin(), mic.end());
  out.push_back(std::byte{0x55});
  return out;
}

inline std::optional<wire::bytes> toy_open(wire::u32 key, bool by_server, octets& sealed) {
  if (sealed.size() < 21) return std::nullopt;
  const auto n = sealed.size() - 21;
  for (std::size_t i = 0; i < n; ++i)
    sealed[i] ^= std::byte{0x5a};
  const auto plain = wire::bytes(sealed).first(n);
  if (!std::ranges::equal(wire::bytes(sealed).subspan(n, 20), toy_mic(key, by_server, plain)))
    return std::nullopt;
  return plain;
}

/// What the mechanisms of a test share.
struct toy_realm {
  wire::u32 rounds = 1;  ///< tokens of the client's
  int made = 0;          ///< contexts begun; each has its number for a key
  std::string no_ticket; ///< said instead of a first token
  int expire_after = -1; ///< signatures of a context before it expires
};

class toy_mechanism final : public rpc::gss_mechanism {
 public:
  explicit toy_mechanism(toy_realm& realm)
      : realm_(realm), key_(static_cast<wire::u32>(++realm.made)) {}

  [[nodiscard]] std::expected<token, std::string> step(wire::bytes from_server) override {
    if (!realm_.no_ticket.empty()) return std::unexpected(realm_.no_ticket);
    if (sent_ > 0 && from_server.empty()) return std::unexpected("no token from the server");
    if (sent_ == realm_.rounds) {
      complete_ = true;
      return token{};
    }
    ++sent_;
    token out(8);
    wire::store_be(out.data(), key_);
    wire::store_be(out.data() + 4, sent_);
    return out;
  }

  [[nodiscard]] bool complete() const noexcept override { return complete_; }

  [[nodiscard]] token sign(std::span<const wire::bytes> message) override {
    if (realm_.expire_after >= 0 && signatures_++ >= realm_.expire_after) return {};
    return toy_mic(key_, false, joined(message));
  }
  [[nodiscard]] bool verify(wire::bytes message, wire::bytes mic) override {
    return std::ranges::equal(mic, toy_mic(key_, true, message));
  }
  [[nodiscard]] token seal(std::span<const wire::bytes> message) override {
    return toy_seal(key_, false, joined(message));
  }
  [[nodiscard]] std::optional<wire::bytes> open(token& sealed) override {
    return toy_open(key_, true, sealed);
  }

 private:
  toy_realm& realm_;
  wire::u32 key_;
  wire::u32 sent_ = 0;
  int signatures_ = 0;
  bool complete_ = false;
};

inline rpc::gss_source toy_source(toy_realm& realm) {
  return [&realm]() -> std::expected<std::unique_ptr<rpc::gss_mechanism>, std::string> {
    return std::make_unique<toy_mechanism>(realm);
  };
}

/// A server that knows the toy: what the client sent comes out bare, and replies go in bare.
/// Handles are the key in four bytes.
class toy_gss_server {
 public:
  struct call {
    rpc::call_header header;
    rpc::gss_credential credential;
    wire::u32 key = 0;
    octets args; ///< bare
  };

  wire::u32 rounds = 1;
  wire::u32 window = 8;
  wire::u32 major = rpc::gss_complete; ///< of the last round
  bool wrong_window_verifier = false;

  // How the next replies to data are spoilt.
  wire::u32 other_sequence = 0; ///< the verifier's, when not 0
  wire::u32 other_body_sequence = 0;
  std::function<void(octets&)> spoil_verifier;
  std::function<void(octets&)> spoil_checksum;
  std::function<void(octets&)> spoil_body; ///< databody, behind checksum or seal

  /// `record` without its mark; fails the test when it is not what RFC 2203 asks for.
  static call read(wire::bytes record) {
    call out;
    const auto header = rpc::decode_call_header(record);
    EXPECT_TRUE(header.ok());
    out.header = header.message;
    EXPECT_EQ(out.header.credential.flavor, rpc::auth_flavor::gss);
    const auto credential = rpc::decode_exact<rpc::gss_credential>(out.header.credential.body);
    EXPECT_TRUE(credential);
    if (!credential) return out;
    out.credential = *credential;
    const auto body = record.subspan(header.size);
    if (is_negotiation(out)) {
      EXPECT_EQ(out.header.procedure, 0u);
      EXPECT_EQ(out.header.verifier.flavor, rpc::auth_flavor::none);
      out.args.assign(body.begin(), body.end());
      return out;
    }
    EXPECT_EQ(out.credential.handle.size(), 4u);
    out.key = wire::load_be<wire::u32>(out.credential.handle.data());
    const auto verifier_bytes = 8 + wire::align_up(out.header.verifier.body.size(), 4);
    const auto signed_bytes = record.first(header.size - verifier_bytes);
    EXPECT_EQ(out.header.verifier.flavor, rpc::auth_flavor::gss);
    EXPECT_TRUE(
        std::ranges::equal(out.header.verifier.body, toy_mic(out.key, false, signed_bytes)));
    out.args = bare(out, body);
    return out;
  }

  static bool is_negotiation(const call& c) {
    return c.credential.proc == rpc::gss_proc::init ||
           c.credential.proc == rpc::gss_proc::continue_init;
  }

  /// The reply, framed; for data its bare `results`.
  octets answer(const call& c, wire::bytes results = {}) {
    if (is_negotiation(c)) return answer_token(c);
    if (c.credential.proc == rpc::gss_proc::destroy) return framed(c, seq_mic(c), {});
    wire::writer body;
    const auto sequence = other_body_sequence != 0 ? other_body_sequence : c.credential.seq_num;
    body.be(sequence);
    body.put(results);
    return framed(c, seq_mic(c), protect(c, body.flatten()));
  }

  /// Of PROC_UNAVAIL, with the verifier that it needs.
  static octets proc_unavail(const call& c) {
    return framed(c, toy_mic(c.key, true, word(c.credential.seq_num)), {},
                  rpc::accept_stat::proc_unavail);
  }

  static octets refusal(const call& c, rpc::auth_stat why) {
    rpc::reply_header header;
    header.xid = c.header.xid;
    header.stat = rpc::reply_stat::denied;
    header.rejected = rpc::reject_stat::auth_error;
    header.auth = why;
    return marked(header, {});
  }

 private:
  static octets word(wire::u32 value) {
    octets out(4);
    wire::store_be(out.data(), value);
    return out;
  }

  static octets bare(const call& c, wire::bytes body) {
    octets plain;
    if (c.credential.proc == rpc::gss_proc::destroy ||
        c.credential.service == rpc::gss_service::none)
      return {body.begin(), body.end()};
    if (c.credential.service == rpc::gss_service::integrity) {
      const auto whole = rpc::decode_exact<rpc::gss_integ_data>(body);
      EXPECT_TRUE(whole);
      if (!whole) return {};
      EXPECT_TRUE(std::ranges::equal(whole->checksum, toy_mic(c.key, false, whole->databody)));
      plain.assign(whole->databody.begin(), whole->databody.end());
    } else {
      const auto whole = rpc::decode_exact<rpc::gss_priv_data>(body);
      EXPECT_TRUE(whole);
      if (!whole) return {};
      octets sealed(whole->databody.begin(), whole->databody.end());
      const auto opened = toy_open(c.key, false, sealed);
      EXPECT_TRUE(opened);
      if (opened) plain.assign(opened->begin(), opened->end());
    }
    EXPECT_GE(plain.size(), 4u);
    if (plain.size() < 4) return {};
    EXPECT_EQ(wire::load_be<wire::u32>(plain.data()), c.credential.seq_num);
    plain.erase(plain.begin(), plain.begin() + 4);
    return plain;
  }

  octets answer_token(const call& c) {
    const auto arg = rpc::decode_exact<rpc::gss_init_arg>(c.args);
    EXPECT_TRUE(arg && arg->token.size() == 8);
    if (!arg || arg->token.size() != 8) return {};
    const auto key = wire::load_be<wire::u32>(arg->token.data());
    const auto round = wire::load_be<wire::u32>(arg->token.data() + 4);
    EXPECT_EQ(c.credential.proc, round == 1 ? rpc::gss_proc::init : rpc::gss_proc::continue_init);
    EXPECT_EQ(c.credential.handle.size(), round == 1 ? 0u : 4u);
    const auto handle = word(key);
    rpc::gss_init_res res;
    res.handle = handle;
    res.major = round == rounds ? major : rpc::gss_continue_needed;
    res.seq_window = window;
    res.token = handle; // any will do
    wire::writer body;
    EXPECT_TRUE(rpc::encode(res, body));
    octets verifier;
    if (round == rounds) verifier = toy_mic(key, true, word(window + wrong_window_verifier));
    return framed(c, verifier, body.flatten());
  }

  [[nodiscard]] octets seq_mic(const call& c) const {
    auto out =
        toy_mic(c.key, true, word(other_sequence != 0 ? other_sequence : c.credential.seq_num));
    if (spoil_verifier) spoil_verifier(out);
    return out;
  }

  [[nodiscard]] octets protect(const call& c, const octets& databody) const {
    wire::writer out;
    if (c.credential.service == rpc::gss_service::none) {
      out.put(wire::bytes(databody).subspan(4));
    } else if (c.credential.service == rpc::gss_service::integrity) {
      auto checksum = toy_mic(c.key, true, databody);
      if (spoil_checksum) spoil_checksum(checksum);
      auto body = databody;
      if (spoil_body) spoil_body(body);
      EXPECT_TRUE(rpc::encode(rpc::gss_integ_data{body, checksum}, out));
      return out.flatten();
    } else {
      auto sealed = toy_seal(c.key, true, databody);
      if (spoil_body) spoil_body(sealed);
      EXPECT_TRUE(rpc::encode(rpc::gss_priv_data{sealed}, out));
      return out.flatten();
    }
    return out.flatten();
  }

  static octets framed(const call& c, const octets& verifier, const octets& body,
                       rpc::accept_stat stat = rpc::accept_stat::success) {
    rpc::reply_header header;
    header.xid = c.header.xid;
    header.accepted = stat;
    if (!verifier.empty()) header.verifier = {rpc::auth_flavor::gss, verifier};
    return marked(header, body);
  }

  static octets marked(const rpc::reply_header& header, const octets& body) {
    wire::writer out;
    out.be(wire::u32{0});
    EXPECT_TRUE(rpc::encode(header, out));
    out.put(body);
    auto flat = out.flatten();
    wire::store_be(flat.data(),
                   static_cast<wire::u32>(flat.size() - 4) | rpc::record_mark::last_fragment);
    return flat;
  }
};

} // namespace support
