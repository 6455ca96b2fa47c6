// Directories, locks, notifications, server-side copy, sparse files and pipes against a real
// server. WIRETRIP_LAB_SMB names it, WIRETRIP_PASSWORD the password; without the first this is
// skipped.

#include "smb2/directory.hpp"
#include "smb2/info/names.hpp"
#include "smb2/info/security.hpp"
#include "smb2/locks.hpp"
#include "smb2/notify.hpp"
#include "smb2/pipe.hpp"
#include "smb2/server_copy.hpp"
#include "smb2/shares.hpp"
#include "smb2/sparse.hpp"
#include "tests/support/lab_checks.hpp"
#include "tests/support/lab_share.hpp"

#include <asio/steady_timer.hpp>
#include <gtest/gtest.h>

#include <random>
#include <set>

namespace smb2 {
namespace {

using support::good;
using done = std::expected<void, error>;
using names = std::set<std::string>;

class smb2_file_work : public testing::Test {
 protected:
  using body = awaitable<void> (*)(session, tree, std::string);

  void SetUp() override {
    const auto found = support::find_share("WIRETRIP_LAB_SMB");
    if (!found) GTEST_SKIP() << "WIRETRIP_LAB_SMB is not set: no SMB server to talk to";
    share = found->name;
    options = found->options;
    options.connection.timeout = std::chrono::seconds(10);
  }

  /// In a folder of its own, which `work` leaves empty.
  void in_a_folder(body work) {
    if (IsSkipped()) return;
    const auto folder = "wiretrip-work-" + std::to_string(std::random_device{}());
    EXPECT_TRUE(wire::net::run_to_end(io, visit(options, share, folder, work)));
  }

  static awaitable<bool> visit(session_options options, std::string share, std::string folder,
                               body work) {
    auto opened = co_await session::open(std::move(options));
    if (!good(opened)) co_return false;
    auto entered = co_await tree::connect(*opened, std::move(share));
    if (!good(entered)) co_return false;
    auto made = co_await entered->make_directory(folder);
    if (!good(made)) co_return false;
    co_await work(*opened, *entered, folder);
    auto gone = co_await entered->remove_directory(folder);
    good(gone);
    auto left = co_await opened->logoff();
    co_return good(left);
  }

