#!/bin/bash
# virtual-machine.sh make DIRECTORY SUITE FILES   a disk with Debian's SUITE, FILES/ copied to its root, its kernel, a key for ssh
# virtual-machine.sh boot DIRECTORY PORT          becomes the machine: its power is this process; 127.0.0.1:PORT is its ssh
#
# Emulated in software: where KVM is no real one (as in a virtual machine of a cloud) a stock kernel does not boot with it. Nothing
# leaves the machine but apt's requests: its address 10.0.0.100 is the way to the mirror that this machine's own apt uses.
set -euo pipefail

# As in "http://mirror.example/debian".
mirror() {
    awk '/^URIs:/ { print $2; exit } /^deb http/ { print $2; exit }' /etc/apt/sources.list.d/*.sources /etc/apt/sources.list 2>/dev/null | head -n 1
}

mirror_host() {
    mirror | cut -d/ -f3
}

make() {
    local suite=$1 files=$2 root=$directory/root script=/usr/share/debootstrap/scripts/$1
    # Suites differ by nothing that debootstrap must know, and the newest are not known to an older one by name.
    [ -e "$script" ] || script=/usr/share/debootstrap/scripts/sid
    debootstrap --variant=minbase \
        --include=linux-image-amd64,systemd-sysv,dbus,udev,openssh-server,iproute2,procps,curl,ca-certificates,kmod \
        "$suite" "$root" "$(mirror)" "$script"
    umount -q "$root/proc" "$root/sys" || true
    ssh-keygen -q -t ed25519 -N '' -f "$directory/key"
    install -d -m 700 "$root/root/.ssh"
    install -m 600 "$directory/key.pub" "$root/root/.ssh/authorized_keys"
    echo node >"$root/etc/hostname"
    printf '127.0.0.1 localhost\n127.0.1.1 node\n10.0.0.100 %s\n' "$(mirror_host)" >"$root/etc/hosts"
    : >"$root/etc/resolv.conf"
    echo '/dev/vda / ext4 defaults,errors=remount-ro 0 1' >"$root/etc/fstab"
    printf '[Match]\nName=e*\n[Network]\nAddress=10.0.0.5/24\nGateway=10.0.0.2\nLLMNR=no\nIPv6AcceptRA=no\n' \
        >"$root/etc/systemd/network/10-wired.network"
    printf 'deb %s %s main\n' "$(mirror)" "$suite" >"$root/etc/apt/sources.list"
    systemctl --root="$root" --quiet enable systemd-networkd.service ssh.service
    systemctl --root="$root" --quiet mask apt-daily.timer apt-daily-upgrade.timer
    cp -a "$files/." "$root/"
    cp "$(readlink -f "$root"/vmlinuz)" "$directory/vmlinuz"
    cp "$(readlink -f "$root"/initrd.img)" "$directory/initrd"
    truncate -s 16G "$directory/disk.raw"
    mkfs.ext4 -q -L root -E lazy_itable_init=0 -d "$root" "$directory/disk.raw"
    rm -rf "$root"
}

boot() {
    local way=$directory/mirror-pipe
    printf '#!/bin/bash\nexec 3<>/dev/tcp/%s/80\ncat <&3 &\nreader=$!\ncat >&3\nkill "$reader"\n' "$(mirror_host)" >"$way"
    chmod 755 "$way"
    # What the guest wrote is this machine's from then on, and is not lost with QEMU's end: no need to have it synced here.
    # Without mitigations: a kernel that keeps its own page table from programs (against Meltdown) empties the emulated TLB at every system
    # call, which made each 7 times as expensive, and a process 2 times. Processors that are not emulated have tags for that.
    # Without DAMON_STAT (Linux 6.17 and later): its thread looks at the pages' accessed bits, for which it clears them, and an emulated TLB
    # pays for each; it had a third of a processor all the time, and half a percent on the machine that emulated.
    # QEMU 10 first in PATH (Debian 13's, in a directory of its own) starts programs 2.7 times as fast as QEMU 7.2: 200 times /bin/true 1.7 s
    # and 4.7 s, 20 times curl 2.6 s and 6.8 s; what runs for long is as fast (an API server ready after 37 s and 41 s).
    # Without AVX, whose emulation is young in QEMU 7.2: with every feature that QEMU has, a 1.20 API server once had one of its types
    # corrupted and failed each request with it from then on. That AVX was the cause is a guess.
    exec qemu-system-x86_64 -machine q35 -accel tcg,thread=multi,tb-size=512 -cpu Westmere -smp 2 -m 5G \
        -kernel "$directory/vmlinuz" -initrd "$directory/initrd" -append "root=/dev/vda rw console=ttyS0 net.ifnames=0 mitigations=off damon_stat.enabled=N" \
        -drive "file=$directory/disk.raw,format=raw,if=virtio,cache=unsafe,discard=unmap" \
        -netdev "user,id=n,restrict=on,net=10.0.0.0/24,host=10.0.0.2,dhcpstart=10.0.0.15,hostfwd=tcp:127.0.0.1:$1-10.0.0.5:22,guestfwd=tcp:10.0.0.100:80-cmd:$way" \
        -device virtio-net-pci,netdev=n -device virtio-rng-pci -display none -monitor none -serial "file:$directory/console.log" -no-reboot
}

action=$1 directory=$2
shift 2
"$action" "$@"
