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
exec nsenter --target "$pid" --net --mount --pid --uts --ipc -- "$@"
