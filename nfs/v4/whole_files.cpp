#include "nfs/connecting.hpp"
#include "nfs/v4/client.hpp"

/// Files in one COMPOUND each, and several of them in one.
namespace nfs::v4 {

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
bool wanted_later(const std::optional<error>& problem, u32& tries) {
  if (!problem || problem->code != nfsstat4::delay) {
    tries = 0;
    return false;
  }
  return ++tries < delay_tries_max;
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
  if ((out.problem = results.pass<putfh>(file.name))) return out;
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
  if (auto problem = results.pass<close>(file.name); problem && !out.problem)
    out.problem = std::move(problem);
  return out;
}

struct taken_read : taken {
  read_result got;
  bool whole = false; ///< nothing more is there, or wanted
};

taken_read take_read(compound_results& results, const file_to_read& file) {
  taken_read out;
  if ((out.problem = results.pass<putfh>(file.name))) return out;
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
  if (auto problem = results.pass<close>(file.name); problem && !out.problem)
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
      auto problem = got->pass<putfh, v4::remove>(names[i]);
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
