#include "profiler/flow/nfs4_compound.hpp"

#include "nfs/v4/attributes.hpp"
#include "nfs/v4/compound.hpp"
#include "nfs/v4/main_operation.hpp"

#include <algorithm>
#include <limits>
#include <type_traits>

namespace profiler::flow {

namespace {

namespace v4 = nfs::v4;

u32 clamp(u64 n) noexcept {
  return static_cast<u32>(std::min<u64>(n, std::numeric_limits<u32>::max()));
}

u16 short_number(u32 operation) noexcept {
  return static_cast<u16>(std::min<u32>(operation, 0xFFFF));
}

/// How long opaque data is on the wire, of which a cut message has less: its length stands before
/// it.
u32 length_of(bytes data, bool whole) noexcept {
  if (whole || data.data() == nullptr) return clamp(data.size());
  return wire::load_be<u32>(data.data() - sizeof(u32));
}

/// Takes the names of a call, unless they were cut: one that ends where the message does may be.
class name_taker {
 public:
  name_taker(bytes message, std::vector<nfs4_component>& out) : message_(message), out_(out) {}

  u64 take(std::string_view name, bool whole) {
    const auto* end = wire::as_bytes(name).data() + name.size();
    if (name.empty() || (!whole && end >= message_.data() + message_.size())) return 0;
    const auto key = name_key(0, wire::as_bytes(name));
    out_.push_back({key, name});
    return key;
  }

