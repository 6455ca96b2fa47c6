# Namespaces, the two links and the relay. Sourced by `lab`.
# shellcheck shell=bash disable=SC2154

# make_end NAMESPACE HOST-NUMBER: addresses and settings of one machine, its devices exist.
make_end() {
  local ns=$1 host=$2 net=0 device
  ip -n "$ns" link set lo up
  for device in fast shaped; do
    net=$((net + 1))
    ip -n "$ns" link set "$device" address "02:00:c6:12:0$net:0$host" addrgenmode none
    ip -n "$ns" address add "198.18.$net.$host/24" dev "$device"
    ip -n "$ns" -6 address add "fd00:198:18:$net::$host/64" dev "$device" nodad 2>/dev/null || true
  done
  # Frames wait in the relay's counted queue, not here.
  ip -n "$ns" link set shaped txqueuelen 4000 up
  ip -n "$ns" link set fast up
  # What one connection learned about the path must not change the next measurement.
  nsenter --net="$netns_dir/$ns" bash -c 'echo 1 >/proc/sys/net/ipv4/tcp_no_metrics_save'
}

make_network() {
  local ns
  ip netns add "$client_ns"
  ip netns add "$server_ns"
  ip -n "$client_ns" link add fast type veth peer name fast netns "$server_ns"
  for ns in "$client_ns" "$server_ns"; do ip -n "$ns" tuntap add dev shaped mode tap; done
  make_end "$client_ns" 1
  make_end "$server_ns" 2
}

# Takes the relay program into the lab's folder, where it stays for as long as the lab: the one that
# was told, one that cmake built (release before others, which may be slowed by sanitizers), or one
# that is compiled now.
relay=$lab_dir/wiretrip-link
take_relay() {
  local candidate=${WIRETRIP_LINK-}
  if [[ -n $candidate ]]; then
    [[ -x $candidate ]] || fail "WIRETRIP_LINK=$candidate is no program"
  else
    for candidate in "$lab_source"/../../build/{release,dev,*}/wiretrip-link; do
      [[ ! -x $candidate ]] || break
    done
  fi
  if [[ -x $candidate ]]; then
    cp "$candidate" "$relay"
  else
    compile_relay
  fi
}

compile_relay() {
  command -v "${CXX:-g++}" >/dev/null || cannot_run \
    "wiretrip-link is not built and there is no compiler: cmake --build --preset release --target wiretrip-link"
  say "compiling wiretrip-link (once for this lab; a cmake build has it)"
  "${CXX:-g++}" -std=c++23 -O2 -I"$lab_source/../.." "$lab_source"/link/*.cpp -o "$relay" ||
    fail "wiretrip-link does not compile"
}

# link_change --KEY VALUE: checked here by name; the relay checks the value.
link_change() {
  [[ $1 =~ ^--((up-|down-)?(rate|delay|loss|jitter|reorder|reorder-delay|duplicate|queue)|rtt|mtu)$ ]] ||
    usage_error "unknown option $1"
  [[ $2 =~ ^[0-9a-z.%]+$ ]] || usage_error "$1: '$2' is no value"
  link_changes+=("${1#--}" "$2")
}

# Settings outlive the relay: one "key value" a line, in the order in which they were given.
link_remember() {
  while (($#)); do
    if [[ -f $lab_dir/link ]]; then sed -i "/^$1 /d" "$lab_dir/link"; fi
    echo "$1 $2" >>"$lab_dir/link"
    shift 2
  done
}

relay_pids() { pids_of_program wiretrip-link; }
relay_gone() { [[ -z $(relay_pids) ]]; }
relay_answers() { "$relay" status --control "$lab_dir/link.sock" >/dev/null 2>&1; }
relay_answers_or_died() { relay_answers || relay_gone; }

# One that hangs or is on its way out still holds the devices.
stop_relay() {
  local pid
  for pid in $(relay_pids); do kill -KILL "$pid" 2>/dev/null || true; done
  until_true 5 relay_gone || fail "the relay does not die"
}

start_relay() {
  local settings=() key value
  while read -r key value; do settings+=("--$key" "$value"); done <"$lab_dir/link"
  : >"$lab_dir/log/link"
  # In the server's process namespace, so that it dies with it, but with the host's files: it has to
  # see the names of both network namespaces.
  unlocked nsenter --target "$init_pid" --pid bash -c 'setsid "$@" &' lab \
    "$relay" run --a "$client_ns:shaped" --b "$server_ns:shaped" --control "$lab_dir/link.sock" \
    "${settings[@]}" </dev/null >>"$lab_dir/log/link" 2>&1
  until_true 5 relay_answers_or_died && relay_answers && return
  tail -n 5 "$lab_dir/log/link" >&2
  fail "the shaped link does not come up"
}

# Applies link_changes to the running relay, and prints what it answers.
change_link() {
  local words=() i answer
  for ((i = 0; i < ${#link_changes[@]}; i += 2)); do
    words+=("--${link_changes[i]}" "${link_changes[i + 1]}")
  done
  answer=$("$relay" set --control "$lab_dir/link.sock" "${words[@]}") || {
    [[ -z $answer ]] || say "$answer"
    exit 1
  }
  link_remember "${link_changes[@]}"
  echo "$answer"
}
