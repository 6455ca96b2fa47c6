#include "nfs/connecting.hpp"
#include "nfs/v4/client.hpp"

#include <cstring>

/// Files in one COMPOUND each, and several of them in one.
namespace nfs::v4 {

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

result<read_result> read_in_turn(client& c, file_handle folder, file_to_read file) {
  auto opened = co_await c.open(folder, file.name);
  if (!opened) co_return std::unexpected(std::move(opened.error()));
  auto read_bytes = co_await c.read(*opened, 0, file.into);
  auto closed = co_await c.close(*opened);
  if (!read_bytes) co_return std::unexpected(std::move(read_bytes.error()));
  if (!closed) co_return std::unexpected(std::move(closed.error()));
  read_result out;
  out.bytes = *read_bytes;
  out.eof = *read_bytes < file.into.size() || opened->facts.size == *read_bytes;
  co_return out;
}

result<void> write_in_turn(client& c, file_handle folder, u32 mode, file_to_write file) {
  auto opened = co_await c.create(folder, file.name, mode);
  if (!opened) co_return std::unexpected(std::move(opened.error()));
  auto written = co_await c.write(*opened, 0, file.data);
  auto closed = co_await c.close(*opened);
  if (!written) co_return written;
  co_return closed;
}

/// "The state that the operation before gave": RFC 8881 section 16.2.3.1.2.
stateid current_stateid() {
  stateid out;
  out.seqid = 1;
  return out;
}

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
template <class T>
bool wanted_later(const std::expected<T, error>& result, u32& tries) {
  if (result || result.error().code != nfsstat4::delay) {
    tries = 0;
    return false;
  }
  if (++tries < delay_tries_max) return true;
  tries = 0;
  return false;
}

constexpr u64 around_bytes = 512; ///< of a file's operations, without names and data

/// What became of one file of a compound. `again`: all is well but for a part that has to be got in
/// the plain sequence.
template <class Value>
struct taken {
  std::expected<Value, error> result;
  std::optional<stateid> left_open;
  bool again = false;
};

template <class Value>
taken<Value> failed(error problem, std::optional<stateid> left_open = {}) {
  return {std::unexpected(std::move(problem)), left_open};
}

v4::close::args close_current() {
  v4::close::args out;
  out.open_stateid = current_stateid();
  return out;
}

/// PUTFH, OPEN, WRITE, CLOSE of each.
struct write_job {
  using value = void;
  static constexpr u32 operations_a_file = 4;

  std::vector<file_to_write> files;
  v4::open::args opening;
  u32 mode;
  u32 wsize;

  [[nodiscard]] const std::string& name(std::size_t i) const { return files[i].name; }
  [[nodiscard]] result<void> alone(client& c, file_handle folder, std::size_t i) const {
    return write_in_turn(c, folder, mode, files[i]);
  }

  [[nodiscard]] bool fits(std::size_t i) const { return files[i].data.size() <= wsize; }
  [[nodiscard]] bool take(room& left, std::size_t i) const {
    return left.take(files[i].data.size() + files[i].name.size() + around_bytes, around_bytes);
  }
  void add(compound& c, file_handle folder, std::size_t i) {
    c.add<putfh>({folder});
    opening.claim.file = files[i].name;
    c.add<v4::open>(opening);
    v4::write::args writing;
    writing.stateid = current_stateid();
    writing.stable = stable_how::file_sync;
    writing.data = files[i].data;
    if (!writing.data.empty()) c.add<v4::write>(writing);
    c.add<v4::close>(close_current());
  }
  [[nodiscard]] taken<void> read(compound_results& results, std::size_t i) const {
    const auto& [name, data] = files[i];
    if (auto problem = results.pass<putfh>(name)) return failed<void>(std::move(*problem));
    const auto opened = results.take<v4::open>(name);
    if (!opened) return failed<void>(opened.error());
    if (data.empty()) return closed(results, name);
    const auto said = results.take<v4::write>(name);
    if (!said) return failed<void>(said.error(), opened->open_stateid);
    auto out = closed(results, name);
    if (said->count == data.size()) return out;
    return failed<void>(
        {rpc::errc::bad_reply, fmt::format("WRITE of '{}': the server took {} of {} bytes", name,
                                           said->count, data.size())});
  }

 private:
  static taken<void> closed(compound_results& results, std::string_view name) {
    if (auto problem = results.pass<v4::close>(name)) return failed<void>(std::move(*problem));
    return {};
  }
};

/// PUTFH, OPEN, READ, CLOSE of each.
struct read_job {
  using value = read_result;
  static constexpr u32 operations_a_file = 4;

  std::vector<file_to_read> files;
  v4::open::args opening;
  u32 rsize;

  [[nodiscard]] const std::string& name(std::size_t i) const { return files[i].name; }
  [[nodiscard]] result<read_result> alone(client& c, file_handle folder, std::size_t i) const {
    return read_in_turn(c, folder, files[i]);
  }

