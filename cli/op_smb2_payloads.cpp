#include "cli/op_smb2_payloads.hpp"

#include "smb2/info/directory.hpp"
#include "smb2/info/file.hpp"
#include "smb2/info/filesystem.hpp"
#include "smb2/ioctls/validate_negotiate_info.hpp"
#include "smb2/le_print.hpp"
#include "wire/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace cli {

namespace {

using smb2::bytes;
using smb2::info_type;
using encoded = std::expected<std::vector<std::byte>, std::string>;

template <class Info>
std::vector<std::string> print_one(bytes buffer) {
  const auto got = smb2::decode_buffer<Info>(buffer);
  return {got ? smb2::print(*got) : describe(got.error())};
}

template <class Entry>
std::vector<std::string> print_entries(bytes buffer) {
  std::vector<std::string> out;
  smb2::entry_walker<Entry> walk(buffer);
  while (auto one = walk.next())
    out.push_back(smb2::print(*one));
  if (!walk.ok()) out.push_back(describe(walk.error()));
  return out;
}

std::string hex(bytes buffer) {
  constexpr std::size_t most = 256;
  std::string out = fmt::format("{} bytes:", buffer.size());
  for (const auto b : buffer.first(std::min(buffer.size(), most)))
    out += fmt::format(" {:02x}", std::to_integer<unsigned>(b));
  return buffer.size() > most ? out + " ..." : out;
}

std::vector<std::string> print_hex(bytes buffer) {
  return {hex(buffer)};
}

/// A class that the codec describes.
template <class Info>
constexpr info_entry described(info_type type) {
  return {Info::title, type, Info::info_class, &print_one<Info>};
}

template <class Entry>
constexpr info_entry listed() {
  return {Entry::title, info_type::file, Entry::info_class, &print_entries<Entry>};
}

constexpr auto file = info_type::file;
constexpr auto filesystem = info_type::filesystem;

constexpr std::array classes{
    described<smb2::file_basic_information>(file),
    described<smb2::file_standard_information>(file),
    described<smb2::file_all_information>(file),
    described<smb2::file_network_open_information>(file),
    info_entry{"FileInternalInformation", file, smb2::file_info::internal, &print_hex},
    info_entry{"FileStreamInformation", file, smb2::file_info::stream, &print_hex},
    described<smb2::file_fs_size_information>(filesystem),
    described<smb2::file_fs_full_size_information>(filesystem),
    described<smb2::file_fs_attribute_information>(filesystem),
    info_entry{"FileFsVolumeInformation", filesystem, smb2::fs_info::volume, &print_hex},
    info_entry{"FileFsDeviceInformation", filesystem, smb2::fs_info::device, &print_hex},
    info_entry{"SecurityDescriptor", info_type::security, 0, &print_hex},
};

constexpr std::array listings{
    listed<smb2::file_both_directory_information>(),
    listed<smb2::file_id_both_directory_information>(),
    listed<smb2::file_names_information>(),
};

encoded end_of_file(const std::string& value) {
  const auto size = wire::parse_size(value);
  if (!size) return std::unexpected("value: " + size.error());
  smb2::file_end_of_file_information info;
  info.end_of_file = *size;
  return smb2::encode_buffer(info);
}

encoded disposition(const std::string& value) {
  if (value != "0" && value != "1")
    return std::unexpected(fmt::format("value: '{}' is neither 0 nor 1", value));
  smb2::file_disposition_information info;
  info.delete_pending = value == "1" ? 1 : 0;
  return smb2::encode_buffer(info);
}

encoded new_name(const std::string& value) {
  if (value.empty()) return std::unexpected("value: the new path is missing");
  std::string path = value;
  std::ranges::replace(path, '/', '\\');
  const auto name = smb2::to_utf16(path);
  if (!name) return std::unexpected(name.error());
  smb2::file_rename_information info;
  info.file_name = name->view();
  return smb2::encode_buffer(info);
}

encoded attributes(const std::string& value) {
  const auto number = wire::parse_size(value);
  if (!number || *number > 0xFFFF'FFFF)
    return std::unexpected(fmt::format("value: '{}' is no number of file attributes", value));
  smb2::file_basic_information info;
  info.file_attributes = static_cast<smb2::u32>(*number);
  return smb2::encode_buffer(info);
}

constexpr std::array settings{
    setting_entry{"FileEndOfFileInformation", file, smb2::file_info::end_of_file, &end_of_file},
    setting_entry{"FileDispositionInformation", file, smb2::file_info::disposition, &disposition},
    setting_entry{"FileRenameInformation", file, smb2::file_info::rename, &new_name},
    setting_entry{"FileBasicInformation", file, smb2::file_info::basic, &attributes},
    setting_entry{"FileAllocationInformation", file, smb2::file_info::allocation, nullptr},
    setting_entry{"SecurityDescriptor", info_type::security, 0, nullptr},
};

constexpr std::array control_codes{
    control_entry{"SRV_REQUEST_RESUME_KEY", smb2::fsctl::srv_request_resume_key, &hex},
    control_entry{"SRV_COPYCHUNK", smb2::fsctl::srv_copychunk, &hex},
    control_entry{"QUERY_NETWORK_INTERFACE_INFO", smb2::fsctl::query_network_interface_info, &hex},
    control_entry{"DFS_GET_REFERRALS", smb2::fsctl::dfs_get_referrals, &hex},
    control_entry{"PIPE_TRANSCEIVE", smb2::fsctl::pipe_transceive, &hex},
    control_entry{"VALIDATE_NEGOTIATE_INFO", smb2::fsctl::validate_negotiate_info,
                  [](bytes output) {
                    return print_one<smb2::validate_negotiate_info_response>(output).front();
                  }},
};

constexpr std::array create_dispositions{
    disposition_entry{"supersede", smb2::create_disposition::supersede},
    disposition_entry{"open", smb2::create_disposition::open},
    disposition_entry{"create", smb2::create_disposition::create},
    disposition_entry{"open_if", smb2::create_disposition::open_if},
    disposition_entry{"overwrite", smb2::create_disposition::overwrite},
    disposition_entry{"overwrite_if", smb2::create_disposition::overwrite_if},
};

} // namespace

std::span<const info_entry> info_classes() {
  return classes;
}

std::span<const info_entry> directory_classes() {
  return listings;
}

std::span<const setting_entry> setting_classes() {
  return settings;
}

std::span<const control_entry> controls() {
  return control_codes;
}

std::span<const disposition_entry> dispositions() {
  return create_dispositions;
}

} // namespace cli
