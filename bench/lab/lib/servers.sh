# The servers and the namespaces that they live in. Sourced by `lab`.
# shellcheck shell=bash disable=SC2154

# inside COMMAND…: with the server's network, files and processes.
inside() { unlocked nsenter --target "$init_pid" --net --mount --uts --pid --root --wd=/ -- "$@"; }
# inside_daemon LOG COMMAND…: leaves it running there.
inside_daemon() {
  local log=$lab_dir/log/$1
  shift
  inside bash -c 'ulimit -n 65536 2>/dev/null; setsid "$@" &' lab "$@" \
    </dev/null >>"$log" 2>&1
}

inside_ready() { [[ -e $lab_dir/init.ready ]] && lab_alive; }

start_inside() {
  write_configuration
  # Dies when either of the two does: --kill-child, and the first process of a process namespace.
  # Its /tmp and disks stay the host's, everything that servers keep state in becomes its own.
  {
    exec {lock_fd}>&-
    exec setsid nsenter --net="$netns_dir/$server_ns" \
      unshare --mount --uts --propagation private --pid --fork --kill-child \
      bash "$lab_source/lib/inside.sh" "$lab_dir" "$export_root"
  } </dev/null >"$lab_dir/log/inside" 2>&1 &
  disown
  until_true 10 inside_ready && return
  tail -n 5 "$lab_dir/log/inside" >&2
  fail "the server's namespaces do not come up"
}

write_configuration() {
  local etc=$lab_dir/etc
  sed -e "s|@export@|$lab_dir/export|" "$lab_source/lib/ganesha.conf" >"$etc/ganesha.conf"
  cp "$lab_source/lib/smb.conf" "$etc/smb.conf"
  cat >"$etc/hosts" <<'TEXT'
127.0.0.1 localhost
::1 localhost
198.18.1.1 client
198.18.2.1 client-shaped
198.18.1.2 server
198.18.2.2 server-shaped
TEXT
  printf '127.0.0.1 %s\n' "$(hostname)" >>"$etc/hosts"
  [[ -z $krb5 ]] || write_krb5_configuration
  [[ -z $nfs_conf ]] || cat "$nfs_conf" >>"$etc/ganesha.conf"
  [[ -z $smb_conf ]] || cat "$smb_conf" >>"$etc/smb.conf"
  # Shares come last: what a user appended belongs to [global].
  printf '\n[export]\npath = %s\n' "$lab_dir/export" >>"$etc/smb.conf"
  cat "$lab_source/lib/smb-share.conf" >>"$etc/smb.conf"
  # A user for smbd to know; nobody logs in with it, files are root's.
  { cat /etc/passwd && echo 'wiretrip:x:64990:64990::/nonexistent:/usr/sbin/nologin'; } >"$etc/passwd"
}

declare -A server_program=([nfs]=ganesha.nfsd [smb]=smbd [rpcbind]=rpcbind [kdc]=krb5kdc)
is_server() { [[ $1 == nfs || $1 == smb ]]; }

# pids_of_program NAME: by the file they run, in the server's network namespace.
pids_of_program() {
  local pid exe
  for pid in $(ip netns pids "$server_ns" 2>/dev/null); do
    exe=$(readlink "/proc/$pid/exe" 2>/dev/null) || continue
    exe=${exe##*/}
    [[ ${exe% (deleted)} != "$1" ]] || echo "$pid"
  done
}
server_pids() { pids_of_program "${server_program[$1]}"; }
# server_pid SERVER: of the parent of the others, or nothing.
server_pid() {
  local pids
  mapfile -t pids < <(server_pids "$1")
  echo "${pids[0]-}"
}
server_gone() { [[ -z $(server_pids "$1") ]]; }
server_there() { ! server_gone "$1"; }

start_server() {
  case $1 in
  rpcbind) inside_daemon rpcbind rpcbind -f -w ;;
  kdc)
    inside_daemon kdc env KRB5_CONFIG="$lab_dir/etc/krb5.conf" KRB5_KDC_PROFILE="$krb5_dir/kdc.conf" krb5kdc -n
    ;;
  nfs)
    inside_daemon nfs ganesha.nfsd -F -f "$lab_dir/etc/ganesha.conf" -L "$lab_dir/log/nfs" \
      -N NIV_EVENT -p /run/ganesha/ganesha.pid
    ;;
  smb)
    inside_daemon smb smbd --foreground --no-process-group --debug-stdout \
      --configfile="$lab_dir/etc/smb.conf"
    ;;
  esac
}

