#include "smb2/contexts/create_data.hpp"
#include "smb2/info/directory.hpp"
#include "smb2/info/file.hpp"
#include "smb2/info/filesystem.hpp"
#include "tests/support/le_checks.hpp"

namespace smb2 {
namespace {

using support::le::check_buffer;
using support::le::exact_buffer;
using support::le::golden_named;
using wire::errc;
using wire::from_hex;

template <class T>
T body_of(std::string_view golden, std::vector<std::byte>& keep) {
  keep = golden_named(golden).data;
  auto out = decode<T>(keep);
  EXPECT_TRUE(out) << golden;
  return out ? std::move(*out) : T{};
}

TEST(NegotiateRequest, HasTheDialectsAndContextsThatSmbclientSent) {
  std::vector<std::byte> keep;
  const auto m = body_of<negotiate::request>("negotiate.call", keep);

  const std::vector<dialect> dialects{dialect::smb_2_0_2, dialect::smb_2_1, dialect::smb_3_0,
                                      dialect::smb_3_0_2, dialect::smb_3_1_1};
  EXPECT_EQ(m.dialects, dialects);
  const auto preauth = find_context<preauth_integrity_capabilities>(m.contexts);
  ASSERT_TRUE(preauth && *preauth);
  EXPECT_EQ((*preauth)->algorithms, std::vector{hash_algorithm::sha512});
  EXPECT_EQ((*preauth)->salt.size(), 32u);
  const auto ciphers = find_context<encryption_capabilities>(m.contexts);
  ASSERT_TRUE(ciphers && *ciphers);
  EXPECT_EQ((*ciphers)->ciphers, (std::vector{cipher::aes_128_gcm, cipher::aes_128_ccm,
                                              cipher::aes_256_gcm, cipher::aes_256_ccm}));
  const auto signing = find_context<signing_capabilities>(m.contexts);
  ASSERT_TRUE(signing && *signing);
  EXPECT_EQ((*signing)->algorithms,
            (std::vector{signing_algorithm::aes_gmac, signing_algorithm::aes_cmac,
                         signing_algorithm::hmac_sha256}));
  const auto name = find_context<netname_context>(m.contexts);
  ASSERT_TRUE(name && *name);
  EXPECT_EQ((*name)->name.text(), "198.18.1.2");
  const auto transport = find_context<transport_capabilities>(m.contexts);
  ASSERT_TRUE(transport);
  EXPECT_FALSE(*transport);
}

TEST(NegotiateRequest, HasNoContextsBelow311) {
  std::vector<std::byte> keep;
  const auto m = body_of<negotiate::request>("negotiate.call.smb302", keep);

  EXPECT_EQ(m.dialects.back(), dialect::smb_3_0_2);
  EXPECT_TRUE(m.contexts.empty());
}

TEST(NegotiateContexts, AreRefusedWhenTheyLeadOutOfTheMessage) {
  const auto whole = golden_named("negotiate.call").data;
  const auto offset = wire::load_le<u32>(whole.data() + header_bytes + 28);
  for (const u32 to : {0u, 63u, static_cast<u32>(whole.size()) - 7, 0xFFFF'FFFFu}) {
    exact_buffer changed(whole);
    wire::store_le(changed.at(header_bytes + 28), to);
    EXPECT_FALSE(decode<negotiate::request>(changed.view())) << to;
  }
  exact_buffer longer(whole);
  wire::store_le(longer.at(offset + 2), u16{0xFFFF});
  const auto refused = decode<negotiate::request>(longer.view());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, errc::bad_offset);
}

TEST(NegotiateContexts, ReadAndWriteEachKind) {
  check_buffer<preauth_integrity_capabilities>(*from_hex("0100" // one algorithm
                                                         "0400" // SaltLength
                                                         "0100" // SHA-512
                                                         "a1a2a3a4"));
  check_buffer<encryption_capabilities>(*from_hex("0200 0200 0100"));
  check_buffer<compression_capabilities>(*from_hex("0200 0000 01000000 0100 0400"));
  check_buffer<transport_capabilities>(*from_hex("01000000"));
  check_buffer<rdma_transform_capabilities>(*from_hex("0200 0000 00000000 0100 0200"));
  check_buffer<signing_capabilities>(*from_hex("0200 0200 0100"));
  check_buffer<posix_context>(*from_hex("93ad25509cb411e7b42383de968bcd7c"));
}

TEST(NegotiateContexts, RefuseMoreAlgorithmsThanTheLimit) {
  std::vector<std::byte> many(2 + 2 * (algorithms_max + 1));
  wire::store_le(many.data(), static_cast<u16>(algorithms_max + 1));

  const auto refused = decode_buffer<encryption_capabilities>(many);

  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, errc::over_limit);
}

TEST(CreateContexts, AreThoseThatSmbtortureSent) {
  std::vector<std::byte> keep;
  const auto m = body_of<create::request>("create.call.contexts", keep);

  const auto list = decode_create_contexts(m.contexts);

  ASSERT_TRUE(list.ok()) << wire::describe(list.error);
  std::vector<std::string> names;
  for (const auto& context : list.message)
    names.emplace_back(wire::as_text(context.name));
  EXPECT_EQ(names, (std::vector<std::string>{"MxAc", "AlSi", "DHnQ"}));
}

TEST(CreateContexts, TellTheMaximalAccess) {
  std::vector<std::byte> keep;
  const auto m = body_of<create::response>("create.reply.maximal_access", keep);

  const auto list = decode_create_contexts(m.contexts);

  ASSERT_TRUE(list.ok());
  const auto found = find_context<maximal_access>(list.message);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->query_status, status::success);
  EXPECT_EQ(found->access, 0x001F'01FFu);
  EXPECT_FALSE(find_context<on_disk_id>(list.message));
}

constexpr std::string_view two_contexts = "28000000" // Next: 40
                                          "1000"     // NameOffset
                                          "0400"     // NameLength
                                          "0000"     // Reserved
                                          "1800"     // DataOffset
                                          "0a000000" // DataLength
                                          "4d784163" // "MxAc"
                                          "00000000"
                                          "00000000ff011f00aabb" // data
                                          "000000000000"         // to a multiple of 8
                                          "00000000"             // the last one
                                          "1000"
                                          "0400"
                                          "0000"
                                          "1800"
                                          "20000000"
                                          "51466964"
                                          "00000000" // "QFid"
                                          "0102030405060708"
                                          "1112131415161718"
                                          "00000000000000000000000000000000";

TEST(CreateContexts, ReadAndWriteAChain) {
  const auto chain = from_hex(two_contexts);
  const exact_buffer exact(*chain);

  const auto list = decode_create_contexts(exact.view());

  ASSERT_TRUE(list.ok()) << wire::describe(list.error);
  ASSERT_EQ(list.message.size(), 2u);
  EXPECT_EQ(list.message.at(0).data.size(), 10u);
  const auto id = find_context<on_disk_id>(list.message);
  ASSERT_TRUE(id);
  EXPECT_EQ(id->disk_file_id, 0x0807'0605'0403'0201u);
  EXPECT_EQ(id->volume_id, 0x1817'1615'1413'1211u);
  EXPECT_EQ(wire::to_hex(encode_create_contexts(list.message)), wire::to_hex(*chain));
}

TEST(CreateContexts, RefuseEveryTruncationAndBadLinks) {
  const auto chain = from_hex(two_contexts);
  for (std::size_t n = 1; n < chain->size(); ++n) {
    const exact_buffer cut(bytes(*chain).first(n));
    EXPECT_FALSE(decode_create_contexts(cut.view()).ok()) << n;
  }
  for (const u32 next : {4u, 41u, 0xFFFF'FFF8u}) {
    exact_buffer changed(*chain);
    wire::store_le(changed.at(0), next);
    EXPECT_FALSE(decode_create_contexts(changed.view()).ok()) << next;
  }
}

TEST(FileInformation, OfAFileIsThatOfSmbd) {
  std::vector<std::byte> keep;
  const auto m = body_of<query_info::response>("query_info.reply.file_all", keep);

  check_buffer<file_all_information>(m.buffer);
  const auto all = decode_buffer<file_all_information>(m.buffer);

  ASSERT_TRUE(all);
  EXPECT_EQ(all->standard.end_of_file, 19u);
  EXPECT_EQ(all->standard.directory, 0);
  EXPECT_EQ(all->basic.file_attributes, attribute::archive);
  EXPECT_EQ(all->file_name.text(), "\\gold\\one.txt");
  check_buffer<file_basic_information>(m.buffer.first(40));
  check_buffer<file_standard_information>(m.buffer.subspan(40, 24));
}

TEST(FileInformation, ToBeSetIsThatOfSmbclient) {
  std::vector<std::byte> keep;
  const auto times = body_of<set_info::request>("set_info.call.basic", keep);
  EXPECT_EQ(times.file_info_class, file_info::basic);
  const auto basic = decode_buffer<file_basic_information>(times.buffer);
  ASSERT_TRUE(basic);
  EXPECT_EQ(to_unix(basic->last_write_time), std::chrono::seconds(1'577'934'245))
      << "2020-01-02 03:04:05";

  const auto name = body_of<set_info::request>("set_info.call.rename", keep);
  EXPECT_EQ(name.file_info_class, file_info::rename);
  const auto rename = decode_buffer<file_rename_information>(name.buffer);
  ASSERT_TRUE(rename);
  EXPECT_EQ(rename->file_name.text(), "gold\\two.txt");
  EXPECT_EQ(rename->replace_if_exists, 0);

  const auto gone = body_of<set_info::request>("set_info.call.disposition", keep);
  EXPECT_EQ(gone.file_info_class, file_info::disposition);
  check_buffer<file_disposition_information>(gone.buffer);
}

TEST(FileInformation, OfTheFileSystemIsThatOfSmbd) {
  std::vector<std::byte> keep;
  const auto m = body_of<query_info::response>("query_info.reply.fs_size", keep);

  check_buffer<file_fs_size_information>(m.buffer);
  const auto size = decode_buffer<file_fs_size_information>(m.buffer);

  ASSERT_TRUE(size);
  EXPECT_EQ(size->bytes_per_sector, 512u);
  EXPECT_GE(size->total_allocation_units, size->available_allocation_units);
}

TEST(FileInformation, ReadsAndWritesTheOtherClasses) {
  check_buffer<file_end_of_file_information>(*from_hex("0102030405060708"));
  check_buffer<file_network_open_information>(*from_hex("0100000000000000 0200000000000000"
                                                        "0300000000000000 0400000000000000"
                                                        "0010000000000000 1300000000000000"
                                                        "20000000 00000000"));
  check_buffer<file_fs_full_size_information>(*from_hex("0100000000000000 0200000000000000"
                                                        "0300000000000000 02000000 00020000"));
  check_buffer<file_fs_attribute_information>(*from_hex("4f000000 ff000000 08000000"
                                                        "4e00540046005300")); // NTFS
  check_buffer<file_both_directory_information>(
      *from_hex("00000000 00000000" // NextEntryOffset, FileIndex
                "0100000000000000 0200000000000000 0300000000000000 0400000000000000"
                "0500000000000000 0600000000000000" // EndOfFile, AllocationSize
                "10000000"                          // FileAttributes
                "02000000"                          // FileNameLength
                "00000000"                          // EaSize
                "00 00"                             // ShortNameLength, Reserved
                "000000000000000000000000000000000000000000000000"
                "6100"));
  check_buffer<file_names_information>(*from_hex("00000000 07000000 02000000 6100"));
}

TEST(Directory, HasTheEntriesOfSmbd) {
  std::vector<std::byte> keep;
  const auto m = body_of<query_directory::response>("query_directory.reply", keep);
  entry_walker<file_id_both_directory_information> walk(m.buffer);
  std::vector<std::string> names;
  std::vector<u64> sizes;

  while (const auto entry = walk.next()) {
    names.push_back(entry->file_name.text());
    sizes.push_back(entry->end_of_file);
  }

  EXPECT_TRUE(walk.ok());
  EXPECT_EQ(names, (std::vector<std::string>{".", "..", "one.txt"}));
  EXPECT_EQ(sizes.back(), 19u);
}

TEST(Directory, RefusesLinksOutOfTheBufferAndCuts) {
  std::vector<std::byte> keep;
  const auto m = body_of<query_directory::response>("query_directory.reply", keep);
  for (const u32 next : {1u, static_cast<u32>(m.buffer.size()) + 1, 0xFFFF'FFFFu}) {
    exact_buffer changed(m.buffer);
    wire::store_le(changed.at(0), next);
    entry_walker<file_id_both_directory_information> walk(changed.view());
    while (walk.next()) {
    }
    EXPECT_FALSE(walk.ok()) << next;
  }
  for (std::size_t n = 1; n < m.buffer.size(); ++n) {
    const exact_buffer cut(m.buffer.first(n));
    entry_walker<file_id_both_directory_information> walk(cut.view());
    std::size_t entries = 0;
    while (walk.next())
      ++entries;
    EXPECT_LE(entries, 2u) << n;
  }
}

/// What the profiler reads of captures with a short snap length.
TEST(CutMessages, KeepTheLengthOfTheDataThatWasNotCaptured) {
  for (const std::string_view name : {"write.call", "read.reply"}) {
    const auto whole = golden_named(name).data;
    const std::size_t fixed = name == "write.call" ? header_bytes + 48 : header_bytes + 16;
    for (std::size_t n = fixed; n < whole.size(); ++n) {
      const exact_buffer cut(bytes(whole).first(n));
      part data;
      wire::decode_error error;
      if (name == "write.call") {
        const auto got = decode_prefix<write::request>(cut.view(), whole.size());
        data = got.message.data;
        error = got.error;
        EXPECT_EQ(write::data_bytes(got.message), 19u);
        EXPECT_EQ(write::offset(got.message), 0u);
        EXPECT_NE(write::file_id(got.message), fileid{});
      } else {
        const auto got = decode_prefix<read::response>(cut.view(), whole.size());
        data = got.message.data;
        error = got.error;
        EXPECT_EQ(read::data_bytes(got.message), 19u);
      }
      EXPECT_EQ(error.code, errc::truncated);
      EXPECT_EQ(data.data.size(), n - fixed);
    }
  }
}

TEST(CutMessages, GiveTheNameOfACreateAsFarAsItGoes) {
  const auto whole = golden_named("create.call").data;
  const exact_buffer cut(bytes(whole).first(header_bytes + 56 + 8));

  const auto got = decode_prefix<create::request>(cut.view(), whole.size());

  EXPECT_EQ(got.error.code, errc::truncated);
  EXPECT_EQ(got.message.name.text(), "gold");
  EXPECT_EQ(got.message.disposition, create_disposition::overwrite_if);
}

TEST(Limits, StopALockListBeforeItIsAllocated) {
  auto whole = golden_named("lock.call").data;
  wire::store_le(whole.data() + header_bytes + 2, static_cast<u16>(locks_max + 1));

  const auto refused = decode<lock::request>(whole);

  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, errc::over_limit);
}

TEST(Commands, TellWhichCallsWaitByDesign) {
  lock::request waits;
  waits.locks.push_back({0, 1, lock_element::exclusive});
  lock::request fails_at_once;
  fails_at_once.locks.push_back({0, 1, lock_element::exclusive | lock_element::fail_immediately});

  EXPECT_TRUE(lock::long_wait(waits));
  EXPECT_FALSE(lock::long_wait(fails_at_once));
  EXPECT_TRUE(change_notify::long_wait({}));
}

TEST(Commands, HaveTheNamesOfTheSpecification) {
  EXPECT_EQ(commands::size, 20u);
  EXPECT_EQ(commands::name(0x05), "CREATE");
  EXPECT_EQ(commands::name(0x10), "QUERY_INFO");
  EXPECT_EQ(commands::name(0x12), "OPLOCK_BREAK");
  EXPECT_EQ(commands::name(0x13), "SERVER_TO_CLIENT_NOTIFICATION");
  EXPECT_EQ(commands::name(0x14), "");
}

TEST(Printing, ShowsEveryFieldByName) {
  std::vector<std::byte> keep;

  EXPECT_EQ(print(body_of<create::request>("create.call", keep)),
            "requested_oplock_level=0 impersonation_level=2 desired_access=1180063 "
            "file_attributes=0 share_access=3 disposition=5 create_options=64 "
            "name=\"gold\\one.txt\" contexts=-");
}

} // namespace
} // namespace smb2
