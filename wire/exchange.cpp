#include "wire/exchange.hpp"

namespace wire {

std::string_view to_string(protocol p) noexcept {
  switch (p) {
  case protocol::portmap:
    return "portmap";
  case protocol::mount:
    return "mount";
  case protocol::nfs2:
    return "nfs2";
  case protocol::nfs3:
    return "nfs3";
  case protocol::nfsacl:
    return "nfsacl";
  case protocol::nfs4:
    return "nfs4";
  case protocol::nfs4_0:
    return "nfs4.0";
  case protocol::nfs4_1:
    return "nfs4.1";
  case protocol::nfs4_2:
    return "nfs4.2";
  case protocol::nfs4_cb:
    return "nfs4_cb";
  case protocol::nlm:
    return "nlm";
  case protocol::nsm:
    return "nsm";
  case protocol::rquota:
    return "rquota";
  case protocol::smb2:
    return "smb2";
  }
  return "unknown";
}

} // namespace wire