 private:
  bytes message_;
  std::vector<nfs4_component>& out_;
};

template <class Op>
void describe_names(const typename Op::args& a, bool whole, name_taker& names,
                    nfs4_operation& out) {
  if constexpr (requires { a.objname; }) out.name = names.take(a.objname, whole);
  if constexpr (std::is_same_v<Op, v4::remove>) out.name = names.take(a.target, whole);
  if constexpr (std::is_same_v<Op, v4::open>) out.name = names.take(a.claim.file, whole);
  if constexpr (std::is_same_v<Op, v4::link>) out.name = names.take(a.newname, whole);
  if constexpr (std::is_same_v<Op, v4::create>) out.directory = a.type == v4::ftype::dir;
  if constexpr (std::is_same_v<Op, v4::rename>) {
    out.name = names.take(a.oldname, whole);
    out.new_name = names.take(a.newname, whole);
  }
}

template <class Op>
void describe_args(const typename Op::args& a, bool whole, name_taker& names, nfs4_operation& out) {
  describe_names<Op>(a, whole, names, out);
  if constexpr (std::is_same_v<Op, v4::putfh>)
    if (whole && !a.object.empty()) out.handle = a.object.hash();
  if constexpr (requires { a.dst_offset; }) {
    out.offset = a.dst_offset;
    out.data_bytes = clamp(a.count);
  } else if constexpr (requires { a.offset; }) {
    out.offset = a.offset;
  }
  if constexpr (std::is_same_v<Op, v4::write>) out.data_bytes = length_of(a.data, whole);
  if constexpr (std::is_same_v<typename Op::args, v4::range_args>) out.data_bytes = clamp(a.length);
}

void describe_attributes(const v4::fattr& attributes, nfs4_operation& out, nfs4_results& all) {
  const auto type = v4::find_word(attributes, v4::attribute::type);
  out.directory = type == static_cast<u32>(v4::ftype::dir);
  if (const auto handle = v4::find_handle(attributes); handle && !handle->empty())
    out.handle = handle->hash();
  if (const auto n = v4::find_hyper(attributes, v4::attribute::maxread)) all.max_read = clamp(*n);
  if (const auto n = v4::find_hyper(attributes, v4::attribute::maxwrite)) all.max_write = clamp(*n);
}

template <class Op>
void describe_results(const typename Op::reply& r, bool whole, nfs4_operation& out,
                      nfs4_results& all) {
  if (r.status != v4::nfsstat4::ok) return;
  if constexpr (std::is_same_v<Op, v4::getattr>) describe_attributes(r.obj_attributes, out, all);
  if constexpr (std::is_same_v<Op, v4::getfh>)
    if (whole && !r.object.empty()) out.handle = r.object.hash();
  if constexpr (std::is_same_v<Op, v4::read>) out.data_bytes = length_of(r.data, whole);
  if constexpr (std::is_same_v<Op, v4::write>) out.data_bytes = r.count;
  if constexpr (requires { r.response.count; }) out.data_bytes = clamp(r.response.count);
  if constexpr (std::is_same_v<Op, v4::read_plus>) {
    u64 sum = 0;
    for (const auto& part : r.contents)
      sum += part.data.size();
    out.data_bytes = clamp(sum);
  }
  if constexpr (std::is_same_v<Op, v4::create_session>)
    if (whole)
      all.session = {.request_bytes_max = r.fore.maxrequestsize,
                     .reply_bytes_max = r.fore.maxresponsesize,
                     .operations_max = r.fore.maxoperations,
                     .slots = r.fore.maxrequests};
}

/// Calls describe.operator()<Op>(message, whole, operation) for each operation and keeps them.
template <class Walker, class F>
void walk(Walker& walker, std::vector<nfs4_operation>& out, F&& describe) {
  out.reserve(std::min<std::size_t>(walker.count(), 8));
  const auto known = [&]<class Op>(const auto& message, bool whole) {
    auto& operation = out.emplace_back();
    operation.number = short_number(Op::procedure);
    describe.template operator()<Op>(message, whole, operation);
  };
  const auto unknown = [&](u32 number) { out.emplace_back().number = short_number(number); };
  while (out.size() < nfs4_operations_max && walker.next(known, unknown)) {
  }
}

template <class Walker>
nfs4_call read_call_with(bytes body, std::vector<nfs4_component>& components) {
  Walker walker(body);
  name_taker names(body, components);
  nfs4_call out;
  out.readable = walker.header_ok();
  if (!out.readable) return out;
  out.count = walker.count();
  out.minor_version = walker.header().minorversion;
  walk(walker, out.operations,
       [&]<class Op>(const auto& message, bool whole, nfs4_operation& operation) {
         describe_args<Op>(message, whole, names, operation);
       });
  return out;
}

template <class Walker>
nfs4_results read_results_with(bytes body) {
  Walker walker(body);
  nfs4_results out;
  out.status = static_cast<u32>(walker.header().status);
  out.readable = walker.header_ok();
  if (!out.readable) return out;
  out.count = walker.count();
  walk(walker, out.operations,
       [&]<class Op>(const auto& message, bool whole, nfs4_operation& operation) {
         describe_results<Op>(message, whole, operation, out);
       });
  return out;
}

using rank = v4::operation_rank;
using v4::rank_of;

/// Behind it the current handle is another one.
bool sets_current(u16 number) noexcept {
  switch (rank_of(number)) {
  case rank::handles:
    return number != v4::savefh::procedure;
  case rank::lookup:
    return true;
  default:
    return number == v4::open::procedure || number == v4::create::procedure ||
           number == v4::openattr::procedure;
  }
}

/// CB_SEQUENCE and the others are numbered anew.
std::size_t main_callback(const std::vector<nfs4_operation>& operations) noexcept {
  for (std::size_t i = 0; i < operations.size(); ++i)
    if (operations[i].number != v4::cb_sequence::procedure) return i;
  return 0;
}

/// Follows the current and the saved handle through a compound, as far as names and handles show
/// which file they stand for. Source: RFC 8881 section 16.2.3.1.
class handle_walk {
 public:
  /// `executed`: the operations are those that a reply told of, else those that were asked for.
  handle_walk(const std::vector<nfs4_operation>& operations, u32 last_status, bool executed,
              u64 root, object_map& objects, path_table& paths)
      : operations_(operations), last_status_(last_status), executed_(executed), root_(root),
        objects_(objects), paths_(paths) {}

  struct place {
    u64 file = 0;
    u64 parent = 0;
  };

  /// What the next operation works on.
  place next(std::size_t i) {
    const auto& op = operations_[i];
    const auto status = i + 1 < operations_.size() ? 0 : last_status_;
    switch (op.number) {
    case v4::putfh::procedure:
      current_ = op.handle == 0 ? 0 : objects_.by_handle(op.handle);
      return {};
    case v4::putrootfh::procedure:
    case v4::putpubfh::procedure:
      current_ = root(i);
      return {};
    case v4::savefh::procedure:
      saved_ = current_;
      return {};
    case v4::restorefh::procedure:
      current_ = saved_;
      return {};
    case v4::lookupp::procedure:
    case v4::openattr::procedure:
      current_ = bound(i, 0);
      objects_.mark_directory(current_);
      return {current_, 0};
    case v4::lookup::procedure:
    case v4::create::procedure:
    case v4::open::procedure:
      return name_to_handle(i, status);
    case v4::remove::procedure:
      return remove(op, status);
    case v4::rename::procedure:
      return rename(op, status);
    case v4::link::procedure:
      return {saved_, directory(current_)};
    case v4::readdir::procedure:
      return {directory(current_), 0};
    default:
      if (op.directory) objects_.mark_directory(current_);
      return {current_, 0};
    }
  }

