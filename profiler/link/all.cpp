#include "profiler/link/ethernet.hpp"
#include "profiler/link/layer.hpp"
#include "profiler/link/linux_sll.hpp"
#include "profiler/link/linux_sll2.hpp"
#include "profiler/link/nflog.hpp"
#include "profiler/link/null_loopback.hpp"
#include "profiler/link/ppp.hpp"
#include "profiler/link/raw_ip.hpp"

#include <array>

namespace profiler::link {

namespace {

template <class Layer>
constexpr layer entry(u32 link_type = Layer::link_type) {
  return {link_type, Layer::name, &Layer::strip};
}

/// Every link type that can be read.
constexpr std::array layers{
    entry<ethernet>(),
    entry<linux_sll>(),
    entry<linux_sll2>(),
    entry<null_loopback>(),
    entry<null_loopback>(null_loopback::link_type_network_order),
    entry<raw_ip>(),
    entry<raw_ip>(raw_ip::link_type_bsd),
    entry<raw_ip>(raw_ip::link_type_openbsd),
    entry<raw_ip>(raw_ip::link_type_v4),
    entry<raw_ip>(raw_ip::link_type_v6),
    entry<ppp>(),
    entry<ppp>(ppp::link_type_hdlc),
    entry<ppp>(ppp::link_type_cisco),
    entry<ppp_with_direction>(),
    entry<ppp_ethernet>(),
    entry<nflog>(),
};

} // namespace

const layer* find(u32 link_type) noexcept {
  for (const auto& l : layers)
    if (l.link_type == link_type) return &l;
  return nullptr;
}

std::string name_of(u32 link_type) {
  const auto* l = find(link_type);
  return l != nullptr ? std::string(l->name) : "link type " + std::to_string(link_type);
}

} // namespace profiler::link
