#include "tests/support/nfs_messages.hpp"
#include "tests/support/pcap_builder.hpp"
#include "tests/support/smb2_messages.hpp"

#include "wire/text.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cstdio>
#include <functional>
#include <memory>
#include <queue>

/// Writes a capture of any size: NFSv3 and SMB2 connections that go on at once, three of
/// four with small files (create, write, read back, remove), the others with large reads and
/// writes. Made for measuring who reads captures; the times in it mean nothing.
namespace {

using namespace std::chrono_literals;
using support::tcp_talk;
using support::timed_frame;
using wire::nanos;
using wire::u16;
using wire::u32;
using wire::u64;

constexpr u32 small_file_bytes = 10 * 1024;
constexpr u32 stream_bytes = 256 * 1024;

const support::byte_vector& file_data() {
  static const auto data = support::pattern(stream_bytes);
  return data;
}

wire::bytes data_of(u32 n) {
  return wire::bytes(file_data()).first(n);
}

/// One connection and what its client does, a step at a time.
class session {
 public:
  /// `number` keeps the files of the sessions apart.
  session(tcp_talk talk, u32 number, u16 mss)
      : talk_(std::move(talk)), first_file_(number << 16), mss_(mss) {
    talk_.handshake(nanos{0}, 100us);
  }
  session(const session&) = delete;
  session& operator=(const session&) = delete;
  virtual ~session() = default;

  [[nodiscard]] nanos now() const { return talk_.now; }
  /// A few requests more; what was sent before them cannot come later any more.
  virtual void step() = 0;
  std::vector<timed_frame> take_frames() { return std::exchange(talk_.frames, {}); }

 protected:
  [[nodiscard]] u32 first_file() const { return first_file_; }

  void round_trip(const std::vector<std::byte>& call, const std::vector<std::byte>& reply) {
    talk_.wait(30us);
    send(call, &tcp_talk::to_server, &tcp_talk::ack_by_server);
    talk_.wait(200us);
    send(reply, &tcp_talk::to_client, &tcp_talk::ack_by_client);
  }

 private:
  /// Every second segment is acknowledged.
  void send(wire::bytes data, tcp_talk& (tcp_talk::*to)(wire::bytes),
            tcp_talk& (tcp_talk::*acknowledge)()) {
    const auto piece = std::size_t{2} * mss_;
    for (; data.size() > piece; data = data.subspan(piece)) {
      (talk_.*to)(data.first(piece));
      (talk_.*acknowledge)();
    }
    (talk_.*to)(data);
  }

  tcp_talk talk_;
  u32 first_file_;
  u16 mss_;
};

class nfs3_session : public session {
 public:
  using session::session;

 protected:
  /// Sends `call(xid, …)` and its `reply(xid, …)`.
  void exchange(const std::function<support::record(u32)>& call,
                const std::function<support::record(u32)>& reply) {
    ++xid_;
    round_trip(call(xid_), reply(xid_));
  }

 private:
  u32 xid_ = 0;
};

class nfs3_small_files final : public nfs3_session {
 public:
  using nfs3_session::nfs3_session;
  void step() override {
    const auto file = first_file() + ++files_;
    const auto name = fmt::format("file{:07}", files_);
    const auto data = data_of(small_file_bytes);
    using namespace support;
    exchange([&](u32 x) { return create_call(x, first_file(), name); },
             [&](u32 x) { return create_reply(x, file); });
    exchange([&](u32 x) { return write_call(x, file, 0, data); },
             [&](u32 x) { return write_reply(x, small_file_bytes); });
    exchange([&](u32 x) { return lookup_call(x, first_file(), name); },
             [&](u32 x) { return lookup_reply(x, file); });
    exchange([&](u32 x) { return read_call(x, file, 0, small_file_bytes); },
             [&](u32 x) { return read_reply(x, data); });
    exchange([&](u32 x) { return remove_call(x, first_file(), name); }, remove_reply);
  }

