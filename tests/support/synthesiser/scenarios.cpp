#include "tests/support/synthesiser/scenarios.hpp"

#include "tests/support/nfs_messages.hpp"
#include "tests/support/pcap_builder.hpp"
#include "tests/support/smb2_messages.hpp"
#include "tests/support/synthesiser/files.hpp"
#include "tests/support/synthesiser/transforms.hpp"

#include <random>
#include <stdexcept>

namespace support {

namespace {

using namespace std::chrono_literals;

const auto nfs_client = v4(198, 18, 1, 1, 741);
const auto nfs_server = v4(198, 18, 1, 2, 2049);
const auto smb_client = v4(198, 18, 1, 3, 50'123);
const auto smb_server = v4(198, 18, 1, 4, 445);
const auto udp_client = v4(198, 18, 1, 5, 800);

constexpr u32 io_bytes = 8192;
constexpr u32 large_bytes = 65'536;

tcp_talk nfs_talk(const tcp_talk::settings& s = {}) {
  tcp_talk talk(nfs_client, nfs_server, s);
  talk.handshake(200us, 0us).wait(1ms);
  return talk;
}

/// An NFS request of any kind and the reply that belongs to it.
struct nfs_pair {
  byte_vector call;
  byte_vector reply;
};

nfs_pair random_request(std::mt19937& random, u32 xid, u32 longest) {
  const auto file = 10 + static_cast<u32>(random() % 3);
  const auto size = static_cast<u32>(random() % longest);
  const auto offset = wire::u64{random() % 16} * io_bytes;
  switch (random() % 6) {
  case 0:
    return {write_call(xid, file, offset, pattern(size)), write_reply(xid, size)};
  case 1:
    return {read_call(xid, file, offset, size), read_reply(xid, pattern(size))};
  case 2:
    return {lookup_call(xid, 2, "name" + std::to_string(file)), lookup_reply(xid, file)};
  case 3:
    return {lookup_call(xid, 2, "none"), lookup_missing(xid)};
  case 4:
    return {create_call(xid, 2, "new" + std::to_string(xid)), create_reply(xid, 1000 + xid)};
  default:
    return {getattr_call(xid, file), getattr_reply(xid)};
  }
}

struct smb2_pair {
  byte_vector request;
  byte_vector response;
  bool pending = false;
};

smb2_pair random_smb2(std::mt19937& random, wire::u64& id, bool compounds) {
  const smb2::fileid file{11 + random() % 3, 12};
  const auto data = pattern(1 + random() % 9000);
  const auto path = "dir\\file" + std::to_string(random() % 3);
  const auto first = id++;
  switch (random() % (compounds ? 6 : 5)) {
  case 0:
    return {smb2_frame(read_request(first, file, static_cast<u32>(data.size()))),
            smb2_frame(read_response(first, data))};
  case 1:
    return {smb2_frame(write_request(first, file, data)),
            smb2_frame(write_response(first, static_cast<u32>(data.size()))), random() % 3 == 0};
  case 2:
    return {smb2_frame(create_request(first, path)), smb2_frame(create_response(first, file))};
  case 3:
    return {
        smb2_frame(create_request(first, "none")),
        smb2_frame(smb2_error(smb2::create::number, first, smb2::status::object_name_not_found))};
  case 4:
    return {smb2_frame(smb2_request<smb2::echo>(first, {})),
            smb2_frame(smb2_response<smb2::echo>(first, {}))};
  default:
    id += 2;
    return {smb2_frame({create_request(first, path),
                        related(read_request(first + 1, smb2::fileid::of_previous(), io_bytes)),
                        related(close_request(first + 2, smb2::fileid::of_previous()))}),
            smb2_frame({create_response(first, file), read_response(first + 1, data),
                        close_response(first + 2)})};
  }
}

/// The record without its mark.
byte_vector datagram(const byte_vector& message) {
  return {message.begin() + 4, message.end()};
}

} // namespace

traffic large_read_and_write() {
  auto talk = nfs_talk({.gap_between = nanos{4'055'000 / 45}});
  const auto data = pattern(large_bytes);
  talk.to_server(read_call(1, 3, 0, large_bytes)).wait(1ms).to_client(read_reply(1, data));
  talk.ack_by_client().wait(2ms);
  talk.to_server(write_call(2, 3, 0, data)).wait(1945us).to_client(write_reply(2, large_bytes));
  talk.wait(100us).close();
  return talk.sent;
}

traffic retransmitted_call() {
  auto talk = nfs_talk();
  talk.to_server(getattr_call(7, 3)).wait(1s).to_server(getattr_call(7, 3));
  talk.wait(500us).to_client(getattr_reply(7)).wait(100us).close();
  return talk.sent;
}

traffic orphans() {
  auto talk = nfs_talk();
  talk.to_server(getattr_call(1, 3)).wait(500us).to_client(getattr_reply(1)).wait(1ms);
  talk.to_client(getattr_reply(99)).wait(1ms);
  talk.to_server(getattr_call(2, 3)).wait(1ms);
  talk.to_server(getattr_call(3, 3)).wait(500us).to_client(getattr_reply(3)).wait(1ms);
  talk.close();
  return talk.sent;
}

traffic reads(const reads_settings& s) {
  auto talk = nfs_talk({.mss = s.mss, .gap_between = s.between});
  u32 xid = 100;
  for (u32 round = 0; round < s.rounds; ++round, xid += s.depth) {
    for (u32 i = 0; i < s.depth; ++i)
      talk.to_server(read_call(xid + i, 3, wire::u64{xid - 100 + i} * io_bytes, io_bytes));
    talk.wait(500us);
    byte_vector replies;
    for (u32 i = 0; i < s.depth; ++i)
      detail::append(replies, read_reply(xid + i, pattern(io_bytes)));
    talk.to_client(replies);
    talk.ack_by_client().wait(300us);
  }
  talk.close();
  return talk.sent;
}

std::size_t segment_of_reply(const traffic& t, std::size_t reply, std::size_t segment) {
  std::size_t replies = 0;
  for (const auto& m : messages_of(t))
    if (!m.is_call && replies++ == reply) return m.in.at(segment);
  throw std::out_of_range("no such reply");
}

traffic nagle() {
  auto talk = nfs_talk({.gap_between = nanos{40'200'000}});
  const auto data = pattern(2000);
  for (u32 xid = 1; xid <= 20; ++xid)
    talk.to_server(write_call(xid, 3, 0, data))
        .wait(500us)
        .to_client(write_reply(xid, 2000))
        .wait(300us);
  talk.close();
  return talk.sent;
}

traffic reconnect_with_same_xid() {
  tcp_talk first(nfs_client, nfs_server);
  first.handshake(200us, 0us).wait(1ms).to_server(getattr_call(7, 3));
  auto other = nfs_client;
  other.port = 742;
  tcp_talk second(other, nfs_server);
  second.now = first.now + 60s - 200us;
  second.handshake(200us, 0us).to_server(getattr_call(7, 3));
  second.wait(400us).to_client(getattr_reply(7)).wait(100us).close();
  return merged({first.sent, second.sent});
}

traffic smb2_waits() {
  tcp_talk talk(smb_client, smb_server);
  talk.handshake(200us, 0us).wait(1ms);
  const smb2::fileid file{11, 12};
  talk.to_server(smb2_frame(
      {create_request(1, "a.txt"), related(close_request(2, smb2::fileid::of_previous()))}));
  talk.wait(500us).to_client(smb2_frame({create_response(1, file), close_response(2)})).wait(1ms);
  talk.to_server(smb2_frame(smb2_request<smb2::change_notify>(3, {}))).wait(200us);
  const auto notify_at = talk.now - 200us;
  talk.to_client(smb2_frame(smb2_interim(smb2::change_notify::number, 3))).wait(1ms);
  talk.to_server(smb2_frame(create_request(4, "b.txt"))).wait(200us);
  talk.to_client(smb2_frame(smb2_interim(smb2::create::number, 4))).wait(35s - 200us);
  auto opened = create_response(4, file);
  opened.head.flags |= smb2::flags::async_command;
  opened.head.async_id = 77;
  talk.to_client(smb2_frame(opened));
  talk.now = notify_at + 60s;
  talk.to_client(smb2_frame(smb2_response<smb2::change_notify>(3, {}))).wait(1ms).close();
  return talk.sent;
}

traffic zero_window() {
  auto talk = nfs_talk({.gap_between = 10us});
  talk.to_server(write_call(1, 3, 0, pattern(large_bytes))).wait(1ms);
  talk.to_client(write_reply(1, large_bytes)).wait(1ms).close();
  auto& packets = talk.sent.packets;
  const auto middle = packets.begin() + 24; // three of the handshake, 21 of the WRITE
  auto full = *(packets.begin() + 1);
  full.at = (middle - 1)->at + 5us;
  full.fields = {.seq = (middle - 1)->fields.ack,
                 .ack = middle->fields.seq,
                 .flags = tcp_flag::ack,
                 .window = 0};
  for (auto p = middle; p != packets.end(); ++p)
    p->at += 300ms;
  auto open = full;
  open.at += 299'990us;
  open.fields.window = 65'535;
  packets.insert(middle, {full, open});
  return talk.sent;
}

traffic ports_used_again() {
  std::vector<traffic> parts;
  for (u32 i = 0; i < 3; ++i) {
    tcp_talk talk(nfs_client, nfs_server,
                  {.client_isn = 1000 + i * 7'000'000, .server_isn = 90'000 + i * 9'000'000});
    talk.now = scenario_start + i * 2s;
    talk.handshake(200us, 0us);
    for (u32 xid = 1; xid <= 5; ++xid)
      talk.wait(100us).to_server(getattr_call(xid, 3)).wait(300us).to_client(getattr_reply(xid));
    talk.wait(1ms).close();
    parts.push_back(talk.sent);
  }
  return merged(std::move(parts));
}

traffic nfs_session(unsigned seed, u32 rounds) {
  std::mt19937 random(seed);
  auto talk = nfs_talk({.gap_between = 12us});
  u32 xid = 1;
  for (u32 round = 0; round < rounds; ++round) {
    std::vector<byte_vector> replies;
    const auto depth = 1 + random() % 4;
    for (unsigned i = 0; i < depth; ++i) {
      auto pair = random_request(random, xid++, 9000);
      talk.to_server(pair.call).wait(10us);
      replies.push_back(std::move(pair.reply));
    }
    if (random() % 2 == 0) std::swap(replies.front(), replies.back());
    talk.wait(400us);
    for (const auto& reply : replies)
      talk.to_client(reply).wait(20us);
    talk.ack_by_client().wait(200us);
  }
  talk.close(100us);
  return talk.sent;
}

traffic udp_session(unsigned seed, u32 rounds) {
  std::mt19937 random(seed);
  traffic out;
  auto now = scenario_start;
  const auto send = [&](bool from_client, const byte_vector& message) {
    sent_packet p{.at = now,
                  .from_client = from_client,
                  .from = from_client ? udp_client : nfs_server,
                  .to = from_client ? nfs_server : udp_client,
                  .is_tcp = false,
                  .payload = datagram(message)};
    p.fields.ip.id = static_cast<u16>(out.packets.size() + 1);
    out.packets.push_back(std::move(p));
  };
  for (u32 xid = 1; xid <= rounds; ++xid) {
    const auto pair = random_request(random, xid, 1200);
    send(true, pair.call);
    now += 300us;
    send(false, pair.reply);
    now += 200us;
  }
  return out;
}

traffic smb2_session(unsigned seed, u32 rounds, bool compounds) {
  std::mt19937 random(seed);
  tcp_talk talk(smb_client, smb_server, {.gap_between = 12us});
  talk.handshake(200us, 0us).wait(1ms);
  wire::u64 id = 1;
  for (u32 round = 0; round < rounds; ++round) {
    std::vector<smb2_pair> pairs;
    const auto depth = 1 + random() % 3;
    for (unsigned i = 0; i < depth; ++i) {
      const auto first = id;
      pairs.push_back(random_smb2(random, id, compounds));
      talk.to_server(pairs.back().request).wait(10us);
      if (!pairs.back().pending) continue;
      talk.wait(100us).to_client(smb2_frame(smb2_interim(smb2::write::number, first))).wait(90us);
    }
    talk.wait(400us);
    for (const auto& pair : pairs)
      talk.to_client(pair.response).wait(20us);
    talk.ack_by_client().wait(200us);
  }
  talk.close(100us);
  return talk.sent;
}

traffic mixed_session(unsigned seed, u32 rounds, bool compounds) {
  return merged({nfs_session(seed, rounds), udp_session(seed + 1, rounds),
                 smb2_session(seed + 2, rounds, compounds)});
}

traffic copied_capture() {
  const auto file = pcap_of(merged({nfs_session(77, 20), smb2_session(78, 10)}));
  constexpr std::size_t piece = 16'384;
  auto talk = nfs_talk({.gap_between = 12us});
  u32 xid = 0x5000'0001;
  for (const bool writing : {true, false}) {
    for (std::size_t at = 0; at < file.size(); at += piece, ++xid) {
      const auto data = bytes(file).subspan(at, std::min(piece, file.size() - at));
      const auto count = static_cast<u32>(data.size());
      talk.to_server(writing ? write_call(xid, 9, at, data) : read_call(xid, 9, at, count));
      talk.wait(300us).to_client(writing ? write_reply(xid, count) : read_reply(xid, data));
      talk.ack_by_client().wait(100us);
    }
  }
  talk.close();
  return talk.sent;
}

namespace {

/// The segment in which the first reply ends and the second begins, and the next one, in two
/// rounds.
traffic hole_over_boundary() {
  const auto all = reads({.rounds = 20, .depth = 8});
  std::vector<std::size_t> lost;
  for (const std::size_t round : {3u, 11u}) {
    lost.push_back(segment_of_reply(all, round * 8 + 1, 0));
    lost.push_back(segment_of_reply(all, round * 8 + 1, 1));
  }
  return all | drop_if([lost](const sent_packet&, std::size_t i) {
           return std::find(lost.begin(), lost.end(), i) != lost.end();
         });
}

traffic holes_in_replies() {
  const auto all = reads();
  std::vector<std::size_t> lost;
  for (std::size_t reply = 0; reply < 5; ++reply)
    lost.push_back(segment_of_reply(all, reply * 10 + 4, 2));
  return all | drop_if([lost](const sent_packet&, std::size_t i) {
           return std::find(lost.begin(), lost.end(), i) != lost.end();
         });
}

traffic from_inside_a_reply() {
  const auto all = reads();
  return all | start_at(segment_of_reply(all, 0, 3));
}

} // namespace

const std::vector<named_scenario>& scenarios() {
  using namespace std::chrono_literals;
  static const std::vector<named_scenario> all{
      {"srt", large_read_and_write},
      {"retransmitted_call", retransmitted_call},
      {"orphans", orphans},
      {"reads", [] { return reads(); }},
      {"gap", holes_in_replies},
      {"pipegap", hole_over_boundary},
      {"mid", from_inside_a_reply},
      {"snap256", [] { return reads() | snap(256); }},
      {"snap96", [] { return reads() | snap(96); }},
      {"tso", [] { return reads() | coalesce(65'000, 50us); }},
      {"onedir_client", [] { return reads() | from_client_only(); }},
      {"onedir_server", [] { return reads() | from_server_only(); }},
      {"twice", [] { return reads() | duplicate(3us); }},
      {"twice_routed", [] { return reads() | duplicate(30us, true); }},
      {"vlan", [] { return reads() | vlan(7); }},
      {"two_interfaces",
       [] {
         return reads() | spread_over({{.link_type = 1, .snap_length = 96},
                                       {.link_type = 113, .snap_length = 256}});
       }},
      {"smb", smb2_waits},
      {"nagle", nagle},
      {"reconn", reconnect_with_same_xid},
      {"zero_window", zero_window},
      {"ports_used_again", ports_used_again},
      {"fragments", [] { return nfs_session(1) | fragment_records(1); }},
      {"mixed", [] { return mixed_session(1); }},
      {"copied_capture", copied_capture},
  };
  return all;
}

traffic scenario(std::string_view name) {
  for (const auto& s : scenarios())
    if (s.name == name) return s.make();
  throw std::out_of_range("no scenario " + std::string(name));
}

} // namespace support
