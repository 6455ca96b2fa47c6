#pragma once

#include "wire/bytes.hpp"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace profiler::capture {

using wire::bytes;
using wire::nanos;
using wire::u32;
using wire::u64;

/// Of one interface of the capture; a pcap file has one. Texts are valid UTF-8 without control
/// characters, whatever the file has in their places.
struct capture_interface {
  std::string name{}; ///< this and the other texts: pcapng only
  u32 link_type = 0;
  u32 snap_length = 0;    ///< 0: no limit
  nanos resolution{1000}; ///< of its times, at least 1 ns
  u64 packets = 0;

  /// Counters of its statistics, where the file has some; a later block replaces an earlier one.
  std::optional<u64> received{};             ///< isb_ifrecv: by the interface
  std::optional<u64> dropped_by_interface{}; ///< isb_ifdrop: it had no room
  std::optional<u64> filter_accepted{};      ///< isb_filteraccept: packets that passed the filter
  std::optional<u64> dropped_by_system{};    ///< isb_osdrop: its buffer was full
  std::optional<u64> delivered{};            ///< isb_usrdeliv: handed to the capturing program
  /// Sum of the packets' own counters (epb_dropcount) of those lost since the packet before.
  u64 lost_between_packets = 0;

  std::string description{};
  std::string filter{}; ///< what the capture was limited to
  std::string hardware{};
  std::string system{};
  u64 speed_bits_s = 0; ///< 0: not told

  /// Lost while capturing: by the statistics where the file has them, else by the packets.
  [[nodiscard]] u64 dropped() const noexcept {
    if (!dropped_by_interface && !dropped_by_system) return lost_between_packets;
    return dropped_by_interface.value_or(0) + dropped_by_system.value_or(0);
  }
};

/// What somebody or a program wrote into the file.
struct capture_comment {
  u64 frame = 0; ///< number of the packet it belongs to; 0: to the file or one of its interfaces
  std::string text{};
};

/// Keys for the protocols in the capture, as the file has them.
/// · source: draft-ietf-opsawg-pcapng, Decryption Secrets Block
struct capture_secrets {
  u32 type = 0; ///< 0x544c534b: a TLS key log
  std::vector<std::byte> data{};
};

/// "TLS key log", or "secrets of type 12345678"
[[nodiscard]] std::string secrets_name(u32 type);

/// An address and its name as the capturing host knew it.
struct capture_name {
  bool v6 = false;
  std::array<std::byte, 16> address{}; ///< network order; IPv4 in the first four
  std::string name{};
};

/// Blocks of one kind that say nothing about packets.
struct block_count {
  std::string name{}; ///< "systemd journal export", or "block type 12345678"
  u64 count = 0;
};

/// What is known of a capture so far; complete after the last packet.
struct capture_summary {
  // What is kept of a file's texts and keys; the rest is counted.
  static constexpr std::size_t comments_max = 64;
  static constexpr std::size_t comment_bytes_max = 200;
  static constexpr std::size_t names_max = 1024;
  static constexpr std::size_t secrets_bytes_max = 1024 * 1024;
  static constexpr std::size_t block_kinds_max = 32;

  std::string format{}; ///< "pcap, µs" or "pcapng", with ", gzip" when compressed
  std::vector<capture_interface> interfaces{};
  u64 packets = 0;
  u64 captured_bytes = 0; ///< of frames, without the file's own headers
  u64 wire_bytes = 0;
  u64 cut_packets = 0; ///< captured shorter than they were on the wire
  nanos first{0};      ///< earliest and latest time, whatever the order in the file
  nanos last{0};
  u64 time_steps_back = 0; ///< packets earlier than the one before them

  // pcapng only.
  u64 sections = 0;
  u64 sections_not_read = 0; ///< of a version that nobody has described
  std::string hardware{};    ///< of the first section that tells
  std::string system{};
  std::string application{};
  u64 inbound = 0; ///< packets that say which way they went
  u64 outbound = 0;
  u64 link_errors = 0; ///< packets that were received with an error of the link
  u64 comments = 0;
  std::vector<capture_comment> comment_texts{};
  u64 names = 0;
  std::vector<capture_name> name_records{};
  u64 secrets = 0;                     ///< blocks of them
  std::vector<capture_secrets> keys{}; ///< of those that were kept
  u64 skipped_blocks = 0;              ///< that say nothing about packets, names or keys
  std::vector<block_count> skipped_kinds{};
  u64 large_blocks = 0; ///< too large to be looked at

  u64 damaged_places = 0;
  u64 damaged_bytes = 0;               ///< passed over at those places
  std::vector<std::string> warnings{}; ///< sentences: what could not be read, and where

  /// Sum of the interfaces'.
  [[nodiscard]] u64 dropped() const noexcept;
  /// Each link type once, in the order of the interfaces that have packets.
  [[nodiscard]] std::vector<u32> link_types() const;
  /// The shortest limit of an interface that cut a packet could have had; 0: none.
  [[nodiscard]] u32 snap_length() const;
};

} // namespace profiler::capture
