#include "nfs/v4/session.hpp"

#include "nfs/connecting.hpp"
#include "wire/net/waiter.hpp"

#include <asio/any_io_executor.hpp>
#include <asio/post.hpp>

#include <unistd.h>

#include <cstring>
#include <deque>
#include <random>

namespace nfs::v4 {

namespace {

/// Of RFC 8881 section 2.10.8.3: what a client that wants no callbacks puts there all the same.
constexpr u32 callback_program = 0x4000'0000;

error no_slot(std::string_view why) {
  return {rpc::errc::too_many_calls, fmt::format("no slot of the session is left: {}", why)};
}

} // namespace

error status_error(std::string_view operation, std::string_view name, std::string_view server,
                   nfsstat4 status) {
  return operation_error(operation, name, server, make_error_code(status));
}

namespace detail {

/// Somebody who waits for a slot; lives in its coroutine's frame.
struct slot_waiter {
  session_state* owner = nullptr;
  std::move_only_function<void()> resume;
  bool cancelled = false;
};

struct session_state {
  session_state(rpc::connection c, const session_settings& s, asio::any_io_executor e)
      : connection(std::move(c)), settings(s), executor(std::move(e)) {}

  rpc::connection connection;
  session_settings settings;
  asio::any_io_executor executor;
  session_facts facts;
  slot_table slots{1};
  std::deque<slot_waiter*> waiting;

  /// One compound without SEQUENCE: what comes before there is a session, and after it.
  [[nodiscard]] static result<compound_results> call_alone(std::shared_ptr<session_state> self,
                                                           const compound& what) {
    compound_call::args args;
    args.what = &what;
    args.minorversion = self->settings.minor_version;
    auto got = co_await self->connection.call<compound_call>(args);
    if (!got) co_return std::unexpected(std::move(got.error()));
    co_return compound_results(std::move(*got), self->connection.server());
  }

  [[nodiscard]] static result<slot_table::slot> acquire(std::shared_ptr<session_state> self) {
    while (true) {
      // Who waits already comes first.
      if (auto slot = self->waiting.empty() ? self->slots.acquire() : std::nullopt) co_return *slot;
      if (self->slots.exhausted())
        co_return std::unexpected(no_slot("the server left their calls unanswered"));
      slot_waiter me;
      me.owner = self.get();
      self->waiting.push_back(&me);
      co_await wire::net::suspend(me.resume, &session_state::cancel, &me);
      if (me.cancelled) co_return std::unexpected(no_slot("the call was cancelled"));
      if (auto slot = self->slots.acquire()) co_return *slot;
    }
  }

  void release(const slot_table::slot& slot, slot_table::outcome how) {
    slots.release(slot, how);
    wake();
  }

  /// As many as there are slots for; all when none will come.
  void wake() {
    auto free = slots.exhausted()
                    ? waiting.size()
                    : std::size_t{slots.usable() - std::min(slots.usable(), slots.in_use())};
    while (free-- > 0 && !waiting.empty()) {
      auto* next = waiting.front();
      waiting.pop_front();
      if (auto resume = std::exchange(next->resume, nullptr)) resume();
    }
  }

