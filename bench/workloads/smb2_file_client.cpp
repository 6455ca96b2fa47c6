#include "bench/workloads/clients.hpp"

#include "smb2/auth/kerberos_client.hpp"
#include "smb2/one_round_trip.hpp"
#include "smb2/policy.hpp"
#include "smb2/session.hpp"
#include "smb2/tree.hpp"
#include "smb2/url.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace bench::detail {

namespace {

using wire::net::awaitable;

std::unexpected<failure> failed(const smb2::error& error) {
  return std::unexpected(failure(error.text));
}

std::string_view name_of(smb2::login how) noexcept {
  switch (how) {
  case smb2::login::ntlm:
  case smb2::login::guest:
    return "ntlmv2";
  case smb2::login::kerberos:
    return "krb5";
  case smb2::login::anonymous:
    return "anonymous";
  }
  return "unknown";
}

smb2::transfer_options chunks_of(std::optional<wire::u32> size) {
  smb2::transfer_options out;
  out.chunk_bytes = size.value_or(0);
  return out;
}

/// Minimal: write is CREATE, WRITE, CLOSE; read is CREATE (which tells the size), READ, CLOSE;
/// remove is CREATE with DELETE_ON_CLOSE, CLOSE. Compound: the same in one frame.
class smb2_file_client final : public file_client {
 public:
  smb2_file_client(smb2::session session, smb2::tree tree, std::string base, const target& where)
      : session_(std::move(session)), tree_(std::move(tree)), base_(std::move(base)),
        recipe_(where.recipe), read_(chunks_of(where.rsize)), write_(chunks_of(where.wsize)) {}

  awaitable<result<void>> make_folder(std::string name) override {
    folder_ = base_.empty() ? name : base_ + "/" + name;
    auto made = co_await tree_.make_directory(folder_);
    if (!made) co_return failed(made.error());
    co_return result<void>();
  }

  awaitable<result<void>> remove_folder() override {
    auto removed = co_await tree_.remove_directory(folder_);
    if (!removed) co_return failed(removed.error());
    co_return result<void>();
  }

  awaitable<result<void>> write_file(std::string name, wire::bytes data) override {
    return recipe_ == recipe::compound ? write_in_one(path_of(name), data)
                                       : write_in_turn(path_of(name), data);
  }

  awaitable<result<std::size_t>> read_file(std::string name, std::span<std::byte> into) override {
    return recipe_ == recipe::compound ? read_in_one(path_of(name), into)
                                       : read_in_turn(path_of(name), into);
  }

  awaitable<result<void>> remove_file(std::string name) override {
    std::expected<void, smb2::error> removed;
    if (recipe_ == recipe::compound)
      removed = co_await smb2::one_round_trip::remove(tree_, path_of(name));
    else
      removed = co_await tree_.remove(path_of(name));
    if (!removed) co_return failed(removed.error());
    co_return result<void>();
  }

  awaitable<result<void>> close() override {
    auto disconnected = co_await tree_.disconnect();
    auto ended = co_await session_.logoff();
    if (!disconnected) co_return failed(disconnected.error());
    if (!ended) co_return failed(ended.error());
    co_return result<void>();
  }

  [[nodiscard]] std::string protocol() const override { return "smb2"; }

  [[nodiscard]] nlohmann::ordered_json settings() const override {
    const auto& facts = session_.facts();
    nlohmann::ordered_json out;
    out["dialect"] = smb2::to_string(facts.dialect);
    const auto how = session_.state()->options.sec;
    const bool guest = facts.guest && how != smb2::login::anonymous;
    out["auth"] = guest ? "guest" : name_of(how);
    out["signed"] = facts.signs;
    if (facts.signs) out["signing_algorithm"] = smb2::to_string(facts.algorithm);
    out["sealed"] = tree_.state()->options.sealer != nullptr;
    out["rsize"] = read_.chunk_bytes != 0 ? read_.chunk_bytes : facts.max_read_size;
    out["wsize"] = write_.chunk_bytes != 0 ? write_.chunk_bytes : facts.max_write_size;
    out["recipe"] = bench::name_of(recipe_);
    if (facts.related_compounds) out["related_compounds"] = *facts.related_compounds;
    out["durability"] = "files are in the server's memory when their write returns (no FLUSH)";
    return out;
  }

