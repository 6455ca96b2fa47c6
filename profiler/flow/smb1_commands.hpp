#pragma once

#include "profiler/flow/smb_facts.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace profiler::flow {

/// "NT_CREATE_ANDX"; "COMMAND 0x0e" where it has no name here. · source: MS-CIFS 2.2.2.1
[[nodiscard]] std::string smb1_command_name(u8 command);

struct smb1_row {
  u8 command = 0;
  smb_facts::both_ways count;
};

/// The commands that were seen, most requests first.
[[nodiscard]] std::vector<smb1_row> smb1_rows(const smb_facts& facts);

} // namespace profiler::flow
