#pragma once

#include "smb2/url.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>
#include <string>

namespace support {

/// A share of the lab's SMB server and how to get in; tests/lab/in_lab sets the variables.
struct smb2_share {
  smb2::session_options options;
  std::string name;
};

/// The share whose URL is in that variable, with `query` behind it; nothing when it is not set: the
/// test is to be skipped then. A URL that is none fails it.
inline std::optional<smb2_share> find_share(const char* variable, const std::string& query = "") {
  const char* url = std::getenv(variable);
  if (url == nullptr) return std::nullopt;
  const char* password = std::getenv("WIRETRIP_PASSWORD");
  const auto parsed = smb2::parse_url(url + query);
  EXPECT_TRUE(parsed) << parsed.error();
  if (!parsed) return std::nullopt;
  return smb2_share{smb2::options_of(*parsed, password == nullptr ? "wiretrip" : password),
                    parsed->share};
}

} // namespace support
