// Oplocks and leases: what is asked for, granted, broken and acknowledged.

#include "smb2/contexts/create_data.hpp"
#include "tests/unit/smb2/client_fixture.hpp"

#include <asio/experimental/awaitable_operators.hpp>

namespace smb2 {
namespace {

using std::chrono::milliseconds;

constexpr u32 rwh =
    lease_state::read_caching | lease_state::handle_caching | lease_state::write_caching;
constexpr u32 rh = lease_state::read_caching | lease_state::handle_caching;

constexpr guid key_of(u8 n) {
  guid out{};
  out[0] = std::byte{n};
  return out;
}

std::vector<std::byte> notification(const oplock_break::response& m) {
  header h;
  h.command = oplock_break::number;
  h.flags = flags::server_to_redir;
  h.message_id = unsolicited_message_id;
  wire::writer out;
  encode_header(h, out);
  encode(m, out, 0);
  return out.flatten();
}

std::vector<std::byte> oplock_notification(fileid file, u8 level) {
  oplock_break::response m;
  m.file = file;
  m.oplock_level = level;
  return notification(m);
}

std::vector<std::byte> lease_notification(guid key, u32 from, u32 to, u16 epoch, bool must = true) {
  oplock_break::response m;
  m.structure_size = oplock_break::lease_notification_size;
  m.flags = must ? oplock_break::acknowledgment_required : 0;
  m.lease_key = key;
  m.lease_state = from;
  m.new_lease_state = to;
  m.new_epoch = epoch;
  return notification(m);
}

/// The server grants what is asked for; with the answer to an ECHO come the notifications that the
/// test has put there.
class Smb2Oplocks : public Smb2Client {
 protected:
  Smb2Oplocks() {
    server.files["x"] = {};
    server.before = [this](const fake::request& r, fake::response& out) {
      if (r.head.command == create::number) grant(r, out);
      if (r.head.command == oplock_break::number) confirm(r, out);
      if (r.head.command == echo::number)
        out.messages.insert(out.messages.end(), notifications.begin(), notifications.end());
      if (r.head.command == echo::number) notifications.clear();
    };
  }

  void grant(const fake::request& r, fake::response& out) {
    const auto m = r.body<create>();
    asked.push_back(m.requested_oplock_level);
    contexts.assign(m.contexts.begin(), m.contexts.end());
    create::response granted;
    granted.file = {7, 0x70 + asked.size()};
    granted.oplock_level = refuses ? oplock::none : m.requested_oplock_level;
    const auto list = decode_create_contexts(contexts);
    std::vector<create_context> back;
    for (const auto& c : list.message)
      if (c.is("RqLs") && !refuses) back.push_back(c);
    const auto chain = encode_create_contexts(back);
    granted.contexts = chain;
    out.messages.push_back(server.make(r, status::success, granted));
    out.handled = true;
  }

  void confirm(const fake::request& r, fake::response& out) {
    const auto m = r.body<oplock_break>();
    answers.push_back(m);
    oplock_break::response confirmed;
    confirmed.structure_size = m.structure_size;
    confirmed.oplock_level = m.oplock_level;
    confirmed.file = m.file;
    confirmed.lease_key = m.lease_key;
    confirmed.lease_state = m.lease_state;
    out.messages.push_back(server.make(r, break_status, confirmed));
    out.handled = true;
  }

  using body = std::function<awaitable<void>(session, file)>;

  void with_open(open_options how, body work) {
    const auto result = run_to_end(io, visit(options, std::move(how), std::move(work)));
    EXPECT_TRUE(result) << text_of(result);
  }

  static awaitable<text_result> visit(session_options options, open_options how, body work) {
    auto opened = co_await session::open(std::move(options));
    if (!opened) co_return std::unexpected(opened.error());
    auto entered = co_await tree::connect(*opened, "share");
    if (!entered) co_return std::unexpected(entered.error());
    auto in = co_await entered->open("x", std::move(how));
    if (!in) co_return std::unexpected(in.error());
    co_await work(*opened, *in);
    co_return std::string("done");
  }

