package dev.ouroboros.e2e;

import static dev.ouroboros.e2e.ControlPlane.API_SERVER;
import static dev.ouroboros.e2e.ControlPlane.CONTROLLER_MANAGER;
import static dev.ouroboros.e2e.ControlPlane.KEEPER;
import static dev.ouroboros.e2e.ControlPlane.PRINCIPAL_PORT;
import static dev.ouroboros.e2e.ControlPlane.SCHEDULER;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.ouroboros.e2e.Node.Running;
import dev.ouroboros.node.process.Result;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;

/** The keeper's own life: deleted, killed, changed together with what it keeps, removed on purpose and brought back. */
@Tag("e2e")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
final class KeeperChangeE2eTest {
    private static final List<String> KEPT = List.of(API_SERVER, CONTROLLER_MANAGER, SCHEDULER, KEEPER);
    private static final String SAVED = "/tmp/keeper.json";
    private static final String CHANGED_FLAG = "--max-requests-inflight=399";

    private static final String NAME = "e2e-change";

    private final OuroProgram ouro = new OuroProgram(NAME);
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

    /** Both templates at once, as an upgrade by hand does. The keeper gets shorter times, for the cases after this one. */
    @Test
    @Order(1)
    void keeperAndApiServerAreChangedTogether() throws Exception {
        Set<String> keepers = plane.podIds(KEEPER);
        Set<String> servers = plane.podIds(API_SERVER);
        try (Availability availability = Availability.of(ouro.kubeconfig())) {
            plane.addWords(KEEPER, "args", "--soak=10s", "--retire-grace=30s");
            plane.addWords(API_SERVER, "command", CHANGED_FLAG);
            plane.deletePods(API_SERVER, "--force", "--grace-period=0");

            plane.awaitOthers(API_SERVER, servers);
            plane.awaitOthers(KEEPER, keepers);
            plane.awaitRest();
            availability.report();
        }
        assertThat(plane.node().apiServers(PRINCIPAL_PORT)).singleElement().matches(server -> server.has(CHANGED_FLAG));
        for (String component : KEPT) {
            plane.awaitProven(component);
        }
        assertThat(checkpointOf(API_SERVER)).contains(CHANGED_FLAG);
        assertThat(checkpointOf(KEEPER)).contains("--soak=10s");
        Await.until(
                "the static copy is made from it",
                () -> Node.read(plane.node().file(Node.MANIFESTS + "/" + KEEPER + ".json"))
                        .contains("--soak=10s"));
        plane.awaitRest();
        awaitOneWorkingAndOneWaiting();
    }

    private String checkpointOf(String component) throws IOException {
        return Files.readString(plane.node()
                .file(Node.CHECKPOINTS + component + "/generations/" + plane.lastGood(component) + "/pod.json"));
    }

    @Test
    @Order(2)
    void theKeepersPodIsDeletedAndMadeAgain() throws Exception {
        Set<String> before = plane.podIds(KEEPER);
        List<String> lastGoods = lastGoods();

        plane.deletePods(KEEPER);

        plane.awaitOthers(KEEPER, before);
        plane.awaitRest();
        assertThat(lastGoods()).isEqualTo(lastGoods);
        awaitOneWorkingAndOneWaiting();
    }

    @Test
    @Order(3)
    void theKeeperIsKilled() throws Exception {
        Running working = keepers("java").getFirst();

        ouro.inNode("kill", "-KILL", working.id());

        Await.until(
                "another one works",
                () -> keepers("java").stream().anyMatch(process -> !process.id().equals(working.id()))
                        && plane.keeper().isPresent());
        plane.awaitRest();
        awaitOneWorkingAndOneWaiting();
    }

    /** Within the grace period: nothing of what it kept is lost. */
    @Test
    @Order(4)
    @Tag("long")
    void theKeepersDaemonSetIsDeletedAndAppliedAgain() throws Exception {
        List<String> lastGoods = lastGoods();
        deleteKeeper();
        // Its first decision is made before it has read the disk.
        Await.until(
                "the static copy works, and knows what was kept",
                () -> plane.keeper()
                                .filter(state -> state.path("staticCopy").asBoolean())
                                .isPresent()
                        && lastGoods().equals(lastGoods));

        applyKeeperAgain();

        plane.awaitRest();
        assertThat(lastGoods()).isEqualTo(lastGoods);
        awaitOneWorkingAndOneWaiting();
    }

