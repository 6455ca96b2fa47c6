#include "smb2/commands.hpp"
#include "smb2/ntstatus.hpp"
#include "smb2/utf16.hpp"
#include "wire/hex.hpp"

#include <gtest/gtest.h>

namespace smb2 {
namespace {

TEST(Utf16, TurnsTextThereAndBack) {
  const std::pair<std::string, std::string_view> samples[] = {
      {"", ""},
      {"a\\b", "61005c006200"},
      {"\xC3\xA4", "e400"},             // ä
      {"\xE2\x82\xAC", "ac20"},         // €
      {"\xF0\x9F\x93\x81", "3dd8c1dc"}, // U+1F4C1, a surrogate pair
      {"\xEF\xBF\xBF", "ffff"},         // U+FFFF
      {"\xF4\x8F\xBF\xBF", "ffdbffdf"}, // U+10FFFF
  };
  for (const auto& [text, hex] : samples) {
    const auto wide = to_utf16(text);
    ASSERT_TRUE(wide) << text;
    EXPECT_EQ(wire::to_hex(wide->data), hex);
    EXPECT_EQ(wide->view().text(), text);
  }
}

TEST(Utf16, RefusesWhatIsNotUtf8) {
  for (const std::string_view bad : {"\x80", "\xC3", "\xC0\xAF", "\xE0\x80\x80", "\xED\xA0\x80",
                                     "\xF4\x90\x80\x80", "\xF8\x88", "\xC3\x28", "a\xE2\x82"})
    EXPECT_FALSE(to_utf16(bad)) << wire::to_hex(wire::as_bytes(bad));
}

TEST(Utf16, ShowsLoneSurrogatesAsReplacements) {
  const auto lone = wire::from_hex("3dd8 6100 c1dc 3dd8");

  EXPECT_EQ(utf16_view(*lone).text(), "\xEF\xBF\xBD"
                                      "a"
                                      "\xEF\xBF\xBD"
                                      "\xEF\xBF\xBD");
}

TEST(Ntstatus, HasANameAndAMeaning) {
  EXPECT_EQ(describe_status(status::logon_failure),
            "STATUS_LOGON_FAILURE (wrong user name or password)");
  EXPECT_EQ(describe_status(status::end_of_file), "STATUS_END_OF_FILE");
  EXPECT_EQ(describe_status(0xC000'1234), "NTSTATUS 0xC0001234");
}

TEST(Ntstatus, TellsFailuresFromWhatGoesOn) {
  EXPECT_FALSE(is_failure(read::number, status::success));
  EXPECT_FALSE(is_failure(write::number, status::pending));
  EXPECT_FALSE(is_failure(session_setup::number, status::more_processing_required));
  EXPECT_TRUE(is_failure(create::number, status::more_processing_required));
  EXPECT_FALSE(is_failure(query_directory::number, status::no_more_files));
  EXPECT_FALSE(is_failure(query_info::number, status::buffer_overflow));
  EXPECT_FALSE(is_failure(read::number, status::end_of_file));
  EXPECT_TRUE(is_failure(write::number, status::end_of_file));
  EXPECT_TRUE(is_failure(create::number, status::stopped_on_symlink));
  EXPECT_TRUE(is_failure(create::number, status::object_name_not_found));
}

TEST(Ntstatus, TellsWhichResponsesCarryABody) {
  EXPECT_TRUE(carries_response(create::number, status::success));
  EXPECT_TRUE(carries_response(session_setup::number, status::more_processing_required));
  EXPECT_FALSE(carries_response(negotiate::number, status::more_processing_required));
  EXPECT_TRUE(carries_response(read::number, status::buffer_overflow));
  EXPECT_FALSE(carries_response(query_directory::number, status::no_more_files));
  EXPECT_FALSE(carries_response(create::number, status::object_name_not_found));
  EXPECT_FALSE(carries_response(change_notify::number, status::pending));
}

TEST(Ntstatus, IsAnErrorCodeThatMatchesTheStandardOnes) {
  EXPECT_EQ(make_status_error(status::object_name_not_found), std::errc::no_such_file_or_directory);
  EXPECT_EQ(make_status_error(status::access_denied), std::errc::permission_denied);
  EXPECT_NE(make_status_error(status::access_denied), std::errc::file_exists);
  EXPECT_EQ(make_status_error(status::access_denied).message(),
            "STATUS_ACCESS_DENIED (not permitted for this user)");
}

TEST(Filetime, ConvertsToUnixTimeAndBack) {
  EXPECT_EQ(to_unix(unix_epoch_as_filetime), wire::nanos{0});
  EXPECT_EQ(to_unix(0), wire::nanos{0});
  EXPECT_EQ(to_unix(~u64{0}), wire::nanos::max());
  EXPECT_EQ(to_unix(to_filetime(std::chrono::seconds(1'700'000'000))),
            std::chrono::seconds(1'700'000'000));
}

TEST(Fileid, HashesTellFilesApartAndAreNeverZero) {
  EXPECT_NE(hash_of({1, 0}), hash_of({0, 1}));
  EXPECT_NE(hash_of({1, 2}), hash_of({1, 3}));
  EXPECT_NE(hash_of({}), 0u);
}

} // namespace
} // namespace smb2
