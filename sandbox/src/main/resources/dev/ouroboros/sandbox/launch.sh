#!/bin/bash
# launch.sh LOG CGROUP... -- COMMAND...
#
# Starts a process of a sandbox and returns. It joins the sandbox's cgroups before it does anything else, so that
# whatever comes of it, on whatever way it dies, can be found again by asking the kernel and not by trusting a file.
set -euo pipefail
log=$1
shift
while [ "$1" != -- ]; do
    echo 0 >"$1/cgroup.procs"
    shift
done
shift
# What the caller has open, a lock for example, is not the sandbox's: it would be held for as long as that runs.
for descriptor in /proc/self/fd/*; do
    descriptor=${descriptor##*/}
    if [ "$descriptor" -gt 2 ] && [ "$descriptor" != 255 ]; then eval "exec $descriptor>&-"; fi
done
# A proxy is for containerd, whose own script names it: the kubelet, kubectl and 'ouro start' reach the API directly.
unset HTTP_PROXY HTTPS_PROXY NO_PROXY ALL_PROXY http_proxy https_proxy no_proxy all_proxy
setsid "$@" </dev/null >>"$log" 2>&1 &
