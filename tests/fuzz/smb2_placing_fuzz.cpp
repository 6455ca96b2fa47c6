// What a server may send to the SMB2 client's core, however it is cut: READs whose data goes to
// places of their own, of which one is given up in between. Nothing is written beside them.
#include "smb2/client_core.hpp"
#include "smb2/commands.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>

namespace {

constexpr std::size_t reads = 4;
constexpr std::size_t place_bytes = 70'000;
constexpr std::byte canary{0xC5};

constexpr std::size_t around_bytes = 32;

/// Made once: a run costs no more than clearing it.
struct place {
  std::vector<std::byte> all = std::vector<std::byte>(place_bytes + 2 * around_bytes);

  void clear() { std::memset(all.data(), std::to_integer<int>(canary), all.size()); }
  [[nodiscard]] std::span<std::byte> into() {
    return std::span(all).subspan(around_bytes, place_bytes);
  }
  [[nodiscard]] bool untouched() const {
    static const std::vector<std::byte> clean(place_bytes + 2 * around_bytes, canary);
    return std::memcmp(all.data(), clean.data(), clean.size()) == 0;
  }
  [[nodiscard]] bool untouched_around() const {
    const auto good = [](std::byte b) { return b == canary; };
    return std::all_of(all.begin(), all.begin() + around_bytes, good) &&
           std::all_of(all.end() - around_bytes, all.end(), good);
  }
};

template <class Request>
void encode_it(const void* body, wire::writer& out, std::size_t base) {
  smb2::encode(*static_cast<const Request*>(body), out, base);
}

void send_all(smb2::client_core& core) {
  while (const auto out = core.poll_transmit({}))
    core.transmitted(out->id, {}, {}, {});
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::size_t most = 1 + data[0] * 16u;
  auto stream = std::as_bytes(std::span(data + 1, size - 1));
  smb2::client_core core({.credits_target = 64});
  static std::array<place, reads> places;
  for (auto& one : places)
    one.clear();
  const smb2::echo::request echo;
  smb2::call_request hello;
  hello.command = smb2::echo::number;
  hello.body = &echo;
  hello.encode = &encode_it<smb2::echo::request>;
  hello.deadline = wire::nanos(1);
  static_cast<void>(core.submit(hello, {}));
  std::array<smb2::read::request, reads> requests;
  std::optional<wire::u64> given_up;
  for (std::size_t i = 0; i < reads; ++i) {
    smb2::call_request call;
    call.command = smb2::read::number;
    call.body = &requests[i];
    call.encode = &encode_it<smb2::read::request>;
    call.into = places[i].into();
    call.deadline = wire::nanos(1);
    const auto ticket = core.submit(call, {});
    if (i == 1) given_up = ticket;
  }
  send_all(core);
  bool half = false;
  while (!stream.empty() && !core.failed()) {
    const auto where = core.poll_reception();
    const auto room = where.place.empty() ? where.bytes_max : where.place.size();
    const auto n = std::min({most, room, stream.size()});
    if (where.place.empty()) {
      core.receive(stream.first(n), {});
    } else {
      std::copy_n(stream.begin(), n, where.place.begin());
      core.received(n, {});
    }
    while (const auto event = core.poll_event())
      if (event->placed_bytes > place_bytes) std::abort();
    stream = stream.subspan(n);
    send_all(core);
    if (!half && stream.size() < size / 2) {
      half = true;
      static_cast<void>(core.abandon(*given_up));
      places[1].clear();
    }
  }
  for (const auto& one : places)
    if (!one.untouched_around()) std::abort();
  if (half && !places[1].untouched()) std::abort();
  return 0;
}
