#include "nfs/v4/attributes.hpp"
#include "nfs/v4/compound.hpp"
#include "rpc/message.hpp"
#include "rpc/xdr_print.hpp"

#include <cstdlib>

namespace {

using nfs::v4::u32;
using wire::bytes;

/// What was decoded whole is encoded to a message that says the same.
template <class T>
void again(const T& message) {
  wire::writer out;
  if (!rpc::encode(message, out)) std::abort();
  const auto flat = out.flatten();
  if (rpc::encoded_size(message) != flat.size()) std::abort();
  const auto decoded = rpc::decode_exact<T>(flat);
  if (!decoded || rpc::print(*decoded) != rpc::print(message)) std::abort();
}

void look_for_attributes(const nfs::v4::fattr& attributes) {
  for (u32 number = 0; number < 96; ++number)
    static_cast<void>(nfs::v4::find_attribute(attributes, number));
}

template <class Walker>
void walk(bytes body) {
  Walker walk(body);
  u32 seen = 0;
  const auto known = [&]<class Op>(const auto& message, bool whole) {
    ++seen;
    if constexpr (requires { message.obj_attributes; }) look_for_attributes(message.obj_attributes);
    if (whole)
      again(message);
    else
      static_cast<void>(rpc::print(message));
  };
  while (walk.next(known, [&](u32) { ++seen; })) {
  }
  if (walk.seen() != seen || walk.position() > body.size()) std::abort();
  if (walk.done() && seen != walk.count()) std::abort();
}

void every_walk(bytes body) {
  walk<nfs::v4::compound_args_walker>(body);
  walk<nfs::v4::compound_reply_walker>(body);
  walk<nfs::v4::callback_args_walker>(body);
  walk<nfs::v4::callback_reply_walker>(body);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto input = std::as_bytes(std::span(data, size));
  every_walk(input);
  if (const auto call = rpc::decode_call_header(input); call.ok())
    every_walk(input.subspan(call.size));
  if (const auto reply = rpc::decode_reply_header(input); reply.ok())
    every_walk(input.subspan(reply.size));
  return 0;
}
