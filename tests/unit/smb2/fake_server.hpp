#pragma once

#include "smb2/commands.hpp"
#include "smb2/compound.hpp"
#include "smb2/crypto/keys.hpp"
#include "smb2/crypto/preauth.hpp"
#include "smb2/crypto/sealer.hpp"
#include "smb2/crypto/signer.hpp"
#include "smb2/direct_tcp.hpp"
#include "smb2/header.hpp"
#include "smb2/ioctls/validate_negotiate_info.hpp"
#include "smb2/ntstatus.hpp"
#include "smb2/signer.hpp"
#include "tests/unit/smb2/crypto/auth_support.hpp"
#include "wire/framer.hpp"
#include "wire/net/async.hpp"

#include <asio/ip/tcp.hpp>
#include <asio/steady_timer.hpp>
#include <asio/write.hpp>

#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <vector>

/// A server on the loopback: one share in memory, one user (auth_support::sample_user()), NTLM in
/// SPNEGO, signatures, sealing. What a test wants done differently it does in `before`, for one
/// request at a time; what somebody between client and server would do, in `tamper`.
namespace smb2::fake {

using tcp = asio::ip::tcp;
using wire::net::awaitable;

struct request {
  header head;
  std::vector<std::byte> message;
  bool sealed = false;
  std::size_t connection = 0; ///< which of those that were accepted, from 1 on

  template <class Command>
  [[nodiscard]] typename Command::request body() const {
    return *decode<typename Command::request>(message);
  }
};

/// What is sent back for a request.
struct response {
  std::vector<std::vector<std::byte>> messages; ///< each in a frame of its own
  bool handled = false;                         ///< by the test: the server does nothing more
  bool close = false;
  wire::nanos delay{};
};

class server {
 public:
  explicit server(asio::io_context& io)
      : acceptor_(io, tcp::endpoint(asio::ip::address_v4::loopback(), 0)) {
    asio::co_spawn(io, accept(*this), [](std::exception_ptr) {});
  }
  server(const server&) = delete;
  server& operator=(const server&) = delete;

  [[nodiscard]] u16 port() const { return acceptor_.local_endpoint().port(); }

  smb2::dialect dialect = smb2::dialect::smb_2_1;
  u32 capabilities = capability::large_mtu;
  u32 max_size = 1 << 20;
  u16 security_mode = security_mode::signing_enabled;
  u16 credits_max = 512;                                     ///< of what is asked for
  signing_algorithm algorithm = signing_algorithm::aes_gmac; ///< on 3.1.1
  bool as_guest = false;
  bool as_anonymous = false;
  bool signs_last_setup = true;
  bool does_compounds = true;             ///< related ones
  std::shared_ptr<message_signer> signer; ///< signs what answers a signed request
  cipher sealing = cipher::none;          ///< chosen on 3.1.1; on 3.0.x `capabilities` say it
  bool seals_session = false;
  bool seals_share = false;
  std::shared_ptr<message_sealer> sealer;              ///< seals what answers a sealed request
  std::optional<compression_capabilities> compression; ///< chosen on 3.1.1
  /// What becomes of a response before it is sealed or sent: compressed.
  std::function<std::vector<std::byte>(const request&, std::vector<std::byte>)> compress;
  std::function<void(const request&, response&)> before;
  std::function<void(const request&, std::vector<std::byte>& message)> tamper;
  /// What a CREATE that works grants beyond that; `contexts` is what the response will view.
  std::function<void(const request&, create::response&, std::vector<std::byte>& contexts)> grant;
  auth_support::spnego_server authentication;

  std::vector<request> seen;
  std::map<std::string, std::vector<std::byte>> files;

  bool with_preauth_context = true;
  bool with_signing_context = true;

  [[nodiscard]] std::size_t count(u16 command) const {
    return static_cast<std::size_t>(
        std::ranges::count(seen, command, [](const request& r) { return r.head.command; }));
  }

  /// A response with this body, ready to be sent.
  template <class Body>
  [[nodiscard]] std::vector<std::byte> make(const request& to, u32 code, const Body& body) {
    header h;
    h.command = to.head.command;
    h.status = code;
    h.message_id = to.head.message_id;
    h.session_id = session_id_of(to);
    h.tree_id = to.head.command == tree_connect::number ? 5 : to.head.tree_id;
    h.credits = std::min(to.head.credits, credits_max);
    h.flags = flags::server_to_redir | (to.head.is_signed() && signer ? flags::is_signed : 0);
    wire::writer out;
    encode_header(h, out);
    encode(body, out, 0);
    auto all = out.flatten();
    if (h.is_signed()) sign(all, h.message_id);
    return all;
  }

  [[nodiscard]] std::vector<std::byte> refuse(const request& to, u32 code) {
    return make(to, code, error_response{});
  }

