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

bool removes(const rpc_call& c) noexcept {
  return c.proto == wire::protocol::nfs3 &&
         (c.operation == nfs::v3::remove::procedure || c.operation == nfs::v3::rmdir::procedure);
}

} // namespace

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

void rpc_matcher::message(direction d, const seen_message& m) {
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
  const auto what = read_call(m.frame.data);
  if (!what) return refused(m, what.error().code);
  auto& side = calls_to(d);
  const auto xid = wire::load_be<u32>(m.frame.data.data());
  const auto now = m.frame.last.time;
  side.outstanding.expire(now, [&](u64 id, const call& c) { give_up(c, id, now); });
  if (repeated(side, xid, *what, m)) return;
  ++(what->analysed ? connection_.seen().calls : connection_.seen().other_calls);
  if (what->analysed) connection_.touch(what->proto, now);
  const auto evicted = side.outstanding.insert(xid, {*what, call_times(m)});
  if (!evicted) return;
  ++connection_.seen().evicted_calls;
  give_up(*evicted, 0, now);
}

/// A call whose xid is known: an attempt of the same one, or the end of the one that had it.
bool rpc_matcher::repeated(calls_one_way& side, u32 xid, const rpc_call& what,
                           const seen_message& m) {
  if (auto* before = side.outstanding.find(xid)) {
    if (before->what.same_procedure(what)) {
      ++connection_.seen().retransmitted;
      before->times.again(m.frame.last.time);
      return true;
    }
    give_up(*side.outstanding.take(xid), xid, m.frame.first.time);
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
    ++(side.done.find(xid) ? connection_.seen().duplicate_replies
                           : connection_.seen().orphan_replies);
    return;
  }
  side.done.add(xid, {c->what.program, c->what.procedure});
  if (!c->what.analysed) return;

  rpc_results results;
  if (header.ok() && header.message.succeeded()) {
    results = read_results(c->what, m.frame.data.subspan(header.size));
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

void rpc_matcher::emit(const call& c, u64 xid, const rpc_results& results, wire::exchange& e) {
  auto& connection = connection_.touch(c.what.proto, known(e.t.r1) ? e.t.r1 : c.times.q1);
  ++connection.exchanges;
  connection.max_read = std::max(connection.max_read, results.max_read);
  connection.max_write = std::max(connection.max_write, results.max_write);
  c.times.store(e);
  e.proto = c.what.proto;
  e.operation = c.what.operation;
  e.connection = connection_.number();
  e.status = results.status;
  e.failed = results.failed;
  e.id = xid;
  e.offset = c.what.offset;
  if (e.replied && !e.failed) e.data_bytes = std::max(c.what.data_bytes, results.data_bytes);
  find_objects(c.what, results, e);
  if (e.replied) ++connection_.seen().answered;
  if (e.replied && e.timed())
    ++(e.bounded() ? connection_.seen().bounded : connection_.seen().timed);
  shared_.out.on_exchange(e);
}

/// Which file it was about; what the reply tells of names and handles is kept for the next calls.
void rpc_matcher::find_objects(const rpc_call& what, const rpc_results& results,
                               wire::exchange& e) {
  auto& objects = shared_.objects;
  const bool done = e.replied && !e.failed;
  if (!what.names) {
    if (what.object == 0) {
      if (results.handle != 0) objects.mark_directory(objects.by_handle(results.handle));
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
  if (results.directory || (done && names_directory(what))) objects.mark_directory(e.file);
  e.directory = objects.is_directory(e.file);
  if (done && removes(what)) objects.forget(what.name);
  if (done && what.new_name != 0) objects.rename(what.name, what.new_name);
}

void rpc_matcher::give_up(const call& c, u64 xid, nanos until) {
  if (!c.what.analysed) return;
  ++connection_.seen().unanswered;
  wire::exchange e;
  e.replied = false;
  e.t.completed = c.times.waited_until(until);
  emit(c, xid, {}, e);
}

void rpc_matcher::eliminated(const call& c, u64 xid, nanos end_of_reply) {
  if (!c.what.analysed) return;
  ++connection_.seen().by_elimination;
  wire::exchange e;
  e.by_elimination = true;
  e.t.r1 = end_of_reply;
  emit(c, xid, {}, e);
}

void rpc_matcher::lost(direction d, const hole& h) {
  calls_to(opposite(d)).outstanding.lost(h, [this](u64 id, const call& left, nanos end_of_reply) {
    eliminated(left, id, end_of_reply);
  });
}

void rpc_matcher::end(nanos at) {
  for (auto& side : calls_) {
    side.outstanding.eliminate([this](u64 id, const call& left, nanos end_of_reply) {
      eliminated(left, id, end_of_reply);
    });
    side.outstanding.give_up_all([&](u64 id, const call& c) { give_up(c, id, at); });
  }
}

} // namespace profiler::flow
