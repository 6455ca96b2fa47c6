#include "smb2/credits.hpp"
#include "tests/unit/smb2/core_script.hpp"

#include <random>

namespace smb2 {
namespace {

using namespace script;

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

// --- the core against a server that keeps account ------------------------------------------------

/// The server's side of MS-SMB2 3.3.1.1: each MessageId that it granted may be used once. It grants
/// what it likes, up to what it is asked for, at once or with an interim response.
class accountant {
 public:
  accountant(session_script& with, unsigned seed) : s_(&with), random_(seed) {}

  void take_requests() {
    for (auto& sent : s_->take_all()) {
      compound_walker walk(sent.data);
      while (const auto part = walk.next()) {
        const auto& head = part->head;
        const u32 charge = std::max<u32>(head.credit_charge, 1);
        ASSERT_EQ(head.message_id, used_) << "ids are consecutive";
        used_ += charge;
        ASSERT_LE(used_, granted_) << "an id that was not granted";
        ASSERT_GE(head.credits, charge) << "the window would shrink to nothing";
        open_.push_back({head.message_id, head.command, head.credits, false});
      }
      ASSERT_TRUE(walk.ok());
    }
    ASSERT_EQ(s_->core.credits().available(), granted_ - used_);
    ASSERT_EQ(s_->core.calls_in_flight(), open_.size());
  }

  void answer_one() {
    const auto at = random_() % open_.size();
    auto& request = open_[at];
    const bool interim = !request.pending && random_() % 4 == 0;
    answer a{.command = request.command, .message_id = request.message_id};
    a.credits = request.pending ? u16{0} : grant(request.asked);
    if (interim || request.pending) a.async_id = request.message_id + 1;
    a.status = interim              ? status::pending
               : random_() % 4 == 0 ? status::access_denied
                                    : status::success;
    granted_ += a.credits;
    if (interim)
      request.pending = true;
    else
      open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(at));
    s_->reply(a);
    ASSERT_FALSE(s_->core.failed()) << s_->core.failure();
  }

  [[nodiscard]] bool has_requests() const { return !open_.empty(); }
  [[nodiscard]] u64 unused() const { return granted_ - used_; }
  bool generous = false; ///< grants all that it is asked for

 private:
  struct open_request {
    u64 message_id;
    u16 command;
    u16 asked;
    bool pending;
  };

  u16 grant(u16 asked) {
    if (generous) return asked;
    const auto out = static_cast<u16>(random_() % (asked + 1u));
    const bool last = std::ranges::count(open_, false, &open_request::pending) == 1;
    return last && used_ == granted_ ? std::max<u16>(out, 1) : out;
  }

  session_script* s_;
  std::mt19937 random_;
  std::vector<open_request> open_;
  u64 granted_ = 1;
  u64 used_ = 0;
};

void submit_something(session_script& s, std::mt19937& random, const read::request& large) {
  static const echo::request small;
  const auto kind = random() % 5;
  if (kind == 0) {
    s.submit<read>(large);
  } else if (kind == 1) {
    const std::array parts{s.request_of<echo>(small, 0), s.request_of<read>(large, 0)};
    ASSERT_TRUE(s.core.submit_compound(parts, s.now));
  } else {
    s.submit<echo>(small);
  }
}

/// Whatever is called and whatever the server grants: no MessageId that it did not grant, none
/// twice, none left out, and both sides count the same. · source: MS-SMB2 3.2.4.1.2, 3.2.4.1.3,
/// 3.2.5.1.4
TEST(Credits, AreCountedAsTheServerCountsThem) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    session_script s({.credits_target = static_cast<u16>(1 + random() % 60)});
    if (seed % 2 == 0) s.core.allow_multi_credit();
    accountant server(s, seed);
    read::request large;
    large.length = static_cast<u32>(random() % 400'000);
    for (int step = 0; step < 400 && !testing::Test::HasFatalFailure(); ++step) {
      if (random() % 2 == 0) submit_something(s, random, large);
      server.take_requests();
      if (server.has_requests() && random() % 3 != 0) server.answer_one();
      server.take_requests();
    }
    while (server.has_requests() && !testing::Test::HasFatalFailure()) {
      server.answer_one();
      server.take_requests();
    }
    EXPECT_EQ(s.core.calls_in_flight(), 0u);
    EXPECT_EQ(s.core.credits().total(), server.unused());
  }
}

/// A server that gives what it is asked for is asked for the target and no more.
TEST(Credits, GrowToTheTargetAndNoFurther) {
  session_script s({.credits_target = 40});
  s.core.allow_multi_credit();
  accountant server(s, 1);
  server.generous = true;
  std::mt19937 random(3);
  read::request large;
  large.length = 300'000;
  for (int step = 0; step < 500; ++step) {
    submit_something(s, random, large);
    server.take_requests();
    if (server.has_requests()) server.answer_one();
    ASSERT_LE(server.unused(), 40u);
  }
  while (server.has_requests()) {
    server.answer_one();
    server.take_requests();
  }
  EXPECT_EQ(server.unused(), 40u);
}

/// A CANCEL costs nothing, asks for nothing and has the MessageId of what it cancels (3.2.4.24).
TEST(Credits, AreNotSpentOnCancel) {
  session_script s;
  s.give_credits(3);
  const change_notify::request request;
  const auto ticket = s.submit<change_notify>(request);
  const auto sent = s.take();
  const auto before = s.core.credits().available();
  static_cast<void>(s.core.abandon(*ticket));

  const auto cancelled = s.take();

  ASSERT_TRUE(cancelled);
  EXPECT_EQ(cancelled->head.command, cancel::number);
  EXPECT_EQ(cancelled->head.message_id, sent->head.message_id);
  EXPECT_EQ(cancelled->head.credit_charge, 0);
  EXPECT_EQ(cancelled->head.credits, 0);
  EXPECT_EQ(s.core.credits().available(), before);
}

/// 2.0.2, and 2.1 and later without LARGE_MTU: CreditCharge is reserved (3.2.4.1.5).
TEST(Credits, AreNotChargedInTheHeaderUnlessThatWasNegotiated) {
  session_script s;
  s.give_credits(10);
  read::request large;
  large.length = 1 << 20;
  s.submit<read>(large);

  const auto sent = s.take();

  ASSERT_TRUE(sent);
  EXPECT_EQ(sent->head.credit_charge, 0);
  EXPECT_EQ(s.core.credits().available(), 9u);
}

/// The larger of what goes out and what may come back (MS-SMB2 3.1.5.2).
TEST(Credits, PayForTheLargerDirection) {
  std::vector<std::byte> data(100);
  ioctl::request io;
  io.input = data;
  io.max_output_response = 70'000;
  EXPECT_EQ(ioctl::credit_bytes(io), 70'000u);
  io.max_output_response = 10;
  EXPECT_EQ(ioctl::credit_bytes(io), 100u);
  io.max_input_response = io.max_output_response = 0xFFFF'FFFF;
  EXPECT_EQ(ioctl::credit_bytes(io), 0xFFFF'FFFFu);
  query_info::request ask;
  ask.input = data;
  ask.output_buffer_length = 99;
  EXPECT_EQ(query_info::credit_bytes(ask), 100u);
}

} // namespace
} // namespace smb2
