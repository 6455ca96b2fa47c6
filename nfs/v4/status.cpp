#include "nfs/v4/status.hpp"

#include <string>

namespace nfs::v4 {

std::string_view to_string(nfsstat4 status) noexcept {
  switch (status) {
  case nfsstat4::ok:
    return "NFS4_OK";
  case nfsstat4::perm:
    return "NFS4ERR_PERM";
  case nfsstat4::noent:
    return "NFS4ERR_NOENT";
  case nfsstat4::io:
    return "NFS4ERR_IO";
  case nfsstat4::nxio:
    return "NFS4ERR_NXIO";
  case nfsstat4::access:
    return "NFS4ERR_ACCESS";
  case nfsstat4::exist:
    return "NFS4ERR_EXIST";
  case nfsstat4::xdev:
    return "NFS4ERR_XDEV";
  case nfsstat4::notdir:
    return "NFS4ERR_NOTDIR";
  case nfsstat4::isdir:
    return "NFS4ERR_ISDIR";
  case nfsstat4::inval:
    return "NFS4ERR_INVAL";
  case nfsstat4::fbig:
    return "NFS4ERR_FBIG";
  case nfsstat4::nospc:
    return "NFS4ERR_NOSPC";
  case nfsstat4::rofs:
    return "NFS4ERR_ROFS";
  case nfsstat4::mlink:
    return "NFS4ERR_MLINK";
  case nfsstat4::nametoolong:
    return "NFS4ERR_NAMETOOLONG";
  case nfsstat4::notempty:
    return "NFS4ERR_NOTEMPTY";
  case nfsstat4::dquot:
    return "NFS4ERR_DQUOT";
  case nfsstat4::stale:
    return "NFS4ERR_STALE";
  case nfsstat4::badhandle:
    return "NFS4ERR_BADHANDLE";
  case nfsstat4::bad_cookie:
    return "NFS4ERR_BAD_COOKIE";
  case nfsstat4::notsupp:
    return "NFS4ERR_NOTSUPP";
  case nfsstat4::toosmall:
    return "NFS4ERR_TOOSMALL";
  case nfsstat4::serverfault:
    return "NFS4ERR_SERVERFAULT";
  case nfsstat4::badtype:
    return "NFS4ERR_BADTYPE";
  case nfsstat4::delay:
    return "NFS4ERR_DELAY";
  case nfsstat4::same:
    return "NFS4ERR_SAME";
  case nfsstat4::denied:
    return "NFS4ERR_DENIED";
  case nfsstat4::expired:
    return "NFS4ERR_EXPIRED";
  case nfsstat4::locked:
    return "NFS4ERR_LOCKED";
  case nfsstat4::grace:
    return "NFS4ERR_GRACE";
  case nfsstat4::fhexpired:
    return "NFS4ERR_FHEXPIRED";
  case nfsstat4::share_denied:
    return "NFS4ERR_SHARE_DENIED";
  case nfsstat4::wrongsec:
    return "NFS4ERR_WRONGSEC";
  case nfsstat4::clid_inuse:
    return "NFS4ERR_CLID_INUSE";
  case nfsstat4::resource:
    return "NFS4ERR_RESOURCE";
  case nfsstat4::moved:
    return "NFS4ERR_MOVED";
  case nfsstat4::nofilehandle:
    return "NFS4ERR_NOFILEHANDLE";
  case nfsstat4::minor_vers_mismatch:
    return "NFS4ERR_MINOR_VERS_MISMATCH";
  case nfsstat4::stale_clientid:
    return "NFS4ERR_STALE_CLIENTID";
  case nfsstat4::stale_stateid:
    return "NFS4ERR_STALE_STATEID";
  case nfsstat4::old_stateid:
    return "NFS4ERR_OLD_STATEID";
  case nfsstat4::bad_stateid:
    return "NFS4ERR_BAD_STATEID";
  case nfsstat4::bad_seqid:
    return "NFS4ERR_BAD_SEQID";
  case nfsstat4::not_same:
    return "NFS4ERR_NOT_SAME";
  case nfsstat4::lock_range:
    return "NFS4ERR_LOCK_RANGE";
  case nfsstat4::symlink:
    return "NFS4ERR_SYMLINK";
  case nfsstat4::restorefh:
    return "NFS4ERR_RESTOREFH";
  case nfsstat4::lease_moved:
    return "NFS4ERR_LEASE_MOVED";
  case nfsstat4::attrnotsupp:
    return "NFS4ERR_ATTRNOTSUPP";
  case nfsstat4::no_grace:
    return "NFS4ERR_NO_GRACE";
  case nfsstat4::reclaim_bad:
    return "NFS4ERR_RECLAIM_BAD";
  case nfsstat4::reclaim_conflict:
    return "NFS4ERR_RECLAIM_CONFLICT";
  case nfsstat4::badxdr:
    return "NFS4ERR_BADXDR";
  case nfsstat4::locks_held:
    return "NFS4ERR_LOCKS_HELD";
  case nfsstat4::openmode:
    return "NFS4ERR_OPENMODE";
  case nfsstat4::badowner:
    return "NFS4ERR_BADOWNER";
  case nfsstat4::badchar:
    return "NFS4ERR_BADCHAR";
  case nfsstat4::badname:
    return "NFS4ERR_BADNAME";
  case nfsstat4::bad_range:
    return "NFS4ERR_BAD_RANGE";
  case nfsstat4::lock_notsupp:
    return "NFS4ERR_LOCK_NOTSUPP";
  case nfsstat4::op_illegal:
    return "NFS4ERR_OP_ILLEGAL";
  case nfsstat4::deadlock:
    return "NFS4ERR_DEADLOCK";
  case nfsstat4::file_open:
    return "NFS4ERR_FILE_OPEN";
  case nfsstat4::admin_revoked:
    return "NFS4ERR_ADMIN_REVOKED";
  case nfsstat4::cb_path_down:
    return "NFS4ERR_CB_PATH_DOWN";
  case nfsstat4::badiomode:
    return "NFS4ERR_BADIOMODE";
  case nfsstat4::badlayout:
    return "NFS4ERR_BADLAYOUT";
  case nfsstat4::bad_session_digest:
    return "NFS4ERR_BAD_SESSION_DIGEST";
  case nfsstat4::badsession:
    return "NFS4ERR_BADSESSION";
  case nfsstat4::badslot:
    return "NFS4ERR_BADSLOT";
  case nfsstat4::complete_already:
    return "NFS4ERR_COMPLETE_ALREADY";
  case nfsstat4::conn_not_bound_to_session:
    return "NFS4ERR_CONN_NOT_BOUND_TO_SESSION";
  case nfsstat4::deleg_already_wanted:
    return "NFS4ERR_DELEG_ALREADY_WANTED";
  case nfsstat4::back_chan_busy:
    return "NFS4ERR_BACK_CHAN_BUSY";
  case nfsstat4::layouttrylater:
    return "NFS4ERR_LAYOUTTRYLATER";
  case nfsstat4::layoutunavailable:
    return "NFS4ERR_LAYOUTUNAVAILABLE";
  case nfsstat4::nomatching_layout:
    return "NFS4ERR_NOMATCHING_LAYOUT";
  case nfsstat4::recallconflict:
    return "NFS4ERR_RECALLCONFLICT";
  case nfsstat4::unknown_layouttype:
    return "NFS4ERR_UNKNOWN_LAYOUTTYPE";
  case nfsstat4::seq_misordered:
    return "NFS4ERR_SEQ_MISORDERED";
  case nfsstat4::sequence_pos:
    return "NFS4ERR_SEQUENCE_POS";
  case nfsstat4::req_too_big:
    return "NFS4ERR_REQ_TOO_BIG";
  case nfsstat4::rep_too_big:
    return "NFS4ERR_REP_TOO_BIG";
  case nfsstat4::rep_too_big_to_cache:
    return "NFS4ERR_REP_TOO_BIG_TO_CACHE";
  case nfsstat4::retry_uncached_rep:
    return "NFS4ERR_RETRY_UNCACHED_REP";
  case nfsstat4::unsafe_compound:
    return "NFS4ERR_UNSAFE_COMPOUND";
  case nfsstat4::too_many_ops:
    return "NFS4ERR_TOO_MANY_OPS";
  case nfsstat4::op_not_in_session:
    return "NFS4ERR_OP_NOT_IN_SESSION";
  case nfsstat4::hash_alg_unsupp:
    return "NFS4ERR_HASH_ALG_UNSUPP";
  case nfsstat4::clientid_busy:
    return "NFS4ERR_CLIENTID_BUSY";
  case nfsstat4::pnfs_io_hole:
    return "NFS4ERR_PNFS_IO_HOLE";
  case nfsstat4::seq_false_retry:
    return "NFS4ERR_SEQ_FALSE_RETRY";
  case nfsstat4::bad_high_slot:
    return "NFS4ERR_BAD_HIGH_SLOT";
  case nfsstat4::deadsession:
    return "NFS4ERR_DEADSESSION";
  case nfsstat4::encr_alg_unsupp:
    return "NFS4ERR_ENCR_ALG_UNSUPP";
  case nfsstat4::pnfs_no_layout:
    return "NFS4ERR_PNFS_NO_LAYOUT";
  case nfsstat4::not_only_op:
    return "NFS4ERR_NOT_ONLY_OP";
  case nfsstat4::wrong_cred:
    return "NFS4ERR_WRONG_CRED";
  case nfsstat4::wrong_type:
    return "NFS4ERR_WRONG_TYPE";
  case nfsstat4::dirdeleg_unavail:
    return "NFS4ERR_DIRDELEG_UNAVAIL";
  case nfsstat4::reject_deleg:
    return "NFS4ERR_REJECT_DELEG";
  case nfsstat4::returnconflict:
    return "NFS4ERR_RETURNCONFLICT";
  case nfsstat4::deleg_revoked:
    return "NFS4ERR_DELEG_REVOKED";
  case nfsstat4::partner_notsupp:
    return "NFS4ERR_PARTNER_NOTSUPP";
  case nfsstat4::partner_no_auth:
    return "NFS4ERR_PARTNER_NO_AUTH";
  case nfsstat4::union_notsupp:
    return "NFS4ERR_UNION_NOTSUPP";
  case nfsstat4::offload_denied:
    return "NFS4ERR_OFFLOAD_DENIED";
  case nfsstat4::wrong_lfs:
    return "NFS4ERR_WRONG_LFS";
  case nfsstat4::badlabel:
    return "NFS4ERR_BADLABEL";
  case nfsstat4::offload_no_reqs:
    return "NFS4ERR_OFFLOAD_NO_REQS";
  case nfsstat4::noxattr:
    return "NFS4ERR_NOXATTR";
  case nfsstat4::xattr2big:
    return "NFS4ERR_XATTR2BIG";
  }
  return "unknown";
}

namespace {

struct nfsstat4_names final : std::error_category {
  const char* name() const noexcept override { return "nfs4"; }
  std::string message(int value) const override {
    const auto status = static_cast<nfsstat4>(value);
    const auto text = to_string(status);
    if (text == "unknown") return "status " + std::to_string(static_cast<wire::u32>(value));
    const auto words = meaning(status);
    return words.empty() ? std::string(text) : std::string(text) + " (" + std::string(words) + ")";
  }
};

} // namespace

std::string_view meaning(nfsstat4 status) noexcept {
  switch (status) {
  case nfsstat4::perm:
    return "not the owner";
  case nfsstat4::noent:
    return "no such file or directory";
  case nfsstat4::io:
    return "the disk failed";
  case nfsstat4::access:
    return "permission denied";
  case nfsstat4::exist:
    return "it is there already";
  case nfsstat4::notdir:
    return "not a directory";
  case nfsstat4::isdir:
    return "a directory";
  case nfsstat4::inval:
    return "an argument is not valid";
  case nfsstat4::fbig:
    return "the file would be too large";
  case nfsstat4::nospc:
    return "no space left";
  case nfsstat4::rofs:
    return "the file system is read-only";
  case nfsstat4::nametoolong:
    return "the name is too long";
  case nfsstat4::notempty:
    return "the directory is not empty";
  case nfsstat4::dquot:
    return "the quota is used up";
  case nfsstat4::stale:
    return "the file is gone";
  case nfsstat4::notsupp:
    return "the server does not do this";
  case nfsstat4::delay:
    return "the server wants it later";
  case nfsstat4::grace:
    return "the server has restarted and waits for its clients to reclaim";
  case nfsstat4::expired:
    return "the lease has run out";
  case nfsstat4::locked:
  case nfsstat4::denied:
    return "somebody else has a lock on it";
  case nfsstat4::wrongsec:
    return "the export wants another security flavour";
  case nfsstat4::minor_vers_mismatch:
    return "the server does not know this minor version";
  case nfsstat4::badsession:
    return "the server does not know the session";
  default:
    return {};
  }
}

const std::error_category& nfsstat4_category() noexcept {
  static const nfsstat4_names category;
  return category;
}

std::error_code make_error_code(nfsstat4 status) noexcept {
  return {static_cast<int>(status), nfsstat4_category()};
}

} // namespace nfs::v4
