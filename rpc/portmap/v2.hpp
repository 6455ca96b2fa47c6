#pragma once

#include "rpc/op_list.hpp"
#include "rpc/portmap/types.hpp"

/// The port mapper, version 2. Source: RFC 1833 section 3.
namespace rpc::portmap::v2 {

struct null {
  using program = portmap::program<2>;
  static constexpr u32 procedure = 0;
  static constexpr std::string_view name = "NULL";
  using args = nothing;
  using reply = nothing;
};

struct set {
  using program = portmap::program<2>;
  static constexpr u32 procedure = 1;
  static constexpr std::string_view name = "SET";
  using args = mapping;
  using reply = bool_result;
};

struct unset {
  using program = portmap::program<2>;
  static constexpr u32 procedure = 2;
  static constexpr std::string_view name = "UNSET";
  using args = mapping;
  using reply = bool_result;
};

/// The port of the call's mapping is ignored; the reply is 0 when the program is not registered.
struct getport {
  using program = portmap::program<2>;
  static constexpr u32 procedure = 3;
  static constexpr std::string_view name = "GETPORT";
  using args = mapping;
  using reply = word_result;
};

struct dump {
  using program = portmap::program<2>;
  static constexpr u32 procedure = 4;
  static constexpr std::string_view name = "DUMP";
  using args = nothing;
  struct reply {
    std::vector<mapping> mappings;
    static bool fields(auto& m, auto& ar) { return ar.chain("mappings", m.mappings, mappings_max); }
  };
};

/// The port mapper calls another program for us; its arguments and results are opaque here.
struct callit {
  using program = portmap::program<2>;
  static constexpr u32 procedure = 5;
  static constexpr std::string_view name = "CALLIT";
  struct args {
    u32 program = 0;
    u32 version = 0;
    u32 procedure = 0;
    bytes arguments;
    static bool fields(auto& m, auto& ar) {
      return ar("prog", m.program, "vers", m.version, "proc", m.procedure) &&
             ar.opaque("args", m.arguments, record_bytes_max);
    }
  };
  struct reply {
    u32 port = 0;
    bytes results;
    static bool fields(auto& m, auto& ar) {
      return ar("port", m.port) && ar.opaque("res", m.results, record_bytes_max);
    }
  };
};

using operations = op_list<null, set, unset, getport, dump, callit>;

} // namespace rpc::portmap::v2
