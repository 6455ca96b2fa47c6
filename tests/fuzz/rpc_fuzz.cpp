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

/// Believes every checksum, so that what is behind it is reached.
class believing_mechanism final : public gss_mechanism {
 public:
  std::expected<token, std::string> step(bytes from_server) override {
    complete_ = !from_server.empty();
    return complete_ ? token{} : token(1);
  }
  bool complete() const noexcept override { return complete_; }
  token sign(std::span<const bytes>) override { return token(4); }
  bool verify(bytes, bytes) override { return true; }
  token seal(std::span<const bytes>) override { return token(4); }
  std::optional<bytes> open(token& sealed) override { return sealed; }

 private:
  bool complete_ = false;
};

std::expected<std::unique_ptr<gss_mechanism>, std::string> believing_source() {
  return std::make_unique<believing_mechanism>();
}

void make_context(client_core& core) {
  const auto sent = core.poll_transmit(nanos{0});
  if (!sent) std::abort();
  core.transmitted(sent->id, nanos{0}, nanos{0}, nanos{0});
  wire::writer out;
  out.be(u32{0});
  reply_header header;
  header.xid = static_cast<u32>(sent->id);
  static_cast<void>(encode(header, out));
  const std::byte token{};
  gss_init_res res;
  res.seq_window = 8;
  res.token = bytes(&token, 1);
  static_cast<void>(encode(res, out));
  auto reply = out.flatten();
  wire::store_be(reply.data(), static_cast<u32>(reply.size() - 4) | record_mark::last_fragment);
  core.receive(reply, nanos{0});
  if (core.poll_event()) std::abort();
}

/// The input is what a server sends; its first byte says in which pieces. A context is made before.
void drive_core(bytes data, std::optional<gss_options> gss,
                std::optional<datagram_options> datagrams = {}) {
  client_options options;
  options.calls_max = 4;
  options.gss = std::move(gss);
  options.datagrams = datagrams;
  client_core core(options);
  call_request request;
  request.encode = nothing_to_encode;
  request.deadline = nanos{100};
  for (int i = 0; i < 4; ++i) {
    if (!core.submit(request, nanos{0})) std::abort();
    if (options.gss && i == 0) make_context(core);
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
  round_trip<gss_credential>(input);
  round_trip<gss_init_arg>(input);
  round_trip<gss_init_res>(input);
  round_trip<gss_integ_data>(input);
  round_trip<gss_priv_data>(input);
  every_operation<portmap::v2::operations>(input);
  every_operation<portmap::v3::operations>(input);
  static_cast<void>(portmap::from_universal(wire::as_text(input)));
  drive_core(input, {});
  drive_core(input, {}, datagram_options{});
  for (const auto service : {gss_service::none, gss_service::integrity, gss_service::privacy})
    drive_core(input, gss_options{service, believing_source, gss_sequence_max});
  return 0;
}
