#include "nfs/v4/main_operation.hpp"

#include "nfs/v4/operations.hpp"

namespace nfs::v4 {

operation_rank rank_of(wire::u32 operation) noexcept {
  switch (operation) {
  case sequence::procedure:
    return operation_rank::sequence;
  case putfh::procedure:
  case putpubfh::procedure:
  case putrootfh::procedure:
  case savefh::procedure:
  case restorefh::procedure:
    return operation_rank::handles;
  case getfh::procedure:
    return operation_rank::getfh;
  case getattr::procedure:
  case verify::procedure:
  case nverify::procedure:
    return operation_rank::getattr;
  case access::procedure:
    return operation_rank::access;
  case lookup::procedure:
  case lookupp::procedure:
    return operation_rank::lookup;
  default:
    return operation_rank::work;
  }
}

} // namespace nfs::v4
