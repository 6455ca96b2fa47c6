#include "cli/op_smb2_contexts.hpp"

#include "cli/op_arguments.hpp"
#include "cli/op_smb2_payloads.hpp"

#include "smb2/crypto/random.hpp"
#include "smb2/le_print.hpp"

#include <fmt/format.h>

#include <array>
#include <list>

namespace cli {

namespace {

using smb2::bytes;
using smb2::u32;
using smb2::u64;

/// Contexts and what they view.
struct builder {
  std::list<std::vector<std::byte>> data;
  std::vector<smb2::create_context> contexts;

  void add(std::string_view name, std::vector<std::byte> encoded) {
    data.push_back(std::move(encoded));
    contexts.push_back({std::as_bytes(std::span(name)), data.back()});
  }
  template <class T>
  void add(const T& context) {
    add(T::context_name, smb2::encode_buffer(context));
  }
};

void add_lease(builder& to, wanted_contexts& out, u32 state, smb2::dialect dialect) {
  out.lease = true;
  out.lease_key = smb2::crypto::random_bytes<16>();
  smb2::lease_v1 first;
  smb2::lease_v2 second;
  first.lease_key = second.lease_key = out.lease_key;
  first.lease_state = second.lease_state = state;
  if (dialect < smb2::dialect::smb_3_0)
    to.add(first);
  else
    to.add(second);
}

constexpr std::string_view choices = "MxAc, QFid, DHnQ, RqLs=STATE, DH2Q=MS, AlSi=BYTES, "
                                     "TWrp=SECONDS, POSIX=MODE";

std::expected<void, std::string> add_one(builder& to, wanted_contexts& out, std::string_view name,
                                         std::optional<u64> value, smb2::dialect dialect) {
  if (name == "MxAc") {
    to.add("MxAc", {});
  } else if (name == "QFid") {
    to.add("QFid", {});
  } else if (name == "DHnQ") {
    to.add(smb2::durable_handle_request{});
  } else if (name == "RqLs") {
    add_lease(to, out, static_cast<u32>(value.value_or(7)), dialect);
  } else if (name == "DH2Q") {
    smb2::durable_handle_request_v2 wanted;
    wanted.timeout = static_cast<u32>(value.value_or(0));
    wanted.create_guid = smb2::crypto::random_bytes<16>();
    to.add(wanted);
  } else if (name == "AlSi") {
    smb2::allocation_size_request wanted;
    wanted.allocation_size = value.value_or(0);
    to.add(wanted);
  } else if (name == "TWrp") {
    smb2::timewarp_token wanted;
    wanted.timestamp = smb2::to_filetime(std::chrono::seconds(value.value_or(0)));
    to.add(wanted);
  } else if (name == "POSIX") {
    smb2::posix_create_request wanted;
    wanted.mode = static_cast<u32>(value.value_or(0644));
    to.add(wanted);
  } else {
    return std::unexpected(fmt::format("'{}' is none of {}", name, choices));
  }
  return {};
}

template <class T>
std::string text_of(const smb2::create_context& c) {
  return print_one<T>(c.data).front();
}

std::string fields_of(const smb2::create_context& c) {
  if (c.is("MxAc")) return text_of<smb2::maximal_access>(c);
  if (c.is("QFid")) return text_of<smb2::on_disk_id>(c);
  if (c.is("RqLs") && c.data.size() == 32) return text_of<smb2::lease_v1>(c);
  if (c.is("RqLs")) return text_of<smb2::lease_v2>(c);
  if (c.is("DHnQ")) return text_of<smb2::durable_handle_response>(c);
  if (c.is("DH2Q")) return text_of<smb2::durable_handle_response_v2>(c);
  if (c.is(smb2::posix_create_response::context_name))
    return text_of<smb2::posix_create_response>(c);
  return print_hex(c.data).front();
}

std::string name_of(const smb2::create_context& c) {
  if (c.is(smb2::posix_create_response::context_name)) return "POSIX";
  const auto text = wire::as_text(c.name);
  const bool readable = std::ranges::all_of(text, [](char b) { return b > ' ' && b < 0x7F; });
  return readable ? std::string(text) : print_hex(c.name).front();
}

} // namespace

std::expected<wanted_contexts, std::string> parse_contexts(std::string_view text,
                                                           smb2::dialect dialect) {
  wanted_contexts out;
  builder all;
  while (!text.empty()) {
    const auto comma = text.find(',');
    auto name = text.substr(0, comma);
    text = comma == std::string_view::npos ? std::string_view{} : text.substr(comma + 1);
    std::optional<u64> value;
    if (const auto equals = name.find('='); equals != std::string_view::npos) {
      const auto number = parse_number(name.substr(equals + 1));
      if (!number) return std::unexpected(fmt::format("contexts: {}", number.error()));
      value = *number;
      name = name.substr(0, equals);
    }
    if (auto added = add_one(all, out, name, value, dialect); !added)
      return std::unexpected("contexts: " + added.error());
  }
  if (!all.contexts.empty()) out.chain = smb2::encode_create_contexts(all.contexts);
  return out;
}

std::vector<std::string> print_contexts(bytes chain) {
  std::vector<std::string> out;
  if (chain.empty()) return out;
  const auto all = smb2::decode_create_contexts(chain);
  for (const auto& one : all.message)
    out.push_back(fmt::format("{} {}", name_of(one), fields_of(one)));
  if (!all.ok()) out.push_back(describe(all.error));
  return out;
}

} // namespace cli
