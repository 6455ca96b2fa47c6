#pragma once

#include "profiler/capture/capture_reader.hpp"
#include "tests/support/pcap_builder.hpp"
#include "wire/hex.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

/// What the tests of the reader have in common.
namespace reading {

using support::byte_vector;
using wire::bytes;
using wire::nanos;
using wire::u32;
using wire::u64;

inline constexpr nanos when{1'700'000'000'000'000'000};

struct result {
  std::vector<byte_vector> frames;
  std::vector<nanos> times;
  profiler::capture::capture_summary summary;
};

inline result read_all(profiler::capture::capture_reader& reader) {
  result out;
  profiler::packet p;
  while (reader.next(p)) {
    out.frames.emplace_back(p.data.begin(), p.data.end());
    out.times.push_back(p.at.time);
  }
  out.summary = reader.summary();
  return out;
}

inline result read_all(bytes file) {
  auto reader = profiler::capture::capture_reader::over(file, "x");
  if (reader) return read_all(*reader);
  ADD_FAILURE() << reader.error();
  return {};
}

/// Puts a file together again from what an observer is handed.
class copier final : public profiler::capture::file_observer {
 public:
  byte_vector copy;
  u64 damaged_bytes = 0;
  u64 pieces = 0;

  void piece(const profiler::capture::file_piece& p) override {
    copy.insert(copy.end(), p.data.begin(), p.data.end());
    if (p.what == profiler::capture::file_piece::kind::damage) damaged_bytes += p.data.size();
    ++pieces;
  }
};

} // namespace reading
