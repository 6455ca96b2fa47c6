#include "nfs/mount/operations.hpp"
#include "nfs/v3/operations.hpp"
#include "tests/support/operation_checks.hpp"

namespace {

using namespace nfs;
using wire::u32;

template <class Op>
struct Nfs3Operation : testing::Test {};
TYPED_TEST_SUITE(Nfs3Operation, support::as_types<v3::operations>::type, support::operation_names);

TYPED_TEST(Nfs3Operation, CallsDecodeAndEncodeAsRecorded) {
  support::check_calls<TypeParam>(support::golden_folder("nfs3"));
}

TYPED_TEST(Nfs3Operation, RepliesDecodeAndEncodeAsRecorded) {
  support::check_replies<TypeParam>(support::golden_folder("nfs3"));
}

template <class Op>
struct MountOperation : testing::Test {};
TYPED_TEST_SUITE(MountOperation, support::as_types<mount::operations>::type,
                 support::operation_names);

TYPED_TEST(MountOperation, CallsDecodeAndEncodeAsRecorded) {
  support::check_calls<TypeParam>(support::golden_folder("mount"));
}

TYPED_TEST(MountOperation, RepliesDecodeAndEncodeAsRecorded) {
  support::check_replies<TypeParam>(support::golden_folder("mount"));
}

TEST(Nfs3Operations, AreNumberedWithoutHolesAsInTheRfc) {
  u32 next = 0;
  v3::operations::for_each([&]<class Op>() { EXPECT_EQ(Op::procedure, next++) << Op::name; });

  EXPECT_EQ(next, 22u);
  EXPECT_EQ(v3::operations::name(6), "READ");
  EXPECT_EQ(v3::operations::name(22), "");
  EXPECT_FALSE(v3::operations::visit(22, []<class Op>() {}));
}

TEST(MountOperations, AreNumberedWithoutHolesAsInTheRfc) {
  u32 next = 0;
  mount::operations::for_each([&]<class Op>() { EXPECT_EQ(Op::procedure, next++) << Op::name; });

  EXPECT_EQ(next, 6u);
}

} // namespace