  [[nodiscard]] bool fits(std::size_t i) const { return files[i].into.size() <= rsize; }
  [[nodiscard]] bool take(room& left, std::size_t i) const {
    return left.take(files[i].name.size() + around_bytes, files[i].into.size() + around_bytes);
  }
  void add(compound& c, file_handle folder, std::size_t i) {
    c.add<putfh>({folder});
    opening.claim.file = files[i].name;
    c.add<v4::open>(opening);
    v4::read::args reading;
    reading.stateid = current_stateid();
    reading.count = static_cast<u32>(files[i].into.size());
    c.add<v4::read>(reading);
    c.add<v4::close>(close_current());
  }
  [[nodiscard]] taken<read_result> read(compound_results& results, std::size_t i) const {
    const auto& [name, into] = files[i];
    if (auto problem = results.pass<putfh>(name)) return failed<read_result>(std::move(*problem));
    const auto opened = results.take<v4::open>(name);
    if (!opened) return failed<read_result>(opened.error());
    const auto said = results.take<v4::read>(name);
    if (!said) return failed<read_result>(said.error(), opened->open_stateid);
    if (auto problem = results.pass<v4::close>(name))
      return failed<read_result>(std::move(*problem));
    if (said->data.size() > into.size())
      return failed<read_result>({rpc::errc::bad_reply, "READ: more than was asked for"});
    // std::ranges::copy goes byte by byte here (GCC 12).
    if (!said->data.empty()) std::memcpy(into.data(), said->data.data(), said->data.size());
    taken<read_result> out;
    out.result = read_result{said->data.size(), said->eof};
    // Servers may give less than was asked for and is there.
    out.again = !said->eof && said->data.size() < into.size();
    return out;
  }
};

/// PUTFH, REMOVE of each.
struct remove_job {
  using value = void;
  static constexpr u32 operations_a_file = 2;

  std::vector<std::string> files;

  [[nodiscard]] const std::string& name(std::size_t i) const { return files[i]; }
  [[nodiscard]] result<void> alone(client& c, file_handle folder, std::size_t i) const {
    return c.remove(folder, files[i]);
  }
  [[nodiscard]] bool fits(std::size_t) const { return true; }
  [[nodiscard]] bool take(room& left, std::size_t i) const {
    return left.take(files[i].size() + around_bytes, around_bytes);
  }
  void add(compound& c, file_handle folder, std::size_t i) const {
    c.add<putfh>({folder});
    c.add<v4::remove>({files[i]});
  }
  [[nodiscard]] taken<void> read(compound_results& results, std::size_t i) const {
    if (auto problem = results.pass<putfh, v4::remove>(files[i]))
      return failed<void>(std::move(*problem));
    return {};
  }
};

} // namespace

template <class Job>
awaitable<std::vector<std::expected<typename Job::value, error>>>
client::in_compounds(file_handle folder, Job job) {
  std::vector<std::expected<typename Job::value, error>> out;
  u32 tries = 0;
  const auto count = job.files.size();
  while (out.size() < count) {
    const auto first = out.size();
    if (!job.fits(first)) {
      auto done = co_await job.alone(*this, folder, first);
      out.push_back(std::move(done));
      continue;
    }
    room left(session_.facts().fore, operations_max_, Job::operations_a_file);
    compound c;
    auto next = first;
    for (; next < count && job.fits(next) && job.take(left, next); ++next)
      job.add(c, folder, next);
    auto got = co_await session_.call(c);
    if (!got && next - first > 1 && is_too_much(got.error())) {
      operations_max_ = static_cast<u32>(next - first) / 2 * Job::operations_a_file + 1;
      continue;
    }
    if (!got) {
      out.insert(out.end(), next - first, std::unexpected(got.error()));
      continue;
    }
    for (auto i = first; i < next; ++i) {
      auto one = job.read(*got, i);
      if (wanted_later(one.result, tries)) {
        co_await back_off(tries);
        break;
      }
      if (one.left_open) co_await close_left_open(folder, job.name(i), *one.left_open);
      if (one.again) one.result = co_await job.alone(*this, folder, i);
      const bool stopped = !one.result && !got->ok();
      out.push_back(std::move(one.result));
      if (stopped) break; // those behind it were not executed
    }
  }
  co_return out;
}

awaitable<std::vector<std::expected<void, error>>>
client::write_files(file_handle folder, u32 mode, std::vector<file_to_write> files) {
  attribute_list attributes;
  attributes.size(0);
  attributes.mode(mode);
  write_job job{std::move(files), open_args(true, attributes.view()), mode, limits_.wsize};
  auto out = co_await in_compounds(folder, std::move(job));
  co_return out;
}

awaitable<std::vector<std::expected<read_result, error>>>
client::read_files(file_handle folder, std::vector<file_to_read> files) {
  read_job job{std::move(files), open_args(false, {}), limits_.rsize};
  auto out = co_await in_compounds(folder, std::move(job));
  co_return out;
}

awaitable<std::vector<std::expected<void, error>>>
client::remove_files(file_handle folder, std::vector<std::string> names) {
  remove_job job{std::move(names)};
  auto out = co_await in_compounds(folder, std::move(job));
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
