#include "rpc/client_core.hpp"
#include "rpc/message.hpp"
#include "rpc/portmap/rpcbind.hpp"
#include "rpc/portmap/v2.hpp"
#include "rpc/xdr_print.hpp"

#include <cstdlib>

namespace {

using namespace rpc;

bool nothing_to_encode(const void*, wire::writer&) {
  return true;
}

/// What decodes must encode, and to a message that means the same.
template <class T>
void round_trip(bytes data) {
  const auto decoded = decode_prefix<T>(data);
  static_cast<void>(print(decoded.message));
  if (!decoded.ok()) return;
  wire::writer out;
  if (!encode(decoded.message, out) || out.size() != decoded.size) std::abort();
  const auto flat = out.flatten();
  const auto again = decode_exact<T>(flat);
  if (!again || print(*again) != print(decoded.message)) std::abort();
}

template <class List>
void every_operation(bytes data) {
  List::for_each([&]<class Op>() {
    round_trip<typename Op::args>(data);
    round_trip<typename Op::reply>(data);
  });
}

/// The input is what a server sends; its first byte says in which pieces.
void drive_core(bytes data) {
  client_options options;
  options.calls_max = 4;
  client_core core(options);
  call_request request;
  request.encode = nothing_to_encode;
  request.deadline = nanos{100};
  for (int i = 0; i < 4; ++i) {
    if (!core.submit(request, nanos{0})) std::abort();
    const auto sent = core.poll_transmit(nanos{0});
    if (!sent) std::abort();
    core.transmitted(sent->id, nanos{0}, nanos{0}, nanos{0});
  }
  int events = 0;
  const auto piece = static_cast<std::size_t>(data.empty() ? 1 : std::to_integer<u8>(data[0]) + 1);
  while (!data.empty()) {
    const auto n = std::min(piece, data.size());
    core.receive(data.first(n), nanos{1});
    while (core.poll_event())
      ++events;
    data = data.subspan(n);
  }
  core.connection_lost(std::make_error_code(std::errc::connection_reset), nanos{2});
  while (core.poll_event())
    ++events;
  if (events != 4) std::abort(); // each call ends once, whatever the server sends
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto input = std::as_bytes(std::span(data, size));
  round_trip<call_header>(input);
  round_trip<reply_header>(input);
  round_trip<auth_sys_parms>(input);
  every_operation<portmap::v2::operations>(input);
  every_operation<portmap::v3::operations>(input);
  static_cast<void>(portmap::from_universal(wire::as_text(input)));
  drive_core(input);
  return 0;
}
