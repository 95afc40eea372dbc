#!/bin/bash
# supervisor.sh NODE_DIRECTORY NODE_NAME
#
# Process 1 of a node: lays out its file system, then keeps the node's services running. bash reaps orphans, and when process 1 is
# killed the kernel kills every process of the node at once and drops its mounts: that is how a node loses its power.
#
# The node's root is a layer over the host's: it sees the host's files, and whatever it writes is on its own disk (a loop device). Of its
# own it has /var and /tmp, on that disk, and /run, /dev, /proc and /sys. The host's files as they are now, read-only, are below
# /run/ouroboros/host. All that the node keeps is on its disk; the host has the disk itself and, as the far end of a serial line, the
# logs of its services.
set -euo pipefail
sandbox=$1 node=$2
exec </dev/null

# Places and flags of the host's mounts that have people's files, a parent before what is mounted in it. Not what a kernel or an init
# mounts for itself, and not what runs containers mounts below a directory of its own in /var/lib.
host_mounts() {
    local place flags
    declare -A seen=([/]=1)
    while read -r _ _ _ _ place flags _; do
        # A space is \040 there, proc(5).
        printf -v place %b "$place"
        case $place/ in
            /proc/* | /sys/* | /dev/* | /run/* | /var/lib/*/?*) continue ;;
        esac
        [ -z "${seen[$place]:-}" ] || continue
        seen[$place]=1
        places+=("$place")
        place_flags+=("$flags")
    done </proc/self/mountinfo
}

read_only() {
    mount --bind "$1" "$2"
    mount -o "remount,bind,${3:-rw},ro" "$2"
}

