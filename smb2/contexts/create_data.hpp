#pragma once

#include "smb2/contexts/create.hpp"
#include "smb2/info/security.hpp"

/// The data of the CREATE contexts that have a structure, by their names. The others are bytes:
/// "SecD" a security descriptor (smb2/info/security.hpp), "ExtA" a list of
/// file_full_ea_information; the requests for "QFid" have no data.
namespace smb2 {

/// SMB2_CREATE_QUERY_MAXIMAL_ACCESS_REQUEST, 2.2.13.2.5; the data may be missing.
struct maximal_access_request {
  static constexpr std::string_view title = "MxAc request";
  static constexpr std::string_view context_name = "MxAc";

  filetime timestamp = 0; ///< answer only when the file was written since

  static bool fields(auto& m, auto& ar) { return ar("timestamp", m.timestamp); }
};

/// SMB2_CREATE_QUERY_MAXIMAL_ACCESS_RESPONSE, 2.2.14.2.5 ("MxAc"; the request may have no data).
struct maximal_access {
  static constexpr std::string_view title = "MxAc context";
  static constexpr std::string_view context_name = "MxAc";

  u32 query_status = 0; ///< NTSTATUS
  u32 access = 0;

  static bool fields(auto& m, auto& ar) {
    return ar("query_status", m.query_status, "access", m.access);
  }
};

/// SMB2_CREATE_QUERY_ON_DISK_ID, 2.2.14.2.9 ("QFid"; the request has no data).
struct on_disk_id {
  static constexpr std::string_view title = "QFid context";
  static constexpr std::string_view context_name = "QFid";

  u64 disk_file_id = 0;
  u64 volume_id = 0;

  static bool fields(auto& m, auto& ar) {
    return ar("disk_file_id", m.disk_file_id, "volume_id", m.volume_id) && ar.pad(16);
  }
};

/// What a lease allows: LeaseState. · source: MS-SMB2 2.2.13.2.8
namespace lease_state {
inline constexpr u32 none = 0x0;
inline constexpr u32 read_caching = 0x1;
inline constexpr u32 handle_caching = 0x2;
inline constexpr u32 write_caching = 0x4;
} // namespace lease_state

/// SMB2_CREATE_REQUEST_LEASE and its response, 2.2.13.2.8, 2.2.14.2.10 ("RqLs" of 2.1).
/// · bytes: 32
struct lease_v1 {
  static constexpr std::string_view title = "RqLs context";
  static constexpr std::string_view context_name = "RqLs";
  static constexpr u32 break_in_progress = 0x0000'0002; ///< flags of a response

  guid lease_key{};
  u32 lease_state = 0;
  u32 lease_flags = 0;

  static bool fields(auto& m, auto& ar) {
    return ar("lease_key", m.lease_key, "lease_state", m.lease_state, "lease_flags",
              m.lease_flags) &&
           ar.pad(8);
  }
};

/// SMB2_CREATE_REQUEST_LEASE_V2 and its response, 2.2.13.2.10, 2.2.14.2.11 ("RqLs" of 3.x): tell
/// it from the first by its size. · bytes: 52
struct lease_v2 {
  static constexpr std::string_view title = "RqLs v2 context";
  static constexpr std::string_view context_name = "RqLs";
  static constexpr u32 parent_lease_key_set = 0x0000'0004;

  guid lease_key{};
  u32 lease_state = 0;
  u32 lease_flags = 0;
  guid parent_lease_key{};
  u16 epoch = 0;

  static bool fields(auto& m, auto& ar) {
    return ar("lease_key", m.lease_key, "lease_state", m.lease_state, "lease_flags",
              m.lease_flags) &&
           ar.pad(8) && ar("parent_lease_key", m.parent_lease_key, "epoch", m.epoch) && ar.pad(2);
  }
};

/// SMB2_CREATE_DURABLE_HANDLE_REQUEST, 2.2.13.2.3. · bytes: 16, all reserved
struct durable_handle_request {
  static constexpr std::string_view title = "DHnQ context";
  static constexpr std::string_view context_name = "DHnQ";

  static bool fields(auto&, auto& ar) { return ar.pad(16); }
};

/// SMB2_CREATE_DURABLE_HANDLE_RESPONSE, 2.2.14.2.3. · bytes: 8, all reserved
struct durable_handle_response {
  static constexpr std::string_view title = "DHnQ response";
  static constexpr std::string_view context_name = "DHnQ";

  static bool fields(auto&, auto& ar) { return ar.pad(8); }
};

/// SMB2_CREATE_DURABLE_HANDLE_RECONNECT, 2.2.13.2.4
struct durable_handle_reconnect {
  static constexpr std::string_view title = "DHnC context";
  static constexpr std::string_view context_name = "DHnC";

