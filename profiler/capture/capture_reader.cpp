#include "profiler/capture/capture_reader.hpp"

#include "profiler/capture/decompress.hpp"
#include "profiler/capture/format.hpp"
#include "wire/hex.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <limits>
#include <sched.h>

namespace profiler::capture {

struct capture_reader::state {
  explicit state(window w) : in(std::move(w)) {}

  window in;
  capture_summary summary;
  std::unique_ptr<format> reader;
  nanos previous{std::numeric_limits<wire::i64>::min()};
  bool over = false;
};

namespace {

/// Formats that people have lying about and that we do not read, by how they start.
struct foreign_format {
  std::string_view start;
  std::string_view name;
  std::string_view cure;
};
constexpr std::string_view convert = "Wireshark's editcap -F pcapng converts it";
constexpr std::array foreign_formats{
    foreign_format{"snoop", "a Solaris snoop capture", convert},
    foreign_format{"GMBU", "a Microsoft Network Monitor capture", convert},
    foreign_format{"RTSS", "a Microsoft Network Monitor 1 capture", convert},
    foreign_format{"TRSNIFF data", "a Sniffer capture", convert},
    foreign_format{"XCP", "a NetXRay capture", convert},
    foreign_format{"\xfd"
                   "7zXZ",
                   "packed by xz", "unxz unpacks it"},
    foreign_format{"\x04\x22\x4d\x18", "packed by lz4", "unlz4 unpacks it"},
    foreign_format{"PK\x03\x04", "a zip archive", "unzip unpacks it"},
};

std::string no_capture(window& in, const std::string& name, bool packed) {
  const bytes start{in.data(), std::min<std::size_t>(in.available(), 16)};
  for (const auto& f : foreign_formats)
    if (wire::as_text(start).starts_with(f.start))
      return name + " is " + std::string(f.name) + ", which wiretrip does not read; " +
             std::string(f.cure) + ".";
  return name + (packed ? " unpacks to something that is no capture" : " is no capture") +
         ": it starts with the bytes " +
         wire::to_hex(start.first(std::min<std::size_t>(start.size(), 8))) +
         ", and a capture with a1b2c3d4 or a1b23c4d (pcap, in either byte order) or 0a0d0d0a "
         "(pcapng)" +
         (packed ? "." : ", plain or packed by gzip, bzip2 or zstd.");
}

std::string nothing_there(const window& in, const std::string& name) {
  if (!in.trouble().empty()) return name + " cannot be read: " + in.trouble() + ".";
  return name + " is empty.";
}

std::expected<std::unique_ptr<capture_reader::state>, std::string>
recognise(std::unique_ptr<byte_source> source, const std::string& name, bool growing = false) {
  window in(std::move(source));
  if (!in.ensure(1)) return std::unexpected(nothing_there(in, name));

  std::string packing;
  (void)in.ensure(4);
  if (const auto c = compression_of({in.data(), in.available()})) {
    packing = to_string(*c);
    if (growing)
      return std::unexpected(name + " is packed by " + packing +
                             ", and packed data cannot be followed: the packer holds back what it "
                             "has not written, and a block that is not whole cannot be unpacked.");
    in = window(decompress(std::move(in), *c));
    if (!in.ensure(1)) return std::unexpected(nothing_there(in, name));
  }

  auto s = std::make_unique<capture_reader::state>(std::move(in));
  auto found = recognise_pcap(s->in, s->summary, name);
  if (!found) found = recognise_pcapng(s->in, s->summary, name);
  if (!found) {
    (void)s->in.ensure(16);
    if (!s->in.trouble().empty()) return std::unexpected(nothing_there(s->in, name));
    return std::unexpected(no_capture(s->in, name, !packing.empty()));
  }
  if (!found->reader)
    return std::unexpected(s->in.trouble().empty() ? found->error : nothing_there(s->in, name));
  if (!packing.empty()) s->summary.format += ", " + packing;
  s->reader = std::move(found->reader);
  return s;
}

/// Not std::thread::hardware_concurrency(): that counts the machine's, also those we may not use.
bool has_second_processor() {
  cpu_set_t usable;
  return sched_getaffinity(0, sizeof usable, &usable) == 0 && CPU_COUNT(&usable) > 1;
}

/// A second thread pays where it has a processor, and for files that take longer than to start it.
bool worth_reading_ahead(const std::string& path) {
  constexpr std::uintmax_t least_bytes = 1024 * 1024;
  std::error_code error;
  return has_second_processor() && std::filesystem::is_regular_file(path, error) &&
         std::filesystem::file_size(path, error) > least_bytes && !error;
}

std::string name_of(const std::string& path) {
  return path == "-" ? "standard input" : path;
}

} // namespace

capture_reader::capture_reader(std::unique_ptr<state> s) : state_(std::move(s)) {}
capture_reader::capture_reader(capture_reader&&) noexcept = default;
capture_reader& capture_reader::operator=(capture_reader&&) noexcept = default;
capture_reader::~capture_reader() = default;

std::expected<capture_reader, std::string> capture_reader::open(const std::string& path) {
  auto source = open_source(path);
  if (!source) return std::unexpected(std::move(source.error()));
  auto s = recognise(std::move(*source), name_of(path));
  if (!s) return std::unexpected(std::move(s.error()));
  if (path != "-" && worth_reading_ahead(path)) (*s)->in.start_reading_ahead();
  return capture_reader(std::move(*s));
}

std::expected<capture_reader, std::string>
capture_reader::open_growing(const std::string& path, const std::atomic<bool>& stop) {
  auto source = capture::open_growing(path, stop);
  if (!source) return std::unexpected(std::move(source.error()));
  auto s = recognise(std::move(*source), name_of(path), true);
  if (!s) return std::unexpected(std::move(s.error()));
  return capture_reader(std::move(*s));
}

std::expected<capture_reader, std::string> capture_reader::over(bytes file,
                                                                const std::string& name) {
  auto s = recognise(memory_source(file), name);
  if (!s) return std::unexpected(std::move(s.error()));
  return capture_reader(std::move(*s));
}

bool capture_reader::next(packet& out) {
  auto& s = *state_;
  std::size_t interface = 0;
  if (s.over || !s.reader->next(out, interface)) {
    s.over = true;
    return false;
  }
  auto& sum = s.summary;
  ++sum.packets;
  ++sum.interfaces[interface].packets;
  sum.captured_bytes += out.data.size();
  sum.wire_bytes += out.wire_length;
  if (out.data.size() < out.wire_length) ++sum.cut_packets;
  if (sum.packets == 1) sum.first = sum.last = out.at.time;
  sum.first = std::min(sum.first, out.at.time);
  sum.last = std::max(sum.last, out.at.time);
  if (out.at.time < s.previous) ++sum.time_steps_back;
  s.previous = out.at.time;
  out.at.packet = static_cast<u32>(std::min<u64>(sum.packets, std::numeric_limits<u32>::max()));
  return true;
}

void capture_reader::observe(file_observer& observer) {
  state_->reader->observe(observer);
}

const capture_summary& capture_reader::summary() const noexcept {
  return state_->summary;
}

u64 capture_reader::offset() const noexcept {
  return state_->in.offset();
}

} // namespace profiler::capture