# A directory of the host in the node, with what the node changes in it on the node's disk. Without an index and with whole copies:
# what is synced there outlives a power cut as on any ext4, and nothing has to fit the host's file system at the next boot.
layer() {
    local place=$1 name=${1//%/%25}
    name=${name//\//%2F}
    mkdir -p "$disk/layers/$name"/{upper,work}
    mount -t overlay -o "lowerdir=$place,upperdir=$disk/layers/$name/upper,workdir=$disk/layers/$name/work,index=off,metacopy=off" \
        overlay "$new$place" && layered+=("$place")
}

layers() {
    local index place
    # Nodes of earlier versions had a layer over /etc alone.
    if [ -d "$disk/etc/upper" ] && [ ! -d "$disk/layers" ]; then
        mkdir -p "$disk/layers/%2F/upper" && mv "$disk/etc/upper" "$disk/layers/%2F/upper/etc"
    fi
    layer /
    # Other file systems of the host, as one for /home. What no layer can lie over, a file or a FAT, is there to be read.
    for index in "${!places[@]}"; do
        place=${places[$index]}
        case $place/ in
            /etc/* | /tmp/* | /var/*) continue ;;
        esac
        # The node may have removed the place from its own layer.
        [ -e "$new$place" ] || continue
        if [ ! -d "$place" ] || [[ $place == *[,:\\]* ]] || ! layer "$place"; then
            read_only "$place" "$new$place" "${place_flags[$index]}"
        fi
    done
}

devices() {
    mount -t tmpfs -o mode=755,size=1m tmpfs "$new/dev"
    mkdir "$new"/dev/{pts,shm}
    # No disks: what looks for empty ones to use, or has a typing error, would find the host's.
    local device
    for device in null zero full random urandom tty kmsg fuse kvm net/tun vhost-net vhost-vsock; do
        if [ -c "/dev/$device" ]; then (cd /dev && cp --archive --parents "$device" "$new/dev"); fi
    done
    ln -s /proc/self/fd "$new/dev/fd"
    ln -s /proc/self/fd/0 "$new/dev/stdin"
    ln -s /proc/self/fd/1 "$new/dev/stdout"
    ln -s /proc/self/fd/2 "$new/dev/stderr"
    # The terminal of who enters the node is one of the host's.
    mount --bind /dev/pts "$new/dev/pts"
    ln -s pts/ptmx "$new/dev/ptmx"
    mount -t tmpfs -o mode=1777 tmpfs "$new/dev/shm"
}

# What the kernel shows. What of it belongs to the whole machine, and not to the node's namespaces, can be read.
kernel_files() {
    mount -t proc proc "$new/proc"
    mount --bind "$new/proc/sys" "$new/proc/sys"
    mount --bind "$new/proc/sys/net" "$new/proc/sys/net"
    mount -o remount,bind,ro "$new/proc/sys"
    if [ -e "$new/proc/sysrq-trigger" ]; then read_only "$new/proc/sysrq-trigger" "$new/proc/sysrq-trigger"; fi

    # A fresh /sys shows this network namespace's devices; the control groups stay those of the host.
    mount -t sysfs sysfs "$new/sys"
    local directory
    for directory in fs/cgroup kernel/security; do
        if mountpoint -q "/sys/$directory"; then mount --rbind "/sys/$directory" "$new/sys/$directory"; fi
    done
    # One of its own: what programs pin there ends with the node.
    if mountpoint -q /sys/fs/bpf; then mount -t bpf -o mode=700 bpf "$new/sys/fs/bpf"; fi
    mount -o remount,bind,ro "$new/sys"

    # The kubelet sets these for the whole machine (setupKernelTunables in pkg/kubelet/cm) and does not start when it cannot.
    # It gets files of its own to write to: the host's values stay what they are.
    local tunable
    for tunable in vm/overcommit_memory vm/panic_on_oom kernel/panic kernel/panic_on_oops kernel/keys/root_maxkeys \
        kernel/keys/root_maxbytes; do
        if [ -e "/proc/sys/$tunable" ]; then
            cp "/proc/sys/$tunable" "$new/run/ouroboros/${tunable##*/}"
            mount --bind "$new/run/ouroboros/${tunable##*/}" "$new/proc/sys/$tunable"
        fi
    done

    # Every boot has an id of its own: the kubelet tells by it that its machine was restarted.
    cat /proc/sys/kernel/random/uuid >"$new/run/ouroboros/boot_id"
    mount --bind "$new/run/ouroboros/boot_id" "$new/proc/sys/kernel/random/boot_id"
}

# The host's files as they are: a layer's view of what is below it may be old when that was changed meanwhile.
host_files() {
    local index host=$new/run/ouroboros/host
    read_only / "$host"
    for index in "${!places[@]}"; do
        if [ -e "$host${places[$index]}" ]; then
            read_only "${places[$index]}" "$host${places[$index]}" "${place_flags[$index]}"
        fi
    done
}

file_systems() {
    hostname "$node"
    local places=() place_flags=()
    host_mounts

    local disk=$sandbox/staging new=$sandbox/staging/root
    # A loop device that mount sets up is given back by the kernel with its last mount, also after a crash.
    mount -t ext4 -o loop,noatime "$sandbox/disk.img" "$disk"
    mkdir -p "$disk"/{root,tmp} "$disk"/var/{cache,lib/ouroboros,lib/kubelet,lib/containerd,lib/etcd,lib/cni,log,tmp}
    chmod 1777 "$disk/tmp" "$disk/var/tmp"
    find "$disk/tmp" -mindepth 1 -delete || echo "not all of /tmp could be removed"
    # The kernel makes a directory for each layer at every boot, also on a full disk.
    rm -f "$disk/reserve"
    [ -L "$disk/var/run" ] || ln -sfn /run "$disk/var/run"
    [ -L "$disk/var/lock" ] || ln -sfn /run/lock "$disk/var/lock"

    local layered=()
    layers
    mkdir -p "$new"/{dev,etc,proc,run,sys,tmp,var}
    mount --bind "$disk/var" "$new/var"
    mount --bind "$disk/tmp" "$new/tmp"
    # What CNI remembers is about network namespaces, which no boot brings back. Its library writes without syncing, and a pod
    # whose cached result a power cut left empty is never torn down, nor started again ("decoding version from network config").
    mount -t tmpfs -o mode=755 tmpfs "$new/var/lib/cni"
    mount -t tmpfs -o mode=755 tmpfs "$new/run"
    mkdir -p "$new"/run/{lock,netns} "$new"/run/ouroboros/{disk,host,logs,old}
    mount --bind "$disk" "$new/run/ouroboros/disk"
    mount --bind "$sandbox/logs" "$new/run/ouroboros/logs"
    printf '%s\n' "${layered[@]}" >"$new/run/ouroboros/layers"
    devices
    kernel_files
    host_files
    fallocate -l 1M "$disk/reserve" || rm -f "$disk/reserve"

    pivot_root "$new" "$new/run/ouroboros/old"
    cd /
    umount -l /run/ouroboros/old
    rmdir /run/ouroboros/old
    # Containers get the node's mounts as they appear (the kubelet's volumes, mountPropagation).
    mount --make-rshared /
}

first_boot() {
    # A host that is itself a node of some cluster must not leak into ours.
    rm -rf /etc/kubernetes /etc/cni /etc/containerd /etc/resolv.conf
    mkdir -p /etc/kubernetes/manifests /etc/cni/net.d /etc/containerd /etc/ouroboros/services
    chmod 700 /etc/kubernetes/manifests
    echo "$node" >/etc/hostname
    # As Debian's installer does: an API server that asks kubelets by the names of their nodes must find this one.
    printf '127.0.0.1 localhost\n127.0.1.1 %s\n' "$node" >/etc/hosts
    # There is no name server in the sandbox: the machine's own cannot be reached from it.
    : >/etc/resolv.conf
    touch /etc/ouroboros/installed
    sync
}

# Runs a service for ever. Its program is replaced by the daemon, so that the daemon is the child we wait for.
keep_running() {
    local service=$1 code
    while :; do
        code=0
        # The control pipe is ours alone.
        /bin/bash "/etc/ouroboros/services/$service" 3>&- >>"/run/ouroboros/logs/$service.log" 2>&1 || code=$?
        echo "$(date --utc +%FT%TZ) $service ended with $code; it is started again"
        # Whoever restarts a service that has just ended ends this.
        sleep 0.3 || true
    done
}

declare -A keepers=()

start() {
    if [ -z "${keepers[$1]:-}" ]; then
        keep_running "$1" &
        keepers[$1]=$!
    fi
}

# Starts what is installed on the node's disk.
boot() {
    local script
    for script in /etc/ouroboros/services/*; do
        if [ -e "$script" ]; then start "${script##*/}"; fi
    done
}

