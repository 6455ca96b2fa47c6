#include "nfs/mount/operations.hpp"
#include "nfs/url.hpp"
#include "nfs/v3/operations.hpp"
#include "rpc/message.hpp"
#include "rpc/xdr_print.hpp"

#include <cstdlib>

namespace {

using wire::bytes;

template <class T>
void round_trip(bytes data) {
  const auto decoded = rpc::decode_prefix<T>(data);
  const auto text = rpc::print(decoded.message);
  if (!decoded.ok()) return;
  wire::writer out;
  if (!rpc::encode(decoded.message, out) || out.size() != decoded.size) std::abort();
  if (rpc::encoded_size(decoded.message) != decoded.size) std::abort();
  const auto flat = out.flatten();
  const auto again = rpc::decode_exact<T>(flat);
  if (!again || rpc::print(*again) != text) std::abort();
}

/// The hooks that the profiler calls on whatever was decoded.
template <class Op>
void call_hooks(bytes data) {
  const auto args = rpc::decode_prefix<typename Op::args>(data).message;
  const auto reply = rpc::decode_prefix<typename Op::reply>(data).message;
  wire::u64 sum = 0;
  if constexpr (requires { Op::object(args); }) sum += Op::object(args).hash();
  if constexpr (requires { Op::entry_name(args); }) sum += Op::entry_name(args).size();
  if constexpr (requires { Op::result(reply); })
    if (const auto* handle = Op::result(reply)) sum += handle->hash();
  if constexpr (requires { Op::offset(args); }) sum += Op::offset(args);
  static_cast<void>(sum);
}

template <class List>
void every_operation(bytes data) {
  List::for_each([&]<class Op>() {
    round_trip<typename Op::args>(data);
    round_trip<typename Op::reply>(data);
    call_hooks<Op>(data);
  });
}

void url_round_trip(std::string_view text) {
  const auto parsed = nfs::parse_url(text);
  if (!parsed) return;
  const auto again = nfs::parse_url(nfs::to_string(*parsed));
  if (!again || *again != *parsed) std::abort();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto input = std::as_bytes(std::span(data, size));
  every_operation<nfs::v3::operations>(input);
  every_operation<nfs::mount::operations>(input);
  if (const auto call = rpc::decode_call_header(input); call.ok())
    every_operation<nfs::v3::operations>(input.subspan(call.size));
  if (const auto reply = rpc::decode_reply_header(input); reply.ok())
    every_operation<nfs::v3::operations>(input.subspan(reply.size));
  url_round_trip(wire::as_text(input));
  return 0;
}
