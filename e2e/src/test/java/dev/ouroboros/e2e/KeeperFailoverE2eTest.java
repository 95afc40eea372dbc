package dev.ouroboros.e2e;

import static dev.ouroboros.e2e.ControlPlane.API_SERVER;
import static dev.ouroboros.e2e.ControlPlane.CONTROLLER_MANAGER;
import static dev.ouroboros.e2e.ControlPlane.PRINCIPAL_PORT;
import static dev.ouroboros.e2e.ControlPlane.SCHEDULER;
import static dev.ouroboros.e2e.ControlPlane.UNDERSTUDY_PORT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.e2e.Node.Running;
import dev.ouroboros.node.process.Result;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Deleted, killed, hung and stuck: whatever becomes of the control plane's pods, the keeper has all of it back. */
@Tag("e2e")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class KeeperFailoverE2eTest {
    private static final String[] BY_FORCE = {"--force", "--grace-period=0"};

    private final OuroProgram ouro = new OuroProgram("e2e-failover");
    private ControlPlane plane;

    @BeforeAll
    void up() throws Exception {
        ouro.down();
        ouro.up();
        plane = new ControlPlane(ouro);
        plane.awaitRest();
    }

    @AfterAll
    void down() throws Exception {
        plane.printDecisions();
        plane.close();
        ouro.down();
    }

    /** They end in their own time, with the understudy beside them. */
    @Test
    void allApiServerPodsAreDeleted() throws Exception {
        Set<String> before = plane.podIds(API_SERVER);
        try (Availability availability = Availability.of(ouro.kubeconfig())) {
            plane.deletePods(API_SERVER);
            plane.awaitOthers(API_SERVER, before);
            plane.awaitRest();
            availability.report();
        }
    }

    @Test
    @Tag("long")
    void allApiServerPodsAreDeletedByForce() throws Exception {
        Set<String> before = plane.podIds(API_SERVER);
        try (Availability availability = Availability.of(ouro.kubeconfig())) {
            plane.deletePods(API_SERVER, BY_FORCE);
            plane.awaitOthers(API_SERVER, before);
            plane.awaitRest();
            availability.report();
        }
    }

    /** When it goes on, it finds servers to end that nobody in the API knows of any more. */
    @Test
    @Tag("long")
    void allApiServerPodsAreDeletedByForceWhileTheKubeletHangs() throws Exception {
        Set<String> before = plane.podIds(API_SERVER);
        Running kubelet = only(plane.node().processes("kubelet"));
        signal("STOP", kubelet);
        try {
            plane.deletePods(API_SERVER, BY_FORCE);
            Await.until(
                    "the API has other pods, which nobody starts",
                    () -> !plane.podIds(API_SERVER).isEmpty()
                            && Collections.disjoint(plane.podIds(API_SERVER), before));
        } finally {
            signal("CONT", kubelet);
        }
        plane.awaitOthers(API_SERVER, before);
        plane.awaitRest();
    }

    @Test
    void theApiServerIsKilled() throws Exception {
        Running server = only(plane.node().apiServers(PRINCIPAL_PORT));
        try (Availability availability = Availability.of(ouro.kubeconfig())) {
            signal("KILL", server);
            Await.until(
                    "another process serves",
                    () -> plane.node().apiServers(PRINCIPAL_PORT).stream()
                            .anyMatch(process -> !process.id().equals(server.id())));
            plane.awaitRest();
            availability.report();
        }
    }

    /** Its port is open: clients would wait for it for ever, the kubelet among them, and the understudy for the kubelet. */
    @Test
    void theApiServerHangs() throws Exception {
        Running server = only(plane.node().apiServers(PRINCIPAL_PORT));
        long begun = System.nanoTime();
        signal("STOP", server);
        Await.until("the understudy serves", plane::understudyServes);
        System.err.printf("hung API server: the understudy served after %.1f s%n", (System.nanoTime() - begun) / 1e9);
        assertThat(plane.decisions()).anySatisfy(line -> assertThat(line).contains("PRINCIPAL_IS_SILENT"));
        assertThat(ouro.kubectl("get", "namespace", "kube-system", "-o", "name"))
                .contains("kube-system");

        // The kubelet kills it in the end, when its probes have failed for long enough: both is the same to the keeper.
        ouro.inNode("sh", "-c", "kill -CONT " + server.id() + " || true");
        plane.awaitRest();
    }

    /**
     * What its clients see of a server all of whose requests wait for a lock, a hook or its audit log: they shake hands and are never
     * answered. Here the kernel drops what it sends after its handshakes: segments that begin with a TLS record of application data.
     */
    @Test
    @Tag("long")
    void theApiServerShakesHandsAndAnswersNothing() throws Exception {
        plane.awaitRest();
        long begun = System.nanoTime();
        ouro.inNode("nft", "add", "table", "inet", "mute");
        try {
            ouro.inNode("nft", "add chain inet mute output { type filter hook output priority 0 ; }");
            // A segment that tells of one that came twice has a longer header, and would get through any rule for the
            // usual
            // one.
            ouro.inNode(
                    "nft",
                    IntStream.rangeClosed(5, 15)
                            .mapToObj(words ->
                                    "add rule inet mute output tcp sport %d tcp doff %d @th,%d,8 0x17 counter drop"
                                            .formatted(PRINCIPAL_PORT, words, 32 * words))
                            .collect(Collectors.joining("; ")));
            Await.until("the understudy serves", plane::understudyServes);
            System.err.printf(
                    "mute API server: the understudy served after %.1f s%n", (System.nanoTime() - begun) / 1e9);
            assertThat(plane.decisions())
                    .anySatisfy(line ->
                            assertThat(line).contains("PRINCIPAL_IS_SILENT", "shakes hands and answers nothing"));
            assertThat(ouro.kubectl("get", "namespace", "kube-system", "-o", "name"))
                    .contains("kube-system");
        } finally {
            ouro.inNode("nft", "delete", "table", "inet", "mute");
        }
        plane.awaitRest();
    }

    /** It cannot give its Lease back, for whose end, a minute later, the next one would wait. */
    @Test
    void theControllerManagerIsKilled() throws Exception {
        String leader = leader();
        long begun = System.nanoTime();
        signal("KILL", only(plane.node().processes(CONTROLLER_MANAGER)));
        Await.until("another one leads", () -> !leader().isEmpty() && !leader().equals(leader));
        Duration without = Duration.ofNanos(System.nanoTime() - begun);
        System.err.println("killed controller manager: the next one led after " + without);
        assertThat(without).as("less than the Lease lasts").isLessThan(Duration.ofSeconds(50));
        assertThat(plane.decisions()).anySatisfy(line -> assertThat(line).contains("LEADER_HAS_ENDED", leader));
        plane.awaitRest();
    }

    private String leader() {
        return ouro.kubectl(
                        "get",
                        "lease",
                        CONTROLLER_MANAGER,
                        "-n",
                        "kube-system",
                        "-o",
                        "jsonpath={.spec.holderIdentity}")
                .strip();
    }

    @Test
    @Tag("long")
    void controllerManagerAndSchedulerPodsAreDeleted() throws Exception {
        Set<String> managers = plane.podIds(CONTROLLER_MANAGER);
        Set<String> schedulers = plane.podIds(SCHEDULER);

        plane.deletePods(CONTROLLER_MANAGER);
        plane.deletePods(SCHEDULER);

        plane.awaitOthers(CONTROLLER_MANAGER, managers);
        plane.awaitOthers(SCHEDULER, schedulers);
        plane.awaitRest();
    }

    /** Bootkube's deadlock: nobody is left who would make their pods, and nobody who would schedule them. */
    @Test
    void controllerManagerAndSchedulerAreBothGone() throws Exception {
        Set<String> managers = plane.podIds(CONTROLLER_MANAGER);
        Set<String> schedulers = plane.podIds(SCHEDULER);

        plane.removeControllerManagerAndScheduler();

        Await.until(
                "both understudies are asked for",
                () -> plane.node().hasUnderstudyOf(CONTROLLER_MANAGER)
                        && plane.node().hasUnderstudyOf(SCHEDULER));
        // Each would wait for what the other has: ports and Leases here, the end of start there.
        assertThat(ouro.startInNode().error()).contains("the keeper of this node stands in for");
        plane.awaitOthers(CONTROLLER_MANAGER, managers);
        plane.awaitOthers(SCHEDULER, schedulers);
        plane.awaitRest();
    }

    /** The way out for people when the keeper waits for what cannot come; here it could. */
    @Test
    @Tag("long")
    void startTakesOverWhatTheKeeperStandsInFor() throws Exception {
        plane.removeControllerManagerAndScheduler();
        Await.until(
                "both understudies are asked for",
                () -> plane.node().hasUnderstudyOf(CONTROLLER_MANAGER)
                        && plane.node().hasUnderstudyOf(SCHEDULER));

        Result start = ouro.startInNode("--take-over");

        assertThat(start.succeeded()).as(start.error()).isTrue();
        plane.awaitOthers(CONTROLLER_MANAGER, Set.of());
        plane.awaitOthers(SCHEDULER, Set.of());
        plane.awaitRest();
    }

    @Test
    void theRulesetIsFlushedWhileThePrincipalServes() throws Exception {
        try (Availability availability = Availability.of(ouro.kubeconfig())) {
            flush();
            availability.requireNoFailedRequest();
        }
        plane.awaitRest();
    }

    private void flush() throws Exception {
        ouro.inNode("nft", "flush", "ruleset");
        Await.until(
                "the front is back", () -> ouro.inNode("nft", "list", "tables").contains("table inet ouroboros"));
    }

    /** The DaemonSet wants its pods elsewhere: only the understudy can serve, until it wants them here again. */
    @Nested
    @Tag("long")
    @TestInstance(TestInstance.Lifecycle.PER_CLASS)
    final class WhileThereIsNoPrincipal {
        private static final String ELSEWHERE = "/spec/template/spec/nodeSelector/elsewhere";

        @BeforeAll
        void removeThePrincipal() throws Exception {
            plane.awaitRest();
            plane.patchDaemonSet(API_SERVER, "{\"op\": \"add\", \"path\": \"" + ELSEWHERE + "\", \"value\": \"\"}");
            Await.until("the understudy serves", plane::understudyServes);
            // It would wait for its watching clients for a minute.
            for (Running server : plane.node().apiServers(PRINCIPAL_PORT)) {
                ouro.inNode("sh", "-c", "kill -KILL " + server.id() + " || true");
            }
            Await.until(
                    "nothing listens for the principal",
                    () -> plane.node().apiServers(PRINCIPAL_PORT).isEmpty());
        }

        @AfterAll
        void bringItBack() throws Exception {
            plane.patchDaemonSet(API_SERVER, "{\"op\": \"remove\", \"path\": \"" + ELSEWHERE + "\"}");
            plane.awaitOthers(API_SERVER, Set.of());
            plane.awaitRest();
        }

        @Test
        void theUnderstudyIsKilled() throws Exception {
            Running understudy = only(plane.node().apiServers(UNDERSTUDY_PORT));
            try (Availability availability = Availability.of(ouro.kubeconfig())) {
                signal("KILL", understudy);
                Await.until(
                        "another process of it serves",
                        () -> plane.node().apiServers(UNDERSTUDY_PORT).stream()
                                        .anyMatch(process -> !process.id().equals(understudy.id()))
                                && plane.frontLeadsTo("ToUnderstudy")
                                && plane.api().get("/version").isPresent());
                availability.report();
            }
        }

        /** Until the table is back, nobody answers at the front: how many requests that costs is printed. */
        @Test
        void theRulesetIsFlushed() throws Exception {
            try (Availability availability = Availability.of(ouro.kubeconfig())) {
                flush();
                Await.until(
                        "new connections lead to the understudy",
                        () -> ouro.inNode("nft", "list", "map", "inet", "ouroboros", "front")
                                .contains(String.valueOf(UNDERSTUDY_PORT)));
                assertThat(plane.api().get("/version")).isPresent();
                availability.report();
            }
        }
    }

    private void signal(String signal, Running process) {
        ouro.inNode("kill", "-" + signal, process.id());
    }

    private static Running only(List<Running> processes) {
        assertThat(processes).hasSize(1);
        return processes.getFirst();
    }
}
