#pragma once

#include "smb2/contexts/create_data.hpp"
#include "smb2/dialect.hpp"

#include <expected>
#include <string>
#include <vector>

/// The contexts of CREATE as `wiretrip op` takes and tells them.
namespace cli {

struct wanted_contexts {
  std::vector<std::byte> chain;
  bool lease = false; ///< the oplock level must ask for one
  smb2::guid lease_key{};
};

/// "MxAc,QFid,RqLs=7,AlSi=1m": names with commas between, some with a value.
///   MxAc, QFid, DHnQ   no value
///   RqLs=STATE         a lease: 1 read, 2 handle, 4 write, added (7); version 1 on 2.1, 2 on 3.x
///   DH2Q=MS            a durable handle for so long (0: the server's own)
///   AlSi=BYTES         the first allocation
///   TWrp=SECONDS       the file as the snapshot of that time has it (since 1970)
///   POSIX=MODE         the mode of a new file, POSIX extensions
/// Errors: a sentence that names what is wrong and what may stand there.
[[nodiscard]] std::expected<wanted_contexts, std::string> parse_contexts(std::string_view text,
                                                                         smb2::dialect dialect);

/// One "name fields" for each context of a CREATE response.
[[nodiscard]] std::vector<std::string> print_contexts(smb2::bytes chain);

} // namespace cli
