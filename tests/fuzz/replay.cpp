// Runs a fuzz target without a fuzzer: over every file of a corpus and every golden message (.hex),
// over every truncation of the small ones, and over mutations that are the same in every run.

#include "wire/hex.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

namespace fs = std::filesystem;
using input = std::vector<std::uint8_t>;

constexpr std::size_t truncated_bytes_max = 600;
constexpr int mutations = 60;

/// In memory of its exact size, so that a sanitizer sees one byte too many.
void run(const input& bytes) {
  const input exact(bytes.begin(), bytes.end());
  LLVMFuzzerTestOneInput(exact.data(), exact.size());
}

input read(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(in)), {});
  if (file.extension() == ".hex") {
    const auto bytes = wire::from_hex(text);
    if (!bytes) return {};
    input out(bytes->size());
    std::transform(bytes->begin(), bytes->end(), out.begin(),
                   [](std::byte b) { return std::to_integer<std::uint8_t>(b); });
    return out;
  }
  return {text.begin(), text.end()};
}

void mutate(input& bytes, std::mt19937& random) {
  constexpr std::uint8_t extremes[] = {0x00, 0x01, 0x7f, 0x80, 0xfe, 0xff};
  const auto changes = 1 + random() % 4;
  for (unsigned i = 0; i < changes && !bytes.empty(); ++i) {
    auto& b = bytes[random() % bytes.size()];
    b = random() % 2 == 0 ? extremes[random() % std::size(extremes)]
                          : static_cast<std::uint8_t>(random());
  }
  if (!bytes.empty() && random() % 4 == 0) bytes.resize(random() % bytes.size());
}

std::size_t run_all_of(const input& bytes, std::mt19937& random) {
  std::size_t runs = 1;
  run(bytes);
  for (std::size_t n = 0; n < bytes.size() && n < truncated_bytes_max; ++n, ++runs)
    run(input(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(n)));
  for (int i = 0; i < mutations; ++i, ++runs) {
    auto changed = bytes;
    mutate(changed, random);
    run(changed);
  }
  return runs;
}

} // namespace

int main(int argc, char** argv) {
  std::mt19937 random(1);
  std::size_t files = 0;
  std::size_t runs = 1;
  run({});
  for (int i = 1; i < argc; ++i) {
    if (!fs::exists(argv[i])) continue;
    std::vector<fs::path> found;
    for (const auto& entry : fs::recursive_directory_iterator(argv[i]))
      if (entry.is_regular_file()) found.push_back(entry.path());
    std::sort(found.begin(), found.end());
    for (const auto& file : found) {
      runs += run_all_of(read(file), random);
      ++files;
    }
  }
  std::printf("%zu runs over %zu files\n", runs, files);
  return files == 0;
}