  /// Not from here: whoever emits the cancellation does not expect its effects meanwhile.
  static void cancel(void* context) {
    auto* me = static_cast<slot_waiter*>(context);
    me->cancelled = true;
    std::erase(me->owner->waiting, me);
    if (auto resume = std::exchange(me->resume, nullptr))
      asio::post(me->owner->executor, std::move(resume));
  }
};

namespace {

std::array<std::byte, 8> random_verifier() {
  std::random_device random;
  std::array<std::byte, 8> out;
  const std::array<u32, 2> words{random(), random()};
  std::memcpy(out.data(), words.data(), out.size());
  return out;
}

/// Another client each time: nothing of an earlier one is to be recovered.
std::string owner_name(const rpc::auth_sys& who) {
  return fmt::format("wiretrip {} {} {:08x}", who.machine_name, ::getpid(), std::random_device{}());
}

result<void> exchange_ids(std::shared_ptr<session_state> state, u32& sequence) {
  const auto owner = owner_name(credential_of({}));
  exchange_id::args args;
  args.owner_verifier = random_verifier();
  args.ownerid = wire::as_bytes(owner);
  compound c;
  c.add<exchange_id>(args);
  auto got = co_await session_state::call_alone(state, c);
  if (!got) co_return std::unexpected(std::move(got.error()));
  auto said = got->take<exchange_id>();
  if (!said) co_return std::unexpected(std::move(said.error()));
  state->facts.clientid = said->clientid;
  state->facts.server_owner = wire::as_text(said->server_major_id);
  if (!said->server_impl_id.empty())
    state->facts.implementation = said->server_impl_id.front().name;
  sequence = said->sequenceid;
  co_return std::expected<void, error>{};
}

result<void> make_session(std::shared_ptr<session_state> state, u32 sequence) {
  const auto& wanted = state->settings;
  create_session::args args;
  args.clientid = state->facts.clientid;
  args.sequence = sequence;
  args.fore.maxrequestsize = args.fore.maxresponsesize = wanted.message_bytes;
  args.fore.maxresponsesize_cached = 4096;
  args.fore.maxoperations = wanted.operations;
  args.fore.maxrequests = wanted.slots;
  args.back.maxrequestsize = args.back.maxresponsesize = 4096;
  args.back.maxoperations = 2;
  args.back.maxrequests = 1;
  args.cb_program = callback_program;
  args.sec_parms.emplace_back();
  compound c;
  c.add<create_session>(args);
  auto got = co_await session_state::call_alone(state, c);
  if (!got) co_return std::unexpected(std::move(got.error()));
  auto said = got->take<create_session>();
  if (!said) co_return std::unexpected(std::move(said.error()));
  state->facts.id = said->session;
  state->facts.fore = std::move(said->fore);
  state->slots = slot_table(std::clamp(state->facts.fore.maxrequests, 1u, 4096u));
  co_return std::expected<void, error>{};
}

/// Nothing is to be reclaimed; until it is said, OPENs are refused with NFS4ERR_GRACE.
result<void> complete_reclaim(session s) {
  compound c;
  c.add<reclaim_complete>();
  auto got = co_await s.call(c);
  if (!got) co_return std::unexpected(std::move(got.error()));
  auto said = got->take<reclaim_complete>();
  if (!said) co_return std::unexpected(std::move(said.error()));
  co_return std::expected<void, error>{};
}

/// The SEQUENCE in front of the results.
struct sequence_result {
  nfsstat4 status = nfsstat4::ok;
  u32 target_highest_slotid = 0;
};

std::expected<sequence_result, error> take_sequence(compound_results& results,
                                                    const sequence::args& sent) {
  auto said = results.take<sequence>();
  if (!said) {
    if (said.error().code.category() != nfsstat4_category()) return std::unexpected(said.error());
    return sequence_result{static_cast<nfsstat4>(said.error().code.value()), 0};
  }
  if (said->session != sent.session || said->slotid != sent.slotid ||
      said->sequenceid != sent.sequenceid)
    return std::unexpected(
        error{rpc::errc::bad_reply,
              fmt::format("SEQUENCE: slot {} with sequence id {} was answered as slot {} with {}",
                          sent.slotid, sent.sequenceid, said->slotid, said->sequenceid)});
  return sequence_result{nfsstat4::ok, said->target_highest_slotid};
}

} // namespace

} // namespace detail

result<session> session::open(url where, session_settings settings) {
  auto gss = gss_for(where.sec, where.host, settings.kerberos);
  if (!gss) {
    error e;
    e.code = rpc::errc::unsupported;
    e.text = std::move(gss.error());
    co_return std::unexpected(std::move(e));
  }
  auto place = place_of(where, settings.connect_timeout, where.port != 0 ? where.port : nfs_port);
  rpc::connection_options options;
  options.credential = credential_of(where);
  options.gss = std::move(*gss);
  options.timeout = settings.timeout;
  options.sink = settings.sink;
  options.number = settings.connection_number;
  auto opened = co_await connect_reserved<rpc::connection>(std::move(place), std::move(options));
  if (!opened) co_return std::unexpected(std::move(opened.error()));
  auto executor = co_await asio::this_coro::executor;
  auto state = std::make_shared<detail::session_state>(std::move(*opened), settings, executor);
  u32 sequence = 0;
  auto known = co_await detail::exchange_ids(state, sequence);
  if (!known) co_return std::unexpected(std::move(known.error()));
  auto made = co_await detail::make_session(state, sequence);
  if (!made) co_return std::unexpected(std::move(made.error()));
  session out(state);
  auto complete = co_await detail::complete_reclaim(out);
  if (!complete) co_return std::unexpected(std::move(complete.error()));
  co_return out;
}

result<compound_results> session::call(const compound& what) {
  using outcome = slot_table::outcome;
  const auto state = state_;
  rpc::call_options options;
  options.submitted = wire::net::now();
  for (u32 tries = 1;; ++tries) {
    auto slot = co_await detail::session_state::acquire(state);
    if (!slot) co_return std::unexpected(std::move(slot.error()));
    v4::sequence::args sequence;
    sequence.session = state->facts.id;
    sequence.sequenceid = slot->sequenceid;
    sequence.slotid = slot->id;
    sequence.highest_slotid = state->slots.highest_in_use();
    compound_call::args args;
    args.what = &what;
    args.slot = &sequence;
    args.minorversion = state->settings.minor_version;
    auto got = co_await state->connection.call<compound_call>(args, options);
    if (!got) {
      const auto code = got.error().code;
      const bool unsent = code == rpc::errc::bad_arguments || code == rpc::errc::too_many_calls;
      state->release(*slot, unsent ? outcome::not_executed : outcome::in_doubt);
      co_return std::unexpected(std::move(got.error()));
    }
    compound_results results(std::move(*got), state->connection.server());
    auto said = detail::take_sequence(results, sequence);
    const bool executed = said && said->status == nfsstat4::ok;
    if (executed) state->slots.set_target(said->target_highest_slotid);
    state->release(*slot, executed ? outcome::executed : outcome::not_executed);
    if (!said) co_return std::unexpected(std::move(said.error()));
    if (executed) co_return results;
    if (said->status != nfsstat4::delay || tries == delay_tries_max)
      co_return std::unexpected(
          status_error("SEQUENCE", {}, state->connection.server(), said->status));
    co_await back_off(tries);
  }
}

result<void> session::close() {
  const auto state = state_;
  compound leave;
  destroy_session::args session_args;
  session_args.session = state->facts.id;
  leave.add<destroy_session>(session_args);
  auto left = co_await detail::session_state::call_alone(state, leave);
  if (!left) {
    state->connection.close();
    co_return std::unexpected(std::move(left.error()));
  }
  auto destroyed = left->take<destroy_session>();
  compound forget;
  destroy_clientid::args client_args;
  client_args.clientid = state->facts.clientid;
  forget.add<destroy_clientid>(client_args);
  auto forgotten = co_await detail::session_state::call_alone(state, forget);
  state->connection.close();
  if (!destroyed) co_return std::unexpected(std::move(destroyed.error()));
  if (!forgotten) co_return std::unexpected(std::move(forgotten.error()));
  auto gone = forgotten->take<destroy_clientid>();
  if (!gone) co_return std::unexpected(std::move(gone.error()));
  co_return std::expected<void, error>{};
}

const session_facts& session::facts() const noexcept {
  return state_->facts;
}

const slot_table& session::slots() const noexcept {
  return state_->slots;
}

rpc::connection& session::connection() const noexcept {
  return state_->connection;
}

u32 session::minor_version() const noexcept {
  return state_->settings.minor_version;
}

} // namespace nfs::v4
