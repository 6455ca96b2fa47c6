#include "tests/support/synthesiser/traffic.hpp"

#include <cassert>
#include <map>
#include <tuple>

namespace support {

namespace {

constexpr std::size_t prefix_bytes = 4;

/// The bytes that one end sent, with the packet of each piece.
struct one_way {
  struct piece {
    std::size_t begin;
    std::size_t packet;
  };
  byte_vector data;
  std::vector<piece> pieces;
  u32 next = 0;
};

class message_finder {
 public:
  message_finder(const traffic& t, const sent_packet& any, const one_way& way)
      : t_(t), any_(any), way_(way) {}

  void records(std::vector<sent_message>& out) const {
    for (std::size_t at = 0; at + prefix_bytes <= way_.data.size();) {
      const auto begin = at;
      byte_vector body;
      for (bool last = false; !last;) {
        const auto mark = wire::load_be<u32>(way_.data.data() + at);
        last = (mark & 0x8000'0000u) != 0;
        const auto length = mark & 0x7fff'ffffu;
        detail::append(body, bytes(way_.data).subspan(at + prefix_bytes, length));
        at += prefix_bytes + length;
      }
      auto m = message(begin, at);
      m.id = wire::load_be<u32>(body.data());
      m.is_call = wire::load_be<u32>(body.data() + 4) == 0;
      out.push_back(m);
    }
  }

  void smb2_frames(std::vector<sent_message>& out) const {
    for (std::size_t at = 0; at + prefix_bytes <= way_.data.size();) {
      const auto* p = way_.data.data() + at;
      const auto end = at + prefix_bytes + (wire::load_be<u32>(p) & 0xff'ffff);
      auto command = at + prefix_bytes;
      for (u32 next = 1; next != 0; command += next) {
        p = way_.data.data() + command;
        next = wire::load_le<u32>(p + 20);
        auto m = message(at, end);
        m.id = wire::load_le<u64>(p + 24);
        m.is_call = (wire::load_le<u32>(p + 16) & 1) == 0;
        m.interim = !m.is_call && wire::load_le<u32>(p + 8) == 0x103;
        out.push_back(m);
      }
      at = end;
    }
  }

 private:
  [[nodiscard]] sent_message message(std::size_t begin, std::size_t end) const {
    sent_message m{.client = any_.client(),
                   .server = any_.server(),
                   .from_client = any_.from_client,
                   .bytes = static_cast<u32>(end - begin)};
    for (std::size_t i = 0; i < way_.pieces.size(); ++i) {
      const auto piece_end =
          i + 1 < way_.pieces.size() ? way_.pieces[i + 1].begin : way_.data.size();
      if (way_.pieces[i].begin < end && piece_end > begin) m.in.push_back(way_.pieces[i].packet);
    }
    m.first = t_.packets[m.in.front()].at;
    m.last = t_.packets[m.in.back()].at;
    return m;
  }

  const traffic& t_;
  const sent_packet& any_;
  const one_way& way_;
};

} // namespace

std::vector<timed_frame> frames_of(const traffic& t) {
  std::vector<timed_frame> out;
  out.reserve(t.packets.size());
  for (const auto& p : t.packets)
    out.push_back(frame_of(p));
  return out;
}

std::vector<sent_message> messages_of(const traffic& t) {
  std::vector<sent_message> out;
  std::map<std::tuple<endpoint, endpoint>, one_way> ways;
  std::map<std::tuple<endpoint, endpoint>, std::size_t> example;
  for (std::size_t i = 0; i < t.packets.size(); ++i) {
    const auto& p = t.packets[i];
    if (p.payload.empty()) continue;
    if (!p.is_tcp) {
      out.push_back({.client = p.client(),
                     .server = p.server(),
                     .from_client = p.from_client,
                     .is_call = wire::load_be<u32>(p.payload.data() + 4) == 0,
                     .id = wire::load_be<u32>(p.payload.data()),
                     .bytes = static_cast<u32>(p.payload.size()),
                     .in = {i},
                     .first = p.at,
                     .last = p.at});
      continue;
    }
    auto& way = ways[{p.from, p.to}];
    assert(way.pieces.empty() || p.fields.seq == way.next);
    example.try_emplace({p.from, p.to}, i);
    way.pieces.push_back({way.data.size(), i});
    detail::append(way.data, p.payload);
    way.next = p.fields.seq + static_cast<u32>(p.payload.size());
  }
  for (const auto& [ends, way] : ways) {
    const auto& any = t.packets[example[ends]];
    const message_finder find(t, any, way);
    if (any.server().port == 445)
      find.smb2_frames(out);
    else
      find.records(out);
  }
  std::stable_sort(out.begin(), out.end(), [](const sent_message& a, const sent_message& b) {
    return a.in.back() < b.in.back();
  });
  return out;
}

std::vector<sent_exchange> exchanges_of(const std::vector<sent_message>& messages) {
  std::vector<sent_exchange> out;
  std::map<std::tuple<endpoint, endpoint, u64>, std::size_t> waiting;
  for (const auto& m : messages) {
    if (m.interim) continue;
    const auto key = std::tuple{m.client, m.server, m.id};
    if (m.is_call) {
      waiting[key] = out.size();
      out.push_back({&m, nullptr});
    } else if (const auto found = waiting.find(key); found != waiting.end()) {
      out[found->second].reply = &m;
    }
  }
  return out;
}

} // namespace support
