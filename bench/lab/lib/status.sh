# What `lab status` prints. Sourced by `lab`.
# shellcheck shell=bash disable=SC2154

server_version() {
  case $1 in
  nfs) ganesha.nfsd -v 2>/dev/null | sed -n 's/^NFS-Ganesha Release = V*//p' ;;
  smb) smbd --version 2>/dev/null | sed 's/^Version //' ;;
  rpcbind) echo ;;
  esac
}

# link_value JSON KEY: the first number with that name.
link_value() { sed -n "s/.*\"$2\":\([0-9.e-]*\).*/\1/p" <<<"$1"; }

print_status() {
  local server pid link
  if ! lab_is_up; then
    echo "lab '$lab_name' is down"
    return
  fi
  echo "lab '$lab_name' is up: $client_ns, $server_ns; files in $lab_dir"
  echo "  link fast    198.18.1.1 - 198.18.1.2   veth"
  if link=$("$relay" status --control "$lab_dir/link.sock" 2>/dev/null); then
    echo "  link shaped  198.18.2.1 - 198.18.2.2   $(paste -sd' ' "$lab_dir/link")  (wiretrip-link, pid $(relay_pids))"
  else
    echo "  link shaped  dead: $lab_source/lab up"
  fi
  for server in nfs smb; do
    pid=$(server_pid "$server")
    printf '  server %-5s %s %s  %s\n' "$server" "${server_program[$server]}" \
      "$(server_version "$server")" "$([[ -n $pid ]] && echo "pid $pid" || echo "dead: $lab_source/lab up")"
  done
  if has_krb5; then
    pid=$(server_pid kdc)
    echo "  realm WIRETRIP.LAB, KDC 198.18.1.2 ($([[ -n $pid ]] && echo "pid $pid" || echo "dead: $lab_source/lab up"))   smb://server.wiretrip.lab/export?sec=krb5"
  fi
  cat <<TEXT
  nfs://198.18.2.2/export?version=3   smb://wiretrip@198.18.2.2/export   (shaped; fast: 198.18.1.2)
  password: wiretrip    run a client: $lab_source/lab exec COMMAND
TEXT
}

print_status_json() {
  local server pid link servers=
  if ! lab_is_up; then
    printf '{"schema":"wiretrip.lab/1","name":"%s","up":false}\n' "$lab_name"
    return
  fi
  link=$("$relay" status --control "$lab_dir/link.sock" 2>/dev/null) || link=null
  for server in rpcbind nfs smb; do
    pid=$(server_pid "$server")
    servers+="${servers:+,}\"$server\":{\"program\":\"${server_program[$server]}\",\"version\":\"$(server_version "$server")\",\"pid\":${pid:-null}}"
  done
  cat <<TEXT
{"schema":"wiretrip.lab/1","name":"$lab_name","up":true,"folder":"$lab_dir","namespaces":{"client":"$client_ns","server":"$server_ns"},"links":{"fast":{"device":"fast","client":"198.18.1.1","server":"198.18.1.2"},"shaped":{"device":"shaped","client":"198.18.2.1","server":"198.18.2.2","relay":$link}},"servers":{$servers},"urls":{"nfs":"nfs://198.18.2.2/export","smb":"smb://wiretrip@198.18.2.2/export","nfs_fast":"nfs://198.18.1.2/export","smb_fast":"smb://wiretrip@198.18.1.2/export"}}
TEXT
}
