#pragma once

#include "wire/bytes.hpp"
#include "wire/call_table.hpp"

#include <optional>

namespace profiler::flow {

using wire::u64;

/// A number for a name within a directory (or a path within a share). Never 0.
[[nodiscard]] u64 name_key(u64 scope, wire::bytes name) noexcept;

/// Gives all requests that work on one file the same number, though some name it, some hold its
/// handle, and some (SMB2) hold a new handle at each open. The number is that of the first handle
/// that was seen, or of the name when the name was asked for before the file existed.
/// Bounded: what is forgotten comes back as another file.
class object_map {
 public:
  static constexpr std::size_t objects_max = 1u << 17;
  static constexpr std::size_t directories_max = 1u << 14;

  /// The file behind a handle.
  [[nodiscard]] u64 by_handle(u64 handle) noexcept;
  /// The file of that name, or a number for the file that may come to have it.
  [[nodiscard]] u64 by_name(u64 name);
  /// As above, behind a reply that said that nothing has this name.
  [[nodiscard]] u64 missing(u64 name);
  /// A reply said that `name` is what `handle` stands for, now and later (NFS).
  u64 bind_handle(u64 name, u64 handle);
  /// `handle` is one open of the file `name` (SMB2). `created`: it did not exist before.
  u64 bind_open(u64 name, u64 handle, bool created);
  /// The name is free: a file that gets it is a new one.
  void forget(u64 name) { names_.take(name); }
  void rename(u64 from, u64 to);
  /// A file that is known gets this name.
  void call(u64 file, u64 name) { put(names_, name, {file, true}); }

  void mark_directory(u64 file);
  [[nodiscard]] bool is_directory(u64 file) noexcept { return directories_.find(file) != nullptr; }

 private:
  struct named {
    u64 file = 0;
    bool exists = false;
  };
  struct alias {
    u64 file = 0;
  };
  struct mark {};

  template <class T>
  static void put(wire::call_table<T>& table, u64 key, T value) {
    if (auto* found = table.find(key))
      *found = value;
    else
      table.insert(key, value);
  }

  u64 bind(u64 name, u64 handle, u64 file);

  u64 provisional_ = 0; ///< numbers given to files without a handle
  wire::call_table<named> names_{objects_max};
  wire::call_table<alias> aliases_{objects_max}; ///< handles whose file has another number
  wire::call_table<mark> directories_{directories_max};
};

} // namespace profiler::flow
