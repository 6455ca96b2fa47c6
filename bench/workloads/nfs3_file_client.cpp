#include "bench/workloads/clients.hpp"

#include "nfs/v3/client.hpp"
#include "rpc/gss_krb5.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace bench::detail {

namespace {

using wire::net::awaitable;

template <class T>
using error_of = std::expected<T, rpc::error>;

std::unexpected<failure> failed(const rpc::error& error) {
  return std::unexpected(failure(error.text));
}

/// The shortest sequences of NFSv3 that are correct: write is CREATE (UNCHECKED) and WRITE
/// (FILE_SYNC, so that no COMMIT is due), or UNSTABLE WRITEs and a COMMIT above wsize; read is
/// LOOKUP and READ; remove is REMOVE. The handle of the folder is kept, as every client does.
class nfs3_file_client final : public file_client {
 public:
  explicit nfs3_file_client(nfs::v3::client client)
      : client_(std::move(client)), folder_(client_.root()) {}

  awaitable<result<void>> make_folder(std::string name) override {
    nfs::v3::sattr3 attributes;
    attributes.mode = 0777;
    auto made = co_await client_.mkdir(client_.root(), name, attributes);
    if (!made) co_return failed(made.error());
    folder_ = made->handle;
    folder_name_ = std::move(name);
    co_return result<void>();
  }

  awaitable<result<void>> remove_folder() override {
    auto removed = co_await client_.rmdir(client_.root(), folder_name_);
    if (!removed) co_return failed(removed.error());
    folder_ = client_.root();
    co_return result<void>();
  }

  awaitable<result<void>> write_file(std::string name, wire::bytes data) override {
    nfs::v3::sattr3 attributes;
    attributes.mode = 0666;
    auto made = co_await client_.create(folder_, std::move(name), attributes);
    if (!made) co_return failed(made.error());
    auto written = co_await client_.write_file(made->handle, data);
    if (!written) co_return failed(written.error());
    co_return result<void>();
  }

  awaitable<result<std::size_t>> read_file(std::string name, std::span<std::byte> into) override {
    auto found = co_await client_.lookup(folder_, std::move(name));
    if (!found) co_return failed(found.error());
    auto read = co_await client_.read_file(found->handle, into);
    if (!read) co_return failed(read.error());
    co_return static_cast<std::size_t>(read->bytes);
  }

  awaitable<result<void>> remove_file(std::string name) override {
    auto removed = co_await client_.remove(folder_, std::move(name));
    if (!removed) co_return failed(removed.error());
    co_return result<void>();
  }

  awaitable<result<void>> close() override {
    auto closed = co_await client_.close();
    if (!closed) co_return failed(closed.error());
    co_return result<void>();
  }

  [[nodiscard]] std::string protocol() const override { return "nfs3"; }

  [[nodiscard]] nlohmann::ordered_json settings() const override {
    nlohmann::ordered_json out;
    out["transport"] = client_.where().transport == rpc::transport::udp ? "udp" : "tcp";
    out["auth"] = to_string(client_.where().sec);
    out["rsize"] = client_.limits().rsize;
    out["wsize"] = client_.limits().wsize;
    out["recipe"] = "minimal";
    const auto whole = client_.connection().unfragmented_bytes_max();
    if (whole && std::max(client_.limits().rsize, client_.limits().wsize) > *whole)
      out["fragments"] = fmt::format("messages of more than {} bytes go in IP fragments, of which "
                                     "one lost loses all",
                                     *whole);
    out["durability"] = "each file is on stable storage when its write returns (FILE_SYNC)";
    return out;
  }

  [[nodiscard]] nlohmann::ordered_json datagrams() const override {
    if (client_.where().transport != rpc::transport::udp) return nullptr;
    const auto& counts = client_.connection().counters();
    nlohmann::ordered_json out;
    out["retransmissions"] = counts.retransmissions;
    out["duplicate_replies"] = counts.duplicate_replies;
    out["late_replies"] = counts.late_replies;
    out["fragmented"] = counts.fragmented_datagrams;
    return out;
  }

  [[nodiscard]] std::optional<wire::nanos> round_trip_min() const override {
    return client_.connection().round_trip_min();
  }

  [[nodiscard]] wire::u16 local_port() const override {
    return client_.connection().local_endpoint().port();
  }

 private:
  nfs::v3::client client_;
  nfs::v3::file_handle folder_;
  std::string folder_name_;
};

} // namespace

awaitable<result<std::unique_ptr<file_client>>> connect_nfs3(nfs::url url,
                                                             wire::exchange_sink* sink) {
  nfs::v3::client_settings settings;
  settings.sink = sink;
  settings.kerberos = rpc::krb5_source("nfs");
  auto client = co_await nfs::v3::client::connect(url, settings);
  if (!client) co_return failed(client.error());
  std::unique_ptr<file_client> out = std::make_unique<nfs3_file_client>(std::move(*client));
  co_return out;
}

} // namespace bench::detail
