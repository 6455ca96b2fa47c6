#pragma once

#include "nfs/v4/compound.hpp"
#include "nfs/v4/main_operation.hpp"
#include "rpc/connection.hpp"

#include <fmt/format.h>

#include <string>

/// COMPOUND as a client builds, sends and reads it.
namespace nfs::v4 {

using rpc::error;

/// The operations of a COMPOUND, encoded as they are added. What they say is copied, but for the
/// data of WRITE, which must live until the call has ended.
///   compound c;
///   c.add<putfh>({folder});
///   c.add<lookup>({"name"});
///   c.add<getattr>({wanted});
class compound {
 public:
  template <class Op>
  void add(const typename Op::args& args = {}) {
    const auto rank = rank_of(Op::procedure);
    if (count_ == 0 || names_it_better(rank, rank_)) {
      main_ = Op::procedure;
      rank_ = rank;
    }
    ++count_;
    if constexpr (requires { args.data.size(); }) data_bytes_ += static_cast<u32>(args.data.size());
    if (!encode_operation<Op>(args, operations_)) within_limits_ = false;
  }

  [[nodiscard]] u32 count() const noexcept { return count_; }
  /// The operation that it is named by, as the profiler does.
  [[nodiscard]] u32 main_operation() const noexcept { return main_; }
  /// Of all WRITEs.
  [[nodiscard]] u32 data_bytes() const noexcept { return data_bytes_; }
  /// No name or list is longer than the protocol takes.
  [[nodiscard]] bool within_limits() const noexcept { return within_limits_; }
  [[nodiscard]] const wire::writer& operations() const noexcept { return operations_; }

 private:
  wire::writer operations_;
  u32 count_ = 0;
  u32 main_ = 0;
  operation_rank rank_ = operation_rank::sequence;
  u32 data_bytes_ = 0;
  bool within_limits_ = true;
};

/// The procedure COMPOUND for rpc::connection.
struct compound_call {
  using program = nfs_program;
  static constexpr u32 procedure = compound_procedure;
  static constexpr std::string_view name = "COMPOUND";

  struct args {
    const compound* what = nullptr;
    const sequence::args* slot = nullptr; ///< SEQUENCE goes in front
    u32 minorversion = 1;
  };
  using reply = compound_reply;

  static void note_call(const args& a, wire::exchange& e) {
    e.proto = a.minorversion == 1   ? wire::protocol::nfs4_1
              : a.minorversion == 2 ? wire::protocol::nfs4_2
                                    : wire::protocol::nfs4_0;
    e.operation = static_cast<wire::u16>(a.what->main_operation());
    e.operations = static_cast<wire::u16>(a.what->count() + (a.slot != nullptr ? 1 : 0));
    e.data_bytes = a.what->data_bytes();
  }
};

[[nodiscard]] inline bool encode(const compound_call::args& a, wire::writer& out) {
  compound_args header;
  header.minorversion = a.minorversion;
  header.count = a.what->count() + (a.slot != nullptr ? 1 : 0);
  if (!a.what->within_limits() || !rpc::encode(header, out)) return false;
  if (a.slot != nullptr && !encode_operation<sequence>(*a.slot, out)) return false;
  out.append(a.what->operations());
  return true;
}

/// "OPEN of 'x' on 198.18.1.2:2049: NFS4ERR_NOENT (no such file or directory)"
[[nodiscard]] error status_error(std::string_view operation, std::string_view name,
                                 std::string_view server, nfsstat4 status);

/// What came back, taken operation by operation in the order of the call.
/// · lifetime: what take() gives points into this.
class compound_results {
 public:
  compound_results(rpc::reply<compound_call> reply, std::string server)
      : reply_(std::move(reply)), server_(std::move(server)),
        position_(header_bytes(reply_.message.tag)) {}

  /// Of the operation that failed; else that of the last one.
  [[nodiscard]] nfsstat4 status() const noexcept { return reply_.message.status; }
  [[nodiscard]] bool ok() const noexcept { return status() == nfsstat4::ok; }
  [[nodiscard]] const wire::exchange& exchange() const noexcept { return reply_.exchange; }
  /// How many operations were executed, the one that failed included.
  [[nodiscard]] u32 executed() const noexcept { return reply_.message.count; }

  /// The results of the next operation, which must be Op. `name`: of the file, for the error.
  /// Errors: its status or, where it was never executed, that of the one that stopped the compound;
  /// errc::bad_reply.
  template <class Op>
  [[nodiscard]] std::expected<typename Op::reply, error> take(std::string_view name = {}) {
    if (taken_ == executed())
      return std::unexpected(status_error(Op::name, name, server_, status()));
    auto rest = bytes(reply_.body).subspan(position_);
    if (rest.size() < sizeof(u32)) return std::unexpected(broken(Op::name, "it ends too soon"));
    const auto number = wire::load_be<u32>(rest.data());
    if (number != Op::procedure) {
      // A server that knows no such operation answers ILLEGAL.
      if (number == illegal::procedure)
        return std::unexpected(status_error(Op::name, name, server_, status()));
      return std::unexpected(broken(Op::name, fmt::format("operation {} was answered", number)));
    }
    auto decoded = rpc::decode_prefix<typename Op::reply>(rest.subspan(sizeof number), Op::name);
    if (!decoded.ok()) return std::unexpected(broken(Op::name, describe(decoded.error)));
    position_ += sizeof number + decoded.size;
    ++taken_;
    if (decoded.message.status != nfsstat4::ok)
      return std::unexpected(status_error(Op::name, name, server_, decoded.message.status));
    return std::move(decoded.message);
  }

  /// The results of operations that only lead to others; the first failure among them.
  template <class... Ops>
  [[nodiscard]] std::optional<error> pass(std::string_view name = {}) {
    std::optional<error> problem;
    const auto one = [&]<class Op>() {
      if (problem) return;
      if (auto said = take<Op>(name); !said) problem = std::move(said.error());
    };
    (one.template operator()<Ops>(), ...);
    return problem;
  }

 private:
  [[nodiscard]] error broken(std::string_view operation, std::string_view why) const {
    return {rpc::errc::bad_reply,
            fmt::format("{} in the COMPOUND of {}: {}", operation, server_, why)};
  }

  /// Status, the tag with its length, and the count of the results.
  [[nodiscard]] static std::size_t header_bytes(std::string_view tag) noexcept {
    return 3 * sizeof(u32) + wire::align_up(tag.size(), 4);
  }

  rpc::reply<compound_call> reply_;
  std::string server_;
  std::size_t position_; ///< in the body: of the next result
  u32 taken_ = 0;
};

} // namespace nfs::v4
