package dev.ouroboros.model.front;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class FrontTableTest {
    private static final FrontSpec SPEC = FrontSpec.of(
            List.of(InetAddress.ofLiteral("192.168.10.5"), InetAddress.ofLiteral("fd00::5")),
            List.of(
                    ServiceAddress.ofKubernetes(InetAddress.ofLiteral("10.3.0.1")),
                    ServiceAddress.ofKubernetes(InetAddress.ofLiteral("fd03::1"))));

    @Test
    void installsInOneTransactionThatKeepsLeases() {
        assertThat(new FrontTable(SPEC).install()).isEqualTo("""
                # Ouroboros: which API server of this node gets new connections. Made and owned by 'ouro'; edits are undone.
                add table inet ouroboros
                add map inet ouroboros front { typeof tcp dport : tcp dport ; flags timeout ; }
                add map inet ouroboros service4 { type ipv4_addr . inet_service : ipv4_addr . inet_service ; flags timeout ; }
                add map inet ouroboros service6 { type ipv6_addr . inet_service : ipv6_addr . inet_service ; flags timeout ; }
                add set inet ouroboros principal_cut { typeof meta l4proto ; flags timeout ; }
                flush set inet ouroboros principal_cut
                add set inet ouroboros principal_closed { typeof meta l4proto ; size 2 ; flags dynamic,timeout ; timeout 60s ; }
                add set inet ouroboros understudy_closed { typeof meta l4proto ; size 2 ; flags dynamic,timeout ; timeout 5s ; }
                add ct timeout inet ouroboros second { protocol tcp ; policy = { syn_sent : 1, close : 1 }
                }
                add chain inet ouroboros ouroboros.dev/front
                add chain inet ouroboros prerouting { type nat hook prerouting priority -110 ; policy accept ; }
                add chain inet ouroboros output { type nat hook output priority -110 ; policy accept ; }
                add chain inet ouroboros input { type filter hook input priority -10 ; policy accept ; }
                add chain inet ouroboros postrouting { type filter hook postrouting priority 0 ; policy accept ; }
                add chain inet ouroboros hung
                add chain inet ouroboros reused
                add chain inet ouroboros unserved
                flush chain inet ouroboros ouroboros.dev/front
                flush chain inet ouroboros prerouting
                flush chain inet ouroboros output
                flush chain inet ouroboros input
                flush chain inet ouroboros postrouting
                flush chain inet ouroboros hung
                flush chain inet ouroboros reused
                flush chain inet ouroboros unserved
                add rule inet ouroboros ouroboros.dev/front ip daddr 127.0.0.0/8 accept comment "ouroboros 21a70c1d: an API server dials itself on loopback"
                add rule inet ouroboros ouroboros.dev/front ip6 daddr ::1 accept comment "ouroboros 21a70c1d: an API server dials itself on loopback"
                add rule inet ouroboros ouroboros.dev/front meta l4proto != @understudy_closed meta l4proto tcp dnat ip to ip daddr . tcp dport map @service4 comment "ouroboros 21a70c1d: Services, before kube-proxy"
                add rule inet ouroboros ouroboros.dev/front meta l4proto != @understudy_closed meta l4proto tcp dnat ip6 to ip6 daddr . tcp dport map @service6 comment "ouroboros 21a70c1d: Services, before kube-proxy"
                add rule inet ouroboros ouroboros.dev/front ip daddr 10.3.0.1 tcp dport 443 meta l4proto @principal_closed dnat ip to 192.168.10.5:26443 comment "ouroboros 21a70c1d: the principal was found closed"
                add rule inet ouroboros ouroboros.dev/front ip6 daddr fd03:0:0:0:0:0:0:1 tcp dport 443 meta l4proto @principal_closed dnat ip6 to [fd00:0:0:0:0:0:0:5]:26443 comment "ouroboros 21a70c1d: the principal was found closed"
                add rule inet ouroboros ouroboros.dev/front fib daddr type != local accept comment "ouroboros 21a70c1d: other nodes have fronts of their own"
                add rule inet ouroboros ouroboros.dev/front meta l4proto != @understudy_closed meta l4proto tcp dnat to :tcp dport map @front comment "ouroboros 21a70c1d: leases name the server of new connections"
                add rule inet ouroboros ouroboros.dev/front tcp dport 6443 meta l4proto @principal_closed dnat to :26443 comment "ouroboros 21a70c1d: the principal was found closed"
                add rule inet ouroboros prerouting tcp flags & (fin|syn|rst|ack) == syn jump ouroboros.dev/front comment "ouroboros 21a70c1d: old connections stay where they are"
                add rule inet ouroboros prerouting tcp flags & (fin|syn|rst|ack) == syn tcp dport 6443 fib daddr type local socket transparent le 1 accept comment "ouroboros 21a70c1d: the principal has a socket"
                add rule inet ouroboros prerouting meta l4proto != @understudy_closed tcp flags & (fin|syn|rst|ack) == syn tcp dport 6443 fib daddr type local update @principal_closed { meta l4proto } dnat to :26443 comment "ouroboros 21a70c1d: the principal has no socket, and nothing is known against the understudy"
                add rule inet ouroboros output tcp flags & (fin|syn|rst|ack) == syn jump ouroboros.dev/front comment "ouroboros 21a70c1d: old connections stay where they are"
                add rule inet ouroboros input ip daddr 127.0.0.0/8 accept comment "ouroboros 21a70c1d: probes see when it answers again"
                add rule inet ouroboros input ip6 daddr ::1 accept comment "ouroboros 21a70c1d: probes see when it answers again"
                add rule inet ouroboros input tcp flags & (fin|syn|rst|ack) == syn tcp dport { 6443, 26443 } ct status & confirmed == 0 ct timeout set "second" comment "ouroboros 21a70c1d: what is not answered or reset is forgotten after a second"
                add rule inet ouroboros input tcp flags & (fin|syn|rst|ack) == syn tcp dport { 6443, 26443 } ct status assured ct expiration < 2s jump reused comment "ouroboros 21a70c1d: a port that is used again so soon goes to the old server"
                add rule inet ouroboros input tcp dport 6443 meta l4proto @principal_cut jump hung comment "ouroboros 21a70c1d: nobody waits for a principal that hangs"
                add rule inet ouroboros input tcp flags & (fin|syn|rst|ack) == syn tcp dport { 6443, 26443 } jump unserved comment "ouroboros 21a70c1d: a server that is closed is left"
                add rule inet ouroboros postrouting oifname "lo" tcp flags & (fin|syn|rst|ack) == syn tcp dport { 6443, 26443 } ct status & confirmed == 0 ct timeout set "second" comment "ouroboros 21a70c1d: the node's own connections are known before they come in"
                add rule inet ouroboros hung meta l4proto tcp reject with tcp reset comment "ouroboros 21a70c1d: the principal hangs"
                add rule inet ouroboros reused tcp dport 6443 meta l4proto @principal_cut drop comment "ouroboros 21a70c1d: the principal hangs"
                add rule inet ouroboros reused socket transparent le 1 accept comment "ouroboros 21a70c1d: a server that lives resets connections too"
                add rule inet ouroboros reused drop comment "ouroboros 21a70c1d: it is asked again when the old connection is forgotten"
                add rule inet ouroboros unserved socket transparent le 1 accept comment "ouroboros 21a70c1d: it is served"
                add rule inet ouroboros unserved tcp dport 26443 ct status & dnat == 0 accept comment "ouroboros 21a70c1d: the client chose this port itself"
                add rule inet ouroboros unserved tcp dport 26443 meta l4proto @principal_cut accept comment "ouroboros 21a70c1d: the principal is no way out: refused, and the next one asks again"
                add rule inet ouroboros unserved tcp dport 6443 meta l4proto @understudy_closed delete @understudy_closed { meta l4proto } update @principal_closed { meta l4proto } accept comment "ouroboros 21a70c1d: neither is open: refused, and the next one tries the other"
                add rule inet ouroboros unserved tcp dport 26443 meta l4proto @principal_closed delete @principal_closed { meta l4proto } update @understudy_closed { meta l4proto } drop comment "ouroboros 21a70c1d: the principal was closed, which may be long ago: this one asks it with its next SYN"
                add rule inet ouroboros unserved tcp dport 6443 update @principal_closed { meta l4proto } drop comment "ouroboros 21a70c1d: the next one goes to the other, this one with its next SYN"
                add rule inet ouroboros unserved tcp dport 26443 update @understudy_closed { meta l4proto } drop comment "ouroboros 21a70c1d: the next one goes to the other, this one with its next SYN"
                """);
    }

    @Test
    void pointsPortAndServicesInOneTransaction() {
        assertThat(new FrontTable(SPEC).pointToUnderstudy(Duration.ofSeconds(15)))
                .isEqualTo("""
                        flush map inet ouroboros front
                        flush map inet ouroboros service4
                        flush map inet ouroboros service6
                        flush set inet ouroboros principal_closed
                        flush set inet ouroboros understudy_closed
                        add element inet ouroboros front { 6443 timeout 15000ms : 26443 }
                        add element inet ouroboros service4 { 10.3.0.1 . 443 timeout 15000ms : 192.168.10.5 . 26443 }
                        add element inet ouroboros service6 { fd03:0:0:0:0:0:0:1 . 443 timeout 15000ms : fd00:0:0:0:0:0:0:5 . 26443 }
                        """);
    }

    @Test
    void pointsToThePrincipalByEmptyMaps() {
        assertThat(new FrontTable(SPEC).pointToPrincipal()).isEqualTo("""
                        flush map inet ouroboros front
                        flush map inet ouroboros service4
                        flush map inet ouroboros service6
                        flush set inet ouroboros principal_closed
                        flush set inet ouroboros understudy_closed
                        """);
    }

    @Test
    void cutsThePrincipalOffForALease() {
        FrontTable table = new FrontTable(SPEC);
        assertThat(table.cutOffPrincipal(Duration.ofSeconds(15))).isEqualTo("""
                        flush set inet ouroboros principal_cut
                        flush set inet ouroboros understudy_closed
                        add element inet ouroboros principal_cut { tcp timeout 15000ms }
                        """);
        assertThat(table.letThrough()).isEqualTo("flush set inet ouroboros principal_cut\n");
        assertThatThrownBy(() -> table.cutOffPrincipal(Duration.ZERO)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void removesATableThatMayBeMissing() {
        assertThat(new FrontTable(SPEC).remove()).isEqualTo("""
                        add table inet ouroboros
                        delete table inet ouroboros
                        """);
    }

    @Test
    void refusesALeaseThatTheKernelWouldTakeForForever() {
        FrontTable table = new FrontTable(SPEC);
        assertThatThrownBy(() -> table.pointToUnderstudy(Duration.ZERO)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> table.pointToUnderstudy(Duration.ofMillis(999)))
                .hasMessage("a lease must last a second at least, not PT0.999S");
    }

    @Test
    void writesNoCommentLongerThanTheKernelKeeps() {
        FrontTable table = new FrontTable(SPEC);
        assertThat(FrontTable.chains())
                .allSatisfy(chain -> assertThat(table.comments(chain))
                        .isNotEmpty()
                        .allSatisfy(comment -> assertThat(comment).hasSizeLessThan(128)));
    }

    @Test
    void refusesASpecThatCannotWork() {
        InetAddress node = InetAddress.ofLiteral("192.168.10.5");
        ServiceAddress service = ServiceAddress.ofKubernetes(InetAddress.ofLiteral("fd03::1"));
        assertThatThrownBy(() -> new FrontSpec(6443, 6443, List.of(node), List.of()))
                .hasMessageContaining("cannot share port 6443");
        assertThatThrownBy(() -> new FrontSpec(6443, 70_000, List.of(node), List.of()))
                .hasMessageContaining("must be in 1-65535");
        assertThatThrownBy(() -> FrontSpec.of(List.of(), List.of())).hasMessageContaining("needs an address");
        assertThatThrownBy(() -> FrontSpec.of(List.of(node), List.of(service)))
                .hasMessageContaining("needs a node address of the same family");
        assertThatThrownBy(() -> FrontSpec.of(List.of(InetAddress.ofLiteral("127.0.0.1")), List.of()))
                .hasMessageContaining("not 127.0.0.1");
        assertThatThrownBy(() -> FrontSpec.of(List.of(InetAddress.ofLiteral("::")), List.of()))
                .hasMessageContaining("that others can reach");
    }
}
