#include "nfs/v4/attributes.hpp"
#include "nfs/v4/compound.hpp"
#include "tests/support/codec_checks.hpp"
#include "tests/support/xdr_filler.hpp"

namespace {

namespace v4 = nfs::v4; // <unistd.h> has a write and a link, too
using namespace nfs::v4;
using wire::errc;

struct seen_operation {
  u32 number = 0;
  bool whole = false;
};

template <class Walker>
std::vector<seen_operation> walk_all(Walker& walk) {
  std::vector<seen_operation> out;
  const auto known = [&]<class Op>(const auto&, bool whole) {
    out.push_back({Op::procedure, whole});
  };
  const auto unknown = [&](u32 number) { out.push_back({number, false}); };
  while (walk.next(known, unknown)) {
  }
  return out;
}

std::vector<std::byte> sample_compound(bytes data) {
  wire::writer out;
  EXPECT_TRUE(rpc::encode(compound_args{.tag = "tag", .minorversion = 1, .count = 4}, out));
  EXPECT_TRUE(encode_operation<sequence>({.slotid = 3}, out));
  EXPECT_TRUE(encode_operation<putfh>({.object = file_handle(data.first(32))}, out));
  v4::write::args w;
  w.offset = 4096;
  w.data = data;
  EXPECT_TRUE(encode_operation<v4::write>(w, out));
  getattr::args g;
  g.attr_request.set(attribute::size);
  EXPECT_TRUE(encode_operation<getattr>(g, out));
  return out.flatten();
}

const std::vector<std::byte> some_data(333, std::byte{0x55});

TEST(Nfs4Compound, IsWalkedToItsEnd) {
  const auto message = sample_compound(some_data);
  compound_args_walker walk(message);

  ASSERT_TRUE(walk.header_ok());
  EXPECT_EQ(walk.header().minorversion, 1u);
  const auto seen = walk_all(walk);
  ASSERT_EQ(seen.size(), 4u);
  EXPECT_EQ(seen[0].number, sequence::procedure);
  EXPECT_EQ(seen[2].number, v4::write::procedure);
  EXPECT_EQ(seen[3].number, getattr::procedure);
  EXPECT_TRUE(walk.done());
  EXPECT_EQ(walk.position(), message.size());
}

TEST(Nfs4Compound, DoesNotCopyData) {
  const auto message = sample_compound(some_data);
  compound_args_walker walk(message);
  bytes data;
  while (walk.next(
      [&]<class Op>(const auto& m, bool) {
        if constexpr (std::is_same_v<Op, v4::write>) data = m.data;
      },
      [](u32) {})) {
  }
  EXPECT_EQ(data.size(), some_data.size());
  EXPECT_GE(data.data(), message.data());
  EXPECT_LE(data.data() + data.size(), message.data() + message.size());
}

TEST(Nfs4Compound, ThatIsCutSaysHowFarItCouldBeSeen) {
  const auto message = sample_compound(some_data);
  u32 most = 0;
  for (std::size_t n = 0; n < message.size(); ++n) {
    const support::exact_buffer cut(bytes(message).first(n));
    compound_args_walker walk(cut.view());
    const auto seen = walk_all(walk);
    ASSERT_FALSE(walk.done()) << n;
    ASSERT_EQ(walk.error().code, errc::truncated) << n;
    ASSERT_EQ(walk.seen(), seen.size());
    ASSERT_GE(walk.seen(), most);
    ASSERT_LE(walk.position(), n);
    most = walk.seen();
    // All but the last are whole.
    for (std::size_t i = 0; i + 1 < seen.size(); ++i)
      ASSERT_TRUE(seen[i].whole);
  }
  EXPECT_EQ(most, 4u);
}

TEST(Nfs4Compound, EndsAtAnOperationThatNobodyKnows) {
  wire::writer out;
  ASSERT_TRUE(rpc::encode(compound_args{.tag = {}, .minorversion = 2, .count = 3}, out));
  ASSERT_TRUE(encode_operation<putrootfh>({}, out));
  out.be(u32{200});
  ASSERT_TRUE(encode_operation<getfh>({}, out));
  const auto message = out.flatten();
  compound_args_walker walk(message);
  const auto seen = walk_all(walk);

  ASSERT_EQ(seen.size(), 2u);
  EXPECT_EQ(seen[1].number, 200u);
  EXPECT_EQ(walk.error().code, errc::bad_value);
  EXPECT_EQ(walk.error().offset, 16u);
  EXPECT_EQ(walk.count(), 3u);
}

TEST(Nfs4Compound, MayClaimAnyNumberOfOperations) {
  wire::writer out;
  ASSERT_TRUE(rpc::encode(compound_args{.tag = {}, .minorversion = 0, .count = ~0u}, out));
  ASSERT_TRUE(encode_operation<putrootfh>({}, out));
  const auto message = out.flatten();
  compound_args_walker walk(message);

  EXPECT_EQ(walk_all(walk).size(), 1u);
  EXPECT_EQ(walk.error().code, errc::truncated);
}

TEST(Nfs4Compound, OfResultsAndOfCallbacksIsWalkedTheSameWay) {
  wire::writer out;
  ASSERT_TRUE(rpc::encode(compound_reply{.status = nfsstat4::noent, .tag = "x", .count = 2}, out));
  ASSERT_TRUE(encode_result<putrootfh>({}, out));
  ASSERT_TRUE(encode_result<lookup>({.status = nfsstat4::noent}, out));
  const auto reply = out.flatten();
  compound_reply_walker results(reply);
  EXPECT_EQ(walk_all(results).size(), 2u);
  EXPECT_TRUE(results.done());

  wire::writer back;
  ASSERT_TRUE(rpc::encode(
      callback_compound_args{.tag = {}, .minorversion = 1, .callback_ident = 7, .count = 2}, back));
  ASSERT_TRUE(encode_operation<cb_sequence>({}, back));
  ASSERT_TRUE(encode_operation<cb_recall>({}, back));
  const auto call = back.flatten();
  callback_args_walker callbacks(call);
  EXPECT_EQ(walk_all(callbacks).size(), 2u);
  EXPECT_TRUE(callbacks.done());
}

/// Values of all attributes that have a size of their own, in the order of their numbers.
struct attribute_list {
  fattr all;
  std::vector<std::byte> values;

