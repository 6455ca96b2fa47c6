#include "profiler/capture/bpf_filter.hpp"

#include "profiler/link/null_loopback.hpp"
#include "profiler/link/raw_ip.hpp"
#include "profiler/link/untag.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include <pcap/pcap.h>
#include <sys/socket.h>

namespace profiler::capture {

namespace {

using wire::bytes;
using wire::u32;

/// libpcap numbers some link types otherwise in memory (DLT_…) than in files (LINKTYPE_…).
int dlt_of(u32 link_type) noexcept {
  switch (link_type) {
  case link::raw_ip::link_type:
  case link::raw_ip::link_type_openbsd:
    return DLT_RAW;
  case 100:
    return DLT_ATM_RFC1483;
  case 106:
    return DLT_ATM_CLIP;
  default:
    return static_cast<int>(link_type);
  }
}

/// Owns a program.
class program {
 public:
  program() = default;
  program(const program&) = delete;
  program& operator=(const program&) = delete;
  ~program() { ::pcap_freecode(&code_); }

  /// The error is libpcap's.
  std::expected<void, std::string> compile(const std::string& expression, u32 link_type) {
    constexpr int snap_length = 262144;
    const std::unique_ptr<pcap_t, decltype(&::pcap_close)> handle(
        ::pcap_open_dead(dlt_of(link_type), snap_length), &::pcap_close);
    if (!handle) return std::unexpected("out of memory");
    // The optimiser refuses an expression of which it finds that it takes nothing, such as "ip6"
    // on IPv4's own link type; that is a fine answer too.
    for (const int optimise : {1, 0})
      if (::pcap_compile(handle.get(), &code_, expression.c_str(), optimise,
                         PCAP_NETMASK_UNKNOWN) == 0)
        return {};
    return std::unexpected(::pcap_geterr(handle.get()));
  }

  [[nodiscard]] bool takes(bytes frame, u32 wire_length) const noexcept {
    pcap_pkthdr header{};
    header.caplen = static_cast<u32>(frame.size());
    header.len = wire_length;
    return ::pcap_offline_filter(&code_, &header, reinterpret_cast<const u_char*>(frame.data())) !=
           0;
  }

 private:
  bpf_program code_{};
};

bool is_word(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-' || c == '.';
}

/// Whether the expression speaks of the bytes between the link header and IP.
bool names_tags(std::string_view text) {
  constexpr std::array names{"vlan", "mpls", "pppoed", "pppoes", "geneve", "vxlan"};
  while (!text.empty()) {
    const auto start = std::find_if(text.begin(), text.end(), is_word);
    const auto end = std::find_if_not(start, text.end(), is_word);
    const std::string_view word(start, end);
    text = {end, text.end()};
    if (std::find(names.begin(), names.end(), word) != names.end()) return true;
    const auto behind = text.find_first_not_of(" \t");
    const bool indexed = behind != std::string_view::npos && text[behind] == '[';
    if (indexed && (word == "ether" || word == "link")) return true;
  }
  return false;
}

class bpf_filter final : public packet_filter {
 public:
  explicit bpf_filter(std::string expression)
      : expression_(std::move(expression)), as_they_are_(names_tags(expression_)) {}

  std::expected<bool, std::string> wants(const packet& p) override {
    if (last_ == nullptr || last_->link_type != p.link_type) choose(p.link_type);
    if (!last_->refusal.empty()) return std::unexpected(last_->refusal);
    const auto frame = as_they_are_ ? p.data : plain(p.link_type, p.data);
    const auto taken_off = static_cast<u32>(p.data.size() - frame.size());
    return last_->code.takes(frame, p.wire_length - taken_off);
  }

 private:
  struct compiled {
    u32 link_type = 0;
    program code{};
    std::string refusal{}; ///< why there is none
  };

  void choose(u32 link_type) {
    const auto known = std::find_if(programs_.begin(), programs_.end(),
                                    [&](const auto& c) { return c->link_type == link_type; });
    if (known != programs_.end()) {
      last_ = known->get();
      return;
    }
    auto& fresh = *programs_.emplace_back(std::make_unique<compiled>());
    fresh.link_type = link_type;
    if (const auto ready = fresh.code.compile(expression_, link_type); !ready)
      fresh.refusal = "The filter \"" + expression_ +
                      "\" cannot be used for packets of link type " + std::to_string(link_type) +
                      ": " + ready.error() + ".";
    last_ = &fresh;
  }

  /// The frame in the form for which libpcap's programs are; it lives until the next one.
  bytes plain(u32 link_type, bytes frame) {
    if (link_type == link::null_loopback::link_type ||
        link_type == link::null_loopback::link_type_network_order)
      return with_own_family(link_type, frame);
    const auto tags = link::find_tags(link_type, frame);
    if (!tags) return frame;
    link::copy_without(*tags, frame, scratch_);
    return scratch_;
  }

  /// libpcap compares with this host's number for IPv6, for NULL in this host's byte order.
  bytes with_own_family(u32 link_type, bytes frame) {
    const auto found = link::null_loopback::strip(frame, static_cast<u32>(frame.size()));
    if (!found || found->protocol == 0) return frame;
    const u32 family = found->protocol == link::ether_type::ipv4 ? AF_INET : AF_INET6;
    std::array<std::byte, link::null_loopback::header_bytes> header{};
    if (link_type == link::null_loopback::link_type)
      std::memcpy(header.data(), &family, sizeof family);
    else
      wire::store_be(header.data(), family);
    if (std::equal(header.begin(), header.end(), frame.begin())) return frame;
    scratch_.assign(frame.begin(), frame.end());
    std::copy(header.begin(), header.end(), scratch_.begin());
    return scratch_;
  }

  std::string expression_;
  bool as_they_are_;
  std::vector<std::unique_ptr<compiled>> programs_; ///< one per link type that was met
  compiled* last_ = nullptr;                        ///< of the last packet
  std::vector<std::byte> scratch_;
};

} // namespace

std::expected<std::unique_ptr<packet_filter>, std::string>
compile_filter(const std::string& expression) {
  // Which link types a capture has is not known yet; what none of these takes is wrong.
  constexpr u32 ethernet = 1;
  std::string error;
  for (const u32 link_type : {ethernet, u32{113}, u32{276}, u32{101}, u32{0}, u32{127}}) {
    const auto ready = program().compile(expression, link_type);
    if (ready) return std::make_unique<bpf_filter>(expression);
    if (link_type == ethernet) error = ready.error();
  }
  return std::unexpected("The filter \"" + expression + "\" is not understood: " + error + ".");
}

} // namespace profiler::capture
