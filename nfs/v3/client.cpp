#include "nfs/v3/client.hpp"

#include <fmt/format.h>

#include <deque>

namespace nfs::v3 {

namespace {

constexpr u32 readdir_bytes = 32u << 10; ///< asked for where FSINFO gives no preference
constexpr u32 symlinks_max = 32;
constexpr std::size_t listed_entries_max = 16u << 20; ///< of one directory

std::expected<void, error> done() {
  return {};
}

} // namespace

error status_error(std::string_view operation, std::string_view name,
                   const rpc::connection& connection, nfsstat3 status) {
  return operation_error(operation, name, connection.server(), make_error_code(status));
}

result<fattr3> client::getattr(file_handle object) {
  auto r = co_await call_ok<v3::getattr>(v3::getattr::args{object});
  if (!r) co_return std::unexpected(std::move(r.error()));
  co_return r->message.obj_attributes;
}

result<void> client::setattr(file_handle object, sattr3 attributes) {
  auto r = co_await call_ok<v3::setattr>(v3::setattr::args{object, attributes, std::nullopt});
  if (!r) co_return std::unexpected(std::move(r.error()));
  co_return done();
}

result<u32> client::access(file_handle object, u32 rights) {
  auto r = co_await call_ok<v3::access>(v3::access::args{object, rights});
  if (!r) co_return std::unexpected(std::move(r.error()));
  co_return r->message.access;
}

result<std::string> client::readlink(file_handle symlink) {
  auto r = co_await call_ok<v3::readlink>(v3::readlink::args{symlink});
  if (!r) co_return std::unexpected(std::move(r.error()));
  co_return std::string(r->message.data);
}

result<found> client::lookup(file_handle dir, std::string name) {
  found out;
  out.handle = dir;
  if (name.empty() || name == ".") co_return out;
  v3::lookup::args args;
  args.what.dir = dir;
  args.what.name = name;
  auto r = co_await call_ok<v3::lookup>(args);
  if (!r) co_return std::unexpected(std::move(r.error()));
  out.handle = r->message.object;
  out.attributes = r->message.obj_attributes;
  co_return out;
}

namespace {

std::deque<std::string> parts_of(std::string_view path) {
  std::deque<std::string> out;
  while (!path.empty()) {
    const auto end = std::min(path.find('/'), path.size());
    if (end > 0) out.emplace_back(path.substr(0, end));
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return out;
}

error link_error(const rpc::connection& connection, std::string_view name, std::string_view why) {
  error e;
  e.code = nfsstat3::inval;
  e.text = fmt::format("the symbolic link '{}' on {} {}", name, connection.server(), why);
  return e;
}

} // namespace

result<found> client::walk(file_handle dir, std::string path) {
  auto parts = parts_of(path);
  found at;
  at.handle = dir;
  u32 links = 0;
  while (!parts.empty()) {
    const auto name = std::move(parts.front());
    parts.pop_front();
    auto next = co_await lookup(at.handle, name);
    if (!next) co_return next;
    const bool is_link = next->attributes && next->attributes->type == ftype3::lnk;
    if (!is_link || parts.empty()) {
      at = *next;
      continue;
    }
    auto target = co_await readlink(next->handle);
    if (!target) co_return std::unexpected(std::move(target.error()));
    if (target->starts_with('/'))
      co_return std::unexpected(link_error(connection_, name, "leads out of the export"));
    if (++links > symlinks_max)
      co_return std::unexpected(link_error(connection_, name, "is one of too many"));
    auto inserted = parts_of(*target);
    parts.insert(parts.begin(), inserted.begin(), inserted.end());
  }
  co_return at;
}

result<writeverf3> client::commit(file_handle file, u64 offset, u32 count) {
  auto r = co_await call_ok<v3::commit>(v3::commit::args{file, offset, count});
  if (!r) co_return std::unexpected(std::move(r.error()));
  co_return r->message.verf;
}

template <class Op>
result<found> client::make(typename Op::args args) {
  auto r = co_await call_ok<Op>(args);
  if (!r) co_return std::unexpected(std::move(r.error()));
  found out;
  out.attributes = r->message.obj_attributes;
  if (const auto* handle = Op::result(r->message)) {
    out.handle = *handle;
    co_return out;
  }
  auto looked_up = co_await lookup(args.where.dir, std::string(args.where.name));
  co_return looked_up;
}

result<found> client::create(file_handle dir, std::string name, sattr3 attributes,
                             createmode3 mode) {
  v3::create::args args;
  args.where.dir = dir;
  args.where.name = name;
  args.mode = mode;
  args.obj_attributes = attributes;
  if (mode == createmode3::exclusive) { // any number that no other client picks for this file
    wire::store_be(args.verf.data(), static_cast<u64>(wire::net::now().count()));
  }
  auto made = co_await make<v3::create>(args);
  co_return made;
}

result<found> client::mkdir(file_handle dir, std::string name, sattr3 attributes) {
  v3::mkdir::args args;
  args.where.dir = dir;
  args.where.name = name;
  args.attributes = attributes;
  auto made = co_await make<v3::mkdir>(args);
  co_return made;
}

result<found> client::symlink(file_handle dir, std::string name, std::string target) {
  v3::symlink::args args;
  args.where.dir = dir;
  args.where.name = name;
  args.symlink_data = target;
  auto made = co_await make<v3::symlink>(args);
  co_return made;
}

result<void> client::remove(file_handle dir, std::string name) {
  v3::remove::args args;
  args.object.dir = dir;
  args.object.name = name;
  auto r = co_await call_ok<v3::remove>(args);
  if (!r) co_return std::unexpected(std::move(r.error()));
  co_return done();
}

result<void> client::rmdir(file_handle dir, std::string name) {
  v3::rmdir::args args;
  args.object.dir = dir;
  args.object.name = name;
  auto r = co_await call_ok<v3::rmdir>(args);
  if (!r) co_return std::unexpected(std::move(r.error()));
  co_return done();
}

result<void> client::rename(file_handle from, std::string from_name, file_handle to,
                            std::string to_name) {
  v3::rename::args args;
  args.from.dir = from;
  args.from.name = from_name;
  args.to.dir = to;
  args.to.name = to_name;
  auto r = co_await call_ok<v3::rename>(args);
  if (!r) co_return std::unexpected(std::move(r.error()));
  co_return done();
}

result<void> client::link(file_handle file, file_handle dir, std::string name) {
  v3::link::args args;
  args.file = file;
  args.link.dir = dir;
  args.link.name = name;
  auto r = co_await call_ok<v3::link>(args);
  if (!r) co_return std::unexpected(std::move(r.error()));
  co_return done();
}

namespace {

directory_entry to_entry(const v3::readdir::entry& e) {
  return {std::string(e.name), e.fileid, std::nullopt, std::nullopt};
}

directory_entry to_entry(const v3::readdirplus::entry& e) {
  return {std::string(e.name), e.fileid, e.name_attributes, e.name_handle};
}

} // namespace

template <class Op>
result<std::vector<directory_entry>> client::list(typename Op::args args) {
  std::vector<directory_entry> out;
  while (true) {
    auto r = co_await call_ok<Op>(args);
    if (!r) co_return std::unexpected(std::move(r.error()));
    const auto& page = r->message;
    for (const auto& e : page.entries)
      if (e.name != "." && e.name != "..") out.push_back(to_entry(e));
    if (page.eof) co_return out;
    // A server that gives neither entries nor the end would keep us here for ever.
    if (page.entries.empty() || page.entries.back().cookie == args.cookie ||
        out.size() > listed_entries_max) {
      error e;
      e.code = rpc::errc::bad_reply;
      e.text = fmt::format("{} on {}: the directory does not end", Op::name, connection_.server());
      co_return std::unexpected(std::move(e));
    }
    args.cookie = page.entries.back().cookie;
    args.cookieverf = page.cookieverf;
  }
}

result<std::vector<directory_entry>> client::readdir(file_handle dir, bool plus) {
  const auto size = limits_.dtpref > 0 ? limits_.dtpref : readdir_bytes;
  if (plus) {
    v3::readdirplus::args args;
    args.dir = dir;
    args.dircount = args.maxcount = size;
    auto entries = co_await list<v3::readdirplus>(args);
    co_return entries;
  }
  v3::readdir::args args;
  args.dir = dir;
  args.count = size;
  auto entries = co_await list<v3::readdir>(args);
  co_return entries;
}

result<fsstat::reply> client::fsstat_of(file_handle root) {
  auto r = co_await call_ok<fsstat>(fsstat::args{root});
  if (!r) co_return std::unexpected(std::move(r.error()));
  co_return r->message;
}

result<fsinfo::reply> client::fsinfo_of(file_handle root) {
  auto r = co_await call_ok<fsinfo>(fsinfo::args{root});
  if (!r) co_return std::unexpected(std::move(r.error()));
  co_return r->message;
}

result<pathconf::reply> client::pathconf_of(file_handle object) {
  auto r = co_await call_ok<pathconf>(pathconf::args{object});
  if (!r) co_return std::unexpected(std::move(r.error()));
  co_return r->message;
}

} // namespace nfs::v3
