#pragma once

#include "rpc/message.hpp"
#include "rpc/op_list.hpp"
#include "tests/support/codec_checks.hpp"

/// Typed tests over the operation lists: an operation without golden bytes fails.
namespace support {

template <class List>
struct as_types;

template <class... Ops>
struct as_types<rpc::op_list<Ops...>> {
  using type = ::testing::Types<Ops...>;
};

struct operation_names {
  template <class Op>
  static std::string GetName(int) {
    return std::string(Op::name);
  }
};

template <class Op>
void check_calls(const std::filesystem::path& folder) {
  const auto calls = goldens_of(folder, Op::name, "call");
  ASSERT_FALSE(calls.empty()) << "no golden call of " << Op::name;
  for (const auto& g : calls) {
    SCOPED_TRACE(g.name);
    const auto header = rpc::decode_call_header(g.data);
    ASSERT_TRUE(header.ok());
    EXPECT_EQ(header.message.program, Op::program::number);
    EXPECT_EQ(header.message.version, Op::program::version);
    EXPECT_EQ(header.message.procedure, Op::procedure);
    check_codec<typename Op::args>(bytes(g.data).subspan(header.size));
  }
}

/// An operation whose reply has a status needs golden bytes of success and of failure.
template <class Op>
void check_replies(const std::filesystem::path& folder) {
  const auto replies = goldens_of(folder, Op::name, "reply");
  ASSERT_FALSE(replies.empty()) << "no golden reply of " << Op::name;
  bool succeeded = false;
  bool failed = false;
  for (const auto& g : replies) {
    SCOPED_TRACE(g.name);
    const auto header = rpc::decode_reply_header(g.data);
    ASSERT_TRUE(header.ok());
    ASSERT_TRUE(header.message.succeeded());
    const auto body = bytes(g.data).subspan(header.size);
    check_codec<typename Op::reply>(body);
    if constexpr (requires(typename Op::reply r) { r.status; }) {
      const auto status = rpc::decode_prefix<typename Op::reply>(body).message.status;
      (static_cast<u32>(status) == 0 ? succeeded : failed) = true;
    } else {
      succeeded = failed = true;
    }
  }
  EXPECT_TRUE(succeeded) << "no golden success of " << Op::name;
  EXPECT_TRUE(failed) << "no golden failure of " << Op::name;
}

} // namespace support