  void sign(std::vector<std::byte>& message, u64 message_id) {
    std::fill_n(message.begin() + signature_offset, sizeof(signature), std::byte{});
    const bytes whole = message;
    const auto s = signer->sign(std::span(&whole, 1),
                                {.message_id = message_id, .from_server = true, .cancel = false});
    std::ranges::copy(s, message.begin() + signature_offset);
  }

  [[nodiscard]] std::vector<std::byte> answer(const request& r) {
    switch (r.head.command) {
    case negotiate::number:
      return answer_negotiate(r);
    case session_setup::number:
      return answer_session_setup(r);
    case ioctl::number:
      return answer_validation(r);
    case tree_connect::number:
      return answer_tree_connect(r);
    case create::number:
      return answer_create(r);
    case read::number:
      return answer_read(r);
    case write::number:
      return answer_write(r);
    case close::number:
      return make(r, status::success, close::response{});
    case echo::number:
    case logoff::number:
    case tree_disconnect::number:
    case flush::number:
      return make(r, status::success, echo::response{});
    default:
      return refuse(r, status::not_supported);
    }
  }

 private:
  /// A request without a session begins one, or belongs to none.
  [[nodiscard]] u64 session_id_of(const request& to) const {
    if (to.head.command == negotiate::number) return 0;
    return to.head.session_id != 0 ? to.head.session_id : 0x1234 + sessions_;
  }

  std::vector<std::byte> answer_negotiate(const request& r) {
    offered_ = r.body<negotiate>().dialects;
    negotiate::response body;
    body.revision = dialect;
    body.capabilities = capabilities;
    body.security_mode = security_mode;
    body.max_read_size = body.max_write_size = body.max_transact_size = max_size;
    std::vector<std::byte> preauth;
    std::vector<std::byte> signing;
    std::vector<std::byte> ciphers;
    std::vector<std::byte> compressors;
    if (dialect == smb2::dialect::smb_3_1_1 && with_preauth_context) {
      preauth_integrity_capabilities hashes;
      hashes.algorithms.push_back(hash_algorithm::sha512);
      preauth = encode_buffer(hashes);
      signing_capabilities algorithms;
      algorithms.algorithms.push_back(algorithm);
      signing = encode_buffer(algorithms);
      body.contexts.push_back({context_type::preauth_integrity, preauth});
      if (with_signing_context) body.contexts.push_back({context_type::signing, signing});
      if (sealing != cipher::none) {
        ciphers = encode_buffer(encryption_capabilities{{sealing}});
        body.contexts.push_back({context_type::encryption, ciphers});
      }
      if (compression) {
        compressors = encode_buffer(*compression);
        body.contexts.push_back({context_type::compression, compressors});
      }
    }
    return make(r, status::success, body);
  }

  std::vector<std::byte> answer_session_setup(const request& r) {
    const auto token = r.body<session_setup>().security_buffer;
    session_setup::response body;
    if (!std::exchange(challenged_, true)) {
      // Until a channel has a key of its own, that of the session signs.
      if (r.head.is_signed() && session_signer_) signer = session_signer_;
      const auto challenge = authentication.first(token);
      body.security_buffer = challenge;
      return make(r, status::more_processing_required, body);
    }
    challenged_ = false;
    if (as_anonymous) {
      auth_support::neg_token_resp accepted;
      accepted.state = auth_support::neg_state::accept_completed;
      const auto answer = smb2::auth::encode_spnego(accepted);
      body.security_buffer = answer;
      body.session_flags = session_flag::is_null;
      return make(r, status::success, body);
    }
    const auto last = authentication.last(token);
    if (!authentication.accepted) return refuse(r, status::logon_failure);
    body.security_buffer = last;
    if (as_guest) body.session_flags = session_flag::is_guest;
    if (seals_session) body.session_flags |= session_flag::encrypt_data;
    // One that exists is renewed, and keeps its keys; a further channel gets one of its own, with
    // which all is signed from then on.
    const bool binding =
        (r.body<session_setup>().flags & session_setup::request::flag_binding) != 0;
    if (!binding && r.head.session_id != 0x1234 + sessions_) return make(r, status::success, body);
    if (!binding) ++sessions_;
    auto keys =
        crypto::derive_keys(dialect, authentication.ntlm.session_key, hash_.value(), sealing);
    signer = crypto::make_signer(dialect, algorithm, keys.signing);
    if (!binding) session_signer_ = signer;
    if (sealing != cipher::none && !binding) {
      std::swap(keys.encryption, keys.decryption); // named from the client's side
      sealer = crypto::make_sealer(sealing, keys);
    }
    auto out = make(r, status::success, body);
    if (!signs_last_setup || as_guest) return out;
    auto head = *decode_header(out);
    head.flags |= flags::is_signed;
    store_header(head, std::span(out).first<header_bytes>());
    sign(out, head.message_id);
    return out;
  }