  [[nodiscard]] nlohmann::ordered_json window_history() const override {
    nlohmann::ordered_json out;
    const auto& history = session_.connection().credit_history();
    const auto samples = history.samples();
    const auto start = samples.empty() ? wire::nanos{} : samples.front().time;
    out["changes"] = history.changes();
    out["calls_held_up"] = session_.connection().counters().credit_waits;
    auto& rows = out["samples"] = nlohmann::ordered_json::array();
    for (const auto& s : samples) {
      nlohmann::ordered_json row;
      row["time_us"] = static_cast<double>((s.time - start).count()) / 1e3;
      row["available"] = s.available;
      row["in_flight"] = s.in_flight;
      rows.push_back(std::move(row));
    }
    return out;
  }

  [[nodiscard]] std::optional<wire::nanos> round_trip_min() const override {
    return session_.connection().round_trip_min();
  }

  [[nodiscard]] wire::u16 local_port() const override {
    return session_.connection().local_endpoint().port();
  }

 private:
  [[nodiscard]] std::string path_of(const std::string& name) const { return folder_ + "/" + name; }

  awaitable<result<void>> write_in_turn(std::string path, wire::bytes data) {
    const auto options = smb2::open_options::to_write();
    auto file = co_await tree_.open(std::move(path), options);
    if (!file) co_return failed(file.error());
    auto written = co_await file->write(0, data, write_);
    auto closed = co_await file->close();
    if (!written) co_return failed(written.error());
    if (!closed) co_return failed(closed.error());
    co_return result<void>();
  }

  awaitable<result<void>> write_in_one(std::string path, wire::bytes data) {
    smb2::one_round_trip::write_options options;
    options.transfer = write_;
    auto written = co_await smb2::one_round_trip::write_file(tree_, std::move(path), data, options);
    if (!written) co_return failed(written.error());
    co_return result<void>();
  }

  awaitable<result<std::size_t>> read_in_turn(std::string path, std::span<std::byte> into) {
    const auto options = smb2::open_options::to_read();
    auto file = co_await tree_.open(std::move(path), options);
    if (!file) co_return failed(file.error());
    auto read = co_await file->read(0, into, read_);
    auto closed = co_await file->close();
    if (!read) co_return failed(read.error());
    if (!closed) co_return failed(closed.error());
    co_return static_cast<std::size_t>(*read);
  }

  awaitable<result<std::size_t>> read_in_one(std::string path, std::span<std::byte> into) {
    auto read = co_await smb2::one_round_trip::read_file(tree_, std::move(path), into, read_);
    if (!read) co_return failed(read.error());
    co_return static_cast<std::size_t>(read->bytes);
  }

  smb2::session session_;
  smb2::tree tree_;
  std::string base_; ///< the path of the URL, in the share
  std::string folder_;
  recipe recipe_;
  smb2::transfer_options read_;
  smb2::transfer_options write_;
};

} // namespace

awaitable<result<std::unique_ptr<file_client>>> connect_smb2(target where,
                                                             wire::exchange_sink* sink) {
  const auto url = smb2::parse_url(where.url);
  if (!url) co_return std::unexpected(failure(url.error()));
  if (smb2::needs_password(*url) && !where.password)
    co_return std::unexpected(
        failure(fmt::format("no password for {}: set WIRETRIP_PASSWORD or give --credentials FILE",
                            url->user.empty() ? "the user" : url->user)));
  auto options = smb2::options_of(*url, where.password.value_or(""));
  options.kerberos = smb2::auth::kerberos_source();
  options.keys = where.keys;
  options.connection.sink = sink;
  auto session = co_await smb2::session::open(std::move(options));
  if (!session) co_return failed(session.error());
  auto tree = co_await smb2::tree::connect(*session, url->share);
  if (!tree) co_return failed(tree.error());
  if (where.recipe == recipe::compound) {
    // Before anything is measured; a server without compounds gets the plain sequence.
    const auto probed = co_await smb2::one_round_trip::probe(*tree);
    if (!probed) co_return failed(probed.error());
  }
  std::unique_ptr<file_client> out =
      std::make_unique<smb2_file_client>(std::move(*session), std::move(*tree), url->path, where);
  co_return out;
}

} // namespace bench::detail
