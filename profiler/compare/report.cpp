#include "profiler/compare/report.hpp"

#include "wire/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace profiler::compare {

namespace {

using json = nlohmann::ordered_json;

constexpr double worth_saying_share = 0.01; ///< of the larger side: below it a step is noise
constexpr double irrelevant_share = 0.05;   ///< of the gap: "it is not this"

std::string text_of_seconds(double s) {
  return wire::text_of(wire::nanos{static_cast<wire::i64>(std::llround(s * 1e9))});
}

std::string signed_seconds(double s) {
  return (s < 0 ? "−" : "+") + text_of_seconds(std::abs(s));
}

/// "nfs3" and "smb2" where that tells them apart, else the names of the files.
std::string name_a(const comparison& c) {
  return c.a_protocol != c.b_protocol ? c.a_protocol : c.a_name;
}
std::string name_b(const comparison& c) {
  return c.a_protocol != c.b_protocol ? c.b_protocol : c.b_name;
}

double per_file(u64 n, const stretch& s) {
  return s.files == 0 ? 0.0 : static_cast<double>(n) / static_cast<double>(s.files);
}

double sum_of(const waterfall& w, std::initializer_list<std::string_view> rows, bool b) {
  double out = 0;
  for (const auto row : rows)
    if (const auto* s = w.find(row)) out += b ? s->b_seconds : s->a_seconds;
  return out;
}

double delta_of(const waterfall& w, std::initializer_list<std::string_view> rows) {
  return sum_of(w, rows, true) - sum_of(w, rows, false);
}

double server_seconds(const waterfall& w, bool b) {
  double out = 0;
  for (const auto& s : w.steps)
    if (s.to.starts_with("server: ") || s.to.starts_with("network+server: "))
      out += b ? s.b_seconds : s.a_seconds;
  return out;
}

/// ", 33 % of the gap" where there is a gap to speak of.
std::string share_of_gap(const waterfall& w, double seconds) {
  const double gap = w.gap_seconds();
  if (std::abs(gap) < worth_saying_share * std::max(w.a.seconds, w.b.seconds)) return "";
  return fmt::format(", {:.0f} % of the gap", 100 * seconds / gap);
}

struct sentence {
  double seconds;
  std::string text;
};

sentence round_trips_sentence(const comparison& c) {
  const auto& w = c.total;
  const double delta = delta_of(w, {"network"});
  const auto each = [](double seconds, u64 n) {
    return n == 0 ? std::string("-") : text_of_seconds(seconds / static_cast<double>(n));
  };
  return {delta, fmt::format("Round trips: {:.1f} a file against {:.1f}, {} and {} on the way "
                             "each: {}{}.",
                             per_file(w.b.round_trips, w.b), per_file(w.a.round_trips, w.a),
                             each(sum_of(w, {"network"}, true), w.b.round_trips),
                             each(sum_of(w, {"network"}, false), w.a.round_trips),
                             signed_seconds(delta), share_of_gap(w, delta))};
}

/// "CREATE 481 µs" for each operation of the role, the most frequent first.
std::string costs_of(const stretch& s, role r) {
  std::vector<operation_cost> costs;
  for (const auto& op : s.operations)
    if (role_of(op.protocol, op.operation) == r && op.count > 0) costs.push_back(op);
  std::sort(costs.begin(), costs.end(),
            [](const auto& x, const auto& y) { return x.count > y.count; });
  std::string out;
  for (std::size_t i = 0; i < std::min<std::size_t>(costs.size(), 2); ++i)
    out += fmt::format("{}{} {}", i == 0 ? "" : " and ", costs[i].operation,
                       text_of_seconds(costs[i].server_us_mean / 1e6));
  return out.empty() ? "no such operation" : out;
}

sentence server_sentence(const comparison& c) {
  const auto& w = c.total;
  const double delta = server_seconds(w, true) - server_seconds(w, false);
  const step* most = nullptr;
  for (const auto& s : w.steps) {
    const bool of_server = s.to.starts_with("server: ") || s.to.starts_with("network+server: ");
    if (of_server && (!most || std::abs(s.seconds()) > std::abs(most->seconds()))) most = &s;
  }
  auto text = fmt::format("The server: {}{}.", signed_seconds(delta), share_of_gap(w, delta));
  if (most && std::abs(most->seconds()) > 0) {
    const auto title = most->to.substr(most->to.find(": ") + 2);
    for (wire::u8 i = 0; i <= static_cast<wire::u8>(role::session); ++i) {
      const auto r = static_cast<role>(i);
      if (to_string(r) != title) continue;
      text += fmt::format(" Most of it is '{}' ({}): {} in {}, {} in {}.", title,
                          signed_seconds(most->seconds()), costs_of(w.b, r), name_b(c),
                          costs_of(w.a, r), name_a(c));
    }
  }
  return {delta, std::move(text)};
}

sentence transmit_sentence(const comparison& c) {
  const auto& w = c.total;
  const double requests = delta_of(w, {"request_transmit"});
  const double responses = delta_of(w, {"response_transmit"});
  const double delta = requests + responses;
  const double gap = std::abs(w.gap_seconds());
  if (std::abs(delta) < irrelevant_share * gap)
    return {delta, fmt::format("It is not bandwidth: bytes on their way differ by {} (requests {}, "
                               "responses {}).",
                               signed_seconds(delta), signed_seconds(requests),
                               signed_seconds(responses))};
  return {delta, fmt::format("Bytes on their way: {}{} (requests {}, responses {}).",
                             signed_seconds(delta), share_of_gap(w, delta),
                             signed_seconds(requests), signed_seconds(responses))};
}

sentence client_sentence(const comparison& c) {
  const auto& w = c.total;
  const double delta = delta_of(w, {"think", "queue", "encode", "decode"});
  return {delta, fmt::format("The client itself, between requests: {}{}.", signed_seconds(delta),
                             share_of_gap(w, delta))};
}

sentence stall_sentence(const comparison& c) {
  const double delta = delta_of(c.total, {"stall", "waiting"});
  return {delta, fmt::format("Stalls and waits by design: {}{}.", signed_seconds(delta),
                             share_of_gap(c.total, delta))};
}

std::string headline(const comparison& c) {
  const auto& w = c.total;
  std::string what;
  if (w.a.files == w.b.files && w.a.files > 0) {
    what = fmt::format(" for {} files", wire::text_of_count(w.a.files));
    if (c.file_bytes > 0) what += fmt::format(" of {}", wire::text_of_bytes(c.file_bytes));
  }
  return fmt::format("{} took {}, {} {}: {} {}{}.", name_b(c), text_of_seconds(w.b.seconds),
                     name_a(c), text_of_seconds(w.a.seconds),
                     text_of_seconds(std::abs(w.gap_seconds())),
                     w.gap_seconds() < 0 ? "less" : "more", what);
}

json side_document(const std::string& name, const std::string& protocol, const stretch& s) {
  return {{"name", name},
          {"protocol", protocol},
          {"seconds", s.seconds},
          {"files", s.files},
          {"round_trips", s.round_trips},
          {"bytes", s.bytes},
          {"residual_s", s.residual_seconds}};
}

json steps_document(const waterfall& w) {
  auto out = json::array();
  for (const auto& s : w.steps)
    out.push_back({{"to", s.to},
                   {"seconds", s.seconds()},
                   {"a_seconds", s.a_seconds},
                   {"b_seconds", s.b_seconds}});
  return out;
}

json per_file_document(const stretch& s) {
  const double files = static_cast<double>(std::max<u64>(s.files, 1));
  return {{"ms", s.seconds * 1e3 / files}, {"round_trips", per_file(s.round_trips, s)}};
}

std::string phase_lines(const comparison& c) {
  if (c.phases.empty()) return "";
  auto out = fmt::format("\n{:<10}{:>12}{:>12}{:>12}{:>25}\n", "phase", name_a(c), name_b(c), "gap",
                         "round trips a file");
  for (const auto& w : c.phases)
    out += fmt::format("{:<10}{:>10.3f} s{:>10.3f} s{:>+10.3f} s{:>16.2f} → {:.2f}\n", w.a.name,
                       w.a.seconds, w.b.seconds, w.gap_seconds(), per_file(w.a.round_trips, w.a),
                       per_file(w.b.round_trips, w.b));
  return out;
}

} // namespace

