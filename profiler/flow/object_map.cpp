#include "profiler/flow/object_map.hpp"

namespace profiler::flow {

u64 name_key(u64 scope, wire::bytes name) noexcept {
  u64 h = scope ^ (name.size() * 0x9E3779B97F4A7C15u);
  while (name.size() >= 8) {
    h = (h ^ wire::load_le<u64>(name.data())) * 0xBF58476D1CE4E5B9u;
    h ^= h >> 29;
    name = name.subspan(8);
  }
  for (const auto b : name)
    h = (h ^ std::to_integer<u64>(b)) * 0x94D049BB133111EBu;
  h ^= h >> 32;
  return h == 0 ? 1 : h;
}

u64 object_map::by_handle(u64 handle) noexcept {
  const auto* found = aliases_.find(handle);
  return found == nullptr ? handle : found->file;
}

u64 object_map::by_name(u64 name) {
  if (const auto* found = names_.find(name)) return found->file;
  // Files that have one name one after the other are different files.
  u64 file = (name ^ (++provisional_ << 40)) * 0x9E3779B97F4A7C15u;
  if (file == 0) file = 1;
  names_.insert(name, {file, false});
  return file;
}

u64 object_map::missing(u64 name) {
  if (const auto* found = names_.find(name); found != nullptr && found->exists) names_.take(name);
  return by_name(name);
}

u64 object_map::bind(u64 name, u64 handle, u64 file) {
  put(names_, name, {file, true});
  if (file != by_handle(handle)) put(aliases_, handle, {file});
  return file;
}

u64 object_map::bind_handle(u64 name, u64 handle) {
  const auto* known = names_.find(name);
  const bool awaited = known != nullptr && !known->exists;
  return bind(name, handle, awaited ? known->file : by_handle(handle));
}

u64 object_map::bind_open(u64 name, u64 handle, bool created) {
  const auto* known = names_.find(name);
  const bool same = known != nullptr && !(known->exists && created);
  return bind(name, handle, same ? known->file : handle);
}

void object_map::rename(u64 from, u64 to) {
  const auto moved = names_.take(from);
  if (moved) put(names_, to, *moved);
}

void object_map::mark_directory(u64 file) {
  if (file != 0 && directories_.find(file) == nullptr) directories_.insert(file, {});
}

} // namespace profiler::flow
