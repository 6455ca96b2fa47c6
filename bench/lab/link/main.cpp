// wiretrip-link: a line between two network namespaces. README.md of bench/lab has the manual.
#include "bench/lab/link/control.hpp"
#include "bench/lab/link/relay.hpp"
#include "bench/lab/link/settings.hpp"

#include <charconv>
#include <csignal>
#include <cstdio>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>

namespace {

namespace link = bench::lab::link;

constexpr int exit_failed = 1, exit_usage = 2;

constexpr std::string_view usage = R"(usage:
  wiretrip-link run --a NETNS:DEVICE --b NETNS:DEVICE --control SOCKET [link settings]
                    [--seed N] [--spin TIME] [--spin-share PERCENT]
  wiretrip-link set --control SOCKET [link settings]
  wiretrip-link status --control SOCKET

Joins a TAP device in each of two network namespaces (names below /run/netns, or paths) by a line.
'set' changes a running one; 'status' prints settings and counters as JSON.

link settings, default in brackets:
  --rtt TIME            delay of both directions together [0]
  --rate RATE           10mbit, 1gbit, unlimited [unlimited]; counts preamble, FCS and frame gap
  --mtu BYTES           set on both devices [1500]
  --loss PERCENT        0.1% [0]
  --jitter TIME         up to this much is added to the delay, order is kept [0]
  --reorder PERCENT     frames that come --reorder-delay [1ms] later and are overtaken [0]
  --duplicate PERCENT   frames that come twice [0]
  --queue SIZE          buffer before the line [256k, or one round trip at the rate if more]
  --delay TIME          of one direction; all but rtt and mtu take up- or down- in front:
                        --up-rate 20mbit --down-rate 100mbit (up: from a to b)
)";

volatile std::sig_atomic_t stop_requested = 0;

void request_stop(int) {
  stop_requested = 1;
}

int complain(const std::string& message, int status) {
  std::fprintf(stderr, "wiretrip-link: %s\n", message.c_str());
  return status;
}

struct arguments {
  std::string control, a, b;
  std::uint64_t seed = 1;
  link::spin_settings spin;
  std::vector<std::pair<std::string, std::string>> settings;
};

std::expected<void, std::string> take_option(arguments& into, std::string_view key,
                                             std::string_view value) {
  if (key == "control") {
    into.control = value;
  } else if (key == "a") {
    into.a = value;
  } else if (key == "b") {
    into.b = value;
  } else if (key == "seed") {
    const auto [rest, error] =
        std::from_chars(value.data(), value.data() + value.size(), into.seed);
    if (error != std::errc{} || rest != value.data() + value.size())
      return std::unexpected("seed '" + std::string{value} + "' is not a number");
  } else if (key == "spin") {
    const auto limit = link::parse_duration(value);
    if (!limit) return std::unexpected(limit.error());
    into.spin.limit = *limit;
  } else if (key == "spin-share") {
    const auto share = link::parse_share(value);
    if (!share) return std::unexpected(share.error());
    into.spin.share = *share;
  } else {
    // Known and well formed? The relay would say so too, but only when it runs.
    link::link_settings scratch;
    if (auto applied = link::apply(scratch, key, value); !applied) return applied;
    into.settings.emplace_back(key, value);
  }
  return {};
}

std::expected<arguments, std::string> parse(std::span<char*> words) {
  arguments result;
  for (std::size_t i = 0; i < words.size(); i += 2) {
    std::string_view key{words[i]};
    if (!key.starts_with("--")) return std::unexpected("unexpected '" + std::string{key} + "'");
    key.remove_prefix(2);
    if (i + 1 >= words.size()) return std::unexpected("no value for --" + std::string{key});
    if (auto taken = take_option(result, key, words[i + 1]); !taken)
      return std::unexpected(taken.error());
  }
  if (result.control.empty()) return std::unexpected(std::string{"--control SOCKET is missing"});
  return result;
}

int ask_relay(const arguments& args, std::string request) {
  for (const auto& [key, value] : args.settings)
    request += " " + key + " " + value;
  const auto answer = link::ask(args.control, request);
  if (!answer) return complain(answer.error(), exit_failed);
  std::printf("%s\n", answer->c_str());
  return answer->starts_with("{\"error\"") ? exit_failed : 0;
}

std::expected<link::tap, std::string> open_end(const std::string& text, std::uint32_t mtu_bytes) {
  const auto colon = text.rfind(':');
  if (colon == std::string::npos) return std::unexpected("'" + text + "' is not NETNS:DEVICE");
  auto end = link::tap::open(text.substr(0, colon), text.substr(colon + 1));
  if (!end) return end;
  if (!end->stamps_error().empty())
    std::fprintf(stderr,
                 "wiretrip-link: no departure stamps, frames count from when they are "
                 "read: %s\n",
                 end->stamps_error().c_str());
  if (auto set = end->set_mtu(mtu_bytes); !set) return std::unexpected(set.error());
  return end;
}

/// Timers of this thread on time, and no ordinary process before it. Neither is required.
void ask_for_punctuality() {
  ::prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
  const sched_param priority{.sched_priority = 10};
  if (::sched_setscheduler(0, SCHED_FIFO, &priority) != 0) ::setpriority(PRIO_PROCESS, 0, -20);
}

/// Stop signals arrive only while the relay waits, so none is lost between a look and a sleep.
sigset_t block_stop_signals() {
  sigset_t stop_signals, waiting_mask;
  sigemptyset(&stop_signals);
  struct sigaction action {};
  action.sa_handler = request_stop;
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) {
    sigaddset(&stop_signals, signal);
    ::sigaction(signal, &action, nullptr);
  }
  ::sigprocmask(SIG_BLOCK, &stop_signals, &waiting_mask);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP})
    sigdelset(&waiting_mask, signal);
  return waiting_mask;
}

int run(const arguments& args) {
  link::link_settings settings;
  for (const auto& [key, value] : args.settings)
    if (auto applied = link::apply(settings, key, value); !applied)
      return complain(applied.error(), exit_usage);
  const sigset_t waiting_mask = block_stop_signals();
  auto control = link::control_server::open(args.control);
  if (!control) return complain(control.error(), exit_failed);
  auto a = open_end(args.a, settings.mtu_bytes);
  if (!a) return complain(a.error(), exit_failed);
  auto b = open_end(args.b, settings.mtu_bytes); // and the process stays in that namespace
  if (!b) return complain(b.error(), exit_failed);
  ask_for_punctuality();
  link::relay relay{std::move(*a), std::move(*b), std::move(*control),
                    settings,      args.seed,     args.spin};
  if (auto ran = relay.run(stop_requested, waiting_mask); !ran)
    return complain(ran.error(), exit_failed);
  return 0;
}

} // namespace

int main(int argc, char** argv) {
  const std::string_view command = argc > 1 ? argv[1] : "";
  if (command == "--help" || command == "help") {
    std::fwrite(usage.data(), 1, usage.size(), stdout);
    return 0;
  }
  if (command != "run" && command != "set" && command != "status") {
    std::fwrite(usage.data(), 1, usage.size(), stderr);
    return exit_usage;
  }
  const auto args = parse(std::span{argv, static_cast<std::size_t>(argc)}.subspan(2));
  if (!args) return complain(args.error(), exit_usage);
  return command == "run" ? run(*args) : ask_relay(*args, std::string{command});
}
