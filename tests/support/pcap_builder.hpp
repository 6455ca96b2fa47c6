#pragma once

#include "tests/support/synthesiser/traffic.hpp"

#include <filesystem>
#include <fstream>
#include <string>

#include <unistd.h>

/// Capture files for tests, written from draft-ietf-opsawg-pcap and draft-ietf-opsawg-pcapng.
namespace support {

struct pcap_options {
  bool big_endian = false;
  bool nanoseconds = false;
  u32 link_type = 1;
  u32 snap_length = 262144; ///< frames are cut to it
};

/// The bytes of a classic pcap file.
class pcap_builder {
 public:
  explicit pcap_builder(const pcap_options& o = {}) : o_(o) {
    put32(o.nanoseconds ? 0xa1b23c4d : 0xa1b2c3d4);
    detail::put<u16>(out_, 2, o.big_endian);
    detail::put<u16>(out_, 4, o.big_endian);
    put32(0);
    put32(0);
    put32(o.snap_length);
    put32(o.link_type);
  }

  pcap_builder& add(nanos at, bytes frame, u32 wire_length = 0) {
    const auto kept = std::min<std::size_t>(frame.size(), o_.snap_length);
    const auto ns = static_cast<u64>(at.count());
    put32(static_cast<u32>(ns / 1'000'000'000));
    put32(static_cast<u32>(ns % 1'000'000'000 / (o_.nanoseconds ? 1 : 1000)));
    put32(static_cast<u32>(kept));
    put32(wire_length == 0 ? static_cast<u32>(frame.size()) : wire_length);
    detail::append(out_, frame.first(kept));
    return *this;
  }

  pcap_builder& add(const std::vector<timed_frame>& frames) {
    for (const auto& f : frames)
      add(f.at, f.data, f.wire_length);
    return *this;
  }

  [[nodiscard]] const byte_vector& file() const { return out_; }

 private:
  void put32(u32 value) { detail::put(out_, value, o_.big_endian); }

  pcap_options o_;
  byte_vector out_;
};

/// The bytes of a pcapng file. Call section(), interface(), then blocks; all may be repeated.
class pcapng_builder {
 public:
  struct interface_options {
    u32 link_type = 1;
    u32 snap_length = 0;            ///< 0: no limit
    std::optional<u8> resolution{}; ///< if_tsresol: power of 10, with 0x80 power of 2
    std::optional<u64> offset{};    ///< if_tsoffset, seconds
    std::string name{};
  };

  pcapng_builder& section(bool big_endian = false) {
    big_endian_ = big_endian;
    interfaces_.clear();
    byte_vector body;
    put(body, u32{0x1a2b3c4d});
    put(body, u16{1});
    put(body, u16{0});
    put(body, ~u64{0});
    return block(0x0a0d0d0a, body);
  }

  pcapng_builder& interface(const interface_options& o) {
    interfaces_.push_back(o);
    byte_vector body;
    put(body, static_cast<u16>(o.link_type));
    put(body, u16{0});
    put(body, o.snap_length);
    const bool any = o.resolution || o.offset || !o.name.empty();
    if (!o.name.empty()) option(body, 2, wire::as_bytes(o.name));
    if (o.resolution) option(body, 9, std::array{static_cast<std::byte>(*o.resolution)});
    if (o.offset) {
      byte_vector value;
      put(value, *o.offset);
      option(body, 14, value);
    }
    if (any) option(body, 0, {});
    return block(1, body);
  }

  /// An enhanced packet block; `at` is rounded down to the interface's resolution.
  pcapng_builder& add(nanos at, bytes frame, u32 interface = 0, const std::string& comment = {},
                      u32 wire_length = 0) {
    const auto ticks = ticks_of(at, interface);
    const auto kept = kept_of(frame, interface);
    byte_vector body;
    put(body, interface);
    put(body, static_cast<u32>(ticks >> 32));
    put(body, static_cast<u32>(ticks));
    put(body, static_cast<u32>(kept.size()));
    put(body, wire_length == 0 ? static_cast<u32>(frame.size()) : wire_length);
    padded(body, kept);
    if (!comment.empty()) {
      option(body, 1, wire::as_bytes(comment));
      option(body, 0, {});
    }
    return block(6, body);
  }

  pcapng_builder& add(const std::vector<timed_frame>& frames, u32 interface = 0) {
    for (const auto& f : frames)
      add(f.at, f.data, interface, {}, f.wire_length);
    return *this;
  }

  /// A simple packet block: interface 0, no time.
  pcapng_builder& add_simple(bytes frame) {
    byte_vector body;
    put(body, static_cast<u32>(frame.size()));
    padded(body, kept_of(frame, 0));
    return block(3, body);
  }

  /// The obsolete packet block.
  pcapng_builder& add_old(nanos at, bytes frame, u16 interface = 0) {
    const auto ticks = ticks_of(at, interface);
    byte_vector body;
    put(body, interface);
    put(body, u16{0xffff});
    put(body, static_cast<u32>(ticks >> 32));
    put(body, static_cast<u32>(ticks));
    put(body, static_cast<u32>(frame.size()));
    put(body, static_cast<u32>(frame.size()));
    padded(body, frame);
    return block(2, body);
  }

  /// An interface statistics block.
  pcapng_builder& statistics(u32 interface, u64 received, u64 dropped, u64 os_dropped) {
    byte_vector body;
    put(body, interface);
    put(body, u64{0});
    for (const auto& [code, count] :
         {std::pair<u16, u64>{4, received}, {5, dropped}, {7, os_dropped}}) {
      byte_vector value;
      put(value, count);
      option(body, code, value);
    }
    option(body, 0, {});
    return block(5, body);
  }

  pcapng_builder& block(u32 type, bytes body) {
    const auto total = static_cast<u32>(12 + (body.size() + 3) / 4 * 4);
    put(out_, type);
    put(out_, total);
    padded(out_, body);
    put(out_, total);
    return *this;
  }

  [[nodiscard]] const byte_vector& file() const { return out_; }

 private:
  template <class T>
  void put(byte_vector& to, T value) const {
    detail::put(to, value, big_endian_);
  }

  static void padded(byte_vector& to, bytes data) {
    detail::append(to, data);
    to.resize(to.size() + (4 - data.size() % 4) % 4);
  }

  void option(byte_vector& to, u16 code, bytes value) const {
    put(to, code);
    put(to, static_cast<u16>(value.size()));
    padded(to, value);
  }

  [[nodiscard]] bytes kept_of(bytes frame, u32 interface) const {
    const auto snap = interfaces_.at(interface).snap_length;
    return snap == 0 ? frame : frame.first(std::min<std::size_t>(frame.size(), snap));
  }

  [[nodiscard]] u64 ticks_of(nanos at, u32 interface) const {
    const auto& o = interfaces_.at(interface);
    const auto ns = static_cast<u64>(at.count()) - o.offset.value_or(0) * 1'000'000'000;
    const auto resolution = o.resolution.value_or(6);
    const auto seconds = ns / 1'000'000'000;
    const auto rest = ns % 1'000'000'000;
    if ((resolution & 0x80) != 0) {
      const auto bits = resolution & 0x7f;
      return (seconds << bits) + ((rest << bits) / 1'000'000'000);
    }
    u64 unit = 1;
    for (u8 i = 0; i < resolution; ++i)
      unit *= 10;
    return seconds * unit +
           (resolution <= 9 ? rest / (1'000'000'000 / unit) : rest * (unit / 1'000'000'000));
  }

  bool big_endian_ = false;
  std::vector<interface_options> interfaces_;
  byte_vector out_;
};

/// A TCP connection told step by step; each step adds packets at the time `now`: to `sent`, for the
/// synthesiser's transformations, and to `frames`, as Ethernet carries them.
/// Data is cut into segments of `mss` bytes, all stamped alike unless `gap_between` says otherwise.
class tcp_talk {
 public:
  struct settings {
    u16 mss = 1448;
    u32 client_isn = 1000;
    u32 server_isn = 90000;
    nanos gap_between{0};
    bool timestamps = false;
  };

  tcp_talk(const endpoint& client, const endpoint& server, const settings& s)
      : client_(client), server_(server), s_(s), next_{s.client_isn, s.server_isn} {}
  tcp_talk(const endpoint& client, const endpoint& server) : tcp_talk(client, server, settings{}) {}

  nanos now{1'700'000'000'000'000'000};
  traffic sent;
  std::vector<timed_frame> frames;

  /// SYN, SYN-ACK after `to_server`, ACK after `to_client` more; time moves on.
  tcp_talk& handshake(nanos to_server = nanos{100'000}, nanos to_client = nanos{0}) {
    emit(true, tcp_flag::syn, {}, s_.mss);
    next_[0] += 1;
    now += to_server;
    emit(false, tcp_flag::syn | tcp_flag::ack, {}, s_.mss);
    next_[1] += 1;
    now += to_client;
    emit(true, tcp_flag::ack, {});
    return *this;
  }

  tcp_talk& to_server(bytes data) { return send(true, data); }
  tcp_talk& to_client(bytes data) { return send(false, data); }
  tcp_talk& ack_by_client() {
    emit(true, tcp_flag::ack, {});
    return *this;
  }
  tcp_talk& ack_by_server() {
    emit(false, tcp_flag::ack, {});
    return *this;
  }
  tcp_talk& wait(nanos t) {
    now += t;
    return *this;
  }
  /// FIN both ways.
  tcp_talk& close(nanos between = nanos{0}) {
    for (const bool from_client : {true, false}) {
      emit(from_client, tcp_flag::fin | tcp_flag::ack, {});
      next_[from_client ? 0 : 1] += 1;
      now += between;
    }
    emit(true, tcp_flag::ack, {});
    return *this;
  }

 private:
  tcp_talk& send(bool from_client, bytes data) {
    while (!data.empty()) {
      const auto n = std::min<std::size_t>(data.size(), s_.mss);
      emit(from_client, tcp_flag::ack | (n == data.size() ? tcp_flag::psh : 0), data.first(n));
      next_[from_client ? 0 : 1] += static_cast<u32>(n);
      data = data.subspan(n);
      if (!data.empty()) now += s_.gap_between;
    }
    return *this;
  }

  void emit(bool from_client, int flags, bytes payload, std::optional<u16> mss = {}) {
    tcp_fields f{.seq = next_[from_client ? 0 : 1],
                 .ack = (flags & tcp_flag::ack) != 0 ? next_[from_client ? 1 : 0] : 0,
                 .flags = static_cast<u8>(flags),
                 .mss = mss};
    f.ip.id = ++ip_id_;
    if (s_.timestamps) {
      const auto ms = static_cast<u32>(now.count() / 1'000'000);
      f.timestamps = {ms, ms};
    }
    sent.packets.push_back({.at = now,
                            .from_client = from_client,
                            .from = from_client ? client_ : server_,
                            .to = from_client ? server_ : client_,
                            .fields = f,
                            .payload = {payload.begin(), payload.end()}});
    frames.push_back(frame_of(sent.packets.back()));
  }

  endpoint client_;
  endpoint server_;
  settings s_;
  std::array<u32, 2> next_;
  u16 ip_id_ = 0;
};

/// A file in the temporary folder that goes away with the object.
class temporary_file {
 public:
  explicit temporary_file(bytes content, const std::string& suffix = ".pcap") {
    static int number = 0;
    path_ =
        std::filesystem::temp_directory_path() /
        ("wiretrip-test-" + std::to_string(::getpid()) + "-" + std::to_string(number++) + suffix);
    std::ofstream out(path_, std::ios::binary);
    out.write(wire::as_text(content).data(), static_cast<std::streamsize>(content.size()));
  }
  temporary_file(const temporary_file&) = delete;
  temporary_file& operator=(const temporary_file&) = delete;
  ~temporary_file() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }

  [[nodiscard]] std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

} // namespace support
