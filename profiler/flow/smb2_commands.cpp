#include "profiler/flow/smb2_commands.hpp"

#include "smb2/commands.hpp"
#include "smb2/info/file.hpp"

namespace profiler::flow {

namespace {

/// FILE_CREATED, MS-SMB2 2.2.14.
constexpr u32 action_created = 2;

template <class Command>
concept request_matters = requires(const typename Command::request& r) {
  Command::file_id(r);
}
|| std::is_same_v<Command, smb2::create> || std::is_same_v<Command, smb2::tree_connect>;

/// Of a name that was cut the view ends where the capture does; of one whose length was not
/// captured there is none, which does not make it the share's root.
void take_name(bytes name, const smb2::submessage& m, bool whole, smb2_request& out) {
  out.name = name;
  out.name_complete =
      whole || (!name.empty() && name.data() + name.size() < m.data.data() + m.data.size());
}

/// SET_INFO gives a file another name (MS-FSCC 2.4.37).
void take_new_name(const smb2::set_info::request& r, bool whole, smb2_request& out) {
  using smb2::file_rename_information;
  if (!whole || r.type != smb2::info_type::file ||
      r.file_info_class != file_rename_information::info_class)
    return;
  const auto renamed = smb2::decode_buffer_prefix<file_rename_information>(r.buffer);
  if (!renamed.ok()) return;
  out.name = renamed.message.file_name.data;
  out.name_complete = !out.name.empty();
}

template <class Command>
void describe_request(const smb2::submessage& m, smb2_request& out) {
  if constexpr (request_matters<Command>) {
    const auto [r, error] = smb2::decode_prefix<typename Command::request>(m.data, m.wire_length);
    const bool whole = error.code == wire::errc::ok;
    if constexpr (requires { Command::file_id(r); }) {
      const smb2::fileid& id = Command::file_id(r);
      out.uses_previous = id == smb2::fileid::of_previous();
      if (!out.uses_previous && id != smb2::fileid{}) out.handle = smb2::hash_of(id);
    }
    if constexpr (std::is_same_v<Command, smb2::create>) take_name(r.name.data, m, whole, out);
    if constexpr (std::is_same_v<Command, smb2::tree_connect>)
      take_name(r.path.data, m, whole, out);
    if constexpr (std::is_same_v<Command, smb2::set_info>) take_new_name(r, whole, out);
    if constexpr (std::is_same_v<Command, smb2::read>) out.wanted = r.length;
    if constexpr (requires { Command::offset(r); }) out.offset = Command::offset(r);
    if constexpr (requires { Command::data_bytes(r); }) out.data_bytes = Command::data_bytes(r);
  }
}

template <class Command>
void describe_response(const smb2::submessage& m, smb2_results& out) {
  if constexpr (smb2::answered<Command>) {
    using response = typename Command::response;
    if constexpr (std::is_same_v<Command, smb2::create> ||
                  std::is_same_v<Command, smb2::negotiate> ||
                  requires(const response& r) { Command::data_bytes(r); }) {
      const auto r = smb2::decode_prefix<response>(m.data, m.wire_length).message;
      if constexpr (std::is_same_v<Command, smb2::create>) {
        if (r.file != smb2::fileid{}) out.handle = smb2::hash_of(r.file);
        out.created = r.create_action == action_created;
        out.directory = (r.file_attributes & smb2::attribute::directory) != 0;
      }
      if constexpr (std::is_same_v<Command, smb2::negotiate>) {
        out.dialect = static_cast<u16>(r.revision);
        out.max_read = r.max_read_size;
        out.max_write = r.max_write_size;
      }
      if constexpr (requires { Command::data_bytes(r); }) out.data_bytes = Command::data_bytes(r);
    }
  }
}

} // namespace

smb2_request read_request(const smb2::submessage& m) {
  smb2_request out;
  out.command = m.head.command;
  smb2::commands::visit(out.command, [&]<class C>() { describe_request<C>(m, out); });
  return out;
}

smb2_results read_response(const smb2::submessage& m) {
  smb2_results out;
  smb2::commands::visit(m.head.command, [&]<class C>() { describe_response<C>(m, out); });
  return out;
}

} // namespace profiler::flow
