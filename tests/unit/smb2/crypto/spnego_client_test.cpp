#include "auth_support.hpp"
#include "smb2/auth/error.hpp"
#include "smb2/auth/spnego_client.hpp"

#include <gtest/gtest.h>

namespace {

using namespace auth_support;
using namespace smb2::auth;
using vectors::hex;
using wire::to_hex;

constexpr auto samba_offer = "604806062b0601050502a03e303ca00e300c060a2b06010401823702020aa32a3028"
                             "a0261b246e6f745f646566696e65645f696e5f5246433431373840706c656173655f"
                             "69676e6f7265";
constexpr auto completed = "a1073005a0030a0100";
constexpr auto incomplete = "a1073005a0030a0101";
constexpr auto reject = "a1073005a0030a0102";

/// A mechanism that a server may refuse: its token is one byte, and it needs one back.
class stub_mechanism final : public mechanism {
 public:
  explicit stub_mechanism(bytes oid) : oid_(oid) {}
  bytes oid() const noexcept override { return oid_; }
  token_result step(bytes from_server) override {
    if (from_server.empty()) return token{std::byte{0x11}};
    complete_ = true;
    return token{};
  }
  bool complete() const noexcept override { return complete_; }
  bytes session_key() const noexcept override { return complete_ ? key_ : bytes(); }
  bool has_integrity() const noexcept override { return complete_; }
  token sign(bytes) override { return hex("cc"); }
  bool verify(bytes, bytes mic) override { return to_hex(mic) == "dd"; }

