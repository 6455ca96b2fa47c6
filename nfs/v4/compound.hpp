#pragma once

#include "nfs/v4/callback_operations.hpp"
#include "nfs/v4/operations.hpp"
#include "nfs/v4/types.hpp"

#include <algorithm>

/// COMPOUND: several operations in one call. Source: RFC 7530 section 16.2, RFC 8881 section 16.2
/// and section 20.
namespace nfs::v4 {

/// The procedure of program 100003 version 4, and of callback programs, beside NULL.
inline constexpr u32 compound_procedure = 1;

/// Programs that clients choose for their callbacks in SETCLIENTID and CREATE_SESSION are of the
/// transient range of RFC 5531 section 8.3, and of this version.
inline constexpr u32 callback_version = 1;

/// What stands before the operations of a call.
struct compound_args {
  std::string_view tag;
  u32 minorversion = 0;
  u32 count = 0; ///< operations behind it

  static bool fields(auto& m, auto& ar) {
    return ar.text("tag", m.tag, tag_bytes_max) &&
           ar("minorversion", m.minorversion, "count", m.count);
  }
};

struct callback_compound_args {
  std::string_view tag;
  u32 minorversion = 0;
  u32 callback_ident = 0; ///< minor version 0: what SETCLIENTID said
  u32 count = 0;

  static bool fields(auto& m, auto& ar) {
    return ar.text("tag", m.tag, tag_bytes_max) &&
           ar("minorversion", m.minorversion, "callback_ident", m.callback_ident, "count", m.count);
  }
};

/// What stands before the results: those of the operations that were executed, up to the first one
/// that failed, of which `status` is the status.
struct compound_reply {
  nfsstat4 status = nfsstat4::ok;
  std::string_view tag;
  u32 count = 0; ///< results behind it

  static bool fields(auto& m, auto& ar) {
    return ar("status", m.status) && ar.text("tag", m.tag, tag_bytes_max) && ar("count", m.count);
  }
};

/// Walks the operations behind one of the headers above. The message may be cut: what the last
/// operation has of its fields is there, and seen() of count() operations were named.
/// · bytes: count() is what the header says, which nothing is allocated by.
/// · errors: those of the header and of the operations; bad_value for an operation that the
///   protocol does not have, as nobody knows where the next one starts.
template <class List, class Header, bool Reply>
class compound_walker {
 public:
  /// `body` is what stands behind the header of the RPC call or reply.
  explicit compound_walker(bytes body) : header_(rpc::decode_prefix<Header>(body, "COMPOUND")) {
    rest_ = body.subspan(header_.size);
    error_ = header_.error;
    position_ = header_.size;
  }

  [[nodiscard]] const Header& header() const noexcept { return header_.message; }
  [[nodiscard]] bool header_ok() const noexcept { return header_.ok(); }
  [[nodiscard]] u32 count() const noexcept { return header_.message.count; }
  /// Operations of which at least the number was there.
  [[nodiscard]] u32 seen() const noexcept { return seen_; }
  /// Everything that the header promised was there and could be read.
  [[nodiscard]] bool done() const noexcept {
    return error_.code == wire::errc::ok && seen_ == count();
  }
  [[nodiscard]] const wire::decode_error& error() const noexcept { return error_; }
  /// Behind the last operation that was decoded.
  [[nodiscard]] std::size_t position() const noexcept { return position_; }

  /// Decodes the next operation and calls f.operator()<Op>(message, whole): `message` is Op::args
  /// or Op::reply, its views point into the body. `other(number)` is called for an operation that
  /// the protocol does not have. False behind the last one.
  template <class F, class Other>
  bool next(F&& f, Other&& other) {
    if (error_.code != wire::errc::ok || seen_ == count()) return false;
    if (rest_.size() < sizeof(u32)) return stop(wire::errc::truncated);
    const auto number = wire::load_be<u32>(rest_.data());
    ++seen_;
    const bool known = List::visit(number, [&]<class Op>() {
      using message_type = std::conditional_t<Reply, typename Op::reply, typename Op::args>;
      const auto decoded = rpc::decode_prefix<message_type>(rest_.subspan(sizeof number), Op::name);
      f.template operator()<Op>(decoded.message, decoded.ok());
      advance(sizeof number, decoded);
    });
    if (known) return true;
    other(number);
    stop(wire::errc::bad_value);
    return true;
  }

 private:
  template <class T>
  void advance(std::size_t word, const rpc::prefix<T>& decoded) {
    const auto n = word + decoded.size;
    if (!decoded.ok()) {
      error_ = decoded.error;
      error_.offset += static_cast<u32>(position_ + word);
      return;
    }
    rest_ = rest_.subspan(n);
    position_ += n;
  }

  bool stop(wire::errc code) noexcept {
    error_ = {code, static_cast<u32>(position_), "COMPOUND"};
    return false;
  }

  rpc::prefix<Header> header_;
  bytes rest_;
  wire::decode_error error_;
  std::size_t position_ = 0;
  u32 seen_ = 0;
};

using compound_args_walker = compound_walker<operations, compound_args, false>;
using compound_reply_walker = compound_walker<operations, compound_reply, true>;
using callback_args_walker = compound_walker<callback_operations, callback_compound_args, false>;
using callback_reply_walker = compound_walker<callback_operations, compound_reply, true>;

/// Appends one operation of a compound; false when a field is over its limit.
template <class Op>
[[nodiscard]] bool encode_operation(const typename Op::args& args, wire::writer& out) {
  out.be(u32{Op::procedure});
  return rpc::encode(args, out);
}

/// The same of its results.
template <class Op>
[[nodiscard]] bool encode_result(const typename Op::reply& reply, wire::writer& out) {
  out.be(u32{Op::procedure});
  return rpc::encode(reply, out);
}

} // namespace nfs::v4
