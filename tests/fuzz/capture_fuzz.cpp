#include "profiler/capture/capture_reader.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <span>

/// A capture file of any format, packed or not: reading it to its end must be harmless, and what it
/// tells must agree with itself. An observer must be handed the file as it is.
namespace {

using profiler::capture::capture_summary;

class checker final : public profiler::capture::file_observer {
 public:
  explicit checker(wire::bytes file) : file_(file) {}
  wire::u64 bytes = 0;
  /// Pieces of a packed file are of what it unpacks to.
  void piece(const profiler::capture::file_piece& p) override {
    if (plain && (p.data.size() > file_.size() - bytes ||
                  !std::equal(p.data.begin(), p.data.end(),
                              file_.begin() + static_cast<std::ptrdiff_t>(bytes))))
      std::abort();
    bytes += p.data.size();
  }
  bool plain = true;

 private:
  wire::bytes file_;
};

void check(const capture_summary& s) {
  std::size_t kept = 0;
  for (const auto& k : s.keys)
    kept += k.data.size();
  if (kept > capture_summary::secrets_bytes_max || s.keys.size() > s.secrets) std::abort();
  if (s.comment_texts.size() > capture_summary::comments_max || s.comment_texts.size() > s.comments)
    std::abort();
  for (const auto& c : s.comment_texts)
    if (c.text.size() > capture_summary::comment_bytes_max || c.frame > s.packets + 1) std::abort();
  if (s.name_records.size() > capture_summary::names_max || s.name_records.size() > s.names)
    std::abort();
  if (s.skipped_kinds.size() > capture_summary::block_kinds_max) std::abort();
  if (s.warnings.size() > 16) std::abort();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto file = std::as_bytes(std::span(data, size));
  auto reader = profiler::capture::capture_reader::over(file, "input");
  if (!reader) return reader.error().empty() ? std::abort(), 1 : 0;
  checker pieces(file);
  pieces.plain = !reader->summary().format.contains("gzip") &&
                 !reader->summary().format.contains("bzip2") &&
                 !reader->summary().format.contains("zstd");
  reader->observe(pieces);
  profiler::packet p;
  wire::u64 packets = 0;
  volatile unsigned sum = 0; // every byte is looked at
  // A short packed input may hold very many frames.
  while (packets < 100'000 && reader->next(p)) {
    ++packets;
    if (p.wire_length < p.data.size()) std::abort();
    for (const auto b : p.data)
      sum = sum + std::to_integer<unsigned>(b);
  }
  if (reader->summary().packets != packets || pieces.bytes != reader->offset()) std::abort();
  if (packets < 100'000 && pieces.plain && pieces.bytes != size) std::abort();
  check(reader->summary());
  return 0;
}
