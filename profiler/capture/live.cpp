#include "profiler/capture/live.hpp"

#include "profiler/capture/pcap_writer.hpp"

#include <atomic>
#include <optional>
#include <thread>
#include <vector>

#include <pcap/pcap.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

namespace profiler::capture {

namespace {

using handle = std::unique_ptr<pcap_t, decltype(&::pcap_close)>;

/// How long the kernel may gather packets before it hands a block over. Short enough that stop() is
/// quick, long enough that a busy interface does not wake us for each packet.
constexpr int gather_ms = 20;
/// stop() ends this much later at most, whatever the kernel's clock does.
constexpr auto drain_max = std::chrono::seconds(2);

/// pcap files number raw IP otherwise than libpcap does in memory.
u32 file_link_type(int dlt) noexcept {
  constexpr u32 linktype_raw = 101;
  return dlt == DLT_RAW ? linktype_raw : static_cast<u32>(dlt);
}

std::string activation_error(pcap_t* p, int code, const std::string& interface) {
  const std::string detail = ::pcap_geterr(p);
  const std::string what = detail.empty() ? ::pcap_statustostr(code) : detail;
  switch (code) {
  case PCAP_ERROR_PERM_DENIED:
  case PCAP_ERROR_PROMISC_PERM_DENIED:
    return "Capturing on " + interface +
           " needs root or the capabilities CAP_NET_RAW and CAP_NET_ADMIN (" + what + ").";
  case PCAP_ERROR_NO_SUCH_DEVICE:
    return "There is no interface " + interface + " (" + what + ").";
  case PCAP_ERROR_IFACE_NOT_UP:
    return "The interface " + interface + " is down.";
  default:
    return "Capturing on " + interface + " failed: " + what + ".";
  }
}

std::expected<handle, std::string> open_interface(const live_settings& s) {
  std::array<char, PCAP_ERRBUF_SIZE> reason{};
  handle p(::pcap_create(s.interface.c_str(), reason.data()), &::pcap_close);
  if (!p) return std::unexpected("Capturing on " + s.interface + " failed: " + reason.data() + ".");
  ::pcap_set_snaplen(p.get(), static_cast<int>(s.snap_length));
  ::pcap_set_promisc(p.get(), 0);
  ::pcap_set_timeout(p.get(), gather_ms);
  ::pcap_set_buffer_size(p.get(), static_cast<int>(s.buffer_bytes));
  // Refused where the platform has no nanoseconds; pcap_get_tstamp_precision() tells afterwards.
  ::pcap_set_tstamp_precision(p.get(), PCAP_TSTAMP_PRECISION_NANO);
  if (const int code = ::pcap_activate(p.get()); code < 0)
    return std::unexpected(activation_error(p.get(), code, s.interface));

  if (!s.filter.empty()) {
    bpf_program program{};
    if (::pcap_compile(p.get(), &program, s.filter.c_str(), 1, PCAP_NETMASK_UNKNOWN) != 0)
      return std::unexpected("The capture filter \"" + s.filter +
                             "\" is not understood: " + ::pcap_geterr(p.get()) + ".");
    const int code = ::pcap_setfilter(p.get(), &program);
    ::pcap_freecode(&program);
    if (code != 0)
      return std::unexpected("The capture filter \"" + s.filter +
                             "\" is refused: " + ::pcap_geterr(p.get()) + ".");
  }
  if (::pcap_setnonblock(p.get(), 1, reason.data()) != 0)
    return std::unexpected("Capturing on " + s.interface + " failed: " + reason.data() + ".");
  return p;
}

} // namespace

struct live_capture::state {
  state(handle h, pcap_writer w)
      : pcap(std::move(h)), writer(std::move(w)), wake(::eventfd(0, EFD_CLOEXEC)) {
    nanoseconds = ::pcap_get_tstamp_precision(pcap.get()) == PCAP_TSTAMP_PRECISION_NANO;
  }
  state(const state&) = delete;
  state& operator=(const state&) = delete;
  ~state() {
    halt();
    ::close(wake);
  }

