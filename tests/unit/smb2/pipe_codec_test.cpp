// What goes through the pipe srvsvc, and other payloads of IOCTL, as they were captured.

#include "smb2/ioctls.hpp"
#include "smb2/srvsvc.hpp"
#include "tests/support/le_checks.hpp"

namespace smb2 {
namespace {

using support::le::exact_buffer;
using support::le::golden_named;
using wire::errc;

/// The payload of a golden message; its bytes stay where they are.
struct payload {
  explicit payload(std::string_view name) : message(golden_named(name).data) {
    if (name.find(".call.") != std::string_view::npos)
      data = decode<ioctl::request>(message)->input;
    else
      data = decode<ioctl::response>(message)->output;
  }
  std::vector<std::byte> message;
  bytes data;
};

std::vector<std::byte> copy_of(bytes data) {
  return {data.begin(), data.end()};
}

TEST(CopyChunk, IsWhatTheServerTook) {
  const payload call("ioctl.call.copychunk");
  const auto request = decode_buffer<srv_copychunk_copy>(call.data);
  ASSERT_TRUE(request);
  EXPECT_FALSE(request->chunks.empty());
  EXPECT_EQ(encode_buffer(*request), copy_of(call.data));

  const payload reply("ioctl.reply.copychunk");
  const auto said = decode_buffer<srv_copychunk_response>(reply.data);
  ASSERT_TRUE(said);
  EXPECT_EQ(said->chunks_written, 5u);
  EXPECT_EQ(said->total_bytes_written, 5u << 20);

  const payload key("ioctl.reply.resume_key");
  ASSERT_TRUE(decode_buffer<srv_request_resume_key_response>(key.data));
}

TEST(AllocatedRanges, AreThoseOfTheServer) {
  const payload reply("ioctl.reply.allocated_ranges");

  const auto ranges = decode_array<file_allocated_range_buffer>(reply.data, allocated_ranges_max);

  ASSERT_TRUE(ranges);
  const std::vector<file_allocated_range_buffer> expected{{0, 256u << 10},
                                                          {512u << 10, 512u << 10}};
  EXPECT_EQ(*ranges, expected);
}

TEST(DceRpc, BindsAsTheServerAccepts) {
  const payload call("ioctl.call.bind");
  EXPECT_EQ(dcerpc::encode_bind(1, srvsvc::interface()), copy_of(call.data));

  const payload reply("ioctl.reply.bind");
  const auto ack = dcerpc::decode_bind_ack(reply.data);
  ASSERT_TRUE(ack) << wire::describe(ack.error());
  EXPECT_EQ(ack->result, 0u);
  EXPECT_EQ(ack->max_receive, dcerpc::fragment_bytes_max);
}

TEST(DceRpc, RefusesCutsAndOtherPackets) {
  const payload bind("ioctl.reply.bind");
  const payload answer("ioctl.reply.net_share_enum");
  for (std::size_t n = 0; n < bind.data.size(); ++n) {
    const exact_buffer cut(bind.data.first(n));
    EXPECT_FALSE(dcerpc::decode_bind_ack(cut.view())) << n;
  }
  for (std::size_t n = 0; n < answer.data.size(); ++n) {
    const exact_buffer cut(answer.data.first(n));
    EXPECT_FALSE(dcerpc::decode_response(cut.view())) << n;
  }
  EXPECT_EQ(dcerpc::decode_bind_ack(answer.data).error().code, errc::bad_value);
  EXPECT_EQ(dcerpc::decode_response(bind.data).error().code, errc::bad_value);
}

TEST(DceRpc, TellsAFault) {
  const auto fault = *wire::from_hex("05 00 03 03 10000000 2000 0000 02000000"
                                     "00000000 0000 00 00 0300011c 00000000");

  const auto got = dcerpc::decode_response(fault);

  ASSERT_TRUE(got) << wire::describe(got.error());
  EXPECT_EQ(got->fault, 0x1C01'0003u);
  EXPECT_TRUE(got->stub.empty());
}

TEST(NetShareEnum, AsksAsTheServerUnderstands) {
  const payload call("ioctl.call.net_share_enum");

  const auto stub = srvsvc::encode_share_enum("\\\\198.18.1.2");

  EXPECT_EQ(wire::to_hex(dcerpc::encode_request(2, srvsvc::net_share_enum, stub)),
            wire::to_hex(copy_of(call.data)));
}

TEST(NetShareEnum, ListsTheSharesOfSmbd) {
  const payload reply("ioctl.reply.net_share_enum");
  const auto part = dcerpc::decode_response(reply.data);
  ASSERT_TRUE(part);
  EXPECT_TRUE(part->last);

  const auto list = srvsvc::decode_share_enum(part->stub);

  ASSERT_TRUE(list) << wire::describe(list.error());
  const std::vector<srvsvc::share> expected{
      {"export", srvsvc::share::disk, ""},
      {"IPC$", srvsvc::share::ipc | srvsvc::share::special, "IPC Service (Samba 4.17.12-Debian)"}};
  EXPECT_EQ(list->shares, expected);
  EXPECT_EQ(list->total, 2u);
  EXPECT_EQ(list->status, 0u);
}

TEST(NetShareEnum, RefusesCutsAndCountsThatCannotBe) {
  const payload reply("ioctl.reply.net_share_enum");
  const auto stub = copy_of(dcerpc::decode_response(reply.data)->stub);
  for (std::size_t n = 0; n < stub.size(); ++n) {
    const exact_buffer cut(bytes(stub).first(n));
    EXPECT_FALSE(srvsvc::decode_share_enum(cut.view())) << n;
  }
  for (std::size_t at = 0; at + 4 <= stub.size(); at += 4) {
    auto changed = stub;
    wire::store_le(changed.data() + at, ~u32{0});
    const auto got = srvsvc::decode_share_enum(changed); // never reads too far, whatever it says
    if (got) {
      EXPECT_LE(got->shares.size(), 2u);
    }
  }
  auto many = stub;
  wire::store_le(many.data() + 12, u32{0x1000'0000});
  wire::store_le(many.data() + 20, u32{0x1000'0000});
  EXPECT_EQ(srvsvc::decode_share_enum(many).error().code, errc::truncated);
}

} // namespace
} // namespace smb2
