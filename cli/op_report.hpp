#pragma once

#include "wire/exchange.hpp"

#include <nlohmann/json.hpp>

#include <cstdio>
#include <string>
#include <string_view>

namespace cli {

/// What a protocol calls the operations and the statuses of its exchanges.
struct op_names {
  std::string (*operation)(const wire::exchange& e);
  std::string (*status)(const wire::exchange& e);
};

/// Tells each exchange of `wiretrip op` as it happens, as text, or keeps them for one document of
/// schema wiretrip.op/1.
class op_report final : public wire::exchange_sink {
 public:
  op_report(std::FILE* to, bool as_json, op_names names)
      : to_(to), as_json_(as_json), names_(names) {}

  void on_exchange(const wire::exchange& e) override;
  /// More of the exchange that came last: "request", "response", or what its payload is called; the
  /// value is text of the codec's printer.
  void detail(const std::string& name, const std::string& value);

  [[nodiscard]] nlohmann::ordered_json document(std::string_view url,
                                                std::string_view operation) const;

 private:
  std::FILE* to_;
  bool as_json_;
  op_names names_;
  nlohmann::ordered_json exchanges_ = nlohmann::ordered_json::array();
};

} // namespace cli
