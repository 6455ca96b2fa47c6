#pragma once

#include "smb2/le.hpp"

/// FSCTLs of named pipes. FSCTL_PIPE_TRANSCEIVE carries the pipe's own bytes both ways.
namespace smb2 {

/// FSCTL_PIPE_WAIT: until an instance of the pipe is free. · units: timeout in 100 ns
/// · source: MS-FSCC 2.3 FSCTL_PIPE_WAIT
struct pipe_wait_request {
  static constexpr std::string_view title = "PIPE_WAIT request";

  u64 timeout = 0;
  u8 timeout_specified = 0; ///< 0: the server's own
  utf16_view name;          ///< without "\pipe\"

  static bool fields(auto& m, auto& ar) {
    return ar("timeout", m.timeout) && ar.length32(m.name, 0) &&
           ar("timeout_specified", m.timeout_specified) && ar.pad(1) && ar.run("name", m.name, 0);
  }
};

/// FSCTL_PIPE_PEEK: what is there to be read, left there. · source: MS-FSCC 2.3 FSCTL_PIPE_PEEK
struct pipe_peek_response {
  static constexpr std::string_view title = "PIPE_PEEK response";

  u32 named_pipe_state = 0; ///< 3 connected, 4 closing
  u32 read_data_available = 0;
  u32 number_of_messages = 0;
  u32 message_length = 0; ///< of the first message
  bytes data;

  static bool fields(auto& m, auto& ar) {
    return ar("named_pipe_state", m.named_pipe_state, "read_data_available", m.read_data_available,
              "number_of_messages", m.number_of_messages, "message_length", m.message_length) &&
           ar.rest("data", m.data);
  }
};

} // namespace smb2
