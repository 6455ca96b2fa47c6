// What signing and checking costs per message: header and body in two pieces, as the client sends.
#include "smb2/crypto/preauth.hpp"
#include "smb2/crypto/signer.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <vector>

namespace {

using smb2::signing_algorithm;

std::vector<std::byte> message_of(std::size_t size) {
  std::vector<std::byte> message(size);
  for (std::size_t i = 0; i < size; ++i)
    message[i] = static_cast<std::byte>(i * 7);
  return message;
}

std::unique_ptr<smb2::message_signer> signer_of(signing_algorithm algorithm) {
  smb2::crypto::key_128 key;
  key.fill(std::byte{0x5A});
  return smb2::crypto::make_signer(algorithm, key);
}

void smb2_sign(benchmark::State& state, signing_algorithm algorithm) {
  const auto message = message_of(static_cast<std::size_t>(state.range(0)));
  const wire::bytes pieces[] = {wire::bytes(message).first(112), wire::bytes(message).subspan(112)};
  const auto signer = signer_of(algorithm);
  smb2::u64 message_id = 0;
  for (auto _ : state)
    benchmark::DoNotOptimize(signer->sign(pieces, {.message_id = ++message_id}));
  state.SetBytesProcessed(state.iterations() * state.range(0));
}

void smb2_verify(benchmark::State& state, signing_algorithm algorithm) {
  auto message = message_of(static_cast<std::size_t>(state.range(0)));
  const auto signature = std::span(message).subspan(48, 16);
  std::ranges::fill(signature, std::byte{});
  const auto signer = signer_of(algorithm);
  const wire::bytes whole = message;
  const smb2::signing_input input{wire::load_le<smb2::u64>(message.data() + 24),
                                  (message[16] & std::byte{1}) != std::byte{}, false};
  std::ranges::copy(signer->sign(std::span(&whole, 1), input), signature.begin());
  for (auto _ : state) {
    if (!smb2::crypto::verify(*signer, message))
      state.SkipWithError("a good signature was refused");
  }
  state.SetBytesProcessed(state.iterations() * state.range(0));
}

void smb2_preauth(benchmark::State& state) {
  const auto message = message_of(static_cast<std::size_t>(state.range(0)));
  const wire::bytes whole = message;
  smb2::crypto::preauth_sha512 hash;
  for (auto _ : state)
    hash.update(std::span(&whole, 1));
  benchmark::DoNotOptimize(hash.value());
  state.SetBytesProcessed(state.iterations() * state.range(0));
}

void sizes(benchmark::internal::Benchmark* bench) {
  for (const auto size : {200, 4096, 65536, 1048576})
    bench->Arg(size);
}

BENCHMARK_CAPTURE(smb2_sign, hmac_sha256, signing_algorithm::hmac_sha256)->Apply(sizes);
BENCHMARK_CAPTURE(smb2_sign, aes_cmac, signing_algorithm::aes_cmac)->Apply(sizes);
BENCHMARK_CAPTURE(smb2_sign, aes_gmac, signing_algorithm::aes_gmac)->Apply(sizes);
BENCHMARK_CAPTURE(smb2_verify, hmac_sha256, signing_algorithm::hmac_sha256)->Apply(sizes);
BENCHMARK_CAPTURE(smb2_verify, aes_cmac, signing_algorithm::aes_cmac)->Apply(sizes);
BENCHMARK_CAPTURE(smb2_verify, aes_gmac, signing_algorithm::aes_gmac)->Apply(sizes);
BENCHMARK(smb2_preauth)->Arg(512);

} // namespace
