#pragma once

#include "nfs/v4/compound.hpp"
#include "tests/support/nfs_messages.hpp"

namespace support {

/// A COMPOUND or CB_COMPOUND call, put together operation by operation, then taken as a record.
class compound_call {
 public:
  explicit compound_call(wire::u32 xid, wire::u32 minor_version = 1)
      : xid_(xid), minor_version_(minor_version) {}

  template <class Op>
  compound_call& with(const typename Op::args& args = {}) {
    ++count_;
    ok_ = nfs::v4::encode_operation<Op>(args, operations_) && ok_;
    return *this;
  }
  compound_call& with_unknown(wire::u32 number) {
    ++count_;
    operations_.be(number);
    return *this;
  }
  /// With the credential of RPCSEC_GSS privacy: the rest is as good as sealed.
  compound_call& sealed() {
    sealed_ = true;
    return *this;
  }
  compound_call& to_client() {
    callback_ = true;
    return *this;
  }

  [[nodiscard]] record message() const {
    rpc::call_header header;
    header.xid = xid_;
    header.program = callback_ ? 0x4000'0000 : nfs::v4::nfs_program::number;
    header.version = callback_ ? nfs::v4::callback_version : nfs::v4::nfs_program::version;
    header.procedure = nfs::v4::compound_procedure;
    std::array<std::byte, 20> privacy{};
    wire::store_be(privacy.data() + 12, wire::u32{3});
    if (sealed_) header.credential = {.flavor = rpc::auth_flavor::gss, .body = privacy};
    wire::writer out;
    bool ok = ok_ && rpc::encode(header, out);
    if (callback_)
      ok = ok && rpc::encode(nfs::v4::callback_compound_args{.tag = {},
                                                             .minorversion = minor_version_,
                                                             .callback_ident = 0,
                                                             .count = count_},
                             out);
    else
      ok = ok &&
           rpc::encode(
               nfs::v4::compound_args{.tag = {}, .minorversion = minor_version_, .count = count_},
               out);
    assert(ok);
    static_cast<void>(ok);
    out.put(operations_.flatten());
    return out.flatten();
  }
  operator record() const { return as_record(message()); } // NOLINT: it is one

 private:
  wire::u32 xid_;
  wire::u32 minor_version_;
  wire::u32 count_ = 0;
  bool ok_ = true;
  bool sealed_ = false;
  bool callback_ = false;
  wire::writer operations_;
};

/// The reply to one; the status is that of the last result.
class compound_results {
 public:
  explicit compound_results(wire::u32 xid) : xid_(xid) {}

  template <class Op>
  compound_results& with(const typename Op::reply& reply = {}) {
    ++count_;
    status_ = reply.status;
    ok_ = nfs::v4::encode_result<Op>(reply, results_) && ok_;
    return *this;
  }

  [[nodiscard]] record message() const {
    rpc::reply_header header;
    header.xid = xid_;
    wire::writer out;
    const bool ok =
        ok_ && rpc::encode(header, out) &&
        rpc::encode(nfs::v4::compound_reply{.status = status_, .tag = {}, .count = count_}, out);
    assert(ok);
    static_cast<void>(ok);
    out.put(results_.flatten());
    return out.flatten();
  }
  operator record() const { return as_record(message()); } // NOLINT: it is one

 private:
  wire::u32 xid_;
  wire::u32 count_ = 0;
  nfs::v4::nfsstat4 status_ = nfs::v4::nfsstat4::ok;
  bool ok_ = true;
  wire::writer results_;
};

inline nfs::v4::file_handle handle4(wire::u32 number) {
  return nfs::v4::file_handle(handle(number).view());
}

} // namespace support