 private:
  /// The key of a name in a directory, which `name` is the key of without it.
  u64 key_in(u64 directory, u64 name) {
    if (directory == 0 || name == 0) return 0;
    std::array<std::byte, sizeof name> data;
    wire::store_be(data.data(), name);
    const auto key = name_key(directory, data);
    paths_.derive(key, directory, name);
    return key;
  }

  u64 root(std::size_t i) {
    const auto name = name_key(root_, {});
    const auto file = bound(i, name);
    objects_.mark_directory(file);
    paths_.remember(name, 0, "/", '/');
    paths_.bind(file, name);
    return file;
  }

  u64 directory(u64 file) {
    objects_.mark_directory(file);
    return file;
  }

  /// The handle that the operations behind `i` show of what `i` made the current one.
  [[nodiscard]] u64 handle_behind(std::size_t i) const noexcept {
    for (++i; i < operations_.size(); ++i) {
      const auto& op = operations_[i];
      if (sets_current(op.number)) return 0;
      if (op.handle != 0) return op.handle;
    }
    return 0;
  }

  /// The file of that name, which is what the next GETFH shows the handle of.
  u64 bound(std::size_t i, u64 name) {
    const auto handle = handle_behind(i);
    if (name == 0) return handle == 0 ? 0 : objects_.by_handle(handle);
    return handle == 0 ? objects_.by_name(name) : objects_.bind_handle(name, handle);
  }

  place name_to_handle(std::size_t i, u32 status) {
    const auto& op = operations_[i];
    if (op.name == 0 && op.number == v4::open::procedure) return {current_, 0}; // by its handle
    const auto parent = directory(current_);
    const auto name = key_in(parent, op.name);
    if (status != 0) {
      if (name == 0) return {0, parent};
      const bool missing = status == static_cast<u32>(v4::nfsstat4::noent);
      const auto file = missing ? objects_.missing(name) : objects_.by_name(name);
      paths_.bind(file, name);
      return {file, parent};
    }
    current_ = bound(i, name);
    if (name != 0) paths_.bind(current_, name);
    if (op.directory) objects_.mark_directory(current_);
    return {current_, parent};
  }

  place remove(const nfs4_operation& op, u32 status) {
    const auto parent = directory(current_);
    const auto name = key_in(parent, op.name);
    if (name == 0) return {0, parent};
    const auto file = objects_.by_name(name);
    paths_.bind(file, name);
    if (status == 0 && executed_) objects_.forget(name);
    return {file, parent};
  }

  place rename(const nfs4_operation& op, u32 status) {
    const auto parent = directory(saved_);
    const auto from = key_in(parent, op.name);
    const auto to = key_in(directory(current_), op.new_name);
    if (from == 0) return {0, parent};
    const auto file = objects_.by_name(from);
    const bool done = status == 0 && executed_ && to != 0;
    if (done) objects_.rename(from, to);
    paths_.bind(file, done ? to : from);
    return {file, parent};
  }

