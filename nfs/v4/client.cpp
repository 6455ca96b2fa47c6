#include "nfs/v4/client.hpp"

#include "nfs/connecting.hpp"

#include <random>

namespace nfs::v4 {

namespace {

constexpr u32 unasked_max = 1u << 20; ///< where Linux stops too
constexpr u32 readdir_bytes = 64u << 10;
constexpr std::size_t listed_endelay_tries_max = 16u << 20;
constexpr u32 share_read = 1;
constexpr u32 share_write = 2;
constexpr u32 want_no_delegation = 0x0400;

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

} // namespace

result<compound_results> client::call(const compound& what) {
  for (u32 tries = 1;; ++tries) {
    auto got = co_await session_.call(what);
    if (!got || got->status() != nfsstat4::delay || tries == delay_tries_max) co_return got;
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
  if (auto problem = got->pass<putrootfh>()) co_return std::unexpected(std::move(*problem));
  for (const auto& part : parts)
    if (auto problem = got->pass<v4::lookup>(part)) co_return std::unexpected(std::move(*problem));
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
  if (auto problem = got->pass<putfh, v4::lookup>(name))
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
  if (auto problem = got->pass<putfh>()) co_return std::unexpected(std::move(*problem));
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
  if (auto problem = got->pass<putfh, v4::create>(name))
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
  if (auto problem = got->pass<putfh>()) co_return std::unexpected(std::move(*problem));
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
  if (auto problem = got->pass<putfh, v4::remove>(name))
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
  if (auto problem = got->pass<putfh, savefh, putfh, v4::rename>(name))
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
  if (auto problem = got->pass<putfh, savefh, putfh, v4::link>(name))
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
    if (auto problem = got->pass<putfh>()) co_return std::unexpected(std::move(*problem));
    auto said = got->take<v4::readdir>();
    if (!said) co_return std::unexpected(std::move(said.error()));
    for (const auto& entry : said->entries)
      out.push_back({std::string(entry.name), facts_of(entry.attrs)});
    if (said->eof) co_return out;
    // A server that gives no entry and no end would keep us here for ever.
    if (said->entries.empty() || out.size() > listed_endelay_tries_max)
      co_return std::unexpected(
          error{rpc::errc::bad_reply, fmt::format("READDIR on {}: no end of it after {} entries",
                                                  session_.connection().server(), out.size())});
    args.cookie = said->entries.back().cookie;
    args.cookieverf = said->cookieverf;
  }
}

v4::open::args client::open_args(bool make, const fattr& attributes) const {
  v4::open::args out;
  out.share_access = (make ? share_write : share_read) | want_no_delegation;
  out.owner.clientid = session_.facts().clientid;
  out.owner.owner = wire::as_bytes(owner_);
  if (make) {
    out.openhow.opentype = v4::open::open_type::create;
    out.openhow.createattrs = attributes;
  }
  return out;
}

result<open_file> client::open_with(file_handle folder, std::string name, bool make, u32 mode) {
  attribute_list attributes;
  attributes.size(0);
  attributes.mode(mode);
  compound c;
  c.add<putfh>({folder});
  auto opening = open_args(make, attributes.view());
  opening.claim.file = name;
  c.add<v4::open>(opening);
  c.add<getfh>();
  c.add<v4::getattr>({wanted_facts()});
  auto got = co_await call(c);
  if (!got) co_return std::unexpected(std::move(got.error()));
  if (auto problem = got->pass<putfh>()) co_return std::unexpected(std::move(*problem));
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
    if (auto problem = got->pass<putfh>()) co_return std::unexpected(std::move(*problem));
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
    if (auto problem = got->pass<putfh>()) co_return std::unexpected(std::move(*problem));
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
  if (auto problem = got->pass<putfh>()) co_return std::unexpected(std::move(*problem));
  auto said = got->take<v4::commit>();
  if (!said) co_return std::unexpected(std::move(said.error()));
  lost = said->writeverf != first;
  co_return done();
}

result<void> client::write(open_file file, u64 offset, bytes data) {
  for (u32 tries = 1; tries <= delay_tries_max; ++tries) {
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
  if (auto problem = got->pass<putfh, v4::close>()) co_return std::unexpected(std::move(*problem));
  co_return done();
}

} // namespace nfs::v4
