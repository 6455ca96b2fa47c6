#include "tests/golden/tshark_answers.hpp"

#include "profiler/flow/operation_names.hpp"

#include <array>
#include <cmath>
#include <fmt/format.h>
#include <optional>
#include <sstream>

namespace golden {

namespace {

using wire::protocol;

/// tshark prints microseconds, so that a mean of one call is off by half of one.
constexpr double tolerance_us = 1.0;

constexpr wire::u16 negotiate = 0, read = 8, cancel = 12, oplock_break = 18, nfs_write = 7;

/// A difference that was looked into (docs/against-tshark.md).
struct known_difference {
  std::string_view capture; ///< end of its path
  operation_key of;
  wire::u64 tshark_calls;
  wire::u64 wiretrip_calls;
  std::string_view reason;
};

constexpr std::string_view answered_smb1 =
    "a NEGOTIATE that was asked in SMB1 and answered in SMB2 is a round trip; tshark does not time "
    "it";
constexpr std::string_view acknowledged_break =
    "acknowledging an oplock break is a round trip; tshark's table has no row for it";

constexpr std::array known{
    known_difference{"zeek-zeek/smb2.pcap", {protocol::smb2, negotiate}, 0, 1, answered_smb1},
    known_difference{
        "smb3_negotiate_context.pcap", {protocol::smb2, negotiate}, 1, 2, answered_smb1},
    known_difference{
        "smb_many_open_files_500.pcap.gz", {protocol::smb2, negotiate}, 1, 2, answered_smb1},
    known_difference{"smb2-delete.pcap", {protocol::smb2, negotiate}, 1, 2, answered_smb1},
    known_difference{"smb-version-keyword.pcap", {protocol::smb2, negotiate}, 1, 2, answered_smb1},
    known_difference{"smb-length-5770.pcap", {protocol::smb2, negotiate}, 2, 4, answered_smb1},
    known_difference{
        "smb-length-5770.pcap", {protocol::smb2, oplock_break}, 0, 9, acknowledged_break},
    known_difference{
        "eth-ipv4-tcp-smb2-putty.pcap", {protocol::smb2, oplock_break}, 0, 1, acknowledged_break},
    known_difference{"smb2-peter-minus-p191-p192.pcap",
                     {protocol::smb2, read},
                     37,
                     38,
                     "two segments of one READ response are missing; tshark loses the response"},
    known_difference{"eth-ipv4-udp-nfsv3-dup-retransm.pcap",
                     {protocol::nfs3, nfs_write},
                     12,
                     11,
                     "frames 182 and 186 answer the same xid; tshark counts both"},
    known_difference{"tcp-seq-overlap-in-fragment-12721.pcap.bz2",
                     {protocol::nfs3, nfs_write},
                     0,
                     6168,
                     "each WRITE call lacks some of its data; tshark loses them all"},
};

bool ends_with(std::string_view text, std::string_view end) noexcept {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

/// "    6  READ    3  0.0001 0.0002 0.0001 0.0003": index, name of some words, calls, min, max,
/// mean, sum; nothing for other lines.
bool parse_row(const std::string& line, wire::u16& index, srt_row& row) {
  std::istringstream in(line);
  std::vector<std::string> words;
  for (std::string word; in >> word;)
    words.push_back(word);
  if (words.size() < 7 || words[0].find_first_not_of("0123456789") != std::string::npos)
    return false;
  const auto& calls = words[words.size() - 5];
  if (calls.find_first_not_of("0123456789") != std::string::npos) return false;
  index = static_cast<wire::u16>(std::stoul(words[0]));
  row.calls = row.timed = std::stoull(calls);
  row.sum_us = std::stod(words.back()) * 1e6;
  return true;
}

/// NFSv4 has one row in tshark's table for all that is no NULL.
std::optional<operation_key> row_of(const wire::exchange& e) noexcept {
  if (is_nfs4(e.proto)) {
    if (e.part > 0) return std::nullopt;
    return operation_key{protocol::nfs4, e.operation == 0 ? wire::u16{0} : wire::u16{1}};
  }
  if (e.proto != protocol::nfs2 && e.proto != protocol::nfs3 && e.proto != protocol::smb2)
    return std::nullopt;
  return profiler::timing::key_of(e);
}

/// Names as tshark prints them, "NFS(100003)".
std::optional<protocol> protocol_of(std::string_view program, unsigned version) noexcept {
  if (program == "NFS(100003)")
    return version == 2 ? protocol::nfs2 : version == 3 ? protocol::nfs3 : protocol::nfs4;
  if (program == "MOUNT(100005)") return protocol::mount;
  if (program == "Portmap(100000)") return protocol::portmap;
  if (program == "NFSACL(100227)") return protocol::nfsacl;
  if (program == "NFS CB(1073741824)") return protocol::nfs4_cb;
  return std::nullopt;
}

bool on_known_port(const profiler::flow::connection& c) noexcept {
  const auto port = c.key.server.port;
  return port == 445 || port == 139 || port == 2049;
}

} // namespace

srt_table parse_tshark(std::string_view text) {
  srt_table out;
  std::istringstream in{std::string(text)};
  bool wanted = false;
  auto proto = protocol::nfs3;
  for (std::string line; std::getline(in, line);) {
    if (line.rfind("Filter:", 0) == 0) {
      const auto is = [&](const char* filter) { return line.find(filter) != std::string::npos; };
      wanted = is("nfs.procedure_") || is("smb2.cmd");
      proto = is("nfs.procedure_v2")   ? protocol::nfs2
              : is("nfs.procedure_v3") ? protocol::nfs3
              : is("nfs.procedure_v4") ? protocol::nfs4
                                       : protocol::smb2;
      continue;
    }
    wire::u16 index = 0;
    srt_row row;
    if (wanted && parse_row(line, index, row)) out[{proto, index}] = row;
  }
  return out;
}

srt_table rows_of(const profiler::result& r, const std::vector<wire::exchange>& exchanges) {
  srt_table out;
  for (const auto& e : exchanges) {
    const auto key = row_of(e);
    if (!e.replied || !key || !on_known_port(r.connections[e.connection])) continue;
    auto& row = out[*key];
    ++row.calls;
    const auto unseen = r.connections[e.connection].tcp().unseen;
    if (e.by_elimination && unseen == profiler::net::unseen_side::server) ++row.inferred;
    if (!e.timed() || e.bounded()) continue;
    ++row.timed;
    row.sum_us += static_cast<double>(e.srt().count()) / 1e3;
  }
  return out;
}

program_counts parse_programs(std::string_view text) {
  program_counts out;
  std::istringstream in{std::string(text)};
  for (std::string line; std::getline(in, line);) {
    const auto end = line.find(')');
    if (end == line.npos) continue;
    std::istringstream numbers(line.substr(end + 1));
    unsigned version = 0;
    wire::u64 calls = 0;
    if (!(numbers >> version >> calls)) continue;
    if (const auto proto = protocol_of(line.substr(0, end + 1), version)) out[*proto] += calls;
  }
  return out;
}

program_counts programs_of(const std::vector<wire::exchange>& exchanges) {
  program_counts out;
  for (const auto& e : exchanges)
    if (e.replied && e.part == 0 && e.proto != protocol::smb2)
      ++out[is_nfs4(e.proto) ? protocol::nfs4 : e.proto];
  return out;
}

smb2_counts parse_smb2_messages(std::string_view text) {
  smb2_counts out;
  const auto from = text.find("## SMB2 commands");
  if (from == text.npos) return out;
  std::istringstream in{std::string(text.substr(from))};
  std::string heading;
  std::getline(in, heading);
  wire::u16 command = 0;
  unsigned response = 0;
  for (wire::u64 count = 0; in >> command >> response >> count;) {
    if (response != 0)
      out.responses += count;
    else if (command != negotiate && command != cancel)
      out.requests[command] += count;
  }
  return out;
}

smb2_counts smb2_messages_of(const profiler::result& r,
                             const std::vector<wire::exchange>& exchanges) {
  smb2_counts out;
  for (const auto& e : exchanges) {
    if (e.proto != protocol::smb2 || e.operation == profiler::timing::sealed_operation ||
        !on_known_port(r.connections[e.connection]))
      continue;
    if (e.operation != negotiate) ++out.requests[e.operation];
    if (e.replied) ++out.responses;
  }
  for (const auto& c : r.connections)
    if ((c.protocols >> static_cast<unsigned>(protocol::smb2) & 1u) != 0 && on_known_port(c))
      out.responses += c.seen.interim_replies + c.seen.breaks + c.seen.orphan_replies +
                       c.seen.duplicate_replies + c.seen.late_replies;
  return out;
}

std::vector<difference> differences(const srt_table& tshark, const srt_table& wiretrip) {
  std::vector<difference> out;
  auto all = tshark;
  all.insert(wiretrip.begin(), wiretrip.end());
  for (const auto& [key, ignored] : all) {
    const auto theirs = tshark.find(key);
    const auto ours = wiretrip.find(key);
    const difference d{key, theirs == tshark.end() ? srt_row{} : theirs->second,
                       ours == wiretrip.end() ? srt_row{} : ours->second};
    if (d.tshark.calls != d.wiretrip.calls ||
        std::abs(d.tshark.mean_us() - d.wiretrip.mean_us()) > tolerance_us)
      out.push_back(d);
  }
  return out;
}

std::string describe(const difference& d) {
  return fmt::format("{} {}: tshark {} calls, mean {:.2f} µs; wiretrip {} calls, mean {:.2f} µs",
                     to_string(d.of.proto), profiler::flow::operation_name(d.of), d.tshark.calls,
                     d.tshark.mean_us(), d.wiretrip.calls, d.wiretrip.mean_us());
}

std::string_view reason_for(std::string_view capture, const difference& d) {
  if (d.of == profiler::timing::operation_key{protocol::smb2, profiler::timing::sealed_operation} &&
      d.tshark.calls == 0)
    return "sealed, and nobody has the keys: tshark has no row for it";
  if (d.wiretrip.inferred > 0 && d.tshark.calls + d.wiretrip.inferred == d.wiretrip.calls)
    return "one direction was captured: acknowledgements show that the replies came, and tshark "
           "counts none";
  for (const auto& k : known)
    if (ends_with(capture, k.capture) && k.of == d.of && k.tshark_calls == d.tshark.calls &&
        k.wiretrip_calls == d.wiretrip.calls)
      return k.reason;
  return {};
}

} // namespace golden
