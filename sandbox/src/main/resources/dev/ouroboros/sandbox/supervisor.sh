#!/bin/bash
# supervisor.sh SANDBOX_DIRECTORY NODE_NAME
#
# Process 1 of a node: lays out its file system, then keeps the node's services running. bash reaps orphans, and when process 1 is
# killed the kernel kills every process of the node at once and drops its mounts: that is how a node loses its power.
#
# The node sees the host's root file system, with its own /var (on a loop-mounted disk), its own layer over /etc, and its own
# /run, /tmp and /dev/shm. What of the host is hidden by this can be found below /run/ouroboros/host. All that the node keeps is on
# its disk; the host has the disk itself and, as the far end of a serial line, the logs of its services.
set -euo pipefail
sandbox=$1 node=$2
exec </dev/null

file_systems() {
    hostname "$node"
    mount --make-rslave /

    # The host's directories that are about to be hidden are kept in a new /run.
    local staging=$sandbox/staging directory
    mount -t tmpfs -o mode=755 tmpfs "$staging"
    mkdir -p "$staging"/ouroboros/{disk,sandbox,host/var,host/tmp,host/etc} "$staging"/{lock,netns}
    mount --rbind /var "$staging/ouroboros/host/var"
    mount --bind /tmp "$staging/ouroboros/host/tmp"
    mount --bind /etc "$staging/ouroboros/host/etc"
    mount --bind "$sandbox" "$staging/ouroboros/sandbox"
    # A loop device that mount sets up is given back by the kernel with its last mount, also after a crash.
    mount -t ext4 -o loop,noatime "$sandbox/disk.img" "$staging/ouroboros/disk"
    mount --rbind "$staging" /run
    umount -l "$staging"

    local disk=/run/ouroboros/disk
    mkdir -p "$disk"/var/{cache,lib/ouroboros,lib/kubelet,lib/containerd,lib/etcd,lib/cni,log,tmp} "$disk"/etc/{upper,work}
    chmod 1777 "$disk/var/tmp"
    ln -sfn /run "$disk/var/run"
    ln -sfn /run/lock "$disk/var/lock"
    mount --bind "$disk/var" /var
    mount -t overlay -o "lowerdir=/etc,upperdir=$disk/etc/upper,workdir=$disk/etc/work" overlay /etc
    mount -t tmpfs -o mode=1777 tmpfs /tmp
    mount -t tmpfs -o mode=1777 tmpfs /dev/shm
    # What CNI remembers is about network namespaces, which no boot brings back. Its library writes without syncing, and a pod
    # whose cached result a power cut left empty is never torn down, nor started again ("decoding version from network config").
    mount -t tmpfs -o mode=755 tmpfs /var/lib/cni

    # A fresh /sys shows this network namespace's devices; the cgroups stay those of the host.
    mkdir /run/ouroboros/sys
    mount --rbind /sys /run/ouroboros/sys
    mount -t sysfs sysfs /sys
    for directory in fs/cgroup fs/bpf kernel/security; do
        if mountpoint -q "/run/ouroboros/sys/$directory"; then
            mount --rbind "/run/ouroboros/sys/$directory" "/sys/$directory"
        fi
    done
    umount -l /run/ouroboros/sys
    rmdir /run/ouroboros/sys

    # The kubelet sets these for the whole machine (setupKernelTunables in pkg/kubelet/cm) and does not start when it cannot.
    # It gets files of its own to write to: the host's values stay what they are.
    local tunable
    for tunable in vm/overcommit_memory vm/panic_on_oom kernel/panic kernel/panic_on_oops kernel/keys/root_maxkeys \
        kernel/keys/root_maxbytes; do
        if [ -e "/proc/sys/$tunable" ]; then
            cp "/proc/sys/$tunable" "/run/ouroboros/${tunable##*/}"
            mount --bind "/run/ouroboros/${tunable##*/}" "/proc/sys/$tunable"
        fi
    done

    # Every boot has an id of its own: the kubelet tells by it that its machine was restarted.
    cat /proc/sys/kernel/random/uuid >/run/ouroboros/boot_id
    mount --bind /run/ouroboros/boot_id /proc/sys/kernel/random/boot_id

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
        /bin/bash "/etc/ouroboros/services/$service" 3>&- >>"/run/ouroboros/sandbox/logs/$service.log" 2>&1 || code=$?
        echo "$(date --utc +%FT%TZ) $service ended with $code; it is started again"
        sleep 0.3
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
    local keeper=${keepers[$1]:-}
    if [ -n "$keeper" ]; then
        # shellcheck disable=SC2046 # one process id, or none
        kill $(<"/proc/$keeper/task/$keeper/children") || true
    fi
}

# Logs grow for as long as the node runs. One that is too long becomes the old one; its writers append, and go on at its
# beginning.
bound_logs() {
    local log
    find /run/ouroboros/sandbox/logs -name '*.log' -size +16384k | while read -r log; do
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
mv /run/ouroboros/control.new /run/ouroboros/control
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
