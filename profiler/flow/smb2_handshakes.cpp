#include "profiler/flow/smb2_handshakes.hpp"

#include "smb2/commands.hpp"
#include "smb2/ntstatus.hpp"

namespace profiler::flow {

void smb2_handshakes::handshake::add(const smb2::submessage& sub, const seen_message& m) {
  whole = whole && m.frame.whole() && sub.wire_length == m.frame.length;
  const bytes pieces[] = {m.frame.data};
  if (whole) hash.update(pieces);
}

void smb2_handshakes::request(const smb2::submessage& sub, const seen_message& m) {
  if (sealing_.idle()) return;
  if (sub.head.command == smb2::negotiate::number) {
    // Behind a multi-protocol NEGOTIATE comes a second one, and only that counts.
    connection_.emplace();
    connection_->whole = true;
    connection_->add(sub, m);
  }
  if (sub.head.command != smb2::session_setup::number) return;
  handshake next;
  if (sub.head.session_id == 0) {
    if (connection_) next = *connection_;
  } else {
    // One that is not known renews an old session's authentication or binds this connection to
    // it: neither changes its keys.
    const auto found = to_be_continued_.find(sub.head.session_id);
    if (found == to_be_continued_.end()) return;
    next = std::move(found->second);
    to_be_continued_.erase(found);
  }
  if (asked_.size() >= handshakes_max) return;
  next.add(sub, m);
  asked_.insert_or_assign(sub.head.message_id, std::move(next));
}

void smb2_handshakes::response(const smb2::submessage& sub, const seen_message& m) {
  if (sealing_.idle()) return;
  if (sub.head.command == smb2::negotiate::number) negotiated(sub, m);
  if (sub.head.command == smb2::session_setup::number) set_up(sub, m);
}

void smb2_handshakes::negotiated(const smb2::submessage& sub, const seen_message& m) {
  const auto r = smb2::decode_prefix<smb2::negotiate::response>(sub.data, sub.wire_length).message;
  if (r.revision == smb2::any_smb2) return;
  dialect_ = r.revision;
  if (const auto found = smb2::find_context<smb2::encryption_capabilities>(r.contexts);
      found && *found && !(*found)->ciphers.empty())
    cipher_ = (*found)->ciphers.front();
  if (connection_) connection_->add(sub, m);
}

void smb2_handshakes::set_up(const smb2::submessage& sub, const seen_message& m) {
  if (sub.head.status == smb2::status::pending) return;
  auto asked = asked_.extract(sub.head.message_id);
  const auto id = sub.head.session_id;
  if (sub.head.status == smb2::status::more_processing_required) {
    if (asked.empty() || to_be_continued_.size() >= handshakes_max) return;
    asked.mapped().add(sub, m);
    to_be_continued_.insert_or_assign(id, std::move(asked.mapped()));
  } else if (sub.head.status == smb2::status::success) {
    const bool whole = !asked.empty() && asked.mapped().whole;
    sealing_.establish(id, dialect_, cipher_, whole ? &asked.mapped().hash.value() : nullptr);
  }
}

} // namespace profiler::flow
