#include "cli/op_smb2_payloads.hpp"

#include "cli/op_arguments.hpp"

#include "smb2/info/directory.hpp"
#include "smb2/info/file.hpp"
#include "smb2/info/filesystem.hpp"
#include "smb2/info/names.hpp"
#include "smb2/info/posix.hpp"
#include "smb2/info/security.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

namespace cli {

namespace {

using smb2::bytes;
using smb2::info_type;
using encoded = std::expected<std::vector<std::byte>, std::string>;

std::string text_of_entry(const smb2::access_entry& e) {
  const auto who = e.other.empty() ? text_of(e.who) : fmt::format("{} bytes", e.other.size());
  return fmt::format("ace type={} flags={:#x} mask={:#x} sid={}", e.type, e.flags, e.mask, who);
}

std::vector<std::string> print_security(bytes buffer) {
  const auto got = smb2::decode_security_descriptor(buffer);
  if (!got) return {describe(got.error())};
  const auto name = [](const std::optional<smb2::sid>& who) { return who ? text_of(*who) : "-"; };
  std::vector<std::string> out{fmt::format(
      "control={:#x} owner={} group={} dacl={} sacl_bytes={}", got->control, name(got->owner),
      name(got->group), got->dacl ? fmt::format("{} entries", got->dacl->size()) : "-",
      got->sacl.size())};
  if (got->dacl)
    for (const auto& entry : *got->dacl)
      out.push_back(text_of_entry(entry));
  return out;
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

template <class Entry>
constexpr info_entry chain_of(info_type type) {
  return {Entry::title, type, Entry::info_class, &print_entries<Entry>};
}

constexpr std::array classes{
    described<smb2::file_basic_information>(file),
    described<smb2::file_standard_information>(file),
    described<smb2::file_internal_information>(file),
    described<smb2::file_ea_information>(file),
    described<smb2::file_access_information>(file),
    described<smb2::file_position_information>(file),
    described<smb2::file_mode_information>(file),
    described<smb2::file_alignment_information>(file),
    described<smb2::file_all_information>(file),
    described<smb2::file_alternate_name_information>(file),
    chain_of<smb2::file_stream_information>(file),
    chain_of<smb2::file_full_ea_information>(file),
    described<smb2::file_compression_information>(file),
    described<smb2::file_pipe_information>(file),
    described<smb2::file_network_open_information>(file),
    described<smb2::file_attribute_tag_information>(file),
    described<smb2::file_normalized_name_information>(file),
    described<smb2::file_id_information>(file),
    described<smb2::file_posix_information>(file),
    described<smb2::file_fs_volume_information>(filesystem),
    described<smb2::file_fs_size_information>(filesystem),
    described<smb2::file_fs_device_information>(filesystem),
    described<smb2::file_fs_attribute_information>(filesystem),
    described<smb2::file_fs_control_information>(filesystem),
    described<smb2::file_fs_full_size_information>(filesystem),
    described<smb2::file_fs_object_id_information>(filesystem),
    described<smb2::file_fs_sector_size_information>(filesystem),
    described<smb2::file_fs_posix_information>(filesystem),
    info_entry{"SecurityDescriptor", info_type::security, 0, &print_security},
};

constexpr std::array listings{
    listed<smb2::file_directory_information>(),
    listed<smb2::file_full_directory_information>(),
    listed<smb2::file_id_full_directory_information>(),
    listed<smb2::file_both_directory_information>(),
    listed<smb2::file_id_both_directory_information>(),
    listed<smb2::file_id_extd_directory_information>(),
    listed<smb2::file_names_information>(),
    listed<smb2::file_posix_directory_information>(),
};

/// A class that is one number.
template <class Info, auto Field>
encoded number(const std::string& value) {
  const auto given = parse_number(value);
  if (!given) return std::unexpected("value: " + given.error());
  Info info;
  using type = std::remove_reference_t<decltype(info.*Field)>;
  if (*given > std::numeric_limits<type>::max())
    return std::unexpected(fmt::format("value: '{}' is too large", value));
  info.*Field = static_cast<type>(*given);
  return smb2::encode_buffer(info);
}

encoded disposition(const std::string& value) {
  if (value != "0" && value != "1")
    return std::unexpected(fmt::format("value: '{}' is neither 0 nor 1", value));
  smb2::file_disposition_information info;
  info.delete_pending = value == "1" ? 1 : 0;
  return smb2::encode_buffer(info);
}

/// Of a rename and of a further name: both say where to.
template <class Info>
encoded new_name(const std::string& value) {
  if (value.empty()) return std::unexpected("value: the new path is missing");
  std::string path = value;
  std::ranges::replace(path, '/', '\\');
  const auto name = smb2::to_utf16(path);
  if (!name) return std::unexpected(name.error());
  Info info;
  info.file_name = name->view();
  return smb2::encode_buffer(info);
}

/// Seconds since 1970, with a fraction or without.
std::expected<smb2::filetime, std::string> time_of(std::string_view text) {
  constexpr double seconds_max = 9e9; // beyond the year 2255
  double seconds = 0;
  const auto* end = text.data() + text.size();
  const auto [at, wrong] = std::from_chars(text.data(), end, seconds);
  if (wrong != std::errc{} || at != end || !(seconds >= 0 && seconds < seconds_max))
    return std::unexpected(fmt::format("value: '{}' is no time in seconds since 1970", text));
  return smb2::to_filetime(smb2::nanos(static_cast<smb2::nanos::rep>(seconds * 1e9)));
}

std::expected<void, std::string> set_basic(smb2::file_basic_information& info,
                                           std::string_view name, std::string_view value) {
  if (name == "attributes") {
    const auto given = parse_number(value);
    if (!given || *given > 0xFFFF'FFFF)
      return std::unexpected(fmt::format("value: '{}' is no number of file attributes", value));
    info.file_attributes = static_cast<smb2::u32>(*given);
    return {};
  }
  smb2::filetime smb2::file_basic_information::*field = nullptr;
  if (name == "created") field = &smb2::file_basic_information::creation_time;
  if (name == "accessed") field = &smb2::file_basic_information::last_access_time;
  if (name == "written") field = &smb2::file_basic_information::last_write_time;
  if (name == "changed") field = &smb2::file_basic_information::change_time;
  if (field == nullptr)
    return std::unexpected(fmt::format(
        "value: '{}' is none of attributes, created, accessed, written, changed", name));
  const auto time = time_of(value);
  if (!time) return std::unexpected(time.error());
  info.*field = *time;
  return {};
}

/// "0x20", or "written=1700000000.5,attributes=0x20": what is not named stays.
encoded basic(const std::string& value) {
  smb2::file_basic_information info;
  std::string_view rest = value;
  do {
    const auto comma = rest.find(',');
    const auto one = rest.substr(0, comma);
    rest = comma == std::string_view::npos ? std::string_view{} : rest.substr(comma + 1);
    const auto equals = one.find('=');
    const bool named = equals != std::string_view::npos;
    const auto done = set_basic(info, named ? one.substr(0, equals) : "attributes",
                                named ? one.substr(equals + 1) : one);
    if (!done) return std::unexpected(done.error());
  } while (!rest.empty());
  return smb2::encode_buffer(info);
}

template <class Info>
constexpr setting_entry set_by(encoded (*encode)(const std::string&)) {
  return {Info::title, file, Info::info_class, encode};
}

constexpr std::array settings{
    set_by<smb2::file_basic_information>(&basic),
    set_by<smb2::file_rename_information>(&new_name<smb2::file_rename_information>),
    set_by<smb2::file_link_information>(&new_name<smb2::file_link_information>),
    set_by<smb2::file_disposition_information>(&disposition),
    set_by<smb2::file_disposition_information_ex>(
        &number<smb2::file_disposition_information_ex,
                &smb2::file_disposition_information_ex::flags>),
    set_by<smb2::file_position_information>(
        &number<smb2::file_position_information,
                &smb2::file_position_information::current_byte_offset>),
    set_by<smb2::file_mode_information>(
        &number<smb2::file_mode_information, &smb2::file_mode_information::mode>),
    set_by<smb2::file_allocation_information>(
        &number<smb2::file_allocation_information,
                &smb2::file_allocation_information::allocation_size>),
    set_by<smb2::file_end_of_file_information>(
        &number<smb2::file_end_of_file_information,
                &smb2::file_end_of_file_information::end_of_file>),
    set_by<smb2::file_valid_data_length_information>(
        &number<smb2::file_valid_data_length_information,
                &smb2::file_valid_data_length_information::valid_data_length>),
    setting_entry{"FileFullEaInformation", file, smb2::file_info::full_ea, nullptr},
    setting_entry{"SecurityDescriptor", info_type::security, 0, nullptr},
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

std::vector<std::string> print_hex(bytes buffer) {
  constexpr std::size_t most = 256;
  std::string out = fmt::format("{} bytes:", buffer.size());
  for (const auto b : buffer.first(std::min(buffer.size(), most)))
    out += fmt::format(" {:02x}", std::to_integer<unsigned>(b));
  return {buffer.size() > most ? out + " ..." : out};
}

std::span<const info_entry> info_classes() {
  return classes;
}

std::span<const info_entry> directory_classes() {
  return listings;
}

std::span<const setting_entry> setting_classes() {
  return settings;
}

std::span<const disposition_entry> dispositions() {
  return create_dispositions;
}

} // namespace cli
