// Structures inside messages, against bytes written by hand from the specifications.

#include "smb2/channel.hpp"
#include "smb2/contexts/create_data.hpp"
#include "smb2/contexts/error.hpp"
#include "smb2/info/directory.hpp"
#include "smb2/info/file.hpp"
#include "smb2/info/filesystem.hpp"
#include "smb2/info/names.hpp"
#include "smb2/info/posix.hpp"
#include "smb2/ioctls.hpp"
#include "tests/support/le_checks.hpp"

namespace smb2 {
namespace {

using support::le::check_buffer;
using support::le::exact_buffer;
using wire::from_hex;

TEST(CreateContextData, ReadsAndWritesEachKind) {
  const std::string key = "000102030405060708090a0b0c0d0e0f";
  check_buffer<maximal_access_request>(*from_hex("0100000000000000"));
  check_buffer<lease_v1>(*from_hex(key + "07000000 02000000 0000000000000000"));
  check_buffer<lease_v2>(*from_hex(key + "03000000 04000000 0000000000000000" + key + "0500 0000"));
  check_buffer<durable_handle_request>(*from_hex("00000000000000000000000000000000"));
  check_buffer<durable_handle_response>(*from_hex("0000000000000000"));
  check_buffer<durable_handle_reconnect>(*from_hex(key));
  check_buffer<durable_handle_request_v2>(*from_hex("60ea0000 02000000 0000000000000000" + key));
  check_buffer<durable_handle_response_v2>(*from_hex("60ea0000 02000000"));
  check_buffer<durable_handle_reconnect_v2>(*from_hex(key + key + "02000000"));
  check_buffer<allocation_size_request>(*from_hex("0000100000000000"));
  check_buffer<timewarp_token>(*from_hex("0080a6c54b8ad501"));
  check_buffer<app_instance_id>(*from_hex("1400 0000" + key));
  check_buffer<app_instance_version>(
      *from_hex("1800 0000 00000000 0100000000000000 0200000000000000"));
  check_buffer<posix_create_request>(*from_hex("a4010000"));
  check_buffer<posix_create_response>(
      *from_hex("01000000 00000000 a4010000"
                "01 02 000000000005 20000000 20020000" // S-1-5-32-544
                "01 01 000000000001 00000000"));       // S-1-1-0
}

TEST(FileInformation, ReadsAndWritesEachFixedClass) {
  check_buffer<file_internal_information>(*from_hex("0102030405060708"));
  check_buffer<file_ea_information>(*from_hex("10000000"));
  check_buffer<file_access_information>(*from_hex("ff011f00"));
  check_buffer<file_position_information>(*from_hex("0102030405060708"));
  check_buffer<file_mode_information>(*from_hex("20000000"));
  check_buffer<file_alignment_information>(*from_hex("ff010000"));
  check_buffer<file_allocation_information>(*from_hex("0000010000000000"));
  check_buffer<file_valid_data_length_information>(*from_hex("0000010000000000"));
  check_buffer<file_disposition_information_ex>(*from_hex("03000000"));
  check_buffer<file_attribute_tag_information>(*from_hex("00040000 0c0000a0"));
  check_buffer<file_id_information>(*from_hex("0102030405060708 000102030405060708090a0b0c0d0e0f"));
  check_buffer<file_compression_information>(*from_hex("0010000000000000 0200 10 0c 0c 000000"));
  check_buffer<file_pipe_information>(*from_hex("01000000 00000000"));
}

TEST(FileInformation, ReadsAndWritesEachClassWithAName) {
  check_buffer<file_link_information>(
      *from_hex("01 00000000000000 0000000000000000 04000000 61006200"));
  check_buffer<file_name_information>(*from_hex("04000000 61006200"));
  check_buffer<file_alternate_name_information>(*from_hex("04000000 61006200"));
  check_buffer<file_normalized_name_information>(*from_hex("04000000 61006200"));
  check_buffer<file_stream_information>(*from_hex("00000000 0e000000 0500000000000000"
                                                  "0000100000000000"
                                                  "3a003a0024004400410054004100")); // ::$DATA
  check_buffer<file_notify_information>(*from_hex("00000000 05000000 02000000 6100"));
  check_buffer<file_full_ea_information>(*from_hex("00000000 80 03 0200 666f6f 00 0102"));
}

TEST(FileSystemInformation, ReadsAndWritesEachClass) {
  check_buffer<file_fs_volume_information>(
      *from_hex("0080a6c54b8ad501 78563412 04000000 00 00 61006200"));
  check_buffer<file_fs_device_information>(*from_hex("07000000 20000000"));
  check_buffer<file_fs_control_information>(
      *from_hex("0000000000000000 0000000000000000 0000000000000000"
                "ffffffffffffffff ffffffffffffffff 02000000 00000000"));
  std::vector<std::byte> object(64);
  object.front() = std::byte{0xA1};
  object.back() = std::byte{0xA2};
  check_buffer<file_fs_object_id_information>(object);
  check_buffer<file_fs_sector_size_information>(
      *from_hex("00020000 00100000 00100000 00100000 03000000 00000000 00000000"));
  check_buffer<file_fs_posix_information>(
      *from_hex("00001000 00100000 0100000000000000 0200000000000000 0300000000000000"
                "0400000000000000 0500000000000000 0600000000000000"));
}

const std::string directory_start = "00000000 07000000" // NextEntryOffset, FileIndex
                                    "0100000000000000 0200000000000000"
                                    "0300000000000000 0400000000000000"
                                    "0500000000000000 0600000000000000" // EndOfFile, AllocationSize
                                    "20000000 02000000";                // attributes, name length

TEST(Directory, ReadsAndWritesEachClass) {
  check_buffer<file_directory_information>(*from_hex(directory_start + "6100"));
  check_buffer<file_full_directory_information>(*from_hex(directory_start + "00000000 6100"));
  check_buffer<file_id_full_directory_information>(
      *from_hex(directory_start + "00000000 00000000 0102030405060708 6100"));
  check_buffer<file_id_extd_directory_information>(
      *from_hex(directory_start + "00000000 0c0000a0 000102030405060708090a0b0c0d0e0f 6100"));
  check_buffer<file_id_both_directory_information>(
      *from_hex(directory_start + "00000000 02 00"
                                  "610000000000000000000000000000000000000000000000"
                                  "0000 0102030405060708 6100"));
}

TEST(Directory, ReadsAndWritesAChain) {
  std::vector<std::byte> keep(*from_hex("610062006300"));
  std::vector<file_names_information> entries(3);
  for (std::size_t i = 0; i < entries.size(); ++i)
    entries[i].file_name = utf16_view(bytes(keep).subspan(2 * i, 2));

  const auto chain = encode_entries<file_names_information>(entries);

  EXPECT_EQ(wire::to_hex(chain), "10000000000000000200000061000000"
                                 "10000000000000000200000062000000"
                                 "0000000000000000020000006300");
  entry_walker<file_names_information> walk(chain);
  std::string names;
  while (const auto entry = walk.next())
    names += entry->file_name.text();
  EXPECT_TRUE(walk.ok());
  EXPECT_EQ(names, "abc");
}

TEST(Ioctls, ReadAndWriteEachStructure) {
  const std::string key = "000102030405060708090a0b0c0d0e0f1011121314151617";
  check_buffer<srv_request_resume_key_response>(*from_hex(key + "04000000 00000000"));
  check_buffer<srv_copychunk_copy>(*from_hex(key + "01000000 00000000"
                                                   "0000100000000000 0000200000000000"
                                                   "00001000 00000000"));
  check_buffer<srv_copychunk_response>(*from_hex("00010000 00001000 00000001"));
  check_buffer<pipe_wait_request>(*from_hex("8096980000000000 04000000 01 00 61006200"));
  check_buffer<file_set_sparse_buffer>(*from_hex("01"));
  check_buffer<file_zero_data_information>(*from_hex("0010000000000000 0020000000000000"));
  check_buffer<file_allocated_range_buffer>(*from_hex("0010000000000000 0020000000000000"));
  check_buffer<duplicate_extents_data>(*from_hex("0100000000000000 0200000000000000"
                                                 "0010000000000000 0020000000000000"
                                                 "0030000000000000"));
  check_buffer<network_resiliency_request>(*from_hex("e8030000 00000000"));
  const auto peek = *from_hex("03000000 02000000 01000000 02000000 aabb");
  const auto peeked = decode_buffer<pipe_peek_response>(peek);
  ASSERT_TRUE(peeked);
  EXPECT_EQ(peeked->data.size(), 2u);
  EXPECT_EQ(encode_buffer(*peeked), peek);
}

TEST(Ioctls, TellTheAddressesOfAServer) {
  auto one = *from_hex("00000000 05000000 03000000 00000000 00ca9a3b00000000 0200 0000 c6120102");
  one.resize(152);

  check_buffer<network_interface_info>(one);

  const auto info = decode_buffer<network_interface_info>(one);
  ASSERT_TRUE(info);
  EXPECT_EQ(info->link_speed, 1'000'000'000u);
  EXPECT_EQ(wire::to_hex(info->ip()), "c6120102");
}

TEST(Arrays, EndWithTheBufferAndAreBounded) {
  const auto two = *from_hex("0000000000000000 0010000000000000 0020000000000000 0010000000000000");
  const auto ranges = decode_array<file_allocated_range_buffer>(two, 2);
  ASSERT_TRUE(ranges);
  EXPECT_EQ(ranges->at(1).file_offset, 0x2000u);
  EXPECT_EQ(encode_array(*ranges), two);
  EXPECT_EQ(decode_array<file_allocated_range_buffer>(two, 1).error().code, wire::errc::over_limit);
  const exact_buffer cut(bytes(two).first(31));
  EXPECT_EQ(decode_array<file_allocated_range_buffer>(cut.view(), 2).error().code,
            wire::errc::truncated);
  check_buffer<smb_direct_buffer_descriptor>(*from_hex("0010000000000000 78563412 00000100"));
}

TEST(DfsReferrals, ReadAndWriteEachVersion) {
  const auto path = to_utf16("\\a\\b");
  const auto target = to_utf16("\\srv\\share");
  for (const u16 version : {u16{1}, u16{2}, u16{3}, u16{4}}) {
    dfs_referral_response out;
    out.path_consumed = 8;
    out.header_flags = dfs_referral_response::storage_servers;
    for (int i = 0; i < 2; ++i) {
      dfs_referral one;
      one.version = version;
      one.network_address = target->view();
      if (version > 1) {
        one.time_to_live = 300;
        one.dfs_path = path->view();
        one.dfs_alternate_path = path->view();
      }
      out.referrals.push_back(one);
    }
    const auto encoded = encode_dfs_referrals(out);

    const auto back = decode_dfs_referrals(encoded);

    ASSERT_TRUE(back) << version;
    ASSERT_EQ(back->referrals.size(), 2u);
    for (const auto& one : back->referrals) {
      EXPECT_EQ(one.network_address.text(), "\\srv\\share");
      EXPECT_EQ(one.dfs_path.text(), version > 1 ? "\\a\\b" : "");
    }
    EXPECT_EQ(encode_dfs_referrals(*back), encoded);
    for (std::size_t n = 0; n < encoded.size(); ++n) {
      const exact_buffer cut(bytes(encoded).first(n));
      EXPECT_FALSE(decode_dfs_referrals(cut.view())) << version << " cut to " << n;
    }
  }
}

TEST(DfsReferrals, HaveTheBytesOfVersion3) {
  const auto golden = *from_hex("0800 0100 02000000"  // PathConsumed, one, storage servers
                                "0300 2200 0000 0000" // version 3, 34 bytes
                                "2c010000"            // 300 s
                                "2200 2600 2a00"      // offsets
                                "00000000000000000000000000000000"
                                "61000000 62000000 63000000");

  const auto got = decode_dfs_referrals(golden);

  ASSERT_TRUE(got);
  EXPECT_EQ(got->referrals.at(0).dfs_path.text(), "a");
  EXPECT_EQ(got->referrals.at(0).dfs_alternate_path.text(), "b");
  EXPECT_EQ(got->referrals.at(0).network_address.text(), "c");
  EXPECT_EQ(encode_dfs_referrals(*got), golden);
}

TEST(DfsReferrals, ListTheNamesOfADomain) {
  const auto domain = to_utf16("corp");
  const auto dc = to_utf16("dc1");
  dfs_referral_response out;
  dfs_referral one;
  one.version = 3;
  one.entry_flags = dfs_referral::name_list;
  one.special_name = domain->view();
  one.expanded_names = {dc->view(), dc->view()};
  out.referrals.push_back(one);

  const auto encoded = encode_dfs_referrals(out);
  const auto back = decode_dfs_referrals(encoded);

  ASSERT_TRUE(back);
  EXPECT_EQ(back->referrals.at(0).special_name.text(), "corp");
  EXPECT_EQ(back->referrals.at(0).expanded_names.at(1).text(), "dc1");
}

TEST(SecurityDescriptors, HaveAnOwnerAGroupAndAList) {
  const auto golden = *from_hex("01 00 0480 14000000 24000000 00000000 30000000"
                                "01 02 000000000005 20000000 20020000" // S-1-5-32-544
                                "01 01 000000000001 00000000"          // S-1-1-0
                                "02 00 1c00 0100 0000"                 // the list, one entry
                                "00 03 1400 ff011f00 01 01 000000000001 00000000");

  const auto got = decode_security_descriptor(golden);

  ASSERT_TRUE(got);
  EXPECT_EQ(text_of(*got->owner), "S-1-5-32-544");
  EXPECT_EQ(text_of(*got->group), "S-1-1-0");
  ASSERT_EQ(got->dacl->size(), 1u);
  EXPECT_EQ(got->dacl->front().mask, 0x001F'01FFu);
  EXPECT_EQ(text_of(got->dacl->front().who), "S-1-1-0");
  EXPECT_EQ(encode_security_descriptor(*got), golden);
  for (std::size_t n = 0; n < golden.size(); ++n) {
    const exact_buffer cut(bytes(golden).first(n));
    EXPECT_FALSE(decode_security_descriptor(cut.view())) << n;
  }
}

TEST(ErrorResponses, TellWhereALinkLeads) {
  const auto link = *from_hex("2c000000 53594d4c 0c0000a0 1000 0200" // lengths, tags
                              "0000 0200 0200 0200 01000000"         // names, relative
                              "61006200");
  error_response plain;
  plain.data = link;
  const auto got = decode_buffer<symbolic_link_error>(error_data(plain));
  ASSERT_TRUE(got);
  EXPECT_EQ(got->substitute_name().text(), "a");
  EXPECT_EQ(got->print_name().text(), "b");
  EXPECT_EQ(got->flags, symbolic_link_error::relative);
  EXPECT_EQ(encode_buffer(*got), link);

  const std::vector<error_context> two{{error_context::share_redirect_id, bytes(link).first(3)},
                                       {error_context::default_id, link}};
  const auto contexts = encode_error_contexts(two);
  error_response in_contexts;
  in_contexts.context_count = 2;
  in_contexts.data = contexts;
  const auto data = error_data(in_contexts);
  EXPECT_EQ(std::vector(data.begin(), data.end()), link);
  for (std::size_t n = 0; n < contexts.size(); ++n)
    EXPECT_FALSE(decode_error_contexts(bytes(contexts).first(n), 2)) << n;
}

TEST(ErrorResponses, TellWhatWouldDoAndWhereAShareIs) {
  check_buffer<buffer_too_small_error>(*from_hex("00100000"));
  const auto moved = *from_hex("30000000 03000000 30000000 02000000 0000 0000 01000000"
                               "01000000 00000000 c6120102 000000000000000000000000"
                               "6100");
  auto at = moved;
  wire::store_le(at.data() + 8, u32{48});
  const auto got = decode_buffer<share_redirect_error>(at);
  ASSERT_TRUE(got) << wire::describe(got.error());
  EXPECT_EQ(got->addresses.size(), 1u);
  EXPECT_EQ(got->resource_name.text(), "a");
  EXPECT_EQ(encode_buffer(*got), at);
}

TEST(TreeConnectExtension, CarriesItsContextsAsBytes) {
  const auto path = to_utf16("\\\\a\\b");
  const auto contexts = *from_hex("0100 0400 00000000 aabbccdd");
  tree_connect::request m;
  m.flags = tree_connect::request::flag_extension_present;
  m.path = path->view();
  m.context_count = 1;
  m.contexts = contexts;
  wire::writer out;
  out.zeros(header_bytes);
  encode(m, out, 0);
  const auto message = out.flatten();

  const auto back = decode<tree_connect::request>(message);

  ASSERT_TRUE(back) << wire::describe(back.error());
  EXPECT_EQ(back->path.text(), "\\\\a\\b");
  EXPECT_EQ(back->context_count, 1u);
  EXPECT_EQ(std::vector(back->contexts.begin(), back->contexts.end()), contexts);
}

} // namespace
} // namespace smb2
