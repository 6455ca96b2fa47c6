#pragma once

#include "tests/support/pcap_builder.hpp"

/// The two hosts of most tests, and connections between them that are open.
namespace support {

inline const auto nfs_client = v4(198, 18, 1, 1, 741);
inline const auto nfs_server = v4(198, 18, 1, 2, 2049);
inline const auto smb_client = v4(198, 18, 1, 1, 50'123);
inline const auto smb_server = v4(198, 18, 1, 2, 445);

inline tcp_talk open_talk(const endpoint& client, const endpoint& server,
                          const tcp_talk::settings& s = {}) {
  tcp_talk talk(client, server, s);
  talk.handshake();
  return talk;
}
inline tcp_talk nfs_talk(const tcp_talk::settings& s = {}) {
  return open_talk(nfs_client, nfs_server, s);
}
inline tcp_talk smb_talk(const tcp_talk::settings& s = {}) {
  return open_talk(smb_client, smb_server, s);
}

} // namespace support
