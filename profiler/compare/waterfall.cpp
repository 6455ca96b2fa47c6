#include "profiler/compare/waterfall.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace profiler::compare {

namespace {

/// The rows of a waterfall in their order; server rows come per role.
constexpr std::array<std::string_view, 10> phase_order{
    "network", "server",  "network+server", "request_transmit", "response_transmit",
    "stall",   "waiting", "queue",          "encode",           "decode"};

constexpr std::array<role, 9> roles{role::open,  role::read,    role::write,
                                    role::close, role::commit,  role::attributes,
                                    role::names, role::listing, role::session};

bool by_role(std::string_view phase) noexcept {
  return phase == "server" || phase == "network+server";
}

std::vector<std::string> row_order() {
  std::vector<std::string> out;
  for (const auto phase : phase_order) {
    if (!by_role(phase)) {
      out.emplace_back(phase);
      continue;
    }
    for (const auto r : roles)
      out.push_back(fmt::format("{}: {}", phase, to_string(r)));
  }
  out.emplace_back("think");
  return out;
}

std::string row_of(const part& p) {
  if (!by_role(p.phase)) return p.phase;
  return fmt::format("{}: {}", p.phase, to_string(role_of(p.protocol, p.operation)));
}

std::map<std::string, double> sums_of(const stretch& s) {
  std::map<std::string, double> out;
  for (const auto& p : s.parts)
    out[row_of(p)] += p.seconds;
  return out;
}

double sum_of(const std::map<std::string, double>& sums, const std::string& row) {
  const auto found = sums.find(row);
  return found == sums.end() ? 0.0 : found->second;
}

stretch total_of(const std::vector<stretch>& phases) {
  stretch out;
  for (const auto& phase : phases)
    out.add(phase);
  out.name = "all";
  return out;
}

bool same_phases(const std::vector<stretch>& a, const std::vector<stretch>& b) {
  return !a.empty() && std::equal(a.begin(), a.end(), b.begin(), b.end(),
                                  [](const auto& x, const auto& y) { return x.name == y.name; });
}

void fill(comparison& out, std::vector<stretch> a, std::vector<stretch> b) {
  out.total = waterfall_of(total_of(a), total_of(b));
  for (std::size_t i = 0; i < a.size(); ++i)
    out.phases.push_back(waterfall_of(std::move(a[i]), std::move(b[i])));
}

struct role_name {
  std::string_view operation;
  role is;
};

std::optional<role> find(std::span<const role_name> names, std::string_view operation) noexcept {
  for (const auto& n : names)
    if (n.operation == operation) return n.is;
  return std::nullopt;
}

constexpr std::array<role_name, 19> nfs_roles{{{"LOOKUP", role::open},
                                               {"CREATE", role::open},
                                               {"MKNOD", role::open},
                                               {"READ", role::read},
                                               {"WRITE", role::write},
                                               {"COMMIT", role::commit},
                                               {"GETATTR", role::attributes},
                                               {"SETATTR", role::attributes},
                                               {"ACCESS", role::attributes},
                                               {"READLINK", role::attributes},
                                               {"REMOVE", role::names},
                                               {"RENAME", role::names},
                                               {"LINK", role::names},
                                               {"SYMLINK", role::names},
                                               {"MKDIR", role::names},
                                               {"RMDIR", role::names},
                                               {"READDIR", role::listing},
                                               {"READDIRPLUS", role::listing},
                                               {"COMPOUND", role::attributes}}};

constexpr std::array<role_name, 9> smb2_roles{{{"CREATE", role::open},
                                               {"CLOSE", role::close},
                                               {"READ", role::read},
                                               {"WRITE", role::write},
                                               {"FLUSH", role::commit},
                                               {"QUERY_INFO", role::attributes},
                                               {"SET_INFO", role::attributes},
                                               {"QUERY_DIRECTORY", role::listing},
                                               {"CHANGE_NOTIFY", role::listing}}};

} // namespace

role role_of(std::string_view protocol, std::string_view operation) noexcept {
  if (protocol.starts_with("nfs")) return find(nfs_roles, operation).value_or(role::session);
  if (protocol == "smb2") return find(smb2_roles, operation).value_or(role::session);
  return role::session;
}

std::string_view to_string(role r) noexcept {
  switch (r) {
  case role::open:
    return "open, create, look up";
  case role::read:
    return "read";
  case role::write:
    return "write";
  case role::close:
    return "close";
  case role::commit:
    return "commit, flush";
  case role::attributes:
    return "attributes";
  case role::names:
    return "remove, rename, link";
  case role::listing:
    return "list folders";
  case role::session:
    return "connect, session";
  }
  return "other";
}

double waterfall::residual_seconds() const noexcept {
  double given = 0;
  for (const auto& s : steps)
    given += s.seconds();
  return gap_seconds() - given;
}

const step* waterfall::find(std::string_view to) const noexcept {
  const auto found =
      std::find_if(steps.begin(), steps.end(), [&](const step& s) { return s.to == to; });
  return found == steps.end() ? nullptr : &*found;
}

waterfall waterfall_of(stretch a, stretch b) {
  waterfall out;
  auto a_sums = sums_of(a);
  auto b_sums = sums_of(b);
  auto order = row_order();
  for (const auto* sums : {&a_sums, &b_sums})
    for (const auto& [row, seconds] : *sums)
      if (std::find(order.begin(), order.end(), row) == order.end()) order.push_back(row);
  for (auto& row : order) {
    const step s{row, sum_of(a_sums, row), sum_of(b_sums, row)};
    if (s.a_seconds != 0 || s.b_seconds != 0) out.steps.push_back(s);
  }
  out.a = std::move(a);
  out.b = std::move(b);
  return out;
}

std::expected<comparison, std::string> compare(side a, side b) {
  comparison out;
  out.a_name = a.name;
  out.b_name = b.name;
  out.a_protocol = a.protocol;
  out.b_protocol = b.protocol;
  if (a.file_bytes == b.file_bytes) out.file_bytes = a.file_bytes;
  if (same_phases(a.wire_phases, b.wire_phases)) {
    out.by_wire = true;
    fill(out, std::move(a.wire_phases), std::move(b.wire_phases));
  } else if (same_phases(a.phases, b.phases)) {
    fill(out, std::move(a.phases), std::move(b.phases));
  } else if (!a.whole.empty() && !b.whole.empty()) {
    out.by_wire = true;
    out.total = waterfall_of(std::move(a.whole.front()), std::move(b.whole.front()));
  } else {
    return std::unexpected(fmt::format("{} and {} have nothing in common: a run without a capture "
                                       "can be compared with a run of the same workload only",
                                       out.a_name, out.b_name));
  }
  return out;
}

} // namespace profiler::compare
