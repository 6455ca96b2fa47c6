#include "profiler/flow/rpc_matcher.hpp"

#include "nfs/v3/operations.hpp"
#include "profiler/flow/rpc_resync.hpp"

#include <algorithm>

namespace profiler::flow {

namespace {

constexpr auto no_entry = static_cast<u32>(nfs::nfsstat3::noent);

bool lists_directory(const rpc_call& c) noexcept {
  using namespace nfs::v3;
  return c.proto == wire::protocol::nfs3 &&
         (c.operation == readdir::procedure || c.operation == readdirplus::procedure ||
          c.operation == fsinfo::procedure || c.operation == fsstat::procedure ||
          c.operation == pathconf::procedure);
}

bool names_directory(const rpc_call& c) noexcept {
  return c.proto == wire::protocol::nfs3 &&
         (c.operation == nfs::v3::mkdir::procedure || c.operation == nfs::v3::rmdir::procedure);
}

/// Of a call that was not answered there is one exchange, whatever it is made of.
class last_exchange final : public wire::exchange_sink {
 public:
  explicit last_exchange(wire::exchange& to) : to_(to) {}
  void on_exchange(const wire::exchange& e) override { to_ = e; }

 private:
  wire::exchange& to_;
};

bool removes(const rpc_call& c) noexcept {
  return c.proto == wire::protocol::nfs3 &&
         (c.operation == nfs::v3::remove::procedure || c.operation == nfs::v3::rmdir::procedure);
}

} // namespace

rpc_matcher::rpc_matcher(context& shared, listed_connection& connection)
    : shared_(shared), connection_(connection), losses_(connection) {
  shared_.retries.join(caller(direction::to_server), *this);
}

rpc_matcher::~rpc_matcher() {
  shared_.retries.leave(caller(direction::to_server), *this);
}

bool rpc_matcher::starts_message(direction d, bytes stream, bool at_segment_start) {
  const auto start = read_record_start(stream);
  if (!start) return false;
  auto& along = calls_to(d);
  if (!start->reply) {
    const bool believed = start->ends_well || is_next_call(d, start->xid, at_segment_start) ||
                          ++along.doubted_calls > doubted_calls_max;
    if (believed) along.doubted_calls = 0;
    return believed;
  }
  auto& calls = calls_to(opposite(d)).outstanding;
  if (calls.find(start->xid) != nullptr) return true;
  // The reply to a call that was not captured; where calls travel it is file data.
  const bool nothing_known = calls.empty() && !along.outstanding.newest();
  return start->certain_form && (start->ends_well || (at_segment_start && nothing_known));
}

/// Of a record of which no end can be seen. File data may hold one anywhere; callers begin theirs
/// at the start of a segment, mostly, and count xids up. Against the calls only callbacks travel,
/// which are short.
bool rpc_matcher::is_next_call(direction d, u32 xid, bool at_segment_start) {
  const auto before = calls_to(d).outstanding.newest();
  if (!before) return at_segment_start && !calls_to(opposite(d)).outstanding.newest();
  return at_segment_start || near_xid(xid, *before);
}

std::size_t rpc_matcher::worth_keeping(direction d, bytes start) {
  if (rpc::message_type(start) != rpc::msg_type::reply) return rpc_keep_bytes;
  const auto* c = calls_to(opposite(d)).outstanding.find(wire::load_be<u32>(start.data()));
  return c != nullptr && lists_entries(c->what) ? rpc_listing_keep_bytes : rpc_keep_bytes;
}

void rpc_matcher::message(direction d, const seen_message& m) {
  losses_.message(d);
  const auto type = rpc::message_type(m.frame.data);
  if (type == rpc::msg_type::call)
    on_call(d, m);
  else if (type == rpc::msg_type::reply)
    on_reply(d, m);
  else
    refused(m, wire::errc::bad_value);
}

void rpc_matcher::refused(const seen_message& m, wire::errc why) {
  if (why == wire::errc::truncated || (m.frame.data.size() < 8 && !m.frame.whole()))
    ++connection_.seen().cut_messages;
  else
    ++connection_.seen().malformed;
}

void rpc_matcher::on_call(direction d, const seen_message& m) {
  call_names names;
  auto what = read_call(m.frame.data, names);
  if (!what) return refused(m, what.error().code);
  remember(*what, names);
  auto& side = calls_to(d);
  const auto xid = wire::load_be<u32>(m.frame.data.data());
  const auto now = m.frame.last.time;
  side.outstanding.expire(now, [&](u64 id, const call& c) { give_up(d, c, id, now, true); });
  if (repeated(d, xid, *what, m)) return;
  settle(side);
  call made{std::move(*what), call_times(m), 0};
  if (made.what.analysed) {
    auto& connection = connection_.touch(made.what.proto, now);
    connection.security =
        static_cast<u8>(connection.security | 1u << static_cast<u8>(made.what.security));
    adopt(d, xid, made, m);
    ++connection_.seen().calls;
    if (made.what.security == rpc_security::privacy) ++connection_.seen().sealed_calls;
  } else {
    ++connection_.seen().other_calls;
  }
  const auto evicted = side.outstanding.insert(xid, std::move(made));
  if (!evicted) return;
  ++connection_.seen().evicted_calls;
  give_up(d, *evicted, 0, now, true);
}

void rpc_matcher::remember(const rpc_call& what, const call_names& names) {
  constexpr char separator = '/';
  auto& paths = shared_.paths;
  for (const auto& c : names.components)
    paths.remember(c.key, 0, c.name, separator);
  if (what.name != 0 && !paths.knows(what.name))
    paths.remember(what.name, what.object == 0 ? 0 : shared_.objects.by_handle(what.object),
                   wire::as_text(names.entry), separator);
  if (what.new_name != 0 && !paths.knows(what.new_name))
    paths.remember(what.new_name, shared_.objects.by_handle(names.new_parent),
                   wire::as_text(names.new_entry), separator);
}

/// The call may be one that another connection saw before.
void rpc_matcher::adopt(direction d, u32 xid, call& c, const seen_message& m) {
  const bool young = calls_seen_ < retry_index::calls_watched;
  if (young) ++calls_seen_;
  const auto sent = m.frame.first.time;
  shared_.retries.expire(sent - call_expiry, [this](const auto& old) { unanswered(shared_, old); });
  const auto earlier = shared_.retries.find(caller(d), xid, c.what, sent, young, *this);
  if (!earlier) return;
  --shared_.connections.at(earlier->connection).seen.calls;
  c.times = earlier->times;
  c.times.again(m.frame.last.time);
  ++connection_.seen().retransmitted;
  ++connection_.seen().moved_calls;
}

std::optional<rpc_attempt> rpc_matcher::hand_over(u32 xid, const rpc_call& what, nanos until) {
  auto& side = calls_to(direction::to_server);
  const auto* c = side.outstanding.find(xid);
  if (c == nullptr || !c->what.analysed || !c->what.same_call(what) || c->times.q1 > until)
    return std::nullopt;
  auto out = *side.outstanding.take(xid);
  out.connection = connection_.number();
  // Its reply may still come here: late, not unasked for.
  side.done.add(xid, {what.program, what.procedure});
  return out;
}

/// A call whose xid is known: an attempt of the same one, or the end of the one that had it.
bool rpc_matcher::repeated(direction d, u32 xid, const rpc_call& what, const seen_message& m) {
  auto& side = calls_to(d);
  if (auto* before = side.outstanding.find(xid)) {
    if (before->what.same_procedure(what)) {
      ++connection_.seen().retransmitted;
      before->times.again(m.frame.last.time);
      return true;
    }
    give_up(d, *side.outstanding.take(xid), xid, m.frame.first.time, true);
    return false;
  }
  const auto* done = side.done.find(xid);
  if (done == nullptr || done->program != what.program || done->number != what.procedure)
    return false;
  ++connection_.seen().retransmitted;
  return true;
}

void rpc_matcher::on_reply(direction d, const seen_message& m) {
  const auto header = rpc::decode_reply_header(m.frame.data);
  if (header.error.code == wire::errc::bad_value || header.error.code == wire::errc::over_limit)
    return refused(m, header.error.code);
  const auto xid = header.message.xid;
  auto& side = calls_to(opposite(d));
  const auto c = side.outstanding.take(xid);
  if (!c) {
    connection_.touch(m.frame.last.time);
    if (side.done.find(xid))
      ++connection_.seen().duplicate_replies;
    else
      losses_.orphan(losses_.why_orphan(d));
    return;
  }
  side.done.add(xid, {c->what.program, c->what.procedure});
  if (!c->what.analysed) return;

  rpc_results results;
  if (header.ok() && header.message.succeeded()) {
    const auto body = m.frame.data.subspan(header.size);
    results = read_results(c->what, body);
    for (const auto& entry : listed_entries(c->what, body))
      learn(c->what.object, entry);
  } else if (header.ok()) {
    results.failed = true;
    results.status = header.message.stat == rpc::reply_stat::accepted
                         ? static_cast<u32>(header.message.accepted)
                         : static_cast<u32>(header.message.auth);
  }
  wire::exchange e;
  store_reply(m, e);
  emit(*c, xid, results, e);
  side.outstanding.answered(*c, [this](u64 id, const call& left, nanos end_of_reply) {
    eliminated(left, id, end_of_reply);
  });
}

void rpc_matcher::learn(u64 directory, const listed_entry& entry) {
  auto& objects = shared_.objects;
  const auto name = name_key(directory, entry.name);
  if (!shared_.paths.knows(name))
    shared_.paths.remember(name, objects.by_handle(directory), wire::as_text(entry.name), '/');
  const auto file = objects.bind_handle(name, entry.handle);
  if (entry.directory) objects.mark_directory(file);
  shared_.paths.bind(file, name);
}

void rpc_matcher::emit(const call& c, u64 xid, const rpc_results& results, wire::exchange& e) {
  auto& connection = connection_.touch(c.what.proto, known(e.t.r1) ? e.t.r1 : c.times.q1);
  ++connection.exchanges;
  connection.max_read = std::max(connection.max_read, results.max_read);
  connection.max_write = std::max(connection.max_write, results.max_write);
  if (results.compound.session.slots != 0) connection.session = results.compound.session;
  describe(c, xid, results, e);
  auto& seen = connection_.seen();
  if (e.replied) ++seen.answered;
  if (e.replied && e.timed()) ++(e.bounded() ? seen.bounded : seen.timed);
  hand_on(c, results, e, shared_.out);
}

void rpc_matcher::describe(const call& c, u64 xid, const rpc_results& results, wire::exchange& e) {
  c.times.store(e);
  e.proto = c.what.proto;
  e.operation = c.what.operation;
  e.connection = connection_.number();
  e.status = results.status;
  e.failed = results.failed;
  e.id = xid;
  e.offset = c.what.offset;
  if (e.replied && !e.failed) e.data_bytes = std::max(c.what.data_bytes, results.data_bytes);
}

/// Of a compound each operation.
void rpc_matcher::hand_on(const call& c, const rpc_results& results, wire::exchange& e,
                          wire::exchange_sink& out) {
  if (c.what.compound.readable) {
    if (!emit_compound(c.what.compound, results.compound, e, shared_.objects, shared_.paths, out))
      ++connection_.seen().hidden_parts;
    return;
  }
  find_objects(c.what, results, e);
  out.on_exchange(e);
}

/// Which file it was about; what the reply tells of names and handles is kept for the next calls.
void rpc_matcher::find_objects(const rpc_call& what, const rpc_results& results,
                               wire::exchange& e) {
  auto& objects = shared_.objects;
  const bool done = e.replied && !e.failed;
  if (!what.names) {
    if (what.object == 0) {
      if (results.handle == 0) return;
      const auto root = objects.by_handle(results.handle);
      objects.mark_directory(root);
      shared_.paths.bind(root, what.name);
      return;
    }
    e.file = objects.by_handle(what.object);
    if (results.directory || lists_directory(what)) objects.mark_directory(e.file);
    e.directory = objects.is_directory(e.file);
    return;
  }
  if (what.object != 0) {
    e.parent = objects.by_handle(what.object);
    objects.mark_directory(e.parent);
  }
  if (results.handle != 0 && what.name != 0)
    e.file = objects.bind_handle(what.name, results.handle);
  else if (results.handle != 0)
    e.file = objects.by_handle(results.handle);
  else if (what.name != 0)
    e.file = results.status == no_entry ? objects.missing(what.name) : objects.by_name(what.name);
  if (what.name != 0) shared_.paths.bind(e.file, what.name);
  if (results.directory || (done && names_directory(what))) objects.mark_directory(e.file);
  e.directory = objects.is_directory(e.file);
  if (done && removes(what)) objects.forget(what.name);
  if (!done || what.new_name == 0) return;
  objects.rename(what.name, what.new_name);
  shared_.paths.bind(e.file, what.new_name);
}

void rpc_matcher::give_up(direction d, const call& c, u64 xid, nanos until, bool expired) {
  if (!c.what.analysed) return;
  losses_.unanswered(d, c.times.q1, expired, connection_.seen());
  auto e = c.times.unanswered(until);
  emit(c, xid, {}, e);
}

/// The connection is over: another one may repeat the call.
void rpc_matcher::abandon(direction d, const call& c, u64 xid, nanos at) {
  if (!c.what.analysed) return;
  retry_index::abandoned kept{.attempt = c, .unanswered = {}, .why = {}, .given_up = at};
  kept.attempt.connection = connection_.number();
  auto e = c.times.unanswered(at);
  describe(c, xid, {}, e);
  last_exchange only(kept.unanswered);
  hand_on(c, {}, e, only);
  losses_.unanswered(d, c.times.q1, false, kept.why);
  if (const auto old = shared_.retries.keep(caller(d), static_cast<u32>(xid), std::move(kept)))
    unanswered(shared_, *old);
}

void rpc_matcher::unanswered(context& shared, const retry_index::abandoned& call) {
  auto& connection = shared.connections.at(call.attempt.connection);
  ++connection.exchanges;
  connection.seen.merge(call.why);
  shared.out.on_exchange(call.unanswered);
}

void rpc_matcher::eliminated(const call& c, u64 xid, nanos end_of_reply) {
  if (!c.what.analysed) return;
  ++connection_.seen().by_elimination;
  auto e = eliminated_at(end_of_reply);
  emit(c, xid, {}, e);
}

void rpc_matcher::lost(direction d, const hole& h) {
  losses_.hole(d, h);
  calls_to(opposite(d)).outstanding.lost(h, [this](u64 id, const call& left, nanos end_of_reply) {
    eliminated(left, id, end_of_reply);
  });
}

void rpc_matcher::unseen(direction d, nanos at) {
  calls_to(opposite(d)).outstanding.unseen(at);
}

void rpc_matcher::settle(calls_one_way& side) {
  side.outstanding.settle([](u64 id, const call&) { return id; },
                          [this](u64 id, const call& c, nanos until) { eliminated(c, id, until); });
}

void rpc_matcher::end(nanos at) {
  for (const auto d : {direction::to_server, direction::to_client}) {
    auto& side = calls_to(d);
    settle(side);
    side.outstanding.eliminate([this](u64 id, const call& left, nanos end_of_reply) {
      eliminated(left, id, end_of_reply);
    });
    side.outstanding.give_up_all([&](u64 id, const call& c) { abandon(d, c, id, at); });
  }
  losses_.end();
}

} // namespace profiler::flow
