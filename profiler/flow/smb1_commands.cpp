#include "profiler/flow/smb1_commands.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace profiler::flow {

namespace {

struct named_command {
  u8 number;
  std::string_view name;
};

constexpr named_command names[] = {{0x00, "CREATE_DIRECTORY"},
                                   {0x01, "DELETE_DIRECTORY"},
                                   {0x02, "OPEN"},
                                   {0x03, "CREATE"},
                                   {0x04, "CLOSE"},
                                   {0x05, "FLUSH"},
                                   {0x06, "DELETE"},
                                   {0x07, "RENAME"},
                                   {0x08, "QUERY_INFORMATION"},
                                   {0x09, "SET_INFORMATION"},
                                   {0x0a, "READ"},
                                   {0x0b, "WRITE"},
                                   {0x0c, "LOCK_BYTE_RANGE"},
                                   {0x0d, "UNLOCK_BYTE_RANGE"},
                                   {0x10, "CHECK_DIRECTORY"},
                                   {0x22, "SET_INFORMATION2"},
                                   {0x23, "QUERY_INFORMATION2"},
                                   {0x24, "LOCKING_ANDX"},
                                   {0x25, "TRANSACTION"},
                                   {0x26, "TRANSACTION_SECONDARY"},
                                   {0x2b, "ECHO"},
                                   {0x2d, "OPEN_ANDX"},
                                   {0x2e, "READ_ANDX"},
                                   {0x2f, "WRITE_ANDX"},
                                   {0x32, "TRANSACTION2"},
                                   {0x33, "TRANSACTION2_SECONDARY"},
                                   {0x34, "FIND_CLOSE2"},
                                   {0x70, "TREE_CONNECT"},
                                   {0x71, "TREE_DISCONNECT"},
                                   {0x72, "NEGOTIATE"},
                                   {0x73, "SESSION_SETUP_ANDX"},
                                   {0x74, "LOGOFF_ANDX"},
                                   {0x75, "TREE_CONNECT_ANDX"},
                                   {0x80, "QUERY_INFORMATION_DISK"},
                                   {0xa0, "NT_TRANSACT"},
                                   {0xa1, "NT_TRANSACT_SECONDARY"},
                                   {0xa2, "NT_CREATE_ANDX"},
                                   {0xa4, "NT_CANCEL"},
                                   {0xa5, "NT_RENAME"}};

} // namespace

std::string smb1_command_name(u8 command) {
  for (const auto& [number, name] : names)
    if (number == command) return std::string(name);
  return fmt::format("COMMAND {:#04x}", command);
}

std::vector<smb1_row> smb1_rows(const smb_facts& facts) {
  std::vector<smb1_row> out;
  for (std::size_t i = 0; i < facts.smb1.size(); ++i)
    if (const auto& n = facts.smb1[i]; n.requests + n.responses > 0)
      out.push_back({static_cast<u8>(i), n});
  std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) {
    return a.count.requests + a.count.responses > b.count.requests + b.count.responses;
  });
  return out;
}

} // namespace profiler::flow
