#!/bin/bash
# First process of the server: own network, mounts and processes. Started by `lab up` with the lab's
# folder and what to export ("": tmpfs, "disk": a folder of the lab, else that folder).
set -euo pipefail
lab_dir=$1 export_root=$2

# /proc is still the host's: it tells the pid by which the host knows us, and when we began.
read -r stat </proc/self/stat
pid=${stat%% *}
# shellcheck disable=SC2086
set -- ${stat##*) }
echo "$pid ${20}" >"$lab_dir/init.pid"

mount -t proc proc /proc
umask 022
for folder in /run /var/lib/nfs /var/lib/samba /var/cache/samba /var/log/samba /var/log/ganesha; do
  [[ ! -d $folder || -L $folder ]] || mount -t tmpfs -o mode=755 tmpfs "$folder"
done
mkdir -p /run/ganesha /run/rpcbind /run/samba /run/lock /var/lib/nfs/ganesha /var/lib/samba/private
chown _rpc /run/rpcbind 2>/dev/null || true
# Ganesha finds what it exports in /etc/mtab, which minimal systems do not have.
if [[ ! -e /etc/mtab ]]; then
  cp -a /etc "$lab_dir/etc-with-mtab"
  ln -sfn /proc/mounts "$lab_dir/etc-with-mtab/mtab"
  mount --bind "$lab_dir/etc-with-mtab" /etc
fi
for file in passwd hosts; do mount --bind "$lab_dir/etc/$file" "/etc/$file"; done
# With --krb5: what the servers' libraries read, and the name by which Ganesha finds its key.
if [[ -e $lab_dir/etc/krb5.conf ]]; then
  [[ ! -e /etc/krb5.conf ]] || mount --bind "$lab_dir/etc/krb5.conf" /etc/krb5.conf
  hostname server.wiretrip.lab
fi
# No name server can be reached; nobody shall wait for one.
[[ ! -f /etc/resolv.conf ]] || mount --bind /dev/null /etc/resolv.conf

case $export_root in
'')
  mount -t tmpfs -o mode=777,size=50%,nr_inodes=0 wiretrip "$lab_dir/export"
  ;;
disk) chmod 777 "$lab_dir/export" ;;
*) mount --bind "$export_root" "$lab_dir/export" ;;
esac

: >"$lab_dir/init.ready"
# Bash takes in the processes whose parents are gone. A signal from outside only ends the sleep.
while :; do
  sleep 1000000 &
  wait $! || true
done
