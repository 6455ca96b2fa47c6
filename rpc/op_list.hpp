#pragma once

#include "wire/bytes.hpp"

#include <array>
#include <string_view>

namespace rpc {

/// The operations of one program version, known at compile time. Each names its `program`,
/// `procedure`, `name`, `args` and `reply`; whoever walks the list (client, profiler, tests,
/// fuzzers) needs no other table.
template <class... Ops>
struct op_list {
  static constexpr std::size_t size = sizeof...(Ops);

  /// Calls f.operator()<Op>() for the operation of that number; false when there is none.
  template <class F>
  static bool visit(wire::u32 procedure, F&& f) {
    return ((Ops::procedure == procedure && (f.template operator()<Ops>(), true)) || ...);
  }

  /// Calls f.operator()<Op>() for each operation in order.
  template <class F>
  static void for_each(F&& f) {
    (f.template operator()<Ops>(), ...);
  }

  /// The specification's name ("GETATTR"); empty for a number that it does not have.
  [[nodiscard]] static constexpr std::string_view name(wire::u32 procedure) noexcept {
    std::string_view out;
    static_cast<void>(((Ops::procedure == procedure && (out = Ops::name, true)) || ...));
    return out;
  }

  [[nodiscard]] static constexpr std::array<std::string_view, size> names() noexcept {
    return {Ops::name...};
  }
};

} // namespace rpc
