#pragma once

#include "rpc/op_list.hpp"
#include "rpc/portmap/types.hpp"

/// rpcbind, versions 3 and 4, which have these procedures in common.
/// Source: RFC 1833 section 2.
namespace rpc::portmap {

template <u32 Version>
struct rpcbind {
  struct null {
    using program = portmap::program<Version>;
    static constexpr u32 procedure = 0;
    static constexpr std::string_view name = "NULL";
    using args = nothing;
    using reply = nothing;
  };

  struct set {
    using program = portmap::program<Version>;
    static constexpr u32 procedure = 1;
    static constexpr std::string_view name = "SET";
    using args = rpcb;
    using reply = bool_result;
  };

  struct unset {
    using program = portmap::program<Version>;
    static constexpr u32 procedure = 2;
    static constexpr std::string_view name = "UNSET";
    using args = rpcb;
    using reply = bool_result;
  };

  /// The reply is empty when the program is not registered.
  struct getaddr {
    using program = portmap::program<Version>;
    static constexpr u32 procedure = 3;
    static constexpr std::string_view name = "GETADDR";
    using args = rpcb;
    using reply = text_result;
  };

  struct dump {
    using program = portmap::program<Version>;
    static constexpr u32 procedure = 4;
    static constexpr std::string_view name = "DUMP";
    using args = nothing;
    struct reply {
      std::vector<rpcb> mappings;
      static bool fields(auto& m, auto& ar) {
        return ar.chain("mappings", m.mappings, mappings_max);
      }
    };
  };

  /// Seconds since 1970 on the server.
  struct gettime {
    using program = portmap::program<Version>;
    static constexpr u32 procedure = 6;
    static constexpr std::string_view name = "GETTIME";
    using args = nothing;
    using reply = word_result;
  };

  using operations = op_list<null, set, unset, getaddr, dump, gettime>;
};

using v3 = rpcbind<3>;
using v4 = rpcbind<4>;

} // namespace rpc::portmap
