#include "profiler/capture/format.hpp"

namespace profiler::capture {

std::string format::position() const {
  return "byte " + std::to_string(in_.offset()) + ", behind frame " +
         std::to_string(summary_.packets);
}

bool format::stop(const std::string& what) {
  summary_.warnings.push_back(name_ + " is damaged at " + position() + ": " + what +
                              ". What follows was not read.");
  return false;
}

bool format::stop_cut(const std::string& inside) {
  if (in_.trouble().empty())
    summary_.warnings.push_back(name_ + " is cut in the middle of " + inside + " at " + position() +
                                ". What came before it was read.");
  else
    summary_.warnings.push_back(name_ + " could be read up to " + position() + ": " +
                                in_.trouble() + ".");
  return false;
}

} // namespace profiler::capture
