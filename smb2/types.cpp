#include "smb2/types.hpp"

#include <limits>

namespace smb2 {

std::string_view to_string(dialect revision) noexcept {
  switch (revision) {
  case dialect::smb_2_0_2:
    return "2.0.2";
  case dialect::smb_2_1:
    return "2.1";
  case dialect::smb_3_0:
    return "3.0";
  case dialect::smb_3_0_2:
    return "3.0.2";
  case dialect::smb_3_1_1:
    return "3.1.1";
  }
  return revision == any_smb2 ? "2.???" : "unknown";
}

nanos to_unix(filetime t) noexcept {
  constexpr auto latest = static_cast<u64>(std::numeric_limits<wire::i64>::max() / 100);
  if (t < unix_epoch_as_filetime) return nanos{0};
  const auto ticks = t - unix_epoch_as_filetime;
  return ticks > latest ? nanos::max() : nanos{static_cast<wire::i64>(ticks) * 100};
}

filetime to_filetime(nanos since_unix_epoch) noexcept {
  if (since_unix_epoch.count() < 0) return 0;
  return unix_epoch_as_filetime + static_cast<u64>(since_unix_epoch.count()) / 100;
}

} // namespace smb2
