#include "rpc/message.hpp"
#include "tests/support/codec_checks.hpp"

namespace {

using namespace rpc;

std::vector<std::byte> load(std::string_view name) {
  return support::load_golden(support::golden_folder("rpc") / name).data;
}

reply_header reply_in(std::string_view name) {
  const auto data = load(name);
  support::check_codec<reply_header>(data);
  return decode_reply_header(data).message;
}

TEST(CallHeader, GivesTheNumbersAndWhereTheArgumentsStart) {
  auto data = load("call.auth_sys.hex");
  const auto header_bytes = data.size();
  data.resize(data.size() + 8);

  const auto call = decode_call_header(data);

  ASSERT_TRUE(call.ok());
  EXPECT_EQ(call.message.program, 100003u);
  EXPECT_EQ(call.message.version, 3u);
  EXPECT_EQ(call.message.procedure, 0u);
  EXPECT_EQ(call.message.credential.flavor, auth_flavor::sys);
  EXPECT_EQ(call.size, header_bytes);
}

TEST(CallHeader, PassesTheCodecBattery) {
  support::check_codec<call_header>(load("call.auth_none.hex"));
  support::check_codec<call_header>(load("call.auth_sys.hex"));
}

TEST(CallHeader, OfACutCaptureKeepsItsNumbers) {
  const auto data = load("call.auth_sys.hex");

  const auto call = decode_call_header(bytes(data).first(40));

  EXPECT_EQ(call.error.code, wire::errc::truncated);
  EXPECT_EQ(call.message.program, 100003u);
  EXPECT_EQ(call.message.version, 3u);
}

TEST(CallHeader, RefusesAnotherRpcVersion) {
  auto data = load("call.auth_none.hex");
  wire::store_be(data.data() + 8, 3u);

  const auto call = decode_call_header(data);

  EXPECT_EQ(call.error.code, wire::errc::bad_value);
  EXPECT_EQ(call.error.offset, 8u);
}

TEST(AuthSys, DecodesUserGroupsAndMachine) {
  const auto data = load("call.auth_sys.hex");
  const auto body = decode_call_header(data).message.credential.body;

  const auto parms = decode_exact<auth_sys_parms>(body);

  ASSERT_TRUE(parms);
  EXPECT_EQ(parms->machine_name, "client1");
  EXPECT_EQ(parms->uid, 1000u);
  EXPECT_EQ(parms->gid, 100u);
  EXPECT_EQ(parms->gids, (std::vector<u32>{100, 27, 1001}));
  support::check_codec<auth_sys_parms>(body);
}

TEST(ReplyHeader, KnowsEveryAcceptArm) {
  EXPECT_TRUE(reply_in("reply.success.hex").succeeded());
  EXPECT_EQ(reply_in("reply.prog_unavail.hex").accepted, accept_stat::prog_unavail);
  EXPECT_EQ(reply_in("reply.proc_unavail.hex").accepted, accept_stat::proc_unavail);
  EXPECT_EQ(reply_in("reply.garbage_args.hex").accepted, accept_stat::garbage_args);
  EXPECT_EQ(reply_in("reply.system_err.hex").accepted, accept_stat::system_err);
  const auto mismatch = reply_in("reply.prog_mismatch.hex");
  EXPECT_EQ(mismatch.accepted, accept_stat::prog_mismatch);
  EXPECT_EQ(mismatch.low, 3u);
  EXPECT_EQ(mismatch.high, 4u);
  EXPECT_FALSE(mismatch.succeeded());
}

TEST(ReplyHeader, KnowsEveryRejectArm) {
  const auto mismatch = reply_in("reply.rpc_mismatch.hex");
  EXPECT_EQ(mismatch.rejected, reject_stat::rpc_mismatch);
  EXPECT_EQ(mismatch.low, 2u);
  EXPECT_FALSE(mismatch.succeeded());
  const auto weak = reply_in("reply.auth_too_weak.hex");
  EXPECT_EQ(weak.rejected, reject_stat::auth_error);
  EXPECT_EQ(weak.auth, auth_stat::too_weak);
  EXPECT_EQ(reply_in("reply.auth_badcred.hex").auth, auth_stat::bad_cred);
}

TEST(ReplyHeader, SaysInWordsWhatWasRefused) {
  EXPECT_EQ(describe(reply_in("reply.prog_mismatch.hex")),
            "PROG_MISMATCH (the server has versions 3 to 4 of this program)");
  EXPECT_TRUE(describe(reply_in("reply.auth_too_weak.hex")).starts_with("AUTH_TOOWEAK"));
}

TEST(ReplyHeader, KeepsAnAcceptStatThatNobodyKnows) {
  auto data = load("reply.success.hex");
  wire::store_be(data.data() + 20, 77u);

  const auto reply = decode_reply_header(data);

  ASSERT_TRUE(reply.ok());
  EXPECT_EQ(static_cast<u32>(reply.message.accepted), 77u);
  EXPECT_EQ(describe(reply.message), "accept_stat 77");
}

TEST(ReplyHeader, RefusesAReplyStatThatNobodyKnows) {
  auto data = load("reply.success.hex");
  wire::store_be(data.data() + 8, 2u);

  EXPECT_EQ(decode_reply_header(data).error.code, wire::errc::bad_value);
}

TEST(MessageType, NeedsEightBytesAndAValueThatThereIs) {
  const auto call = load("call.auth_none.hex");
  const auto reply = load("reply.success.hex");
  auto neither = reply;
  wire::store_be(neither.data() + 4, 2u);

  EXPECT_EQ(message_type(call), msg_type::call);
  EXPECT_EQ(message_type(reply), msg_type::reply);
  EXPECT_EQ(message_type(neither), std::nullopt);
  EXPECT_EQ(message_type(bytes(reply).first(7)), std::nullopt);
}

} // namespace
