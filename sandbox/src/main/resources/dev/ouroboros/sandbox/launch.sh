#!/bin/bash
# launch.sh SANDBOX_DIRECTORY NODE_NAME CGROUP...
#
# Starts the first process of a node and returns. It joins the sandbox's cgroups before it does anything else, so that
# whatever comes of it, on whatever way it dies, can be found again by asking the kernel and not by trusting a file.
set -euo pipefail
sandbox=$1 node=$2
shift 2
for cgroup; do echo 0 >"$cgroup/cgroup.procs"; done
# What the caller has open, a lock for example, is not the node's: it would be held for as long as the node runs.
for descriptor in /proc/self/fd/*; do
    descriptor=${descriptor##*/}
    if [ "$descriptor" -gt 2 ] && [ "$descriptor" != 255 ]; then eval "exec $descriptor>&-"; fi
done
# A proxy is for containerd, whose own script names it: the kubelet, kubectl and 'ouro start' reach the API directly.
unset HTTP_PROXY HTTPS_PROXY NO_PROXY ALL_PROXY http_proxy https_proxy no_proxy all_proxy
# All mounts are private by default: none of the node's reaches the host, and none that the host makes later, which would be writable,
# the node.
setsid unshare --net --mount --pid --uts --ipc --fork --mount-proc \
    /bin/bash "$sandbox/supervisor.sh" "$sandbox" "$node" </dev/null >>"$sandbox/logs/node.log" 2>&1 &
