package dev.ouroboros.host;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class KernelRemainsTest {
    @Test
    void removesChainsOfAClusterAndWhatCallsThem() {
        assertThat(KernelRemains.withoutChains("""
                        *nat
                        :PREROUTING ACCEPT [0:0]
                        :POSTROUTING ACCEPT [1:60]
                        :CNI-5c6f0e1d - [0:0]
                        :KUBE-POSTROUTING - [0:0]
                        :MINE - [0:0]
                        -A POSTROUTING -m comment --comment "kubernetes postrouting rules" -j KUBE-POSTROUTING
                        -A POSTROUTING -s 10.2.0.7/32 -m comment --comment "name: \\"ouroboros\\" id: \\"7\\"" -j CNI-5c6f0e1d
                        -A POSTROUTING -s 10.9.0.0/16 -m comment --comment "to KUBE-POSTROUTING no more" -j MASQUERADE
                        -A CNI-5c6f0e1d -d 10.2.0.0/24 -j ACCEPT
                        -A KUBE-POSTROUTING -m mark ! --mark 0x4000/0x4000 -j RETURN
                        -A MINE -g KUBE-POSTROUTING
                        -A MINE -j ACCEPT
                        COMMIT
                        """)).contains("""
                        *nat
                        :PREROUTING ACCEPT [0:0]
                        :POSTROUTING ACCEPT [1:60]
                        :MINE - [0:0]
                        -A POSTROUTING -s 10.9.0.0/16 -m comment --comment "to KUBE-POSTROUTING no more" -j MASQUERADE
                        -A MINE -j ACCEPT
                        COMMIT
                        """);
    }

    @Test
    void leavesWhatNoClusterMadeAlone() {
        assertThat(KernelRemains.withoutChains("*filter\n:INPUT ACCEPT [0:0]\n-A INPUT -j ACCEPT\nCOMMIT\n"))
                .isEmpty();
        assertThat(KernelRemains.withoutChains("")).isEmpty();
    }
}
