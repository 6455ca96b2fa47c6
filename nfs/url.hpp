#pragma once

#include "nfs/security.hpp"
#include "rpc/transport.hpp"
#include "wire/bytes.hpp"

#include <expected>
#include <optional>
#include <string>
#include <string_view>

namespace nfs {

/// nfs://server[:port]/export/path?version=3&transport=tcp&sec=sys&rsize=&wsize=&uid=&gid=…
/// The export may be any leading part of the path. Sizes are bytes and take k, m, g.
struct url {
  std::string host;
  wire::u16 port = 0;          ///< 0: ask rpcbind
  wire::u16 mount_port = 0;    ///< 0: ask rpcbind
  wire::u32 version = 3;       ///< 3 or 4
  wire::u32 minor_version = 0; ///< of version 4: 1 or 2
  std::string path = "/";      ///< absolute, decoded, without a slash at its end
  wire::u32 rsize = 0;         ///< 0: what the server prefers
  wire::u32 wsize = 0;
  rpc::transport transport = rpc::transport::tcp; ///< of NFS; MOUNT and rpcbind use TCP
  security sec = security::sys;
  std::optional<wire::u32> uid; ///< of AUTH_SYS; absent: that of this process
  std::optional<wire::u32> gid;

  friend bool operator==(const url&, const url&) = default;
};

/// The error is a sentence that names the part and what would be right. Values that the form knows
/// and wiretrip cannot do yet (version=4.1, xprtsec=tls…) are errors that say so.
[[nodiscard]] std::expected<url, std::string> parse_url(std::string_view text);

/// The shortest URL that parses to the same.
[[nodiscard]] std::string to_string(const url& u);

} // namespace nfs
