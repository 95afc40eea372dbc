#!/bin/bash
# enter.sh PID CGROUP... -- COMMAND...
#
# Runs a command in the namespaces of the node whose process 1 is PID, and in its cgroups, so that it ends with the node.
set -euo pipefail
pid=$1
shift
while [ "$1" != -- ]; do
    echo 0 >"$1/cgroup.procs"
    shift
done
shift
# Who changed a file of the host finds it so in the node: the kernel looks below a layer once, and remembers.
nsenter --target "$pid" --mount -- /bin/bash -c \
    'while read -r place; do mount -o remount,rw overlay "$place"; done </run/ouroboros/layers'
# A proxy is for containerd, whose own script names it: the kubelet, kubectl and 'ouro start' reach the API directly.
unset HTTP_PROXY HTTPS_PROXY NO_PROXY ALL_PROXY http_proxy https_proxy no_proxy all_proxy
exec nsenter --target "$pid" --net --mount --pid --uts --ipc -- "$@"
