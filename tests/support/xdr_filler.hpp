#pragma once

#include "nfs/v4/types.hpp"
#include "rpc/xdr.hpp"

#include <deque>
#include <random>

namespace support {

/// Fills a message with values instead of decoding it: the same for the same seed. A union's arm
/// is chosen with its discriminant, so that many seeds see all of them.
/// · lifetime: opaque data and text are views into the filler.
/// · errors: false where a message refuses what was drawn; take another seed then.
class xdr_filler {
 public:
  static constexpr bool decoding = true;

  explicit xdr_filler(wire::u32 seed) : random_(seed) {}

  template <class T, class... More>
  bool operator()(const char*, T& field, More&... more) {
    if (!value(field)) return false;
    if constexpr (sizeof...(More) == 0)
      return true;
    else
      return (*this)(more...);
  }

  bool opaque(const char*, wire::bytes& out, wire::u32 max) {
    auto& kept = kept_.emplace_back(std::min(below(40), max));
    for (auto& b : kept)
      b = static_cast<std::byte>('a' + below(26));
    out = kept;
    return true;
  }
  bool payload(const char* name, wire::bytes& out, wire::u32 max) { return opaque(name, out, max); }
  bool text(const char* name, std::string_view& out, wire::u32 max) {
    wire::bytes data;
    opaque(name, data, max);
    out = wire::as_text(data);
    return true;
  }

  template <class T>
  bool array(const char*, std::vector<T>& out, wire::u32 max) {
    out.resize(std::min(below(3), max));
    for (auto& item : out)
      if (!value(item)) return false;
    return true;
  }
  template <class T>
  bool chain(const char* name, std::vector<T>& out, wire::u32 max) {
    return array(name, out, max);
  }

  bool constant(const char*, wire::u32) noexcept { return true; }
  bool refuse() noexcept { return false; }

 private:
  wire::u32 below(wire::u32 n) { return static_cast<wire::u32>(random_() % n); }

  /// Small ones are what counts and flags need.
  bool value(wire::u32& out) {
    out = below(4) > 0 ? below(4) : static_cast<wire::u32>(random_());
    return true;
  }
  bool value(wire::u64& out) {
    out = wire::u64{random_()} << 32 | random_();
    return true;
  }
  bool value(bool& out) {
    out = below(2) == 1;
    return true;
  }
  template <rpc::word_enum E>
  bool value(E& out) {
    out = static_cast<E>(below(8));
    return true;
  }
  /// Statuses that have results, and one that has none.
  bool value(nfs::v4::nfsstat4& out) {
    using enum nfs::v4::nfsstat4;
    constexpr std::array all{
        ok, ok, ok, ok, noent, clid_inuse, toosmall, layouttrylater, offload_no_reqs, denied};
    out = all[below(all.size())];
    return true;
  }
  /// A regular file and its size: opaque to the codec, not to others who read the bytes.
  bool value(nfs::v4::fattr& out) {
    out = {};
    out.attrmask.set(1);
    out.attrmask.set(4);
    auto& kept = kept_.emplace_back(12);
    wire::store_be(kept.data(), wire::u32{1});
    wire::store_be(kept.data() + 4, wire::u64{below(1000)});
    out.attr_vals = kept;
    return true;
  }
  template <std::size_t N>
  bool value(std::array<std::byte, N>& out) {
    for (auto& b : out)
      b = static_cast<std::byte>(below(256));
    return true;
  }
  template <class T>
  bool value(std::optional<T>& out) {
    out.reset();
    return below(2) == 0 || value(out.emplace());
  }
  template <class T>
  requires rpc::has_fields<T, xdr_filler>
  bool value(T& out) { return T::fields(out, *this); }

  std::mt19937 random_;
  std::deque<std::vector<std::byte>> kept_;
};

} // namespace support
