// Whatever the bytes are: nothing is read beyond them, what decodes encodes to something that
// decodes to the same, and a cut message never gives more than the whole one.

#include "smb2/commands.hpp"
#include "smb2/compound.hpp"
#include "smb2/contexts/create.hpp"
#include "smb2/direct_tcp.hpp"
#include "smb2/info/directory.hpp"
#include "smb2/info/file.hpp"
#include "smb2/info/filesystem.hpp"
#include "smb2/le_print.hpp"
#include "smb2/ntstatus.hpp"
#include "smb2/transform.hpp"

#include <cstdint>
#include <cstdlib>
#include <span>

namespace {

using namespace smb2;

void require(bool condition) {
  if (!condition) std::abort();
}

template <class T>
void read_buffer(bytes data) {
  const auto decoded = decode_buffer_prefix<T>(data);
  if (!decoded.ok()) return;
  const auto again = encode_buffer(decoded.message);
  const auto twice = decode_buffer_prefix<T>(again);
  require(twice.ok());
  require(print(twice.message) == print(decoded.message));
}

template <class T>
void walk_directory(bytes data) {
  directory_walker<T> walk(data);
  std::size_t entries = 0;
  while (const auto entry = walk.next()) {
    static_cast<void>(print(*entry));
    require(++entries <= data.size());
  }
}

void read_buffers(bytes data) {
  read_buffer<file_basic_information>(data);
  read_buffer<file_all_information>(data);
  read_buffer<file_rename_information>(data);
  read_buffer<file_network_open_information>(data);
  read_buffer<file_fs_attribute_information>(data);
  read_buffer<validate_negotiate_info_request>(data);
  read_buffer<validate_negotiate_info_response>(data);
  read_buffer<transform_header>(data);
  read_buffer<compression_header>(data);
  walk_directory<file_both_directory_information>(data);
  walk_directory<file_id_both_directory_information>(data);
  walk_directory<file_names_information>(data);
  const auto list = decode_create_contexts(data);
  const auto chain = encode_create_contexts(list.message);
  const auto again = decode_create_contexts(chain);
  require(again.ok() && again.message.size() == list.message.size());
  static_cast<void>(find_context<maximal_access>(list.message));
  static_cast<void>(find_context<on_disk_id>(list.message));
}

void read_negotiate_contexts(const std::vector<negotiate_context>& list) {
  for (const auto& context : list) {
    read_buffer<preauth_integrity_capabilities>(context.data);
    read_buffer<encryption_capabilities>(context.data);
    read_buffer<compression_capabilities>(context.data);
    read_buffer<rdma_transform_capabilities>(context.data);
    read_buffer<signing_capabilities>(context.data);
    read_buffer<netname_context>(context.data);
    read_buffer<posix_context>(context.data);
  }
}

template <class T>
void read_body(const submessage& message) {
  const auto got = decode_prefix<T>(message.data, message.wire_length);
  static_cast<void>(print(got.message));
  if constexpr (requires { got.message.contexts.front().type; })
    read_negotiate_contexts(got.message.contexts);
  if constexpr (requires { got.message.buffer; }) read_buffers(got.message.buffer);
  if constexpr (requires { bytes(got.message.contexts); }) read_buffers(got.message.contexts);
  constexpr std::size_t offsets_fit = 60'000; // in 16 bits, as most of them have
  if (!got.ok() || message.data.size() > offsets_fit) return;

  wire::writer out;
  encode_header(message.head, out);
  encode(got.message, out, 0);
  const auto flat = out.flatten();
  const auto again = decode_prefix<T>(flat, flat.size());
  require(again.ok());
  require(print(again.message) == print(got.message));
}

void read_message(const submessage& message) {
  const auto& head = message.head;
  commands::visit(head.command, [&]<class Command>() {
    if (!head.response()) {
      read_body<typename Command::request>(message);
    } else if (!carries_response(head.command, head.status)) {
      read_body<error_response>(message);
    } else if constexpr (answered<Command>) {
      read_body<typename Command::response>(message);
    }
  });
}

void read_frame(bytes data, u64 wire_length) {
  static_cast<void>(kind_of(data));
  compound_walker walk(data, wire_length);
  while (const auto message = walk.next())
    read_message(*message);
}

/// The first byte says how the stream is cut.
void read_stream(bytes data) {
  if (data.empty()) return;
  const auto step = std::to_integer<std::size_t>(data.front()) + 1;
  wire::framer<direct_tcp> framer(4096);
  for (std::size_t at = 1; at < data.size(); at += step) {
    framer.feed(data.subspan(at, std::min(step, data.size() - at)), {});
    while (const auto frame = framer.next())
      read_frame(frame->data, frame->length);
  }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* raw, std::size_t size) {
  const auto data = std::as_bytes(std::span(raw, size));
  read_frame(data, data.size());
  read_frame(data, data.size() + 1000);
  read_stream(data);
  read_buffers(data);
  return 0;
}
