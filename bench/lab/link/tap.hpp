#pragma once

#include "bench/lab/link/departure_stamps.hpp"
#include "bench/lab/link/file_descriptor.hpp"

#include <expected>
#include <span>
#include <string>

namespace bench::lab::link {

/// One end of the line: a TAP device in a network namespace. Offload is never switched on, so each
/// frame is what a wire would carry. A device that exists already (`ip tuntap add`) is taken over
/// and stays when we go; else it lives as long as this object.
class tap {
 public:
  /// `network_namespace` is a name below /run/netns or a path. The error is a sentence for people.
  [[nodiscard]] static std::expected<tap, std::string> open(const std::string& network_namespace,
                                                            const std::string& device);

  [[nodiscard]] std::expected<void, std::string> set_mtu(std::uint32_t mtu_bytes);

  /// The next frame in `buffer`, nothing when none waits, an error when the device is gone.
  [[nodiscard]] std::expected<std::optional<std::span<const std::byte>>, std::string>
  read(std::span<std::byte> buffer);
  /// False when the device did not take the frame (it is down, or gone).
  [[nodiscard]] bool write(std::span<const std::byte> frame);

  [[nodiscard]] int fd() const noexcept { return device_.get(); }
  [[nodiscard]] departure_stamps& stamps() noexcept { return stamps_; }
  [[nodiscard]] const std::string& stamps_error() const noexcept { return stamps_error_; }

 private:
  file_descriptor device_;
  file_descriptor control_; ///< any socket of that namespace, for the interface's ioctls
  std::string name_;
  departure_stamps stamps_;
  std::string stamps_error_;
};

/// Moves the calling thread into a network namespace.
[[nodiscard]] std::expected<void, std::string>
enter_network_namespace(const std::string& name_or_path);

} // namespace bench::lab::link
