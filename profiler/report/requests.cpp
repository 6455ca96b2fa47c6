#include "profiler/report/requests.hpp"

#include "profiler/flow/operation_names.hpp"

#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <iterator>
#include <nlohmann/json.hpp>

namespace profiler::report {

std::string request_line(const wire::exchange& e, const file_names& names) {
  std::string line;
  auto out = std::back_inserter(line);
  fmt::format_to(out,
                 R"({{"connection":{},"id":{},"protocol":"{}","operation":"{}","status":{},)"
                 R"("failed":{},"attempts":{},"part":{},"operations":{},"file":{},"offset":{},)"
                 R"("data_bytes":{},"request_bytes":{},"reply_bytes":{},"call_packet":{},)"
                 R"("reply_packet":{})",
                 e.connection, e.id, to_string(e.proto),
                 flow::operation_name({e.proto, e.operation}), e.status, e.failed, e.attempts,
                 e.part, e.operations, names.number ? names.number(e.file) : e.file, e.offset,
                 e.data_bytes, e.request_bytes, e.reply_bytes, e.call_packet, e.reply_packet);
  if (names.path && e.file != 0)
    fmt::format_to(out, R"(,"path":{})", nlohmann::json(names.path(e.file)).dump());
  const auto time = [&](std::string_view name, wire::nanos t) {
    if (wire::known(t)) fmt::format_to(out, R"(,"{}":{})", name, t.count());
  };
  time("submitted_ns", e.t.submitted);
  time("granted_ns", e.t.granted);
  time("encoded_ns", e.t.encoded);
  time("q0_ns", e.t.q0);
  time("q1_ns", e.t.q1);
  time("resent_ns", e.t.resent);
  time("r0_ns", e.t.r0);
  time("r1_ns", e.t.r1);
  time("completed_ns", e.t.completed);
  const auto flag = [&](std::string_view name, bool set) {
    if (set) fmt::format_to(out, R"(,"{}":true)", name);
  };
  flag("unanswered", !e.replied);
  flag("interim", e.interim);
  flag("long_wait", e.long_wait);
  flag("by_elimination", e.by_elimination);
  line += '}';
  return line;
}

std::expected<request_log, std::string> request_log::open(const std::string& path,
                                                          file_names names) {
  auto* file = std::fopen(path.c_str(), "w");
  if (file == nullptr)
    return std::unexpected(fmt::format("cannot write {}: {}", path, std::strerror(errno)));
  return request_log(file, path, std::move(names));
}

void request_log::on_exchange(const wire::exchange& e) {
  line_ = request_line(e, names_);
  line_ += '\n';
  if (std::fwrite(line_.data(), 1, line_.size(), out_.get()) != line_.size()) failed_ = true;
}

std::expected<void, std::string> request_log::close() {
  if (out_ == nullptr) return {};
  const bool ok = std::fclose(out_.release()) == 0 && !failed_;
  if (ok) return {};
  return std::unexpected(fmt::format("{} could not be written in full", path_));
}

} // namespace profiler::report