std::vector<std::string> words_of(const comparison& c) {
  std::vector<sentence> parts{round_trips_sentence(c), server_sentence(c), transmit_sentence(c),
                              client_sentence(c), stall_sentence(c)};
  std::stable_sort(parts.begin(), parts.end(), [](const sentence& x, const sentence& y) {
    return std::abs(x.seconds) > std::abs(y.seconds);
  });
  std::vector<std::string> out{headline(c)};
  const double larger = std::max(c.total.a.seconds, c.total.b.seconds);
  for (auto& p : parts) {
    const bool is_negative_finding = p.text.starts_with("It is not");
    if (is_negative_finding || std::abs(p.seconds) >= worth_saying_share * larger)
      out.push_back(std::move(p.text));
  }
  out.push_back(fmt::format("Not explained: {} of {}.", signed_seconds(c.total.residual_seconds()),
                            signed_seconds(c.total.gap_seconds())));
  return out;
}

std::string text_of(const comparison& c) {
  std::string out;
  for (const auto& line : words_of(c))
    out += line + '\n';
  out += fmt::format("\n{:<40}{:>12}{:>12}{:>12}\n",
                     c.by_wire ? "by the wire" : "by the clients' clocks", name_a(c), name_b(c),
                     "B − A");
  const double larger = std::max(c.total.a.seconds, c.total.b.seconds);
  step small{"(smaller steps)", 0, 0};
  const auto row = [](std::string_view to, double a, double b) {
    return fmt::format("{:<40}{:>10.3f} s{:>10.3f} s{:>+10.3f} s\n", to, a, b, b - a);
  };
  for (const auto& s : c.total.steps) {
    if (std::max(s.a_seconds, s.b_seconds) < 0.001 * larger) {
      small.a_seconds += s.a_seconds;
      small.b_seconds += s.b_seconds;
      continue;
    }
    out += row(s.to, s.a_seconds, s.b_seconds);
  }
  if (small.a_seconds != 0 || small.b_seconds != 0)
    out += row(small.to, small.a_seconds, small.b_seconds);
  double a_given = 0;
  double b_given = 0;
  for (const auto& s : c.total.steps) {
    a_given += s.a_seconds;
    b_given += s.b_seconds;
  }
  out += row("(residual)", c.total.a.seconds - a_given, c.total.b.seconds - b_given);
  out += row("wall", c.total.a.seconds, c.total.b.seconds);
  return out + phase_lines(c);
}

json document_of(const comparison& c) {
  const auto& w = c.total;
  json out;
  out["schema"] = "wiretrip.compare/1";
  out["a"] = side_document(c.a_name, c.a_protocol, w.a);
  out["b"] = side_document(c.b_name, c.b_protocol, w.b);
  out["by"] = c.by_wire ? "wire" : "client";
  out["gap_s"] = w.gap_seconds();
  out["waterfall"] = steps_document(w);
  out["residual_s"] = w.residual_seconds();
  out["per_file"] = {{"a", per_file_document(w.a)}, {"b", per_file_document(w.b)}};
  auto phases = json::array();
  for (const auto& phase : c.phases)
    phases.push_back(
        {{"name", phase.a.name},
         {"gap_s", phase.gap_seconds()},
         {"waterfall", steps_document(phase)},
         {"residual_s", phase.residual_seconds()},
         {"per_file", {{"a", per_file_document(phase.a)}, {"b", per_file_document(phase.b)}}}});
  out["phases"] = std::move(phases);
  out["text"] = words_of(c);
  return out;
}

} // namespace profiler::compare
