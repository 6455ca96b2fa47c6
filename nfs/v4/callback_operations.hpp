#pragma once

#include "nfs/v4/callback/cb_getattr.hpp"
#include "nfs/v4/callback/cb_illegal.hpp"
#include "nfs/v4/callback/cb_layoutrecall.hpp"
#include "nfs/v4/callback/cb_notify.hpp"
#include "nfs/v4/callback/cb_notify_deviceid.hpp"
#include "nfs/v4/callback/cb_notify_lock.hpp"
#include "nfs/v4/callback/cb_offload.hpp"
#include "nfs/v4/callback/cb_push_deleg.hpp"
#include "nfs/v4/callback/cb_recall.hpp"
#include "nfs/v4/callback/cb_recall_any.hpp"
#include "nfs/v4/callback/cb_recall_slot.hpp"
#include "nfs/v4/callback/cb_recallable_obj_avail.hpp"
#include "nfs/v4/callback/cb_sequence.hpp"
#include "nfs/v4/callback/cb_wants_cancelled.hpp"
#include "rpc/op_list.hpp"

namespace nfs::v4 {

/// Every operation of a CB_COMPOUND, in the order of its numbers.
/// Source: RFC 8881 section 20, RFC 7862 section 16.
using callback_operations =
    rpc::op_list<cb_getattr, cb_recall, cb_layoutrecall, cb_notify, cb_push_deleg, cb_recall_any,
                 cb_recallable_obj_avail, cb_recall_slot, cb_sequence, cb_wants_cancelled,
                 cb_notify_lock, cb_notify_deviceid, cb_offload, cb_illegal>;

} // namespace nfs::v4
