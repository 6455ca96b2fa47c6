// The small-file workload as a user of libnfs would write it: blocking calls of its own interface,
// NFSv3, one file after the other. Prints one JSON object.
#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <sys/time.h> // libnfs.h uses struct timeval without asking for it
#include <unistd.h>

#include <nfsc/libnfs.h>

namespace {

constexpr unsigned long largest_file_bytes = 1ul << 30;
constexpr int nfs_version = 3;

struct options {
  std::string server, path = "/export", folder = "peer_libnfs." + std::to_string(::getpid());
  unsigned long files = 1000;
  unsigned long size_bytes = 10240;
};

[[noreturn]] void die(const std::string& what) {
  std::fprintf(stderr, "peer_libnfs: %s\n", what.c_str());
  std::exit(1);
}

[[noreturn]] void usage() {
  std::fputs("usage: peer_libnfs --server ADDRESS [--export /export] [--files 1000] [--size 10k]\n",
             stderr);
  std::exit(2);
}

/// 10k is 10240.
unsigned long parse_count(std::string_view text) {
  unsigned long value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  const std::string_view unit{rest, static_cast<std::size_t>(end - rest)};
  static const std::map<std::string_view, unsigned long> units{
      {"", 1}, {"k", 1024}, {"m", 1048576}};
  const auto found = units.find(unit);
  if (error != std::errc{} || found == units.end() || value > largest_file_bytes / found->second)
    usage();
  return value * found->second;
}

options parse(int argc, char** argv) {
  options o;
  for (int i = 1; i < argc; i += 2) {
    const std::string_view key{argv[i]};
    if (i + 1 >= argc) usage();
    const std::string_view value{argv[i + 1]};
    if (key == "--server")
      o.server = value;
    else if (key == "--export")
      o.path = value;
    else if (key == "--folder")
      o.folder = value;
    else if (key == "--files")
      o.files = parse_count(value);
    else if (key == "--size")
      o.size_bytes = parse_count(value);
    else
      usage();
  }
  if (o.server.empty() || o.files == 0) usage();
  return o;
}

class workload {
 public:
  explicit workload(options o) : o_{std::move(o)}, nfs_{nfs_init_context()}, data_(o_.size_bytes) {
    if (nfs_ == nullptr) die("no context");
    std::uint32_t state = 1;
    for (char& c : data_)
      c = static_cast<char>((state = state * 1664525u + 1013904223u) >> 24);
  }
  workload(const workload&) = delete;
  workload& operator=(const workload&) = delete;
  ~workload() { nfs_destroy_context(nfs_); }

  void mount() {
    if (nfs_set_version(nfs_, nfs_version) != 0) fail("version");
    if (nfs_mount(nfs_, o_.server.c_str(), o_.path.c_str()) != 0) fail("mount");
  }
  void make_folder() {
    if (nfs_mkdir(nfs_, folder().c_str()) != 0) fail("mkdir " + folder());
  }
  void remove_folder() {
    if (nfs_rmdir(nfs_, folder().c_str()) != 0) fail("rmdir");
  }

  void write_all() {
    for (unsigned long i = 0; i < o_.files; ++i) {
      nfsfh* file = nullptr;
      if (nfs_creat(nfs_, name(i).c_str(), 0644, &file) != 0) fail("creat");
      mark(i);
      for (std::size_t done = 0; done < data_.size();) {
        const int n = nfs_write(nfs_, file, data_.size() - done, data_.data() + done);
        if (n <= 0) fail("write");
        done += static_cast<std::size_t>(n);
      }
      if (nfs_close(nfs_, file) != 0) fail("close");
    }
  }

  void read_all() {
    std::vector<char> got(data_.size());
    for (unsigned long i = 0; i < o_.files; ++i) {
      nfsfh* file = nullptr;
      if (nfs_open(nfs_, name(i).c_str(), O_RDONLY, &file) != 0) fail("open");
      for (std::size_t done = 0; done < got.size();) {
        const int n = nfs_read(nfs_, file, got.size() - done, got.data() + done);
        if (n <= 0) fail("read");
        done += static_cast<std::size_t>(n);
      }
      if (nfs_close(nfs_, file) != 0) fail("close");
      mark(i);
      if (got != data_) die("file " + name(i) + " does not hold what was written");
    }
  }

  void unlink_all() {
    for (unsigned long i = 0; i < o_.files; ++i)
      if (nfs_unlink(nfs_, name(i).c_str()) != 0) fail("unlink");
  }

 private:
  [[noreturn]] void fail(const std::string& what) { die(what + ": " + nfs_get_error(nfs_)); }
  [[nodiscard]] std::string folder() const { return "/" + o_.folder; }
  [[nodiscard]] std::string name(unsigned long i) const {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "/f%07lu", i);
    return folder() + text.data();
  }
  /// No two files are the same, so that a mix-up is seen.
  void mark(unsigned long i) {
    for (std::size_t k = 0; k < std::min(data_.size(), sizeof i); ++k)
      data_[k] = static_cast<char>(i >> (8 * k));
  }

  options o_;
  nfs_context* nfs_;
  std::vector<char> data_;
};

template <typename Work>
double seconds(Work work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

} // namespace

int main(int argc, char** argv) {
  const options o = parse(argc, argv);
  workload w{o};
  const double connect = seconds([&] { w.mount(); });
  w.make_folder();
  const std::array<std::pair<const char*, double>, 3> phases{{
      {"write", seconds([&] { w.write_all(); })},
      {"read", seconds([&] { w.read_all(); })},
      {"remove", seconds([&] { w.unlink_all(); })},
  }};
  w.remove_folder();
  std::printf("{\"schema\":\"wiretrip.peer/1\",\"peer\":\"libnfs\",\"nfs_version\":3,"
              "\"server\":\"%s\",\"files\":%lu,\"size_bytes\":%lu,\"connect_s\":%.6f,\"phases\":[",
              o.server.c_str(), o.files, o.size_bytes, connect);
  for (const auto& [name, took] : phases)
    std::printf("%s{\"name\":\"%s\",\"seconds\":%.6f,\"files_per_s\":%.1f}",
                name == phases.front().first ? "" : ",", name, took,
                static_cast<double>(o.files) / took);
  std::printf("]}\n");
  return 0;
}
