#include "profiler/flow/smb2_matcher.hpp"

#include "smb2/commands.hpp"
#include "smb2/ntstatus.hpp"

#include <algorithm>

namespace profiler::flow {

namespace {

constexpr auto proto = wire::protocol::smb2;
constexpr std::size_t prefix_bytes = smb2::direct_tcp::prefix_bytes;
/// Of the SMB1 header: protocol id, command.
constexpr std::size_t smb1_command_offset = 4;
constexpr auto smb1_negotiate = std::byte{0x72};

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

bool smb2_matcher::starts_message(direction, bytes stream, bool) {
  constexpr std::size_t through_message_id = 32;
  if (stream.size() < prefix_bytes + 4) return false;
  const auto prefix = wire::load_be<u32>(stream.data());
  if (prefix >> 24 != smb2::direct_tcp::session_message || prefix < smb2::header_bytes / 2)
    return false;
  const auto message = stream.subspan(prefix_bytes);
  switch (smb2::kind_of(message)) {
  case smb2::message_kind::sealed:
  case smb2::message_kind::compressed:
  case smb2::message_kind::smb1:
    return true;
  case smb2::message_kind::keep_alive:
  case smb2::message_kind::other:
    return false;
  case smb2::message_kind::smb2:
    break;
  }
  if (message.size() < through_message_id || prefix < smb2::header_bytes) return false;
  const auto* p = message.data();
  if (wire::load_le<u16>(p + 4) != smb2::header_bytes || wire::load_le<u16>(p + 12) > 0x13)
    return false;
  if ((wire::load_le<u32>(p + 16) & smb2::flags::server_to_redir) == 0) return true;
  const auto id = wire::load_le<u64>(p + 24);
  return id == smb2::unsolicited_message_id || outstanding_.empty() ||
         outstanding_.find(id) != nullptr || waiting_.find(id) != nullptr;
}

void smb2_matcher::message(direction, const seen_message& m) {
  switch (smb2::kind_of(m.frame.data)) {
  case smb2::message_kind::smb2:
    return on_smb2(m);
  case smb2::message_kind::sealed:
    connection_.touch(proto, m.frame.last.time).encrypted = true;
    ++connection_.seen().encrypted_messages;
    connection_.seen().encrypted_bytes += m.frame.length + m.frame.prefix_bytes;
    return;
  case smb2::message_kind::compressed:
    connection_.touch(proto, m.frame.last.time);
    ++connection_.seen().compressed_messages;
    return;
  case smb2::message_kind::smb1:
    return on_smb1(m);
  case smb2::message_kind::keep_alive:
    return;
  case smb2::message_kind::other:
    // Session packets of port 139 have no protocol id and are no messages.
    if (!m.frame.whole() && m.frame.data.size() < 4) ++connection_.seen().cut_messages;
    return;
  }
}

void smb2_matcher::on_smb1(const seen_message& m) {
  ++connection_.seen().smb1_messages;
  const auto data = m.frame.data;
  if (data.size() <= smb1_command_offset || data[smb1_command_offset] != smb1_negotiate) return;
  smb1_negotiate_.emplace();
  smb1_negotiate_->times = call_times(m);
  smb1_negotiate_->bytes = smb1_negotiate_->times.bytes;
}

void smb2_matcher::on_smb2(const seen_message& m) {
  smb2::compound_walker walk(m.frame.data, m.frame.length);
  request previous;
  u16 parts = 0;
  while (const auto sub = walk.next()) {
    connection_.touch(proto, m.frame.last.time).is_signed |= sub->head.is_signed();
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
  if (head.command == smb2::cancel::number) {
    ++connection_.seen().cancels;
    return;
  }
  outstanding_.expire(now, [&](u64 id, const request& r) { give_up(r, id, now); });
  if (repeated(head, m)) return;
  const auto what = read_request(sub);
  request r;
  r.times = call_times(m);
  r.command = head.command;
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
  give_up(*evicted, 0, now);
}

/// A MessageId that is known: sent again, or the end of the request that had it.
bool smb2_matcher::repeated(const smb2::header& head, const seen_message& m) {
  auto* before = outstanding_.find(head.message_id);
  if (before == nullptr) before = waiting_.find(head.message_id);
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
  give_up(*take(head.message_id), head.message_id, m.frame.first.time);
  return false;
}

std::optional<smb2_matcher::request> smb2_matcher::take(u64 id) {
  auto r = outstanding_.take(id);
  return r ? r : waiting_.take(id);
}

/// From now on the request may take as long as it likes.
void smb2_matcher::on_interim(u64 id, nanos now) {
  ++connection_.seen().interim_replies;
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
  } else if (r.command == smb2::create::number) {
    const auto scope = scope_of(sub.head);
    r.names = true;
    r.name = name_key(scope, what.name);
    if (!what.name.empty()) r.parent = name_key(scope, folder_of(what.name));
  }
}

void smb2_matcher::on_response(const smb2::submessage& sub, const seen_message& m) {
  const auto& head = sub.head;
  auto& seen = connection_.seen();
  if (head.message_id == smb2::unsolicited_message_id) {
    ++seen.breaks;
    return;
  }
  if (head.status == smb2::status::pending && head.async()) {
    on_interim(head.message_id, m.frame.last.time);
    return;
  }
  const auto r = take(head.message_id);
  if (!r) {
    if (head.command == smb2::negotiate::number && smb1_negotiate_) return on_negotiated(sub, m);
    ++(done_.find(head.message_id) ? seen.duplicate_replies : seen.orphan_replies);
    return;
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
    if (results.directory) objects.mark_directory(e.file);
    if (r.operations > 1) put(chains_, r.chain, e.file);
  } else if (r.handle != 0) {
    e.file = objects.by_handle(r.handle);
    if (r.command == smb2::query_directory::number) objects.mark_directory(e.file);
  } else if (r.uses_previous) {
    if (const auto* file = chains_.find(r.chain)) e.file = file->value;
  }
  e.directory = objects.is_directory(e.file);
}

void smb2_matcher::give_up(const request& r, u64 id, nanos until) {
  const bool subscription = r.command == smb2::change_notify::number;
  ++(subscription ? connection_.seen().still_waiting : connection_.seen().unanswered);
  wire::exchange e;
  e.replied = false;
  e.t.completed = r.times.waited_until(until);
  emit(r, id, {}, e);
}

void smb2_matcher::eliminated(const request& r, u64 id, nanos end_of_reply) {
  ++connection_.seen().by_elimination;
  wire::exchange e;
  e.by_elimination = true;
  e.t.r1 = end_of_reply;
  emit(r, id, {}, e);
}

void smb2_matcher::lost(direction d, const hole& h) {
  if (d != direction::to_client) return;
  outstanding_.lost(h, [this](u64 id, const request& left, nanos end_of_reply) {
    eliminated(left, id, end_of_reply);
  });
}

void smb2_matcher::end(nanos at) {
  outstanding_.eliminate([this](u64 id, const request& left, nanos end_of_reply) {
    eliminated(left, id, end_of_reply);
  });
  for (auto* left : {&outstanding_, &waiting_})
    left->give_up_all([&](u64 id, const request& r) { give_up(r, id, at); });
}

} // namespace profiler::flow
