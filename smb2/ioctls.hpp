#pragma once

/// The structures that IOCTL carries, by control code (smb2/commands/ioctl.hpp lists the codes).
#include "smb2/ioctls/copychunk.hpp"
#include "smb2/ioctls/dfs.hpp"
#include "smb2/ioctls/network_interface.hpp"
#include "smb2/ioctls/pipe.hpp"
#include "smb2/ioctls/resiliency.hpp"
#include "smb2/ioctls/sparse.hpp"
#include "smb2/ioctls/validate_negotiate_info.hpp"
