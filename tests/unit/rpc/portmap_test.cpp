#include "rpc/portmap/rpcbind.hpp"
#include "rpc/portmap/v2.hpp"
#include "tests/support/operation_checks.hpp"

namespace {

using namespace rpc;

template <class Op>
struct Portmap2Operation : testing::Test {};
TYPED_TEST_SUITE(Portmap2Operation, support::as_types<portmap::v2::operations>::type,
                 support::operation_names);

TYPED_TEST(Portmap2Operation, MessagesDecodeAndEncodeAsRecorded) {
  support::check_calls<TypeParam>(support::golden_folder("portmap/v2"));
  support::check_replies<TypeParam>(support::golden_folder("portmap/v2"));
}

template <class Op>
struct Rpcbind3Operation : testing::Test {};
TYPED_TEST_SUITE(Rpcbind3Operation, support::as_types<portmap::v3::operations>::type,
                 support::operation_names);

TYPED_TEST(Rpcbind3Operation, MessagesDecodeAndEncodeAsRecorded) {
  support::check_calls<TypeParam>(support::golden_folder("portmap/v3"));
  support::check_replies<TypeParam>(support::golden_folder("portmap/v3"));
}

template <class Op>
struct Rpcbind4Operation : testing::Test {};
TYPED_TEST_SUITE(Rpcbind4Operation, support::as_types<portmap::v4::operations>::type,
                 support::operation_names);

TYPED_TEST(Rpcbind4Operation, MessagesDecodeAndEncodeAsRecorded) {
  support::check_calls<TypeParam>(support::golden_folder("portmap/v4"));
  support::check_replies<TypeParam>(support::golden_folder("portmap/v4"));
}

TEST(UniversalAddress, HoldsThePortInItsLastTwoNumbers) {
  const auto v4 = portmap::from_universal("198.18.1.2.8.1");
  const auto v6 = portmap::from_universal("fd00::2.0.111");

  ASSERT_TRUE(v4);
  EXPECT_EQ(v4->host, "198.18.1.2");
  EXPECT_EQ(v4->port, 2049);
  ASSERT_TRUE(v6);
  EXPECT_EQ(v6->host, "fd00::2");
  EXPECT_EQ(v6->port, 111);
  EXPECT_EQ(portmap::to_universal({"198.18.1.2", 2049}), "198.18.1.2.8.1");
}

TEST(UniversalAddress, RefusesWhatHasNoPort) {
  for (const auto* text : {"", ".", "..", "1", "1.2", ".1.2", "a.b.c", "h.256.1", "h.1.-1", "h.1.",
                           "h.1.2x", "/run/rpcbind.sock"})
    EXPECT_FALSE(portmap::from_universal(text)) << text;
}

} // namespace