  /// The thread: takes packets until it is told to stop, then what the kernel still has.
  void run() {
    std::array<pollfd, 2> ready{pollfd{::pcap_get_selectable_fd(pcap.get()), POLLIN, 0},
                                pollfd{wake, POLLIN, 0}};
    while (!stopping && !failed) {
      (void)::poll(ready.data(), ready.size(), -1);
      take();
    }
    const auto until = std::chrono::steady_clock::now() + drain_max;
    // A block that the kernel is still gathering comes within its time. Behind it, either nothing
    // comes or what is younger than the stop.
    for (int quiet = 0;
         quiet < 2 && !past && !failed && std::chrono::steady_clock::now() < until;) {
      (void)::poll(ready.data(), 1, 2 * gather_ms);
      quiet = take() > 0 ? 0 : quiet + 1;
    }
  }

  int take() {
    const int n =
        ::pcap_dispatch(pcap.get(), -1, &state::on_packet, reinterpret_cast<u_char*>(this));
    if (n < 0 && !failed) {
      failed = true;
      error = ::pcap_geterr(pcap.get());
    }
    return n;
  }

  static void on_packet(u_char* self, const pcap_pkthdr* header, const u_char* data) {
    auto& s = *reinterpret_cast<state*>(self);
    // With nanosecond precision libpcap puts nanoseconds where it says microseconds.
    const auto at = std::chrono::seconds(header->ts.tv_sec) +
                    wire::nanos{header->ts.tv_usec * (s.nanoseconds ? 1 : 1000)};
    if (s.stopping && at > s.stopped_at)
      s.past = true;
    else
      s.writer.write(at, std::as_bytes(std::span(data, header->caplen)), header->len);
  }

  void halt() {
    if (!thread.joinable()) return;
    stopped_at = std::chrono::system_clock::now().time_since_epoch(); // the kernel's clock too
    stopping = true;
    const u64 one = 1;
    (void)!::write(wake, &one, sizeof one);
    thread.join();
  }

  handle pcap;
  pcap_writer writer;
  int wake;
  std::string interface;
  bool nanoseconds = false;
  wire::nanos stopped_at{0}; ///< written before `stopping` is, read behind it
  std::atomic<bool> stopping = false;
  bool past = false;   ///< a packet came that is younger than the stop
  bool failed = false; ///< the thread's until it was joined, like error and writer
  std::string error;
  std::thread thread;
};

live_capture::live_capture(std::unique_ptr<state> s) : state_(std::move(s)) {}
live_capture::live_capture(live_capture&&) noexcept = default;
live_capture& live_capture::operator=(live_capture&&) noexcept = default;
live_capture::~live_capture() = default;

std::expected<live_capture, std::string> live_capture::start(const live_settings& s,
                                                             const std::string& path) {
  auto p = open_interface(s);
  if (!p) return std::unexpected(std::move(p.error()));
  auto writer = pcap_writer::open(path, file_link_type(::pcap_datalink(p->get())), s.snap_length);
  if (!writer) return std::unexpected(std::move(writer.error()));
  auto st = std::make_unique<state>(std::move(*p), std::move(*writer));
  if (st->wake < 0) return std::unexpected(std::string("Capturing failed: no event descriptor."));
  st->interface = s.interface;
  st->thread = std::thread(&state::run, st.get());
  return live_capture(std::move(st));
}

std::expected<live_result, std::string> live_capture::stop() {
  auto& s = *state_;
  s.halt();
  live_result out;
  out.packets = s.writer.packets();
  out.file_bytes = s.writer.bytes_written();
  out.nanoseconds = s.nanoseconds;
  pcap_stat stats{};
  if (::pcap_stats(s.pcap.get(), &stats) == 0) {
    out.dropped = stats.ps_drop;
    out.interface_dropped = stats.ps_ifdrop;
  }
  if (auto closed = s.writer.close(); !closed) return std::unexpected(std::move(closed.error()));
  if (s.failed)
    return std::unexpected("Capturing on " + s.interface + " ended early: " + s.error + ".");
  return out;
}

} // namespace profiler::capture
