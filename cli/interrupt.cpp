#include "cli/interrupt.hpp"

#include <csignal>

namespace cli {

namespace {

std::atomic<bool> interrupted = false;

extern "C" void on_interrupt(int) {
  interrupted = true;
}

} // namespace

const std::atomic<bool>& watch_interrupts() {
  std::signal(SIGINT, on_interrupt);
  std::signal(SIGTERM, on_interrupt);
  return interrupted;
}

} // namespace cli
