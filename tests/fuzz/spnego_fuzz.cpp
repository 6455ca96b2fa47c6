// Every token of SPNEGO out of arbitrary bytes, and the client against a server that sends them.

#include "smb2/auth/ntlm_client.hpp"
#include "smb2/auth/spnego_client.hpp"

#include <cstdint>
#include <cstdlib>
#include <span>

namespace {

using namespace smb2::auth;

/// What was decoded is encoded to bytes that mean the same.
template <class Token>
void round_trip(smb2::bytes input) {
  const auto decoded = decode_spnego<Token>(input);
  if (!decoded) return;
  const auto once = encode_spnego(*decoded);
  const auto again = decode_spnego<Token>(once);
  if (!again || encode_spnego(*again) != once) std::abort();
}

spnego_client new_client(const legacy& algorithms) {
  const credentials who{.user = "user", .password = "password"};
  std::vector<std::unique_ptr<mechanism>> mechanisms;
  mechanisms.push_back(ntlm_client::create(algorithms, who, "server", {}).value());
  return spnego_client(std::move(mechanisms));
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto input = std::as_bytes(std::span(data, size));
  round_trip<neg_token_init>(input);
  round_trip<neg_token_init2>(input);
  round_trip<neg_token_resp>(input);

  const auto algorithms = legacy::instance();
  if (!algorithms) return 0;
  auto offered = new_client(**algorithms);
  static_cast<void>(offered.step(input));

  auto client = new_client(**algorithms);
  if (!client.step({})) std::abort();
  // Nobody can be accepted who has not shown a challenge first.
  static_cast<void>(client.step(input));
  if (client.done()) std::abort();
  static_cast<void>(client.step(input));
  return 0;
}
