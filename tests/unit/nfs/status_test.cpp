#include "nfs/status.hpp"

#include <gtest/gtest.h>

namespace {

using namespace nfs;

TEST(Nfsstat3, HasItsNameAndAMeaning) {
  EXPECT_EQ(to_string(nfsstat3::jukebox), "NFS3ERR_JUKEBOX");
  EXPECT_EQ(make_error_code(nfsstat3::stale).message(),
            "NFS3ERR_STALE (the file handle's file is gone)");
  EXPECT_EQ(to_string(mountstat3::acces), "MNT3ERR_ACCES");
}

TEST(Nfsstat3, OfAnUnknownNumberKeepsTheNumber) {
  EXPECT_EQ(to_string(static_cast<nfsstat3>(4711)), "unknown");
  EXPECT_EQ(make_error_code(static_cast<nfsstat3>(4711)).message(), "status 4711");
}

TEST(Nfsstat3, IsAnErrorCodeOfItsOwnCategory) {
  const std::error_code code = nfsstat3::noent;
  EXPECT_EQ(code, nfsstat3::noent);
  EXPECT_NE(code, std::error_code(mountstat3::noent));
}

} // namespace
