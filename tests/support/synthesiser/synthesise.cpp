// synthesise DIR: writes every scenario as a capture, for other programs to look at.

#include "tests/support/synthesiser/files.hpp"
#include "tests/support/synthesiser/scenarios.hpp"

#include <filesystem>
#include <fstream>
#include <iostream>

namespace {

bool one_interface(const support::traffic& t) {
  return std::all_of(t.packets.begin(), t.packets.end(),
                     [](const auto& p) { return p.capture.interface == 0; });
}

} // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: synthesise DIR\n";
    return 2;
  }
  const std::filesystem::path folder = argv[1];
  std::filesystem::create_directories(folder);
  for (const auto& scenario : support::scenarios()) {
    const auto t = scenario.make();
    const bool classic = one_interface(t);
    const auto file = classic ? support::pcap_of(t, {.nanoseconds = true}) : support::pcapng_of(t);
    const auto path = folder / (std::string(scenario.name) + (classic ? ".pcap" : ".pcapng"));
    std::ofstream out(path, std::ios::binary);
    out.write(wire::as_text(file).data(), static_cast<std::streamsize>(file.size()));
    if (!out) {
      std::cerr << "cannot write " << path << '\n';
      return 1;
    }
  }
  return 0;
}
