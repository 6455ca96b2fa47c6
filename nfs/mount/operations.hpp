#pragma once

#include "nfs/mount/ops/dump.hpp"
#include "nfs/mount/ops/export.hpp"
#include "nfs/mount/ops/mnt.hpp"
#include "nfs/mount/ops/null.hpp"
#include "nfs/mount/ops/umnt.hpp"
#include "nfs/mount/ops/umntall.hpp"
#include "rpc/op_list.hpp"

namespace nfs::mount {

/// Every procedure of MOUNT version 3, in the order of its numbers. Source: RFC 1813 section 5.2.
using operations = rpc::op_list<null, mnt, dump, umnt, umntall, export_list>;

} // namespace nfs::mount
