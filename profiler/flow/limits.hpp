#pragma once

#include "wire/bytes.hpp"

#include <chrono>

/// What the matching of calls and replies may hold of one connection.
namespace profiler::flow {

/// Calls outstanding each way; Linux clients stop at 65,536, a few thousand are rare.
inline constexpr std::size_t outstanding_calls_max = 16384;
/// Ids that were answered, to tell a duplicate reply from one whose call was not captured.
inline constexpr std::size_t answered_ids_max = 256;
/// A call without a reply for so long is given up.
inline constexpr wire::nanos call_expiry = std::chrono::seconds(120);

/// Header bytes that are kept of a message which lies in several segments: RPC header, credential
/// (400 bytes), handle and a name fit.
inline constexpr std::size_t rpc_keep_bytes = 1024;
/// The same of a listing whose names and handles are learned from: clients ask for 64 KiB and more.
inline constexpr std::size_t rpc_listing_keep_bytes = 64u << 10;
/// A compound's later commands stand behind the data of a READ or WRITE of up to 64 KiB.
inline constexpr std::size_t smb2_keep_bytes = (64u << 10) + 1024;
/// A READ's response or a WRITE's request that is no compound: what stands before the data
/// (MS-SMB2 2.2.20, 2.2.21).
inline constexpr std::size_t smb2_data_keep_bytes = 128;
/// What a compressed message may become: a few bytes may say that they are 16 MiB of zeros.
inline constexpr wire::u32 smb2_decompressed_bytes_max = 2u << 20;

/// A pause inside one message, beyond the round trip time, that is put down as a stall: the
/// shortest delayed acknowledgment is 40 ms, and no line in use takes 30 ms for a segment.
inline constexpr wire::nanos stall_min = std::chrono::milliseconds(30);

/// Bytes that look like calls, of which neither the end nor the xid shows that they are some,
/// before one is taken for a call: the capture may lack so much that xids have moved on.
inline constexpr wire::u32 doubted_calls_max = 256;

/// Replies to later calls before the one call that is left is taken to have had its reply lost.
inline constexpr wire::u32 elimination_replies = 16;

/// Pairs of UDP ports that are followed at once.
inline constexpr std::size_t datagram_flows_max = 4096;

/// Segments of a connection on an unknown port that are looked at before it is let go.
inline constexpr wire::u32 sniffed_chunks_max = 8;

} // namespace profiler::flow
