#pragma once

#include "bench/lab/link/file_descriptor.hpp"
#include "bench/lab/link/settings.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace bench::lab::link {

/// When the kernel handed each frame to the TAP device, read from a packet socket beside it. Waking
/// the relay takes tens of microseconds on a sleeping processor; with these stamps that wait is
/// part of the line's delay and does not add to it. Optional: without it the time of reading
/// counts.
class departure_stamps {
 public:
  departure_stamps() = default;
  departure_stamps(departure_stamps&& other) noexcept;
  departure_stamps& operator=(departure_stamps&& other) noexcept;
  ~departure_stamps();

  /// Call inside the device's network namespace. The error is a sentence for people.
  [[nodiscard]] static std::expected<departure_stamps, std::string> open(unsigned device_index);

  /// The stamp (on the Unix clock) of a frame just read from the device; frames must be asked for
  /// in the order read. Records of frames that were never read are skipped.
  [[nodiscard]] std::optional<nanos> take(std::span<const std::byte> frame);

 private:
  struct record {
    std::span<const std::byte> head;
    std::size_t wire_bytes = 0;
    nanos time{};
  };

  [[nodiscard]] std::byte* slot(std::size_t ahead) const;
  [[nodiscard]] std::optional<record> look(std::size_t ahead) const;
  void release(std::size_t count);

  file_descriptor socket_;
  std::byte* ring_ = nullptr;
  std::size_t next_ = 0;
};

} // namespace bench::lab::link
