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
# Mounts of the host keep coming and going in the node (slave); none of the node's reach the host.
setsid unshare --net --mount --pid --uts --ipc --fork --mount-proc --propagation slave \
    /bin/bash "$sandbox/supervisor.sh" "$sandbox" "$node" </dev/null >>"$sandbox/logs/node.log" 2>&1 &
