#pragma once

#include "wire/exchange.hpp"

#include <vector>

namespace support {

/// Keeps what it is given.
class exchange_log final : public wire::exchange_sink {
 public:
  void on_exchange(const wire::exchange& e) override { all.push_back(e); }

  std::vector<wire::exchange> all;
};

/// A request whose four times are given in microseconds.
inline wire::exchange exchange_at(long q0, long q1, long r0, long r1, wire::u16 operation = 1) {
  using std::chrono::microseconds;
  wire::exchange e;
  e.operation = operation;
  e.t.q0 = microseconds(q0);
  e.t.q1 = microseconds(q1);
  e.t.r0 = microseconds(r0);
  e.t.r1 = microseconds(r1);
  return e;
}

} // namespace support
