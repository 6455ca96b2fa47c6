#include "profiler/flow/smb2_matcher.hpp"

#include "smb2/commands.hpp"
#include "smb2/ntstatus.hpp"

#include <algorithm>

namespace profiler::flow {

namespace {

constexpr auto proto = wire::protocol::smb2;
/// Of a lease break notification, MS-SMB2 2.2.23.2.
constexpr u16 lease_break_structure = 44;
constexpr u16 server_to_client_notification = 0x13;

u64 mix(u64 a, u64 b) noexcept {
  u64 h = (a ^ 0x9E3779B97F4A7C15u) * 0xBF58476D1CE4E5B9u ^ b;
  h = (h ^ h >> 31) * 0x94D049BB133111EBu;
  h ^= h >> 29;
  return h == 0 ? 1 : h;
}

/// The path without its last component: up to the last backslash.
bytes folder_of(bytes path) noexcept {
  for (auto n = path.size() / 2 * 2; n >= 2; n -= 2)
    if (path[n - 2] == std::byte{'\\'} && path[n - 1] == std::byte{0}) return path.first(n - 2);
  return {};
}

u16 count_requests(const smb2::submessage& first, const seen_message& m) {
  if (first.head.next_command == 0) return 1;
  smb2::compound_walker walk(m.frame.data, m.frame.length);
  u16 n = 0;
  while (walk.next())
    ++n;
  return std::max<u16>(n, 1);
}

} // namespace

void smb2_matcher::put(wire::call_table<number>& table, u64 key, u64 value) {
  if (auto* found = table.find(key))
    found->value = value;
  else
    table.insert(key, {value});
}

std::size_t smb2_matcher::worth_keeping(direction /*d*/, bytes start) {
  const auto kind = smb2::kind_of(start);
  if (kind == smb2::message_kind::sealed && shared_.sealing.idle()) return smb2_data_keep_bytes;
  if (kind != smb2::message_kind::smb2) return keep_bytes;
  const auto head = smb2::decode_header(start);
  if (!head || head->next_command != 0) return keep_bytes;
  const auto carries_data = head->response() ? smb2::read::number : smb2::write::number;
  return head->command == carries_data ? smb2_data_keep_bytes : keep_bytes;
}

void smb2_matcher::message(direction d, const seen_message& m) {
  switch (smb2::kind_of(m.frame.data)) {
  case smb2::message_kind::smb2:
    return on_smb2(m);
  case smb2::message_kind::sealed:
    return on_sealed(d, m);
  case smb2::message_kind::compressed:
    return on_compressed(m, false);
  case smb2::message_kind::smb1:
    return on_smb1(d, m);
  case smb2::message_kind::keep_alive:
  case smb2::message_kind::other:
    return on_session_packet(d, m);
  }
}

/// Sessions that were seen here, so that those in somebody's data can be told from them.
void smb2_matcher::note_session(u64 id) {
  if (id == 0 || id == session_) return;
  session_ = id;
  if (sessions_.find(id) == nullptr) sessions_.insert(id, {id});
}

void smb2_matcher::note_sent(u64 id) {
  if (!first_sent_) first_sent_ = id;
  if (!newest_sent_ || id > *newest_sent_) newest_sent_ = id;
}

void smb2_matcher::on_smb2(const seen_message& m) {
  smb2::compound_walker walk(m.frame.data, m.frame.length);
  request previous;
  u16 parts = 0;
  while (const auto sub = walk.next()) {
    connection_.touch(proto, m.frame.last.time).is_signed |= sub->head.is_signed();
    note_session(sub->head.session_id);
    if (sub->head.response()) {
      on_response(*sub, m);
      continue;
    }
    if (parts == 0) parts = count_requests(*sub, m);
    on_request(*sub, m, previous, parts);
  }
  if (walk.ok()) return;
  auto& seen = connection_.seen();
  if (walk.error().offset > 0)
    ++seen.hidden_parts;
  else if (m.frame.whole())
    ++seen.malformed;
  else
    ++seen.cut_messages;
}

void smb2_matcher::on_request(const smb2::submessage& sub, const seen_message& m, request& previous,
                              u16 parts) {
  const auto& head = sub.head;
  const auto now = m.frame.last.time;
  handshakes_.request(sub, m);
  if (head.command == smb2::cancel::number) return on_cancel(head);
  note_sent(head.message_id);
  outstanding_.expire(now, [&](u64 id, const request& r) {
    give_up(r, id, now, true);
    given_up_.add(id, r.command);
  });
  if (repeated(head, m)) return;
  if (sub.index == 0) settle();
  const auto what = read_request(sub);
  request r;
  r.times = call_times(m);
  r.command = head.command;
  r.session = head.session_id;
  r.part = static_cast<u16>(sub.index);
  r.operations = parts;
  r.bytes = static_cast<u32>(std::min<u64>(sub.wire_length, ~u32{0}));
  if (sub.index == 0) r.bytes += static_cast<u32>(m.frame.prefix_bytes);
  r.chain = sub.index == 0 ? head.message_id : previous.chain;
  r.handle = what.handle;
  r.uses_previous = what.uses_previous && sub.index > 0;
  if (r.uses_previous && previous.handle != 0) {
    r.handle = previous.handle;
    r.uses_previous = false;
  }
  r.offset = what.offset;
  r.data_bytes = what.data_bytes;
  r.wanted = what.wanted;
  name_path(sub, what, r);
  previous = r;
  ++connection_.seen().calls;
  insert(r.command == smb2::change_notify::number ? waiting_ : outstanding_, head.message_id, r,
         now);
}

void smb2_matcher::insert(outstanding_calls<request>& into, u64 id, const request& r, nanos now) {
  const auto evicted = into.insert(id, r);
  if (!evicted) return;
  ++connection_.seen().evicted_calls;
  give_up(*evicted, 0, now, true);
}

/// A MessageId that is known: sent again, or the end of the request that had it.
bool smb2_matcher::repeated(const smb2::header& head, const seen_message& m) {
  auto* before = find(head.message_id);
  if (before == nullptr) {
    const auto* done = done_.find(head.message_id);
    if (done == nullptr || *done != head.command) return false;
    ++connection_.seen().retransmitted;
    return true;
  }
  if (before->command == head.command) {
    ++connection_.seen().retransmitted;
    before->times.again(m.frame.last.time);
    return true;
  }
  give_up(*take(head.message_id), head.message_id, m.frame.first.time, true);
  return false;
}

smb2_matcher::request* smb2_matcher::find(u64 id) {
  auto* r = outstanding_.find(id);
  return r != nullptr ? r : waiting_.find(id);
}

/// It names its request by AsyncId once an interim response has told one, else by MessageId
/// (MS-SMB2 3.2.4.24).
void smb2_matcher::on_cancel(const smb2::header& head) {
  auto& seen = connection_.seen();
  ++seen.cancels;
  auto id = head.message_id;
  if (head.async()) {
    const auto* told = asyncs_.find(head.async_id);
    if (told != nullptr) id = told->value;
  }
  if (find(id) == nullptr) ++seen.cancels_unmatched;
}

std::optional<smb2_matcher::request> smb2_matcher::take(u64 id) {
  auto r = outstanding_.take(id);
  return r ? r : waiting_.take(id);
}

/// By MessageId, and where that leads nowhere by the AsyncId of the interim response.
std::optional<smb2_matcher::request> smb2_matcher::take_request_of(const smb2::header& head) {
  const auto told = head.async() ? asyncs_.take(head.async_id) : std::nullopt;
  auto r = take(head.message_id);
  return r || !told ? std::move(r) : take(told->value);
}

/// From now on the request may take as long as it likes.
void smb2_matcher::on_interim(const smb2::header& head, nanos now) {
  ++connection_.seen().interim_replies;
  const auto id = head.message_id;
  if (find(id) != nullptr) put(asyncs_, head.async_id, id);
  if (auto* r = waiting_.find(id)) {
    r->interim = true;
  } else if (auto left = outstanding_.take(id)) {
    left->interim = true;
    insert(waiting_, id, *left, now);
  }
}

/// A number for the share, the same on all connections to it.
u64 smb2_matcher::scope_of(const smb2::header& head) {
  const auto tree = mix(head.session_id, head.tree_id);
  const auto* share = trees_.find(tree);
  return share == nullptr ? tree : share->value;
}

void smb2_matcher::name_path(const smb2::submessage& sub, const smb2_request& what, request& r) {
  if (!what.name_complete) return;
  if (r.command == smb2::tree_connect::number) {
    r.share = name_key(1, what.name);
    remember(r.share, 0, what.name);
    shared_.paths.bind(r.share, r.share);
  } else if (r.command == smb2::create::number) {
    const auto scope = scope_of(sub.head);
    r.names = true;
    r.name = name_key(scope, what.name);
    remember(r.name, scope, what.name);
    if (what.name.empty()) return;
    const auto folder = folder_of(what.name);
    r.parent = name_key(scope, folder);
    remember(r.parent, scope, folder);
  } else if (r.command == smb2::set_info::number) {
    const auto scope = scope_of(sub.head);
    r.name = name_key(scope, what.name);
    remember(r.name, scope, what.name);
  }
}

/// A path in a share, or the share.
void smb2_matcher::remember(u64 name, u64 parent, bytes path) {
  if (shared_.paths.knows(name)) return;
  shared_.paths.remember(name, parent, smb2::utf16_view(path).text(), '\\');
}

void smb2_matcher::on_response(const smb2::submessage& sub, const seen_message& m) {
  const auto& head = sub.head;
  if (head.message_id == smb2::unsolicited_message_id) return on_unsolicited(sub);
  if (head.status == smb2::status::pending && head.async())
    return on_interim(head, m.frame.last.time);
  handshakes_.response(sub, m);
  const auto r = take_request_of(head);
  if (!r) {
    if (head.command == smb2::negotiate::number && smb1_negotiate_) return on_negotiated(sub, m);
    return on_orphan(head);
  }
  done_.add(head.message_id, r->command);
  smb2_results results;
  if (smb2::carries_response(r->command, head.status)) results = read_response(sub);
  if (r->share != 0 && head.status == smb2::status::success)
    put(trees_, mix(head.session_id, head.tree_id), r->share);
  wire::exchange e;
  store_reply(m, e);
  e.reply_bytes = static_cast<u32>(std::min<u64>(sub.wire_length, ~u32{0}));
  if (sub.index == 0) e.reply_bytes += static_cast<u32>(m.frame.prefix_bytes);
  e.status = head.status;
  e.failed = smb2::is_failure(r->command, head.status);
  emit(*r, head.message_id, results, e);
  outstanding_.answered(*r, [this](u64 id, const request& left, nanos end_of_reply) {
    eliminated(left, id, end_of_reply);
  });
}

/// What the server sends on its own: it answers no request.
void smb2_matcher::on_unsolicited(const smb2::submessage& sub) {
  auto& seen = connection_.seen();
  if (sub.head.command == server_to_client_notification) {
    ++seen.notifications;
    return;
  }
  ++seen.breaks;
  const auto body = sub.data.subspan(smb2::header_bytes);
  if (body.size() >= 2 && wire::load_le<u16>(body.data()) == lease_break_structure)
    ++seen.lease_breaks;
}

void smb2_matcher::on_orphan(const smb2::header& head) {
  auto& seen = connection_.seen();
  if (done_.find(head.message_id) != nullptr) {
    ++seen.duplicate_replies;
    return;
  }
  if (given_up_.find(head.message_id) != nullptr) {
    ++seen.late_replies;
    return;
  }
  losses_.orphan(why_orphan(head));
}

/// MessageIds count up: what is below the first request that was seen came before it.
orphan_reason smb2_matcher::why_orphan(const smb2::header& head) const noexcept {
  if (connection_.mid_stream() && (!first_sent_ || head.message_id < *first_sent_))
    return orphan_reason::before_start;
  return requests_lost_ ? orphan_reason::in_gap : orphan_reason::untold;
}

/// An SMB1 NEGOTIATE that offers SMB2 is answered by an SMB2 response (MS-SMB2 3.3.5.3.1).
void smb2_matcher::on_negotiated(const smb2::submessage& sub, const seen_message& m) {
  const auto r = *std::exchange(smb1_negotiate_, std::nullopt);
  ++connection_.seen().calls;
  wire::exchange e;
  store_reply(m, e);
  e.status = sub.head.status;
  e.failed = smb2::is_failure(r.command, e.status);
  emit(r, sub.head.message_id, read_response(sub), e);
}

void smb2_matcher::emit(const request& r, u64 id, const smb2_results& results, wire::exchange& e) {
  auto& connection = connection_.touch(proto, known(e.t.r1) ? e.t.r1 : r.times.q1);
  ++connection.exchanges;
  // Of the answer to a multi-protocol NEGOTIATE only the next one counts.
  if (results.dialect != 0 && results.dialect != static_cast<u16>(smb2::any_smb2)) {
    connection.dialect = results.dialect;
    connection.max_read = results.max_read;
    connection.max_write = results.max_write;
  }
  r.times.store(e);
  e.proto = proto;
  e.operation = r.command;
  e.operations = r.operations;
  e.part = r.part;
  e.interim = r.interim;
  e.long_wait =
      r.command == smb2::change_notify::number || (r.command == smb2::lock::number && r.interim);
  e.connection = connection_.number();
  e.id = id;
  e.offset = r.offset;
  e.request_bytes = r.bytes;
  if (e.replied && !e.failed) e.data_bytes = std::max(r.data_bytes, results.data_bytes);
  find_objects(r, results, e);
  auto& seen = connection_.seen();
  if (e.long_wait) ++seen.long_waits;
  if (e.replied) ++seen.answered;
  if (e.replied && e.timed()) ++(e.bounded() ? seen.bounded : seen.timed);
  shared_.out.on_exchange(e);
}

void smb2_matcher::find_objects(const request& r, const smb2_results& results, wire::exchange& e) {
  auto& objects = shared_.objects;
  if (r.command == smb2::create::number) {
    if (r.parent != 0) {
      e.parent = objects.by_name(r.parent);
      objects.mark_directory(e.parent);
    }
    if (results.handle != 0 && r.names)
      e.file = objects.bind_open(r.name, results.handle, results.created);
    else if (results.handle != 0)
      e.file = objects.by_handle(results.handle);
    else if (r.names)
      e.file = e.status == smb2::status::object_name_not_found ? objects.missing(r.name)
                                                               : objects.by_name(r.name);
    if (r.names) shared_.paths.bind(e.file, r.name);
    if (r.parent != 0) shared_.paths.bind(e.parent, r.parent);
    if (results.directory) objects.mark_directory(e.file);
    if (r.operations > 1) put(chains_, r.chain, e.file);
  } else if (r.handle != 0) {
    e.file = objects.by_handle(r.handle);
    if (r.command == smb2::query_directory::number) objects.mark_directory(e.file);
    if (r.command == smb2::set_info::number && r.name != 0 && e.replied && !e.failed) {
      objects.call(e.file, r.name);
      shared_.paths.bind(e.file, r.name);
    }
  } else if (r.uses_previous) {
    if (const auto* file = chains_.find(r.chain)) e.file = file->value;
  }
  e.directory = objects.is_directory(e.file);
}

void smb2_matcher::give_up(const request& r, u64 id, nanos until, bool expired) {
  const bool subscription = r.command == smb2::change_notify::number;
  if (subscription)
    ++connection_.seen().still_waiting;
  else
    losses_.unanswered(direction::to_server, r.times.q1, expired, connection_.seen());
  auto e = r.times.unanswered(until);
  emit(r, id, {}, e);
}

void smb2_matcher::eliminated(const request& r, u64 id, nanos end_of_reply) {
  ++connection_.seen().by_elimination;
  auto e = eliminated_at(end_of_reply);
  emit(r, id, {}, e);
}

void smb2_matcher::step_lost(direction d) {
  connection_.seen().encrypted_unpaired += pairs_.lost();
  requests_lost_ |= d == direction::to_server;
}

void smb2_matcher::lost(direction d, const hole& h) {
  refused_ = 0;
  losses_.hole(d, h);
  if (d != direction::to_client) return;
  outstanding_.lost(h, [this](u64 id, const request& left, nanos end_of_reply) {
    eliminated(left, id, end_of_reply);
  });
}

void smb2_matcher::unseen(direction d, nanos at) {
  if (d == direction::to_client) outstanding_.unseen(at);
}

/// The commands of a compound are answered together.
void smb2_matcher::settle() {
  outstanding_.settle([](u64, const request& r) { return r.chain; },
                      [this](u64 id, const request& r, nanos until) { eliminated(r, id, until); });
}

void smb2_matcher::end(nanos at) {
  settle();
  connection_.seen().encrypted_unpaired += pairs_.end();
  outstanding_.eliminate([this](u64 id, const request& left, nanos end_of_reply) {
    eliminated(left, id, end_of_reply);
  });
  for (auto* left : {&outstanding_, &waiting_})
    left->give_up_all([&](u64 id, const request& r) { give_up(r, id, at, false); });
  losses_.end();
}

} // namespace profiler::flow