  template <std::unsigned_integral T>
  void add(u32 number, T value) {
    wire::writer out;
    out.be(value);
    add_raw(number, out.flatten());
  }
  void add_raw(u32 number, const std::vector<std::byte>& value) {
    all.attrmask.set(number);
    values.insert(values.end(), value.begin(), value.end());
    all.attr_vals = values;
  }
};

std::vector<std::byte> words(std::initializer_list<u32> list) {
  wire::writer out;
  for (const auto w : list)
    out.be(w);
  return out.flatten();
}

TEST(Nfs4Attributes, AreFoundBehindOthersOfAnySize) {
  attribute_list list;
  list.add_raw(0, words({2, 0xffff, 0xffff}));
  list.add(attribute::type, u32{2});
  list.add(attribute::size, u64{12345678901});
  list.add_raw(8, words({0, 1, 0, 2}));
  list.add_raw(12, words({1, 0, 0, 7, 3, 0x61626300}));
  list.add_raw(attribute::filehandle, words({5, 0x01020304, 0x05000000}));
  list.add_raw(24, words({1, 1, 0x61000000, 1, 1, 2, 0x61620000, 0}));
  list.add(attribute::maxread, u64{1} << 20);
  list.add(attribute::maxwrite, u64{1} << 19);
  list.add_raw(36, words({4, 0x726f6f74}));
  list.add_raw(48, words({1, 0, 5, 6}));
  list.add_raw(54, words({0}));
  list.add(55, u64{99});
  list.add_raw(61, words({0, 1, 0, 1, 0x61000000, 9, 0, 1, 2}));
  list.add_raw(67, words({1, 2, 0, 1, 1, 7, 0, 1, 0x61000000, 0}));
  list.add_raw(69, words({0, 1, 1, 0, 2, 3}));
  list.add_raw(70, words({1, 1, 0, 4}));
  list.add_raw(80, words({1, 2, 1, 0x61000000}));
  list.add(82, u32{1});

  EXPECT_EQ(find_word(list.all, attribute::type), 2u);
  EXPECT_EQ(find_hyper(list.all, attribute::size), 12345678901u);
  EXPECT_EQ(find_hyper(list.all, attribute::maxread), u64{1} << 20);
  EXPECT_EQ(find_hyper(list.all, attribute::maxwrite), u64{1} << 19);
  EXPECT_EQ(find_hyper(list.all, 55), 99u);
  EXPECT_EQ(find_word(list.all, 82), 1u);
  ASSERT_TRUE(find_handle(list.all));
  EXPECT_EQ(find_handle(list.all)->view().size(), 5u);
  EXPECT_FALSE(find_attribute(list.all, attribute::change));
}

TEST(Nfs4Attributes, ThatAreCutAreNotThere) {
  attribute_list list;
  list.add_raw(12, words({1, 0, 0, 7, 3, 0x61626300}));
  list.add(attribute::maxread, u64{7});
  for (std::size_t n = 0; n < list.values.size(); ++n) {
    const support::exact_buffer cut(bytes(list.values).first(n));
    list.all.attr_vals = cut.view();
    ASSERT_FALSE(find_hyper(list.all, attribute::maxread)) << n;
  }
}

TEST(Nfs4Attributes, BehindOneOfUnknownSizeAreNotThere) {
  attribute_list list;
  list.add(attribute::type, u32{1});
  list.add(200, u32{0});
  list.add(201, u32{0});
  EXPECT_TRUE(find_word(list.all, attribute::type));
  EXPECT_FALSE(find_word(list.all, 201));
}

TEST(Nfs4Attributes, SurviveAnyValues) {
  for (u32 seed = 0; seed < 5000; ++seed) {
    support::xdr_filler fill(seed);
    fattr a;
    if (!fattr::fields(a, fill)) continue;
    const support::exact_buffer values(a.attr_vals);
    a.attr_vals = values.view();
    for (u32 number = 0; number < 100; ++number)
      static_cast<void>(find_attribute(a, number));
  }
}

} // namespace
