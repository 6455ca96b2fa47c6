#include "smb2/credits.hpp"

#include <gtest/gtest.h>

namespace smb2 {
namespace {

TEST(CreditWindow, StartsWithTheOneCreditOfANewConnection) {
  const credit_window window(512);

  EXPECT_EQ(window.available(), 1u);
  EXPECT_TRUE(window.affords(1, false));
  EXPECT_FALSE(window.affords(2, false));
}

TEST(CreditWindow, ChargesOneCreditForEach64KiBOnlyWhereThatWasNegotiated) {
  credit_window window(512);
  EXPECT_EQ(window.charge_for(1 << 20), 1);

  window.allow_multi_credit();

  EXPECT_EQ(window.charge_for(0), 1);
  EXPECT_EQ(window.charge_for(1), 1);
  EXPECT_EQ(window.charge_for(65'536), 1);
  EXPECT_EQ(window.charge_for(65'537), 2);
  EXPECT_EQ(window.charge_for(1 << 20), 16);
  EXPECT_EQ(window.charge_for(8 << 20), 128);
  EXPECT_EQ(window.charge_for(0xFFFF'FFFF), 65'535);
}

TEST(CreditWindow, TakesConsecutiveMessageIdsForTheChargeOfACall) {
  credit_window window(512);
  window.allow_multi_credit();
  window.refill(100);

  EXPECT_EQ(window.spend(1).message_id, 0u);
  EXPECT_EQ(window.spend(16).message_id, 1u);
  EXPECT_EQ(window.spend(2).message_id, 17u);
  EXPECT_EQ(window.spend(1).message_id, 19u);
  EXPECT_EQ(window.available(), 101u - 20u);
}

TEST(CreditWindow, AsksForWhatIsMissingToTheTargetOnce) {
  credit_window window(10);

  const auto first = window.spend(1);
  EXPECT_EQ(first.request, 1 + 9);
  window.refill(2);
  const auto second = window.spend(1); // the 9 are still on their way

  EXPECT_EQ(second.request, 1);
}

TEST(CreditWindow, NeverAsksForLessThanTheCharge) {
  credit_window window(4);
  window.allow_multi_credit();
  window.refill(1000);

  EXPECT_EQ(window.spend(16).request, 16);
}

TEST(CreditWindow, AsksAgainWhenTheServerGaveLessThanItWasAskedFor) {
  credit_window window(10);
  const auto first = window.spend(1);
  window.settle(1, first.extra);
  window.refill(1);

  EXPECT_EQ(window.spend(1).request, 1 + 9);
}

TEST(CreditWindow, StaysBelowItsLimitWhateverTheServerGrants) {
  credit_window window(512);

  for (int i = 0; i < 1000; ++i)
    window.refill(0xFFFF);

  EXPECT_EQ(window.available(), credit_window::credits_max);
}

TEST(CreditWindow, HoldsOneCreditBackForUrgentCallsWhileOthersAreAwaited) {
  credit_window window(512);
  window.refill(9);
  for (int i = 0; i < 9; ++i)
    window.spend(1);

  EXPECT_EQ(window.available(), 1u);
  EXPECT_FALSE(window.affords(1, false));
  EXPECT_TRUE(window.affords(1, true));
}

TEST(CreditWindow, HoldsNothingBackWhenNoResponseIsDue) {
  credit_window window(512);
  window.refill(9);
  for (int i = 0; i < 9; ++i) {
    const auto sent = window.spend(1);
    window.settle(1, sent.extra);
  }

  EXPECT_EQ(window.available(), 1u);
  EXPECT_TRUE(window.affords(1, false));
}

} // namespace
} // namespace smb2