  std::vector<std::byte> answer_tree_connect(const request& r) {
    tree_connect::response body;
    if (seals_share) body.share_flags |= tree_connect::response::flag_encrypt_data;
    return make(r, status::success, body);
  }

  /// What comes in the clear where it has to be sealed is refused (MS-SMB2 3.3.5.2.9, 3.3.5.2.11).
  [[nodiscard]] bool must_be_sealed(const request& r) const {
    if (r.head.command <= session_setup::number || !sealer) return false;
    return seals_session ||
           (seals_share && r.head.tree_id != 0 && r.head.command != tree_connect::number);
  }

  std::vector<std::byte> answer_validation(const request& r) {
    const auto body = r.body<ioctl>();
    const auto asked = decode_buffer<validate_negotiate_info_request>(body.input);
    if (body.ctl_code != fsctl::validate_negotiate_info || !asked || asked->dialects != offered_)
      return refuse(r, status::access_denied);
    validate_negotiate_info_response said;
    said.capabilities = capabilities;
    said.security_mode = security_mode;
    said.revision = dialect;
    const auto output = encode_buffer(said);
    ioctl::response out;
    out.ctl_code = body.ctl_code;
    out.file = body.file;
    out.output = output;
    return make(r, status::success, out);
  }

  std::vector<std::byte> answer_create(const request& r) {
    const auto body = r.body<create>();
    const auto name = body.name.text();
    if (body.disposition == create_disposition::open && !files.contains(name))
      return refuse(r, status::object_name_not_found);
    auto& content = files[name];
    if (body.disposition == create_disposition::overwrite_if) content.clear();
    open_.push_back(name);
    create::response out;
    out.file = {7, open_.size() - 1};
    out.end_of_file = content.size();
    std::vector<std::byte> contexts;
    if (grant) grant(r, out, contexts);
    out.contexts = contexts;
    return make(r, status::success, out);
  }

  std::vector<std::byte>& content_of(const fileid& id) {
    return files[id == fileid::of_previous()
                     ? open_.back()
                     : open_.at(static_cast<std::size_t>(id.volatile_part))];
  }

  std::vector<std::byte> answer_read(const request& r) {
    const auto body = r.body<read>();
    const auto& content = content_of(body.file);
    if (body.offset >= content.size()) return refuse(r, status::end_of_file);
    const auto at = static_cast<std::size_t>(body.offset);
    read::response out;
    out.data =
        part(bytes(content).subspan(at, std::min<std::size_t>(body.length, content.size() - at)));
    return make(r, status::success, out);
  }

  std::vector<std::byte> answer_write(const request& r) {
    const auto body = r.body<write>();
    auto& content = content_of(body.file);
    const auto end = static_cast<std::size_t>(body.offset) + body.data.length;
    if (content.size() < end) content.resize(end);
    std::ranges::copy(body.data.data, content.begin() + static_cast<std::ptrdiff_t>(body.offset));
    write::response out;
    out.count = body.data.length;
    return make(r, status::success, out);
  }

  static awaitable<void> accept(server& self) {
    while (true) {
      auto [error, socket] = co_await self.acceptor_.async_accept(wire::net::as_result);
      if (error) co_return;
      asio::co_spawn(self.acceptor_.get_executor(),
                     serve(self, std::make_shared<tcp::socket>(std::move(socket))),
                     [](std::exception_ptr) {});
    }
  }

  static awaitable<void> serve(server& self, std::shared_ptr<tcp::socket> socket) {
    wire::framer<direct_tcp> framer(message_bytes_max);
    std::vector<std::byte> buffer(1 << 20);
    const auto number = ++self.connections_;
    while (true) {
      auto [error, n] =
          co_await socket->async_read_some(asio::buffer(buffer), wire::net::as_result);
      if (error) co_return;
      framer.feed(bytes(buffer).first(n), {});
      while (const auto frame = framer.next()) {
        const bool open = co_await handle(self, *socket, *frame, number);
        if (!open) co_return;
      }
    }
  }

  /// The request inside; of a sealed one what no key opens is a failure of the test.
  request open(bytes frame) {
    request got;
    got.message.assign(frame.begin(), frame.end());
    if (kind_of(frame) == message_kind::sealed) {
      const auto outer = *decode_buffer<transform_header>(frame);
      got.message.resize(outer.original_size);
      got.sealed = sealer && sealer->open(outer, frame, got.message);
      if (!got.sealed) throw std::runtime_error("a request that was sealed with another key");
    }
    got.head = *decode_header(got.message);
    return got;
  }

