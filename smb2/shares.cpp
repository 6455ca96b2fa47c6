#include "smb2/shares.hpp"

#include "smb2/pipe.hpp"

#include <fmt/format.h>

namespace smb2 {

namespace {

using shares = std::vector<srvsvc::share>;

error no_answer(const file& pipe, std::string_view what) {
  return {errc::bad_response, fmt::format("NetShareEnum over {}: {}", pipe.path(), what)};
}

awaitable<std::expected<std::vector<std::byte>, error>>
exchange(file pipe, std::vector<std::byte> message, pipe_way way) {
  return way == pipe_way::transceive ? transceive(std::move(pipe), std::move(message))
                                     : write_and_read(std::move(pipe), std::move(message));
}

awaitable<std::expected<void, error>> bind(file pipe, pipe_way way) {
  constexpr u32 call_id = 1;
  auto message = dcerpc::encode_bind(call_id, srvsvc::interface());
  auto got = co_await exchange(pipe, std::move(message), way);
  if (!got) co_return std::unexpected(std::move(got.error()));
  const auto ack = dcerpc::decode_bind_ack(*got);
  if (!ack) co_return std::unexpected(no_answer(pipe, describe(ack.error())));
  if (ack->result != 0)
    co_return std::unexpected(no_answer(
        pipe, fmt::format("the bind is refused (result {}, reason {})", ack->result, ack->reason)));
  co_return std::expected<void, error>{};
}

/// The stub of all fragments of the answer.
awaitable<std::expected<std::vector<std::byte>, error>> call(file pipe, pipe_way way,
                                                             std::vector<std::byte> request) {
  auto packet = co_await exchange(pipe, std::move(request), way);
  std::vector<std::byte> stub;
  while (true) {
    if (!packet) co_return std::unexpected(std::move(packet.error()));
    const auto part = dcerpc::decode_response(*packet);
    if (!part) co_return std::unexpected(no_answer(pipe, describe(part.error())));
    if (part->fault != 0)
      co_return std::unexpected(no_answer(pipe, fmt::format("fault 0x{:08X}", part->fault)));
    if (part->stub.size() > message_bytes_max - stub.size() || (part->stub.empty() && !part->last))
      co_return std::unexpected(no_answer(pipe, "the answer never ends"));
    stub.insert(stub.end(), part->stub.begin(), part->stub.end());
    if (part->last) co_return stub;
    packet = co_await read_pipe(pipe);
  }
}

awaitable<std::expected<shares, error>> ask(file pipe, pipe_way way, std::string server) {
  auto bound = co_await bind(pipe, way);
  if (!bound) co_return std::unexpected(std::move(bound.error()));
  constexpr u32 call_id = 2;
  const auto stub = srvsvc::encode_share_enum(server);
  auto request = dcerpc::encode_request(call_id, srvsvc::net_share_enum, stub);
  auto got = co_await call(pipe, way, std::move(request));
  if (!got) co_return std::unexpected(std::move(got.error()));
  auto list = srvsvc::decode_share_enum(*got);
  if (!list) co_return std::unexpected(no_answer(pipe, describe(list.error())));
  if (list->status != 0)
    co_return std::unexpected(no_answer(pipe, fmt::format("WERROR {}", list->status)));
  co_return std::move(list->shares);
}

} // namespace

awaitable<std::expected<shares, error>> list_shares(session on, pipe_way way) {
  auto server = "\\\\" + on.state()->options.where.host;
  auto ipc = co_await tree::connect(on, "IPC$");
  if (!ipc) co_return std::unexpected(std::move(ipc.error()));
  std::string name(srvsvc::pipe_name);
  auto pipe = co_await open_pipe(*ipc, std::move(name));
  if (!pipe) co_return std::unexpected(std::move(pipe.error()));
  auto out = co_await ask(*pipe, way, std::move(server));
  auto closed = co_await pipe->close();
  auto left = co_await ipc->disconnect();
  if (!out) co_return std::unexpected(std::move(out.error()));
  if (!closed) co_return std::unexpected(std::move(closed.error()));
  if (!left) co_return std::unexpected(std::move(left.error()));
  co_return std::move(*out);
}

} // namespace smb2
