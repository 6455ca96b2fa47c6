#include "cli/op_smb2_contexts.hpp"
#include "cli/op_smb2_payloads.hpp"

#include "smb2/info/file.hpp"
#include "smb2/info/security.hpp"

#include <gtest/gtest.h>

#include <set>

namespace cli {
namespace {

using smb2::dialect;

smb2::file_basic_information basic_of(const std::string& value) {
  const auto* entry = find_named(setting_classes(), "FileBasicInformation");
  const auto buffer = entry->encode(value);
  EXPECT_TRUE(buffer) << buffer.error();
  return *smb2::decode_buffer<smb2::file_basic_information>(*buffer);
}

TEST(OpContexts, BuildsTheChainThatIsNamed) {
  const auto wanted = parse_contexts("MxAc,RqLs=3,AlSi=1m,DH2Q=500", dialect::smb_3_1_1);

  ASSERT_TRUE(wanted) << wanted.error();
  EXPECT_TRUE(wanted->lease);
  const auto chain = smb2::decode_create_contexts(wanted->chain);
  ASSERT_TRUE(chain.ok());
  ASSERT_EQ(chain.message.size(), 4u);
  EXPECT_TRUE(chain.message[0].is("MxAc"));
  const auto lease = smb2::find_context<smb2::lease_v2>(chain.message);
  ASSERT_TRUE(lease);
  EXPECT_EQ(lease->lease_state, 3u);
  EXPECT_EQ(lease->lease_key, wanted->lease_key);
  EXPECT_EQ(smb2::find_context<smb2::allocation_size_request>(chain.message)->allocation_size,
            1u << 20);
  EXPECT_EQ(smb2::find_context<smb2::durable_handle_request_v2>(chain.message)->timeout, 500u);
}

TEST(OpContexts, AsksForALeaseOfTheFirstVersionOn21) {
  const auto wanted = parse_contexts("RqLs", dialect::smb_2_1);

  ASSERT_TRUE(wanted);
  const auto chain = smb2::decode_create_contexts(wanted->chain);
  ASSERT_EQ(chain.message.size(), 1u);
  EXPECT_EQ(chain.message[0].data.size(), 32u);
}

TEST(OpContexts, SaysWhatMayBeNamed) {
  EXPECT_EQ(parse_contexts("", dialect::smb_3_1_1)->chain.size(), 0u);
  EXPECT_NE(parse_contexts("Nope", dialect::smb_3_1_1).error().find("none of MxAc"),
            std::string::npos);
  EXPECT_FALSE(parse_contexts("AlSi=x", dialect::smb_3_1_1));
  EXPECT_FALSE(parse_contexts("MxAc,,QFid", dialect::smb_3_1_1));
}

TEST(OpContexts, PrintsWhatAServerAnswers) {
  smb2::maximal_access access;
  access.access = 5;
  const auto data = smb2::encode_buffer(access);
  const std::vector<std::byte> unknown(3, std::byte{7});
  const std::vector<smb2::create_context> list{{wire::as_bytes("MxAc"), data},
                                               {wire::as_bytes("Xxxx"), unknown}};
  auto chain = smb2::encode_create_contexts(list);

  EXPECT_EQ(print_contexts(chain),
            (std::vector<std::string>{"MxAc query_status=0 access=5", "Xxxx 3 bytes: 07 07 07"}));
  chain.resize(chain.size() - 2);
  EXPECT_EQ(print_contexts(chain).size(), 2u) << "the good one, and what is wrong with the other";
}

TEST(OpSettings, SetsTimesAndAttributesThatAreNamedAndNoOthers) {
  const auto info = basic_of("written=1.5,attributes=0x22");

  EXPECT_EQ(info.last_write_time, smb2::unix_epoch_as_filetime + 15'000'000);
  EXPECT_EQ(info.file_attributes, 0x22u);
  EXPECT_EQ(info.creation_time, 0u);
  EXPECT_EQ(basic_of("32").file_attributes, 32u);
  const auto* entry = find_named(setting_classes(), "FileBasicInformation");
  for (const auto* wrong :
       {"written=", "written=-1", "written=1e99", "when=5", "attributes=x", "written=nan", ""})
    EXPECT_FALSE(entry->encode(wrong)) << wrong;
}

TEST(OpSettings, RefusesNumbersThatTheClassCannotHold) {
  const auto* mode = find_named(setting_classes(), "FileModeInformation");
  EXPECT_TRUE(mode->encode("0x10"));
  EXPECT_FALSE(mode->encode("0x100000000"));
}

TEST(OpClasses, HaveEachNameAndNumberOnce) {
  for (const auto table : {info_classes(), directory_classes()}) {
    std::set<std::string_view> names;
    std::set<std::pair<smb2::info_type, int>> numbers;
    for (const auto& entry : table) {
      EXPECT_TRUE(names.insert(entry.name).second) << entry.name;
      EXPECT_TRUE(numbers.emplace(entry.type, entry.number).second) << entry.name;
      // Whatever a server sends: a text, and no crash.
      EXPECT_FALSE(entry.print(std::vector<std::byte>(3, std::byte{0xFF})).empty()) << entry.name;
    }
  }
}

} // namespace
} // namespace cli
