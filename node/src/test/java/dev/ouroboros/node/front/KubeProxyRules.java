package dev.ouroboros.node.front;

import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.LocalProcesses;

/**
 * How kube-proxy translates the address of the {@code kubernetes} Service, in each of its modes, cut down to one Service: nat
 * chains of the hooks prerouting and output at priority -100.
 */
enum KubeProxyRules {
    IPTABLES_NFT,
    IPTABLES_LEGACY,
    NFTABLES;

    /** Newer kernels can be built without the tables of the first iptables. */
    boolean isPossible(TestNode node) {
        return switch (this) {
            case IPTABLES_NFT, NFTABLES -> true;
            case IPTABLES_LEGACY ->
                new LocalProcesses()
                        .run(Command.of("iptables-legacy", "-t", "nat", "-S")
                                .behind(node.namespace().prefix()))
                        .succeeded();
        };
    }

    void install(TestNode node) {
        switch (this) {
            case IPTABLES_NFT -> iptables(node, "iptables-nft", "ip6tables-nft");
            case IPTABLES_LEGACY -> iptables(node, "iptables-legacy", "ip6tables-legacy");
            case NFTABLES -> {
                nftables(node, "ip", "ipv4_addr", TestNode.CLUSTER_IP, TestNode.ADDRESS);
                nftables(node, "ip6", "ipv6_addr", TestNode.CLUSTER_IP_IPV6, TestNode.ADDRESS_IPV6);
            }
        }
    }

    private static void iptables(TestNode node, String ipv4, String ipv6) {
        for (String hook : new String[] {"PREROUTING", "OUTPUT"}) {
            node.run(
                    ipv4,
                    "-t",
                    "nat",
                    "-A",
                    hook,
                    "-d",
                    TestNode.CLUSTER_IP,
                    "-p",
                    "tcp",
                    "--dport",
                    "443",
                    "-j",
                    "DNAT",
                    "--to-destination",
                    TestNode.ADDRESS + ":" + TestNode.PRINCIPAL_PORT);
            node.run(
                    ipv6,
                    "-t",
                    "nat",
                    "-A",
                    hook,
                    "-d",
                    TestNode.CLUSTER_IP_IPV6,
                    "-p",
                    "tcp",
                    "--dport",
                    "443",
                    "-j",
                    "DNAT",
                    "--to-destination",
                    "[" + TestNode.ADDRESS_IPV6 + "]:" + TestNode.PRINCIPAL_PORT);
        }
    }

    private static void nftables(TestNode node, String family, String type, String clusterIp, String address) {
        node.run("nft", """
                add table %1$s kube-proxy
                add map %1$s kube-proxy service-ips { type %2$s . inet_service : verdict ; }
                add chain %1$s kube-proxy kubernetes
                add chain %1$s kube-proxy nat-prerouting { type nat hook prerouting priority -100 ; }
                add chain %1$s kube-proxy nat-output { type nat hook output priority -100 ; }
                add rule %1$s kube-proxy kubernetes meta l4proto tcp dnat to %4$s
                add element %1$s kube-proxy service-ips { %3$s . 443 : goto kubernetes }
                add rule %1$s kube-proxy nat-prerouting %1$s daddr . tcp dport vmap @service-ips
                add rule %1$s kube-proxy nat-output %1$s daddr . tcp dport vmap @service-ips
                """.formatted(
                        family,
                        type,
                        clusterIp,
                        (family.equals("ip6") ? "[" + address + "]" : address) + ":" + TestNode.PRINCIPAL_PORT));
    }
}
