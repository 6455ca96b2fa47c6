#include "tests/support/synthesiser/transforms.hpp"

#include <map>
#include <random>
#include <set>
#include <tuple>

namespace support {

namespace {

/// The part of a segment from `from` on, `n` bytes of it.
sent_packet part_of(const sent_packet& p, std::size_t from, std::size_t n) {
  auto out = p;
  const auto begin = p.payload.begin() + static_cast<std::ptrdiff_t>(from);
  out.payload.assign(begin, begin + static_cast<std::ptrdiff_t>(n));
  out.fields.seq += static_cast<u32>(from);
  if (from + n < p.payload.size())
    out.fields.flags &= static_cast<u8>(~(tcp_flag::psh | tcp_flag::fin));
  return out;
}

/// Cuts each segment where `length()` says.
template <class Length>
traffic cut(traffic t, Length length) {
  traffic out;
  for (const auto& p : t.packets) {
    if (!p.is_tcp || p.payload.empty()) {
      out.packets.push_back(p);
      continue;
    }
    for (std::size_t at = 0; at < p.payload.size();) {
      const auto n = std::min<std::size_t>(length(), p.payload.size() - at);
      out.packets.push_back(part_of(p, at, n));
      at += n;
    }
  }
  return out;
}

template <class F>
transform for_each_packet(F f) {
  return [f](traffic t) {
    for (auto& p : t.packets)
      f(p);
    return t;
  };
}

void sort_by_time(traffic& t) {
  std::stable_sort(t.packets.begin(), t.packets.end(),
                   [](const sent_packet& a, const sent_packet& b) { return a.at < b.at; });
}

/// Another attempt of the same segment.
sent_packet again(sent_packet p, nanos after) {
  p.at += after;
  p.fields.ip.id = static_cast<u16>(p.fields.ip.id + 20'000);
  return p;
}

/// One direction of a connection with other record marks.
class refragmented {
 public:
  void collect(const sent_packet& p) {
    if (data_.empty()) first_ = p.fields.seq;
    detail::append(data_, p.payload);
  }

  void rewrite(std::mt19937& random) {
    for (std::size_t at = 0; at + mark_bytes <= data_.size();) {
      const auto length = wire::load_be<u32>(data_.data() + at) & ~last;
      plan_record(at, length, random);
      at += mark_bytes + length;
    }
    for (std::size_t i = 0; i < data_.size(); ++i) {
      moved_.push_back(out_.size());
      if (const auto found = before_.find(i); found != before_.end())
        detail::append(out_, found->second);
      if (!gone_.contains(i)) out_.push_back(data_[i]);
      if (const auto found = after_.find(i); found != after_.end())
        detail::append(out_, found->second);
    }
    moved_.push_back(out_.size());
  }

  void apply(sent_packet& p) const {
    const auto begin = static_cast<std::size_t>(p.fields.seq - first_);
    if (!p.payload.empty()) {
      const auto from = static_cast<std::ptrdiff_t>(moved_.at(begin));
      const auto to = static_cast<std::ptrdiff_t>(moved_.at(begin + p.payload.size()));
      p.payload.assign(out_.begin() + from, out_.begin() + to);
    }
    p.fields.seq = moved(p.fields.seq);
  }

  /// The new number of what had the number `seq`; a SYN keeps its own.
  [[nodiscard]] u32 moved(u32 seq) const {
    const auto offset = seq - first_;
    if (data_.empty() || offset > data_.size() + 2) return seq;
    const auto in_data = std::min<std::size_t>(offset, data_.size());
    return static_cast<u32>(first_ + moved_.at(in_data) + (offset - in_data));
  }

 private:
  static constexpr std::size_t mark_bytes = 4;
  static constexpr u32 last = 0x8000'0000u;

  static byte_vector mark(std::size_t length, bool is_last) {
    byte_vector out;
    detail::put_be<u32>(out, static_cast<u32>(length) | (is_last ? last : 0));
    return out;
  }

  /// The old mark goes. New ones come where it was, and before the first byte of each fragment.
  void plan_record(std::size_t at, std::size_t length, std::mt19937& random) {
    for (std::size_t i = 0; i < mark_bytes; ++i)
      gone_.insert(at + i);
    const auto body = at + mark_bytes;
    const bool empty_last = random() % 4 == 0;
    for (std::size_t done = 0; done < length;) {
      auto& marks = before_[done == 0 ? at : body + done];
      if (random() % 5 == 0) detail::append(marks, mark(0, false));
      const auto n = random() % 3 == 0 ? length - done : 1 + random() % (length - done);
      detail::append(marks, mark(n, done + n == length && !empty_last));
      done += n;
    }
    if (empty_last) after_[body + length - 1] = mark(0, true);
  }

  byte_vector data_;
  byte_vector out_;
  std::vector<std::size_t> moved_; ///< by old offset: the new one
  u32 first_ = 0;
  std::map<std::size_t, byte_vector> before_;
  std::map<std::size_t, byte_vector> after_;
  std::set<std::size_t> gone_;
};

using ends = std::tuple<endpoint, endpoint>;

endpoint as_ipv6(const endpoint& e) {
  auto out = v6(e.address[15], e.port);
  out.address[14] = e.address[14];
  return out;
}

} // namespace

transform segment(std::size_t mss) {
  return [=](traffic t) { return cut(std::move(t), [=] { return mss; }); };
}

transform split_randomly(unsigned seed, std::size_t longest) {
  return [=](traffic t) {
    std::mt19937 random(seed);
    return cut(std::move(t), [&] { return 1 + random() % longest; });
  };
}

transform coalesce(std::size_t longest, nanos pause) {
  return [=](traffic t) {
    traffic out;
    std::map<ends, nanos> end_of_last;
    for (const auto& p : t.packets) {
      auto* before = out.packets.empty() ? nullptr : &out.packets.back();
      const bool joins =
          before != nullptr && p.is_tcp && before->is_tcp && !p.payload.empty() &&
          !before->payload.empty() && before->from == p.from && before->to == p.to &&
          before->fields.seq + static_cast<u32>(before->payload.size()) == p.fields.seq &&
          before->payload.size() + p.payload.size() <= longest &&
          (before->fields.flags & tcp_flag::psh) == 0 &&
          p.at - end_of_last[{p.from, p.to}] <= pause;
      end_of_last[{p.from, p.to}] = p.at;
      if (!joins) {
        out.packets.push_back(p);
        continue;
      }
      detail::append(before->payload, p.payload);
      before->fields.flags |= p.fields.flags;
      before->fields.ack = p.fields.ack;
    }
    return out;
  };
}

transform fragment_records(unsigned seed) {
  return [=](traffic t) {
    std::mt19937 random(seed);
    std::map<ends, refragmented> ways;
    const auto speaks_rpc = [](const sent_packet& p) { return p.is_tcp && p.server().port != 445; };
    for (const auto& p : t.packets)
      if (speaks_rpc(p) && !p.payload.empty()) ways[{p.from, p.to}].collect(p);
    for (auto& [key, way] : ways)
      way.rewrite(random);
    for (auto& p : t.packets) {
      if (!speaks_rpc(p)) continue;
      if (const auto way = ways.find({p.from, p.to}); way != ways.end()) way->second.apply(p);
      if (const auto way = ways.find({p.to, p.from}); way != ways.end())
        p.fields.ack = way->second.moved(p.fields.ack);
    }
    return t;
  };
}

transform wrap_sequence_after(u32 sent) {
  return [=](traffic t) {
    std::map<ends, u32> shift;
    for (auto& p : t.packets) {
      if (!p.is_tcp) continue;
      shift.try_emplace({p.from, p.to}, 0u - sent - p.fields.seq);
      shift.try_emplace({p.to, p.from}, 0u - sent - p.fields.ack);
      if ((p.fields.flags & tcp_flag::syn) != 0) shift[{p.from, p.to}] = 0u - sent - p.fields.seq;
      p.fields.seq += shift[{p.from, p.to}];
      if ((p.fields.flags & tcp_flag::ack) != 0) p.fields.ack += shift[{p.to, p.from}];
    }
    return t;
  };
}

transform over_ipv6() {
  return for_each_packet([](sent_packet& p) {
    p.from = as_ipv6(p.from);
    p.to = as_ipv6(p.to);
  });
}

transform snap(std::size_t length) {
  return for_each_packet([=](sent_packet& p) { p.capture.snap_length = length; });
}

transform vlan(u16 tag) {
  return for_each_packet([=](sent_packet& p) { p.capture.vlans = {tag}; });
}

transform qinq(u16 outer, u16 inner) {
  return for_each_packet([=](sent_packet& p) { p.capture.vlans = {outer, inner}; });
}

transform link(u32 link_type) {
  return for_each_packet([=](sent_packet& p) { p.capture.link_type = link_type; });
}

transform spread_over(std::vector<encapsulation> interfaces) {
  return [=](traffic t) {
    for (std::size_t i = 0; i < t.packets.size(); ++i) {
      const auto number = i % interfaces.size();
      t.packets[i].capture = interfaces[number];
      t.packets[i].capture.interface = static_cast<u32>(number);
    }
    return t;
  };
}

transform duplicate(nanos after, bool routed) {
  return [=](traffic t) {
    traffic out;
    for (const auto& p : t.packets) {
      out.packets.push_back(p);
      auto copy = p;
      copy.at += after;
      copy.capture.routed = routed;
      if (routed) --copy.fields.ip.ttl;
      out.packets.push_back(std::move(copy));
    }
    sort_by_time(out);
    return out;
  };
}

transform shuffle(nanos within, unsigned seed) {
  return [=](traffic t) {
    std::mt19937 random(seed);
    std::vector<std::pair<nanos, std::size_t>> order;
    for (std::size_t i = 0; i < t.packets.size(); ++i)
      order.emplace_back(t.packets[i].at + within * static_cast<wire::i64>(random() % 1000) / 1000,
                         i);
    std::sort(order.begin(), order.end());
    traffic out;
    for (const auto& [at, i] : order)
      out.packets.push_back(t.packets[i]);
    return out;
  };
}

transform drop_if(std::function<bool(const sent_packet&, std::size_t)> lost) {
  return [=](traffic t) {
    traffic out;
    for (std::size_t i = 0; i < t.packets.size(); ++i)
      if (!lost(t.packets[i], i)) out.packets.push_back(std::move(t.packets[i]));
    return out;
  };
}

transform drop(std::size_t index) {
  return drop_range(index, index + 1);
}

transform drop_range(std::size_t first, std::size_t end) {
  return drop_if([=](const sent_packet&, std::size_t i) { return i >= first && i < end; });
}

transform start_at(std::size_t index) {
  return drop_range(0, index);
}

transform from_client_only() {
  return drop_if([](const sent_packet& p, std::size_t) { return !p.from_client; });
}

transform from_server_only() {
  return drop_if([](const sent_packet& p, std::size_t) { return p.from_client; });
}

transform retransmit(std::size_t index, nanos after) {
  return [=](traffic t) {
    t.packets.push_back(again(t.packets.at(index), after));
    sort_by_time(t);
    return t;
  };
}

} // namespace support
