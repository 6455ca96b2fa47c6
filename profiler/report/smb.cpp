#include "profiler/report/smb.hpp"

#include "profiler/flow/smb1_commands.hpp"
#include "profiler/report/counted.hpp"
#include "smb2/dialect.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace profiler::report {

namespace {

using wire::u16;
using wire::u64;

/// MS-SMB2 2.2.3.1.3
constexpr std::array<std::string_view, 8> compression_names{
    "none", "LZNT1", "LZ77", "LZ77+Huffman", "Pattern_V1", "LZ4", "6", "unknown"};

std::string_view cipher_name(u16 number) {
  switch (static_cast<smb2::cipher>(number)) {
  case smb2::cipher::aes_128_ccm:
    return "AES-128-CCM";
  case smb2::cipher::aes_128_gcm:
    return "AES-128-GCM";
  case smb2::cipher::aes_256_ccm:
    return "AES-256-CCM";
  case smb2::cipher::aes_256_gcm:
    return "AES-256-GCM";
  case smb2::cipher::none:
    break;
  }
  return "";
}

/// As keys are written in the file of --keys, and as Wireshark takes them.
std::string session_text(u64 id) {
  std::string out;
  for (int shift = 0; shift < 64; shift += 8)
    out += fmt::format("{:02x}", id >> shift & 0xFF);
  return out;
}

json smb1_of(const flow::smb_facts& facts) {
  u64 requests = 0;
  u64 responses = 0;
  auto commands = json::array();
  for (const auto& row : flow::smb1_rows(facts)) {
    requests += row.count.requests;
    responses += row.count.responses;
    commands.push_back({{"command", flow::smb1_command_name(row.command)},
                        {"number", row.command},
                        {"requests", row.count.requests},
                        {"responses", row.count.responses}});
  }
  if (commands.empty()) return {};
  return {{"requests", requests},
          {"responses", responses},
          {"timed", false},
          {"commands", std::move(commands)}};
}

json compression_of(const flow::smb_facts& facts) {
  auto algorithms = json::object();
  for (std::size_t i = 0; i < facts.compressed.size(); ++i)
    if (facts.compressed[i] > 0)
      algorithms[std::string(compression_names[i])] = facts.compressed[i];
  if (algorithms.empty()) return {};
  return {{"messages_by_algorithm", std::move(algorithms)},
          {"uncompressed_bytes", facts.uncompressed_bytes},
          {"inside_encrypted", facts.compressed_inside}};
}

json session_row(u64 id, const flow::smb2_sealed_session& s) {
  json row{{"session_id", session_text(id)},
           {"messages", s.messages},
           {"decrypted", s.decrypted},
           {"without_key", s.without_key},
           {"tag_failures", s.tag_failures}};
  if (s.cipher != 0) row["cipher"] = cipher_name(s.cipher);
  if (s.hash_missing) row["handshake_missing"] = true;
  return row;
}

json sealed_of(const flow::smb_facts& facts) {
  if (facts.sessions.empty()) return {};
  auto sessions = json::array();
  for (const auto& [id, session] : facts.sessions)
    sessions.push_back(session_row(id, session));
  json out{{"sessions", std::move(sessions)}};
  if (facts.sessions_not_listed > 0) out["messages_not_listed"] = facts.sessions_not_listed;
  return out;
}

json netbios_of(const flow::smb_facts& facts) {
  json out{{"session_requests", facts.netbios_requests},
           {"accepted", facts.netbios_accepted},
           {"refused", facts.netbios_refused},
           {"retargeted", facts.netbios_retargeted},
           {"keep_alives", facts.keep_alives}};
  const bool any =
      std::any_of(out.begin(), out.end(), [](const json& n) { return n.get<u64>() > 0; });
  return any ? out : json{};
}

std::string smb1_sentence(const flow::smb_facts& facts) {
  constexpr std::size_t named_max = 3;
  u64 requests = 0;
  std::vector<std::string> parts;
  for (const auto& row : flow::smb1_rows(facts)) {
    requests += row.count.requests;
    if (row.count.requests > 0 && parts.size() < named_max)
      parts.push_back(
          fmt::format("{} {}", flow::smb1_command_name(row.command), row.count.requests));
  }
  return fmt::format("SMB1: {} ({}), not timed", counted(requests, "requests"),
                     fmt::join(parts, ", "));
}

} // namespace

json smb_of(const flow::smb_facts& facts) {
  json out = json::object();
  const auto add = [&](const char* key, json part) {
    if (!part.is_null()) out[key] = std::move(part);
  };
  add("smb1", smb1_of(facts));
  add("encryption", sealed_of(facts));
  add("compression", compression_of(facts));
  add("netbios", netbios_of(facts));
  return out;
}

std::vector<std::string> smb_sentences(const flow::smb_facts& facts) {
  std::vector<std::string> out;
  const auto useless = std::count_if(facts.sessions.begin(), facts.sessions.end(),
                                     [](const auto& s) { return s.second.hash_missing; });
  if (useless > 0)
    out.push_back(counted(static_cast<u64>(useless),
                          "SMB sessions whose session key needs the whole NEGOTIATE and "
                          "SESSION_SETUP (or give both keys)"));
  if (!flow::smb1_rows(facts).empty()) out.push_back(smb1_sentence(facts));
  return out;
}

} // namespace profiler::report
