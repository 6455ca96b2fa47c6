#include "nfs/v4/types.hpp"

#include "nfs/v4/lock_types.hpp"
#include "nfs/v4/open_types.hpp"

namespace nfs::v4 {

std::string_view to_string(ftype type) noexcept {
  switch (type) {
  case ftype::reg:
    return "NF4REG";
  case ftype::dir:
    return "NF4DIR";
  case ftype::blk:
    return "NF4BLK";
  case ftype::chr:
    return "NF4CHR";
  case ftype::lnk:
    return "NF4LNK";
  case ftype::sock:
    return "NF4SOCK";
  case ftype::fifo:
    return "NF4FIFO";
  case ftype::attrdir:
    return "NF4ATTRDIR";
  case ftype::namedattr:
    return "NF4NAMEDATTR";
  }
  return "unknown";
}

std::string_view to_string(stable_how how) noexcept {
  switch (how) {
  case stable_how::unstable:
    return "UNSTABLE4";
  case stable_how::data_sync:
    return "DATA_SYNC4";
  case stable_how::file_sync:
    return "FILE_SYNC4";
  }
  return "unknown";
}

std::string_view to_string(lock_type type) noexcept {
  switch (type) {
  case lock_type::read:
    return "READ_LT";
  case lock_type::write:
    return "WRITE_LT";
  case lock_type::readw:
    return "READW_LT";
  case lock_type::writew:
    return "WRITEW_LT";
  }
  return "unknown";
}

std::string_view to_string(delegation_type type) noexcept {
  switch (type) {
  case delegation_type::none:
    return "OPEN_DELEGATE_NONE";
  case delegation_type::read:
    return "OPEN_DELEGATE_READ";
  case delegation_type::write:
    return "OPEN_DELEGATE_WRITE";
  case delegation_type::none_ext:
    return "OPEN_DELEGATE_NONE_EXT";
  case delegation_type::read_attrs:
    return "OPEN_DELEGATE_READ_ATTRS_DELEG";
  case delegation_type::write_attrs:
    return "OPEN_DELEGATE_WRITE_ATTRS_DELEG";
  }
  return "unknown";
}

std::string_view to_string(claim_type claim) noexcept {
  switch (claim) {
  case claim_type::null:
    return "CLAIM_NULL";
  case claim_type::previous:
    return "CLAIM_PREVIOUS";
  case claim_type::delegate_cur:
    return "CLAIM_DELEGATE_CUR";
  case claim_type::delegate_prev:
    return "CLAIM_DELEGATE_PREV";
  case claim_type::fh:
    return "CLAIM_FH";
  case claim_type::deleg_cur_fh:
    return "CLAIM_DELEG_CUR_FH";
  case claim_type::deleg_prev_fh:
    return "CLAIM_DELEG_PREV_FH";
  }
  return "unknown";
}

} // namespace nfs::v4
