#pragma once

#include "smb2/auth/credentials.hpp"

/// Kerberos with the tickets of the user's cache (KRB5CCNAME, or what krb5.conf says), through
/// GSSAPI. The only part of smb2 that links to it: library smb2_kerberos.
namespace smb2::auth {

/// What session_options::kerberos takes. Each mechanism that it makes asks for the service
/// cifs/SERVER, with mutual authentication; the session's key is the one that GSSAPI's extension
/// for SSPI gives: the acceptor's subkey, 16 or 32 bytes.
/// · errors: a server that is given by its address; a user who is not the cache's; and from step(),
///   auth::errc::kerberos, with an explanation(): no ticket, an expired one, a realm or a server
///   that the KDC does not know, clocks that differ, a KDC that does not answer.
/// · blocks: step() asks the KDC and waits for it.
/// · source: RFC 4121, MS-KILE, MS-SMB2 3.2.4.2.3
[[nodiscard]] mechanism_source kerberos_source();

} // namespace smb2::auth
