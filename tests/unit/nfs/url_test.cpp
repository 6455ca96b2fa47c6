#include "nfs/url.hpp"

#include <gtest/gtest.h>

namespace {

using nfs::parse_url;

TEST(NfsUrl, OfAServerAndAnExportLeavesTheRestToTheServer) {
  const auto u = parse_url("nfs://server/export");

  ASSERT_TRUE(u);
  EXPECT_EQ(u->host, "server");
  EXPECT_EQ(u->path, "/export");
  EXPECT_EQ(u->port, 0);
  EXPECT_EQ(u->mount_port, 0);
  EXPECT_EQ(u->rsize, 0u);
  EXPECT_FALSE(u->uid);
}

TEST(NfsUrl, TakesEveryOption) {
  const auto u = parse_url("nfs://198.18.1.2:2049/a/b%20c/?version=3&transport=tcp&sec=sys&"
                           "xprtsec=none&rsize=64k&wsize=1m&nconnect=1&uid=1000&gid=0&"
                           "mountport=20048");

  ASSERT_TRUE(u) << u.error();
  EXPECT_EQ(u->host, "198.18.1.2");
  EXPECT_EQ(u->port, 2049);
  EXPECT_EQ(u->path, "/a/b c");
  EXPECT_EQ(u->rsize, 65536u);
  EXPECT_EQ(u->wsize, 1048576u);
  EXPECT_EQ(u->uid, 1000u);
  EXPECT_EQ(u->gid, 0u);
  EXPECT_EQ(u->mount_port, 20048);
}

TEST(NfsUrl, TakesIpv6InBrackets) {
  const auto u = parse_url("nfs://[fd00::2]:2050");

  ASSERT_TRUE(u) << u.error();
  EXPECT_EQ(u->host, "fd00::2");
  EXPECT_EQ(u->port, 2050);
  EXPECT_EQ(u->path, "/");
}

TEST(NfsUrl, IsTheSameAfterPrinting) {
  for (const auto* text :
       {"nfs://server/export", "nfs://[fd00::2]:2050/", "nfs://h/a%20b%3Fc?rsize=4096&uid=5",
        "nfs://h:1/x?mountport=2&rsize=512&wsize=16777216&uid=0&gid=4294967295"}) {
    const auto u = parse_url(text);
    ASSERT_TRUE(u) << u.error();
    const auto again = parse_url(to_string(*u));
    ASSERT_TRUE(again) << again.error();
    EXPECT_EQ(*again, *u) << text;
  }
}

struct bad {
  const char* text;
  const char* why;
};

TEST(NfsUrl, SaysWhatIsWrongWithIt) {
  for (const auto& [text, why] : {
           bad{"smb://server/share", "it does not start with nfs://"},
           bad{"nfs:///export", "there is no server in it"},
           bad{"nfs://me@server/export", "say uid= and gid="},
           bad{"nfs://server:0/export", "the port is not a port: '0'"},
           bad{"nfs://server:65536/export", "is not a port"},
           bad{"nfs://fd00::2/export", "stands in brackets"},
           bad{"nfs://[fd00::2/export", "has no ']'"},
           bad{"nfs://ser ver/export", "is no name or address"},
           bad{"nfs://server/a%2", "bad %-escape"},
           bad{"nfs://server/a%00b", "bad %-escape"},
           bad{"nfs://server/export?rsize", "the option 'rsize' has no value"},
           bad{"nfs://server/export?rsize=100", "rsize=100 is out of range"},
           bad{"nfs://server/export?rsize=1g", "out of range"},
           bad{"nfs://server/export?wsize=big", "wsize: "},
           bad{"nfs://server/export?uid=root", "uid is not a number"},
           bad{"nfs://server/export?soft=1", "no such option: 'soft'"},
           bad{"nfs://server/export?version=4.1&transport=udp", "NFSv4 goes over TCP alone"},
           bad{"nfs://server/export?version=2", "version='2' is none of 3, 4.0, 4.1, 4.2"},
       }) {
    const auto u = parse_url(text);
    ASSERT_FALSE(u) << text;
    EXPECT_NE(u.error().find(why), std::string::npos) << u.error();
    EXPECT_TRUE(u.error().starts_with("bad NFS URL '")) << u.error();
  }
}

TEST(NfsUrl, TakesEverySecurityAndWritesItBack) {
  for (const std::string_view name : {"sys", "krb5", "krb5i", "krb5p"}) {
    const auto u = parse_url("nfs://server/export?sec=" + std::string(name));
    ASSERT_TRUE(u) << u.error();
    EXPECT_EQ(to_string(u->sec), name);
    EXPECT_EQ(parse_url(to_string(*u)), *u);
  }
  const auto u = parse_url("nfs://server/export?sec=dh");
  ASSERT_FALSE(u);
  EXPECT_NE(u.error().find("sec='dh' is none of sys, krb5, krb5i, krb5p"), std::string::npos);
}

TEST(NfsUrl, TakesUdpAndWritesItBack) {
  const auto u = parse_url("nfs://server/export?transport=udp");
  ASSERT_TRUE(u) << u.error();
  EXPECT_EQ(u->transport, rpc::transport::udp);
  EXPECT_EQ(parse_url(to_string(*u)), *u);
  const auto bad = parse_url("nfs://server/export?transport=rdma");
  ASSERT_FALSE(bad);
  EXPECT_NE(bad.error().find("transport='rdma' is none of tcp, udp"), std::string::npos);
}

TEST(NfsUrl, SaysWhatIsNotSupportedYet) {
  for (const auto& [option, instead] :
       {bad{"version=4.0", "version=3, 4.1 and 4.2 are"}, bad{"xprtsec=tls", "xprtsec=none is"},
        bad{"nconnect=4", "nconnect=1 is"}}) {
    const auto u = parse_url(std::string("nfs://server/export?") + option);
    ASSERT_FALSE(u);
    EXPECT_NE(u.error().find(std::string(option) + " is not supported yet; " + instead),
              std::string::npos)
        << u.error();
  }
}

TEST(NfsUrl, TakesVersions) {
  for (const auto& [text, version, minor] : {std::tuple{"nfs://server/export", 3u, 0u},
                                             {"nfs://server/export?version=4.1", 4u, 1u},
                                             {"nfs://server/export?version=4.2", 4u, 2u}}) {
    const auto u = parse_url(text);
    ASSERT_TRUE(u) << u.error();
    EXPECT_EQ(u->version, version);
    EXPECT_EQ(u->minor_version, minor);
    EXPECT_EQ(to_string(*u), text);
  }
  EXPECT_EQ(to_string(*parse_url("nfs://server/export?version=3")), "nfs://server/export");
}

TEST(NfsUrl, RefusesAPathThatMountCannotTake) {
  const auto u = parse_url("nfs://server/" + std::string(2000, 'x'));

  ASSERT_FALSE(u);
  EXPECT_NE(u.error().find("longer than MOUNT takes"), std::string::npos);
}

} // namespace
