#include "nfs/v4/client.hpp"

#include <asio/steady_timer.hpp>

#include <random>

namespace nfs::v4 {

namespace {

constexpr u32 tries_max = 8;
constexpr u32 unasked_max = 1u << 20;  ///< where Linux stops too
constexpr u32 message_overhead = 1024; ///< of a READ or WRITE with what stands around its data
constexpr u32 readdir_bytes = 64u << 10;
constexpr std::size_t listed_entries_max = 16u << 20;
constexpr u32 share_read = 1;
constexpr u32 share_write = 2;
constexpr u32 want_no_delegation = 0x0400;

/// "The state that the operation before gave": RFC 8881 section 16.2.3.1.2.
stateid current_stateid() {
  stateid out;
  out.seqid = 1;
  return out;
}

bitmap wanted_facts() {
  bitmap out;
  for (const auto number : {attribute::type, attribute::change, attribute::size, attribute::fileid,
                            attribute::mode, attribute::time_modify})
    out.set(number);
  return out;
}

file_facts facts_of(const fattr& a) {
  file_facts out;
  out.type = static_cast<ftype>(find_word(a, attribute::type).value_or(1));
  out.size = find_hyper(a, attribute::size).value_or(0);
  out.fileid = find_hyper(a, attribute::fileid).value_or(0);
  out.change = find_hyper(a, attribute::change).value_or(0);
  out.mode = find_word(a, attribute::mode).value_or(0);
  if (const auto at = find_attribute(a, attribute::time_modify))
    if (const auto time = rpc::decode_prefix<nfstime>(*at); time.ok()) out.modified = time.message;
  return out;
}

awaitable<void> back_off(u32 tries) {
  const auto executor = co_await asio::this_coro::executor;
  asio::steady_timer timer(executor,
                           std::chrono::milliseconds(10) * (1u << std::min(tries - 1, 7u)));
  auto [error] = co_await timer.async_wait(wire::net::as_result);
  static_cast<void>(error);
}

std::vector<std::string> parts_of(std::string_view path) {
  std::vector<std::string> out;
  while (!path.empty()) {
    const auto end = std::min(path.find('/'), path.size());
    if (end > 0) out.emplace_back(path.substr(0, end));
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return out;
}

std::expected<void, error> done() {
  return {};
}

/// The results of operations that lead to the one of interest.
template <class... Ops>
std::optional<error> pass(compound_results& results, std::string_view name = {}) {
  std::optional<error> problem;
  const auto one = [&]<class Op>() {
    if (problem) return;
    if (auto said = results.take<Op>(name); !said) problem = std::move(said.error());
  };
  (one.template operator()<Ops>(), ...);
  return problem;
}

} // namespace

result<compound_results> client::call(const compound& what) {
  for (u32 tries = 1;; ++tries) {
    auto got = co_await session_.call(what);
    if (!got || got->status() != nfsstat4::delay || tries == tries_max) co_return got;
    co_await back_off(tries);
  }
}

result<client> client::connect(url where, session_settings settings) {
  auto opened = co_await v4::session::open(where, settings);
  if (!opened) co_return std::unexpected(std::move(opened.error()));
  client out(std::move(*opened), fmt::format("wiretrip {:08x}", std::random_device{}()));
  out.limits_.rsize = where.rsize;
  out.limits_.wsize = where.wsize;
  auto there = co_await out.find_root(where.path);
  if (!there) co_return std::unexpected(std::move(there.error()));
  co_return out;
}

result<void> client::find_root(std::string path) {
  const auto parts = parts_of(path);
  bitmap wanted;
  for (const auto number :
       {attribute::type, attribute::lease_time, attribute::maxread, attribute::maxwrite})
    wanted.set(number);
  compound c;
  c.add<putrootfh>();
  for (const auto& part : parts)
    c.add<v4::lookup>({part});
  c.add<getfh>();
  c.add<v4::getattr>({wanted});
  auto got = co_await call(c);
  if (!got) co_return std::unexpected(std::move(got.error()));
  if (auto problem = pass<putrootfh>(*got)) co_return std::unexpected(std::move(*problem));
  for (const auto& part : parts)
    if (auto problem = pass<v4::lookup>(*got, part)) co_return std::unexpected(std::move(*problem));
  auto handle = got->take<getfh>(path);
  if (!handle) co_return std::unexpected(std::move(handle.error()));
  root_ = handle->object;
  auto attributes = got->take<v4::getattr>(path);
  if (!attributes) co_return std::unexpected(std::move(attributes.error()));
  const auto& a = attributes->obj_attributes;
  const auto& fore = session_.facts().fore;
  const auto size = [&](u32 wanted_bytes, u32 number, u32 message) -> u32 {
    const auto most = find_hyper(a, number).value_or(unasked_max);
    const u64 fits = message > 2 * message_overhead ? message - message_overhead : 512;
    return static_cast<u32>(std::min<u64>({wanted_bytes != 0 ? wanted_bytes : unasked_max,
                                           most == 0 ? unasked_max : most, fits, data_bytes_max}));
  };
  limits_.rsize = size(limits_.rsize, attribute::maxread, fore.maxresponsesize);
  limits_.wsize = size(limits_.wsize, attribute::maxwrite, fore.maxrequestsize);
  limits_.lease_s = find_word(a, attribute::lease_time).value_or(0);
  co_return done();
}

result<found> client::lookup(file_handle folder, std::string name) {
  compound c;
  c.add<putfh>({folder});
  c.add<v4::lookup>({name});
  c.add<getfh>();
  c.add<v4::getattr>({wanted_facts()});
  auto got = co_await call(c);
  if (!got) co_return std::unexpected(std::move(got.error()));
  if (auto problem = pass<putfh, v4::lookup>(*got, name))
    co_return std::unexpected(std::move(*problem));
  auto handle = got->take<getfh>(name);
  if (!handle) co_return std::unexpected(std::move(handle.error()));
  auto attributes = got->take<v4::getattr>(name);
  if (!attributes) co_return std::unexpected(std::move(attributes.error()));
  found out;
  out.handle = handle->object;
  out.facts = facts_of(attributes->obj_attributes);
  co_return out;
}

result<file_facts> client::getattr(file_handle object) {
  compound c;
  c.add<putfh>({object});
  c.add<v4::getattr>({wanted_facts()});
  auto got = co_await call(c);
  if (!got) co_return std::unexpected(std::move(got.error()));
  if (auto problem = pass<putfh>(*got)) co_return std::unexpected(std::move(*problem));
  auto attributes = got->take<v4::getattr>();
  if (!attributes) co_return std::unexpected(std::move(attributes.error()));
  co_return facts_of(attributes->obj_attributes);
}

result<file_handle> client::make(file_handle folder, v4::create::args args) {
  const std::string name(args.objname);
  compound c;
  c.add<putfh>({folder});
  c.add<v4::create>(args);
  c.add<getfh>();
  auto got = co_await call(c);
  if (!got) co_return std::unexpected(std::move(got.error()));
  if (auto problem = pass<putfh, v4::create>(*got, name))
    co_return std::unexpected(std::move(*problem));
  auto handle = got->take<getfh>(name);
  if (!handle) co_return std::unexpected(std::move(handle.error()));
  co_return handle->object;
}

result<file_handle> client::mkdir(file_handle folder, std::string name, u32 mode) {
  attribute_list attributes;
  attributes.mode(mode);
  v4::create::args args;
  args.type = ftype::dir;
  args.objname = name;
  args.createattrs = attributes.view();
  auto made = co_await make(folder, args);
  co_return made;
}

result<file_handle> client::symlink(file_handle folder, std::string name, std::string target) {
  attribute_list attributes;
  attributes.mode(0777);
  v4::create::args args;
  args.type = ftype::lnk;
  args.linkdata = target;
  args.objname = name;
  args.createattrs = attributes.view();
  auto made = co_await make(folder, args);
  co_return made;
}

result<std::string> client::readlink(file_handle link) {
  compound c;
  c.add<putfh>({link});
  c.add<v4::readlink>();
  auto got = co_await call(c);
  if (!got) co_return std::unexpected(std::move(got.error()));
  if (auto problem = pass<putfh>(*got)) co_return std::unexpected(std::move(*problem));
  auto said = got->take<v4::readlink>();
  if (!said) co_return std::unexpected(std::move(said.error()));
  co_return std::string(said->link);
}

result<void> client::remove(file_handle folder, std::string name) {
  compound c;
  c.add<putfh>({folder});
  c.add<v4::remove>({name});
  auto got = co_await call(c);
  if (!got) co_return std::unexpected(std::move(got.error()));
  if (auto problem = pass<putfh, v4::remove>(*got, name))
    co_return std::unexpected(std::move(*problem));
  co_return done();
}

result<void> client::rename(file_handle from, std::string name, file_handle to,
                            std::string new_name) {
  compound c;
  c.add<putfh>({from});
  c.add<savefh>();
  c.add<putfh>({to});
  c.add<v4::rename>({name, new_name});
  auto got = co_await call(c);
  if (!got) co_return std::unexpected(std::move(got.error()));
  if (auto problem = pass<putfh, savefh, putfh, v4::rename>(*got, name))
    co_return std::unexpected(std::move(*problem));
  co_return done();
}

result<void> client::link(file_handle file, file_handle folder, std::string name) {
  compound c;
  c.add<putfh>({file});
  c.add<savefh>();
  c.add<putfh>({folder});
  c.add<v4::link>({name});
  auto got = co_await call(c);
  if (!got) co_return std::unexpected(std::move(got.error()));
  if (auto problem = pass<putfh, savefh, putfh, v4::link>(*got, name))
    co_return std::unexpected(std::move(*problem));
  co_return done();
}

result<std::vector<directory_entry>> client::readdir(file_handle folder) {
  std::vector<directory_entry> out;
  v4::readdir::args args;
  args.dircount = args.maxcount = readdir_bytes;
  args.attr_request = wanted_facts();
  while (true) {
    compound c;
    c.add<putfh>({folder});
    c.add<v4::readdir>(args);
    auto got = co_await call(c);
    if (!got) co_return std::unexpected(std::move(got.error()));
    if (auto problem = pass<putfh>(*got)) co_return std::unexpected(std::move(*problem));
    auto said = got->take<v4::readdir>();
    if (!said) co_return std::unexpected(std::move(said.error()));
    for (const auto& entry : said->entries)
      out.push_back({std::string(entry.name), facts_of(entry.attrs)});
    if (said->eof) co_return out;
    // A server that gives no entry and no end would keep us here for ever.
    if (said->entries.empty() || out.size() > listed_entries_max)
      co_return std::unexpected(
          error{rpc::errc::bad_reply, fmt::format("READDIR on {}: no end of it after {} entries",
                                                  session_.connection().server(), out.size())});
    args.cookie = said->entries.back().cookie;
    args.cookieverf = said->cookieverf;
  }
}

void client::add_open(compound& c, std::string_view name, bool make,
                      const fattr& attributes) const {
  v4::open::args args;
  args.share_access = (make ? share_write : share_read) | want_no_delegation;
  args.owner.clientid = session_.facts().clientid;
  args.owner.owner = wire::as_bytes(owner_);
  if (make) {
    args.openhow.opentype = v4::open::open_type::create;
    args.openhow.createattrs = attributes;
  }
  args.claim.file = name;
  c.add<v4::open>(args);
}

result<open_file> client::open_with(file_handle folder, std::string name, bool make, u32 mode) {
  attribute_list attributes;
  attributes.size(0);
  attributes.mode(mode);
  compound c;
  c.add<putfh>({folder});
  add_open(c, name, make, attributes.view());
  c.add<getfh>();
  c.add<v4::getattr>({wanted_facts()});
  auto got = co_await call(c);
  if (!got) co_return std::unexpected(std::move(got.error()));
  if (auto problem = pass<putfh>(*got)) co_return std::unexpected(std::move(*problem));
  auto opened = got->take<v4::open>(name);
  if (!opened) co_return std::unexpected(std::move(opened.error()));
  auto handle = got->take<getfh>(name);
  if (!handle) co_return std::unexpected(std::move(handle.error()));
  auto facts = got->take<v4::getattr>(name);
  if (!facts) co_return std::unexpected(std::move(facts.error()));
  open_file out;
  out.handle = handle->object;
  out.stateid = opened->open_stateid;
  out.facts = facts_of(facts->obj_attributes);
  co_return out;
}

result<open_file> client::open(file_handle folder, std::string name) {
  return open_with(folder, std::move(name), false, 0);
}

result<open_file> client::create(file_handle folder, std::string name, u32 mode) {
  return open_with(folder, std::move(name), true, mode);
}

result<u64> client::read(open_file file, u64 offset, std::span<std::byte> into) {
  u64 have = 0;
  while (have < into.size()) {
    v4::read::args args;
    args.stateid = file.stateid;
    args.offset = offset + have;
    args.count = static_cast<u32>(std::min<u64>(into.size() - have, limits_.rsize));
    compound c;
    c.add<putfh>({file.handle});
    c.add<v4::read>(args);
    auto got = co_await call(c);
    if (!got) co_return std::unexpected(std::move(got.error()));
    if (auto problem = pass<putfh>(*got)) co_return std::unexpected(std::move(*problem));
    auto said = got->take<v4::read>();
    if (!said) co_return std::unexpected(std::move(said.error()));
    if (said->data.size() > args.count || (said->data.empty() && !said->eof))
      co_return std::unexpected(error{rpc::errc::bad_reply, "READ: its count does not agree"});
    std::ranges::copy(said->data, into.begin() + static_cast<std::ptrdiff_t>(have));
    have += said->data.size();
    if (said->eof) break;
  }
  co_return have;
}

result<void> client::write_once(open_file file, u64 offset, bytes data, bool& lost) {
  const bool one = data.size() <= limits_.wsize;
  std::optional<verifier> first;
  u64 sent = 0;
  while (sent < data.size()) {
    v4::write::args args;
    args.stateid = file.stateid;
    args.offset = offset + sent;
    args.stable = one ? stable_how::file_sync : stable_how::unstable;
    args.data = data.subspan(sent, std::min<u64>(data.size() - sent, limits_.wsize));
    compound c;
    c.add<putfh>({file.handle});
    c.add<v4::write>(args);
    auto got = co_await call(c);
    if (!got) co_return std::unexpected(std::move(got.error()));
    if (auto problem = pass<putfh>(*got)) co_return std::unexpected(std::move(*problem));
    auto said = got->take<v4::write>();
    if (!said) co_return std::unexpected(std::move(said.error()));
    if (said->count == 0 || said->count > args.data.size())
      co_return std::unexpected(error{rpc::errc::bad_reply, "WRITE: its count does not agree"});
    if (first && *first != said->writeverf) lost = true;
    first = said->writeverf;
    sent += said->count;
  }
  if (one || lost) co_return done();
  compound c;
  c.add<putfh>({file.handle});
  c.add<v4::commit>();
  auto got = co_await call(c);
  if (!got) co_return std::unexpected(std::move(got.error()));
  if (auto problem = pass<putfh>(*got)) co_return std::unexpected(std::move(*problem));
  auto said = got->take<v4::commit>();
  if (!said) co_return std::unexpected(std::move(said.error()));
  lost = said->writeverf != first;
  co_return done();
}

result<void> client::write(open_file file, u64 offset, bytes data) {
  for (u32 tries = 1; tries <= tries_max; ++tries) {
    bool lost = false;
    auto written = co_await write_once(file, offset, data, lost);
    if (!written || !lost) co_return written;
  }
  co_return std::unexpected(
      error{make_error_code(nfsstat4::io), "WRITE: the server keeps on losing what was written"});
}

result<void> client::close(open_file file) {
  v4::close::args args;
  args.open_stateid = file.stateid;
  compound c;
  c.add<putfh>({file.handle});
  c.add<v4::close>(args);
  auto got = co_await call(c);
  if (!got) co_return std::unexpected(std::move(got.error()));
  if (auto problem = pass<putfh, v4::close>(*got)) co_return std::unexpected(std::move(*problem));
  co_return done();
}

result<read_result> client::read_in_turn(file_handle folder, std::string name,
                                         std::span<std::byte> into) {
  auto opened = co_await open(folder, name);
  if (!opened) co_return std::unexpected(std::move(opened.error()));
  auto read_bytes = co_await read(*opened, 0, into);
  auto closed = co_await close(*opened);
  if (!read_bytes) co_return std::unexpected(std::move(read_bytes.error()));
  if (!closed) co_return std::unexpected(std::move(closed.error()));
  read_result out;
  out.bytes = *read_bytes;
  out.eof = *read_bytes < into.size() || opened->facts.size == *read_bytes;
  co_return out;
}

result<void> client::write_in_turn(file_handle folder, std::string name, u32 mode, bytes data) {
  auto opened = co_await create(folder, name, mode);
  if (!opened) co_return std::unexpected(std::move(opened.error()));
  auto written = co_await write(*opened, 0, data);
  auto closed = co_await close(*opened);
  if (!written) co_return written;
  co_return closed;
}

awaitable<void> client::close_left_open(file_handle folder, std::string name, v4::stateid stateid) {
  v4::close::args args;
  args.open_stateid = stateid;
  compound c;
  c.add<putfh>({folder});
  c.add<v4::lookup>({name});
  c.add<v4::close>(args);
  const auto ignored = co_await call(c);
  static_cast<void>(ignored); // best effort: the lease ends it in any case
}

namespace {

/// How much more goes into a compound. Each file costs its operations, its data and its name on one
/// side, and what stands around them on both.
class room {
 public:
  room(const channel_attrs& fore, u32 operations_max, u32 operations_a_file)
      : operations_(std::max(std::min(fore.maxoperations, operations_max), 2u) - 1),
        request_(fore.maxrequestsize), reply_(fore.maxresponsesize),
        operations_a_file_(operations_a_file) {
    spend(request_, message_overhead);
    spend(reply_, message_overhead);
  }

