#pragma once

#include "smb2/commands/cancel.hpp"
#include "smb2/commands/change_notify.hpp"
#include "smb2/commands/close.hpp"
#include "smb2/commands/create.hpp"
#include "smb2/commands/echo.hpp"
#include "smb2/commands/error.hpp"
#include "smb2/commands/flush.hpp"
#include "smb2/commands/ioctl.hpp"
#include "smb2/commands/lock.hpp"
#include "smb2/commands/logoff.hpp"
#include "smb2/commands/negotiate.hpp"
#include "smb2/commands/oplock_break.hpp"
#include "smb2/commands/query_directory.hpp"
#include "smb2/commands/query_info.hpp"
#include "smb2/commands/read.hpp"
#include "smb2/commands/server_to_client_notification.hpp"
#include "smb2/commands/session_setup.hpp"
#include "smb2/commands/set_info.hpp"
#include "smb2/commands/tree_connect.hpp"
#include "smb2/commands/tree_disconnect.hpp"
#include "smb2/commands/write.hpp"

namespace smb2 {

/// A command that a client sends; SERVER_TO_CLIENT_NOTIFICATION is none.
template <class Command>
concept asked = requires {
  typename Command::request;
};

/// A command that the server answers, or sends on its own; CANCEL is not.
template <class Command>
concept answered = requires {
  typename Command::response;
};

/// The commands, known at compile time. Each names its `number`, `name`, `request` and `response`;
/// whoever walks the list (client, profiler, tests, fuzzer) needs no other table.
template <class... Commands>
struct command_list {
  static constexpr std::size_t size = sizeof...(Commands);

  /// Calls f.operator()<Command>() for the command of that number; false when there is none.
  template <class F>
  static bool visit(u16 number, F&& f) {
    return ((Commands::number == number && (f.template operator()<Commands>(), true)) || ...);
  }

  /// Calls f.operator()<Command>() for each command in order.
  template <class F>
  static void for_each(F&& f) {
    (f.template operator()<Commands>(), ...);
  }

  /// "QUERY_INFO"; empty for a number that the specification does not have.
  [[nodiscard]] static constexpr std::string_view name(u16 number) noexcept {
    std::string_view out;
    static_cast<void>(((Commands::number == number && (out = Commands::name, true)) || ...));
    return out;
  }
};

/// Every command of SMB 2 and 3, in the order of its numbers. · source: MS-SMB2 2.2.1.2
using commands =
    command_list<negotiate, session_setup, logoff, tree_connect, tree_disconnect, create, close,
                 flush, read, write, lock, ioctl, cancel, echo, query_directory, change_notify,
                 query_info, set_info, oplock_break, server_to_client_notification>;

namespace detail {

template <class Request, class... Commands>
struct command_with;

template <class Request, class First, class... Rest>
struct command_with<Request, First, Rest...>
    : std::conditional_t<std::is_same_v<typename First::request, Request>,
                         std::type_identity<First>, command_with<Request, Rest...>> {};

template <class Request, class List>
struct command_in;

template <class Request, class... Commands>
struct command_in<Request, command_list<Commands...>> : command_with<Request, Commands...> {};

} // namespace detail

/// The command whose request this is.
template <class Request>
using command_of = typename detail::command_in<Request, commands>::type;

} // namespace smb2
