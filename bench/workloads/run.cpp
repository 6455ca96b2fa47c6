#include "bench/workloads/run.hpp"

#include "bench/workloads/capture_beside.hpp"
#include "profiler/analysis/analyzer.hpp"

#include <asio/io_context.hpp>
#include <nlohmann/json.hpp>

namespace bench {

namespace {

using wire::net::awaitable;

struct context {
  const run_options& options;
  recorder& record;
  run_result& out;
};

awaitable<result<void>> run_once(context c) {
  auto client = co_await connect(c.options.where, &c.record);
  if (!client) co_return std::unexpected(std::move(client.error()));
  c.record.set_connection((*client)->local_port(), (*client)->round_trip_min());
  c.out.protocol = (*client)->protocol();
  c.out.settings = (*client)->settings();
  c.out.round_trip_min = (*client)->round_trip_min();
  auto done = co_await run_smallfile(**client, c.options.workload, c.record);
  c.out.windows.push_back((*client)->window_history());
  c.out.datagrams.push_back((*client)->datagrams());
  auto closed = co_await (*client)->close();
  c.out.repeats.push_back(c.record.take_phases());
  if (!done) co_return done;
  co_return closed;
}

result<void> run_repeats(context c) {
  for (wire::u32 i = 0; i < c.options.repeats; ++i) {
    asio::io_context io(1);
    auto done = wire::net::run_to_end(io, run_once(c));
    if (!done) return done;
  }
  return {};
}

/// Reads the capture that was taken beside the run, and joins it with what the client saw.
result<wire_view> look_at_the_wire(const std::string& file, const run_result& run,
                                   const std::vector<client_request>& requests) {
  both_eyes eyes(run.repeats);
  profiler::analyzer analyzer;
  analyzer.add_sink(eyes);
  if (auto read = analyzer.file(file); !read) return std::unexpected(failure(read.error()));
  wire_view out;
  out.analysis = analyzer.finish();
  out.both = eyes.join(requests, out.analysis);
  out.phases = eyes.take_phases();
  return out;
}

} // namespace

result<run_result> run_workload(const run_options& options, step_function on_step,
                                const std::atomic<bool>& stop) {
  run_result out;
  out.url = options.where.url;
  recorder record(std::move(on_step), stop);
  const context c{options, record, out};

  std::optional<profiler::capture::live_capture> capture;
  if (options.capture) {
    auto started = capture_beside(options.where.url, options.interface, *options.capture);
    if (!started) return std::unexpected(std::move(started.error()));
    capture.emplace(std::move(*started));
  }
  auto done = run_repeats(c);
  if (capture) {
    auto stopped = capture->stop();
    if (done && !stopped) return std::unexpected(failure(stopped.error()));
  }
  if (!done) return std::unexpected(std::move(done.error()));
  if (options.capture) {
    auto seen = look_at_the_wire(*options.capture, out, record.requests());
    if (!seen) return std::unexpected(std::move(seen.error()));
    out.wire.emplace(std::move(*seen));
  }
  return out;
}

} // namespace bench