port_answers() { inside bash -c ": <>/dev/tcp/127.0.0.1/$1" 2>/dev/null; }
program_answers() { inside rpcinfo -T "$1" 127.0.0.1 "$2" "$3" >/dev/null 2>&1; }
# Ganesha runs on without an export that it could not make.
nfs_exports_nothing() { grep -q 'No export entries found' "$lab_dir/log/nfs" 2>/dev/null; }
server_answers() {
  case $1 in
  rpcbind) port_answers 111 && inside test -S /run/rpcbind.sock ;;
  # MOUNT comes last, and v3 cannot mount without it.
  nfs) port_answers 2049 && program_answers tcp 100003 3 && program_answers tcp 100003 4 &&
    program_answers udp 100003 3 && program_answers tcp 100005 3 && ! nfs_exports_nothing ;;
  smb) port_answers 445 ;;
  kdc) inside bash -c ': <>/dev/tcp/198.18.1.2/88' 2>/dev/null ;;
  esac
}
server_answers_or_died() {
  server_answers "$1" || server_gone "$1" || { [[ $1 == nfs ]] && nfs_exports_nothing; }
}

wait_for_server() {
  # The program may not have been executed yet; from then on, gone is dead.
  until_true 2 server_there "$1" || true
  until_true 20 server_answers_or_died "$1" && server_answers "$1" && return
  if [[ $1 == nfs ]] && nfs_exports_nothing; then
    say "it exports nothing; what it says of that:"
    grep -E ':(CRIT|MAJ) :' "$lab_dir/log/nfs" | grep -vE 'DBUS|krb5' | head -n 8 >&2
  fi
  say "last lines of $lab_dir/log/$1:"
  tail -n 15 "$lab_dir/log/$1" >&2
  fail "the $1 server (${server_program[$1]}) does not come up"
}

start_servers() {
  ! has_krb5 || start_krb5
  start_server rpcbind
  inside bash -c "printf 'wiretrip\nwiretrip\n' | smbpasswd -c '$lab_dir/etc/smb.conf' -s -a wiretrip" \
    >>"$lab_dir/log/smb" 2>&1 || fail "smbpasswd: $(tail -n 3 "$lab_dir/log/smb")"
  start_server smb
  # Ganesha registers with rpcbind once, when it starts.
  wait_for_server rpcbind
  start_server nfs
  wait_for_server smb
  wait_for_server nfs
}

start_what_died() {
  local server
  if ! relay_answers; then
    say "the shaped link had died: starting it again"
    stop_relay
    start_relay
  fi
  if has_krb5 && server_gone kdc; then
    say "the KDC had died: starting it again"
    start_server kdc
    wait_for_server kdc
  fi
  if server_gone rpcbind; then
    # What was registered is lost with it.
    say "rpcbind had died: starting it and the NFS server again"
    start_server rpcbind
    wait_for_server rpcbind
    stop_server nfs
  fi
  for server in nfs smb; do
    if server_gone "$server"; then
      say "the $server server had died: starting it again"
      start_server "$server"
      wait_for_server "$server"
    fi
  done
}

signal_server() {
  local pid
  for pid in $(server_pids "$2"); do kill "-$1" "$pid" 2>/dev/null || true; done
}
kill_server() {
  signal_server KILL "$1"
  until_true 5 server_gone "$1" || fail "the $1 server does not die"
}
stop_server() {
  signal_server TERM "$1"
  until_true 8 server_gone "$1" || kill_server "$1"
}