  /// The first file is always taken: that it fits was settled with the limits.
  [[nodiscard]] bool take(u64 request, u64 reply) {
    const bool fits = operations_ >= operations_a_file_ && request_ >= request && reply_ >= reply;
    if (!fits && !std::exchange(empty_, false)) return false;
    empty_ = false;
    spend(operations_, operations_a_file_);
    spend(request_, request);
    spend(reply_, reply);
    return true;
  }

 private:
  static void spend(u64& have, u64 n) { have -= std::min(have, n); }

  u64 operations_;
  u64 request_;
  u64 reply_;
  u64 operations_a_file_;
  bool empty_ = true;
};

/// Servers may take less than the session says: Ganesha 4.3 grants 128 operations and stops at 100.
bool is_too_much(const error& e) {
  return e.code == nfsstat4::resource || e.code == nfsstat4::too_many_ops ||
         e.code == nfsstat4::req_too_big || e.code == nfsstat4::rep_too_big;
}

/// NFS4ERR_DELAY, and not too often yet: what was executed before it must not be sent again.
bool wanted_later(const std::optional<error>& problem, u32& tries) {
  if (!problem || problem->code != nfsstat4::delay) {
    tries = 0;
    return false;
  }
  return ++tries < tries_max;
}

constexpr u64 around_bytes = 512; ///< of a file's operations, without names and data
constexpr u32 operations_to_write = 4;
constexpr u32 operations_to_read = 4;
constexpr u32 operations_to_remove = 2;

/// What became of one file of a compound.
struct taken {
  std::optional<error> problem;
  std::optional<stateid> left_open;
};

taken take_written(compound_results& results, const file_to_write& file) {
  taken out;
  if ((out.problem = pass<putfh>(results, file.name))) return out;
  const auto opened = results.take<open>(file.name);
  if (!opened) {
    out.problem = opened.error();
    return out;
  }
  if (!file.data.empty()) {
    const auto said = results.take<write>(file.name);
    if (!said)
      out.problem = said.error();
    else if (said->count != file.data.size())
      out.problem = {rpc::errc::bad_reply,
                     fmt::format("WRITE of '{}': the server took {} of {} bytes", file.name,
                                 said->count, file.data.size())};
    if (!said) out.left_open = opened->open_stateid;
  }
  if (out.left_open) return out;
  if (auto problem = pass<close>(results, file.name); problem && !out.problem)
    out.problem = std::move(problem);
  return out;
}

struct taken_read : taken {
  read_result got;
  bool whole = false; ///< nothing more is there, or wanted
};

taken_read take_read(compound_results& results, const file_to_read& file) {
  taken_read out;
  if ((out.problem = pass<putfh>(results, file.name))) return out;
  const auto opened = results.take<open>(file.name);
  if (!opened) {
    out.problem = opened.error();
    return out;
  }
  const auto said = results.take<read>(file.name);
  if (!said) {
    out.problem = said.error();
    out.left_open = opened->open_stateid;
    return out;
  }
  if (said->data.size() > file.into.size()) {
    out.problem = {rpc::errc::bad_reply, "READ: more than was asked for"};
  } else {
    std::ranges::copy(said->data, file.into.begin());
    out.got.bytes = said->data.size();
    out.got.eof = said->eof;
    out.whole = said->eof || out.got.bytes == file.into.size();
  }
  if (auto problem = pass<close>(results, file.name); problem && !out.problem)
    out.problem = std::move(problem);
  return out;
}

} // namespace

awaitable<std::vector<std::expected<void, error>>>
client::write_files(file_handle folder, u32 mode, std::vector<file_to_write> files) {
  std::vector<std::expected<void, error>> out;
  attribute_list attributes;
  attributes.size(0);
  attributes.mode(mode);
  v4::write::args writing;
  writing.stateid = current_stateid();
  writing.stable = stable_how::file_sync;
  v4::close::args closing;
  closing.open_stateid = current_stateid();
  u32 tries = 0;
  while (out.size() < files.size()) {
    const auto first = out.size();
    if (files[first].data.size() > limits_.wsize) {
      auto done = co_await write_in_turn(folder, files[first].name, mode, files[first].data);
      out.push_back(std::move(done));
      continue;
    }
    room left(session_.facts().fore, operations_max_, operations_to_write);
    compound c;
    auto next = first;
    for (; next < files.size(); ++next) {
      const auto& file = files[next];
      if (file.data.size() > limits_.wsize) break;
      if (!left.take(file.data.size() + file.name.size() + around_bytes, around_bytes)) break;
      c.add<putfh>({folder});
      add_open(c, file.name, true, attributes.view());
      writing.data = file.data;
      if (!file.data.empty()) c.add<v4::write>(writing);
      c.add<v4::close>(closing);
    }
    auto got = co_await session_.call(c);
    if (!got && next - first > 1 && is_too_much(got.error())) {
      operations_max_ = static_cast<u32>(next - first) / 2 * operations_to_write + 1;
      continue;
    }
    for (auto i = first; i < next; ++i) {
      if (!got) {
        out.push_back(std::unexpected(got.error()));
        continue;
      }
      auto one = take_written(*got, files[i]);
      if (wanted_later(one.problem, tries)) {
        co_await back_off(tries);
        break;
      }
      if (one.left_open) co_await close_left_open(folder, files[i].name, *one.left_open);
      const bool stopped = one.problem.has_value() && !got->ok();
      if (one.problem)
        out.push_back(std::unexpected(std::move(*one.problem)));
      else
        out.emplace_back();
      if (stopped) break; // those behind it were not executed
    }
  }
  co_return out;
}

awaitable<std::vector<std::expected<read_result, error>>>
client::read_files(file_handle folder, std::vector<file_to_read> files) {
  std::vector<std::expected<read_result, error>> out;
  v4::read::args reading;
  reading.stateid = current_stateid();
  v4::close::args closing;
  closing.open_stateid = current_stateid();
  u32 tries = 0;
  while (out.size() < files.size()) {
    const auto first = out.size();
    if (files[first].into.size() > limits_.rsize) {
      auto done = co_await read_in_turn(folder, files[first].name, files[first].into);
      out.push_back(std::move(done));
      continue;
    }
    room left(session_.facts().fore, operations_max_, operations_to_read);
    compound c;
    auto next = first;
    for (; next < files.size(); ++next) {
      const auto& file = files[next];
      if (file.into.size() > limits_.rsize) break;
      if (!left.take(file.name.size() + around_bytes, file.into.size() + around_bytes)) break;
      c.add<putfh>({folder});
      add_open(c, file.name, false, {});
      reading.count = static_cast<u32>(file.into.size());
      c.add<v4::read>(reading);
      c.add<v4::close>(closing);
    }
    auto got = co_await session_.call(c);
    if (!got && next - first > 1 && is_too_much(got.error())) {
      operations_max_ = static_cast<u32>(next - first) / 2 * operations_to_read + 1;
      continue;
    }
    for (auto i = first; i < next; ++i) {
      if (!got) {
        out.push_back(std::unexpected(got.error()));
        continue;
      }
      auto one = take_read(*got, files[i]);
      if (wanted_later(one.problem, tries)) {
        co_await back_off(tries);
        break;
      }
      if (one.left_open) co_await close_left_open(folder, files[i].name, *one.left_open);
      const bool stopped = one.problem.has_value() && !got->ok();
      if (one.problem) {
        out.push_back(std::unexpected(std::move(*one.problem)));
      } else if (one.whole) {
        out.push_back(one.got);
      } else { // servers may give less than was asked for and is there
        auto all = co_await read_in_turn(folder, files[i].name, files[i].into);
        out.push_back(std::move(all));
      }
      if (stopped) break;
    }
  }
  co_return out;
}

awaitable<std::vector<std::expected<void, error>>>
client::remove_files(file_handle folder, std::vector<std::string> names) {
  std::vector<std::expected<void, error>> out;
  u32 tries = 0;
  while (out.size() < names.size()) {
    const auto first = out.size();
    room left(session_.facts().fore, operations_max_, operations_to_remove);
    compound c;
    auto next = first;
    for (; next < names.size() && left.take(names[next].size() + around_bytes, around_bytes);
         ++next) {
      c.add<putfh>({folder});
      c.add<v4::remove>({names[next]});
    }
    auto got = co_await session_.call(c);
    if (!got && next - first > 1 && is_too_much(got.error())) {
      operations_max_ = static_cast<u32>(next - first) / 2 * operations_to_remove + 1;
      continue;
    }
    for (auto i = first; i < next; ++i) {
      if (!got) {
        out.push_back(std::unexpected(got.error()));
        continue;
      }
      auto problem = pass<putfh, v4::remove>(*got, names[i]);
      if (wanted_later(problem, tries)) {
        co_await back_off(tries);
        break;
      }
      if (problem)
        out.push_back(std::unexpected(std::move(*problem)));
      else
        out.emplace_back();
      if (problem) break;
    }
  }
  co_return out;
}

result<read_result> client::read_file(file_handle folder, std::string name,
                                      std::span<std::byte> into) {
  std::vector<file_to_read> one;
  one.push_back({std::move(name), into});
  auto got = co_await read_files(folder, std::move(one));
  co_return std::move(got.front());
}

result<void> client::write_file(file_handle folder, std::string name, u32 mode, bytes data) {
  std::vector<file_to_write> one;
  one.push_back({std::move(name), data});
  auto done = co_await write_files(folder, mode, std::move(one));
  co_return std::move(done.front());
}

} // namespace nfs::v4
