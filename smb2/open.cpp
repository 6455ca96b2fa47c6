#include "smb2/open.hpp"

#include "smb2/crypto/random.hpp"
#include "smb2/hold_table.hpp"

#include <fmt/format.h>

namespace smb2::detail {

namespace {

/// The contexts of a CREATE and the bytes that they view.
class context_list {
 public:
  template <class T>
  void add(const T& data) {
    buffers_.push_back(encode_buffer(data));
    contexts_.push_back({wire::as_bytes(T::context_name), buffers_.back()});
  }

  [[nodiscard]] std::vector<std::byte> encode() const { return encode_create_contexts(contexts_); }

 private:
  std::deque<std::vector<std::byte>> buffers_;
  std::vector<create_context> contexts_;
};

bool is_3(const tree_state& tree) {
  return tree.session->facts.dialect >= dialect::smb_3_0;
}

/// · source: MS-SMB2 3.2.4.3.8
void ask_for_lease(context_list& to, const tree_state& tree, const lease_request& wanted) {
  if (!is_3(tree)) {
    lease_v1 lease;
    lease.lease_key = wanted.key;
    lease.lease_state = wanted.state;
    to.add(lease);
    return;
  }
  lease_v2 lease;
  lease.lease_key = wanted.key;
  lease.lease_state = wanted.state;
  if (wanted.parent) {
    lease.lease_flags = lease_v2::parent_lease_key_set;
    lease.parent_lease_key = *wanted.parent;
  }
  to.add(lease);
}

bool wants_persistent(const tree_state& tree, const durable_request& wanted) {
  return wanted.persistent &&
         (tree.capabilities & tree_connect::response::continuously_available) != 0;
}

/// · source: MS-SMB2 3.2.4.3.5
void ask_to_outlive(context_list& to, const tree_state& tree, const durable_request& wanted) {
  if (!is_3(tree)) {
    to.add(durable_handle_request{});
    return;
  }
  durable_handle_request_v2 request;
  request.timeout = to_milliseconds(wanted.timeout);
  request.flags = wants_persistent(tree, wanted) ? durable_handle_request_v2::persistent : 0;
  request.create_guid = wanted.create_guid;
  to.add(request);
}

/// · source: MS-SMB2 3.2.4.4
void ask_for_lost(context_list& to, const file& lost) {
  const auto& durable = lost.durable();
  if (!durable.second_version) {
    durable_handle_reconnect request;
    request.file = lost.id();
    to.add(request);
    return;
  }
  durable_handle_reconnect_v2 request;
  request.file = lost.id();
  request.create_guid = durable.create_guid;
  request.flags = durable.persistent ? durable_handle_request_v2::persistent : 0;
  to.add(request);
}

std::vector<std::byte> contexts_of(const tree_state& tree, const open_options& options,
                                   const open_how& how) {
  context_list out;
  if (options.lease) ask_for_lease(out, tree, *options.lease);
  if (how.lost != nullptr)
    ask_for_lost(out, *how.lost);
  else if (options.durable)
    ask_to_outlive(out, tree, *options.durable);
  return out.encode();
}

struct lease_granted {
  guid key{};
  u32 state = 0;
  u16 epoch = 0;
  bool second_version = false;
};

std::optional<lease_granted> lease_in(std::span<const create_context> contexts) {
  for (const auto& context : contexts) {
    if (!context.is(lease_v1::context_name)) continue;
    if (context.data.size() == 32) {
      const auto v1 = decode_buffer<lease_v1>(context.data);
      if (v1) return lease_granted{v1->lease_key, v1->lease_state, 0, false};
    } else if (const auto v2 = decode_buffer<lease_v2>(context.data)) {
      return lease_granted{v2->lease_key, v2->lease_state, v2->epoch, true};
    }
  }
  return std::nullopt;
}

durable_grant durable_in(std::span<const create_context> contexts, const open_options& options) {
  durable_grant out;
  if (!options.durable) return out;
  if (const auto second = find_context<durable_handle_response_v2>(contexts)) {
    out.durable = out.second_version = true;
    out.persistent = (second->flags & durable_handle_request_v2::persistent) != 0;
    out.timeout = std::chrono::milliseconds(second->timeout);
    out.create_guid = options.durable->create_guid;
  } else {
    out.durable = find_context<durable_handle_response>(contexts).has_value();
  }
  return out;
}

/// How the breaks of it will be answered.
void prepare_hold(hold& h, const std::shared_ptr<tree_state>& tree, break_answer answer,
                  asio::any_io_executor strand) {
  h.answer = answer;
  h.session = tree->session;
  h.session_id = tree->session->facts.session_id;
  h.options = tree->options;
  h.has_epoch = is_3(*tree);
  h.strand = std::move(strand);
}

error open_error(std::string_view path, errc code, std::string_view why) {
  return {code, fmt::format("CREATE {}: {}", path, why)};
}

/// Notes what the response grants of what was asked for.
std::expected<void, error> note_grants(open_state& open, const create::response& m,
                                       const std::shared_ptr<tree_state>& tree,
                                       std::string_view path, asio::any_io_executor strand) {
  const auto got = decode_create_contexts(m.contexts);
  if (got.error.code != wire::errc::ok)
    return std::unexpected(open_error(path, errc::bad_response, describe(got.error)));
  open.durable = durable_in(got.message, open.options);
  if (open.options.lease) {
    const auto lease = lease_in(got.message);
    if (lease && lease->key != open.options.lease->key)
      return std::unexpected(open_error(path, errc::bad_response, "a lease under another key"));
    if (m.oplock_level == oplock::lease && lease)
      hold_table::grant_lease(*open.held, lease->state, lease->epoch);
    else
      open.let_go();
  } else if (m.oplock_level != oplock::none && m.oplock_level != oplock::lease) {
    open.held = std::make_shared<hold>();
    open.held->grant.oplock_level = m.oplock_level;
    prepare_hold(*open.held, tree, open.options.on_break, std::move(strand));
    open.table->add_oplock(m.file, open.held);
  }
  return {};
}

} // namespace

void complete(open_options& options) {
  if (options.lease) options.oplock_level = oplock::lease;
  if (!options.durable) return;
  if (options.oplock_level == oplock::none) options.oplock_level = oplock::batch;
  if (options.durable->create_guid == guid{})
    options.durable->create_guid = crypto::random_bytes<16>();
}

awaitable<u64> index_number_of(file opened) {
  auto index = co_await opened.query<file_internal_information>();
  co_return index ? index->index_number : 0;
}

u32 to_milliseconds(nanos t) {
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(t).count();
  return static_cast<u32>(std::clamp<decltype(ms)>(ms, 0, ~u32{0}));
}

void open_state::let_go() {
  if (auto h = std::exchange(held, nullptr)) table->remove(*h);
}

awaitable<std::expected<file, error>> open_file(std::shared_ptr<tree_state> tree, std::string path,
                                                open_options options, open_how how) {
  const auto strand = co_await asio::this_coro::executor;
  const auto name = share_path(path);
  if (!name) co_return std::unexpected(name.error());
  complete(options);
  if ((options.lease || options.durable) && tree->session->facts.dialect < dialect::smb_2_1)
    co_return std::unexpected(
        open_error(path, errc::unsupported, "leases and durable opens need dialect 2.1 or later"));
  const auto contexts = contexts_of(*tree, options, how);
  auto request = create_request(options, name->view());
  request.requested_oplock_level = options.oplock_level;
  request.contexts = contexts;
  auto open = std::make_shared<open_state>();
  open->table = tree->session->holds;
  if (options.lease) {
    open->held = open->table->add_lease(options.lease->key);
    prepare_hold(*open->held, tree, options.on_break, strand);
  }
  open->options = std::move(options);
  auto call = tree->options;
  call.replay = how.replay;
  auto got = co_await tree->session->connection->call<create>(request, call);
  if (!got || got->status != status::success) open->let_go();
  if (!got) co_return std::unexpected(std::move(got.error()));
  if (got->status != status::success)
    co_return std::unexpected(status_error("CREATE " + path, got->status));
  const auto& m = got->message;
  auto noted = note_grants(*open, m, tree, path, strand);
  if (!noted) co_return std::unexpected(std::move(noted.error()));
  open->identity.created = m.creation_time;
  file out(tree, std::move(path), m.file, facts_of(m), open);
  if (open->durable.durable || how.lost != nullptr)
    open->identity.index_number = co_await index_number_of(out);
  co_return out;
}

} // namespace smb2::detail
