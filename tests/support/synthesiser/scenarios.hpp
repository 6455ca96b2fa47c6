#pragma once

#include "tests/support/synthesiser/traffic.hpp"

#include <string_view>

/// Traffic with exact known times: the cases in which tshark's numbers mislead
/// (docs/against-tshark.md), and mixed sessions for properties. All times are relative to
/// `scenario_start`.
namespace support {

inline constexpr nanos scenario_start{1'700'000'000'000'000'000};

/// READ of 64 KiB: 1 ms to the first byte of the reply, 46 segments over 4.055 ms; then WRITE of
/// 64 KiB: 46 segments over 4.055 ms, reply 1.945 ms behind the last. The handshake tells 200 µs of
/// round trip.
[[nodiscard]] traffic large_read_and_write();

/// A GETATTR that is sent again with its xid after 1 s on the same connection, and answered 500 µs
/// later.
[[nodiscard]] traffic retransmitted_call();

/// Between two GETATTRs that have both: a reply without a call, and a call without a reply.
[[nodiscard]] traffic orphans();

struct reads_settings {
  u32 rounds = 50;
  u32 depth = 1; ///< READs of 8 KiB in flight at once
  nanos between{5'600};
  u16 mss = 1448;
};

/// READs of 8 KiB in rounds: the replies begin 500 µs behind the last call, and come in one run of
/// full segments, `between` apart. Of several in flight the boundaries lie inside segments.
[[nodiscard]] traffic reads(const reads_settings& s = {});

/// Of the nth reply of reads(), the index of its nth segment.
[[nodiscard]] std::size_t segment_of_reply(const traffic& t, std::size_t reply,
                                           std::size_t segment);

/// 20 WRITEs of a little more than one segment, one at a time. The second segment waits 40.2 ms for
/// the acknowledgement of the first (Nagle and delayed acknowledgement); the reply comes 500 µs
/// behind it.
[[nodiscard]] traffic nagle();

/// A call that is not answered; 60 s later it is sent with the same xid on a new connection, and
/// answered within 400 µs.
[[nodiscard]] traffic reconnect_with_same_xid();

/// SMB2: a compound of CREATE and CLOSE answered after 500 µs, a CHANGE_NOTIFY of 60 s, and a
/// CREATE that is pending for 35 s.
[[nodiscard]] traffic smb2_waits();

/// A window of 0 for 300 ms in the middle of a WRITE of 64 KiB.
[[nodiscard]] traffic zero_window();

/// The same ports again for another connection, with the same xids.
[[nodiscard]] traffic ports_used_again();

/// Random requests of NFSv3 over TCP, pipelined, some of which fail.
[[nodiscard]] traffic nfs_session(unsigned seed, u32 rounds = 12);
/// The same over UDP.
[[nodiscard]] traffic udp_session(unsigned seed, u32 rounds = 6);
/// SMB2: opens, reads, writes, compounds, failures, pending requests.
[[nodiscard]] traffic smb2_session(unsigned seed, u32 rounds = 8, bool compounds = true);
/// The three at once.
[[nodiscard]] traffic mixed_session(unsigned seed, u32 rounds = 8, bool compounds = true);

/// A file that is itself a capture of NFS is written in WRITEs of 16 KiB and read back.
[[nodiscard]] traffic copied_capture();

struct named_scenario {
  std::string_view name;
  std::function<traffic()> make;
};

/// Every row of the table of cases, damage included, by name.
[[nodiscard]] const std::vector<named_scenario>& scenarios();
[[nodiscard]] traffic scenario(std::string_view name);

} // namespace support
