#pragma once

#include "smb2/le.hpp"

/// Copying inside the server: FSCTL_SRV_REQUEST_RESUME_KEY names the source, FSCTL_SRV_COPYCHUNK
/// (or _WRITE, when the target may not be read) on the target copies.
namespace smb2 {

using resume_key = std::array<std::byte, 24>;

/// Ours: no server takes more chunks in one request; Windows and Samba take 256.
inline constexpr u32 copychunks_max = 4096;

/// · bytes: 28 and the context, which has no meaning · source: MS-SMB2 2.2.32.3
struct srv_request_resume_key_response {
  static constexpr std::string_view title = "SRV_REQUEST_RESUME_KEY response";

  smb2::resume_key key{};
  bytes context;

  static bool fields(auto& m, auto& ar) {
    return ar("key", m.key) && ar.length32(m.context, 0) && ar.run("context", m.context, 0);
  }
};

/// · bytes: 24 · source: MS-SMB2 2.2.31.1.1
struct srv_copychunk {
  u64 source_offset = 0;
  u64 target_offset = 0;
  u32 length = 0;

  static bool fields(auto& m, auto& ar) {
    return ar("source_offset", m.source_offset, "target_offset", m.target_offset, "length",
              m.length) &&
           ar.pad(4);
  }
};

/// · source: MS-SMB2 2.2.31.1
struct srv_copychunk_copy {
  static constexpr std::string_view title = "SRV_COPYCHUNK_COPY";

  resume_key source_key{};
  std::vector<srv_copychunk> chunks;

  static bool fields(auto& m, auto& ar) {
    return ar("source_key", m.source_key) && ar.count32(m.chunks, 0) && ar.pad(4) &&
           ar.list("chunks", m.chunks, 0, copychunks_max);
  }
};

/// What was copied; with STATUS_INVALID_PARAMETER instead the most that the server takes: chunks,
/// bytes of a chunk, bytes of all. · source: MS-SMB2 2.2.32.1
struct srv_copychunk_response {
  static constexpr std::string_view title = "SRV_COPYCHUNK response";

  u32 chunks_written = 0;
  u32 chunk_bytes_written = 0; ///< of the chunk that was not finished
  u32 total_bytes_written = 0;

  static bool fields(auto& m, auto& ar) {
    return ar("chunks_written", m.chunks_written, "chunk_bytes_written", m.chunk_bytes_written,
              "total_bytes_written", m.total_bytes_written);
  }
};

} // namespace smb2
