// One large file over SMB2, in a window of READs or WRITEs: what smb2_stream measures beside
// smbclient. The bytes that are read go nowhere, those that are written come from a local file.
#include "smb2/file.hpp"
#include "smb2/url.hpp"
#include "wire/net/async.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <fmt/core.h>
#include <string>
#include <string_view>

namespace {

using wire::net::awaitable;
using result = std::expected<wire::u64, smb2::error>;

struct job {
  bool get = false;
  smb2::url where;
  std::string local;
  smb2::transfer_options how;
};

/// From the local file, in order.
struct source {
  int file = -1;
  std::size_t operator()(std::span<std::byte> room) const {
    std::size_t have = 0;
    while (have < room.size()) {
      const auto n = ::read(file, room.data() + have, room.size() - have);
      if (n <= 0) break;
      have += static_cast<std::size_t>(n);
    }
    return have;
  }
};

awaitable<result> move_bytes(smb2::file& file, const job& what) {
  if (what.get) {
    smb2::chunk_taker take = [](smb2::bytes) { return true; };
    co_return co_await file.read_stream(0, file.facts().size, std::move(take), what.how);
  }
  source from{::open(what.local.c_str(), O_RDONLY)};
  const auto size = static_cast<wire::u64>(::lseek(from.file, 0, SEEK_END));
  ::lseek(from.file, 0, SEEK_SET);
  smb2::chunk_filler fill = from;
  auto done = co_await file.write_stream(0, size, std::move(fill), what.how);
  ::close(from.file);
  co_return done;
}

awaitable<result> run(job what, std::string password) {
  auto session = co_await smb2::session::open(smb2::options_of(what.where, password));
  if (!session) co_return std::unexpected(std::move(session.error()));
  auto tree = co_await smb2::tree::connect(*session, what.where.share);
  if (!tree) co_return std::unexpected(std::move(tree.error()));
  const auto how = what.get ? smb2::open_options::to_read() : smb2::open_options::to_write();
  auto file = co_await tree->open(what.where.path, how);
  if (!file) co_return std::unexpected(std::move(file.error()));
  auto moved = co_await move_bytes(*file, what);
  auto closed = co_await file->close();
  if (!closed) co_return std::unexpected(std::move(closed.error()));
  co_return moved;
}

int usage() {
  fmt::print(stderr,
             "usage: smb2_stream_file get URL | put URL FILE  [CHUNK_BYTES [WINDOW_BYTES]]\n");
  return 2;
}

} // namespace

int main(int argc, char** argv) {
  if (argc < 3) return usage();
  job what;
  what.get = std::string_view(argv[1]) == "get";
  int next = 3;
  if (!what.get) {
    if (argc < 4) return usage();
    what.local = argv[next++];
  }
  auto where = smb2::parse_url(argv[2]);
  if (!where) return fmt::print(stderr, "{}\n", where.error()), 2;
  what.where = std::move(*where);
  if (next < argc) what.how.chunk_bytes = static_cast<wire::u32>(std::atoi(argv[next++]));
  if (next < argc) what.how.window_bytes = static_cast<wire::u32>(std::atoi(argv[next++]));
  const char* password = std::getenv("WIRETRIP_PASSWORD");
  asio::io_context io;
  const auto moved = wire::net::run_to_end(io, run(what, password == nullptr ? "" : password));
  if (!moved) return fmt::print(stderr, "{}\n", moved.error().text), 1;
  fmt::print("{}\n", *moved);
}
