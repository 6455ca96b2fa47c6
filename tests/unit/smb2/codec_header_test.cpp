#include "smb2/compound.hpp"
#include "smb2/direct_tcp.hpp"
#include "smb2/transform.hpp"
#include "tests/support/le_checks.hpp"

namespace smb2 {
namespace {

using support::le::exact_buffer;
using support::le::golden_named;
using wire::errc;
using wire::from_hex;

TEST(Smb2Header, ReadsTheSynchronousForm) {
  const auto raw = from_hex("fe534d42"         // ProtocolId
                            "4000"             // StructureSize
                            "1000"             // CreditCharge
                            "22000000"         // Status
                            "0900"             // WRITE
                            "1100"             // Credits
                            "08000010"         // Flags: signed, DFS
                            "00000000"         // NextCommand
                            "0102030405060708" // MessageId
                            "aaaaaaaa"         // Reserved
                            "0b0c0d0e"         // TreeId
                            "1112131415161718" // SessionId
                            "000102030405060708090a0b0c0d0e0f");
  const auto h = decode_header(*raw);

  ASSERT_TRUE(h);
  EXPECT_EQ(h->credit_charge, 16);
  EXPECT_EQ(h->status, 0x22u);
  EXPECT_EQ(h->command, 9);
  EXPECT_EQ(h->credits, 17);
  EXPECT_EQ(h->flags, flags::is_signed | flags::dfs_operations);
  EXPECT_EQ(h->message_id, 0x0807'0605'0403'0201u);
  EXPECT_EQ(h->tree_id, 0x0E0D'0C0Bu);
  EXPECT_EQ(h->async_id, 0u);
  EXPECT_EQ(h->session_id, 0x1817'1615'1413'1211u);
  EXPECT_EQ(wire::to_hex(h->signature), "000102030405060708090a0b0c0d0e0f");
  EXPECT_TRUE(h->is_signed());
  EXPECT_FALSE(h->response());
}

TEST(Smb2Header, ReadsTheAsynchronousForm) {
  auto raw = golden_named("change_notify.reply.pending").data;
  const auto h = decode_header(raw);

  ASSERT_TRUE(h);
  EXPECT_TRUE(h->async());
  EXPECT_TRUE(h->response());
  EXPECT_EQ(h->status, status::pending);
  EXPECT_EQ(h->async_id, 0x20u);
  EXPECT_EQ(h->tree_id, 0u);
}

TEST(Smb2Header, WritesWhatItReadInEveryGoldenMessage) {
  for (const auto& entry : std::filesystem::directory_iterator(support::le::golden_folder())) {
    const auto g = support::le::load_golden(entry.path());
    const auto h = decode_header(g.data);
    ASSERT_TRUE(h) << g.name;
    wire::writer out;
    encode_header(*h, out);
    EXPECT_EQ(wire::to_hex(out.flatten()), wire::to_hex(bytes(g.data).first(header_bytes)))
        << g.name;
  }
}

TEST(Smb2Header, RefusesEveryTruncation) {
  const auto whole = golden_named("echo.call").data;
  for (std::size_t n = 0; n < header_bytes; ++n) {
    const exact_buffer cut(bytes(whole).first(n));
    const auto h = decode_header(cut.view());
    ASSERT_FALSE(h);
    EXPECT_EQ(h.error().code, errc::truncated);
  }
}

TEST(Smb2Header, RefusesAnotherProtocolIdAndAnotherSize) {
  const auto whole = golden_named("echo.call").data;
  for (const std::size_t at : {0u, 1u, 2u, 3u, 4u, 5u}) {
    auto changed = whole;
    changed[at] ^= std::byte{0x01};
    const auto h = decode_header(changed);
    ASSERT_FALSE(h) << at;
    EXPECT_EQ(h.error().code, errc::bad_value);
  }
}

TEST(CompoundWalker, TakesARealCompoundApart) {
  const auto whole = golden_named("compound.call").data;
  compound_walker walk(whole);

  const auto first = walk.next();
  const auto second = walk.next();

  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->head.command, create::number);
  EXPECT_EQ(first->data.size(), 168u);
  EXPECT_EQ(second->head.command, close::number);
  EXPECT_TRUE(second->head.related());
  EXPECT_EQ(second->data.data(), whole.data() + 168);
  EXPECT_EQ(second->wire_length, 88u);
  EXPECT_EQ(second->index, 1u);
  EXPECT_FALSE(walk.next());
  EXPECT_TRUE(walk.ok());
  const auto body = decode<close::request>(second->data);
  ASSERT_TRUE(body);
  EXPECT_EQ(body->file, fileid::of_previous());
}

TEST(CompoundWalker, GivesAMessageThatIsAloneAsOne) {
  const auto whole = golden_named("read.reply").data;
  compound_walker walk(whole);

  const auto only = walk.next();

  ASSERT_TRUE(only);
  EXPECT_EQ(only->data.size(), whole.size());
  EXPECT_FALSE(walk.next());
  EXPECT_TRUE(walk.ok());
}

TEST(CompoundWalker, RefusesLinksThatLeadAstray) {
  const auto whole = golden_named("compound.call").data;
  for (const u32 next : {8u, 56u, 63u, 65u, 164u, 200u, 256u, 264u, 0xFFFF'FFF8u}) {
    auto changed = whole;
    wire::store_le(changed.data() + next_command_offset, next);
    const exact_buffer buffer(changed);
    compound_walker walk(buffer.view());
    while (walk.next()) {
    }
    EXPECT_FALSE(walk.ok()) << next;
  }
}

TEST(CompoundWalker, FindsTheSecondMessageOfACompoundThatWasCutInTheFirst) {
  const auto whole = golden_named("compound.call").data;
  const exact_buffer cut(bytes(whole).first(100));
  compound_walker walk(cut.view(), whole.size());

  const auto first = walk.next();
  const auto second = walk.next();

  ASSERT_TRUE(first);
  EXPECT_EQ(first->data.size(), 100u);
  EXPECT_EQ(first->wire_length, 168u);
  EXPECT_FALSE(second);
  EXPECT_EQ(walk.error().code, errc::truncated);
  EXPECT_EQ(walk.error().offset, 168u);
}

TEST(CompoundWalker, ReadsAHeaderThatWasCutBehindItsMessageId) {
  const auto whole = golden_named("compound.call").data;
  for (std::size_t n = 0; n < header_bytes; ++n) {
    const exact_buffer cut(bytes(whole).first(n));
    compound_walker walk(cut.view(), whole.size());
    const auto first = walk.next();
    ASSERT_EQ(first.has_value(), n >= header_numbers_bytes) << n;
    if (!first) continue;
    EXPECT_EQ(first->head.message_id, decode_header(whole)->message_id);
    EXPECT_EQ(first->head.command, decode_header(whole)->command);
    EXPECT_EQ(first->head.session_id, 0u);
    EXPECT_EQ(first->wire_length, 168u);
  }
  const exact_buffer short_one(bytes(whole).first(40));
  EXPECT_FALSE(compound_walker(short_one.view()).next()) << "not cut: too short";
}

TEST(CompoundWalker, StopsAtItsLimit) {
  std::vector<std::byte> endless;
  header h;
  h.next_command = header_bytes;
  for (u32 i = 0; i < compound_messages_max + 10; ++i) {
    wire::writer one;
    encode_header(h, one);
    const auto raw = one.flatten();
    endless.insert(endless.end(), raw.begin(), raw.end());
  }
  compound_walker walk(endless);
  u32 count = 0;
  while (walk.next())
    ++count;

  EXPECT_EQ(walk.error().code, errc::over_limit);
  EXPECT_LT(count, compound_messages_max);
}

TEST(DirectTcp, TakesSessionMessagesAndNetbiosPackets) {
  struct sample {
    u32 prefix;
    bool valid;
    u32 length;
  };
  const sample samples[] = {
      {0x0000'0044, true, 0x44}, {0x00FF'FFFF, true, 0xFF'FFFF}, {0x8100'0044, true, 0x44},
      {0x8500'0000, true, 0},    {0x8200'0000, true, 0},         {0x8600'0000, false, 0},
      {0x0100'0000, false, 0},   {0x8102'0000, false, 0},        {0x8001'0000, false, 0},
      {0x4745'5420, false, 0},
  };
  for (const auto& s : samples) {
    const auto p = direct_tcp::parse(s.prefix);
    EXPECT_EQ(p.valid, s.valid) << std::hex << s.prefix;
    if (s.valid) {
      EXPECT_EQ(p.length, s.length);
      EXPECT_TRUE(p.last);
    }
  }
}

TEST(MessageKind, IsToldByTheFirstFourBytes) {
  EXPECT_EQ(kind_of(*from_hex("fe534d42")), message_kind::smb2);
  EXPECT_EQ(kind_of(*from_hex("fd534d42")), message_kind::sealed);
  EXPECT_EQ(kind_of(*from_hex("fc534d42")), message_kind::compressed);
  EXPECT_EQ(kind_of(*from_hex("ff534d4272")), message_kind::smb1);
  EXPECT_EQ(kind_of(*from_hex("fe534d")), message_kind::other);
  EXPECT_EQ(kind_of(*from_hex("20434b46")), message_kind::other);
  EXPECT_EQ(kind_of({}), message_kind::keep_alive);
}

// The transformed WRITE of "SMB 3.1.1 Encryption in Windows 10" (Microsoft open specifications
// blog, 2015), its first 52 bytes.
TEST(TransformHeader, ReadsAPublishedOne) {
  const auto raw = from_hex("fd534d42"                         // ProtocolId
                            "bd73d97d2bc9001bcafac0fdff5feebc" // Signature
                            "c7d6822d269caf48904c664c00000000" // Nonce
                            "87000000"                         // OriginalMessageSize
                            "0000"                             // Reserved
                            "0100"                             // Flags
                            "2500000000100000");               // SessionId

  support::le::check_buffer<transform_header>(*raw);
  const auto h = decode_buffer<transform_header>(*raw);

  ASSERT_TRUE(h);
  EXPECT_EQ(h->original_size, 0x87u);
  EXPECT_EQ(h->flags, transform_header::encrypted);
  EXPECT_EQ(h->session_id, 0x0000'1000'0000'0025u);
  EXPECT_EQ(raw->size(), transform_header::size);
}

TEST(CompressionHeader, ReadsWhatItWrites) {
  const auto raw = from_hex("fc534d42" // ProtocolId
                            "00100000" // OriginalCompressedSegmentSize
                            "0200"     // LZ77
                            "0000"     // Flags
                            "50000000" // Offset
  );

  support::le::check_buffer<compression_header>(*raw);
  const auto h = decode_buffer<compression_header>(*raw);
  ASSERT_TRUE(h);
  EXPECT_EQ(h->original_segment_size, 4096u);
  EXPECT_EQ(h->offset, 80u);
  EXPECT_EQ(raw->size(), compression_header::size);
}

} // namespace
} // namespace smb2
