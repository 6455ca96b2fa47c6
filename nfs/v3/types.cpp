#include "nfs/v3/types.hpp"

#include "nfs/v3/ops/create.hpp"

namespace nfs::v3 {

std::string_view to_string(ftype3 type) noexcept {
  switch (type) {
  case ftype3::reg:
    return "NF3REG";
  case ftype3::dir:
    return "NF3DIR";
  case ftype3::blk:
    return "NF3BLK";
  case ftype3::chr:
    return "NF3CHR";
  case ftype3::lnk:
    return "NF3LNK";
  case ftype3::sock:
    return "NF3SOCK";
  case ftype3::fifo:
    return "NF3FIFO";
  }
  return "unknown";
}

std::string_view to_string(time_how how) noexcept {
  switch (how) {
  case time_how::dont_change:
    return "DONT_CHANGE";
  case time_how::set_to_server_time:
    return "SET_TO_SERVER_TIME";
  case time_how::set_to_client_time:
    return "SET_TO_CLIENT_TIME";
  }
  return "unknown";
}

std::string_view to_string(stable_how how) noexcept {
  switch (how) {
  case stable_how::unstable:
    return "UNSTABLE";
  case stable_how::data_sync:
    return "DATA_SYNC";
  case stable_how::file_sync:
    return "FILE_SYNC";
  }
  return "unknown";
}

std::string_view to_string(createmode3 mode) noexcept {
  switch (mode) {
  case createmode3::unchecked:
    return "UNCHECKED";
  case createmode3::guarded:
    return "GUARDED";
  case createmode3::exclusive:
    return "EXCLUSIVE";
  }
  return "unknown";
}

} // namespace nfs::v3
