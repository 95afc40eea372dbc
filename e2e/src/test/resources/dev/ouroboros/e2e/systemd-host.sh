#!/bin/bash
# systemd-host.sh DIRECTORY CHECKOUT NAME ADDRESS CGROUP...
#
# Boots a machine that systemd runs, as a set of namespaces: its root is a layer over this machine's, on a disk of its own in
# DIRECTORY, with CHECKOUT at /opt/checkout wherever that is here, NAME its host name and ADDRESS that of eth0; each CGROUP is a control group of this machine in which everything of it stays. Becomes the parent of its process 1.
#
# Of this machine nothing is changed: /proc/sys and /sys are read-only but for what belongs to its network namespace, and the six
# variables that a kubelet sets for the whole kernel are files of its own.
set -euo pipefail
directory=$1 checkout=$2 name=$3 address=$4
shift 4
if [ "${1:-}" != inside ]; then
    for cgroup; do echo 0 >"$cgroup/cgroup.procs"; done
    # The namespace of control groups makes those of the machine the roots of what it sees.
    exec unshare --mount --pid --fork --kill-child --net --uts --ipc --cgroup --propagation private /bin/bash "$0" "$directory" "$checkout" "$name" "$address" inside
fi

disk=$directory/disk root=$directory/root
mkdir -p "$disk" "$root"
mount -t ext4 -o loop,noatime "$directory/disk.img" "$disk"
mkdir -p "$disk"/{upper,work,checkout,checkout-work,containerd,kubelet,etcd}
mount -t overlay -o "lowerdir=/,upperdir=$disk/upper,workdir=$disk/work" overlay "$root"
# Its own /tmp is empty, and is emptied at boot: a checkout there must be seen all the same, and not be reached.
mkdir -p "$root/opt/checkout"
mount -t overlay -o "lowerdir=$checkout,upperdir=$disk/checkout,workdir=$disk/checkout-work" overlay "$root/opt/checkout"
# A layer cannot be a layer's upper directory, and etcd and journals want a file system that syncs.
for pair in containerd:/var/lib/containerd kubelet:/var/lib/kubelet etcd:/var/lib/etcd; do
    mkdir -p "$root${pair#*:}"
    mount --bind "$disk/${pair%%:*}" "$root${pair#*:}"
done

mount -t proc proc "$root/proc"
mount --bind "$root/proc/sys" "$root/proc/sys"
mount -o remount,bind,ro "$root/proc/sys"
mount --bind "$root/proc/sys/net" "$root/proc/sys/net"
mount -o remount,bind,rw "$root/proc/sys/net"
mount -t tmpfs -o mode=755 tmpfs "$root/run"
mkdir "$root/run/variables"
for variable in vm/overcommit_memory vm/panic_on_oom kernel/panic kernel/panic_on_oops kernel/keys/root_maxkeys \
    kernel/keys/root_maxbytes; do
    if [ -e "$root/proc/sys/$variable" ]; then
        cat "$root/proc/sys/$variable" >"$root/run/variables/${variable##*/}"
        mount --bind "$root/run/variables/${variable##*/}" "$root/proc/sys/$variable"
    fi
done
cat /proc/sys/kernel/random/uuid >"$root/run/variables/boot_id"
mount --bind "$root/run/variables/boot_id" "$root/proc/sys/kernel/random/boot_id"

mount -t sysfs -o ro sysfs "$root/sys"
mount -t tmpfs -o mode=755 tmpfs "$root/sys/fs/cgroup"
while IFS=: read -r _ controllers _; do
    case $controllers in
        '' | name=*) continue ;;
    esac
    mkdir "$root/sys/fs/cgroup/$controllers"
    mount -t cgroup -o "$controllers" cgroup "$root/sys/fs/cgroup/$controllers"
done </proc/self/cgroup
mkdir "$root/sys/fs/cgroup/systemd"
mount -t cgroup -o none,name=systemd cgroup "$root/sys/fs/cgroup/systemd"

mount -t tmpfs -o mode=755 tmpfs "$root/dev"
for device in null zero full random urandom tty kmsg; do
    : >"$root/dev/$device"
    mount --bind "/dev/$device" "$root/dev/$device"
done
mkdir "$root"/dev/{shm,pts,mqueue}
mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
mount -t devpts -o newinstance,ptmxmode=0666,mode=620 devpts "$root/dev/pts"
ln -s pts/ptmx "$root/dev/ptmx"
ln -s /proc/self/fd "$root/dev/fd"
mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"

if [ ! -e "$disk/installed" ]; then
    # As Debian's installer leaves a machine: nothing but systemd's own is enabled, and no node of anything.
    rm -rf "$root"/etc/systemd/system/*.wants "$root"/etc/{kubernetes,cni,ouroboros} "$root"/var/lib/{ouroboros,cni}
    systemctl --root="$root" mask --quiet apt-daily.timer apt-daily-upgrade.timer systemd-timesyncd.service
    systemctl --root="$root" set-default --quiet multi-user.target
    : >"$root/etc/machine-id"
    echo "$name" >"$root/etc/hostname"
    printf '127.0.0.1 localhost\n127.0.1.1 %s\n' "$name" >"$root/etc/hosts"
    : >"$root/etc/resolv.conf"
    printf '[Journal]\nStorage=persistent\n' >"$root/etc/systemd/journald.conf"
    touch "$disk/installed"
fi

hostname "$name"
ip link set lo up
# Both ends of its cable are its own: nothing leaves it, until somebody plugs the other one in elsewhere.
ip link add eth0 type veth peer name cable
ip link set cable up
ip address add "$address/24" dev eth0
ip link set eth0 up
ip route add default via 10.0.0.1
ip route add unreachable 169.254.0.0/16
cd "$root"
mkdir -p "$root/mnt"
pivot_root . mnt
umount -l /mnt
mount --make-rshared /
exec env -i container=ouroboros PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    /lib/systemd/systemd --log-target=journal --show-status=0
