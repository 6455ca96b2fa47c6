#pragma once

#include "nfs/mount/operations.hpp"
#include "nfs/v3/operations.hpp"
#include "tests/support/fake_rpc_server.hpp"

#include <string>

namespace support {

/// An NFSv3 server with one file whose content it holds, and faults that a test switches on.
/// Names are handles: "dir" in "root" has the handle "dir", whichever directory it is in.
class fake_nfs_server {
 public:
  explicit fake_nfs_server(asio::io_context& io) : rpc(io) {
    serve_mount();
    serve_names();
    serve_data();
    serve_directory();
  }

  fake_rpc_server rpc;
  octets content;

  std::vector<::rpc::auth_flavor> flavors{::rpc::auth_flavor::sys};
  wire::u32 preferred_bytes = 1u << 20;
  wire::u32 most_bytes = 16u << 20;
  std::optional<nfs::v3::stable_how> committed; ///< absent: what was asked for
  std::size_t short_bytes = 0;                  ///< READ and WRITE take no more; 0: all
  int restart_at_commit = 0;                    ///< so many COMMITs meet a restarted server
  int restart_at_write = 0;                     ///< before this WRITE the server restarts
  bool claim_more = false;                      ///< WRITE says one byte more than it got
  int jukebox_reads = 0;
  nfs::nfsstat3 write_status = nfs::nfsstat3::ok;
  bool gives_handles = true;
  int entries = 0;
  bool stuck = false; ///< READDIR gives its first page again and again
  nfs::v3::stable_how last_stable = nfs::v3::stable_how::unstable;

  [[nodiscard]] static nfs::v3::file_handle handle_of(std::string_view name) {
    return nfs::v3::file_handle(wire::as_bytes(name));
  }

 private:
  void serve_mount() {
    using namespace nfs::mount;
    rpc.on<mnt>([this](const dirpath& p) {
      mnt::reply r;
      r.status = p.path == "/export" ? nfs::mountstat3::ok : nfs::mountstat3::noent;
      r.fhandle = handle_of("root");
      r.auth_flavors = flavors;
      return r;
    });
    rpc.on<umnt>([](const dirpath&) { return nothing{}; });
    rpc.on<export_list>([](const nothing&) {
      export_list::reply r;
      r.exports.push_back({"/export", {}});
      r.exports.push_back({"/scratch", {}});
      return r;
    });
  }

  using nfsstat3 = nfs::nfsstat3;

  static bool exists(std::string_view name) {
    for (const auto* known : {"dir", "sub", "f", "link", "loop"})
      if (name == known) return true;
    return false;
  }

  void serve_names() {
    namespace v3 = nfs::v3;
    rpc.on<v3::lookup>([](const v3::lookup::args& a) {
      v3::lookup::reply r;
      if (!exists(a.what.name)) {
        r.status = nfsstat3::noent;
        return r;
      }
      r.object = handle_of(a.what.name);
      r.obj_attributes.emplace();
      if (a.what.name == "link" || a.what.name == "loop") r.obj_attributes->type = v3::ftype3::lnk;
      return r;
    });
    rpc.on<v3::readlink>([](const v3::readlink::args& a) {
      v3::readlink::reply r;
      r.data = a.symlink == handle_of("link") ? "./dir/" : "loop";
      return r;
    });
    rpc.on<v3::create>([this](const v3::create::args& a) {
      v3::create::reply r;
      if (gives_handles) r.obj = handle_of(a.where.name);
      content.clear();
      return r;
    });
    rpc.on<v3::getattr>([](const v3::getattr::args&) { return v3::getattr::reply{}; });
    rpc.on<v3::fsinfo>([this](const v3::fsinfo::args&) {
      v3::fsinfo::reply r;
      r.rtpref = r.wtpref = preferred_bytes;
      r.rtmax = r.wtmax = most_bytes;
      r.dtpref = 4096;
      return r;
    });
  }

  void restart() {
    ++boot_;
    std::ranges::fill(content, std::byte{0}); // all that was not committed is gone
  }

  [[nodiscard]] nfs::v3::writeverf3 verifier() const {
    return {static_cast<std::byte>(boot_), std::byte{1}};
  }

  void serve_data() {
    namespace v3 = nfs::v3;
    rpc.on<v3::write>([this](const v3::write::args& a) {
      v3::write::reply r;
      r.status = write_status;
      if (restart_at_write > 0 && --restart_at_write == 0) restart();
      auto n = a.data.size();
      if (short_bytes > 0) n = std::min(n, short_bytes);
      if (content.size() < a.offset + n) content.resize(a.offset + n);
      std::ranges::copy(a.data.first(n), content.begin() + static_cast<std::ptrdiff_t>(a.offset));
      last_stable = a.stable;
      r.count = static_cast<wire::u32>(n + (claim_more ? 1 : 0));
      r.committed = committed.value_or(a.stable);
      r.verf = verifier();
      return r;
    });
    rpc.on<v3::commit>([this](const v3::commit::args&) {
      v3::commit::reply r;
      if (restart_at_commit > 0) {
        --restart_at_commit;
        restart();
      }
      r.verf = verifier();
      return r;
    });
    rpc.on<v3::read>([this](const v3::read::args& a) {
      v3::read::reply r;
      if (jukebox_reads > 0) {
        --jukebox_reads;
        r.status = nfsstat3::jukebox;
        return r;
      }
      const auto from = std::min<std::size_t>(a.offset, content.size());
      auto n = std::min<std::size_t>(a.count, content.size() - from);
      if (short_bytes > 0) n = std::min(n, short_bytes);
      r.data = wire::bytes(content).subspan(from, n);
      r.count = static_cast<wire::u32>(n);
      r.eof = from + n == content.size();
      return r;
    });
  }

  /// Ten entries a page, "." and ".." among the first.
  template <class Op>
  typename Op::reply page(const typename Op::args& a) {
    typename Op::reply r;
    names_.clear();
    names_.reserve(10);
    auto next = stuck ? 0 : static_cast<int>(a.cookie);
    while (next < entries + 2 && names_.size() < 10) {
      names_.push_back(next == 0 ? "." : next == 1 ? ".." : "entry" + std::to_string(next - 2));
      ++next;
      typename Op::entry e;
      e.name = names_.back();
      e.cookie = static_cast<wire::u64>(next);
      if constexpr (requires { e.name_handle; }) e.name_handle = handle_of(e.name);
      r.entries.push_back(e);
    }
    r.eof = next == entries + 2;
    return r;
  }

  void serve_directory() {
    namespace v3 = nfs::v3;
    rpc.on<v3::readdir>([this](const v3::readdir::args& a) { return page<v3::readdir>(a); });
    rpc.on<v3::readdirplus>(
        [this](const v3::readdirplus::args& a) { return page<v3::readdirplus>(a); });
  }

  int boot_ = 1;
  std::vector<std::string> names_;
};

} // namespace support
