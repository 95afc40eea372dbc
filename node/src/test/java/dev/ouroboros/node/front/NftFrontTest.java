package dev.ouroboros.node.front;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ouroboros.model.front.FrontSpec;
import dev.ouroboros.model.front.FrontState;
import dev.ouroboros.model.front.ServiceAddress;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.process.LocalProcesses;
import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The table itself, in the kernel. */
@Tag("e2e")
class NftFrontTest {
    private static final Duration LEASE = Duration.ofSeconds(30);

    private TestNamespace node;
    private Front front;

    @BeforeEach
    void makeNode() {
        node = TestNamespace.create();
        front = new NftFront(new LocalProcesses(), node.namespace().prefix(), spec());
    }

    @AfterEach
    void removeNode() {
        node.close();
    }

    @Test
    void goesThroughItsStates() {
        assertThat(front.read()).isEqualTo(new FrontState.NotInstalled());
        front.install();
        assertThat(front.read()).isEqualTo(new FrontState.ToPrincipal());
        front.pointToUnderstudy(LEASE);
        assertThat(front.read()).isInstanceOf(FrontState.ToUnderstudy.class);
        front.pointToPrincipal();
        assertThat(front.read()).isEqualTo(new FrontState.ToPrincipal());
        front.remove();
        assertThat(front.read()).isEqualTo(new FrontState.NotInstalled());
        front.remove();
    }

    @Test
    void keepsTheLeaseWhenInstalledAgain() {
        front.install();
        front.pointToUnderstudy(LEASE);
        String before = node.run("nft", "-s", "list", "table", "inet", "ouroboros");
        front.install();
        assertThat(node.run("nft", "-s", "list", "table", "inet", "ouroboros")).isEqualTo(before);
        assertThat(remaining()).isBetween(Duration.ofSeconds(20), LEASE);
    }

    @Test
    void renewsALease() {
        front.pointToUnderstudy(Duration.ofSeconds(5));
        front.pointToUnderstudy(LEASE);
        assertThat(remaining()).isGreaterThan(Duration.ofSeconds(20));
    }

    @Test
    void comesBackAfterAnotherToolFlushedTheRuleset() {
        front.install();
        node.run("nft", "flush", "ruleset");
        assertThat(front.read()).isEqualTo(new FrontState.NotInstalled());
        front.pointToUnderstudy(LEASE);
        assertThat(front.read()).isInstanceOf(FrontState.ToUnderstudy.class);
    }

    @Test
    void comesBackAfterAnotherToolTookItsRules() {
        front.pointToUnderstudy(LEASE);
        node.run("nft", "flush", "table", "inet", "ouroboros");
        assertThat(front.read()).isInstanceOf(FrontState.Damaged.class);
        front.install();
        assertThat(front.read()).isInstanceOf(FrontState.ToUnderstudy.class);
    }

    @Test
    void seesAndRepairsAnElementThatNeverExpires() {
        front.install();
        node.run("nft", "add element inet ouroboros front { 6443 : 26443 }");
        assertThat(front.read()).isInstanceOf(FrontState.Damaged.class);
        front.pointToPrincipal();
        assertThat(front.read()).isEqualTo(new FrontState.ToPrincipal());
    }

    @Test
    void leavesAForeignTableOfTheSameNameAlone() {
        node.run(
                "nft",
                "add table inet ouroboros; add chain inet ouroboros input; add map inet ouroboros front "
                        + "{ type inet_service : verdict ; }");
        String before = node.run("nft", "list", "ruleset");
        assertThat(front.read()).isInstanceOf(FrontState.Foreign.class);
        assertThatThrownBy(front::install)
                .isInstanceOfSatisfying(
                        ProblemException.class,
                        e -> assertThat(e.problems().getFirst().code()).isEqualTo(ErrorCode.FOREIGN_TABLE))
                .hasMessageContaining("another tool made it")
                .hasMessageEndingWith(
                        "nft list table inet ouroboros shows it; rename it, or delete it when nothing needs it");
        assertThatThrownBy(() -> front.pointToUnderstudy(LEASE)).isInstanceOf(ProblemException.class);
        assertThatThrownBy(front::pointToPrincipal).isInstanceOf(ProblemException.class);
        assertThatThrownBy(front::remove).isInstanceOf(ProblemException.class);
        assertThat(node.run("nft", "list", "ruleset")).isEqualTo(before);
    }

    @Test
    void leavesTheTablesOfOthersAlone() {
        node.run(
                "nft",
                "add table inet other; add chain inet other prerouting { type nat hook prerouting priority -100 ; }");
        String before = node.run("nft", "list", "table", "inet", "other");
        front.pointToUnderstudy(LEASE);
        front.remove();
        assertThat(node.run("nft", "list", "ruleset")).isEqualTo(before);
    }

    @Test
    void doesNotTakeAFailedReadingForAnAnswer() {
        Front elsewhere =
                new NftFront(new LocalProcesses(), List.of("nsenter", "--net=/run/netns/ouro-test-none"), spec());
        assertThat(elsewhere.read()).isInstanceOf(FrontState.Unknown.class);
        assertThatThrownBy(elsewhere::install)
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining("cannot be read");
    }

    private Duration remaining() {
        return front.read() instanceof FrontState.ToUnderstudy(Duration remaining, var _) ? remaining : Duration.ZERO;
    }

    private static FrontSpec spec() {
        return FrontSpec.of(
                List.of(InetAddress.ofLiteral("192.168.10.5"), InetAddress.ofLiteral("fd00::5")),
                List.of(
                        ServiceAddress.ofKubernetes(InetAddress.ofLiteral("10.3.0.1")),
                        ServiceAddress.ofKubernetes(InetAddress.ofLiteral("fd03::1"))));
    }
}
