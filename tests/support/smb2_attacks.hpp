#pragma once

#include "smb2/commands.hpp"
#include "smb2/file.hpp"
#include "smb2/ntstatus.hpp"
#include "tests/support/smb2_proxy.hpp"

#include <algorithm>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

/// What somebody between client and server can try, and how the client must end each time.
namespace support {

/// The client's side: what it asks for, and what must become of it.
struct attack {
  const char* name;
  std::vector<smb2::dialect> dialects;
  smb2::dialect agreed;         ///< by the server, with the attack
  smb2::session_options policy; ///< sign, seal and their algorithms
  void (*install)(smb2_proxy&);
  smb2::errc code;
  std::string_view sentence; ///< part of it

  friend void PrintTo(const attack& of, std::ostream* out) { *out << of.name; }
};

/// What a forged response would make of the file.
inline constexpr std::string_view forged_data = "what the attacker would have us read";

namespace attacks {

using smb2::bytes;

/// The first message of a frame; none of a sealed one.
inline std::optional<smb2::header> head_of(const frame_bytes& frame) {
  const auto head = smb2::decode_header(frame);
  if (!head) return std::nullopt;
  return *head;
}

inline bool is(const frame_bytes& frame, smb2::u16 command) {
  const auto head = head_of(frame);
  return head && head->command == command;
}

inline bool is_sealed(const frame_bytes& frame) {
  return smb2::kind_of(frame) == smb2::message_kind::sealed;
}

/// `edit` is called with each frame of that command that comes from the server.
template <class Command, class Edit>
void on_response(smb2_proxy& by, Edit edit) {
  by.from_server = [edit](passing& p) {
    for (auto& frame : p.onward)
      if (is(frame, Command::number)) edit(frame);
  };
}

/// The same from the client.
template <class Command, class Edit>
void on_request(smb2_proxy& by, Edit edit) {
  by.from_client = [edit](passing& p) {
    for (auto& frame : p.onward)
      if (is(frame, Command::number)) edit(frame);
  };
}

/// Decodes the body, has it changed and puts it back.
template <class Message, class Edit>
void rewrite(frame_bytes& frame, Edit edit) {
  const auto original = frame;
  auto body = *smb2::decode<Message>(original);
  edit(body);
  wire::writer out;
  smb2::encode_header(*smb2::decode_header(original), out);
  smb2::encode(body, out, 0);
  frame = out.flatten();
}

template <class Edit>
void change_negotiate_response(smb2_proxy& by, Edit edit) {
  on_response<smb2::negotiate>(
      by, [edit](frame_bytes& frame) { rewrite<smb2::negotiate::response>(frame, edit); });
}

template <class Edit>
void change_negotiate_request(smb2_proxy& by, Edit edit) {
  on_request<smb2::negotiate>(
      by, [edit](frame_bytes& frame) { rewrite<smb2::negotiate::request>(frame, edit); });
}

inline void remove_signature(frame_bytes& frame) {
  auto head = *head_of(frame);
  head.flags &= ~smb2::flags::is_signed;
  head.signature = {};
  smb2::store_header(head, std::span(frame).first<smb2::header_bytes>());
}

/// The one that says success.
template <class Edit>
void change_last_setup_response(smb2_proxy& by, Edit edit) {
  on_response<smb2::session_setup>(by, [edit](frame_bytes& frame) {
    if (head_of(frame)->status == smb2::status::success)
      rewrite<smb2::session_setup::response>(frame, edit);
  });
}

/// Leaves those contexts that `keep` names.
inline void keep_contexts(std::vector<smb2::negotiate_context>& list,
                          std::initializer_list<smb2::context_type> keep) {
  std::erase_if(list,
                [&](const auto& one) { return std::ranges::find(keep, one.type) == keep.end(); });
}

/// A response that nobody with a key has made.
template <class Body>
frame_bytes forge(smb2::u16 command, smb2::u64 message_id, smb2::u64 session_id, smb2::u32 status,
                  const Body& body, smb2::u32 more_flags = 0) {
  smb2::header head;
  head.command = command;
  head.status = status;
  head.message_id = message_id;
  head.session_id = session_id;
  head.credits = 1;
  head.flags = smb2::flags::server_to_redir | more_flags;
  wire::writer out;
  smb2::encode_header(head, out);
  smb2::encode(body, out, 0);
  return out.flatten();
}

inline frame_bytes forge_read(smb2::u64 message_id, smb2::u64 session_id) {
  smb2::read::response body;
  body.data = smb2::part(std::as_bytes(std::span(forged_data)));
  return forge(smb2::read::number, message_id, session_id, smb2::status::success, body);
}

/// Answers the client's request of that command itself; the server never sees it.
template <class Command, class Make>
void answer_for_the_server(smb2_proxy& by, Make make) {
  by.from_client = [make](passing& p) {
    const auto head = head_of(p.onward.front());
    if (!head || head->command != Command::number) return;
    p.onward.clear();
    p.back.push_back(make(*head));
  };
}

/// MessageIds count from 0, and each request here costs one.
inline constexpr int read_request = 8; ///< of visit()

/// Answers the sealed READ in the clear.
template <class Make>
void answer_the_sealed_read(smb2_proxy& by, Make make) {
  by.from_client = [make, count = 0](passing& p) mutable {
    if (count++ != read_request) return;
    const auto outer = *smb2::decode_buffer<smb2::transform_header>(p.onward.front());
    p.onward.clear();
    p.back.push_back(make(outer.session_id));
  };
}

/// The second sealed response is changed: that to the first CREATE.
template <class Edit>
void change_a_sealed_response(smb2_proxy& by, Edit edit) {
  by.from_server = [edit, count = 0](passing& p) mutable {
    for (auto& frame : p.onward)
      if (is_sealed(frame) && ++count == 2) edit(frame);
  };
}

inline constexpr std::size_t transform_original_size_offset = 36;
inline constexpr std::size_t transform_flags_offset = 42;
inline constexpr std::size_t transform_session_offset = 44;

inline smb2::session_options unsigned_session() {
  return {};
}

inline smb2::session_options signed_session() {
  smb2::session_options out;
  out.sign = smb2::signing_policy::required;
  return out;
}

inline smb2::session_options sealed_session() {
  smb2::session_options out;
  out.seal = smb2::sealing_policy::required;
  return out;
}

} // namespace attacks

/// The file's content as the client read it, after it has written `content`.
inline wire::net::awaitable<std::expected<frame_bytes, smb2::error>>
visit(smb2::session_options options, std::string share, std::string path, frame_bytes content) {
  auto opened = co_await smb2::session::open(std::move(options));
  if (!opened) co_return std::unexpected(std::move(opened.error()));
  auto where = co_await smb2::tree::connect(*opened, std::move(share));
  if (!where) co_return std::unexpected(std::move(where.error()));
  auto out = co_await where->open(path, smb2::open_options::to_write());
  if (!out) co_return std::unexpected(std::move(out.error()));
  auto written = co_await out->write(0, content);
  if (!written) co_return std::unexpected(std::move(written.error()));
  auto closed = co_await out->close();
  if (!closed) co_return std::unexpected(std::move(closed.error()));
  auto in = co_await where->open(path, smb2::open_options::to_read());
  if (!in) co_return std::unexpected(std::move(in.error()));
  frame_bytes back(content.size());
  auto got = co_await in->read(0, back);
  if (!got) co_return std::unexpected(std::move(got.error()));
  auto done = co_await in->close();
  if (!done) co_return std::unexpected(std::move(done.error()));
  back.resize(*got);
  co_return back;
}

/// All of them, against any server.
inline std::vector<attack> all_attacks() {
  using namespace attacks;
  using smb2::context_type;
  using enum smb2::dialect;
  const std::vector<smb2::dialect> all{smb_2_0_2, smb_2_1, smb_3_0, smb_3_0_2, smb_3_1_1};
  const std::vector<smb2::dialect> upto302{smb_2_0_2, smb_2_1, smb_3_0, smb_3_0_2};
  constexpr auto not_secure = smb2::errc::not_secure;
  constexpr auto bad_response = smb2::errc::bad_response;
  constexpr auto bad_signature = smb2::errc::bad_signature;
  constexpr auto lost = smb2::errc::outcome_unknown;
  constexpr std::string_view changed = "somebody between us has changed the negotiation";
  constexpr std::string_view differs =
      "somebody between us and the server has changed it (VALIDATE_NEGOTIATE_INFO differs)";
  constexpr std::string_view wrong_signature = "READ to 127.0.0.1";

  return {
      // --- NEGOTIATE ---
      {"strips_contexts_from_the_response", all, smb_3_1_1, unsigned_session(),
       [](smb2_proxy& by) {
         change_negotiate_response(
             by, [](auto& m) { keep_contexts(m.contexts, {context_type::preauth_integrity}); });
       },
       bad_signature, changed},
      {"strips_all_contexts_from_the_response", all, smb_3_1_1, unsigned_session(),
       [](smb2_proxy& by) { change_negotiate_response(by, [](auto& m) { m.contexts.clear(); }); },
       bad_response, "dialect 3.1.1 without the SHA-512 preauthentication hash"},
      {"strips_contexts_from_the_request", all, smb_3_1_1, unsigned_session(),
       [](smb2_proxy& by) {
         change_negotiate_request(
             by, [](auto& m) { keep_contexts(m.contexts, {context_type::preauth_integrity}); });
       },
       bad_signature, changed},
      {"strips_the_cipher_of_who_must_seal", all, smb_3_1_1, sealed_session(),
       [](smb2_proxy& by) {
         change_negotiate_response(by, [](auto& m) {
           keep_contexts(m.contexts, {context_type::preauth_integrity, context_type::signing});
         });
       },
       not_secure, "it cannot seal with what was offered (dialect 3.1.1), and sealing is required"},
      {"repeats_a_context", all, smb_3_1_1, unsigned_session(),
       [](smb2_proxy& by) {
         change_negotiate_response(by, [](auto& m) { m.contexts.push_back(m.contexts.front()); });
       },
       bad_response, "two contexts of preauth integrity capabilities"},
      {"takes_311_out_of_the_offer", all, smb_3_0_2, unsigned_session(),
       [](smb2_proxy& by) {
         change_negotiate_request(by, [](auto& m) {
           std::erase(m.dialects, smb_3_1_1);
           m.contexts.clear();
         });
       },
       not_secure, "VALIDATE_NEGOTIATE_INFO"},
      {"takes_all_but_21_out_of_the_offer", all, smb_2_1, unsigned_session(),
       [](smb2_proxy& by) {
         change_negotiate_request(by, [](auto& m) {
           m.dialects = {smb_2_0_2, smb_2_1};
           m.contexts.clear();
         });
       },
       not_secure, "VALIDATE_NEGOTIATE_INFO"},
      {"answers_302_instead_of_311", all, smb_3_1_1, unsigned_session(),
       [](smb2_proxy& by) {
         change_negotiate_response(by, [](auto& m) {
           m.revision = smb_3_0_2;
           m.contexts.clear();
         });
       },
       bad_signature, changed},
      {"answers_21_instead_of_311", all, smb_3_1_1, unsigned_session(),
       [](smb2_proxy& by) {
         change_negotiate_response(by, [](auto& m) {
           m.revision = smb_2_1;
           m.contexts.clear();
         });
       },
       bad_signature, changed},
      {"answers_30_instead_of_302",
       {smb_3_0, smb_3_0_2},
       smb_3_0_2,
       unsigned_session(),
       [](smb2_proxy& by) { change_negotiate_response(by, [](auto& m) { m.revision = smb_3_0; }); },
       not_secure,
       differs},
      {"answers_a_dialect_that_was_not_offered",
       {smb_3_1_1},
       smb_3_1_1,
       unsigned_session(),
       [](smb2_proxy& by) {
         change_negotiate_response(by, [](auto& m) {
           m.revision = smb_2_0_2;
           m.contexts.clear();
         });
       },
       bad_response,
       "it chose dialect 2.0.2 (0x0202), which was not offered"},
      {"answers_the_dialect_of_smb1_negotiation", all, smb_3_1_1, unsigned_session(),
       [](smb2_proxy& by) {
         change_negotiate_response(by, [](auto& m) {
           m.revision = smb2::any_smb2;
           m.contexts.clear();
         });
       },
       bad_response, "(0x02ff), which was not offered"},
      {"removes_capabilities_on_302",
       {smb_3_0_2},
       smb_3_0_2,
       unsigned_session(),
       [](smb2_proxy& by) { change_negotiate_response(by, [](auto& m) { m.capabilities = 0; }); },
       not_secure,
       differs},
      {"removes_capabilities_on_311",
       {smb_3_1_1},
       smb_3_1_1,
       unsigned_session(),
       [](smb2_proxy& by) { change_negotiate_response(by, [](auto& m) { m.capabilities = 0; }); },
       bad_signature,
       changed},
      {"removes_sealing_of_who_must_seal_on_302",
       {smb_3_0_2},
       smb_3_0_2,
       sealed_session(),
       [](smb2_proxy& by) {
         change_negotiate_response(
             by, [](auto& m) { m.capabilities &= ~smb2::capability::encryption; });
       },
       not_secure,
       "it cannot seal with what was offered (dialect 3.0.2), and sealing is required"},
      {"says_unsigned_that_the_session_is_gone_when_asked_to_validate",
       {smb_3_0_2},
       smb_3_0_2,
       unsigned_session(),
       [](smb2_proxy& by) {
         change_negotiate_response(by, [](auto& m) { m.capabilities = 0; });
         answer_for_the_server<smb2::ioctl>(by, [](const smb2::header& asked) {
           return forge(asked.command, asked.message_id, asked.session_id,
                        smb2::status::user_session_deleted, smb2::error_response{});
         });
       },
       not_secure,
       "VALIDATE_NEGOTIATE_INFO was answered without a signature"},
      {"refuses_validation_in_the_name_of_the_server",
       {smb_3_0_2},
       smb_3_0_2,
       unsigned_session(),
       [](smb2_proxy& by) {
         answer_for_the_server<smb2::ioctl>(by, [](const smb2::header& asked) {
           return forge(asked.command, asked.message_id, asked.session_id,
                        smb2::status::not_supported, smb2::error_response{});
         });
       },
       bad_signature,
       "the response carries a wrong signature"},

      {"speaks_smb1", all, smb_3_1_1, unsigned_session(),
       [](smb2_proxy& by) {
         on_response<smb2::negotiate>(by, [](auto& frame) { frame[0] = std::byte{0xFF}; });
       },
       lost, "an SMB1 message: it does not speak SMB2"},

      // --- log-on ---
      {"makes_us_a_guest",
       {smb_2_1},
       smb_2_1,
       unsigned_session(),
       [](smb2_proxy& by) {
         change_last_setup_response(
             by, [](auto& m) { m.session_flags |= smb2::session_flag::is_guest; });
       },
       not_secure,
       "the server took us for a guest, which nobody asked for"},
      {"says_that_nothing_need_be_sealed",
       {smb_3_1_1},
       smb_3_1_1,
       unsigned_session(),
       [](smb2_proxy& by) {
         change_last_setup_response(by, [](auto& m) { m.session_flags ^= 4; });
       },
       bad_signature,
       changed},
      {"takes_the_signature_of_the_last_setup_response_away",
       {smb_3_1_1},
       smb_3_1_1,
       unsigned_session(),
       [](smb2_proxy& by) { on_response<smb2::session_setup>(by, remove_signature); },
       not_secure,
       "the server did not sign its last response"},
      {"changes_a_header_of_the_log_on",
       {smb_3_1_1},
       smb_3_1_1,
       unsigned_session(),
       [](smb2_proxy& by) {
         on_response<smb2::session_setup>(by, [](auto& frame) { frame[14] ^= std::byte{0x40}; });
       },
       bad_signature,
       changed},
      {"lets_a_share_need_no_sealing",
       {smb_3_1_1},
       smb_3_1_1,
       unsigned_session(),
       [](smb2_proxy& by) {
         on_response<smb2::tree_connect>(
             by, [](auto& frame) { frame[smb2::header_bytes + 5] ^= std::byte{0x80}; });
       },
       bad_signature,
       "TREE_CONNECT to 127.0.0.1"},

      // --- signatures ---
      {"flips_a_signature_bit_of_hmac",
       {smb_2_1},
       smb_2_1,
       signed_session(),
       [](smb2_proxy& by) {
         on_response<smb2::read>(
             by, [](auto& frame) { frame[smb2::signature_offset] ^= std::byte{1}; });
       },
       bad_signature,
       wrong_signature},
      {"flips_a_signature_bit_of_cmac",
       {smb_3_0_2},
       smb_3_0_2,
       signed_session(),
       [](smb2_proxy& by) {
         on_response<smb2::read>(
             by, [](auto& frame) { frame[smb2::signature_offset + 15] ^= std::byte{0x80}; });
       },
       bad_signature,
       wrong_signature},
      {"flips_a_signature_bit_of_gmac",
       {smb_3_1_1},
       smb_3_1_1,
       signed_session(),
       [](smb2_proxy& by) {
         on_response<smb2::read>(
             by, [](auto& frame) { frame[smb2::signature_offset + 7] ^= std::byte{0x10}; });
       },
       bad_signature,
       wrong_signature},
      {"flips_a_bit_of_signed_data",
       {smb_3_1_1},
       smb_3_1_1,
       signed_session(),
       [](smb2_proxy& by) {
         on_response<smb2::read>(by, [](auto& frame) { frame.back() ^= std::byte{1}; });
       },
       bad_signature,
       wrong_signature},
      {"flips_a_bit_of_a_signed_header",
       {smb_2_0_2},
       smb_2_0_2,
       signed_session(),
       [](smb2_proxy& by) {
         on_response<smb2::read>(by, [](auto& frame) { frame[14] ^= std::byte{2}; });
       },
       bad_signature,
       wrong_signature},
      {"cuts_a_signed_message",
       {smb_3_0_2},
       smb_3_0_2,
       signed_session(),
       [](smb2_proxy& by) { on_response<smb2::read>(by, [](auto& frame) { frame.pop_back(); }); },
       bad_signature,
       wrong_signature},
      {"takes_the_signature_away",
       {smb_3_1_1},
       smb_3_1_1,
       signed_session(),
       [](smb2_proxy& by) { on_response<smb2::read>(by, remove_signature); },
       bad_signature,
       wrong_signature},
      {"answers_unsigned",
       {smb_3_1_1},
       smb_3_1_1,
       signed_session(),
       [](smb2_proxy& by) {
         answer_for_the_server<smb2::read>(by, [](const smb2::header& asked) {
           return forge_read(asked.message_id, asked.session_id);
         });
       },
       bad_signature,
       wrong_signature},
      {"answers_unsigned_on_21",
       {smb_2_1},
       smb_2_1,
       signed_session(),
       [](smb2_proxy& by) {
         answer_for_the_server<smb2::read>(by, [](const smb2::header& asked) {
           return forge_read(asked.message_id, asked.session_id);
         });
       },
       bad_signature,
       wrong_signature},
      {"says_pending_and_nothing_more",
       {smb_3_1_1},
       smb_3_1_1,
       signed_session(),
       [](smb2_proxy& by) {
         answer_for_the_server<smb2::read>(by, [](const smb2::header& asked) {
           return forge(asked.command, asked.message_id, asked.session_id, smb2::status::pending,
                        smb2::error_response{}, smb2::flags::async_command);
         });
       },
       smb2::errc::timed_out,
       "READ to 127.0.0.1"},
      {"swallows_a_request",
       {smb_3_1_1},
       smb_3_1_1,
       signed_session(),
       [](smb2_proxy& by) {
         by.from_client = [](passing& p) {
           std::erase_if(p.onward, [](const auto& frame) { return is(frame, smb2::read::number); });
         };
       },
       smb2::errc::timed_out,
       "no response within"},

      // --- replays ---
      {"sends_a_response_twice",
       {smb_3_1_1},
       smb_3_1_1,
       signed_session(),
       [](smb2_proxy& by) {
         by.from_server = [](passing& p) {
           if (is(p.onward.front(), smb2::create::number)) p.onward.push_back(p.onward.front());
         };
       },
       lost,
       "which is not awaited; the connection is closed"},
      {"answers_with_an_old_response",
       {smb_3_1_1},
       smb_3_1_1,
       signed_session(),
       [](smb2_proxy& by) {
         auto old = std::make_shared<frame_bytes>();
         by.from_server = [old](passing& p) {
           auto& frame = p.onward.front();
           if (!is(frame, smb2::create::number)) return;
           if (old->empty()) *old = frame;
           frame = *old;
         };
       },
       lost,
       "which is not awaited; the connection is closed"},
      {"answers_with_an_old_response_under_a_new_number",
       {smb_3_0_2},
       smb_3_0_2,
       signed_session(),
       [](smb2_proxy& by) {
         auto old = std::make_shared<frame_bytes>();
         by.from_server = [old](passing& p) {
           auto& frame = p.onward.front();
           if (!is(frame, smb2::create::number)) return;
           const auto message_id = head_of(frame)->message_id;
           if (old->empty()) *old = frame;
           frame = *old;
           wire::store_le(frame.data() + 24, message_id);
         };
       },
       bad_signature,
       "CREATE to 127.0.0.1"},
      {"sends_a_sealed_response_twice",
       {smb_3_1_1},
       smb_3_1_1,
       sealed_session(),
       [](smb2_proxy& by) {
         by.from_server = [](passing& p) {
           if (is_sealed(p.onward.front())) p.onward.push_back(p.onward.front());
         };
       },
       lost,
       "which is not awaited; the connection is closed"},

      // --- sealing ---
      {"answers_a_sealed_request_in_the_clear",
       {smb_3_1_1},
       smb_3_1_1,
       sealed_session(),
       [](smb2_proxy& by) {
         answer_the_sealed_read(
             by, [](smb2::u64 session) { return forge_read(read_request, session); });
       },
       not_secure,
       "the response is not sealed, though the request was"},
      {"says_pending_in_the_clear",
       {smb_3_1_1},
       smb_3_1_1,
       sealed_session(),
       [](smb2_proxy& by) {
         answer_the_sealed_read(by, [](smb2::u64 session) {
           return forge(smb2::read::number, read_request, session, smb2::status::pending,
                        smb2::error_response{}, smb2::flags::async_command);
         });
       },
       not_secure,
       "the response is not sealed, though the request was"},
      {"says_in_the_clear_that_the_session_is_gone",
       {smb_3_0_2},
       smb_3_0_2,
       sealed_session(),
       [](smb2_proxy& by) {
         by.from_client = [count = 0](passing& p) mutable {
           if (count++ != read_request) return;
           const auto outer = *smb2::decode_buffer<smb2::transform_header>(p.onward.front());
           p.onward.clear();
           // VALIDATE_NEGOTIATE_INFO comes first here: this is the second CREATE.
           p.back.push_back(forge(smb2::create::number, read_request, outer.session_id,
                                  smb2::status::user_session_deleted, smb2::error_response{}));
         };
       },
       not_secure,
       "the response is not sealed, though the request was"},
      {"swaps_the_session_of_a_sealed_message",
       {smb_3_1_1},
       smb_3_1_1,
       sealed_session(),
       [](smb2_proxy& by) {
         change_a_sealed_response(
             by, [](auto& frame) { frame[transform_session_offset] ^= std::byte{1}; });
       },
       not_secure,
       "for which there is no key; the connection is closed"},
      {"flips_a_bit_of_a_sealed_message",
       {smb_3_1_1},
       smb_3_1_1,
       sealed_session(),
       [](smb2_proxy& by) {
         change_a_sealed_response(by, [](auto& frame) { frame.back() ^= std::byte{1}; });
       },
       not_secure,
       "a sealed message that cannot be opened"},
      {"flips_a_bit_of_a_sealed_message_on_302",
       {smb_3_0_2},
       smb_3_0_2,
       sealed_session(),
       [](smb2_proxy& by) {
         change_a_sealed_response(by, [](auto& frame) { frame[60] ^= std::byte{4}; });
       },
       not_secure,
       "a sealed message that cannot be opened"},
      {"cuts_a_sealed_message",
       {smb_3_1_1},
       smb_3_1_1,
       sealed_session(),
       [](smb2_proxy& by) {
         change_a_sealed_response(by, [](auto& frame) { frame.resize(frame.size() - 9); });
       },
       not_secure,
       "a sealed message whose header is wrong"},
      {"cuts_a_sealed_message_and_says_so",
       {smb_3_1_1},
       smb_3_1_1,
       sealed_session(),
       [](smb2_proxy& by) {
         change_a_sealed_response(by, [](auto& frame) {
           frame.resize(frame.size() - 9);
           const auto left = frame.size() - smb2::transform_header::size;
           wire::store_le(frame.data() + transform_original_size_offset,
                          static_cast<smb2::u32>(left));
         });
       },
       not_secure,
       "a sealed message that cannot be opened"},
      {"says_that_a_sealed_message_is_none",
       {smb_3_1_1},
       smb_3_1_1,
       sealed_session(),
       [](smb2_proxy& by) {
         change_a_sealed_response(by, [](auto& frame) {
           wire::store_le(frame.data() + transform_flags_offset, smb2::u16{0});
         });
       },
       not_secure,
       "a sealed message whose header is wrong"},
      {"seals_the_answer_to_another_request",
       {smb_3_1_1},
       smb_3_1_1,
       sealed_session(),
       [](smb2_proxy& by) {
         auto old = std::make_shared<frame_bytes>();
         by.from_server = [old](passing& p) {
           auto& frame = p.onward.front();
           if (!is_sealed(frame)) return;
           if (old->empty())
             *old = frame;
           else
             frame = *old;
         };
       },
       lost,
       "which is not awaited; the connection is closed"},
  };
}

} // namespace support