  std::vector<std::byte> pack(const request& to, std::vector<std::byte> message) {
    if (compress) message = compress(to, std::move(message));
    if (!to.sealed) return message;
    std::vector<std::byte> out(transform_header::size + message.size());
    const bytes plain = message;
    sealer->seal(to.head.session_id, std::span(&plain, 1), out);
    return out;
  }

  static awaitable<bool> handle(server& self, tcp::socket& socket, const wire::frame& frame,
                                std::size_t number) {
    response out;
    self.failed_ = status::success;
    const auto whole = self.open(frame.data);
    compound_walker walk(whole.message);
    std::vector<std::vector<std::byte>> joined;
    while (const auto part = walk.next()) {
      self.seen.push_back(
          {part->head, {part->data.begin(), part->data.end()}, whole.sealed, number});
      if (self.joins(*part)) {
        joined.push_back(self.answer_part(self.seen.back()));
        continue;
      }
      self.take(self.seen.back(), out);
    }
    if (!joined.empty()) out.messages.push_back(self.pack(whole, self.join(joined)));
    co_return co_await send(socket, out);
  }

  /// Whether the response is part of a compound.
  [[nodiscard]] bool joins(const submessage& part) const {
    return part.index > 0 || part.head.next_command != 0;
  }

  void take(request got, response& out) {
    hash_request(got);
    if (before) before(got, out);
    if (!out.handled && got.head.command != cancel::number)
      out.messages.push_back(answer_in_its_seal(got));
    for (auto& message : out.messages) {
      hash_response(got, message);
      if (tamper) tamper(got, message);
      message = pack(got, std::move(message));
    }
  }

  std::vector<std::byte> answer_in_its_seal(const request& got) {
    return must_be_sealed(got) && !got.sealed ? refuse(got, status::access_denied) : answer(got);
  }

  /// A related part behind one that failed fails as that did (MS-SMB2 3.3.5.2.7.2).
  std::vector<std::byte> answer_part(request got) {
    if ((got.head.flags & flags::related_operations) != 0) {
      if (!does_compounds) return refuse(got, status::invalid_parameter);
      if (failed_ != status::success) return refuse(got, failed_);
    }
    response out;
    if (before) before(got, out);
    auto message = out.handled ? out.messages.at(0) : answer_in_its_seal(got);
    if (const auto head = decode_header(message); head->status != status::success)
      failed_ = head->status;
    return message;
  }

  /// One frame of them, each signed anew with what stands behind it.
  std::vector<std::byte> join(std::vector<std::vector<std::byte>>& parts) {
    std::vector<std::byte> out;
    for (auto& message : parts) {
      auto head = *decode_header(message);
      if (&message != &parts.back()) {
        message.resize(wire::align_up(message.size(), 8));
        head.next_command = static_cast<u32>(message.size());
      }
      head.signature = {};
      store_header(head, std::span(message).first<header_bytes>());
      if (head.is_signed()) sign(message, head.message_id);
      out.insert(out.end(), message.begin(), message.end());
    }
    return out;
  }

  static awaitable<bool> send(tcp::socket& socket, response out) {
    if (out.delay > wire::nanos{}) {
      asio::steady_timer timer(socket.get_executor(), out.delay);
      auto [ignored] = co_await timer.async_wait(wire::net::as_result);
      static_cast<void>(ignored);
    }
    for (const auto& message : out.messages) {
      std::array<std::byte, 4> prefix;
      wire::store_be(prefix.data(), static_cast<u32>(message.size()));
      const std::array<asio::const_buffer, 2> pieces{asio::buffer(prefix), asio::buffer(message)};
      auto [error, n] = co_await asio::async_write(socket, pieces, wire::net::as_result);
      if (error) co_return false;
    }
    if (out.close) socket.close();
    co_return !out.close;
  }

  void hash_request(const request& r) {
    if (r.head.command > session_setup::number) return;
    if (r.head.command == negotiate::number) {
      hash_ = {};
      challenged_ = false;
    } else if (!challenged_) {
      hash_ = negotiated_;
    }
    const bytes whole = r.message;
    hash_.update(std::span(&whole, 1));
  }

  void hash_response(const request& r, const std::vector<std::byte>& message) {
    const bytes whole = message;
    if (r.head.command == negotiate::number ||
        decode_header(whole)->status == status::more_processing_required)
      hash_.update(std::span(&whole, 1));
    if (r.head.command == negotiate::number) negotiated_ = hash_;
  }

  tcp::acceptor acceptor_;
  std::vector<std::string> open_;
  u32 failed_ = status::success; ///< of the compound under way: what its first failure said
  std::vector<smb2::dialect> offered_;
  bool challenged_ = false;
  u64 sessions_ = 0;
  std::size_t connections_ = 0;
  std::shared_ptr<message_signer> session_signer_;
  crypto::preauth_sha512 hash_;
  crypto::preauth_sha512 negotiated_;
};

} // namespace smb2::fake
