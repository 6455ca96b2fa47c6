#include "bench/lab/link/departure_stamps.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include <linux/filter.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <sys/mman.h>
#include <sys/socket.h>

namespace bench::lab::link {
namespace {

constexpr std::size_t slot_bytes = 256;
constexpr std::size_t slot_count = 4096;
constexpr std::size_t block_bytes = 64 * 1024;
constexpr std::size_t ring_bytes = slot_bytes * slot_count;
/// Enough to tell frames apart: addresses, identification, ports, sequence numbers, checksums.
constexpr unsigned head_bytes = 96;
/// More unmatched records than this cannot be frames still waiting in the device.
constexpr std::size_t unmatched_limit = 512;

std::unexpected<std::string> failed(const char* what) {
  return std::unexpected(std::string{what} + ": " + std::strerror(errno));
}

/// Sizes one receive ring and takes the head of the frames that leave the host.
std::expected<void, std::string> set_up_ring(int socket) {
  const int version = TPACKET_V2;
  if (::setsockopt(socket, SOL_PACKET, PACKET_VERSION, &version, sizeof version) != 0)
    return failed("PACKET_VERSION");
  std::array<sock_filter, 4> program{{
      BPF_STMT(BPF_LD | BPF_B | BPF_ABS, static_cast<unsigned>(SKF_AD_OFF + SKF_AD_PKTTYPE)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, PACKET_OUTGOING, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, head_bytes),
      BPF_STMT(BPF_RET | BPF_K, 0),
  }};
  const sock_fprog filter{static_cast<unsigned short>(program.size()), program.data()};
  if (::setsockopt(socket, SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof filter) != 0)
    return failed("SO_ATTACH_FILTER");
  tpacket_req request{};
  request.tp_block_size = block_bytes;
  request.tp_block_nr = ring_bytes / block_bytes;
  request.tp_frame_size = slot_bytes;
  request.tp_frame_nr = slot_count;
  if (::setsockopt(socket, SOL_PACKET, PACKET_RX_RING, &request, sizeof request) != 0)
    return failed("PACKET_RX_RING");
  return {};
}

} // namespace

departure_stamps::departure_stamps(departure_stamps&& other) noexcept
    : socket_{std::move(other.socket_)}, ring_{std::exchange(other.ring_, nullptr)},
      next_{std::exchange(other.next_, 0)} {}

departure_stamps& departure_stamps::operator=(departure_stamps&& other) noexcept {
  std::swap(socket_, other.socket_);
  std::swap(ring_, other.ring_);
  std::swap(next_, other.next_);
  return *this;
}

departure_stamps::~departure_stamps() {
  if (ring_ != nullptr) ::munmap(ring_, ring_bytes);
}

std::expected<departure_stamps, std::string> departure_stamps::open(unsigned device_index) {
  departure_stamps stamps;
  // Protocol 0 takes nothing until the socket is bound, after the ring is there.
  stamps.socket_ = file_descriptor{::socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0)};
  if (!stamps.socket_) return failed("packet socket");
  if (auto ring = set_up_ring(stamps.socket_.get()); !ring) return std::unexpected(ring.error());
  void* memory =
      ::mmap(nullptr, ring_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, stamps.socket_.get(), 0);
  if (memory == MAP_FAILED) return failed("mmap of the packet ring");
  stamps.ring_ = static_cast<std::byte*>(memory);
  sockaddr_ll address{};
  address.sll_family = AF_PACKET;
  address.sll_protocol = __builtin_bswap16(ETH_P_ALL);
  address.sll_ifindex = static_cast<int>(device_index);
  if (::bind(stamps.socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) !=
      0)
    return failed("bind of the packet socket");
  return stamps;
}

std::byte* departure_stamps::slot(std::size_t ahead) const {
  return ring_ + (next_ + ahead) % slot_count * slot_bytes;
}

std::optional<departure_stamps::record> departure_stamps::look(std::size_t ahead) const {
  std::byte* at = slot(ahead);
  auto* status = reinterpret_cast<std::uint32_t*>(at);
  if ((__atomic_load_n(status, __ATOMIC_ACQUIRE) & TP_STATUS_USER) == 0) return std::nullopt;
  tpacket2_hdr header;
  std::memcpy(&header, at, sizeof header);
  const std::size_t length = std::min<std::size_t>(header.tp_snaplen, slot_bytes - header.tp_mac);
  return record{.head = {at + header.tp_mac, length},
                .wire_bytes = header.tp_len,
                .time = std::chrono::seconds{header.tp_sec} + nanos{header.tp_nsec}};
}

void departure_stamps::release(std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    __atomic_store_n(reinterpret_cast<std::uint32_t*>(slot(i)), TP_STATUS_KERNEL, __ATOMIC_RELEASE);
  next_ = (next_ + count) % slot_count;
}

std::optional<nanos> departure_stamps::take(std::span<const std::byte> frame) {
  if (ring_ == nullptr) return std::nullopt;
  std::size_t ahead = 0;
  for (; ahead < slot_count; ++ahead) {
    const auto seen = look(ahead);
    if (!seen) break;
    if (seen->wire_bytes != frame.size() || seen->head.size() > frame.size() ||
        !std::ranges::equal(seen->head, frame.first(seen->head.size())))
      continue;
    release(ahead + 1);
    return seen->time;
  }
  if (ahead > unmatched_limit) release(ahead);
  return std::nullopt;
}

} // namespace bench::lab::link