 private:
  u32 files_ = 0;
};

class nfs3_stream final : public nfs3_session {
 public:
  using nfs3_session::nfs3_session;
  void step() override {
    const auto data = data_of(stream_bytes);
    exchange([&](u32 x) { return support::write_call(x, first_file() + 1, offset_, data); },
             [&](u32 x) { return support::write_reply(x, stream_bytes); });
    exchange([&](u32 x) { return support::read_call(x, first_file() + 1, offset_, stream_bytes); },
             [&](u32 x) { return support::read_reply(x, data); });
    offset_ += stream_bytes;
  }

 private:
  u64 offset_ = 0;
};

smb2::fileid fileid_of(u64 n) {
  smb2::fileid id;
  id.persistent = n;
  id.volatile_part = n;
  return id;
}

class smb2_session : public session {
 public:
  using session::session;

 protected:
  template <class Command>
  void exchange(const typename Command::request& request,
                const typename Command::response& response) {
    const auto id = ++message_id_;
    round_trip(support::smb2_frame(support::smb2_request<Command>(id, request)),
               support::smb2_frame(support::smb2_response<Command>(id, response)));
  }

  void open(std::string_view name, u64 file) {
    const auto path = support::utf16(name);
    smb2::create::request ask;
    ask.name = smb2::utf16_view(path);
    smb2::create::response give;
    give.file = fileid_of(file);
    exchange<smb2::create>(ask, give);
  }
  void close(u64 file) {
    smb2::close::request ask;
    ask.file = fileid_of(file);
    exchange<smb2::close>(ask, {});
  }
  void write(u64 file, u64 offset, u32 n) {
    smb2::write::request ask;
    ask.file = fileid_of(file);
    ask.offset = offset;
    ask.data = smb2::part(data_of(n));
    smb2::write::response give;
    give.count = n;
    exchange<smb2::write>(ask, give);
  }
  void read(u64 file, u64 offset, u32 n) {
    smb2::read::request ask;
    ask.file = fileid_of(file);
    ask.offset = offset;
    ask.length = n;
    smb2::read::response give;
    give.data = smb2::part(data_of(n));
    exchange<smb2::read>(ask, give);
  }

 private:
  u64 message_id_ = 0;
};

class smb2_small_files final : public smb2_session {
 public:
  using smb2_session::smb2_session;
  void step() override {
    const auto name = fmt::format("dir{}\\file{:07}", first_file(), ++files_);
    const auto written = u64{first_file()} << 16 | 2 * files_;
    open(name, written);
    write(written, 0, small_file_bytes);
    close(written);
    open(name, written + 1);
    read(written + 1, 0, small_file_bytes);
    close(written + 1);
  }

 private:
  u64 files_ = 0;
};

class smb2_stream final : public smb2_session {
 public:
  using smb2_session::smb2_session;
  void step() override {
    if (offset_ == 0) open(fmt::format("stream{}", first_file()), first_file());
    write(first_file(), offset_, stream_bytes);
    read(first_file(), offset_, stream_bytes);
    offset_ += stream_bytes;
  }

 private:
  u64 offset_ = 0;
};

struct options {
  std::string path;
  std::string size = "1g";
  u32 connections = 16;
  u16 mss = 1448;
};

std::unique_ptr<session> make_session(u32 number, const options& o) {
  const auto client =
      support::v4(10, static_cast<wire::u8>(1 + (number >> 16)), static_cast<wire::u8>(number >> 8),
                  static_cast<wire::u8>(number), static_cast<u16>(700 + number % 300));
  const bool smb = number % 2 == 1;
  tcp_talk talk(client, support::v4(10, 0, 0, smb ? 2 : 1, smb ? 445 : 2049),
                {.mss = o.mss, .gap_between = 12us, .timestamps = true});
  talk.now += 7us * number;
  const bool stream = number % 8 >= 6;
  if (smb && stream) return std::make_unique<smb2_stream>(std::move(talk), number + 1, o.mss);
  if (smb) return std::make_unique<smb2_small_files>(std::move(talk), number + 1, o.mss);
  if (stream) return std::make_unique<nfs3_stream>(std::move(talk), number + 1, o.mss);
  return std::make_unique<nfs3_small_files>(std::move(talk), number + 1, o.mss);
}

/// Frames of all sessions in the order of their times.
class capture_file {
 public:
  explicit capture_file(const std::string& path) : file_(std::fopen(path.c_str(), "wb")) {
    if (file_ == nullptr) throw std::runtime_error("cannot write " + path);
    put(support::pcap_builder({.nanoseconds = true}).file());
  }
  capture_file(const capture_file&) = delete;
  capture_file& operator=(const capture_file&) = delete;
  ~capture_file() { std::fclose(file_); }

