#include "smb2/crypto/preauth.hpp"
#include "vectors.hpp"

#include <gtest/gtest.h>

namespace {

using smb2::crypto::preauth_sha512;
using vectors::hex;
using wire::to_hex;

TEST(PreauthHash, FollowsThePublishedChainsMessageByMessage) {
  for (const auto& setup : vectors::published().at("session_setups")) {
    SCOPED_TRACE(setup.at("name").get<std::string>());
    preauth_sha512 hash;
    std::size_t checked = 0;
    for (const auto& message : setup.at("messages")) {
      if (!message.contains("hash_after")) continue;
      const auto bytes = hex(message, "message");
      const wire::bytes whole[] = {bytes};
      hash.update(whole);
      EXPECT_EQ(to_hex(hash.value()), message.at("hash_after")) << message.at("name");
      ++checked;
    }
    EXPECT_EQ(checked, 5u);
  }
}

TEST(PreauthHash, BeginsWithZeros) {
  EXPECT_EQ(to_hex(preauth_sha512().value()), std::string(128, '0'));
}

TEST(PreauthHash, IsTheSameOverPieces) {
  const auto message =
      hex(vectors::published().at("session_setups").at(0).at("messages").at(0), "message");
  const wire::bytes whole[] = {message};
  preauth_sha512 in_one, in_pieces;

  in_one.update(whole);
  in_pieces.update(vectors::cut(message, {0, 64, 100, 100}));

  EXPECT_EQ(to_hex(in_pieces.value()), to_hex(in_one.value()));
}

TEST(PreauthHash, GoesOnSeparatelyInACopy) {
  const auto message = hex("fe534d42");
  const wire::bytes whole[] = {message};
  preauth_sha512 connection;
  connection.update(whole);
  const auto before = connection.value();

  preauth_sha512 session(connection);
  session.update(whole);

  EXPECT_EQ(connection.value(), before);
  EXPECT_NE(session.value(), before);
  session = connection;
  EXPECT_EQ(session.value(), before);
}

} // namespace
