#include "bench/workloads/capture_beside.hpp"

#include "nfs/url.hpp"
#include "profiler/capture/route.hpp"
#include "smb2/url.hpp"

#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <fmt/format.h>

namespace bench {

namespace {

result<std::string> host_of(const std::string& url) {
  if (url.starts_with("nfs://")) {
    const auto parsed = nfs::parse_url(url);
    if (parsed) return parsed->host;
    return std::unexpected(failure(parsed.error()));
  }
  const auto parsed = smb2::parse_url(url);
  if (parsed) return parsed->host;
  return std::unexpected(failure(parsed.error()));
}

/// The address that the client will connect to first.
result<std::string> address_of(const std::string& host) {
  asio::io_context io;
  asio::ip::tcp::resolver resolver(io);
  std::error_code error;
  const auto found = resolver.resolve(host, "", error);
  if (error || found.empty())
    return std::unexpected(failure(fmt::format("cannot resolve {}: {}", host, error.message())));
  return found.begin()->endpoint().address().to_string();
}

} // namespace

result<profiler::capture::live_capture>
capture_beside(const std::string& url, const std::string& interface, const std::string& file) {
  const auto host = host_of(url);
  if (!host) return std::unexpected(host.error());
  const auto address = address_of(*host);
  if (!address) return std::unexpected(address.error());
  profiler::capture::live_settings settings;
  settings.interface = interface;
  if (interface.empty()) {
    auto found = profiler::capture::interface_towards(*address);
    if (!found) return std::unexpected(failure(std::move(found.error())));
    settings.interface = std::move(*found);
  }
  settings.filter = "host " + address->substr(0, address->find('%'));
  auto started = profiler::capture::live_capture::start(settings, file);
  if (!started) return std::unexpected(failure(std::move(started.error())));
  return std::move(*started);
}

} // namespace bench
