package dev.ouroboros.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * What a node leaves on a machine: nothing but Debian packages, when it was given back.
 *
 * @param files where a node has any, that no package's link
 * @param variables of the kernel that a node sets, with their values
 */
record HostTraces(Set<String> files, List<String> variables) {
    static HostTraces of(RealHost host) {
        // Debian's netbase writes /etc/networks when it is installed, and owns it not.
        String files =
                "{ find /etc /usr/local/bin /usr/local/lib /var/lib/kubelet /var/lib/etcd /var/lib/ouroboros /var/lib/cni"
                        + " ! -path '/etc/machine-id' ! -path /etc/networks ! -path '/etc/systemd/system/*.wants' ! -path '/etc/alternatives/*'"
                        + " ! -path /var/lib/kubelet ! -path /var/lib/etcd 2>/dev/null || true; }";
        String variables = "cd /proc/sys; for variable in net/ipv4/ip_forward net/bridge/bridge-nf-call-iptables"
                + " net/bridge/bridge-nf-call-ip6tables kernel/panic kernel/panic_on_oops vm/overcommit_memory; do"
                + " test ! -e $variable || echo $variable $(cat $variable); done";
        return new HostTraces(
                host.require(files).lines().collect(Collectors.toCollection(TreeSet::new)),
                host.require(variables).lines().toList());
    }

    /** Files and variables are as they were, and neither rules nor control groups nor processes nor units are left. */
    void requireAllThereIs(RealHost host) {
        HostTraces now = of(host);
        assertThat(now.files()).containsAll(files);
        now.files().removeAll(files);
        assertThat(host.require(
                        // A link to a package's file is what its installation made: that of a unit that is enabled.
                        "of_a_package() { dpkg-query -S \"$1\" >/dev/null 2>&1; }\n"
                                + "while read -r file; do of_a_package \"$file\" || of_a_package \"$(readlink \"$file\")\""
                                + " || echo \"$file\"; done <<'END'\n"
                                + String.join("\n", now.files()) + "\nEND"))
                .as("files that are new and of no package")
                .isBlank();
        // A module that was loaded brings variables of its own, and stays.
        assertThat(now.variables()).containsAll(variables);
        assertThat(host.require("iptables-save; ip6tables-save; find /sys/fs/cgroup -name 'kubepods*'"))
                .doesNotContain("KUBE-", "CNI-", "kubepods");
        assertThat(host.require("ps -e -o comm=; ls /run/netns 2>/dev/null || true; ip -br link; nft list tables"))
                .doesNotContain("kube", "containerd", "etcd", "pause", "java", "cni", "ouroboros");
        assertThat(host.require("ip route show proto 79; ip -6 route show proto 79"))
                .isBlank();
        assertThat(host.require("systemctl list-unit-files")).doesNotContain("kubelet");
    }
}
