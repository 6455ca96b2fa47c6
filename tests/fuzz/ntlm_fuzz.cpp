// The three messages of NTLM out of arbitrary bytes, their AV pairs, and the client's answer to an
// arbitrary challenge.

#include "smb2/auth/ntlm_client.hpp"

#include <cstdint>
#include <cstdlib>
#include <span>

namespace {

using namespace smb2::auth;

/// What was decoded is encoded to bytes that mean the same, even where its names overlapped.
template <class Message>
void round_trip(smb2::bytes input) {
  const auto decoded = decode_ntlm<Message>(input);
  if (!decoded) return;
  const auto once = encode_ntlm(*decoded);
  const auto again = decode_ntlm<Message>(once);
  if (!again || encode_ntlm(*again) != once) std::abort();
}

void pairs_round_trip(smb2::bytes input) {
  const auto pairs = decode_av_pairs(input);
  if (!pairs) return;
  const auto once = encode_av_pairs(*pairs);
  const auto again = decode_av_pairs(once);
  if (!again || encode_av_pairs(*again) != once) std::abort();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto input = std::as_bytes(std::span(data, size));
  round_trip<negotiate_message>(input);
  round_trip<challenge_message>(input);
  round_trip<authenticate_message>(input);
  pairs_round_trip(input);
  static_cast<void>(decode_client_challenge(input));

  const auto algorithms = legacy::instance();
  if (!algorithms) return 0;
  const credentials who{.user = "user", .password = "password"};
  const auto client = ntlm_client::create(**algorithms, who, "server", {}).value();
  if (!client->step({})) std::abort();
  const auto answer = client->step(input);
  if (client->complete() != answer.has_value()) std::abort();
  if (answer && !decode_ntlm<authenticate_message>(*answer)) std::abort();
  return 0;
}
