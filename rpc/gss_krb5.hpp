#pragma once

#include "rpc/gss_mechanism.hpp"

#include <string>
#include <string_view>

/// Kerberos 5 for RPCSEC_GSS with the tickets of the user's cache (KRB5CCNAME, or what krb5.conf
/// says), through GSSAPI. The only part of rpc that links to it: library rpc_krb5.
namespace rpc {

/// Contexts with SERVICE@SERVER, "nfs" for NFS; the server's name in full, as its principal has it.
/// · errors: a server that is given by its address; from step(): no ticket, an expired one, a realm
///   or a server that the KDC does not know, clocks that differ, a KDC that does not answer.
/// · blocks: the first step() asks the KDC and waits for it.
/// · source: RFC 4121, RFC 2203 section 5.2.2
[[nodiscard]] gss_source krb5_source(std::string_view service, const std::string& server);

/// For those who are given the server's name later, such as an NFS client.
[[nodiscard]] gss_source_of_server krb5_source(std::string service);

} // namespace rpc
