#pragma once

#include "profiler/capture/packet_filter.hpp"

#include <algorithm>
#include <vector>

namespace profiler::analysis {

/// What a filter takes of one capture, and what it leaves out.
class selection {
 public:
  /// Without a filter everything is taken. `filter` must outlive the selection.
  explicit selection(capture::packet_filter* filter) : filter_(filter) {}

  [[nodiscard]] bool takes(const packet& p) { return filter_ == nullptr || ask(p); }

  [[nodiscard]] wire::u64 left_out() const noexcept { return left_out_; }
  /// No packet was of a link type for which the filter can be used.
  [[nodiscard]] bool useless() const noexcept { return !refusals_.empty() && !asked_; }
  /// A sentence for each link type for which the filter cannot be used; its packets are left out.
  [[nodiscard]] const std::vector<std::string>& refusals() const noexcept { return refusals_; }

 private:
  bool ask(const packet& p) {
    const auto answer = filter_->wants(p);
    asked_ = asked_ || answer;
    if (answer.value_or(false)) return true;
    ++left_out_;
    if (!answer && std::find(refusals_.begin(), refusals_.end(), answer.error()) == refusals_.end())
      refusals_.push_back(answer.error());
    return false;
  }

  capture::packet_filter* filter_;
  wire::u64 left_out_ = 0;
  bool asked_ = false;
  std::vector<std::string> refusals_;
};

} // namespace profiler::analysis
