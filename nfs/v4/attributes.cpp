#include "nfs/v4/attributes.hpp"

#include "wire/reader.hpp"

namespace nfs::v4 {

namespace {

/// How an attribute's value is laid out, as far as is needed to step over it.
enum class shape : u8 {
  word,           ///< 4 bytes: bool, enum, uint32
  hyper,          ///< 8 bytes
  time,           ///< 12 bytes: nfstime4
  pair,           ///< 16 bytes: two hypers
  bits,           ///< bitmap4
  five_bits,      ///< five bitmaps
  text,           ///< opaque
  words,          ///< counted words
  tagged,         ///< a word and opaque data
  twice_tagged,   ///< two words and opaque data
  set_time,       ///< settime4: a time when the word is 1
  acl,            ///< counted access control entries
  flagged_acl,    ///< the same behind a word
  locations,      ///< fs_locations4
  locations_info, ///< fs_locations_info4
  fs_status,      ///< fs4_status
  thresholds,     ///< mdsthreshold4
  retention,      ///< retention_get4
  set_retention,  ///< retention_set4
};

/// By number. Source: RFC 8881 sections 5.8 to 5.12 (0 to 76), RFC 7862 section 12.2 (77 to 80),
/// RFC 8275 section 5 (81), RFC 8276 section 8.2 (82), RFC 9754 (83 to 86).
constexpr std::array shapes{
    shape::bits,          shape::word,      shape::word,          shape::hyper,          // 0
    shape::hyper,         shape::word,      shape::word,          shape::word,           // 4
    shape::pair,          shape::word,      shape::word,          shape::word,           // 8
    shape::acl,           shape::word,      shape::word,          shape::word,           // 12
    shape::word,          shape::word,      shape::word,          shape::text,           // 16
    shape::hyper,         shape::hyper,     shape::hyper,         shape::hyper,          // 20
    shape::locations,     shape::word,      shape::word,          shape::hyper,          // 24
    shape::word,          shape::word,      shape::hyper,         shape::hyper,          // 28
    shape::text,          shape::word,      shape::word,          shape::word,           // 32
    shape::text,          shape::text,      shape::hyper,         shape::hyper,          // 36
    shape::hyper,         shape::hyper,     shape::hyper,         shape::hyper,          // 40
    shape::hyper,         shape::hyper,     shape::word,          shape::time,           // 44
    shape::set_time,      shape::time,      shape::time,          shape::time,           // 48
    shape::time,          shape::time,      shape::set_time,      shape::hyper,          // 52
    shape::time,          shape::time,      shape::flagged_acl,   shape::flagged_acl,    // 56
    shape::pair,          shape::fs_status, shape::words,         shape::tagged,         // 60
    shape::words,         shape::word,      shape::word,          shape::locations_info, // 64
    shape::thresholds,    shape::retention, shape::set_retention, shape::retention,      // 68
    shape::set_retention, shape::hyper,     shape::hyper,         shape::bits,           // 72
    shape::word,          shape::word,      shape::hyper,         shape::word,           // 76
    shape::twice_tagged,  shape::hyper,     shape::word,          shape::word,           // 80
    shape::time,          shape::time,      shape::five_bits,                            // 84
};

/// Steps over values. Each function is false when the values end before its own does.
class stepper {
 public:
  explicit stepper(bytes values) noexcept : in_(values) {}

  [[nodiscard]] std::size_t position() const noexcept { return in_.position(); }
  [[nodiscard]] bytes rest() const noexcept { return in_.rest(); }

  bool step(shape s) noexcept {
    switch (s) {
    case shape::word:
      return in_.skip(4);
    case shape::hyper:
      return in_.skip(8);
    case shape::time:
      return in_.skip(12);
    case shape::pair:
      return in_.skip(16);
    case shape::bits:
    case shape::words:
      return words();
    case shape::five_bits:
      return words() && words() && words() && words() && words();
    case shape::text:
      return text();
    case shape::tagged:
      return in_.skip(4) && text();
    case shape::twice_tagged:
      return in_.skip(8) && text();
    case shape::set_time:
      return set_time();
    case shape::flagged_acl:
      return in_.skip(4) && acl();
    case shape::acl:
      return acl();
    case shape::locations:
      return texts() && each([this] { return texts() && texts(); });
    case shape::locations_info:
      return in_.skip(8) && texts() &&
             each([this] { return each([this] { return tagged() && text(); }) && texts(); });
    case shape::fs_status:
      return in_.skip(8) && text() && text() && in_.skip(4) && in_.skip(12);
    case shape::thresholds:
      return each([this] { return in_.skip(4) && words() && text(); });
    case shape::retention:
      return in_.skip(8) && each([this] { return in_.skip(12); });
    case shape::set_retention:
      return in_.skip(4) && each([this] { return in_.skip(8); });
    }
    return false;
  }

 private:
  bool words() noexcept {
    u32 n = 0;
    return in_.be(n) && n <= in_.left() / 4 && in_.skip(std::size_t{n} * 4);
  }
  bool text() noexcept {
    u32 n = 0;
    return in_.be(n) && n <= in_.left() && in_.skip(n) && in_.skip(rpc::xdr_padding(n));
  }
  bool tagged() noexcept { return in_.skip(4) && text(); }
  bool texts() noexcept {
    return each([this] { return text(); });
  }
  bool acl() noexcept {
    return each([this] { return in_.skip(12) && text(); });
  }
  bool set_time() noexcept {
    u32 how = 0;
    return in_.be(how) && (how != 1 || in_.skip(12));
  }

  /// Every item takes at least 4 bytes: the loop ends with the values, whatever the count says.
  template <class F>
  bool each(F&& item) noexcept {
    u32 n = 0;
    if (!in_.be(n) || n > in_.left() / 4) return false;
    while (n-- > 0)
      if (!item()) return false;
    return true;
  }

  wire::reader in_;
};

template <class T>
std::optional<T> decode(std::optional<bytes> value) noexcept {
  if (!value || value->size() != sizeof(T)) return std::nullopt;
  return wire::load_be<T>(value->data());
}

} // namespace

std::optional<bytes> find_attribute(const fattr& attributes, u32 number) noexcept {
  if (!attributes.attrmask.has(number)) return std::nullopt;
  stepper at(attributes.attr_vals);
  for (u32 n = 0; n <= number && n < shapes.size(); ++n) {
    if (!attributes.attrmask.has(n)) continue;
    const auto value = at.rest();
    const auto start = at.position();
    if (!at.step(shapes[n])) return std::nullopt;
    if (n == number) return value.first(at.position() - start);
  }
  return std::nullopt;
}

std::optional<u32> find_word(const fattr& attributes, u32 number) noexcept {
  return decode<u32>(find_attribute(attributes, number));
}

std::optional<u64> find_hyper(const fattr& attributes, u32 number) noexcept {
  return decode<u64>(find_attribute(attributes, number));
}

std::optional<file_handle> find_handle(const fattr& attributes) noexcept {
  const auto value = find_attribute(attributes, attribute::filehandle);
  if (!value) return std::nullopt;
  const auto decoded = rpc::decode_prefix<file_handle>(*value);
  if (!decoded.ok()) return std::nullopt;
  return decoded.message;
}

} // namespace nfs::v4