  fileid file;

  static bool fields(auto& m, auto& ar) { return ar("file", m.file); }
};

/// SMB2_CREATE_DURABLE_HANDLE_REQUEST_V2, 2.2.13.2.11. · units: ms
struct durable_handle_request_v2 {
  static constexpr std::string_view title = "DH2Q context";
  static constexpr std::string_view context_name = "DH2Q";
  static constexpr u32 persistent = 0x0000'0002;

  u32 timeout = 0; ///< 0: the server's own
  u32 flags = 0;
  guid create_guid{};

  static bool fields(auto& m, auto& ar) {
    return ar("timeout", m.timeout, "flags", m.flags) && ar.pad(8) &&
           ar("create_guid", m.create_guid);
  }
};

/// SMB2_CREATE_DURABLE_HANDLE_RESPONSE_V2, 2.2.14.2.12. · units: ms
struct durable_handle_response_v2 {
  static constexpr std::string_view title = "DH2Q response";
  static constexpr std::string_view context_name = "DH2Q";

  u32 timeout = 0;
  u32 flags = 0;

  static bool fields(auto& m, auto& ar) { return ar("timeout", m.timeout, "flags", m.flags); }
};

/// SMB2_CREATE_DURABLE_HANDLE_RECONNECT_V2, 2.2.13.2.12
struct durable_handle_reconnect_v2 {
  static constexpr std::string_view title = "DH2C context";
  static constexpr std::string_view context_name = "DH2C";

  fileid file;
  guid create_guid{};
  u32 flags = 0;

  static bool fields(auto& m, auto& ar) {
    return ar("file", m.file, "create_guid", m.create_guid, "flags", m.flags);
  }
};

/// SMB2_CREATE_ALLOCATION_SIZE, 2.2.13.2.6. · units: bytes
struct allocation_size_request {
  static constexpr std::string_view title = "AlSi context";
  static constexpr std::string_view context_name = "AlSi";

  u64 allocation_size = 0;

  static bool fields(auto& m, auto& ar) { return ar("allocation_size", m.allocation_size); }
};

/// SMB2_CREATE_TIMEWARP_TOKEN, 2.2.13.2.7: the file as a snapshot has it
struct timewarp_token {
  static constexpr std::string_view title = "TWrp context";
  static constexpr std::string_view context_name = "TWrp";

  filetime timestamp = 0;

  static bool fields(auto& m, auto& ar) { return ar("timestamp", m.timestamp); }
};

/// SMB2_CREATE_APP_INSTANCE_ID, 2.2.13.2.13: which instance of a clustered program opens it
struct app_instance_id {
  static constexpr std::string_view title = "application instance id";
  static constexpr std::string_view context_name =
      "\x45\xBC\xA6\x6A\xEF\xA7\xF7\x4A\x90\x08\xFA\x46\x2E\x14\x4D\x74";

  guid id{};

  static bool fields(auto& m, auto& ar) {
    return ar.structure_size(20) && ar.pad(2) && ar("id", m.id);
  }
};

/// SMB2_CREATE_APP_INSTANCE_VERSION, 2.2.13.2.15
struct app_instance_version {
  static constexpr std::string_view title = "application instance version";
  static constexpr std::string_view context_name =
      "\xB9\x82\xD0\xB7\x3B\x56\x07\x4F\xA0\x7B\x52\x4A\x81\x16\xA0\x10";

  u64 high = 0;
  u64 low = 0;

  static bool fields(auto& m, auto& ar) {
    return ar.structure_size(24) && ar.pad(6) && ar("high", m.high, "low", m.low);
  }
};

/// The POSIX extensions of Samba and Linux: the mode that a new file gets
struct posix_create_request {
  static constexpr std::string_view title = "POSIX create context";
  static constexpr std::string_view context_name =
      "\x93\xAD\x25\x50\x9C\xB4\x11\xE7\xB4\x23\x83\xDE\x96\x8B\xCD\x7C";

  u32 mode = 0;

  static bool fields(auto& m, auto& ar) { return ar("mode", m.mode); }
};

/// What the server answers to it.
struct posix_create_response {
  static constexpr std::string_view title = "POSIX create response";
  static constexpr std::string_view context_name = posix_create_request::context_name;

  u32 hard_links = 0;
  u32 reparse_tag = 0;
  u32 mode = 0;
  sid owner;
  sid group;

  static bool fields(auto& m, auto& ar) {
    return ar("hard_links", m.hard_links, "reparse_tag", m.reparse_tag, "mode", m.mode, "owner",
              m.owner, "group", m.group);
  }
};

} // namespace smb2
