#include "profiler/flow/operation_names.hpp"

#include "profiler/flow/rpc_programs.hpp"
#include "smb2/commands.hpp"

#include <fmt/format.h>

namespace profiler::flow {

std::string operation_name(timing::operation_key key) {
  if (key == timing::operation_key{wire::protocol::smb2, timing::sealed_operation})
    return "ENCRYPTED";
  const auto name = key.proto == wire::protocol::smb2
                        ? smb2::commands::name(key.operation)
                        : rpc_operation_name(key.proto, key.operation);
  if (!name.empty()) return std::string(name);
  if (key.operation == timing::other_operation) return "OTHER";
  return fmt::format("{} {}", key.proto == wire::protocol::smb2 ? "COMMAND" : "PROC",
                     key.operation);
}

} // namespace profiler::flow