  void add(std::vector<timed_frame> frames) {
    for (auto& f : frames)
      waiting_.push({f.at, order_++, std::move(f.data)});
  }
  void write_before(nanos t) {
    for (; !waiting_.empty() && waiting_.top().at < t; waiting_.pop())
      write(waiting_.top());
  }
  [[nodiscard]] u64 bytes() const { return bytes_; }
  [[nodiscard]] u64 packets() const { return packets_; }

 private:
  struct frame {
    nanos at;
    u64 order;
    support::byte_vector data;
    bool operator<(const frame& other) const {
      return at != other.at ? at > other.at : order > other.order;
    }
  };

  void write(const frame& f) {
    std::array<std::byte, 16> head;
    const auto ns = static_cast<u64>(f.at.count());
    wire::store_le(head.data(), static_cast<u32>(ns / 1'000'000'000));
    wire::store_le(head.data() + 4, static_cast<u32>(ns % 1'000'000'000));
    wire::store_le(head.data() + 8, static_cast<u32>(f.data.size()));
    wire::store_le(head.data() + 12, static_cast<u32>(f.data.size()));
    put(head);
    put(f.data);
    ++packets_;
  }
  void put(wire::bytes data) {
    if (std::fwrite(data.data(), 1, data.size(), file_) != data.size())
      throw std::runtime_error("the capture could not be written in full");
    bytes_ += data.size();
  }

  std::FILE* file_;
  std::priority_queue<frame> waiting_;
  u64 order_ = 0;
  u64 bytes_ = 0;
  u64 packets_ = 0;
};

/// Of all sessions that which is furthest behind goes on.
void make(const options& o, u64 size) {
  capture_file out(o.path);
  using turn = std::pair<nanos, u32>;
  std::priority_queue<turn, std::vector<turn>, std::greater<>> turns;
  std::vector<std::unique_ptr<session>> sessions;
  for (u32 n = 0; n < o.connections; ++n) {
    sessions.push_back(make_session(n, o));
    turns.emplace(sessions.back()->now(), n);
    out.add(sessions.back()->take_frames());
  }
  while (out.bytes() < size) {
    const auto [at, number] = turns.top();
    turns.pop();
    out.write_before(at);
    auto& s = *sessions[number];
    s.step();
    out.add(s.take_frames());
    turns.emplace(s.now(), number);
  }
  fmt::print("{}: {} bytes, {} packets, {} connections\n", o.path, out.bytes(), out.packets(),
             o.connections);
}

} // namespace

int main(int argc, char** argv) {
  CLI::App app{"writes a large capture of NFSv3 and SMB2 connections, for measuring"};
  options o;
  app.add_option("FILE", o.path, "pcap with nanoseconds")->required();
  app.add_option("--size", o.size, "about so many bytes: 1g")->capture_default_str();
  app.add_option("--connections", o.connections, "at once")
      ->capture_default_str()
      ->check(CLI::Range(1, 60'000));
  app.add_option("--mss", o.mss, "bytes of a full segment")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  const auto size = wire::parse_size(o.size);
  if (!size) {
    fmt::print(stderr, "--size: {}\n", size.error());
    return 2;
  }
  try {
    make(o, *size);
  } catch (const std::exception& e) {
    fmt::print(stderr, "{}\n", e.what());
    return 1;
  }
}
