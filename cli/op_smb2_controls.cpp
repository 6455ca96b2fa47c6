#include "cli/op_smb2_controls.hpp"

#include "smb2/ioctls/copychunk.hpp"
#include "smb2/ioctls/dfs.hpp"
#include "smb2/ioctls/network_interface.hpp"
#include "smb2/ioctls/pipe.hpp"
#include "smb2/ioctls/resiliency.hpp"
#include "smb2/ioctls/sparse.hpp"
#include "smb2/ioctls/validate_negotiate_info.hpp"
#include "wire/text.hpp"

#include <asio/ip/address.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace cli {

namespace {

using smb2::bytes;
using smb2::u16;
using smb2::u32;
using smb2::u64;
using encoded = std::expected<std::vector<std::byte>, std::string>;
using texts = std::vector<std::string>;

texts print_nothing(bytes) {
  return {};
}

std::string address_of(const smb2::network_interface_info& one) {
  const auto ip = one.ip();
  if (ip.size() == 4) {
    asio::ip::address_v4::bytes_type v4;
    std::memcpy(v4.data(), ip.data(), v4.size());
    return asio::ip::address_v4(v4).to_string();
  }
  if (ip.size() != 16) return fmt::format("of family {}", one.family);
  asio::ip::address_v6::bytes_type v6;
  std::memcpy(v6.data(), ip.data(), v6.size());
  return asio::ip::address_v6(v6).to_string();
}

texts print_interfaces(bytes output) {
  texts out;
  smb2::entry_walker<smb2::network_interface_info> walk(output);
  while (auto one = walk.next())
    out.push_back(fmt::format("if_index={} address={} capability={:#x} link_speed_bit_s={}",
                              one->if_index, address_of(*one), one->capability, one->link_speed));
  if (!walk.ok()) out.push_back(describe(walk.error()));
  return out;
}

texts print_referrals(bytes output) {
  const auto got = smb2::decode_dfs_referrals(output);
  if (!got) return {describe(got.error())};
  texts out{fmt::format("path_consumed={} header_flags={:#x} referrals={}", got->path_consumed,
                        got->header_flags, got->referrals.size())};
  for (const auto& r : got->referrals) {
    auto text = fmt::format("version={} server_type={} entry_flags={:#x} time_to_live_s={}",
                            r.version, r.server_type, r.entry_flags, r.time_to_live);
    if (r.is_name_list()) {
      text += fmt::format(" special_name=\"{}\"", r.special_name.text());
      for (const auto& name : r.expanded_names)
        text += fmt::format(" expanded_name=\"{}\"", name.text());
    } else {
      text += fmt::format(" dfs_path=\"{}\" dfs_alternate_path=\"{}\" network_address=\"{}\"",
                          r.dfs_path.text(), r.dfs_alternate_path.text(), r.network_address.text());
    }
    out.push_back(std::move(text));
  }
  return out;
}

texts print_ranges(bytes output) {
  const auto got =
      smb2::decode_array<smb2::file_allocated_range_buffer>(output, smb2::allocated_ranges_max);
  if (!got) return {describe(got.error())};
  texts out;
  for (const auto& one : *got)
    out.push_back(smb2::print(one));
  return out;
}

encoded no_input(const control_question&) {
  return std::vector<std::byte>();
}

/// "0,1m"; without a comma the second is `otherwise`.
std::expected<std::array<u64, 2>, std::string> two_numbers(const std::string& value,
                                                           u64 otherwise) {
  const auto comma = value.find(',');
  const auto first = wire::parse_size(value.substr(0, comma));
  if (!first) return std::unexpected("value: " + first.error());
  if (comma == std::string::npos) return std::array{*first, otherwise};
  const auto second = wire::parse_size(value.substr(comma + 1));
  if (!second) return std::unexpected("value: " + second.error());
  return std::array{*first, *second};
}

encoded whole_or_range(const control_question& q) {
  constexpr u64 to_the_end = 0x7FFF'FFFF'FFFF'FFFF;
  smb2::file_allocated_range_buffer range;
  range.length = to_the_end;
  if (!q.value.empty()) {
    const auto given = two_numbers(q.value, to_the_end);
    if (!given) return std::unexpected(given.error());
    range.file_offset = (*given)[0];
    range.length = (*given)[1];
  }
  return smb2::encode_buffer(range);
}

encoded zeros(const control_question& q) {
  const auto given = two_numbers(q.value, 0);
  if (!given) return std::unexpected(given.error());
  smb2::file_zero_data_information range;
  range.file_offset = (*given)[0];
  range.beyond_final_zero = (*given)[1];
  return smb2::encode_buffer(range);
}

encoded sparse(const control_question& q) {
  smb2::file_set_sparse_buffer wanted;
  wanted.set_sparse = q.value == "0" ? 0 : 1;
  return smb2::encode_buffer(wanted);
}

encoded resiliency(const control_question& q) {
  const auto ms = wire::parse_size(q.value.empty() ? "0" : q.value);
  if (!ms || *ms > 0xFFFF'FFFF) return std::unexpected("value: no number of milliseconds");
  smb2::network_resiliency_request request;
  request.timeout = static_cast<u32>(*ms);
  return smb2::encode_buffer(request);
}

/// The path that is asked for; with nothing given the server's own names.
encoded dfs_path(const control_question& q) {
  std::string path = q.value;
  std::ranges::replace(path, '/', '\\');
  const auto name = smb2::to_utf16(path);
  if (!name) return std::unexpected(name.error());
  smb2::dfs_referral_request request;
  request.file_name = name->view();
  return smb2::encode_dfs_request(request);
}

/// What this session's NEGOTIATE said.
encoded negotiated(const control_question& q) {
  smb2::validate_negotiate_info_request request;
  request.capabilities = q.session.offered_capabilities;
  request.client_guid = q.session.client_guid;
  request.security_mode = q.session.offered_security_mode;
  request.dialects = q.session.offered_dialects;
  return smb2::encode_buffer(request);
}

namespace fsctl = smb2::fsctl;

constexpr std::array control_codes{
    control_entry{"SRV_REQUEST_RESUME_KEY", fsctl::srv_request_resume_key,
                  &print_one<smb2::srv_request_resume_key_response>, "", &no_input},
    control_entry{"SRV_COPYCHUNK", fsctl::srv_copychunk, &print_one<smb2::srv_copychunk_response>,
                  "", &no_input},
    control_entry{"SRV_COPYCHUNK_WRITE", fsctl::srv_copychunk_write,
                  &print_one<smb2::srv_copychunk_response>, "", &no_input},
    control_entry{"QUERY_NETWORK_INTERFACE_INFO", fsctl::query_network_interface_info,
                  &print_interfaces, "", &no_input},
    control_entry{"DFS_GET_REFERRALS", fsctl::dfs_get_referrals, &print_referrals,
                  "\\server\\share\\path", &dfs_path},
    control_entry{"PIPE_WAIT", fsctl::pipe_wait, &print_nothing, "", &no_input},
    control_entry{"PIPE_PEEK", fsctl::pipe_peek, &print_one<smb2::pipe_peek_response>, "",
                  &no_input},
    control_entry{"PIPE_TRANSCEIVE", fsctl::pipe_transceive, &print_hex, "", &no_input},
    control_entry{"SET_SPARSE", fsctl::set_sparse, &print_nothing, "0 or 1", &sparse},
    control_entry{"SET_ZERO_DATA", fsctl::set_zero_data, &print_nothing, "FROM,BEYOND", &zeros},
    control_entry{"QUERY_ALLOCATED_RANGES", fsctl::query_allocated_ranges, &print_ranges,
                  "OFFSET,LENGTH", &whole_or_range},
    control_entry{"LMR_REQUEST_RESILIENCY", fsctl::lmr_request_resiliency, &print_nothing,
                  "milliseconds", &resiliency},
    control_entry{"GET_REPARSE_POINT", fsctl::get_reparse_point, &print_hex, "", &no_input},
    control_entry{"SRV_ENUMERATE_SNAPSHOTS", fsctl::srv_enumerate_snapshots, &print_hex, "",
                  &no_input},
    control_entry{"VALIDATE_NEGOTIATE_INFO", fsctl::validate_negotiate_info,
                  &print_one<smb2::validate_negotiate_info_response>, "", &negotiated},
};

} // namespace

std::span<const control_entry> controls() {
  return control_codes;
}

} // namespace cli
