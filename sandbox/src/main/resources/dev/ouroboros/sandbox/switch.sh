#!/bin/bash
# switch.sh BRIDGE
#
# Makes the bridge of a sandbox in the network namespace that it is run in, and holds that for as long as it lives.
set -euo pipefail
# No node is to be found here by itself, nor is anything here an address.
echo 1 >/proc/sys/net/ipv6/conf/all/disable_ipv6 || echo "there is no IPv6"
ip link add "$1" type bridge
ip link set "$1" up
exec sleep infinity
