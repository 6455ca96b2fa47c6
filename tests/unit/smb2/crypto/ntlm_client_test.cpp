#include "auth_support.hpp"
#include "smb2/auth/error.hpp"
#include "smb2/auth/ntlm_client.hpp"

#include <gtest/gtest.h>

namespace {

using namespace auth_support;
using namespace smb2::auth;
using vectors::hex;
using wire::to_hex;

struct exchange {
  byte_string negotiate, challenge, authenticate;
};

exchange run(mechanism& client, ntlm_server& server) {
  exchange out;
  out.negotiate = client.step({}).value();
  out.challenge = server.answer_negotiate(out.negotiate);
  out.authenticate = client.step(out.challenge).value();
  return out;
}

std::error_code error_after_challenge(ntlm_server server) {
  const auto client = sample_ntlm();
  const auto challenge = server.answer_negotiate(client->step({}).value());
  return error_of(client->step(challenge));
}

TEST(NtlmClient, AgreesWithTheServerOnAKey) {
  const auto client = sample_ntlm();
  ntlm_server server;

  const auto tokens = run(*client, server);

  EXPECT_TRUE(server.accept(tokens.authenticate)) << server.wrong;
  EXPECT_TRUE(client->complete());
  EXPECT_EQ(to_hex(client->session_key()), to_hex(server.session_key));
  EXPECT_EQ(to_hex(client->session_key()), std::string(32, '5'));
}

TEST(NtlmClient, HasNoKeyBeforeTheExchangeIsComplete) {
  const auto client = sample_ntlm();
  EXPECT_TRUE(client->session_key().empty());
  ASSERT_TRUE(client->step({}).has_value());
  EXPECT_TRUE(client->session_key().empty());
  EXPECT_FALSE(client->complete());
  EXPECT_FALSE(client->has_integrity());
}

TEST(NtlmClient, SendsTheNegotiateMessageOfTheSpecification) {
  EXPECT_EQ(to_hex(sample_ntlm()->step({}).value()), "4e544c4d53535000"
                                                     "01000000"
                                                     "158208e2"         // flags
                                                     "0000000000000000" // no domain
                                                     "0000000000000000" // no workstation
                                                     "060100000000000f");
}

TEST(NtlmClient, AnswersWithTheServersPairsAndItsOwnBehindThem) {
  const auto client = sample_ntlm(sample_user(), "files.example");
  ntlm_server server;

  const auto tokens = run(*client, server);

  const auto message = decode_ntlm<authenticate_message>(tokens.authenticate).value();
  const auto temp = decode_client_challenge(message.nt_response.subspan(16)).value();
  const auto pairs = decode_av_pairs(temp.av_pairs).value();
  ASSERT_EQ(pairs.size(), 6u);
  EXPECT_EQ(pairs[0].id, av_id::nb_domain_name);
  EXPECT_EQ(pairs[1].id, av_id::nb_computer_name);
  EXPECT_EQ(pairs[2].id, av_id::timestamp);
  EXPECT_EQ(pairs[3].id, av_id::flags);
  EXPECT_EQ(to_hex(pairs[3].value), "02000000");
  EXPECT_EQ(pairs[4].id, av_id::channel_bindings);
  EXPECT_EQ(to_hex(pairs[4].value), std::string(32, '0'));
  EXPECT_EQ(pairs[5].id, av_id::target_name);
  EXPECT_EQ(smb2::utf16_view(pairs[5].value).text(), "cifs/files.example");
  EXPECT_EQ(temp.timestamp, wire::load_le<u64>(server.timestamp.data()));
  EXPECT_EQ(to_hex(temp.challenge), std::string(16, 'a'));
  EXPECT_EQ(to_hex(message.lm_response), std::string(48, '0'));
  EXPECT_EQ(smb2::utf16_view(message.workstation).text(), "WS");
  EXPECT_EQ(message.flags, 0xE2888215u);
}

TEST(NtlmClient, BindsItselfToTheChannelThatItIsGiven) {
  auto who = sample_user();
  who.channel_bindings = vectors::array_of<16>(hex("65861e1f9dbc5ee56a6eb4df7f8a2d4c"));
  const auto client = sample_ntlm(who);
  ntlm_server server;

  const auto tokens = run(*client, server);

  EXPECT_TRUE(server.wrong.empty()) << server.wrong;
  const auto message = decode_ntlm<authenticate_message>(tokens.authenticate).value();
  const auto temp = decode_client_challenge(message.nt_response.subspan(16)).value();
  const auto pairs = decode_av_pairs(temp.av_pairs).value();
  EXPECT_EQ(to_hex(find(pairs, av_id::channel_bindings).value()),
            "65861e1f9dbc5ee56a6eb4df7f8a2d4c");
}

TEST(NtlmClient, DoesNotLetTheServerSpeakForTheClient) {
  // A challenge with pairs that only clients send, and with a flag of its own.
  ntlm_server server;
  const auto client = sample_ntlm();
  const auto negotiate = client->step({}).value();
  static_cast<void>(server.answer_negotiate(negotiate));
  const auto name = utf16("cifs/evil").data;
  const auto time = server.timestamp;
  const auto one = hex("01000000");
  const std::array<av_pair, 5> pairs{{{av_id::target_name, name},
                                      {av_id::single_host, one},
                                      {av_id::channel_bindings, name},
                                      {av_id::flags, one},
                                      {av_id::timestamp, time}}};
  const auto info = encode_av_pairs(pairs);
  auto message = decode_ntlm<challenge_message>(server.challenge_bytes).value();
  message.target_info = info;
  server.challenge_bytes = encode_ntlm(message);

  const auto authenticate = client->step(server.challenge_bytes).value();

  EXPECT_TRUE(server.accept(authenticate)) << server.wrong;
  const auto sent = decode_ntlm<authenticate_message>(authenticate).value();
  const auto temp = decode_client_challenge(sent.nt_response.subspan(16)).value();
  const auto ours = decode_av_pairs(temp.av_pairs).value();
  EXPECT_EQ(smb2::utf16_view(find(ours, av_id::target_name).value()).text(), "cifs/server");
  EXPECT_EQ(to_hex(find(ours, av_id::flags).value()), "03000000");
  EXPECT_FALSE(find(ours, av_id::single_host).has_value());
  EXPECT_EQ(ours.size(), 4u);
}

TEST(NtlmClient, LeavesTheMicOutForAServerThatTellsNoTime) {
  const auto client = sample_ntlm();
  ntlm_server server;
  server.timestamp.clear();

  const auto tokens = run(*client, server);

  EXPECT_TRUE(server.accept(tokens.authenticate)) << server.wrong;
  const auto message = decode_ntlm<authenticate_message>(tokens.authenticate).value();
  EXPECT_FALSE(message.mic.has_value());
  const auto temp = decode_client_challenge(message.nt_response.subspan(16)).value();
  EXPECT_EQ(temp.timestamp, sample_inputs.now);
  EXPECT_EQ(to_hex(message.lm_response.subspan(16)), std::string(16, 'a'));
  EXPECT_NE(to_hex(message.lm_response.first(16)), std::string(32, '0'));
}

TEST(NtlmClient, GivesTheResponsesOfMsNlmpOnItsInputs) {
  // MS-NLMP 4.2.4 has no target name and no channel bindings in temp, so that only what does not
  // depend on temp can be compared: the LM response and the two keys' relation.
  const auto& vector = vectors::published().at("ntlmv2").at(0);
  credentials who{.user = "User", .password = "Password", .domain = "Domain"};
  const auto client = sample_ntlm(who);
  ntlm_server server{.user = "User", .domain = "Domain", .password = "Password"};
  server.timestamp.clear();

  const auto tokens = run(*client, server);

  const auto message = decode_ntlm<authenticate_message>(tokens.authenticate).value();
  EXPECT_EQ(to_hex(message.lm_response), vector.at("lmv2_response"));
  EXPECT_TRUE(server.accept(tokens.authenticate)) << server.wrong;
}

TEST(NtlmClient, DerivesTheKeyFromThePasswordWhereKeysAreNotExchanged) {
  const auto client = sample_ntlm();
  ntlm_server server;
  server.flags &= ~ntlm_flag::key_exchange;

  const auto tokens = run(*client, server);

  EXPECT_TRUE(server.accept(tokens.authenticate)) << server.wrong;
  const auto message = decode_ntlm<authenticate_message>(tokens.authenticate).value();
  EXPECT_TRUE(message.encrypted_session_key.empty());
  EXPECT_EQ(to_hex(client->session_key()), to_hex(server.session_key));
  EXPECT_NE(to_hex(client->session_key()), std::string(32, '5'));
}

TEST(NtlmClient, IsNotBelievedWithAnotherPasswordUserOrChallenge) {
  const auto refused = [](auto change) {
    const auto client = sample_ntlm();
    ntlm_server server;
    const auto tokens = run(*client, server);
    change(server);
    return !server.accept(tokens.authenticate);
  };
  EXPECT_TRUE(refused([](ntlm_server& s) { s.password = "password1"; }));
  EXPECT_TRUE(refused([](ntlm_server& s) { s.user = "user2"; }));
  EXPECT_TRUE(refused([](ntlm_server& s) { s.challenge[0] ^= std::byte{1}; }));
  EXPECT_TRUE(refused([](ntlm_server& s) { s.negotiate_bytes[12] ^= std::byte{1}; }));
  EXPECT_TRUE(refused([](ntlm_server& s) { s.challenge_bytes[20] ^= std::byte{1}; }));
  EXPECT_FALSE(refused([](ntlm_server&) {}));
}

TEST(NtlmClient, ItsMicCoversEveryByteOfAuthenticate) {
  const auto client = sample_ntlm();
  ntlm_server server;
  const auto tokens = run(*client, server);

  for (std::size_t at = 0; at < tokens.authenticate.size(); ++at) {
    auto bad = tokens.authenticate;
    bad[at] ^= std::byte{0x80};
    EXPECT_FALSE(server.accept(bad)) << at;
  }
  EXPECT_TRUE(server.accept(tokens.authenticate)) << server.wrong;
}

TEST(NtlmClient, TakesNamesAndPasswordsInUtf8) {
  credentials who{.user = "jörg", .password = "pä55wörd €😀", .domain = "BÜRO"};
  const auto client = sample_ntlm(who, "größe.example");
  ntlm_server server{.user = "JÖRG", .domain = "BÜRO", .password = "pä55wörd €😀"};

  const auto tokens = run(*client, server);

  EXPECT_TRUE(server.accept(tokens.authenticate)) << server.wrong;
}

TEST(NtlmClient, RefusesWeakChallenges) {
  for (const u32 missing :
       {ntlm_flag::unicode, ntlm_flag::extended_session_security, ntlm_flag::target_info}) {
    ntlm_server server;
    server.flags &= ~missing;
    EXPECT_EQ(error_after_challenge(server), errc::weak_challenge);
  }
}

TEST(NtlmClient, RefusesEveryTruncatedChallenge) {
  ntlm_server server;
  const auto challenge = server.answer_negotiate({});
  for (std::size_t n = 0; n < challenge.size(); ++n) {
    const auto client = sample_ntlm();
    ASSERT_TRUE(client->step({}).has_value());
    const auto result = client->step(bytes(challenge).first(n));
    ASSERT_FALSE(result.has_value()) << n;
    EXPECT_EQ(error_of(result), errc::malformed_token);
    EXPECT_FALSE(client->complete());
  }
}

TEST(NtlmClient, RefusesATimeThatIsNotEightBytes) {
  for (const std::size_t n : {1u, 7u, 9u}) {
    ntlm_server server;
    server.timestamp = byte_string(n, std::byte{1});
    EXPECT_EQ(error_after_challenge(server), errc::malformed_token);
  }
}

TEST(NtlmClient, RefusesATargetInfoBeyondItsLimit) {
  ntlm_server server;
  server.target_name = byte_string(target_info_bytes_max / 2 - 64, std::byte{0x41});
  EXPECT_EQ(error_after_challenge(server), std::error_code());
  server.target_name = byte_string(target_info_bytes_max / 2, std::byte{0x41});
  EXPECT_EQ(error_after_challenge(server), errc::malformed_token);
}

TEST(NtlmClient, RefusesTokensOutOfTurn) {
  const auto eager = sample_ntlm();
  EXPECT_EQ(error_of(eager->step(hex("00"))), errc::unexpected_token);

  const auto client = sample_ntlm();
  ntlm_server server;
  const auto tokens = run(*client, server);
  EXPECT_EQ(error_of(client->step(tokens.challenge)), errc::unexpected_token);
}

TEST(NtlmClient, IsAnonymousOnlyWhenAsked) {
  const auto made = ntlm_client::create(algorithms(), {}, "server", sample_inputs);
  ASSERT_FALSE(made.has_value());
  EXPECT_EQ(error_of(made), errc::no_user);

  const auto client = sample_ntlm({.user = "ignored", .password = "ignored", .anonymous = true});
  ntlm_server server;
  const auto tokens = run(*client, server);

  const auto message = decode_ntlm<authenticate_message>(tokens.authenticate).value();
  EXPECT_TRUE(message.user.empty());
  EXPECT_TRUE(message.nt_response.empty());
  EXPECT_EQ(to_hex(message.lm_response), "00");
  EXPECT_TRUE(message.encrypted_session_key.empty());
  EXPECT_NE(message.flags & ntlm_flag::anonymous, 0u);
  EXPECT_EQ(message.flags & ntlm_flag::key_exchange, 0u);
  EXPECT_TRUE(client->complete());
  EXPECT_TRUE(client->session_key().empty());
  EXPECT_FALSE(client->has_integrity());
  EXPECT_TRUE(client->sign({}).empty());
  EXPECT_FALSE(client->verify({}, {}));
}

TEST(NtlmClient, RefusesNamesThatItCannotSend) {
  const auto refusal_of = [](const credentials& who, std::string_view server = "server") {
    return error_of(ntlm_client::create(algorithms(), who, server, sample_inputs));
  };
  const std::string fits(ntlm_name_bytes_max / 2, 'x'), too_long(ntlm_name_bytes_max / 2 + 1, 'x');

  EXPECT_EQ(refusal_of({.user = "\xFF"}), errc::not_utf8);
  EXPECT_EQ(refusal_of({.user = "u", .password = "\xC3"}), errc::not_utf8);
  EXPECT_EQ(refusal_of({.user = "u", .domain = "\xED\xA0\x80"}), errc::not_utf8);
  EXPECT_EQ(refusal_of({.user = "u"}, "\x80"), errc::not_utf8);
  EXPECT_EQ(refusal_of({.user = fits}), std::error_code());
  EXPECT_EQ(refusal_of({.user = too_long}), errc::too_long);
  EXPECT_EQ(refusal_of({.user = "u", .domain = too_long}), errc::too_long);
  EXPECT_EQ(refusal_of({.user = "u", .workstation = too_long}), errc::too_long);
  EXPECT_EQ(refusal_of({.user = "u"}, fits), errc::too_long); // "cifs/" comes before it
  EXPECT_EQ(refusal_of({.user = "u", .password = std::string(5000, 'p')}), std::error_code());
}

TEST(NtlmClient, SaysTheSamePairsAsSmbclientDoes) {
  // smbclient 4.17 sends one pair more, MsvAvSingleHost, which only servers on the same machine
  // read; all else of its AUTHENTICATE is the same.
  const auto& session = vectors::captured().at("sessions").at(4);
  const auto message_at = [&](std::size_t i) {
    return hex(session.at("messages").at(i).get<std::string>());
  };
  const auto challenge_frame = message_at(3), authenticate_frame = message_at(4);
  const auto challenge_resp =
      decode_spnego<neg_token_resp>(security_buffer(challenge_frame)).value();
  const auto theirs_resp =
      decode_spnego<neg_token_resp>(security_buffer(authenticate_frame)).value();
  const auto theirs = decode_ntlm<authenticate_message>(*theirs_resp.response_token).value();
  const auto their_temp = decode_client_challenge(theirs.nt_response.subspan(16)).value();
  auto their_pairs = decode_av_pairs(their_temp.av_pairs).value();
  ASSERT_EQ(std::erase_if(their_pairs, [](auto& p) { return p.id == av_id::single_host; }), 1u);

  const credentials who{.user = vectors::captured().at("user"),
                        .password = vectors::captured().at("password"),
                        .domain = vectors::captured().at("domain"),
                        .workstation = "VM"};
  const auto client = ntlm_client::create(algorithms(), who, "127.0.0.1",
                                          {.client_challenge = their_temp.challenge,
                                           .session_key = sample_inputs.session_key})
                          .value();
  ASSERT_TRUE(client->step({}).has_value());
  const auto token = client->step(*challenge_resp.response_token).value();
  const auto ours = decode_ntlm<authenticate_message>(token).value();
  const auto our_temp = decode_client_challenge(ours.nt_response.subspan(16)).value();
  const auto our_pairs = decode_av_pairs(our_temp.av_pairs).value();

  ASSERT_EQ(our_pairs.size(), their_pairs.size());
  for (std::size_t i = 0; i < our_pairs.size(); ++i) {
    EXPECT_EQ(our_pairs[i].id, their_pairs[i].id);
    EXPECT_EQ(to_hex(our_pairs[i].value), to_hex(their_pairs[i].value));
  }
  EXPECT_EQ(our_temp.timestamp, their_temp.timestamp);
  // Samba does not repeat the target_info flag of the challenge, Windows does, and so do we.
  EXPECT_EQ(ours.flags, theirs.flags | ntlm_flag::target_info);
  EXPECT_EQ(to_hex(ours.user), to_hex(theirs.user));
  EXPECT_EQ(to_hex(ours.domain), to_hex(theirs.domain));
  EXPECT_EQ(to_hex(ours.workstation), to_hex(theirs.workstation));
  EXPECT_EQ(to_hex(ours.lm_response), to_hex(theirs.lm_response));
  EXPECT_EQ(ours.mic.has_value(), theirs.mic.has_value());
}

TEST(NtlmAuthenticator, IsReadyToUseAndNeverTheSameTwice) {
  const auto token = [] {
    auto made = make_ntlm_authenticator(sample_user(), "server", 0).value();
    spnego_server server;
    const auto first = server.first(made->step({}).value());
    const auto second = made->step(first).value();
    const auto last = server.last(second);
    EXPECT_TRUE(server.accepted) << server.ntlm.wrong;
    EXPECT_EQ(made->step(last).value().size(), 0u);
    EXPECT_TRUE(made->done());
    return to_hex(made->session_key());
  };
  EXPECT_NE(token(), token());
}

} // namespace
