#include "nfs/v3/operations.hpp"
#include "rpc/message.hpp"
#include "smb2/commands.hpp"
#include "tests/support/nfs_messages.hpp"
#include "tests/support/smb2_messages.hpp"

#include <benchmark/benchmark.h>

#include <vector>

/// One message an iteration, headers included: what a client pays to send, the profiler to read.
namespace {

constexpr std::size_t file_bytes = 10 * 1024;

nfs::v3::write::args write_args(const std::vector<std::byte>& data) {
  nfs::v3::write::args args;
  args.count = static_cast<wire::u32>(data.size());
  args.stable = nfs::v3::stable_how::file_sync;
  args.data = data;
  return args;
}

/// The data is borrowed, not copied.
void nfs3_encode_write_call(benchmark::State& state) {
  const std::vector<std::byte> data(file_bytes);
  const auto args = write_args(data);
  rpc::call_header header;
  wire::writer out;
  for (auto _ : state) {
    out.clear();
    benchmark::DoNotOptimize(rpc::encode(header, out) && rpc::encode(args, out));
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()));
}
BENCHMARK(nfs3_encode_write_call);

void nfs3_decode_write_call(benchmark::State& state) {
  const std::vector<std::byte> data(file_bytes);
  const auto message = support::call_message<nfs::v3::write>(1, write_args(data));
  for (auto _ : state) {
    const auto header = rpc::decode_call_header(message);
    const auto args = rpc::decode_prefix<nfs::v3::write::args>(
        wire::bytes(message).subspan(header.size), nfs::v3::write::name);
    benchmark::DoNotOptimize(args.message.count);
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()));
}
BENCHMARK(nfs3_decode_write_call);

void nfs3_decode_getattr_reply(benchmark::State& state) {
  const auto message = support::reply_message<nfs::v3::getattr>(1, {});
  for (auto _ : state) {
    const auto header = rpc::decode_reply_header(message);
    const auto reply = rpc::decode_prefix<nfs::v3::getattr::reply>(
        wire::bytes(message).subspan(header.size), nfs::v3::getattr::name);
    benchmark::DoNotOptimize(reply.message.status);
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()));
}
BENCHMARK(nfs3_decode_getattr_reply);

void smb2_decode_create_response(benchmark::State& state) {
  const auto part = support::smb2_response<smb2::create>(1, {});
  std::vector<std::byte> message = support::smb2_frame({part});
  message.erase(message.begin(), message.begin() + 4); // the direct-TCP prefix
  for (auto _ : state) {
    const auto head = smb2::decode_header(message);
    const auto response = smb2::decode_prefix<smb2::create::response>(
        message, static_cast<wire::u64>(message.size()));
    benchmark::DoNotOptimize(head->message_id + response.message.end_of_file);
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()));
}
BENCHMARK(smb2_decode_create_response);

void smb2_encode_write_request(benchmark::State& state) {
  const std::vector<std::byte> data(file_bytes);
  smb2::write::request request;
  request.data = smb2::part(wire::bytes(data));
  wire::writer out;
  for (auto _ : state) {
    out.clear();
    out.zeros(smb2::header_bytes);
    smb2::encode(request, out, 0);
    benchmark::DoNotOptimize(out.size());
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()));
}
BENCHMARK(smb2_encode_write_request);

} // namespace
