#include "profiler/flow/smb_facts.hpp"

namespace profiler::flow {

void smb_facts::merge(const smb_facts& other) {
  for (std::size_t i = 0; i < smb1.size(); ++i) {
    smb1[i].requests += other.smb1[i].requests;
    smb1[i].responses += other.smb1[i].responses;
  }
  for (std::size_t i = 0; i < compressed.size(); ++i)
    compressed[i] += other.compressed[i];
  uncompressed_bytes += other.uncompressed_bytes;
  compressed_inside += other.compressed_inside;
  sessions_not_listed += other.sessions_not_listed;
  netbios_requests += other.netbios_requests;
  netbios_accepted += other.netbios_accepted;
  netbios_refused += other.netbios_refused;
  netbios_retargeted += other.netbios_retargeted;
  keep_alives += other.keep_alives;
  for (const auto& [id, session] : other.sessions) {
    if (sessions.size() >= sessions_max && !sessions.contains(id))
      sessions_not_listed += session.messages;
    else
      sessions[id].merge(session);
  }
}

} // namespace profiler::flow
