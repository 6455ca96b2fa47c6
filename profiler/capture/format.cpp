#include "profiler/capture/format.hpp"

namespace profiler::capture {

std::string format::position() const {
  return "byte " + std::to_string(in_.offset()) + ", behind frame " +
         std::to_string(summary_.packets);
}

bool format::ended() {
  if (!in_.trouble().empty())
    summary_.warnings.push_back(name_ + " could be read up to " + position() + ": " +
                                in_.trouble() + ".");
  if (summary_.damaged_places > places_told_max)
    summary_.warnings.push_back(name_ + " is damaged at " +
                                std::to_string(summary_.damaged_places - places_told_max) +
                                " other places; " + std::to_string(summary_.damaged_bytes) +
                                " bytes were passed over in all.");
  return false;
}

bool format::ended_inside(const std::string& what) {
  // Whoever ends the waiting for more knows that the file goes on.
  if (in_.trouble().empty() && !in_.stopped())
    summary_.warnings.push_back(name_ + " is cut in the middle of " + what + " at " + position() +
                                ", or it is still being written. What came before it was read.");
  const bool over = ended();
  hand_on(file_piece::kind::damage, in_.available());
  return over;
}

void format::begin_damage(std::string what) {
  damage_ = name_ + " is damaged at " + position() + ": " + std::move(what) + ".";
  damage_at_ = in_.offset();
}

void format::end_damage(bool found) {
  const auto lost = in_.offset() - damage_at_;
  summary_.damaged_bytes += lost;
  if (++summary_.damaged_places > places_told_max) return;
  damage_ += " " + std::to_string(lost) + " bytes were passed over";
  damage_ += found ? "; it goes on at byte " + std::to_string(in_.offset()) + "."
                   : ", and nothing that can be read was found in them.";
  summary_.warnings.push_back(std::move(damage_));
}

bool format::hand_on_large(file_piece::kind what, u64 n, u32 type) {
  while (n > 0) {
    if (!in_.ensure(1)) return false;
    const auto piece = static_cast<std::size_t>(std::min<u64>(n, in_.available()));
    n -= piece;
    if (observer_ != nullptr)
      observer_->piece({what, type, big_endian_, n == 0, {in_.data(), piece}});
    in_.consume(piece);
  }
  return true;
}

} // namespace profiler::capture
