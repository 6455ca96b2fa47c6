// Whatever the bytes are: nothing is read beyond them, what decodes encodes to something that
// decodes to the same, and a cut message never gives more than the whole one.

#include "smb2/commands.hpp"
#include "smb2/compound.hpp"
#include "smb2/contexts/create_data.hpp"
#include "smb2/contexts/error.hpp"
#include "smb2/direct_tcp.hpp"
#include "smb2/info/directory.hpp"
#include "smb2/info/file.hpp"
#include "smb2/info/filesystem.hpp"
#include "smb2/info/names.hpp"
#include "smb2/info/posix.hpp"
#include "smb2/ioctls.hpp"
#include "smb2/le_print.hpp"
#include "smb2/ntstatus.hpp"
#include "smb2/srvsvc.hpp"
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
  entry_walker<T> walk(data);
  std::size_t entries = 0;
  while (const auto entry = walk.next()) {
    static_cast<void>(print(*entry));
    require(++entries <= data.size());
  }
}

void walk_lists(bytes data) {
  walk_directory<file_directory_information>(data);
  walk_directory<file_full_directory_information>(data);
  walk_directory<file_both_directory_information>(data);
  walk_directory<file_id_both_directory_information>(data);
  walk_directory<file_id_full_directory_information>(data);
  walk_directory<file_id_extd_directory_information>(data);
  walk_directory<file_posix_directory_information>(data);
  walk_directory<file_names_information>(data);
  walk_directory<file_stream_information>(data);
  walk_directory<file_notify_information>(data);
  walk_directory<file_full_ea_information>(data);
  walk_directory<network_interface_info>(data);
}

void read_ioctls(bytes data) {
  read_buffer<srv_request_resume_key_response>(data);
  read_buffer<srv_copychunk_copy>(data);
  read_buffer<pipe_wait_request>(data);
  read_buffer<pipe_peek_response>(data);
  if (const auto ranges = decode_array<file_allocated_range_buffer>(data, allocated_ranges_max))
    require(encode_array(*ranges).size() == data.size());
  if (const auto request = decode_dfs_request(data)) {
    const auto again = encode_dfs_request(*request);
    require(decode_dfs_request(again)->file_name == request->file_name);
  }
  if (const auto referrals = decode_dfs_referrals(data))
    require(referrals->referrals.size() <= data.size() / 8);
}

void read_pipe(bytes data) {
  static_cast<void>(dcerpc::decode_bind_ack(data));
  if (const auto part = dcerpc::decode_response(data))
    static_cast<void>(srvsvc::decode_share_enum(part->stub));
  if (const auto list = srvsvc::decode_share_enum(data))
    require(list->shares.size() <= data.size() / 12);
}

/// Parts may overlap and stand anywhere in what is read; not so in what we write.
void read_security(bytes data) {
  const auto got = decode_security_descriptor(data);
  if (!got) return;
  if (got->owner) static_cast<void>(text_of(*got->owner));
  constexpr std::size_t entries_fit = 1000;
  if (got->dacl && got->dacl->size() > entries_fit) return;
  const auto again = encode_security_descriptor(*got);
  const auto twice = decode_security_descriptor(again);
  require(twice && twice->owner == got->owner && twice->group == got->group);
  require(twice->dacl.has_value() == got->dacl.has_value());
}

void read_create_context(bytes data) {
  read_buffer<maximal_access>(data);
  read_buffer<on_disk_id>(data);
  read_buffer<lease_v1>(data);
  read_buffer<lease_v2>(data);
  read_buffer<durable_handle_request_v2>(data);
  read_buffer<durable_handle_reconnect_v2>(data);
  read_buffer<app_instance_id>(data);
  read_buffer<app_instance_version>(data);
  read_buffer<posix_create_response>(data);
}

void read_error(const error_response& m) {
  const auto contexts = decode_error_contexts(m.data, m.context_count);
  if (contexts) require(contexts->size() == m.context_count);
  const auto data = error_data(m);
  read_buffer<share_redirect_error>(data);
  const auto link = decode_buffer_prefix<symbolic_link_error>(data);
  static_cast<void>(link.message.substitute_name().text() + link.message.print_name().text());
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
  read_ioctls(data);
  read_pipe(data);
  read_security(data);
  walk_lists(data);
  const auto list = decode_create_contexts(data);
  const auto chain = encode_create_contexts(list.message);
  const auto again = decode_create_contexts(chain);
  require(again.ok() && again.message.size() == list.message.size());
  for (const auto& context : list.message)
    read_create_context(context.data);
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
  if constexpr (std::is_same_v<T, error_response>) read_error(got.message);
  if constexpr (requires { got.message.buffer; }) read_buffers(got.message.buffer);
  if constexpr (std::is_same_v<T, ioctl::response>) read_buffers(got.message.output);
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
      if constexpr (asked<Command>) read_body<typename Command::request>(message);
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
