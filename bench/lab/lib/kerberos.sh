# The lab's realm, WIRETRIP.LAB: its KDC, the servers' keytabs, the client's first ticket. Only
# with `lab up --krb5`. Sourced by `lab`.
# shellcheck shell=bash disable=SC2154

krb5_dir=$lab_dir/krb5
has_krb5() { [[ -e $krb5_dir/kdc.conf ]]; }

# What both machines and the KDC read, and what the servers' configurations gain.
write_krb5_configuration() {
  mkdir -p "$krb5_dir"
  cp "$lab_source/lib/krb5.conf" "$lab_dir/etc/krb5.conf"
  sed -e "s|@krb5@|$krb5_dir|" "$lab_source/lib/kdc.conf" >"$krb5_dir/kdc.conf"
  : >"$krb5_dir/acl"
  cat >>"$lab_dir/etc/hosts" <<'TEXT'
198.18.1.2 server.wiretrip.lab stranger.wiretrip.lab server.elsewhere.lab
198.18.2.2 server-shaped.wiretrip.lab
198.18.1.1 client.wiretrip.lab
TEXT
  cat >>"$lab_dir/etc/smb.conf" <<TEXT
realm = WIRETRIP.LAB
kerberos method = dedicated keytab
dedicated keytab file = FILE:$krb5_dir/cifs.keytab
TEXT
  sed -i 's/SecType = sys, none;/SecType = sys, none, krb5, krb5i, krb5p;/' "$lab_dir/etc/ganesha.conf"
  cat >>"$lab_dir/etc/ganesha.conf" <<TEXT
NFS_KRB5 {
  Active_krb5 = true;
  KeytabPath = $krb5_dir/nfs.keytab;
  CCacheDir = $krb5_dir/ganesha;
}
TEXT
}

# Users and hosts of the realm. The password of wiretrip stays what it is: -norandkey.
make_realm() {
  local host
  {
    inside kdb5_util create -s -r WIRETRIP.LAB -P wiretrip-master
    {
      echo 'addprinc -pw wiretrip wiretrip'
      echo 'addprinc -randkey host/client.wiretrip.lab'
      for host in server server-shaped; do
        echo "addprinc -randkey cifs/$host.wiretrip.lab"
        echo "addprinc -randkey nfs/$host.wiretrip.lab"
        echo "ktadd -k $krb5_dir/cifs.keytab cifs/$host.wiretrip.lab"
        echo "ktadd -k $krb5_dir/nfs.keytab nfs/$host.wiretrip.lab"
      done
      echo "ktadd -norandkey -k $krb5_dir/wiretrip.keytab wiretrip"
    } | inside kadmin.local
  } >>"$lab_dir/log/kdc" 2>&1
  [[ -s $krb5_dir/wiretrip.keytab ]] || fail "the realm could not be made: $(tail -n 3 "$lab_dir/log/kdc")"
}

# on_client COMMAND…: with the realm's names and configuration, and a ticket cache in the lab's
# folder. What `ip netns exec` mounts is seen by that command alone.
on_client() {
  if ! has_krb5; then
    exec ip netns exec "$client_ns" "$@"
  fi
  export KRB5_CONFIG=$lab_dir/etc/krb5.conf KRB5CCNAME=${KRB5CCNAME:-FILE:$krb5_dir/client-tickets}
  # shellcheck disable=SC2016
  exec ip netns exec "$client_ns" bash -c 'mount --bind "$1" /etc/hosts && shift && exec "$@"' lab \
    "$lab_dir/etc/hosts" "$@"
}

start_krb5() {
  export KRB5_CONFIG=$lab_dir/etc/krb5.conf KRB5_KDC_PROFILE=$krb5_dir/kdc.conf
  make_realm
  start_server kdc
  wait_for_server kdc
  (on_client kinit -k -t "$krb5_dir/wiretrip.keytab" wiretrip) >>"$lab_dir/log/kdc" 2>&1 ||
    fail "kinit: $(tail -n 2 "$lab_dir/log/kdc")"
}
