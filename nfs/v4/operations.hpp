#pragma once

#include "nfs/v4/ops/access.hpp"
#include "nfs/v4/ops/allocate.hpp"
#include "nfs/v4/ops/backchannel_ctl.hpp"
#include "nfs/v4/ops/bind_conn_to_session.hpp"
#include "nfs/v4/ops/clone.hpp"
#include "nfs/v4/ops/close.hpp"
#include "nfs/v4/ops/commit.hpp"
#include "nfs/v4/ops/copy.hpp"
#include "nfs/v4/ops/copy_notify.hpp"
#include "nfs/v4/ops/create.hpp"
#include "nfs/v4/ops/create_session.hpp"
#include "nfs/v4/ops/deallocate.hpp"
#include "nfs/v4/ops/delegpurge.hpp"
#include "nfs/v4/ops/delegreturn.hpp"
#include "nfs/v4/ops/destroy_clientid.hpp"
#include "nfs/v4/ops/destroy_session.hpp"
#include "nfs/v4/ops/exchange_id.hpp"
#include "nfs/v4/ops/free_stateid.hpp"
#include "nfs/v4/ops/get_dir_delegation.hpp"
#include "nfs/v4/ops/getattr.hpp"
#include "nfs/v4/ops/getdeviceinfo.hpp"
#include "nfs/v4/ops/getdevicelist.hpp"
#include "nfs/v4/ops/getfh.hpp"
#include "nfs/v4/ops/getxattr.hpp"
#include "nfs/v4/ops/illegal.hpp"
#include "nfs/v4/ops/io_advise.hpp"
#include "nfs/v4/ops/layoutcommit.hpp"
#include "nfs/v4/ops/layouterror.hpp"
#include "nfs/v4/ops/layoutget.hpp"
#include "nfs/v4/ops/layoutreturn.hpp"
#include "nfs/v4/ops/layoutstats.hpp"
#include "nfs/v4/ops/link.hpp"
#include "nfs/v4/ops/listxattrs.hpp"
#include "nfs/v4/ops/lock.hpp"
#include "nfs/v4/ops/lockt.hpp"
#include "nfs/v4/ops/locku.hpp"
#include "nfs/v4/ops/lookup.hpp"
#include "nfs/v4/ops/lookupp.hpp"
#include "nfs/v4/ops/nverify.hpp"
#include "nfs/v4/ops/offload_cancel.hpp"
#include "nfs/v4/ops/offload_status.hpp"
#include "nfs/v4/ops/open.hpp"
#include "nfs/v4/ops/open_confirm.hpp"
#include "nfs/v4/ops/open_downgrade.hpp"
#include "nfs/v4/ops/openattr.hpp"
#include "nfs/v4/ops/putfh.hpp"
#include "nfs/v4/ops/putpubfh.hpp"
#include "nfs/v4/ops/putrootfh.hpp"
#include "nfs/v4/ops/read.hpp"
#include "nfs/v4/ops/read_plus.hpp"
#include "nfs/v4/ops/readdir.hpp"
#include "nfs/v4/ops/readlink.hpp"
#include "nfs/v4/ops/reclaim_complete.hpp"
#include "nfs/v4/ops/release_lockowner.hpp"
#include "nfs/v4/ops/remove.hpp"
#include "nfs/v4/ops/removexattr.hpp"
#include "nfs/v4/ops/rename.hpp"
#include "nfs/v4/ops/renew.hpp"
#include "nfs/v4/ops/restorefh.hpp"
#include "nfs/v4/ops/savefh.hpp"
#include "nfs/v4/ops/secinfo.hpp"
#include "nfs/v4/ops/secinfo_no_name.hpp"
#include "nfs/v4/ops/seek.hpp"
#include "nfs/v4/ops/sequence.hpp"
#include "nfs/v4/ops/set_ssv.hpp"
#include "nfs/v4/ops/setattr.hpp"
#include "nfs/v4/ops/setclientid.hpp"
#include "nfs/v4/ops/setclientid_confirm.hpp"
#include "nfs/v4/ops/setxattr.hpp"
#include "nfs/v4/ops/test_stateid.hpp"
#include "nfs/v4/ops/verify.hpp"
#include "nfs/v4/ops/want_delegation.hpp"
#include "nfs/v4/ops/write.hpp"
#include "nfs/v4/ops/write_same.hpp"
#include "rpc/op_list.hpp"

namespace nfs::v4 {

/// Every operation of a COMPOUND, in the order of its numbers.
/// Source: RFC 7530 section 16, RFC 8881 section 18, RFC 7862 section 15, RFC 8276 section 8.
using operations =
    rpc::op_list<access, close, commit, create, delegpurge, delegreturn, getattr, getfh, link, lock,
                 lockt, locku, lookup, lookupp, nverify, open, openattr, open_confirm,
                 open_downgrade, putfh, putpubfh, putrootfh, read, readdir, readlink, remove,
                 rename, renew, restorefh, savefh, secinfo, setattr, setclientid,
                 setclientid_confirm, verify, write, release_lockowner, backchannel_ctl,
                 bind_conn_to_session, exchange_id, create_session, destroy_session, free_stateid,
                 get_dir_delegation, getdeviceinfo, getdevicelist, layoutcommit, layoutget,
                 layoutreturn, secinfo_no_name, sequence, set_ssv, test_stateid, want_delegation,
                 destroy_clientid, reclaim_complete, allocate, copy, copy_notify, deallocate,
                 io_advise, layouterror, layoutstats, offload_cancel, offload_status, read_plus,
                 seek, write_same, clone, getxattr, setxattr, listxattrs, removexattr, illegal>;

} // namespace nfs::v4
