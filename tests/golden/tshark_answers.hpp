#pragma once

#include "profiler/analysis/analyzer.hpp"
#include "tests/support/exchanges.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

/// tshark's service response time tables, and how far wiretrip's agree with them.
namespace golden {

using profiler::timing::operation_key;

/// One row, of either program: how many calls had their replies, and r1 − q1 of all of them.
struct srt_row {
  wire::u64 calls = 0;
  double sum_us = 0;
  wire::u64 timed = 0;    ///< how many `sum_us` is the sum of
  wire::u64 inferred = 0; ///< of `calls`: their replies travelled a way that was not captured

  [[nodiscard]] double mean_us() const noexcept {
    return timed == 0 ? 0.0 : sum_us / static_cast<double>(timed);
  }
};

using srt_table = std::map<operation_key, srt_row>;

/// What `tshark -q -z rpc,srt,100003,2 -z rpc,srt,100003,3 -z rpc,srt,100003,4 -z smb2,srt` prints.
[[nodiscard]] srt_table parse_tshark(std::string_view text);

/// The same of wiretrip, of NFSv2, NFSv3, NFSv4 and SMB2 on the ports that tshark knows.
[[nodiscard]] srt_table rows_of(const profiler::result& r,
                                const std::vector<wire::exchange>& exchanges);

/// Answered calls of each RPC program, all versions of MOUNT and of portmap together.
using program_counts = std::map<wire::protocol, wire::u64>;

/// What `tshark -q -z rpc,programs` prints.
[[nodiscard]] program_counts parse_programs(std::string_view text);
[[nodiscard]] program_counts programs_of(const std::vector<wire::exchange>& exchanges);

/// SMB2 messages in the clear on the ports that tshark knows.
struct smb2_counts {
  std::map<wire::u16, wire::u64> requests; ///< by command, without NEGOTIATE and CANCEL
  wire::u64 responses = 0;                 ///< all of them, interim ones and oplock breaks included

  bool operator==(const smb2_counts&) const = default;
};

/// Lines of command, flag of a response, and count, behind "## SMB2 commands": from
/// `tshark -T fields -e smb2.cmd -e smb2.flags.response`.
[[nodiscard]] smb2_counts parse_smb2_messages(std::string_view text);
[[nodiscard]] smb2_counts smb2_messages_of(const profiler::result& r,
                                           const std::vector<wire::exchange>& exchanges);

struct difference {
  operation_key of;
  srt_row tshark;
  srt_row wiretrip;
};

/// Rows with another count, or means more than 1 µs apart.
[[nodiscard]] std::vector<difference> differences(const srt_table& tshark,
                                                  const srt_table& wiretrip);

[[nodiscard]] std::string describe(const difference& d);

/// Why the two are not the same in a capture that is known; empty: they should be.
[[nodiscard]] std::string_view reason_for(std::string_view capture, const difference& d);

} // namespace golden
