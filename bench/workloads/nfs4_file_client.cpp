#include "bench/workloads/clients.hpp"

#include "nfs/v4/client.hpp"
#include "rpc/gss_krb5.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace bench::detail {

namespace {

using wire::net::awaitable;
namespace v4 = nfs::v4;

constexpr wire::u32 file_mode = 0666;
constexpr wire::u32 folder_mode = 0777;

std::unexpected<failure> failed(const rpc::error& error) {
  return std::unexpected(failure(error.text));
}

template <class T>
result<void> first_failure(const std::vector<std::expected<T, rpc::error>>& results) {
  for (const auto& one : results)
    if (!one) return failed(one.error());
  return {};
}

/// Minimal: write is OPEN (which makes or empties the file), WRITE (FILE_SYNC), CLOSE; read is
/// OPEN, READ, CLOSE; remove is REMOVE; each in a COMPOUND of its own behind SEQUENCE and PUTFH.
/// Compound: the same in one COMPOUND a file, on the current stateid.
class nfs4_file_client final : public file_client {
 public:
  nfs4_file_client(v4::client client, nfs::security sec, recipe how)
      : client_(std::move(client)), folder_(client_.root()), security_(sec), recipe_(how) {}

  awaitable<result<void>> make_folder(std::string name) override {
    auto made = co_await client_.mkdir(client_.root(), name, folder_mode);
    if (!made) co_return failed(made.error());
    folder_ = *made;
    folder_name_ = std::move(name);
    co_return result<void>();
  }

  awaitable<result<void>> remove_folder() override {
    auto removed = co_await client_.remove(client_.root(), folder_name_);
    if (!removed) co_return failed(removed.error());
    folder_ = client_.root();
    co_return result<void>();
  }

  awaitable<result<void>> write_file(std::string name, wire::bytes data) override {
    if (recipe_ == recipe::compound) {
      auto written = co_await client_.write_file(folder_, std::move(name), file_mode, data);
      if (!written) co_return failed(written.error());
      co_return result<void>();
    }
    auto file = co_await client_.create(folder_, std::move(name), file_mode);
    if (!file) co_return failed(file.error());
    auto written = co_await client_.write(*file, 0, data);
    auto closed = co_await client_.close(*file);
    if (!written) co_return failed(written.error());
    if (!closed) co_return failed(closed.error());
    co_return result<void>();
  }

  awaitable<result<std::size_t>> read_file(std::string name, std::span<std::byte> into) override {
    if (recipe_ == recipe::compound) {
      auto read = co_await client_.read_file(folder_, std::move(name), into);
      if (!read) co_return failed(read.error());
      co_return static_cast<std::size_t>(read->bytes);
    }
    auto file = co_await client_.open(folder_, std::move(name));
    if (!file) co_return failed(file.error());
    auto read = co_await client_.read(*file, 0, into);
    auto closed = co_await client_.close(*file);
    if (!read) co_return failed(read.error());
    if (!closed) co_return failed(closed.error());
    co_return static_cast<std::size_t>(*read);
  }

  awaitable<result<void>> remove_file(std::string name) override {
    auto removed = co_await client_.remove(folder_, std::move(name));
    if (!removed) co_return failed(removed.error());
    co_return result<void>();
  }

  awaitable<result<void>> write_files(std::vector<file_to_write> files) override {
    if (recipe_ != recipe::compound) {
      auto done = co_await file_client::write_files(std::move(files));
      co_return done;
    }
    std::vector<v4::file_to_write> all;
    for (auto& file : files)
      all.push_back({std::move(file.name), file.data});
    auto written = co_await client_.write_files(folder_, file_mode, std::move(all));
    co_return first_failure(written);
  }

  awaitable<result<void>> read_files(std::vector<file_to_read> files) override {
    if (recipe_ != recipe::compound) {
      auto done = co_await file_client::read_files(std::move(files));
      co_return done;
    }
    std::vector<v4::file_to_read> all;
    for (const auto& file : files)
      all.push_back({file.name, file.into});
    auto read = co_await client_.read_files(folder_, std::move(all));
    for (std::size_t i = 0; i < read.size(); ++i)
      if (read[i] && read[i]->bytes != files[i].into.size())
        co_return std::unexpected(
            wrong_length(files[i].name, files[i].into.size(), read[i]->bytes));
    co_return first_failure(read);
  }

  awaitable<result<void>> remove_files(std::vector<std::string> names) override {
    if (recipe_ != recipe::compound) {
      auto done = co_await file_client::remove_files(std::move(names));
      co_return done;
    }
    auto removed = co_await client_.remove_files(folder_, std::move(names));
    co_return first_failure(removed);
  }

  awaitable<result<void>> close() override {
    auto closed = co_await client_.close();
    if (!closed) co_return failed(closed.error());
    co_return result<void>();
  }

  [[nodiscard]] std::string protocol() const override {
    return fmt::format("nfs4.{}", client_.session().minor_version());
  }

  [[nodiscard]] nlohmann::ordered_json settings() const override {
    const auto& facts = client_.session().facts();
    nlohmann::ordered_json out;
    out["transport"] = "tcp";
    out["auth"] = nfs::to_string(security_);
    out["rsize"] = client_.limits().rsize;
    out["wsize"] = client_.limits().wsize;
    out["slots"] = client_.session().slots().usable();
    out["maxoperations"] = facts.fore.maxoperations;
    out["recipe"] = bench::name_of(recipe_);
    out["durability"] = "each file is on stable storage when its write returns (FILE_SYNC)";
    return out;
  }

  [[nodiscard]] std::optional<wire::nanos> round_trip_min() const override {
    return client_.session().connection().round_trip_min();
  }

  [[nodiscard]] wire::u16 local_port() const override {
    return client_.session().connection().local_endpoint().port();
  }

 private:
  v4::client client_;
  v4::file_handle folder_;
  std::string folder_name_;
  nfs::security security_;
  recipe recipe_;
};

} // namespace

awaitable<result<std::unique_ptr<file_client>>> connect_nfs4(nfs::url url, recipe how,
                                                             wire::exchange_sink* sink) {
  v4::session_settings settings;
  settings.minor_version = url.minor_version;
  settings.sink = sink;
  settings.kerberos = rpc::krb5_source("nfs");
  const auto security = url.sec;
  auto client = co_await v4::client::connect(std::move(url), settings);
  if (!client) co_return failed(client.error());
  std::unique_ptr<file_client> out =
      std::make_unique<nfs4_file_client>(std::move(*client), security, how);
  co_return out;
}

} // namespace bench::detail
