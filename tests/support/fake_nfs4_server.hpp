#pragma once

#include "nfs/v4/attributes.hpp"
#include "nfs/v4/compound_call.hpp"
#include "tests/support/fake_rpc_server.hpp"

#include <map>
#include <set>
#include <string>

namespace support {

/// An NFSv4.1 server with one folder, "export", of files in memory, that keeps the rules of slots,
/// and faults that a test switches on. A file's handle is its name.
class fake_nfs4_server {
 public:
  explicit fake_nfs4_server(asio::io_context& io) : rpc(io) {
    rpc.on_raw<nfs::v4::compound_call>(
        [this](wire::u32 xid, wire::bytes body) { return answer(xid, body); });
  }

  fake_rpc_server rpc;
  std::map<std::string, octets> files;
  wire::u32 slots = 4;
  wire::u32 target_highest_slotid = 3;
  int delay_sequences = 0; ///< so many SEQUENCEs are wanted later
  int delay_opens = 0;
  int restart_at_commit = 0; ///< so many COMMITs meet a restarted server
  bool answers_another_slot = false;
  wire::u64 max_write = 1u << 20;
  std::size_t short_bytes = 0;                ///< READ gives no more; 0: all
  std::string full_at;                        ///< no space for this file
  std::string delay_remove_of;                ///< wanted later, once
  wire::u32 maxoperations = 0;                ///< 0: what is asked for
  wire::u32 takes_operations = ~wire::u32{0}; ///< without saying so; above it NFS4ERR_RESOURCE
  int opens = 0;                              ///< that were not closed

  std::map<wire::u32, int> operations; ///< how often each was executed
  std::set<wire::u32> slots_seen;
  std::vector<std::string> broken_rules;

  [[nodiscard]] int count(wire::u32 operation) const {
    const auto found = operations.find(operation);
    return found == operations.end() ? 0 : found->second;
  }

 private:
  using status = nfs::v4::nfsstat4;

  octets answer(wire::u32 xid, wire::bytes body) {
    nfs::v4::compound_args_walker walk(body);
    wire::writer results;
    wire::u32 done = 0;
    auto last = status::ok;
    current_.clear();
    open_.clear();
    const auto known = [&]<class Op>(const typename Op::args& args, bool whole) {
      if (!whole) broken_rules.push_back(std::string(Op::name) + " was cut");
      ++operations[Op::procedure];
      ++done;
      typename Op::reply reply{};
      if constexpr (requires { execute(args, reply, Op{}); })
        execute(args, reply, Op{});
      else
        reply.status = status::notsupp;
      last = reply.status;
      static_cast<void>(nfs::v4::encode_result<Op>(reply, results));
    };
    const auto unknown = [&](wire::u32) { last = status::op_illegal; };
    if (walk.count() > takes_operations) last = status::resource;
    while (last == status::ok && walk.next(known, unknown)) {
    }
    wire::writer out;
    fake_rpc_server::put_success(xid, out);
    nfs::v4::compound_reply header;
    header.status = last;
    header.count = done;
    static_cast<void>(::rpc::encode(header, out));
    out.append(results);
    return out.flatten();
  }

  void execute(const nfs::v4::exchange_id::args&, nfs::v4::exchange_id::reply& r,
               nfs::v4::exchange_id) {
    r.clientid = 7;
    r.sequenceid = 1;
  }
  void execute(const nfs::v4::create_session::args& a, nfs::v4::create_session::reply& r,
               nfs::v4::create_session) {
    if (a.clientid != 7) r.status = status::stale_clientid;
    r.session[0] = std::byte{9};
    r.fore = a.fore;
    r.fore.maxrequests = slots;
    if (maxoperations != 0) r.fore.maxoperations = maxoperations;
    r.back = a.back;
    next_.assign(slots, 1);
  }
  void execute(const nfs::v4::reclaim_complete::args&, nfs::v4::reclaim_complete::reply&,
               nfs::v4::reclaim_complete) {}
  void execute(const nfs::v4::destroy_session::args&, nfs::v4::destroy_session::reply&,
               nfs::v4::destroy_session) {}
  void execute(const nfs::v4::destroy_clientid::args&, nfs::v4::destroy_clientid::reply&,
               nfs::v4::destroy_clientid) {}

  void execute(const nfs::v4::sequence::args& a, nfs::v4::sequence::reply& r, nfs::v4::sequence) {
    if (a.slotid >= slots) {
      r.status = status::badslot;
      return;
    }
    slots_seen.insert(a.slotid);
    if (delay_sequences > 0) {
      --delay_sequences;
      r.status = status::delay;
      return;
    }
    if (a.sequenceid != next_[a.slotid]) {
      broken_rules.push_back("slot " + std::to_string(a.slotid) + " came with sequence id " +
                             std::to_string(a.sequenceid));
      r.status = status::seq_misordered;
      return;
    }
    if (a.highest_slotid < a.slotid) broken_rules.emplace_back("highest_slotid is too low");
    ++next_[a.slotid];
    r.session = a.session;
    r.sequenceid = a.sequenceid;
    r.slotid = answers_another_slot ? a.slotid + 1 : a.slotid;
    r.highest_slotid = slots - 1;
    r.target_highest_slotid = target_highest_slotid;
  }

