#include "nfs/v4/compound.hpp"
#include "tests/support/operation_checks.hpp"
#include "tests/support/xdr_filler.hpp"

#include <set>

namespace {

using namespace nfs::v4;

constexpr u32 samples = 24;
constexpr u32 seeds_max = 4000;

/// The battery over messages of which each seed fills the fields and chooses the arms of unions.
template <class T>
void check_samples(std::set<u32>* statuses = nullptr) {
  u32 good = 0;
  for (u32 seed = 1; seed <= seeds_max && good < samples; ++seed) {
    SCOPED_TRACE(seed);
    support::xdr_filler fill(seed);
    T message;
    if (!T::fields(message, fill)) continue;
    ++good;
    wire::writer out;
    ASSERT_TRUE(rpc::encode(message, out));
    const auto flat = out.flatten();
    if constexpr (std::is_same_v<T, rpc::nothing>)
      ASSERT_TRUE(flat.empty());
    else
      support::check_codec<T>(flat);
    if constexpr (requires { message.status; })
      if (statuses != nullptr) statuses->insert(static_cast<u32>(message.status));
    if (testing::Test::HasFatalFailure()) return;
  }
  EXPECT_EQ(good, samples);
}

template <class Op>
void check_operation() {
  check_samples<typename Op::args>();
  std::set<u32> statuses;
  check_samples<typename Op::reply>(&statuses);
  EXPECT_TRUE(statuses.contains(0));
  EXPECT_GT(statuses.size(), 1u) << "no failure among the samples";
}

template <class Op>
struct Nfs4Operation : testing::Test {};
TYPED_TEST_SUITE(Nfs4Operation, support::as_types<operations>::type, support::operation_names);
TYPED_TEST(Nfs4Operation, SurvivesTheBattery) {
  check_operation<TypeParam>();
}

template <class Op>
struct Nfs4Callback : testing::Test {};
TYPED_TEST_SUITE(Nfs4Callback, support::as_types<callback_operations>::type,
                 support::operation_names);
TYPED_TEST(Nfs4Callback, SurvivesTheBattery) {
  check_operation<TypeParam>();
}

/// Golden messages hold one operation each: it is there, whole, and is encoded to the same bytes.
template <class Walker, class Op, bool Reply>
void check_golden(std::string_view kind) {
  const auto found = support::goldens_of(support::golden_folder("nfs4"), Op::name, kind);
  ASSERT_FALSE(found.empty()) << "no golden " << kind << " of " << Op::name;
  for (const auto& g : found) {
    SCOPED_TRACE(g.name);
    const auto start =
        Reply ? rpc::decode_reply_header(g.data).size : rpc::decode_call_header(g.data).size;
    const auto body = bytes(g.data).subspan(start);
    Walker walk(body);
    ASSERT_TRUE(walk.header_ok());
    const auto first = rpc::encoded_size(walk.header());
    ASSERT_TRUE(first);
    wire::writer out;
    const auto same = [&]<class Found>(const auto& message, bool whole) {
      EXPECT_EQ(Found::name, Op::name);
      EXPECT_TRUE(whole);
      out.be(u32{Found::procedure});
      EXPECT_TRUE(rpc::encode(message, out));
    };
    while (walk.next(same, [](u32 number) { ADD_FAILURE() << number; })) {
    }
    EXPECT_TRUE(walk.done());
    EXPECT_EQ(wire::to_hex(out.flatten()), wire::to_hex(body.subspan(*first)));
  }
}

TYPED_TEST(Nfs4Operation, IsEncodedAsBefore) {
  check_golden<compound_args_walker, TypeParam, false>("call");
  check_golden<compound_reply_walker, TypeParam, true>("reply");
}

TYPED_TEST(Nfs4Callback, IsEncodedAsBefore) {
  check_golden<callback_args_walker, TypeParam, false>("call");
  check_golden<callback_reply_walker, TypeParam, true>("reply");
}

TEST(Nfs4Operations, AreNumberedWithoutHolesAsInTheRfcs) {
  u32 next = 3;
  operations::for_each([&]<class Op>() {
    if (Op::procedure == illegal::procedure) return;
    EXPECT_EQ(Op::procedure, next++) << Op::name;
  });
  EXPECT_EQ(next, 76u);
  next = 3;
  callback_operations::for_each([&]<class Op>() {
    if (Op::procedure == illegal::procedure) return;
    EXPECT_EQ(Op::procedure, next++) << Op::name;
  });
  EXPECT_EQ(next, 16u);
  EXPECT_EQ(operations::name(illegal::procedure), "ILLEGAL");
}

TEST(Nfs4Headers, SurviveTheBattery) {
  check_samples<compound_args>();
  check_samples<callback_compound_args>();
  check_samples<compound_reply>();
}

TEST(Nfs4Status, HasTheNamesOfTheRfc) {
  EXPECT_EQ(to_string(nfsstat4::ok), "NFS4_OK");
  EXPECT_EQ(to_string(nfsstat4::delay), "NFS4ERR_DELAY");
  EXPECT_EQ(static_cast<u32>(nfsstat4::delay), 10008u);
  EXPECT_EQ(to_string(nfsstat4::xattr2big), "NFS4ERR_XATTR2BIG");
  EXPECT_EQ(to_string(static_cast<nfsstat4>(10002)), "unknown");
}

} // namespace
