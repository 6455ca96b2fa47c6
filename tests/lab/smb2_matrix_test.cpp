// Dialects × signing × sealing × how requests are sent, against a real server: each cell works, or
// is refused for a reason that MS-SMB2 gives. A table of all of it comes at the end.
// WIRETRIP_LAB_SMB names the server, WIRETRIP_PASSWORD the password; without the first this is
// skipped.

#include "smb2/notify.hpp"
#include "smb2/policy.hpp"
#include "smb2/url.hpp"
#include "tests/support/lab_checks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <map>
#include <random>
#include <set>

namespace smb2 {
namespace {

using support::pattern;
using done = std::expected<void, error>;
using wire::net::run_to_end;

enum class manner : u8 {
  serial,    ///< one request after the other
  pipelined, ///< many files at once on one connection, answered out of order
  compound,  ///< several requests in a frame, related and not
};

struct cell {
  smb2::dialect dialect{};
  std::optional<signing_algorithm> signing; ///< none: unsigned
  cipher sealing = cipher::none;            ///< none: plain
  manner how{};
};

/// Why a cell cannot be, from the specification and not from the code under test.
struct refusal {
  char mark = ' '; ///< in the table
  std::string_view reason;
  std::string_view section;
  std::string sentence; ///< what the client says
};

std::optional<refusal> refusal_of(const cell& c) {
  const auto revision = to_string(c.dialect);
  if (c.signing && c.dialect < dialect::smb_3_0 && *c.signing != signing_algorithm::hmac_sha256)
    return refusal{
        'a', "2.0.2 and 2.1 sign with HMAC-SHA256 alone", "3.1.4.1",
        fmt::format("dialect {} does not sign with {}", revision, to_string(*c.signing))};
  if (c.signing && c.dialect >= dialect::smb_3_0 && c.dialect < dialect::smb_3_1_1 &&
      *c.signing != signing_algorithm::aes_cmac)
    return refusal{
        'b', "3.0 and 3.0.2 sign with AES-128-CMAC alone: only 3.1.1 lets one choose",
        "3.1.4.1, 2.2.3.1.7",
        fmt::format("dialect {} does not sign with {}", revision, to_string(*c.signing))};
  if (c.sealing != cipher::none && c.dialect < dialect::smb_3_0)
    return refusal{'c', "sealing came with 3.0", "3.1.4.3, 2.2.3",
                   fmt::format("dialect {} cannot seal, and sealing is required", revision)};
  if (c.sealing > cipher::aes_128_ccm && c.dialect < dialect::smb_3_1_1)
    return refusal{'d', "3.0 and 3.0.2 seal with AES-128-CCM alone: only 3.1.1 lets one choose",
                   "3.1.4.3, 2.2.3.1.2",
                   fmt::format("dialect {} does not seal with {}", revision, to_string(c.sealing))};
  return std::nullopt;
}

signing_algorithm algorithm_of(const cell& c) {
  if (c.signing) return *c.signing;
  if (c.dialect >= dialect::smb_3_1_1) return signing_algorithm::aes_gmac; // our preference
  return c.dialect >= dialect::smb_3_0 ? signing_algorithm::aes_cmac
                                       : signing_algorithm::hmac_sha256;
}

std::string_view signing_name(const cell& c) {
  return c.signing ? to_string(*c.signing) : "unsigned";
}

std::string_view sealing_name(const cell& c) {
  return c.sealing == cipher::none ? "plain" : to_string(c.sealing);
}

std::string_view name_of(manner how) {
  constexpr std::array<std::string_view, 3> names{"serial", "pipelined", "compound"};
  return names.at(static_cast<std::size_t>(how));
}

struct collecting_sink final : wire::exchange_sink {
  std::vector<wire::exchange> seen;
  void on_exchange(const wire::exchange& e) override { seen.push_back(e); }

