# Names, messages, requirements, the lock and the clean-up. Sourced by `lab`.
# shellcheck shell=bash disable=SC2154

lab_name=${WIRETRIP_LAB_NAME:-wt}
if [[ ! $lab_name =~ ^[a-z][a-z0-9]{0,15}$ ]]; then
  echo "lab: WIRETRIP_LAB_NAME '$lab_name' is not 1 to 16 small letters and digits" >&2
  exit 2
fi
if [[ $lab_name == wt ]]; then lab_dir_default=/tmp/wiretrip-lab; else lab_dir_default=/tmp/wiretrip-lab-$lab_name; fi
lab_dir=$(readlink -m "${WIRETRIP_LAB_DIR:-$lab_dir_default}")
client_ns=$lab_name-client
server_ns=$lab_name-server
netns_dir=/run/netns
# Written into the lab's folder; only a folder that has it is ever removed.
marker=.wiretrip-lab

say() { echo "lab: $*" >&2; }
fail() {
  say "$@"
  exit 1
}
usage_error() {
  say "$@" "(lab help)"
  exit 2
}
cannot_run() {
  say "cannot run here:"
  printf '  - %s\n' "$@" >&2
  exit 3
}

require_root() {
  ((EUID == 0)) || cannot_run "needs root: sudo $lab_source/lab $*"
}