  session_options options;
  std::string share;
  asio::io_context io;
};

open_options to_list() {
  open_options out;
  out.create_options = create_option::directory_file;
  return out;
}

open_options to_read_and_write() {
  auto out = open_options::to_write();
  out.access |= access::read_data;
  return out;
}

std::string numbered(int i) {
  return "file-" + std::to_string(1000 + i);
}

constexpr int file_count = 120;

template <class Entry>
awaitable<void> list_with(file directory, u32 buffer_bytes, std::string pattern, names expected) {
  directory_query query;
  query.buffer_bytes = buffer_bytes;
  query.pattern = std::move(pattern);
  names seen;
  auto see = [&seen](const Entry& entry) {
    EXPECT_TRUE(seen.insert(entry.file_name.text()).second) << "twice: " << entry.file_name.text();
  };
  auto calls = co_await walk_directory<Entry>(std::move(directory), query, see);
  EXPECT_TRUE(calls) << Entry::title << " in " << buffer_bytes << " bytes: " << calls.error().text;
  if (!calls) co_return;
  EXPECT_EQ(seen, expected) << Entry::title << " in " << buffer_bytes << " bytes";
  if (buffer_bytes < 1000 && expected.size() > 20) {
    EXPECT_GT(*calls, 5u);
  }
}

template <class Entry>
awaitable<void> list_each_way(file directory, names all) {
  for (const u32 buffer_bytes : {8u, 300u, 4096u, 65'536u, 1u << 20})
    co_await list_with<Entry>(directory, buffer_bytes, "*", all);
  names tens;
  for (int i = 10; i < 20; ++i)
    tens.insert(numbered(i));
  co_await list_with<Entry>(directory, 65'536, "file-101?", tens);
  const names none;
  co_await list_with<Entry>(directory, 65'536, "no such *", none);
}

/// Samba before 4.19 does not have the class with 128-bit numbers.
awaitable<void> list_extended(file directory, names all) {
  directory_query query;
  names seen;
  auto see = [&seen](const file_id_extd_directory_information& entry) {
    seen.insert(entry.file_name.text());
  };
  auto calls =
      co_await walk_directory<file_id_extd_directory_information>(std::move(directory), query, see);
  if (calls) {
    EXPECT_EQ(seen, all);
  } else {
    EXPECT_EQ(calls.error().code, make_status_error(status::invalid_info_class))
        << calls.error().text;
  }
}

/// Those whose answer is a list or a tree of parts.
awaitable<void> query_lists(tree where, fileid id) {
  query_info::request request;
  request.file = id;
  request.output_buffer_length = 4096;
  request.type = info_type::security;
  request.additional_information =
      security_information::owner | security_information::group | security_information::dacl;
  auto secured = co_await where.call<query_info>(request);
  if (good(secured)) {
    EXPECT_EQ(name_of_status(secured->status), "STATUS_SUCCESS");
    const auto descriptor = decode_security_descriptor(secured->message.buffer);
    EXPECT_TRUE(descriptor) << wire::describe(descriptor.error());
    if (descriptor) {
      EXPECT_TRUE(text_of(descriptor->owner.value()).starts_with("S-1-"));
      EXPECT_FALSE(descriptor->dacl.value().empty());
    }
  }
  request.type = info_type::file;
  request.additional_information = 0;
  request.file_info_class = file_info::stream;
  auto streams = co_await where.call<query_info>(request);
  if (good(streams)) {
    entry_walker<file_stream_information> walk(streams->message.buffer);
    const auto first = walk.next();
    EXPECT_TRUE(first && first->stream_name.text() == "::$DATA" && first->stream_size == 4321u);
  }
  request.file_info_class = file_info::alternate_name;
  auto alternate = co_await where.call<query_info>(request);
  if (good(alternate) && alternate->status == status::success) {
    EXPECT_TRUE(decode_buffer<file_alternate_name_information>(alternate->message.buffer));
  }
  request.type = info_type::filesystem;
  request.file_info_class = fs_info::volume;
  auto volume = co_await where.call<query_info>(request);
  if (good(volume)) {
    const auto said = decode_buffer<file_fs_volume_information>(volume->message.buffer);
    EXPECT_TRUE(said && said->volume_label.text() == "export");
  }
}

awaitable<void> query_file_classes(session, tree where, std::string folder) {
  const auto path = folder + "/facts";
  auto options = to_read_and_write();
  options.access |= access::read_control;
  auto one = co_await where.open(path, options);
  if (!good(one)) co_return;
  file_end_of_file_information end;
  end.end_of_file = 4321;
  auto set = co_await one->set(end);
  good(set);
  auto internal = co_await one->query<file_internal_information>();
  if (good(internal)) {
    EXPECT_NE(internal->index_number, 0u);
  }
  auto opened = co_await one->query<file_network_open_information>();
  if (good(opened)) {
    EXPECT_EQ(opened->end_of_file, 4321u);
  }
  auto rights = co_await one->query<file_access_information>();
  if (good(rights)) {
    EXPECT_NE(rights->access_flags & access::write_data, 0u);
  }
  auto ea = co_await one->query<file_ea_information>();
  good(ea);
  auto position = co_await one->query<file_position_information>();
  good(position);
  auto mode = co_await one->query<file_mode_information>();
  good(mode);
  auto alignment = co_await one->query<file_alignment_information>();
  good(alignment);
  auto compression = co_await one->query<file_compression_information>();
  good(compression);
  auto tag = co_await one->query<file_attribute_tag_information>();
  good(tag);
  auto device = co_await one->query_filesystem<file_fs_device_information>();
  if (good(device)) {
    EXPECT_EQ(device->device_type, 7u);
  }
  auto sectors = co_await one->query_filesystem<file_fs_sector_size_information>();
  if (good(sectors)) {
    EXPECT_NE(sectors->logical_bytes_per_sector, 0u);
  }
  auto object = co_await one->query_filesystem<file_fs_object_id_information>();
  good(object);
  co_await query_lists(where, one->id());
  auto closed = co_await one->close();
  good(closed);
  auto gone = co_await where.remove(path);
  good(gone);
}

TEST_F(smb2_file_work, TellsTheFactsOfAFileInEachClass) {
  in_a_folder(query_file_classes);
}

awaitable<void> list_every_class(session, tree where, std::string folder) {
  names all{".", ".."};
  for (int i = 0; i < file_count; ++i) {
    const auto name = numbered(i);
    auto made = co_await where.open(folder + "/" + name, open_options::to_write());
    if (!good(made)) co_return;
    auto closed = co_await made->close();
    good(closed);
    all.insert(name);
  }
  auto directory = co_await where.open(folder, to_list());
  if (good(directory)) {
    co_await list_each_way<file_directory_information>(*directory, all);
    co_await list_each_way<file_full_directory_information>(*directory, all);
    co_await list_each_way<file_both_directory_information>(*directory, all);
    co_await list_each_way<file_id_both_directory_information>(*directory, all);
    co_await list_each_way<file_id_full_directory_information>(*directory, all);
    co_await list_each_way<file_names_information>(*directory, all);

    co_await list_extended(*directory, all);

    directory_query one;
    one.single_entry = true;
    one.restart = true;
    auto page = co_await read_directory<file_names_information>(*directory, one);
    if (good(page)) {
      EXPECT_EQ(page->entries.size(), 1u);
    }
    auto closed = co_await directory->close();
    good(closed);
  }
  for (const auto& name : all) {
    if (name.starts_with('.')) continue;
    auto gone = co_await where.remove(folder + "/" + name);
    good(gone);
  }
}

TEST_F(smb2_file_work, ListsADirectoryInEveryClassAndBufferSize) {
  in_a_folder(list_every_class);
}

awaitable<void> lock_twice(session, tree where, std::string folder) {
  const auto path = folder + "/locked";
  auto one = co_await where.open(path, to_read_and_write());
  if (!good(one)) co_return;
  auto second = open_options::to_read();
  auto two = co_await where.open(path, second);
  if (!good(two)) co_return;
  lock_options shared;
  shared.exclusive = false;
  lock_options exclusive;

  auto first = co_await lock_range(*one, 0, 100, shared);
  good(first);
  auto beside = co_await lock_range(*two, 50, 100, shared);
  good(beside);
  auto refused = co_await lock_range(*one, 100, 10, exclusive);
  EXPECT_FALSE(refused);
  if (!refused) {
    EXPECT_EQ(name_of_status(static_cast<u32>(refused.error().code.value())),
              "STATUS_LOCK_NOT_GRANTED");
  }
  lock_options patient;
  patient.fail_immediately = false;
  patient.timeout = std::chrono::milliseconds(300);
  auto waited = co_await lock_range(*one, 100, 10, patient);
  EXPECT_FALSE(waited);
  if (!waited) {
    EXPECT_EQ(waited.error().code, errc::timed_out);
  }
  auto freed = co_await unlock_range(*two, 50, 100);
  good(freed);
  lock_sequences sequences;
  exclusive.sequence = sequences.next();
  auto now = co_await lock_range(*one, 100, 10, exclusive);
  good(now);
  auto not_there = co_await unlock_range(*two, 50, 100);
  EXPECT_FALSE(not_there);
  auto closed = co_await two->close();
  good(closed);
  closed = co_await one->close();
  good(closed);
  auto gone = co_await where.remove(path);
  good(gone);
}

TEST_F(smb2_file_work, LocksRangesSharedAndExclusive) {
  in_a_folder(lock_twice);
}

awaitable<void> rename_soon(tree where, std::string from, std::string to) {
  const auto executor = co_await asio::this_coro::executor;
  asio::steady_timer timer(executor, std::chrono::milliseconds(100));
  auto [ignored] = co_await timer.async_wait(wire::net::as_result);
  static_cast<void>(ignored);
  auto renamed = co_await where.rename(std::move(from), std::move(to));
  good(renamed);
}

awaitable<void> watch(session, tree where, std::string folder) {
  const auto below = folder + "/below";
  auto made = co_await where.make_directory(below);
  if (!good(made)) co_return;
  auto created = co_await where.open(below + "/old", open_options::to_write());
  if (!good(created)) co_return;
  auto closed = co_await created->close();
  good(closed);
  auto directory = co_await where.open(folder, to_list());
  if (!good(directory)) co_return;

  const auto executor = co_await asio::this_coro::executor;
  notify_options options;
  options.watch_tree = true;
  options.filter = notify_filter::file_name;
  asio::co_spawn(executor, rename_soon(where, below + "/old", below + "/new"),
                 [](std::exception_ptr) {});
  std::vector<directory_change> seen;
  while (seen.size() < 2) {
    auto some = co_await wait_for_changes(*directory, options);
    if (!good(some)) break;
    seen.insert(seen.end(), some->changes.begin(), some->changes.end());
    if (some->rescan) break;
  }
  const std::vector<directory_change> expected{{notify_action::renamed_old_name, "below\\old"},
                                               {notify_action::renamed_new_name, "below\\new"}};
  EXPECT_EQ(seen, expected);

  // A buffer that holds nothing: the client is told to look for itself.
  options.buffer_bytes = 1;
  asio::co_spawn(executor, rename_soon(where, below + "/new", below + "/old"),
                 [](std::exception_ptr) {});
  auto lost = co_await wait_for_changes(*directory, options);
  if (good(lost)) {
    EXPECT_TRUE(lost->rescan);
  }
  closed = co_await directory->close();
  good(closed);
  auto gone = co_await where.remove(below + "/old");
  good(gone);
  gone = co_await where.remove_directory(below);
  good(gone);
}

TEST_F(smb2_file_work, IsToldOfChangesBelowADirectory) {
  in_a_folder(watch);
}

awaitable<void> copy_inside(session, tree where, std::string folder) {
  std::mt19937 random(3);
  std::vector<std::byte> data(5u << 20);
  for (auto& b : data)
    b = static_cast<std::byte>(random());
  auto source = co_await where.open(folder + "/source", to_read_and_write());
  auto target = co_await where.open(folder + "/target", to_read_and_write());
  if (!good(source) || !good(target)) co_return;
  auto written = co_await source->write(0, data);
  good(written);

  copy_limits greedy; // beyond what Samba and Windows take: they say so, with their limits
  greedy.chunk_bytes = 4u << 20;
  greedy.total_bytes = 64u << 20;
  auto copied = co_await server_copy(*source, 0, *target, 0, data.size(), greedy);
  if (good(copied)) {
    EXPECT_EQ(copied->bytes, data.size());
    EXPECT_EQ(copied->limits.chunk_bytes, 1u << 20);
    EXPECT_EQ(copied->requests, 2u) << "one refused, one for all";
  }
  std::vector<std::byte> back(data.size());
  auto got = co_await target->read(0, back);
  good(got);
  EXPECT_TRUE(back == data);

  copy_limits small;
  small.chunks = 2;
  small.chunk_bytes = 1000;
  auto part = co_await server_copy(*source, 7, *target, 0, 5001, small);
  if (good(part)) {
    EXPECT_EQ(part->requests, 3u);
  }
  back.resize(5001);
  got = co_await target->read(0, back);
  good(got);
  EXPECT_TRUE(std::ranges::equal(back, bytes(data).subspan(7, 5001)));

  auto beyond = co_await server_copy(*source, data.size(), *target, 0, 10);
  EXPECT_FALSE(beyond) << "there is nothing to be copied there";
  auto closed = co_await source->close();
  good(closed);
  closed = co_await target->close();
  good(closed);
  for (const char* name : {"/source", "/target"}) {
    auto gone = co_await where.remove(folder + name);
    good(gone);
  }
}

TEST_F(smb2_file_work, CopiesInsideTheServerWithinItsLimits) {
  in_a_folder(copy_inside);
}

awaitable<void> punch_holes(session, tree where, std::string folder) {
  auto one = co_await where.open(folder + "/sparse", to_read_and_write());
  if (!good(one)) co_return;
  const std::vector<std::byte> data(1u << 20, std::byte{0x5A});
  auto written = co_await one->write(0, data);
  good(written);
  auto sparse = co_await set_sparse(*one);
  good(sparse);
  constexpr u64 from = 256u << 10;
  constexpr u64 to = 512u << 10;
  auto zeroed = co_await zero_data(*one, from, to);
  good(zeroed);
  std::vector<std::byte> back(data.size());
  auto got = co_await one->read(0, back);
  good(got);
  for (u64 i = 0; i < back.size(); i += 4096)
    EXPECT_EQ(back[i], i >= from && i < to ? std::byte{0} : std::byte{0x5A}) << i;
  auto ranges = co_await allocated_ranges(*one, 0, data.size());
  if (good(ranges)) {
    const std::vector<file_allocated_range_buffer> expected{{0, from}, {to, data.size() - to}};
    EXPECT_EQ(*ranges, expected);
  }
  auto closed = co_await one->close();
  good(closed);
  auto gone = co_await where.remove(folder + "/sparse");
  good(gone);
}

TEST_F(smb2_file_work, MakesHolesAndTellsWhereTheyAre) {
  in_a_folder(punch_holes);
}

awaitable<void> enumerate_shares(session on, tree where, std::string) {
  const auto path = where.path();
  const auto wanted = path.substr(path.rfind('\\') + 1);
  for (const auto way : {pipe_way::transceive, pipe_way::write_and_read}) {
    auto shares = co_await list_shares(on, way);
    if (!good(shares)) co_return;
    names disks;
    names pipes;
    for (const auto& share : *shares)
      ((share.type & 0xFF) == srvsvc::share::ipc ? pipes : disks).insert(share.name);
    EXPECT_TRUE(disks.contains(wanted));
    EXPECT_TRUE(pipes.contains("IPC$"));
  }
}

TEST_F(smb2_file_work, ListsTheSharesOfTheServerOverAPipe) {
  in_a_folder(enumerate_shares);
}

} // namespace
} // namespace smb2
