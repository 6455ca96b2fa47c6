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

/// What a walk over a compound's body found, and its operations encoded again.
struct retold {
  std::vector<std::string_view> names;
  std::vector<std::byte> data;
  std::size_t header_bytes = 0;
  bool complete = false; ///< all of it could be seen and was known
};

/// Once for each walker, not for each operation: a walk has code for all of them.
template <class Walker>
retold retell(bytes body) {
  retold out;
  Walker walk(body);
  const auto header = rpc::encoded_size(walk.header());
  if (!walk.header_ok() || !header) return out;
  out.header_bytes = *header;
  out.complete = true;
  wire::writer again;
  const auto tell = [&]<class Found>(const auto& message, bool whole) {
    out.names.push_back(Found::name);
    again.be(u32{Found::procedure});
    out.complete &= whole && rpc::encode(message, again);
  };
  while (walk.next(tell, [&](u32) { out.complete = false; })) {
  }
  out.complete &= walk.done();
  out.data = again.flatten();
  return out;
}

/// Golden messages hold one operation each: it is there, whole, and is encoded to the same bytes.
void check_golden(std::string_view name, std::string_view kind, retold (*retell_body)(bytes)) {
  const auto found = support::goldens_of(support::golden_folder("nfs4"), name, kind);
  ASSERT_FALSE(found.empty()) << "no golden " << kind << " of " << name;
  for (const auto& g : found) {
    SCOPED_TRACE(g.name);
    const auto start = kind == "reply" ? rpc::decode_reply_header(g.data).size
                                       : rpc::decode_call_header(g.data).size;
    const auto body = bytes(g.data).subspan(start);
    const auto told = retell_body(body);
    EXPECT_TRUE(told.complete);
    EXPECT_EQ(told.names, std::vector{name});
    ASSERT_LE(told.header_bytes, body.size());
    EXPECT_EQ(wire::to_hex(told.data), wire::to_hex(body.subspan(told.header_bytes)));
  }
}

TYPED_TEST(Nfs4Operation, IsEncodedAsBefore) {
  check_golden(TypeParam::name, "call", retell<compound_args_walker>);
  check_golden(TypeParam::name, "reply", retell<compound_reply_walker>);
}

TYPED_TEST(Nfs4Callback, IsEncodedAsBefore) {
  check_golden(TypeParam::name, "call", retell<callback_args_walker>);
  check_golden(TypeParam::name, "reply", retell<callback_reply_walker>);
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