    @Test
    @Order(5)
    @Tag("long")
    void anApiServerThatCrashesIsNeverCheckpointedAndLastGoodServes() throws Exception {
        String lastGood = plane.lastGood(API_SERVER);
        plane.addWords(API_SERVER, "command", "--no-such-flag=1");
        plane.deletePods(API_SERVER, "--force", "--grace-period=0");

        Await.until("it has crashed twice", () -> plane.keeperOf(API_SERVER).toString(), () -> restarts() >= 2);
        assertThat(plane.frontLeadsTo("ToUnderstudy")).isTrue();
        assertThat(plane.keeperOf(API_SERVER).hasNonNull("candidate")).isFalse();
        assertThat(plane.lastGood(API_SERVER)).isEqualTo(lastGood);
        ouro.kubectl("create", "configmap", "written-through-the-understudy");

        ouro.kubectl("rollout", "undo", "daemonset/" + API_SERVER, "-n", "kube-system");
        plane.deletePods(API_SERVER, "--force", "--grace-period=0");
        plane.awaitRest();
        assertThat(plane.lastGood(API_SERVER)).isEqualTo(lastGood);
    }

    /** The checkpointer is removed: its checkpoints go, workloads stay. */
    @Test
    @Tag("long")
    @Order(6)
    void theKeeperIsRemovedOnPurposeWithAllThatItKeepsAndNothingElse() throws Exception {
        Set<String> before = workloads();

        Result removed = ouro.runPlain("change", "remove-keeper", "--name", NAME);

        assertThat(removed.exitCode()).as(removed.error()).isZero();
        assertThat(removed.error()).contains("nothing of it is left on node " + ouro.nodeName());
        Await.until(
                "no keeper runs",
                () -> keepers("java").isEmpty() && keepers("flock").isEmpty());
        assertThat(plane.node().manifests()).noneMatch(name -> name.contains(KEEPER));
        assertThat(ouro.inNode("nft", "list", "tables")).doesNotContain("inet ouroboros");
        assertThat(ouro.inNode("ls", "/var/lib/ouroboros")).doesNotContain("keeper", "checkpoints");
        assertThat(ouro.kubectl(
                        "get",
                        "clusterroles,clusterrolebindings,roles,rolebindings,secrets,leases,daemonsets,controllerrevisions",
                        "-A",
                        "-o",
                        "name"))
                .doesNotContain("ouroboros:keeper", "ouroboros-keeper", "ouroboros-change");
        assertThat(ouro.kubectl("get", "nodes", "-o", "yaml")).doesNotContain("ouroboros.dev/checkpoints");
        assertThat(workloads()).isEqualTo(before);
        assertThat(plane.pods(API_SERVER)).isNotEmpty().allMatch(ControlPlane::isReady);

        Result again = ouro.run("up");
        assertThat(again.exitCode()).as(again.error()).isZero();
        plane.awaitRest();
        for (String component : KEPT) {
            plane.awaitProven(component);
        }
        awaitOneWorkingAndOneWaiting();
    }

    /** Keeps its manifest for later. */
    private void deleteKeeper() throws IOException {
        ObjectNode daemonSet = (ObjectNode) ouro.kubectlJson("get", "daemonset", KEEPER, "-n", "kube-system");
        daemonSet.remove("status");
        ((ObjectNode) daemonSet.path("metadata"))
                .remove(List.of("resourceVersion", "uid", "creationTimestamp", "generation", "managedFields"));
        Files.writeString(plane.node().file(SAVED), daemonSet.toString());
        ouro.kubectl("delete", "daemonset", KEEPER, "-n", "kube-system");
    }

    private void applyKeeperAgain() {
        ouro.kubectl("apply", "-f", SAVED);
    }

    private List<String> lastGoods() throws IOException {
        return List.of(
                plane.lastGood(API_SERVER),
                plane.lastGood(CONTROLLER_MANAGER),
                plane.lastGood(SCHEDULER),
                plane.lastGood(KEEPER));
    }

    private Set<String> workloads() throws InterruptedException {
        Set<String> ids = new TreeSet<>();
        for (String component : List.of(API_SERVER, CONTROLLER_MANAGER, SCHEDULER, "kube-proxy", "etcd")) {
            ids.addAll(plane.podIds(component));
        }
        return ids;
    }

    private int restarts() throws InterruptedException {
        return plane.pods(API_SERVER).stream()
                .mapToInt(pod -> pod.path("status")
                        .path("containerStatuses")
                        .path(0)
                        .path("restartCount")
                        .asInt())
                .max()
                .orElse(0);
    }

    private void awaitOneWorkingAndOneWaiting() throws Exception {
        Await.until(
                "one keeper works and its copy waits",
                () -> keepers("java").size() == 1 && keepers("flock").size() == 1);
    }

    private List<Running> keepers(String program) throws IOException {
        return plane.node().processes(program).stream()
                .filter(process -> process.words().stream()
                        .anyMatch(word -> word.contains("/opt/keeper/") || word.endsWith("/keeper/lock")))
                .toList();
    }
}