# Everything that is missing at once, so that one look is enough.
require_lab() {
  local missing=() program packages= kerberos=()
  [[ -z $krb5 ]] || kerberos=(krb5kdc:krb5-kdc kdb5_util:krb5-kdc kadmin.local:krb5-admin-server kinit:krb5-user)
  ((EUID == 0)) || missing+=("needs root: sudo $lab_source/lab up")
  for program in ip:iproute2 nsenter:util-linux unshare:util-linux flock:util-linux \
    rpcbind:rpcbind rpcinfo:rpcbind ganesha.nfsd:nfs-ganesha smbd:samba smbpasswd:samba-common-bin "${kerberos[@]}"; do
    PATH=$PATH:/usr/sbin:/sbin command -v "${program%%:*}" >/dev/null ||
      packages+=" ${program#*:} (${program%%:*})"
  done
  compgen -G '/usr/lib/*/ganesha/libfsalvfs.so' >/dev/null ||
    compgen -G '/usr/lib*/ganesha/libfsalvfs.so' >/dev/null || packages+=" nfs-ganesha-vfs"
  [[ -z $packages ]] || missing+=("packages:$packages. Install them with: $lab_source/install --lab")
  [[ -c /dev/net/tun ]] || missing+=("/dev/net/tun: load the kernel module tun, or pass the device in")
  case $lab_dir in
  /run/* | /var/run/* | /var/lib/nfs/* | /var/lib/samba/* | /var/cache/samba/*)
    missing+=("WIRETRIP_LAB_DIR=$lab_dir: the servers get their own empty folder over that one")
    ;;
  esac
  if ((EUID == 0 && ${#missing[@]} == 0)); then
    local why
    why=$(unshare --net --mount --propagation private --pid --fork true 2>&1) ||
      missing+=("network, mount and process namespaces (in a container: --privileged): $why")
    { : <>/dev/net/tun; } 2>/dev/null || missing+=("/dev/net/tun: cannot be opened")
  fi
  ((${#missing[@]} == 0)) || cannot_run "${missing[@]}"
  export PATH=$PATH:/usr/sbin:/sbin
}

require_up() {
  require_root "${command:-}"
  lab_is_up || fail "lab '$lab_name' is not up: $lab_source/lab up"
}

# One lab command at a time on this machine. The lock is on the device that every lab needs, so
# there is no lock file to leave behind. Programs that stay are started with the descriptor closed.
lock_lab() {
  exec {lock_fd}</dev/net/tun
  flock --timeout 120 "$lock_fd" || fail "another lab command is running for two minutes"
}
unlocked() (
  [[ -z ${lock_fd-} ]] || exec {lock_fd}>&-
  exec "$@"
)

# start_time PID: in ticks since boot; with the pid it names a process for good.
start_time() {
  local stat
  { read -r stat <"/proc/$1/stat"; } 2>/dev/null || return 1
  # shellcheck disable=SC2086
  set -- ${stat##*) }
  echo "${20}"
}

# The first process of the server's process namespace, if it is still the one we started.
lab_alive() {
  local pid ticks
  { read -r pid ticks <"$lab_dir/init.pid"; } 2>/dev/null || return 1
  [[ $(start_time "$pid") == "$ticks" && -e $netns_dir/$client_ns && -e $netns_dir/$server_ns ]] || return 1
  [[ /proc/$pid/ns/net -ef $netns_dir/$server_ns ]] || return 1
  init_pid=$pid
}

# Not before `up` came to its end: one that was killed half way is cleaned up, not mended.
lab_is_up() { lab_alive && [[ -e $lab_dir/complete ]]; }

# until_true SECONDS COMMAND…: polls.
until_true() {
  local deadline=$((${EPOCHREALTIME/./} + $1 * 1000000))
  shift
  until "$@"; do
    ((${EPOCHREALTIME/./} < deadline)) || return 1
    read -rt 0.02 <> <(:) || true
  done
}

make_state() {
  if [[ -e $lab_dir && ! -e $lab_dir/$marker ]]; then
    [[ -d $lab_dir && -z $(ls -A "$lab_dir") ]] || fail "$lab_dir exists and is not a lab's folder"
  fi
  mkdir -p "$lab_dir"
  : >"$lab_dir/$marker"
  mkdir -p "$lab_dir/log" "$lab_dir/etc" "$lab_dir/export"
  [[ -d $netns_dir ]] || : >"$lab_dir/made-netns-dir"
}

# Processes in our two network namespaces. The namespaces are ours by name, so whatever runs there
# was started by the lab or through it.
lab_pids() {
  local ns
  for ns in "$client_ns" "$server_ns"; do
    [[ ! -e $netns_dir/$ns ]] || ip netns pids "$ns" 2>/dev/null || true
  done
}
no_lab_pids() { [[ -z $(lab_pids) ]]; }

# Takes everything down, however much of it is there.
clean_up() {
  local pid ns made_netns_dir=
  # Its death takes the whole process namespace along: servers, their children, the relay.
  if lab_alive; then kill -KILL "$init_pid" 2>/dev/null || true; fi
  for pid in $(lab_pids); do kill -TERM "$pid" 2>/dev/null || true; done
  if ! until_true 1 no_lab_pids; then
    for pid in $(lab_pids); do kill -KILL "$pid" 2>/dev/null || true; done
    until_true 5 no_lab_pids || fail "processes do not end: $(lab_pids | tr '\n' ' ')"
  fi
  for ns in "$client_ns" "$server_ns"; do
    [[ ! -e $netns_dir/$ns ]] || ip netns delete "$ns" || true
  done
  [[ ! -e $lab_dir/made-netns-dir ]] || made_netns_dir=yes
  if [[ -e $lab_dir/$marker ]]; then rm -rf --one-file-system "$lab_dir"; fi
  # `ip netns add` mounts the folder on itself; we made it, so it goes when nobody else is there.
  if [[ -n $made_netns_dir && -d $netns_dir && -z $(ls -A "$netns_dir") ]]; then
    umount "$netns_dir" 2>/dev/null || true
    rmdir "$netns_dir" 2>/dev/null || true
  fi
}

leftovers() {
  [[ ! -e $netns_dir/$client_ns ]] || echo "namespace $client_ns"
  [[ ! -e $netns_dir/$server_ns ]] || echo "namespace $server_ns"
  [[ ! -e $lab_dir ]] || echo "$lab_dir"
}
