#include "smb2/policy.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace smb2 {

namespace {

const std::vector<dialect> all_dialects{dialect::smb_2_0_2, dialect::smb_2_1, dialect::smb_3_0,
                                        dialect::smb_3_0_2, dialect::smb_3_1_1};
const std::vector<signing_algorithm> all_algorithms{
    signing_algorithm::aes_gmac, signing_algorithm::aes_cmac, signing_algorithm::hmac_sha256};

bool signs_with(dialect revision, signing_algorithm algorithm) {
  if (revision >= dialect::smb_3_1_1) return true;
  return algorithm == (revision >= dialect::smb_3_0 ? signing_algorithm::aes_cmac
                                                    : signing_algorithm::hmac_sha256);
}

bool seals_with(dialect revision, cipher chosen) {
  if (revision >= dialect::smb_3_1_1) return true;
  return revision >= dialect::smb_3_0 && chosen == cipher::aes_128_ccm;
}

std::string wrong_login(const session_options& options) {
  const bool anonymous = options.sec == login::anonymous;
  if (!anonymous && options.sec != login::guest) return {};
  const auto who = anonymous ? "anonymous" : "a guest";
  if (options.sign == signing_policy::required)
    return fmt::format("who is {} has no key to sign with, and signing is required", who);
  if (options.seal == sealing_policy::required)
    return fmt::format("who is {} has no key to seal with, and sealing is required", who);
  return {};
}

std::string wrong_algorithm(const session_options& options, const std::vector<dialect>& dialects) {
  const auto& wanted = options.signing_algorithms;
  if (wanted.empty()) return {};
  const auto fits = [&](dialect d) {
    return std::ranges::any_of(wanted, [d](auto one) { return signs_with(d, one); });
  };
  const auto lacking = std::ranges::find_if_not(dialects, fits);
  if (lacking == dialects.end()) return {};
  return fmt::format("dialect {} does not sign with {}", to_string(*lacking),
                     to_string(wanted.front()));
}

std::string wrong_cipher(const session_options& options, const std::vector<dialect>& dialects) {
  if (options.seal != sealing_policy::required) return {};
  const auto best = dialects.back();
  if (best < dialect::smb_3_0)
    return fmt::format("dialect {} cannot seal, and sealing is required", to_string(best));
  const auto& wanted = options.ciphers;
  const bool any = std::ranges::any_of(wanted, [&](auto one) { return seals_with(best, one); });
  if (wanted.empty() || any) return {};
  return fmt::format("dialect {} does not seal with {}", to_string(best),
                     to_string(wanted.front()));
}

} // namespace

std::vector<dialect> dialects_of(const session_options& options) {
  if (options.dialect) return {*options.dialect};
  auto out = options.dialects.empty() ? all_dialects : options.dialects;
  std::ranges::sort(out);
  const auto doubles = std::ranges::unique(out);
  out.erase(doubles.begin(), doubles.end());
  return out;
}

const std::vector<signing_algorithm>& algorithms_of(const session_options& options) {
  return options.signing_algorithms.empty() ? all_algorithms : options.signing_algorithms;
}

std::string contradiction_in(const session_options& options) {
  if (auto wrong = wrong_login(options); !wrong.empty()) return wrong;
  const auto dialects = dialects_of(options);
  if (auto wrong = wrong_algorithm(options, dialects); !wrong.empty()) return wrong;
  if (auto wrong = wrong_cipher(options, dialects); !wrong.empty()) return wrong;
  if (!options.compression.empty() && dialects.back() < dialect::smb_3_1_1)
    return fmt::format("dialect {} does not compress", to_string(dialects.back()));
  return {};
}

const std::vector<compression_algorithm>& compression_algorithms() {
  using enum compression_algorithm;
  static const std::vector all{lz4, lz77, lz77_huffman, lznt1, pattern_v1};
  return all;
}

std::string_view to_string(signing_algorithm algorithm) noexcept {
  switch (algorithm) {
  case signing_algorithm::hmac_sha256:
    return "hmac-sha256";
  case signing_algorithm::aes_cmac:
    return "aes-cmac";
  case signing_algorithm::aes_gmac:
    return "aes-gmac";
  }
  return "unknown";
}

std::string_view to_string(cipher chosen) noexcept {
  switch (chosen) {
  case cipher::none:
    return "none";
  case cipher::aes_128_ccm:
    return "aes-128-ccm";
  case cipher::aes_128_gcm:
    return "aes-128-gcm";
  case cipher::aes_256_ccm:
    return "aes-256-ccm";
  case cipher::aes_256_gcm:
    return "aes-256-gcm";
  }
  return "unknown";
}

std::string_view to_string(compression_algorithm algorithm) noexcept {
  switch (algorithm) {
  case compression_algorithm::none:
    return "none";
  case compression_algorithm::lznt1:
    return "lznt1";
  case compression_algorithm::lz77:
    return "lz77";
  case compression_algorithm::lz77_huffman:
    return "lz77-huffman";
  case compression_algorithm::pattern_v1:
    return "pattern-v1";
  case compression_algorithm::lz4:
    return "lz4";
  }
  return "unknown";
}

} // namespace smb2
