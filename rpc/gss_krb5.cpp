#include "rpc/gss_krb5.hpp"

#include "wire/krb5/gssapi.hpp"

#include <gssapi/gssapi_ext.h>

#include <algorithm>
#include <array>
#include <numeric>

namespace rpc {

namespace {

using wire::bytes;
using wire::krb5::gss_buffer;
using wire::krb5::lent;

gss_iov_buffer_desc iov(OM_uint32 type, bytes data = {}) {
  return {type, lent(data)};
}

class krb5_mechanism final : public gss_mechanism {
 public:
  explicit krb5_mechanism(std::string service) : service_(std::move(service)) {}
  krb5_mechanism(const krb5_mechanism&) = delete;
  krb5_mechanism& operator=(const krb5_mechanism&) = delete;
  ~krb5_mechanism() override {
    OM_uint32 minor = 0;
    gss_delete_sec_context(&minor, &context_, GSS_C_NO_BUFFER);
  }

  /// Empty: done.
  [[nodiscard]] std::string prepare(const std::string& server) {
    return server_.import_service(service_, server);
  }

  [[nodiscard]] bool complete() const noexcept override { return complete_; }

  /// Neither replay nor order is GSSAPI's to watch: calls are executed in any order, and the
  /// sequence window of RPCSEC_GSS does the rest.
  [[nodiscard]] std::expected<token, std::string> step(bytes from_server) override {
    auto in = lent(from_server);
    gss_buffer out;
    OM_uint32 minor = 0;
    OM_uint32 flags = 0;
    const auto major = gss_init_sec_context(
        &minor, GSS_C_NO_CREDENTIAL, &context_, server_.get(), gss_mech_krb5,
        GSS_C_MUTUAL_FLAG | GSS_C_INTEG_FLAG | GSS_C_CONF_FLAG, GSS_C_INDEFINITE,
        GSS_C_NO_CHANNEL_BINDINGS, from_server.empty() ? GSS_C_NO_BUFFER : &in, nullptr, out.out(),
        &flags, nullptr);
    if (GSS_ERROR(major)) return std::unexpected(wire::krb5::sentence(major, minor, service_));
    complete_ = major == GSS_S_COMPLETE;
    constexpr OM_uint32 needed = GSS_C_MUTUAL_FLAG | GSS_C_INTEG_FLAG | GSS_C_CONF_FLAG;
    if (complete_ && (flags & needed) != needed)
      return std::unexpected("Kerberos: the context lacks mutual authentication, integrity or "
                             "encryption");
    const auto made = out.view();
    return token(made.begin(), made.end());
  }

  [[nodiscard]] token sign(std::span<const bytes> message) override {
    iovs_.clear();
    for (const auto& piece : message)
      iovs_.push_back(iov(GSS_IOV_BUFFER_TYPE_DATA, piece));
    iovs_.push_back(iov(GSS_IOV_BUFFER_TYPE_MIC_TOKEN | GSS_IOV_BUFFER_FLAG_ALLOCATE));
    OM_uint32 minor = 0;
    const auto major = gss_get_mic_iov(&minor, context_, GSS_C_QOP_DEFAULT, iovs_.data(), count());
    token out;
    if (major == GSS_S_COMPLETE) {
      const auto& mic = iovs_.back().buffer;
      const auto* begin = static_cast<const std::byte*>(mic.value);
      out.assign(begin, begin + mic.length);
    }
    gss_release_iov_buffer(&minor, iovs_.data(), count());
    return out;
  }

  [[nodiscard]] bool verify(bytes message, bytes mic) override {
    auto in = lent(message);
    auto with = lent(mic);
    OM_uint32 minor = 0;
    return gss_verify_mic(&minor, context_, &in, &with, nullptr) == GSS_S_COMPLETE;
  }

  /// Encrypts in the place where the pieces are joined, which is their only copy.
  [[nodiscard]] token seal(std::span<const bytes> message) override {
    const auto size =
        std::accumulate(message.begin(), message.end(), std::size_t{0},
                        [](std::size_t n, const bytes& piece) { return n + piece.size(); });
    std::array parts{iov(GSS_IOV_BUFFER_TYPE_HEADER), iov(GSS_IOV_BUFFER_TYPE_DATA),
                     iov(GSS_IOV_BUFFER_TYPE_PADDING), iov(GSS_IOV_BUFFER_TYPE_TRAILER)};
    parts[1].buffer.length = size;
    OM_uint32 minor = 0;
    int sealed = 0;
    if (gss_wrap_iov_length(&minor, context_, 1, GSS_C_QOP_DEFAULT, &sealed, parts.data(),
                            static_cast<int>(parts.size())) != GSS_S_COMPLETE)
      return {};
    token out(std::accumulate(
        parts.begin(), parts.end(), std::size_t{0},
        [](std::size_t n, const gss_iov_buffer_desc& part) { return n + part.buffer.length; }));
    auto* at = out.data();
    for (auto& part : parts) {
      part.buffer.value = at;
      at += part.buffer.length;
    }
    at = static_cast<std::byte*>(parts[1].buffer.value);
    for (const auto& piece : message)
      at = std::ranges::copy(piece, at).out;
    if (gss_wrap_iov(&minor, context_, 1, GSS_C_QOP_DEFAULT, &sealed, parts.data(),
                     static_cast<int>(parts.size())) != GSS_S_COMPLETE ||
        sealed == 0)
      return {};
    return out;
  }

  [[nodiscard]] std::optional<bytes> open(token& sealed) override {
    std::array parts{iov(GSS_IOV_BUFFER_TYPE_STREAM, sealed), iov(GSS_IOV_BUFFER_TYPE_DATA)};
    OM_uint32 minor = 0;
    int encrypted = 0;
    gss_qop_t qop = GSS_C_QOP_DEFAULT;
    if (gss_unwrap_iov(&minor, context_, &encrypted, &qop, parts.data(),
                       static_cast<int>(parts.size())) != GSS_S_COMPLETE ||
        encrypted == 0)
      return std::nullopt;
    const auto& plain = parts[1].buffer;
    return bytes(static_cast<const std::byte*>(plain.value), plain.length);
  }

 private:
  [[nodiscard]] int count() const noexcept { return static_cast<int>(iovs_.size()); }

  std::string service_;
  wire::krb5::gss_name server_;
  gss_ctx_id_t context_ = GSS_C_NO_CONTEXT;
  bool complete_ = false;
  std::vector<gss_iov_buffer_desc> iovs_;
};

} // namespace

gss_source krb5_source(std::string_view service, const std::string& server) {
  return [service = std::string(service),
          server]() -> std::expected<std::unique_ptr<gss_mechanism>, std::string> {
    auto out = std::make_unique<krb5_mechanism>(service);
    if (auto wrong = out->prepare(server); !wrong.empty()) return std::unexpected(std::move(wrong));
    return out;
  };
}

gss_source_of_server krb5_source(std::string service) {
  return [service = std::move(service)](const std::string& server) {
    return krb5_source(service, server);
  };
}

} // namespace rpc
