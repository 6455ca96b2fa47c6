#include "tests/support/le_checks.hpp"

namespace smb2 {
namespace {

template <class Command>
class smb2_command : public testing::Test {};

using every_command = support::le::as_types<commands>::type;
TYPED_TEST_SUITE(smb2_command, every_command, support::le::command_names);

TYPED_TEST(smb2_command, RequestReadsAndWritesItsGoldenBytes) {
  if constexpr (asked<TypeParam>)
    support::le::check_calls<TypeParam>();
  else
    EXPECT_TRUE(support::le::goldens_of(TypeParam::name, "call").empty());
}

TYPED_TEST(smb2_command, ResponseReadsAndWritesItsGoldenBytes) {
  if constexpr (answered<TypeParam>)
    support::le::check_replies<TypeParam>();
  else
    EXPECT_TRUE(support::le::goldens_of(TypeParam::name, "reply").empty());
}

} // namespace
} // namespace smb2