  std::vector<std::vector<std::byte>> notifications;
  std::vector<u8> asked;
  std::vector<std::byte> contexts; ///< of the last CREATE
  std::vector<oplock_break::request> answers;
  bool refuses = false;
  u32 break_status = status::success;
};

/// What the server has to say comes with the answer; what it brings about is done behind a second.
awaitable<void> hear(session from) {
  for (int i = 0; i < 2; ++i) {
    auto heard = co_await from.echo();
    EXPECT_TRUE(heard);
  }
}

open_options with_oplock(u8 level, break_answer answer = break_answer::at_once) {
  open_options out;
  out.oplock_level = level;
  out.on_break = answer;
  return out;
}

open_options with_lease(u8 key, break_answer answer = break_answer::at_once) {
  open_options out;
  out.lease.emplace();
  out.lease->key = key_of(key);
  out.on_break = answer;
  return out;
}

TEST_F(Smb2Oplocks, AnswersTheBreakOfAnOplockWithWhatItLeaves) {
  for (const u8 level : {oplock::exclusive, oplock::batch}) {
    answers.clear();
    with_open(with_oplock(level), [&, level](session on, file in) -> awaitable<void> {
      EXPECT_EQ(asked.back(), level);
      EXPECT_EQ(in.grant().oplock_level, level);
      EXPECT_TRUE(in.grant().exclusive());
      notifications.push_back(oplock_notification(in.id(), oplock::level_ii));
      co_await hear(on);
      EXPECT_EQ(in.grant().oplock_level, oplock::level_ii);
      EXPECT_FALSE(in.grant().breaking);
      EXPECT_EQ(on.breaks().acknowledgments, 1u);
      const auto told = co_await in.next_break();
      EXPECT_TRUE(told && told->before.oplock_level == level);
    });
    ASSERT_EQ(answers.size(), 1u);
    EXPECT_EQ(answers[0].structure_size, oplock_break::oplock_size);
    EXPECT_EQ(answers[0].oplock_level, oplock::level_ii);
    EXPECT_EQ(answers[0].file.persistent, 7u);
  }
}

TEST_F(Smb2Oplocks, DoesNotAnswerTheBreakOfLevelII) {
  with_open(with_oplock(oplock::level_ii), [&](session on, file in) -> awaitable<void> {
    notifications.push_back(oplock_notification(in.id(), oplock::none));
    co_await hear(on);
    EXPECT_EQ(in.grant().oplock_level, oplock::none);
    EXPECT_EQ(on.breaks().notifications, 1u);
  });
  EXPECT_TRUE(answers.empty());
}

TEST_F(Smb2Oplocks, LeavesTheAnswerToWhoWantsToGiveIt) {
  with_open(with_oplock(oplock::batch, break_answer::by_caller),
            [&](session on, file in) -> awaitable<void> {
              notifications.push_back(oplock_notification(in.id(), oplock::level_ii));
              co_await hear(on);
              EXPECT_TRUE(in.grant().breaking);
              EXPECT_TRUE(answers.empty());
              auto told = co_await in.next_break();
              EXPECT_TRUE(told) << told.error().text;
              if (!told) co_return;
              EXPECT_TRUE(told->must_acknowledge);
              told->oplock_level = oplock::none;
              auto done = co_await in.acknowledge(*told);
              EXPECT_TRUE(done);
              EXPECT_FALSE(in.grant().breaking);
              EXPECT_EQ(in.grant().oplock_level, oplock::none);
            });
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_EQ(answers[0].oplock_level, oplock::none);
}

TEST_F(Smb2Oplocks, HoldsAndBreaksALeaseOf21) {
  with_open(with_lease(3), [&](session on, file in) -> awaitable<void> {
    EXPECT_EQ(asked.back(), oplock::lease);
    const auto list = decode_create_contexts(contexts);
    EXPECT_EQ(list.message.at(0).data.size(), 32u);
    EXPECT_EQ(in.grant().lease_state, rwh);
    notifications.push_back(lease_notification(key_of(3), rwh, rh, 0));
    co_await hear(on);
    EXPECT_EQ(in.grant().lease_state, rh);
  });
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_EQ(answers[0].structure_size, oplock_break::lease_size);
  EXPECT_EQ(answers[0].lease_key, key_of(3));
  EXPECT_EQ(answers[0].lease_state, rh);
}

class Smb3Leases : public Smb2Oplocks {
 protected:
  Smb3Leases() { options.dialect = server.dialect = dialect::smb_3_0; }
};

TEST_F(Smb3Leases, NamesTheParentAndCountsEpochs) {
  auto how = with_lease(4);
  how.lease->parent = key_of(9);
  with_open(how, [&](session on, file in) -> awaitable<void> {
    const auto list = decode_create_contexts(contexts);
    const auto lease = find_context<lease_v2>(list.message);
    EXPECT_TRUE(lease);
    if (!lease) co_return;
    EXPECT_EQ(lease->lease_flags, lease_v2::parent_lease_key_set);
    EXPECT_EQ(lease->parent_lease_key, key_of(9));
    notifications.push_back(lease_notification(key_of(4), rwh, rh, 1));
    co_await hear(on);
    EXPECT_EQ(in.grant().epoch, 1u);
    notifications.push_back(lease_notification(key_of(4), rwh, rwh, 1, false));
    co_await hear(on);
    EXPECT_EQ(in.grant().lease_state, rh) << "an epoch that is over";
    EXPECT_EQ(on.breaks().stale, 1u);
    notifications.push_back(lease_notification(key_of(4), rh, lease_state::none, 5, false));
    co_await hear(on);
    EXPECT_EQ(in.grant().lease_state, lease_state::none);
    const auto first = co_await in.next_break();
    EXPECT_TRUE(first && !first->missed);
    const auto second = co_await in.next_break();
    EXPECT_TRUE(second && second->missed && !second->must_acknowledge);
  });
  EXPECT_EQ(answers.size(), 1u) << "the others need no acknowledgment";
}

TEST_F(Smb3Leases, ShareALeaseAmongTheOpensUnderItsKey) {
  with_open(with_lease(4), [&](session on, file in) -> awaitable<void> {
    auto where = co_await tree::connect(on, "share");
    auto how = with_lease(4);
    auto second = co_await where->open("x", how);
    EXPECT_TRUE(second);
    if (!second) co_return;
    auto closed = co_await in.close();
    EXPECT_TRUE(closed);
    notifications.push_back(lease_notification(key_of(4), rwh, rh, 1));
    co_await hear(on);
    EXPECT_EQ(second->grant().lease_state, rh);
    closed = co_await second->close();
    EXPECT_TRUE(closed);
    notifications.push_back(lease_notification(key_of(4), rh, 0, 2));
    co_await hear(on);
    EXPECT_EQ(on.breaks().unknown, 1u) << "nobody has it any more";
  });
  EXPECT_EQ(answers.size(), 1u);
}

TEST_F(Smb3Leases, CountsBreaksOfWhatItDoesNotHave) {
  with_open(with_lease(4), [&](session on, file in) -> awaitable<void> {
    notifications.push_back(lease_notification(key_of(5), rwh, rh, 1));
    notifications.push_back(oplock_notification({7, 99}, oplock::none));
    oplock_break::response confirmation; // what answers an acknowledgment, and here answers none
    confirmation.structure_size = oplock_break::lease_size;
    confirmation.lease_key = key_of(4);
    notifications.push_back(notification(confirmation));
    auto cut = lease_notification(key_of(4), rwh, rh, 1);
    cut.resize(cut.size() - 10);
    notifications.push_back(cut);
    co_await hear(on);
    EXPECT_EQ(on.breaks().notifications, 4u);
    EXPECT_EQ(on.breaks().unknown, 4u);
    EXPECT_EQ(in.grant().lease_state, rwh);
  });
  EXPECT_TRUE(answers.empty());
}

TEST_F(Smb3Leases, SaysThatNothingWasGranted) {
  refuses = true;
  with_open(with_lease(4), [&](session, file in) -> awaitable<void> {
    EXPECT_EQ(in.grant().oplock_level, oplock::none);
    const auto told = co_await in.next_break(milliseconds(20));
    EXPECT_FALSE(told);
    EXPECT_EQ(told.error().code, errc::unsupported);
  });
}

TEST_F(Smb3Leases, WaitsForABreakAsLongAsItIsToldTo) {
  with_open(with_lease(4), [&](session on, file in) -> awaitable<void> {
    auto told = co_await in.next_break(milliseconds(20));
    EXPECT_FALSE(told);
    EXPECT_EQ(told.error().code, errc::timed_out);
    on.connection().close();
    told = co_await in.next_break();
    EXPECT_FALSE(told);
    EXPECT_EQ(told.error().code, errc::connection_lost);
  });
}

TEST_F(Smb3Leases, TellsABreakToWhoAlreadyWaits) {
  using namespace asio::experimental::awaitable_operators;
  with_open(with_lease(4), [&](session on, file in) -> awaitable<void> {
    notifications.push_back(lease_notification(key_of(4), rwh, rh, 1));
    auto wait = in.next_break();
    auto talk = hear(on);
    auto both = std::move(wait) && std::move(talk);
    const auto told = co_await std::move(both);
    EXPECT_TRUE(told && told->lease_state == rh);
  });
}

TEST_F(Smb3Leases, SaysThatTheServerDidNotTakeAnAcknowledgment) {
  break_status = status::invalid_parameter;
  with_open(with_lease(4), [&](session on, file in) -> awaitable<void> {
    cache_break nothing;
    nothing.lease_state = rh;
    auto done = co_await in.acknowledge(nothing);
    EXPECT_FALSE(done);
    EXPECT_EQ(done.error().code, make_status_error(status::invalid_parameter));
    EXPECT_EQ(on.breaks().unacknowledged, 1u);
  });
}

TEST_F(Smb2Oplocks, HasNoLeasesOn202) {
  options.dialect = server.dialect = dialect::smb_2_0_2;
  const auto result = run_to_end(io, visit(options, with_lease(1), {}));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, errc::unsupported);
}

} // namespace
} // namespace smb2
