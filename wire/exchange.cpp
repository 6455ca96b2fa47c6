#include "wire/exchange.hpp"

namespace wire {

std::string_view to_string(protocol p) noexcept {
  switch (p) {
  case protocol::portmap:
    return "portmap";
  case protocol::mount:
    return "mount";
  case protocol::nfs3:
    return "nfs3";
  case protocol::nfsacl:
    return "nfsacl";
  case protocol::nfs4:
    return "nfs4";
  case protocol::nlm:
    return "nlm";
  case protocol::smb2:
    return "smb2";
  }
  return "unknown";
}

} // namespace wire