# Ends a service's daemon; its keeper starts it again.
restart() {
    local keeper=${keepers[$1]:-} children
    if [ -n "$keeper" ] && children=$(cat "/proc/$keeper/task/$keeper/children") && [ -n "$children" ]; then
        # shellcheck disable=SC2086 # one process id as a rule
        kill $children || true
    fi
}

# As a systemd .path unit does on a host: the guard runs as soon as another generation of the kubelet is to be tried, and at each boot in the middle of it.
guard_kubelet() {
    local directory=/usr/local/lib/ouroboros/kubelet pause
    # Nobody writes there: a wait without a process of its own.
    exec 3>&- {pause}<>/run/ouroboros/pause
    while :; do
        if [ -e "$directory/trial" ]; then
            /bin/bash "$directory/guard.sh" /bin/bash -c 'echo restart kubelet >/run/ouroboros/control' \
                >>/run/ouroboros/logs/kubelet-guard.log 2>&1 || echo "the kubelet's guard ended with $?"
        fi
        read -r -t 1 -u "$pause" || true
    done
}

# Logs grow for as long as the node runs. One that is too long becomes the old one; its writers append, and go on at its
# beginning.
bound_logs() {
    local log
    find /run/ouroboros/logs -name '*.log' -size +16384k | while read -r log; do
        cp "$log" "$log.1" && : >"$log"
    done
}

network() {
    ip link set lo up
    # Clouds offer metadata there. A node is in no cloud, and says so at once: the kubelet asks for registry credentials before
    # it starts anything (pkg/credentialprovider/aws), and waits for seconds when its packets vanish.
    ip route add unreachable 169.254.0.0/16
    # All of these belong to the node's network namespace.
    [ -e /proc/sys/net/bridge ] || modprobe br_netfilter
    echo 1 >/proc/sys/net/ipv4/ip_forward
    echo 1 >/proc/sys/net/bridge/bridge-nf-call-iptables
    echo 1 >/proc/sys/net/bridge/bridge-nf-call-ip6tables
}

file_systems
[ -e /etc/ouroboros/installed ] || first_boot
network
# The control pipe is also the sign that the node is laid out.
mkfifo -m 600 /run/ouroboros/control.new
exec 3<>/run/ouroboros/control.new
mkfifo -m 600 /run/ouroboros/pause
mv /run/ouroboros/control.new /run/ouroboros/control
guard_kubelet &
echo "$(date --utc +%FT%TZ) node $node is laid out"
while :; do
    code=0
    read -r -t 30 verb service <&3 || code=$?
    bound_logs
    if [ "$code" -ne 0 ]; then
        [ "$code" -gt 128 ] || exit 1
        continue
    fi
    case $verb in
        # Its network is connected.
        boot) boot ;;
        start) start "$service" ;;
        restart) restart "$service" ;;
        *) echo "unknown order: $verb $service" ;;
    esac
done