 private:
  bytes oid_;
  byte_string key_ = hex("0102");
  bool complete_ = false;
};

spnego_client kerberos_then_ntlm() {
  std::vector<std::unique_ptr<mechanism>> mechanisms;
  mechanisms.push_back(std::make_unique<stub_mechanism>(oid::kerberos()));
  mechanisms.push_back(sample_ntlm());
  return spnego_client(std::move(mechanisms));
}

byte_string choice_of_ntlm() {
  neg_token_resp out;
  out.state = neg_state::request_mic;
  out.supported_mech = oid::ntlmssp();
  return encode_spnego(out);
}

/// Runs client and server to the end; the last result is the one for the server's last token.
token_result run(spnego_client& client, spnego_server& server) {
  const auto first = server.first(client.step(hex(samba_offer)).value());
  const auto second = client.step(first);
  if (!second) return second;
  return client.step(server.last(*second));
}

TEST(SpnegoClient, AuthenticatesWithBothMics) {
  auto client = sample_client();
  spnego_server server;

  const auto last = run(client, server);

  ASSERT_TRUE(last.has_value()) << last.error().message();
  EXPECT_TRUE(last->empty());
  EXPECT_TRUE(server.accepted) << server.ntlm.wrong;
  EXPECT_TRUE(server.client_mic_seen);
  EXPECT_TRUE(server.client_mic_good);
  EXPECT_TRUE(client.done());
  EXPECT_EQ(to_hex(client.session_key()), to_hex(server.ntlm.session_key));
}

TEST(SpnegoClient, HasTheKeyBeforeTheLastTokenAndIsDoneOnlyAfterIt) {
  auto client = sample_client();
  spnego_server server;
  const auto first = server.first(client.step({}).value());
  EXPECT_TRUE(client.session_key().empty());
  const auto second = client.step(first).value();
  EXPECT_EQ(client.session_key().size(), 16u);
  EXPECT_FALSE(client.done());
}

TEST(SpnegoClient, AcceptsAServerWithoutAMicForThePreferredMechanism) {
  // RFC 4178 section 5: the MIC may be left out when the first choice of both was taken.
  auto client = sample_client();
  spnego_server server{.send_mic = false};

  ASSERT_TRUE(run(client, server).has_value());
  EXPECT_TRUE(client.done());
}

TEST(SpnegoClient, AcceptsAnEmptyLastTokenForThePreferredMechanism) {
  auto client = sample_client();
  spnego_server server;
  const auto second = client.step(server.first(client.step({}).value())).value();
  ASSERT_FALSE(second.empty());

  EXPECT_TRUE(client.step({}).has_value());
  EXPECT_TRUE(client.done());
}

TEST(SpnegoClient, InsistsOnTheMicThatTheServerAskedFor) {
  auto client = sample_client();
  spnego_server server{.send_mic = false, .request_mic = true};
  EXPECT_EQ(error_of(run(client, server)), errc::missing_mic);

  auto another = sample_client();
  spnego_server good{.request_mic = true};
  EXPECT_TRUE(run(another, good).has_value());
  EXPECT_TRUE(another.done());
}

TEST(SpnegoClient, RefusesAWrongMic) {
  auto client = sample_client();
  spnego_server server{.spoil_mic = true};

  EXPECT_EQ(error_of(run(client, server)), errc::wrong_mic);
  EXPECT_FALSE(client.done());
}

TEST(SpnegoClient, NoticesThatSomebodyChangedItsListOfMechanisms) {
  // The server saw a list with Kerberos struck out; its MIC covers that list, not ours.
  auto client = kerberos_then_ntlm();
  const auto init = client.step({}).value();
  auto seen = decode_spnego<neg_token_init>(init).value();
  spnego_server server;
  server.mech_types = encode_mech_types({oid::ntlmssp()});
  ASSERT_EQ(seen.mech_types.size(), 2u);

  const auto ntlm_negotiate_token = client.step(choice_of_ntlm()).value();
  const auto negotiate = decode_spnego<neg_token_resp>(ntlm_negotiate_token).value();
  neg_token_resp challenge;
  const auto answer = server.ntlm.answer_negotiate(*negotiate.response_token);
  challenge.state = neg_state::accept_incomplete;
  challenge.response_token = bytes(answer);
  const auto authenticate = client.step(encode_spnego(challenge)).value();

  EXPECT_EQ(error_of(client.step(server.last(authenticate))), errc::wrong_mic);
  EXPECT_TRUE(server.client_mic_seen);
  EXPECT_FALSE(server.client_mic_good); // the server notices as well
}

TEST(SpnegoClient, FallsBackToTheMechanismTheServerChose) {
  auto client = kerberos_then_ntlm();
  const auto init = client.step({}).value();
  const auto listed = decode_spnego<neg_token_init>(init).value();
  ASSERT_EQ(listed.mech_types.size(), 2u);
  EXPECT_EQ(to_hex(listed.mech_token.value()), "11");

  spnego_server server;
  server.mech_types = encode_mech_types(listed.mech_types);
  const auto restart = client.step(choice_of_ntlm()).value();
  const auto negotiate = decode_spnego<neg_token_resp>(restart).value();
  EXPECT_FALSE(negotiate.mech_list_mic.has_value());
  const auto answer = server.ntlm.answer_negotiate(negotiate.response_token.value());
  neg_token_resp challenge;
  challenge.response_token = bytes(answer);
  const auto authenticate = client.step(encode_spnego(challenge)).value();

  EXPECT_TRUE(client.step(server.last(authenticate)).has_value());
  EXPECT_TRUE(server.accepted) << server.ntlm.wrong;
  EXPECT_TRUE(server.client_mic_good);
  EXPECT_TRUE(client.done());
  EXPECT_EQ(to_hex(client.session_key()), to_hex(server.ntlm.session_key));
}

TEST(SpnegoClient, InsistsOnTheMicAfterAFallback) {
  auto client = kerberos_then_ntlm();
  spnego_server server{.send_mic = false};
  const auto init = client.step({}).value();
  server.mech_types = encode_mech_types(decode_spnego<neg_token_init>(init).value().mech_types);
  neg_token_resp choice;
  choice.state = neg_state::accept_incomplete; // not even request-mic
  choice.supported_mech = oid::ntlmssp();
  const auto restart = client.step(encode_spnego(choice)).value();
  const auto answer = server.ntlm.answer_negotiate(
      decode_spnego<neg_token_resp>(restart).value().response_token.value());
  neg_token_resp challenge;
  challenge.response_token = bytes(answer);
  const auto authenticate = client.step(encode_spnego(challenge)).value();

  EXPECT_EQ(error_of(client.step(server.last(authenticate))), errc::missing_mic);
}

TEST(SpnegoClient, CompletesAMechanismWhoseLastTokenComesWithTheAcceptance) {
  // As Kerberos with mutual authentication does: AP-REP, accept-completed and the MIC in one.
  auto client = kerberos_then_ntlm();
  ASSERT_TRUE(client.step({}).has_value());
  const auto reply = hex("22"), mic = hex("dd");
  neg_token_resp last;
  last.state = neg_state::accept_completed;
  last.supported_mech = oid::kerberos();
  last.response_token = bytes(reply);
  last.mech_list_mic = bytes(mic);

  const auto result = client.step(encode_spnego(last));

  ASSERT_TRUE(result.has_value()) << result.error().message();
  EXPECT_TRUE(result->empty());
  EXPECT_TRUE(client.done());
  EXPECT_EQ(to_hex(client.session_key()), "0102");
}

TEST(SpnegoClient, OffersOnlyWhatTheServerOffers) {
  auto client = kerberos_then_ntlm();
  const auto init = client.step(hex(samba_offer)).value();
  const auto listed = decode_spnego<neg_token_init>(init).value();

  ASSERT_EQ(listed.mech_types.size(), 1u);
  EXPECT_EQ(mechanism_name(listed.mech_types[0]), "NTLMSSP");
  EXPECT_EQ(wire::as_text(listed.mech_token->first(7)), "NTLMSSP");
}

TEST(SpnegoClient, SaysSoWhenTheServerOffersNothingThatItKnows) {
  neg_token_init2 offer;
  offer.mech_types = {oid::kerberos(), oid::negoex()};
  auto client = sample_client();

  EXPECT_EQ(error_of(client.step(encode_spnego(offer))), errc::no_common_mechanism);
  EXPECT_EQ(client.explanation(), "the server does not take NTLMSSP; it takes Kerberos, NEGOEX");
}

TEST(SpnegoClient, SaysSoWhenTheServerChoosesWhatWasNotOffered) {
  auto client = sample_client();
  ASSERT_TRUE(client.step({}).has_value());
  neg_token_resp choice;
  choice.supported_mech = oid::kerberos();

  EXPECT_EQ(error_of(client.step(encode_spnego(choice))), errc::no_common_mechanism);
}

TEST(SpnegoClient, ReportsARejection) {
  auto client = sample_client();
  spnego_server server;
  server.ntlm.password = "another";
  EXPECT_EQ(error_of(run(client, server)), errc::rejected);

  auto early = sample_client();
  ASSERT_TRUE(early.step({}).has_value());
  EXPECT_EQ(error_of(early.step(hex(reject))), errc::rejected);
}

TEST(SpnegoClient, RefusesAnAcceptanceBeforeTheMechanismIsDone) {
  for (const auto* early : {completed, incomplete}) {
    auto client = sample_client();
    ASSERT_TRUE(client.step({}).has_value());
    EXPECT_EQ(error_of(client.step(hex(early))), errc::unexpected_token) << early;
  }
  auto client = sample_client();
  ASSERT_TRUE(client.step({}).has_value());
  EXPECT_EQ(error_of(client.step({})), errc::unexpected_token);
}

TEST(SpnegoClient, RefusesAnAcceptanceThatComesWithAChallenge) {
  // Who accepts before AUTHENTICATE has not seen that we know the password.
  auto client = sample_client();
  spnego_server server;
  const auto honest = server.first(client.step({}).value());
  auto hasty = decode_spnego<neg_token_resp>(honest).value();
  hasty.state = neg_state::accept_completed;

  EXPECT_EQ(error_of(client.step(encode_spnego(hasty))), errc::unexpected_token);
  EXPECT_FALSE(client.done());
}

TEST(SpnegoClient, RefusesAnAnswerOfAMechanismThatWasNotBegun) {
  auto client = kerberos_then_ntlm();
  ASSERT_TRUE(client.step({}).has_value());
  ntlm_server ntlm;
  const auto answer = ntlm.answer_negotiate({});
  neg_token_resp choice;
  choice.state = neg_state::accept_incomplete;
  choice.supported_mech = oid::ntlmssp();
  choice.response_token = bytes(answer);

  EXPECT_EQ(error_of(client.step(encode_spnego(choice))), errc::unexpected_token);
}

TEST(SpnegoClient, RefusesToGoOnForEver) {
  auto client = sample_client();
  spnego_server server;
  ASSERT_TRUE(client.step(server.first(client.step({}).value())).has_value());

  EXPECT_EQ(error_of(client.step(hex(incomplete))), errc::unexpected_token);
}

TEST(SpnegoClient, RefusesAMicBeforeThereIsAKey) {
  const auto mic = hex("010000003b453cdc3524164200000000");
  neg_token_resp early;
  early.state = neg_state::accept_incomplete;
  early.mech_list_mic = bytes(mic);
  auto client = sample_client();
  ASSERT_TRUE(client.step({}).has_value());
  EXPECT_EQ(error_of(client.step(encode_spnego(early))), errc::unexpected_token);
}

TEST(SpnegoClient, AnswersTheServersMicWithItsOwnAndRefusesASecondOne) {
  const auto reply = hex("22"), mic = hex("dd");
  neg_token_resp with_mic;
  with_mic.state = neg_state::accept_incomplete;
  with_mic.response_token = bytes(reply);
  with_mic.mech_list_mic = bytes(mic);
  neg_token_resp again;
  again.state = neg_state::accept_completed;
  again.mech_list_mic = bytes(mic);
  for (const bool twice : {false, true}) {
    auto client = kerberos_then_ntlm();
    ASSERT_TRUE(client.step({}).has_value());
    const auto answer = client.step(encode_spnego(with_mic)).value();
    const auto sent = decode_spnego<neg_token_resp>(answer).value();
    EXPECT_EQ(to_hex(sent.mech_list_mic.value()), "cc");
    EXPECT_FALSE(sent.response_token.has_value());

    const auto last = client.step(twice ? encode_spnego(again) : hex(completed));
    EXPECT_EQ(last.has_value(), !twice);
    EXPECT_EQ(client.done(), !twice);
  }
}

TEST(SpnegoClient, RefusesATokenAfterTheEndAndAfterAFailure) {
  auto client = sample_client();
  spnego_server server;
  ASSERT_TRUE(run(client, server).has_value());
  EXPECT_EQ(error_of(client.step(hex(completed))), errc::unexpected_token);

  auto failed = sample_client();
  ASSERT_TRUE(failed.step({}).has_value());
  ASSERT_FALSE(failed.step(hex(reject)).has_value());
  spnego_server late;
  EXPECT_EQ(error_of(failed.step(hex(completed))), errc::unexpected_token);
  EXPECT_FALSE(failed.done());
}

TEST(SpnegoClient, DoesWithoutAMicForAnAnonymousUser) {
  auto client = sample_client({.anonymous = true});
  spnego_server server;
  const auto second = client.step(server.first(client.step({}).value())).value();
  const auto sent = decode_spnego<neg_token_resp>(second).value();

  EXPECT_FALSE(sent.mech_list_mic.has_value());
  EXPECT_TRUE(client.step(hex(completed)).has_value());
  EXPECT_TRUE(client.done());
  EXPECT_TRUE(client.session_key().empty());
}

TEST(AuthErrors, SpeakInSentences) {
  for (int code = 1; code <= static_cast<int>(errc::too_long); ++code) {
    const auto text = make_error_code(static_cast<errc>(code)).message();
    EXPECT_GT(text.size(), 20u) << code;
    EXPECT_NE(text, "unknown error") << code;
  }
}

} // namespace
