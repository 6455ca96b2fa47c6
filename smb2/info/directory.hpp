#pragma once

#include "smb2/info/classes.hpp"
#include "smb2/le.hpp"

#include <optional>

/// What QUERY_DIRECTORY returns: entries chained by NextEntryOffset, each at a multiple of 8.
/// · units: times as FILETIME, sizes in bytes. · lifetime: names are views into the buffer.
namespace smb2 {

/// · source: MS-FSCC 2.4.8
struct file_both_directory_information {
  static constexpr std::string_view title = "FileBothDirectoryInformation";
  static constexpr u8 info_class = file_info::both_directory;

  u32 next_entry_offset = 0;
  u32 file_index = 0;
  filetime creation_time = 0;
  filetime last_access_time = 0;
  filetime last_write_time = 0;
  filetime change_time = 0;
  u64 end_of_file = 0;
  u64 allocation_size = 0;
  u32 file_attributes = 0;
  u32 ea_size = 0;
  u8 short_name_bytes = 0;
  std::array<std::byte, 24> short_name{};
  utf16_view file_name;

  static bool fields(auto& m, auto& ar) {
    return common(m, ar) && ar.run("file_name", m.file_name, 0);
  }

  static bool common(auto& m, auto& ar) {
    return ar("next_entry_offset", m.next_entry_offset, "file_index", m.file_index, "creation_time",
              m.creation_time, "last_access_time", m.last_access_time, "last_write_time",
              m.last_write_time, "change_time", m.change_time, "end_of_file", m.end_of_file,
              "allocation_size", m.allocation_size, "file_attributes", m.file_attributes) &&
           ar.length32(m.file_name, 0) &&
           ar("ea_size", m.ea_size, "short_name_bytes", m.short_name_bytes) && ar.pad(1) &&
           ar("short_name", m.short_name);
  }
};

/// The same with the number by which the server knows the file. · source: MS-FSCC 2.4.17
struct file_id_both_directory_information : file_both_directory_information {
  static constexpr std::string_view title = "FileIdBothDirectoryInformation";
  static constexpr u8 info_class = file_info::id_both_directory;

  u64 file_id = 0;

  static bool fields(auto& m, auto& ar) {
    return common(m, ar) && ar.pad(2) && ar("file_id", m.file_id) &&
           ar.run("file_name", m.file_name, 0);
  }
};

/// · source: MS-FSCC 2.4.28
struct file_names_information {
  static constexpr std::string_view title = "FileNamesInformation";
  static constexpr u8 info_class = file_info::names;

  u32 next_entry_offset = 0;
  u32 file_index = 0;
  utf16_view file_name;

  static bool fields(auto& m, auto& ar) {
    return ar("next_entry_offset", m.next_entry_offset, "file_index", m.file_index) &&
           ar.length32(m.file_name, 0) && ar.run("file_name", m.file_name, 0);
  }
};

/// Walks a chain of entries of type T.
/// · errors: those of T; bad_offset when a link leads out of the buffer or backwards.
template <class T>
class directory_walker {
 public:
  explicit directory_walker(bytes buffer) : rest_(buffer) {}

  [[nodiscard]] std::optional<T> next() {
    if (rest_.empty()) return std::nullopt;
    const auto entry = decode_buffer_prefix<T>(rest_);
    if (!entry.ok()) return fail(entry.error);
    const std::size_t step = entry.message.next_entry_offset;
    if (step >= rest_.size() || (step != 0 && step < sizeof(u32)))
      return fail({wire::errc::bad_offset, 0, T::title});
    rest_ = step == 0 ? bytes{} : rest_.subspan(step);
    position_ += static_cast<u32>(step);
    return entry.message;
  }

  [[nodiscard]] const wire::decode_error& error() const noexcept { return error_; }
  [[nodiscard]] bool ok() const noexcept { return error_.code == wire::errc::ok; }

 private:
  std::nullopt_t fail(wire::decode_error error) {
    error_ = error;
    error_.offset += position_;
    rest_ = {};
    return std::nullopt;
  }

  bytes rest_;
  u32 position_ = 0;
  wire::decode_error error_;
};

} // namespace smb2
