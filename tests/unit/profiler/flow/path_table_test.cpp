#include "nfs/mount/operations.hpp"
#include "profiler/flow/path_table.hpp"
#include "smb2/info/file.hpp"
#include "tests/support/analysis.hpp"
#include "tests/support/nfs4_messages.hpp"
#include "tests/support/nfs_messages.hpp"
#include "tests/support/smb2_messages.hpp"

#include <gtest/gtest.h>

namespace {

using namespace std::chrono_literals;
using profiler::flow::each_component;
using profiler::flow::path_table;
using profiler::flow::printable;
using support::tcp_talk;
using support::v4;
using wire::u32;
using wire::u64;

TEST(PathTable, JoinsNamesUpToTheRoot) {
  path_table paths;
  paths.remember(100, 0, "/export", '/');
  paths.remember(101, 1, "reports", '/');
  paths.remember(102, 2, "may.txt", '/');
  paths.bind(1, 100);
  paths.bind(2, 101);
  paths.bind(3, 102);

  EXPECT_EQ(paths.text(3), "/export/reports/may.txt");
  EXPECT_EQ(paths.text(1), "/export");
}

TEST(PathTable, PutsAHashInPlaceOfWhatItDoesNotKnow) {
  path_table paths;
  paths.remember(102, 2, "may.txt", '/');
  paths.bind(3, 102);

  EXPECT_EQ(paths.text(3), "<00000002>/may.txt");
  EXPECT_EQ(paths.text(77), "<0000004d>");
}

TEST(PathTable, DoesNotDoubleTheSlashOfTheRoot) {
  path_table paths;
  paths.remember(100, 0, "/", '/');
  paths.remember(101, 1, "f", '/');
  paths.bind(1, 100);
  paths.bind(2, 101);
  EXPECT_EQ(paths.text(2), "/f");
}

TEST(PathTable, EndsInACircle) {
  path_table paths;
  paths.remember(100, 2, "a", '/');
  paths.remember(101, 1, "b", '/');
  paths.bind(1, 100);
  paths.bind(2, 101);
  EXPECT_TRUE(paths.text(1).ends_with("/b/a")) << paths.text(1);
  EXPECT_TRUE(paths.text(1).starts_with("…"));
  EXPECT_LT(paths.text(1).size(), 200u);
}

TEST(PathTable, KeepsWithinItsBytes) {
  path_table paths;
  const std::string name(1000, 'x');
  for (u64 n = 1; n <= 20'000; ++n) {
    paths.remember(n, 0, name, '/');
    paths.bind(n, n);
  }
  EXPECT_EQ(paths.text(20'000), name);
  EXPECT_EQ(paths.text(1), "<00000001>");
}

TEST(Printable, KeepsValidUtf8AndEscapesTheRest) {
  EXPECT_EQ(printable("naïve 日本 😀"), "naïve 日本 😀");
  EXPECT_EQ(printable("a\nb\x7f"), "a\\x0ab\\x7f");
  EXPECT_EQ(printable("\xff\xc0\x80"), "\\xff\\xc0\\x80");          // never valid; overlong
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");          // a surrogate
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80"); // beyond U+10FFFF
  EXPECT_EQ(printable("\xe6\x97"), "\\xe6\\x97");                   // cut
}

TEST(EachComponent, LeavesSeparatorsAlone) {
  const auto mark = [](std::string_view s) { return "[" + std::string(s) + "]"; };
  EXPECT_EQ(each_component("/export/a.txt", mark), "/[export]/[a.txt]");
  EXPECT_EQ(each_component("\\\\server\\share\\d\\f", mark), "\\\\[server]\\[share]\\[d]\\[f]");
  EXPECT_EQ(each_component("", mark), "");
}

/// The path of each exchange at the time it was seen.
class path_log final : public wire::exchange_sink {
 public:
  explicit path_log(profiler::analyzer& of) : of_(of) {}
  void on_exchange(const wire::exchange& e) override { paths.push_back(of_.path_of(e.file)); }
  std::vector<std::string> paths;

 private:
  profiler::analyzer& of_;
};

std::vector<std::string> paths_of(const std::vector<support::timed_frame>& frames) {
  profiler::analyzer analyzer;
  path_log log(analyzer);
  analyzer.add_sink(log);
  support::feed(analyzer, frames);
  static_cast<void>(analyzer.finish());
  return log.paths;
}

TEST(Paths, AreLearnedFromMountsLookupsAndCreates) {
  tcp_talk talk(v4(198, 18, 1, 1, 741), v4(198, 18, 1, 2, 2049));
  talk.handshake();
  u32 xid = 0;
  const auto round = [&](const auto& call, const auto& reply) {
    talk.wait(1ms).to_server(call).wait(1ms).to_client(reply);
  };
  ++xid;
  nfs::mount::mnt::reply mounted;
  mounted.fhandle = nfs::mount::file_handle(support::handle(2).view());
  round(support::call<nfs::mount::mnt>(xid, {.path = "/export"}),
        support::reply<nfs::mount::mnt>(xid, mounted));
  ++xid;
  round(support::lookup_call(xid, 2, "dir"), support::lookup_reply(xid, 5));
  ++xid;
  round(support::create_call(xid, 5, "new"), support::create_reply(xid, 6));
  ++xid;
  round(support::getattr_call(xid, 6), support::getattr_reply(xid));
  ++xid;
  round(support::call<nfs::v3::rename>(
            xid, {.from = {support::handle(5), "new"}, .to = {support::handle(2), "moved"}}),
        support::reply<nfs::v3::rename>(xid, {}));
  ++xid;
  round(support::getattr_call(xid, 6), support::getattr_reply(xid));

  EXPECT_EQ(paths_of(talk.frames),
            (std::vector<std::string>{"<00000000>", "/export/dir", "/export/dir/new",
                                      "/export/dir/new", "/export/moved", "/export/moved"}));
}

TEST(Paths, AreLearnedFromListings) {
  tcp_talk talk(v4(198, 18, 1, 1, 741), v4(198, 18, 1, 2, 2049));
  talk.handshake();
  using nfs::v3::readdirplus;
  readdirplus::reply listing;
  for (u32 n = 0; n < 3; ++n) {
    readdirplus::entry e;
    e.name = n == 0 ? "a" : n == 1 ? "b" : "c";
    e.name_handle = support::handle(10 + n);
    listing.entries.push_back(e);
  }
  talk.to_server(support::call<readdirplus>(1, {.dir = support::handle(2)})).wait(1ms);
  talk.to_client(support::reply<readdirplus>(1, listing)).wait(1ms);
  talk.to_server(support::getattr_call(2, 11)).wait(1ms).to_client(support::getattr_reply(2));

  const auto paths = paths_of(talk.frames);

  ASSERT_EQ(paths.size(), 2u);
  EXPECT_EQ(paths[1].substr(paths[1].find('/')), "/b");
}

TEST(Paths, AreLearnedFromCompounds) {
  namespace n4 = nfs::v4;
  tcp_talk talk(v4(198, 18, 1, 1, 741), v4(198, 18, 1, 2, 2049));
  talk.handshake();
  const auto round = [&](const support::record& call, const support::record& reply) {
    talk.wait(1ms).to_server(call).wait(1ms).to_client(reply);
  };
  n4::open::args open;
  open.claim.file = "may.txt";
  round(support::compound_call(1)
            .with<n4::putrootfh>()
            .with<n4::lookup>({.objname = "export"})
            .with<n4::getfh>(),
        support::compound_results(1).with<n4::putrootfh>().with<n4::lookup>().with<n4::getfh>(
            {.status = n4::nfsstat4::ok, .object = support::handle4(7)}));
  round(support::compound_call(2)
            .with<n4::putfh>({.object = support::handle4(7)})
            .with<n4::open>(open)
            .with<n4::getfh>(),
        support::compound_results(2).with<n4::putfh>().with<n4::open>().with<n4::getfh>(
            {.status = n4::nfsstat4::ok, .object = support::handle4(8)}));
  round(support::compound_call(3)
            .with<n4::putfh>({.object = support::handle4(8)})
            .with<n4::read>({.stateid = {}, .offset = 0, .count = 10}),
        support::compound_results(3).with<n4::putfh>().with<n4::read>(
            {.status = n4::nfsstat4::ok, .eof = true, .data = {}}));

  // Main operations are LOOKUP, OPEN, READ.
  const auto paths = paths_of(talk.frames);
  EXPECT_EQ(paths.at(0), "/export");
  EXPECT_EQ(paths.at(3), "/export/may.txt");
  EXPECT_EQ(paths.at(6), "/export/may.txt");
}

TEST(Paths, OfSharesFollowARename) {
  tcp_talk talk(v4(198, 18, 1, 1, 50'123), v4(198, 18, 1, 2, 445));
  talk.handshake();
  wire::u64 id = 0;
  const auto round = [&](support::smb2_part request, support::smb2_part response) {
    talk.wait(1ms).to_server(support::smb2_frame(std::move(request)));
    talk.wait(1ms).to_client(support::smb2_frame(std::move(response)));
  };
  const auto share = support::utf16("\\\\nas\\data");
  smb2::tree_connect::request connect;
  connect.path = smb2::utf16_view(share);
  ++id;
  round(support::smb2_request<smb2::tree_connect>(id, connect),
        support::smb2_response<smb2::tree_connect>(id, {}));
  const auto name = support::utf16("d\\may.txt");
  smb2::create::request create;
  create.name = smb2::utf16_view(name);
  smb2::create::response created;
  created.file = {11, 12};
  ++id;
  round(support::smb2_request<smb2::create>(id, create),
        support::smb2_response<smb2::create>(id, created));
  const auto to = support::utf16("d\\june.txt");
  smb2::file_rename_information renamed;
  renamed.file_name = smb2::utf16_view(to);
  wire::writer out;
  static_cast<void>(smb2::encode(renamed, out, 0));
  const auto buffer = out.flatten();
  smb2::set_info::request rename;
  rename.type = smb2::info_type::file;
  rename.file_info_class = smb2::file_rename_information::info_class;
  rename.file = {11, 12};
  rename.buffer = buffer;
  ++id;
  round(support::smb2_request<smb2::set_info>(id, rename),
        support::smb2_response<smb2::set_info>(id, {}));

  const auto paths = paths_of(talk.frames);
  ASSERT_EQ(paths.size(), 3u);
  EXPECT_EQ(paths[1], "\\\\nas\\data\\d\\may.txt");
  EXPECT_EQ(paths[2], "\\\\nas\\data\\d\\june.txt");
}

TEST(Paths, AreLearnedFromListingsInManySegments) {
  tcp_talk talk(v4(198, 18, 1, 1, 741), v4(198, 18, 1, 2, 2049));
  talk.handshake();
  using nfs::v3::readdirplus;
  constexpr u32 files = 100;
  std::vector<std::string> names;
  for (u32 n = 0; n < files; ++n)
    names.push_back("file-" + std::to_string(n));
  readdirplus::reply listing;
  for (u32 n = 0; n < files; ++n) {
    readdirplus::entry e;
    e.name = names[n];
    e.name_handle = support::handle(10 + n);
    listing.entries.push_back(e);
  }
  talk.to_server(support::call<readdirplus>(1, {.dir = support::handle(2)})).wait(1ms);
  const auto reply = support::reply<readdirplus>(1, listing);
  ASSERT_GT(reply.size(), 4096u);
  constexpr std::size_t segment = 1448;
  for (std::size_t at = 0; at < reply.size(); at += segment)
    talk.to_client(
        {reply.begin() + static_cast<std::ptrdiff_t>(at),
         reply.begin() + static_cast<std::ptrdiff_t>(std::min(reply.size(), at + segment))});
  talk.wait(1ms).to_server(support::getattr_call(2, 9 + files)).wait(1ms);
  talk.to_client(support::getattr_reply(2));

  const auto paths = paths_of(talk.frames);

  ASSERT_EQ(paths.size(), 2u);
  EXPECT_EQ(paths[1].substr(paths[1].find('/')), "/file-99");
}

} // namespace
