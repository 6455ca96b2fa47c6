#pragma once

#include "wire/bytes.hpp"

#include <gssapi/gssapi_krb5.h>

#include <string>
#include <string_view>

/// What SMB and RPCSEC_GSS share in their use of GSSAPI with Kerberos 5.
namespace wire::krb5 {

/// GSSAPI's own texts and bytes, given back when they go.
class gss_buffer {
 public:
  gss_buffer() = default;
  gss_buffer(const gss_buffer&) = delete;
  gss_buffer& operator=(const gss_buffer&) = delete;
  ~gss_buffer();

  [[nodiscard]] gss_buffer_t out() noexcept { return &buffer_; }
  [[nodiscard]] bytes view() const noexcept {
    return {static_cast<const std::byte*>(buffer_.value), buffer_.length};
  }
  [[nodiscard]] std::string text() const {
    return {static_cast<const char*>(buffer_.value), buffer_.length};
  }

 private:
  gss_buffer_desc buffer_ = GSS_C_EMPTY_BUFFER;
};

/// GSSAPI takes what it only reads without const.
[[nodiscard]] inline gss_buffer_desc lent(bytes data) noexcept {
  return {data.size(), const_cast<std::byte*>(data.data())};
}

class gss_name {
 public:
  gss_name() = default;
  gss_name(const gss_name&) = delete;
  gss_name& operator=(const gss_name&) = delete;
  ~gss_name();

  [[nodiscard]] bool import(const std::string& text, gss_OID type);
  /// The service of that name on a server. The error is a sentence; empty: done.
  [[nodiscard]] std::string import_service(std::string_view service, const std::string& server);
  [[nodiscard]] gss_name_t get() const noexcept { return name_; }

 private:
  gss_name_t name_ = GSS_C_NO_NAME;
};

/// What went wrong in getting to `service` ("cifs", "nfs"), and what to do about it.
[[nodiscard]] std::string sentence(OM_uint32 major, OM_uint32 minor, std::string_view service);

/// Whether this is an IPv4 or IPv6 address, for which no KDC has a ticket.
[[nodiscard]] bool is_address(std::string_view server) noexcept;

} // namespace wire::krb5
