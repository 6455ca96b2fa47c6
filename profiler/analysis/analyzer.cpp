#include "profiler/analysis/analyzer.hpp"

#include "profiler/analysis/selection.hpp"
#include "profiler/capture/capture_reader.hpp"
#include "profiler/net/dispatcher.hpp"

#include <algorithm>

namespace profiler {

/// Packets that belong together in time.
class analyzer::session final : public wire::exchange_sink {
 public:
  session(const std::vector<wire::exchange_sink*>& sinks, const analysis_options& options)
      : sinks_(sinks), flows_(*this, options.ports, options.smb2_keys), net_(flows_) {}

  void on_exchange(const wire::exchange& seen) override {
    auto e = seen;
    e.network = flows_.connections().network_of(e);
    operations_.on_exchange(e);
    files_.on_exchange(e);
    wall_.on_exchange(e);
    for (auto* sink : sinks_)
      sink->on_exchange(e);
  }

  void packet(const profiler::packet& p) {
    net_.packet(p);
    last_ = p.at;
  }

  result finish() {
    net_.finish();
    flows_.end(last_);
    files_.finish();
    wall_.finish();
    result out;
    out.seen = flows_.seen();
    out.smb = flows_.smb();
    out.network = net_.counts();
    const auto& connections = flows_.connections();
    out.connections = connections.all();
    out.connections_not_listed = connections.not_listed();
    for (const auto& f : files_.slowest())
      out.slowest.push_back({.path = flows_.paths().text(f.file),
                             .round_trips = f.round_trips,
                             .bytes = f.extent,
                             .seconds = static_cast<double>(f.time.count()) / 1e9});
    out.operations = std::move(operations_);
    out.files = std::move(files_);
    out.wall = std::move(wall_);
    return out;
  }

  [[nodiscard]] flow::path_table& paths() noexcept { return flows_.paths(); }
  [[nodiscard]] wire::nanos last() const noexcept { return last_.time; }

 private:
  const std::vector<wire::exchange_sink*>& sinks_;
  analysis::operation_table operations_;
  analysis::file_table files_;
  timing::attribution wall_;
  flow::dispatcher flows_;
  net::dispatcher net_;
  wire::stamp last_;
};

analyzer::analyzer(analysis_options options) : options_(std::move(options)) {}
analyzer::analyzer(analyzer&&) noexcept = default;
analyzer& analyzer::operator=(analyzer&&) noexcept = default;
analyzer::~analyzer() = default;

void analyzer::add_sink(wire::exchange_sink& sink) {
  sinks_.push_back(&sink);
}

std::string analyzer::path_of(wire::u64 file) {
  return session_ ? session_->paths().text(file) : "<" + flow::short_hash(file) + ">";
}

void analyzer::packet(const profiler::packet& p) {
  if (!session_) session_ = std::make_unique<session>(sinks_, options_);
  session_->packet(p);
}

std::expected<void, std::string> analyzer::file(const std::string& path) {
  auto reader = options_.follow_until != nullptr
                    ? capture::capture_reader::open_growing(path, *options_.follow_until)
                    : capture::capture_reader::open(path);
  if (!reader) return std::unexpected(reader.error());
  profiler::packet p;
  if (!reader->next(p)) {
    const auto& warnings = reader->summary().warnings;
    return std::unexpected(warnings.empty() ? path + " holds no packets" : warnings.front());
  }
  if (session_ && p.at.time < session_->last()) end_session();
  analysis::selection selection(options_.filter.get());
  do {
    if (selection.takes(p)) packet(p);
  } while (reader->next(p));
  if (selection.useless()) return std::unexpected(path + ": " + selection.refusals().front());

  const auto& s = reader->summary();
  result facts;
  facts.capture = {.files = {path},
                   .packets = s.packets,
                   .wire_bytes = s.wire_bytes,
                   .cut_packets = s.cut_packets,
                   .dropped = s.dropped(),
                   .time_steps_back = s.time_steps_back,
                   .link_types = s.link_types(),
                   .first = s.first,
                   .last = s.last,
                   .filtered_out = selection.left_out(),
                   .details = analysis::capture_details::of(s)};
  facts.warnings = s.warnings;
  for (const auto& refusal : selection.refusals())
    facts.warnings.push_back(path + ": " + refusal + " They were left out.");
  total_.merge(facts);
  return {};
}

void analyzer::end_session() {
  if (!session_) return;
  total_.merge(session_->finish());
  session_.reset();
}

result analyzer::finish() {
  end_session();
  return std::move(total_);
}

} // namespace profiler
