#include "nfs/v3/operations.hpp"
#include "rpc/message.hpp"
#include "rpc/xdr_print.hpp"
#include "tests/support/codec_checks.hpp"

/// Values of the golden messages, as tshark shows them: the battery alone would not see two fields
/// of one size in the wrong order.
namespace {

using namespace nfs::v3;

template <class T>
T message_in(std::string_view file, std::vector<std::byte>& keep) {
  keep = support::load_golden(support::golden_folder("nfs3") / file).data;
  const bool call = rpc::message_type(keep) == rpc::msg_type::call;
  const auto start =
      call ? rpc::decode_call_header(keep).size : rpc::decode_reply_header(keep).size;
  const auto decoded = rpc::decode_exact<T>(bytes(keep).subspan(start));
  EXPECT_TRUE(decoded) << file;
  return *decoded;
}

template <class T>
std::string print_of(std::string_view file) {
  std::vector<std::byte> keep;
  return rpc::print(message_in<T>(file, keep));
}

TEST(Nfs3Values, OfAttributes) {
  EXPECT_EQ(print_of<getattr::reply>("getattr.reply.hex"),
            "status=NFS3_OK obj_attributes={type=NF3DIR mode=493 nlink=2 uid=0 gid=0 size=40 "
            "used=0 rdev={specdata1=0 specdata2=0} fsid=1258535936866263022 fileid=8 "
            "atime={seconds=1796054725 nseconds=722136121} "
            "mtime={seconds=1796054725 nseconds=722136121} "
            "ctime={seconds=1796054725 nseconds=722136121}}");
}

TEST(Nfs3Values, OfAttributesToBeSet) {
  EXPECT_EQ(print_of<setattr::args>("setattr.call.hex"),
            "object=430000011644ee1ffa3dc437771101085161ed090000000000000000 "
            "new_attributes={mode=384 uid=1000 gid=1001 size=5 atime={how=SET_TO_SERVER_TIME} "
            "mtime={how=SET_TO_CLIENT_TIME time={seconds=1700000000 nseconds=5}}} guard=-");
}

TEST(Nfs3Values, OfFsinfo) {
  const auto text = print_of<fsinfo::reply>("fsinfo.reply.hex");

  EXPECT_NE(text.find("rtmax=67108864 rtpref=67108864 rtmult=512 wtmax=67108864 wtpref=67108864 "
                      "wtmult=512 dtpref=16384 maxfilesize=9223372036854775807 "
                      "time_delta={seconds=0 nseconds=100} properties=27"),
            std::string::npos)
      << text;
}

TEST(Nfs3Values, OfPathconf) {
  const auto text = print_of<pathconf::reply>("pathconf.reply.hex");

  EXPECT_NE(text.find("linkmax=8 name_max=1024 no_trunc=true chown_restricted=true "
                      "case_insensitive=false case_preserving=true"),
            std::string::npos)
      << text;
}

TEST(Nfs3Values, OfWriteAndItsVerifier) {
  std::vector<std::byte> keep;
  const auto call = message_in<write::args>("write.call.file_sync.hex", keep);
  EXPECT_EQ(call.offset, 13u);
  EXPECT_EQ(call.count, 4u);
  EXPECT_EQ(call.stable, stable_how::file_sync);
  EXPECT_EQ(wire::as_text(call.data), "more");
  EXPECT_EQ(write::data_bytes(call), 4u);

  const auto reply = message_in<write::reply>("write.reply.hex", keep);
  EXPECT_FALSE(reply.file_wcc.before);
  ASSERT_TRUE(reply.file_wcc.after);
  EXPECT_EQ(reply.file_wcc.after->size, 13u);
  EXPECT_EQ(reply.count, 13u);
  EXPECT_EQ(reply.committed, stable_how::unstable);
  EXPECT_EQ(wire::to_hex(reply.verf), "b89b0d6b00000000");
}

TEST(Nfs3Values, OfRead) {
  std::vector<std::byte> keep;
  const auto reply = message_in<read::reply>("read.reply.part.hex", keep);

  EXPECT_EQ(reply.count, 5u);
  EXPECT_FALSE(reply.eof);
  EXPECT_EQ(wire::as_text(reply.data), "lo, w");
  EXPECT_EQ(read::data_bytes(reply), 5u);
}

TEST(Nfs3Values, OfDirectoryEntries) {
  const auto text = print_of<readdir::reply>("readdir.reply.hex");
  EXPECT_NE(text.find("entries=[{fileid=8 name=\".\" cookie=1} {fileid=1 name=\"..\" cookie=2} "
                      "{fileid=13 name=\"null\" cookie=6} {fileid=12 name=\"fifo\" cookie=5} "
                      "{fileid=11 name=\"link1\" cookie=4} {fileid=10 name=\"exclusive\" cookie=3} "
                      "{fileid=9 name=\"file1\" cookie=2147483647}] eof=true"),
            std::string::npos)
      << text;

  std::vector<std::byte> keep;
  const auto plus = message_in<readdirplus::reply>("readdirplus.reply.hex", keep);
  ASSERT_EQ(plus.entries.size(), 7u);
  EXPECT_EQ(plus.entries[2].name, "null");
  ASSERT_TRUE(plus.entries[2].name_attributes && plus.entries[2].name_handle);
  EXPECT_EQ(plus.entries[2].name_attributes->type, ftype3::chr);
  EXPECT_EQ(plus.entries[2].name_attributes->rdev.specdata2, 3u);
}

TEST(Nfs3Values, OfBothDirectoriesOfARename) {
  std::vector<std::byte> keep;
  const auto reply = message_in<nfs::v3::rename::reply>("rename.reply.hex", keep);

  ASSERT_TRUE(reply.fromdir_wcc.before && reply.todir_wcc.before);
  EXPECT_EQ(reply.fromdir_wcc.before->size, 160u);
  EXPECT_EQ(reply.fromdir_wcc.after->fileid, 8u);
  EXPECT_EQ(reply.todir_wcc.before->size, 60u);
  EXPECT_EQ(reply.todir_wcc.after->fileid, 1u);
}

TEST(Nfs3Hooks, GiveTheObjectTheNameAndTheNewHandle) {
  std::vector<std::byte> call_bytes;
  std::vector<std::byte> reply_bytes;
  const auto call = message_in<lookup::args>("lookup.call.hex", call_bytes);
  const auto reply = message_in<lookup::reply>("lookup.reply.hex", reply_bytes);

  EXPECT_EQ(wire::to_hex(lookup::object(call).view()),
            "430000011644ee1ffa3dc437771101dabd4216080000000000000000");
  EXPECT_EQ(wire::as_text(lookup::entry_name(call)), "file1");
  ASSERT_NE(lookup::result(reply), nullptr);
  EXPECT_EQ(*lookup::result(reply), reply.object);
  EXPECT_EQ(lookup::result({}), nullptr);
}

TEST(Nfs3Hooks, GiveNoHandleWhereTheServerLeftItOut) {
  std::vector<std::byte> keep;
  EXPECT_EQ(create::result(message_in<create::reply>("create.reply.bare.hex", keep)), nullptr);
  EXPECT_NE(create::result(message_in<create::reply>("create.reply.hex", keep)), nullptr);
}

TEST(Nfs3Prefix, OfACutWriteKeepsTheCountOfTheWire) {
  auto whole = support::load_golden(support::golden_folder("nfs3") / "write.call.hex").data;
  const auto start = rpc::decode_call_header(whole).size;
  const support::exact_buffer cut(bytes(whole).first(whole.size() - 10));

  const auto call = rpc::decode_prefix<write::args>(cut.view().subspan(start), "WRITE call");

  EXPECT_EQ(call.error.code, wire::errc::truncated);
  EXPECT_EQ(write::data_bytes(call.message), 13u);
  EXPECT_EQ(wire::as_text(call.message.data), "hello,");
}

TEST(FileHandle, HasAHashThatDependsOnEachByteAndOnTheLength) {
  std::vector<std::byte> data(64);
  std::vector<u64> hashes{file_handle(data).hash(), file_handle(bytes(data).first(63)).hash()};
  for (std::size_t i = 0; i < data.size(); ++i) {
    data[i] = std::byte{1};
    hashes.push_back(file_handle(data).hash());
    data[i] = std::byte{0};
  }
  std::ranges::sort(hashes);

  EXPECT_EQ(std::ranges::adjacent_find(hashes), hashes.end());
  EXPECT_NE(file_handle().hash(), 0u);
}

TEST(FileHandle, OfMoreThanSixtyFourBytesIsEmpty) {
  EXPECT_TRUE(file_handle(std::vector<std::byte>(65)).empty());
}

TEST(Nfs3Create, RefusesAModeThatThereIsNot) {
  auto call = support::load_golden(support::golden_folder("nfs3") / "create.call.exclusive.hex");
  const auto start = rpc::decode_call_header(call.data).size;
  wire::store_be(call.data.data() + call.data.size() - 12, 3u);

  const auto decoded = rpc::decode_exact<create::args>(bytes(call.data).subspan(start));

  ASSERT_FALSE(decoded);
  EXPECT_EQ(decoded.error().code, wire::errc::bad_value);
}

} // namespace
