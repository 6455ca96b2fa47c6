#include "smb2/auth/kerberos_client.hpp"

#include "smb2/auth/error.hpp"
#include "smb2/auth/spnego.hpp"
#include "wire/krb5/gssapi.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

/// What needs no KDC; the rest is tests/lab/smb2_kerberos_test.cpp.
namespace smb2::auth {
namespace {

using testing::HasSubstr;

class KerberosClient : public testing::Test {
 protected:
  void SetUp() override {
    std::ofstream(configuration) << "[libdefaults]\n default_realm = TEST.INVALID\n"
                                    " dns_lookup_kdc = false\n dns_lookup_realm = false\n"
                                    " dns_canonicalize_hostname = false\n rdns = false\n";
    setenv("KRB5_CONFIG", configuration.c_str(), 1);
    setenv("KRB5CCNAME", "FILE:/nonexistent/tickets", 1);
  }
  void TearDown() override { std::filesystem::remove(configuration); }

  const std::string configuration =
      testing::TempDir() + "wiretrip-krb5-" + std::to_string(::getpid());
};

TEST_F(KerberosClient, SaysThatThereIsNoTicket) {
  const auto made = kerberos_source()({}, "server.test.invalid");
  ASSERT_TRUE(made) << made.error();
  auto& client = **made;

  const auto token = client.step({});

  ASSERT_FALSE(token);
  EXPECT_EQ(token.error(), make_error_code(errc::kerberos));
  EXPECT_THAT(client.explanation(), HasSubstr("there is no Kerberos ticket"));
  EXPECT_FALSE(client.complete());
  EXPECT_FALSE(client.has_integrity());
  EXPECT_TRUE(client.session_key().empty());
  EXPECT_EQ(mechanism_name(client.oid()), "Kerberos");
}

TEST_F(KerberosClient, SaysThatAUserHasNoTicket) {
  const credentials who{.user = "ann", .domain = "TEST.INVALID"};

  const auto made = kerberos_source()(who, "server.test.invalid");

  ASSERT_FALSE(made);
  EXPECT_THAT(made.error(), HasSubstr("there is no Kerberos ticket"));
}

TEST_F(KerberosClient, WantsANameAndNoAddress) {
  for (const auto* address : {"198.18.1.2", "fd00::1", "::ffff:1.2.3.4"}) {
    const auto made = kerberos_source()({}, address);

    ASSERT_FALSE(made) << address;
    EXPECT_THAT(made.error(), HasSubstr(std::string(address) + " is an address"));
  }
  for (const auto* name : {"server", "198.18.1.2.example", "1.2.3", "", "fd00", "a:b"})
    EXPECT_FALSE(wire::krb5::is_address(name)) << name;
}

} // namespace
} // namespace smb2::auth
