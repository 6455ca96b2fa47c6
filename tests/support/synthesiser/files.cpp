#include "tests/support/synthesiser/files.hpp"

#include <map>
#include <stdexcept>

namespace support {

byte_vector pcap_of(const traffic& t, pcap_options options) {
  if (!t.packets.empty()) {
    const auto& capture = t.packets.front().capture;
    options.link_type = capture.link_type;
    if (capture.snap_length != 0) options.snap_length = static_cast<u32>(capture.snap_length);
  }
  return pcap_builder(options).add(frames_of(t)).file();
}

byte_vector pcapng_of(const traffic& t, const pcapng_options& options) {
  std::map<u32, const encapsulation*> interfaces;
  for (const auto& p : t.packets)
    interfaces.try_emplace(p.capture.interface, &p.capture);
  pcapng_builder out;
  out.section(options.big_endian);
  for (const auto& [number, capture] : interfaces)
    out.interface({.link_type = capture->link_type,
                   .snap_length = static_cast<u32>(capture->snap_length),
                   .resolution = options.resolution});
  for (const auto& p : t.packets) {
    const auto f = frame_of(p);
    out.add(f.at, f.data, p.capture.interface, {}, f.wire_length);
  }
  return out.file();
}

analysed analyse(const traffic& t, profiler::analysis_options options) {
  exchange_log log;
  profiler::analyzer analyzer(std::move(options));
  analyzer.add_sink(log);
  u32 number = 0;
  for (const auto& p : t.packets) {
    const auto f = frame_of(p);
    analyzer.packet(
        {.data = f.data,
         .wire_length = f.wire_length == 0 ? static_cast<u32>(f.data.size()) : f.wire_length,
         .at = {f.at, ++number},
         .link_type = p.capture.link_type});
  }
  return {analyzer.finish(), std::move(log.all)};
}

analysed analyse_file(bytes file) {
  const temporary_file stored(file);
  exchange_log log;
  profiler::analyzer analyzer;
  analyzer.add_sink(log);
  if (const auto read = analyzer.file(stored.path()); !read) throw std::runtime_error(read.error());
  auto result = analyzer.finish();
  return {std::move(result), std::move(log.all)};
}

} // namespace support
