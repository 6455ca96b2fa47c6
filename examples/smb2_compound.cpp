// Writes a small file in one round trip: CREATE, WRITE and CLOSE as one related compound.
//   WIRETRIP_PASSWORD=... smb2_compound smb://user@server/share/path TEXT
#include "smb2/file.hpp"
#include "smb2/url.hpp"

#include <cstdlib>
#include <fmt/core.h>
#include <string_view>

using wire::net::awaitable;
using nothing_or = std::expected<void, smb2::error>;

awaitable<nothing_or> write_it(smb2::url where, smb2::session_options options, smb2::bytes data) {
  auto session = co_await smb2::session::open(std::move(options));
  if (!session) co_return std::unexpected(session.error());
  auto tree = co_await smb2::tree::connect(*session, where.share);
  if (!tree) co_return std::unexpected(tree.error());

  const auto name = smb2::to_utf16(where.path); // backslashes between folders
  if (!name) co_return std::unexpected(smb2::error{smb2::errc::bad_name, name.error()});
  smb2::create::request create;
  create.name = name->view();
  create.desired_access = smb2::access::write_data;
  create.disposition = smb2::create_disposition::overwrite_if;
  create.create_options = smb2::create_option::non_directory_file;
  smb2::write::request write;
  write.file = smb2::fileid::of_previous(); // of the CREATE before it
  write.data = smb2::part(data);
  smb2::close::request close;
  close.file = smb2::fileid::of_previous();

  auto [created, written, closed] = co_await tree->compound(create, write, close);
  if (!created) co_return std::unexpected(created.error());
  if (!written) co_return std::unexpected(written.error());
  if (!closed) co_return std::unexpected(closed.error());
  for (const auto status : {created->status, written->status, closed->status})
    if (status != smb2::status::success)
      co_return std::unexpected(smb2::detail::status_error(where.path, status));
  const auto& t = created->exchange.t;
  fmt::print("{} bytes in one round trip of {} us\n", written->message.count,
             (closed->exchange.t.r1 - t.q0).count() / 1000);
  co_return co_await session->logoff();
}

int main(int argc, char** argv) {
  const char* password = std::getenv("WIRETRIP_PASSWORD");
  auto where = smb2::parse_url(argc == 3 ? argv[1] : "");
  if (!where) return fmt::print(stderr, "{}\n", where.error()), 2;
  auto options = smb2::options_of(*where, password == nullptr ? "" : password);
  const std::string_view text = argv[2];
  const auto data = std::as_bytes(std::span(text));
  asio::io_context io;
  const auto done = wire::net::run_to_end(io, write_it(*where, std::move(options), data));
  if (!done) return fmt::print(stderr, "{}\n", done.error().text), 1;
}