  [[nodiscard]] bool any_out_of_order() const {
    return !std::ranges::is_sorted(seen, {}, &wire::exchange::id);
  }
};

error wrong(std::string what) {
  return {errc::bad_response, std::move(what)};
}

/// · 0: nothing; a request of one credit; several; on 2.0.2 and without large MTU several WRITEs.
constexpr std::array<std::size_t, 3> sizes{0, 10'240, 150'000};

// --- one after the other -------------------------------------------------------------------------

awaitable<done> write_file(tree where, std::string name, bytes data) {
  auto out = co_await where.open(std::move(name), open_options::to_write());
  if (!out) co_return std::unexpected(std::move(out.error()));
  auto written = co_await out->write(0, data);
  if (!written) co_return std::unexpected(std::move(written.error()));
  auto closed = co_await out->close();
  co_return closed;
}

awaitable<done> verify_file(tree where, std::string name, bytes data) {
  auto in = co_await where.open(name, open_options::to_read());
  if (!in) co_return std::unexpected(std::move(in.error()));
  std::vector<std::byte> back(data.size() + 1);
  auto got = co_await in->read(0, back);
  if (!got) co_return std::unexpected(std::move(got.error()));
  back.resize(*got);
  if (in->facts().size != data.size() || !std::ranges::equal(back, data))
    co_return std::unexpected(wrong(name + " is not what was written"));
  auto closed = co_await in->close();
  co_return closed;
}

awaitable<done> stat_file(tree where, std::string name, std::size_t size) {
  auto facts = co_await where.stat(name);
  if (!facts) co_return std::unexpected(std::move(facts.error()));
  if (facts->size != size || facts->is_directory())
    co_return std::unexpected(wrong(name + " has another size"));
  co_return done{};
}

awaitable<done> expect_names(tree where, std::string folder, std::set<std::string> names) {
  auto entries = co_await where.list(folder);
  if (!entries) co_return std::unexpected(std::move(entries.error()));
  std::set<std::string> found;
  for (const auto& entry : *entries)
    found.insert(entry.name);
  if (found != names) co_return std::unexpected(wrong(folder + " holds other names"));
  co_return done{};
}

/// A file from its first to its last day, `folder/name`.
awaitable<done> live(tree where, std::string folder, std::string name, std::size_t size) {
  const auto path = folder + "/" + name;
  const auto renamed = path + " renamed";
  const auto data = pattern(size, static_cast<unsigned>(size + path.size()));
  auto written = co_await write_file(where, path, data);
  if (!written) co_return written;
  auto same = co_await verify_file(where, path, data);
  if (!same) co_return same;
  auto moved = co_await where.rename(path, renamed);
  if (!moved) co_return moved;
  auto known = co_await stat_file(where, renamed, size);
  if (!known) co_return known;
  auto removed = co_await where.remove(renamed);
  co_return removed;
}

awaitable<done> work_serially(tree where, std::string folder) {
  for (const auto size : sizes) {
    auto lived = co_await live(where, folder, "a file", size);
    if (!lived) co_return lived;
  }
  auto made = co_await where.make_directory(folder + "/below");
  if (!made) co_return made;
  const auto data = pattern(100, 1);
  auto written = co_await write_file(where, folder + "/\xC3\xA4", data);
  if (!written) co_return written;
  std::set<std::string> expected;
  expected.insert({"below", "\xC3\xA4"});
  auto listed = co_await expect_names(where, folder, expected);
  if (!listed) co_return listed;
  auto removed = co_await where.remove(folder + "/\xC3\xA4");
  if (!removed) co_return removed;
  auto gone = co_await where.remove_directory(folder + "/below");
  co_return gone;
}

// --- all at once ---------------------------------------------------------------------------------

/// Runs all of them at once; the first error that there was.
awaitable<done> together(std::vector<awaitable<done>> work) {
  const auto executor = co_await asio::this_coro::executor;
  wire::net::signal over;
  std::size_t left = work.size();
  done result;
  for (auto& one : work)
    asio::co_spawn(executor, std::move(one), [&](std::exception_ptr, done ended) {
      if (!ended && result) result = std::move(ended);
      if (--left == 0) over.notify();
    });
  co_await over.wait();
  co_return result;
}

/// Sent before anything happens in the folder, and so answered behind what was sent later.
awaitable<done> expect_a_change(file folder) {
  notify_options options;
  options.filter = notify_filter::file_name | notify_filter::dir_name;
  auto changes = co_await wait_for_changes(folder, options);
  if (!changes) co_return std::unexpected(std::move(changes.error()));
  if (changes->changes.empty()) co_return std::unexpected(wrong("no change is named"));
  co_return done{};
}

awaitable<done> make_and_remove(tree where, std::string path) {
  auto made = co_await where.make_directory(path);
  if (!made) co_return made;
  auto gone = co_await where.remove_directory(path);
  co_return gone;
}

awaitable<done> work_all_at_once(tree where, std::string folder) {
  constexpr int files = 12;
  open_options listing;
  listing.create_options = create_option::directory_file;
  auto watched = co_await where.open(folder, listing);
  if (!watched) co_return std::unexpected(std::move(watched.error()));
  std::vector<awaitable<done>> work;
  work.push_back(expect_a_change(*watched));
  for (int i = 0; i < files; ++i)
    work.push_back(
        live(where, folder, std::to_string(i), sizes.at(static_cast<std::size_t>(i) % 3)));
  work.push_back(make_and_remove(where, folder + "/below"));
  auto all = co_await together(std::move(work));
  if (!all) co_return all;
  const std::set<std::string> nothing;
  auto empty = co_await expect_names(where, folder, nothing);
  if (!empty) co_return empty;
  auto closed = co_await watched->close();
  co_return closed;
}

// --- compounds -----------------------------------------------------------------------------------

utf16_string wide(std::string path) {
  std::ranges::replace(path, '/', '\\');
  return *to_utf16(path);
}

create::request opening(const utf16_string& name, u32 wanted, create_disposition disposition,
                        u32 options) {
  create::request out;
  out.desired_access = wanted;
  out.share_access = share_access::all;
  out.disposition = disposition;
  out.create_options = options;
  out.name = name.view();
  return out;
}

close::request closing() {
  close::request out;
  out.file = fileid::of_previous();
  return out;
}

/// The first part that did not succeed.
template <class... Parts>
done all_succeeded(std::string_view what, const std::tuple<Parts...>& parts) {
  done out;
  const auto look = [&](const auto& part) {
    if (!out) return;
    if (!part)
      out = std::unexpected(part.error());
    else if (part->status != status::success)
      out = std::unexpected(detail::status_error(what, part->status));
  };
  std::apply([&](const auto&... part) { (look(part), ...); }, parts);
  return out;
}

awaitable<done> write_in_one(tree where, const utf16_string& name, bytes data) {
  const auto open = opening(name, access::write_data, create_disposition::overwrite_if,
                            create_option::non_directory_file);
  write::request all;
  all.file = fileid::of_previous();
  all.data = part(data);
  const auto end = closing();
  auto got = co_await where.compound(open, all, end);
  auto good = all_succeeded("writing in one", got);
  if (good && std::get<1>(got)->message.count != data.size())
    good = std::unexpected(wrong("not all was written"));
  co_return good;
}

awaitable<done> read_in_one(tree where, const utf16_string& name, bytes expected) {
  const auto open =
      opening(name, access::read_data, create_disposition::open, create_option::non_directory_file);
  read::request all;
  all.file = fileid::of_previous();
  all.length = 65'536;
  const auto end = closing();
  auto got = co_await where.compound(open, all, end);
  auto good = all_succeeded("reading in one", got);
  if (good && !std::ranges::equal(std::get<1>(got)->message.data.data, expected))
    good = std::unexpected(wrong("what was read is not what was written"));
  co_return good;
}

awaitable<done> stat_in_one(tree where, const utf16_string& name, std::size_t size) {
  const auto open = opening(name, access::read_attributes, create_disposition::open, 0);
  query_info::request ask;
  ask.file_info_class = file_network_open_information::info_class;
  ask.output_buffer_length = file_network_open_information::size;
  ask.file = fileid::of_previous();
  const auto end = closing();
  auto got = co_await where.compound(open, ask, end);
  auto good = all_succeeded("stat in one", got);
  if (!good) co_return good;
  const auto info = decode_buffer<file_network_open_information>(std::get<1>(got)->message.buffer);
  if (!info || info->end_of_file != size) good = std::unexpected(wrong("another size"));
  co_return good;
}

awaitable<done> rename_in_one(tree where, const utf16_string& from, const utf16_string& to) {
  const auto open = opening(from, access::remove, create_disposition::open, 0);
  file_rename_information info;
  info.file_name = to.view();
  const auto encoded = encode_buffer(info);
  set_info::request set;
  set.file_info_class = file_rename_information::info_class;
  set.file = fileid::of_previous();
  set.buffer = encoded;
  const auto end = closing();
  auto got = co_await where.compound(open, set, end);
  co_return all_succeeded("rename in one", got);
}

awaitable<done> list_in_one(tree where, const utf16_string& folder, std::set<std::string> names) {
  using entry = file_id_both_directory_information;
  const auto open =
      opening(folder, access::read_data, create_disposition::open, create_option::directory_file);
  const auto all = wide("*");
  query_directory::request ask;
  ask.information_class = entry::info_class;
  ask.file = fileid::of_previous();
  ask.output_buffer_length = 65'536;
  ask.file_name = all.view();
  const auto end = closing();
  auto got = co_await where.compound(open, ask, end);
  auto good = all_succeeded("list in one", got);
  if (!good) co_return good;
  std::set<std::string> found;
  entry_walker<entry> walk(std::get<1>(got)->message.buffer);
  while (auto one = walk.next())
    found.insert(one->file_name.text());
  names.insert({".", ".."});
  if (!walk.ok() || found != names) good = std::unexpected(wrong("other names are listed"));
  co_return good;
}

/// Of a file or a directory, made or removed.
awaitable<done> open_and_close_in_one(tree where, create::request open) {
  const auto end = closing();
  auto got = co_await where.compound(open, end);
  co_return all_succeeded("CREATE and CLOSE in one", got);
}

/// Two files opened in one frame and closed in another; neither has to do with the other.
awaitable<done> two_unrelated(tree where, const utf16_string& one, const utf16_string& two) {
  const auto first = opening(one, access::read_attributes, create_disposition::open, 0);
  const auto second = opening(two, access::read_attributes, create_disposition::open, 0);
  auto& calls = *where.state()->session->connection;
  const auto options = where.state()->options;
  auto opened = co_await calls.compound(relation::unrelated, options, first, second);
  auto good = all_succeeded("two unrelated CREATEs", opened);
  if (!good) co_return good;
  close::request end_first;
  end_first.file = std::get<0>(opened)->message.file;
  close::request end_second;
  end_second.file = std::get<1>(opened)->message.file;
  auto closed = co_await calls.compound(relation::unrelated, options, end_first, end_second);
  co_return all_succeeded("two unrelated CLOSEs", closed);
}

awaitable<done> work_in_compounds(tree where, std::string folder) {
  const auto here = wide(folder);
  const auto one = wide(folder + "/one");
  const auto two = wide(folder + "/two");
  const auto below = wide(folder + "/below");
  const auto data = pattern(10'240, 7);
  auto good = co_await write_in_one(where, one, data);
  if (good) good = co_await read_in_one(where, one, data);
  if (good) good = co_await stat_in_one(where, one, data.size());
  if (good) good = co_await rename_in_one(where, one, two);
  const auto make = opening(below, access::read_attributes, create_disposition::create,
                            create_option::directory_file);
  if (good) good = co_await open_and_close_in_one(where, make);
  std::set<std::string> expected;
  expected.insert({"two", "below"});
  if (good) good = co_await list_in_one(where, here, expected);
  if (good) good = co_await two_unrelated(where, two, below);
  for (const auto* name : {&two, &below}) {
    const auto remove =
        opening(*name, access::remove, create_disposition::open, create_option::delete_on_close);
    if (good) good = co_await open_and_close_in_one(where, remove);
  }
  co_return good;
}

// --- a cell --------------------------------------------------------------------------------------

/// What there was to see of a cell that worked.
struct outcome {
  session_facts facts;
  client_counters counters;
};

awaitable<std::expected<outcome, error>> visit(session_options options, std::string share,
                                               std::string folder, manner how) {
  auto opened = co_await session::open(std::move(options));
  if (!opened) co_return std::unexpected(std::move(opened.error()));
  auto entered = co_await tree::connect(*opened, std::move(share));
  if (!entered) co_return std::unexpected(std::move(entered.error()));
  auto made = co_await entered->make_directory(folder);
  if (!made) co_return std::unexpected(std::move(made.error()));
  auto renewed = co_await opened->renew(); // and all that follows is done in the same session
  if (!renewed) co_return std::unexpected(std::move(renewed.error()));
  done worked;
  if (how == manner::serial) worked = co_await work_serially(*entered, folder);
  if (how == manner::pipelined) worked = co_await work_all_at_once(*entered, folder);
  if (how == manner::compound) worked = co_await work_in_compounds(*entered, folder);
  if (!worked) co_return std::unexpected(std::move(worked.error()));
  auto gone = co_await entered->remove_directory(folder);
  if (!gone) co_return std::unexpected(std::move(gone.error()));
  auto left = co_await entered->disconnect();
  if (!left) co_return std::unexpected(std::move(left.error()));
  auto off = co_await opened->logoff();
  if (!off) co_return std::unexpected(std::move(off.error()));
  outcome out;
  out.facts = opened->facts();
  out.counters = opened->connection().counters();
  co_return out;
}

/// One line for each dialect and signature, one column for each cipher: how many of the three
/// manners worked, or the mark of the reason.
class summary {
 public:
  void green(const cell& c) {
    ++worked_;
    ++at(c).worked;
  }
  void refused(const cell& c, const refusal& why) {
    ++refused_;
    at(c).mark = why.mark;
    auto& reason = reasons_[why.mark];
    reason.text = fmt::format("{} (MS-SMB2 {})", why.reason, why.section);
    ++reason.count;
  }

  void print() const {
    if (squares_.empty()) return;
    fmt::print("\n{:<24}{:>10}{:>13}{:>13}{:>13}{:>13}\n", "dialect, signing", "plain",
               "aes-128-ccm", "aes-128-gcm", "aes-256-ccm", "aes-256-gcm");
    for (const auto& [line, squares] : squares_) {
      fmt::print("{:<24}", line.name);
      for (const auto& of : squares)
        fmt::print("{:>{}}",
                   of.mark == ' ' ? fmt::format("{} of 3", of.worked) : std::string(1, of.mark),
                   &of == squares.data() ? 10 : 13);
      fmt::print("\n");
    }
    fmt::print("\n{} cells worked, {} were refused:\n", worked_, refused_);
    for (const auto& [mark, reason] : reasons_)
      fmt::print("  {}  {:>3}  {}\n", mark, reason.count, reason.text);
  }

 private:
  struct square {
    int worked = 0;
    char mark = ' ';
  };
  struct counted {
    std::string text;
    int count = 0;
  };

  struct row {
    smb2::dialect dialect{};
    int signing = 0;
    std::string name;
    auto operator<=>(const row&) const = default;
  };

  square& at(const cell& c) {
    const row in{c.dialect, c.signing ? static_cast<int>(*c.signing) : -1,
                 fmt::format("{}, {}", to_string(c.dialect), signing_name(c))};
    return squares_[in].at(static_cast<std::size_t>(c.sealing));
  }

  std::map<row, std::array<square, 5>> squares_;
  std::map<char, counted> reasons_;
  int worked_ = 0;
  int refused_ = 0;
};

class smb2_matrix : public testing::Test {
 protected:
  void SetUp() override {
    const char* url = std::getenv("WIRETRIP_LAB_SMB");
    if (url == nullptr) GTEST_SKIP() << "WIRETRIP_LAB_SMB is not set: no SMB server to talk to";
    const char* password = std::getenv("WIRETRIP_PASSWORD");
    auto parsed = parse_url(url);
    ASSERT_TRUE(parsed) << parsed.error();
    share = parsed->share;
    options = options_of(*parsed, password == nullptr ? "wiretrip" : password);
    options.connection.sink = &sink;
    options.connection.timeout = std::chrono::seconds(10);
    folder = "wiretrip-matrix-" + std::to_string(std::random_device{}());
  }

  collecting_sink sink;
  session_options options;
  std::string share;
  std::string folder;
  asio::io_context io;
};

class smb2_matrix_cells : public smb2_matrix, public testing::WithParamInterface<cell> {
 protected:
  static void TearDownTestSuite() { table().print(); }

  static summary& table() {
    static summary instance;
    return instance;
  }
};

void expect_agreed(const cell& want, const outcome& got) {
  EXPECT_EQ(got.facts.dialect, want.dialect);
  EXPECT_EQ(got.facts.algorithm, algorithm_of(want));
  EXPECT_EQ(got.facts.signs, want.signing.has_value());
  EXPECT_EQ(got.facts.seals, want.sealing != cipher::none);
  if (got.facts.seals) {
    EXPECT_EQ(got.facts.sealing, want.sealing);
  }
  EXPECT_EQ(got.counters.sealed_messages > 0, want.sealing != cipher::none);
  EXPECT_EQ(got.counters.compounds > 0, want.how == manner::compound);
}

TEST_P(smb2_matrix_cells, WorksOrIsRefusedForAReason) {
  const auto& want = GetParam();
  options.dialect = want.dialect;
  if (want.signing) {
    options.sign = signing_policy::required;
    options.signing_algorithms = {*want.signing};
  }
  if (want.sealing != cipher::none) {
    options.seal = sealing_policy::required;
    options.ciphers = {want.sealing};
  }
  const auto expected = refusal_of(want);

  const auto got = run_to_end(io, visit(options, share, folder, want.how));

  if (expected) {
    ASSERT_FALSE(got);
    EXPECT_EQ(got.error().code, errc::not_secure);
    EXPECT_THAT(got.error().text, testing::HasSubstr(expected->sentence));
    EXPECT_TRUE(sink.seen.empty()) << "something was sent";
    table().refused(want, *expected);
    return;
  }
  ASSERT_TRUE(got) << got.error().text;
  expect_agreed(want, *got);
  for (const auto& e : sink.seen)
    EXPECT_FALSE(e.failed) << commands::name(e.operation) << " " << name_of_status(e.status);
  if (want.how == manner::pipelined) {
    EXPECT_TRUE(sink.any_out_of_order());
  }
  if (!HasFailure()) table().green(want);
}

std::vector<cell> all_cells() {
  std::vector<cell> out;
  for (const auto revision : {dialect::smb_2_0_2, dialect::smb_2_1, dialect::smb_3_0,
                              dialect::smb_3_0_2, dialect::smb_3_1_1})
    for (const int algorithm : {-1, 0, 1, 2})
      for (const auto sealing : {cipher::none, cipher::aes_128_ccm, cipher::aes_128_gcm,
                                 cipher::aes_256_ccm, cipher::aes_256_gcm})
        for (const auto how : {manner::serial, manner::pipelined, manner::compound}) {
          cell c{revision, {}, sealing, how};
          if (algorithm >= 0) c.signing = static_cast<signing_algorithm>(algorithm);
          out.push_back(c);
        }
  return out;
}

std::string test_name(const testing::TestParamInfo<cell>& of) {
  const auto& c = of.param;
  auto out = fmt::format("smb{}_{}_{}_{}", to_string(c.dialect), signing_name(c), sealing_name(c),
                         name_of(c.how));
  std::erase(out, '.');
  std::ranges::replace(out, '-', '_');
  return out;
}

INSTANTIATE_TEST_SUITE_P(all, smb2_matrix_cells, testing::ValuesIn(all_cells()), test_name);

/// smbd 4.17 knows no compression: it leaves the context out, and all goes on without.
TEST_F(smb2_matrix, DoesWithoutCompressionWhereTheServerHasNone) {
  options.compression = compression_algorithms();

  const auto got = run_to_end(io, visit(options, share, folder, manner::serial));

  ASSERT_TRUE(got) << got.error().text;
  EXPECT_TRUE(got->facts.compression.algorithms.empty());
  EXPECT_EQ(got->counters.decompressed_messages, 0u);
}

// --- are the reasons right -----------------------------------------------------------------------

/// NEGOTIATE with all that there is, for this dialect alone, and no more than that.
awaitable<std::expected<reply<negotiate>, error>> ask(wire::net::connect_options where,
                                                      dialect revision) {
  connection_options how;
  how.timeout = std::chrono::seconds(10);
  auto calls = co_await connection::connect(where, how);
  if (!calls) co_return std::unexpected(std::move(calls.error()));
  preauth_integrity_capabilities preauth;
  preauth.algorithms.push_back(hash_algorithm::sha512);
  signing_capabilities signing;
  signing.algorithms.push_back(signing_algorithm::aes_gmac);
  encryption_capabilities sealing;
  sealing.ciphers.push_back(cipher::aes_256_gcm);
  const std::array data{encode_buffer(preauth), encode_buffer(signing), encode_buffer(sealing)};
  negotiate::request request;
  request.security_mode = security_mode::signing_enabled;
  request.capabilities = capability::large_mtu | capability::encryption;
  request.client_guid.fill(std::byte{7});
  request.dialects.push_back(revision);
  request.contexts.push_back({context_type::preauth_integrity, data[0]});
  request.contexts.push_back({context_type::signing, data[1]});
  request.contexts.push_back({context_type::encryption, data[2]});
  const call_options options;
  auto got = co_await calls->call<negotiate>(request, options);
  co_return got;
}

/// A server agrees with the table: below 3.0 none says that it can seal, and below 3.1.1 there is
/// no place in which a signature or a cipher could be chosen.
TEST_F(smb2_matrix, TheServerLacksWhatTheDialectLacks) {
  auto where = options.where;
  if (where.port == 0) where.port = 445;
  for (const auto revision : {dialect::smb_2_0_2, dialect::smb_2_1, dialect::smb_3_0,
                              dialect::smb_3_0_2, dialect::smb_3_1_1}) {
    SCOPED_TRACE(to_string(revision));

    const auto got = run_to_end(io, ask(where, revision));

    ASSERT_TRUE(got) << got.error().text;
    ASSERT_EQ(got->status, status::success);
    EXPECT_EQ(got->message.revision, revision);
    const bool says_it_seals = (got->message.capabilities & capability::encryption) != 0;
    EXPECT_EQ(got->message.contexts.empty(), revision < dialect::smb_3_1_1);
    if (revision < dialect::smb_3_1_1) {
      EXPECT_EQ(says_it_seals, revision >= dialect::smb_3_0);
      continue;
    }
    const auto signing = find_context<signing_capabilities>(got->message.contexts);
    ASSERT_TRUE(signing && *signing) << "a server that does not know AES-GMAC";
    EXPECT_EQ((*signing)->algorithms, std::vector{signing_algorithm::aes_gmac});
    const auto sealing = find_context<encryption_capabilities>(got->message.contexts);
    ASSERT_TRUE(sealing && *sealing);
    EXPECT_EQ((*sealing)->ciphers, std::vector{cipher::aes_256_gcm});
  }
}

} // namespace
} // namespace smb2