  const std::vector<nfs4_operation>& operations_;
  u32 last_status_;
  bool executed_;
  u64 root_;
  object_map& objects_;
  path_table& paths_;
  u64 current_ = 0; ///< files, not handles
  u64 saved_ = 0;
};

/// Call and results of each operation that was executed, as one; shorter than results.count when
/// some could be seen in neither.
std::vector<nfs4_operation> executed(const nfs4_call& call, const nfs4_results& results) {
  std::vector<nfs4_operation> out;
  const auto seen = std::max(call.operations.size(), results.operations.size());
  const auto n = std::min<std::size_t>(results.count, seen);
  out.reserve(n);
  for (std::size_t i = 0; i < n; ++i) {
    const bool asked = i < call.operations.size();
    auto& op = out.emplace_back(asked ? call.operations[i] : results.operations[i]);
    if (!asked || i >= results.operations.size()) continue;
    const auto& result = results.operations[i];
    op.directory = op.directory || result.directory;
    if (result.handle != 0) op.handle = result.handle;
    if (result.data_bytes != 0) op.data_bytes = result.data_bytes;
  }
  return out;
}

struct part {
  wire::exchange e;
  rank of;
};

/// One exchange for each of `operations`, in their order; the times are those of `whole`.
std::vector<part> parts_of(const std::vector<nfs4_operation>& operations, u32 last_status,
                           bool executed, const wire::exchange& whole, object_map& objects,
                           path_table& paths) {
  std::vector<part> out;
  out.reserve(operations.size());
  const auto root = (u64{whole.connection} << 32) + 1;
  handle_walk walk(operations, executed ? last_status : 0, executed, root, objects, paths);
  for (std::size_t i = 0; i < operations.size(); ++i) {
    const auto& op = operations[i];
    auto& e = out.emplace_back(part{whole, rank_of(op.number)}).e;
    e.operation = op.number;
    e.status = i + 1 == operations.size() || !executed ? last_status : 0;
    e.failed = e.status != 0;
    e.offset = op.offset;
    if (executed && !e.failed) e.data_bytes = op.data_bytes;
    if (whole.proto == wire::protocol::nfs4_cb) continue;
    const auto at = walk.next(i);
    e.file = at.file;
    e.parent = at.parent;
  }
  // Only what comes behind it may tell that something is a directory.
  for (auto& [e, ignored] : out)
    e.directory = objects.is_directory(e.file);
  return out;
}

/// What part 0 told already is not told again.
void make_follower(wire::exchange& e, u16 number) noexcept {
  e.part = number;
  e.t = {};
  e.attempts = 1;
  e.request_bytes = e.reply_bytes = 0;
  e.request_stall = e.reply_stall = wire::nanos{0};
  e.network = wire::unknown_time;
}

} // namespace

nfs4_call read_compound_call(bytes body, bool callback, std::vector<nfs4_component>& names) {
  return callback ? read_call_with<v4::callback_args_walker>(body, names)
                  : read_call_with<v4::compound_args_walker>(body, names);
}

nfs4_results read_compound_results(bytes body, bool callback) {
  return callback ? read_results_with<v4::callback_reply_walker>(body)
                  : read_results_with<v4::compound_reply_walker>(body);
}

std::size_t main_operation(const std::vector<nfs4_operation>& operations) noexcept {
  std::size_t best = 0;
  for (std::size_t i = 1; i < operations.size(); ++i) {
    const auto here = rank_of(operations[i].number);
    const auto there = rank_of(operations[best].number);
    if (v4::names_it_better(here, there)) best = i;
  }
  return best;
}

std::string_view nfs4_operation_name(u16 number) noexcept {
  return v4::operations::name(number);
}

std::string_view nfs4_callback_name(u16 number) noexcept {
  return v4::callback_operations::name(number);
}

bool emit_compound(const nfs4_call& call, const nfs4_results& results, wire::exchange whole,
                   object_map& objects, path_table& paths, wire::exchange_sink& out) {
  const bool answered = whole.replied && results.readable;
  const auto operations = answered ? executed(call, results) : call.operations;
  const auto count = answered ? results.count : call.count;
  const bool complete = operations.size() == count;
  if (answered) whole.status = complete ? results.status : 0;
  whole.failed = whole.status != 0;
  whole.operations = std::max<u16>(short_number(call.count), 1);
  auto parts = parts_of(operations, whole.status, answered, whole, objects, paths);
  if (parts.empty()) {
    out.on_exchange(whole);
    return complete;
  }
  const bool callback = whole.proto == wire::protocol::nfs4_cb;
  const auto first = callback ? main_callback(operations) : main_operation(operations);
  out.on_exchange(parts[first].e);
  // Whatever else was executed cannot be told.
  if (!answered) return complete && (!whole.replied || whole.failed);
  u16 number = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i == first) continue;
    auto& e = parts[i].e;
    make_follower(e, ++number);
    // What only leads to the main operation's file, or asks about it, is not what was done to it.
    if (parts[i].of != parts[first].of) e.file = e.parent = 0;
    out.on_exchange(e);
  }
  return complete;
}

} // namespace profiler::flow
