#pragma once

#include "nfs/v3/ops/access.hpp"
#include "nfs/v3/ops/commit.hpp"
#include "nfs/v3/ops/create.hpp"
#include "nfs/v3/ops/fsinfo.hpp"
#include "nfs/v3/ops/fsstat.hpp"
#include "nfs/v3/ops/getattr.hpp"
#include "nfs/v3/ops/link.hpp"
#include "nfs/v3/ops/lookup.hpp"
#include "nfs/v3/ops/mkdir.hpp"
#include "nfs/v3/ops/mknod.hpp"
#include "nfs/v3/ops/null.hpp"
#include "nfs/v3/ops/pathconf.hpp"
#include "nfs/v3/ops/read.hpp"
#include "nfs/v3/ops/readdir.hpp"
#include "nfs/v3/ops/readdirplus.hpp"
#include "nfs/v3/ops/readlink.hpp"
#include "nfs/v3/ops/remove.hpp"
#include "nfs/v3/ops/rename.hpp"
#include "nfs/v3/ops/rmdir.hpp"
#include "nfs/v3/ops/setattr.hpp"
#include "nfs/v3/ops/symlink.hpp"
#include "nfs/v3/ops/write.hpp"
#include "rpc/op_list.hpp"

namespace nfs::v3 {

/// Every procedure of NFS version 3, in the order of its numbers. Source: RFC 1813 section 3.3.
using operations = rpc::op_list<null, getattr, setattr, lookup, access, readlink, read, write,
                                create, mkdir, symlink, mknod, remove, rmdir, rename, link, readdir,
                                readdirplus, fsstat, fsinfo, pathconf, commit>;

} // namespace nfs::v3