  void execute(const nfs::v4::putrootfh::args&, nfs::v4::putrootfh::reply&, nfs::v4::putrootfh) {
    current_ = "/";
  }
  void execute(const nfs::v4::putfh::args& a, nfs::v4::putfh::reply&, nfs::v4::putfh) {
    current_ = wire::as_text(a.object.view());
  }
  void execute(const nfs::v4::savefh::args&, nfs::v4::savefh::reply&, nfs::v4::savefh) {}
  void execute(const nfs::v4::lookup::args& a, nfs::v4::lookup::reply& r, nfs::v4::lookup) {
    const std::string name(a.objname);
    if (current_ == "/" && name != "export") r.status = status::noent;
    if (current_ != "/" && !files.contains(name)) r.status = status::noent;
    current_ = name;
  }
  void execute(const nfs::v4::getfh::args&, nfs::v4::getfh::reply& r, nfs::v4::getfh) {
    r.object = nfs::v4::file_handle(wire::as_bytes(current_));
  }
  void execute(const nfs::v4::getattr::args& a, nfs::v4::getattr::reply& r, nfs::v4::getattr) {
    namespace attribute = nfs::v4::attribute;
    values_.clear();
    nfs::v4::bitmap given;
    const auto put = [&](wire::u32 number, auto value) {
      if (!a.attr_request.has(number)) return;
      given.set(number);
      values_.be(value);
    };
    const bool folder = current_ == "/" || current_ == "export";
    put(attribute::type, wire::u32{folder ? 2u : 1u});
    put(attribute::size, wire::u64{folder ? 0 : files[current_].size()});
    put(attribute::lease_time, wire::u32{90});
    put(attribute::maxread, wire::u64{1u << 20});
    put(attribute::maxwrite, max_write);
    flat_ = values_.flatten();
    r.obj_attributes.attrmask = given;
    r.obj_attributes.attr_vals = flat_;
  }
  void execute(const nfs::v4::open::args& a, nfs::v4::open::reply& r, nfs::v4::open) {
    if (delay_opens > 0) {
      --delay_opens;
      r.status = status::delay;
      return;
    }
    const std::string name(a.claim.file);
    const bool make = a.openhow.opentype == nfs::v4::open::open_type::create;
    if (!make && !files.contains(name)) {
      r.status = status::noent;
      return;
    }
    if (make) files[name].clear(); // size 0 is among the attributes
    current_ = open_ = name;
    ++opens;
    r.open_stateid.seqid = 1;
    r.open_stateid.other[0] = std::byte{5};
  }
  void check_state(const nfs::v4::stateid& s) {
    nfs::v4::stateid current;
    current.seqid = 1;
    if (s == current && open_.empty()) broken_rules.emplace_back("no current stateid");
  }
  void execute(const nfs::v4::write::args& a, nfs::v4::write::reply& r, nfs::v4::write) {
    check_state(a.stateid);
    if (current_ == full_at) {
      r.status = status::nospc;
      return;
    }
    auto& content = files[current_];
    const auto end = static_cast<std::size_t>(a.offset) + a.data.size();
    if (content.size() < end) content.resize(end);
    std::ranges::copy(a.data, content.begin() + static_cast<std::ptrdiff_t>(a.offset));
    r.count = static_cast<wire::u32>(a.data.size());
    r.committed = a.stable;
    r.writeverf[0] = verifier_;
  }
  void execute(const nfs::v4::commit::args&, nfs::v4::commit::reply& r, nfs::v4::commit) {
    if (restart_at_commit > 0) {
      --restart_at_commit;
      verifier_ = static_cast<std::byte>(std::to_integer<int>(verifier_) + 1);
      files[current_].clear();
    }
    r.writeverf[0] = verifier_;
  }
  void execute(const nfs::v4::read::args& a, nfs::v4::read::reply& r, nfs::v4::read) {
    check_state(a.stateid);
    const wire::bytes content = files[current_];
    const auto at = std::min<std::size_t>(a.offset, content.size());
    auto n = std::min<std::size_t>(a.count, content.size() - at);
    if (short_bytes != 0) n = std::min(n, short_bytes);
    r.data = content.subspan(at, n);
    r.eof = at + n == content.size();
  }
  void execute(const nfs::v4::close::args& a, nfs::v4::close::reply&, nfs::v4::close) {
    check_state(a.open_stateid);
    --opens;
  }
  void execute(const nfs::v4::remove::args& a, nfs::v4::remove::reply& r, nfs::v4::remove) {
    if (a.target == delay_remove_of) {
      delay_remove_of.clear();
      r.status = status::delay;
      return;
    }
    if (files.erase(std::string(a.target)) == 0) r.status = status::noent;
  }

  std::vector<wire::u32> next_;
  std::string current_;
  std::string open_;
  std::byte verifier_{1};
  wire::writer values_;
  octets flat_;
};

} // namespace support
