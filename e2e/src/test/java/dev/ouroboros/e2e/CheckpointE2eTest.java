package dev.ouroboros.e2e;

import static dev.ouroboros.e2e.ControlPlane.API_SERVER;
import static dev.ouroboros.e2e.ControlPlane.CONTROLLER_MANAGER;
import static dev.ouroboros.e2e.ControlPlane.KEEPER;
import static dev.ouroboros.e2e.ControlPlane.SCHEDULER;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ouroboros.e2e.Node.Running;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;

/**
 * What bootkube's checkpointer got wrong and its users suffered, on a real node: checkpoints of a workload that refers to
 * everything a pod can refer to. Its 25 state rows are {@code BootkubeStatesTest}; what needs a broken disk, a lying API server
 * or two of them is in the tests of the modules {@code model} and {@code keeper}.
 */
@Tag("e2e")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
final class CheckpointE2eTest {
    private static final Duration LONGER_THAN_SOAK = Duration.ofSeconds(15);
    private static final Duration LONGER_THAN_GRACE = Duration.ofSeconds(20);

    private final OuroProgram ouro = new OuroProgram("e2e-checkpoint");
    private ControlPlane plane;
    private Keepsake keepsake;

    @BeforeAll
    void aClusterWithAKeepsake() throws Exception {
        ouro.down();
        ouro.up();
        plane = new ControlPlane(ouro);
        plane.awaitRest();
        Set<String> keepers = plane.podIds(KEEPER);
        plane.addWords(KEEPER, "args", "--soak=8s", "--retire-grace=10s");
        plane.awaitOthers(KEEPER, keepers);
        plane.awaitRest();
        keepsake = new Keepsake(ouro, plane);
        keepsake.apply("kube-system");
        plane.awaitProven(Keepsake.NAME);
    }

    @AfterAll
    void down() throws Exception {
        plane.printDecisions();
        plane.close();
        ouro.down();
    }

    /** Items, modes, optional and projected volumes, variables, two users, and a pull secret that nobody has. */
    @Test
    @Order(1)
    void everythingAPodRefersToIsInItsUnderstudy() throws Exception {
        keepsake.whileItHasNoPlace(() -> {
            Running one = keepsake.process("one");
            assertThat(content(one, "items/deep/er")).isEqualTo("first");
            assertThat(mode(one, "items/deep/er")).isEqualTo("r--r-----");
            assertThat(content(one, "whole/a")).isEqualTo("first");
            assertThat(content(one, "whole/b")).isEqualTo("second");
            assertThat(content(one, "projected/from-secret")).isEqualTo("first");
            assertThat(content(one, "projected/SONG")).isEqualTo("la la");
            assertThat(content(one, "downward/name")).isEqualTo("kube-system");
            assertThat(Node.read(one.directory().resolve("environ")).split("\0"))
                    .contains("FROM_SECRET=first", "ALL_SONG=la la", "WHERE=" + ouro.nodeName());
            for (String user : List.of("one", "two")) {
                Running process = keepsake.process(user);
                assertThat(Files.getAttribute(file(process, "whole/b"), "unix:gid"))
                        .isEqualTo(3000);
                assertThat(Node.read(process.directory().resolve("status"))).containsPattern("Groups:.*\\b3000\\b");
            }
        });
    }

    @Test
    @Order(2)
    void aKeyThatLeftItsSecretLeavesTheCheckpointAndAChangedOneIsSaved() throws Exception {
        String before = plane.lastGood(Keepsake.NAME);

        keepsake.patchSecret("{\"data\": {\"b\": null}, \"stringData\": {\"a\": \"changed\"}}");

        Await.until("the change is saved and proven", () -> {
            String lastGood = plane.lastGood(Keepsake.NAME);
            return !lastGood.isEmpty() && !lastGood.equals(before);
        });
        assertThat(keepsake.saved("whole/b")).doesNotExist();
        assertThat(keepsake.saved("whole/a")).hasContent("changed");
    }

    /** The pod lives on with what it was given; a new one could not start. */
    @Test
    @Order(3)
    void lastGoodOutlivesAKeyThatItsPodNeeds() throws Exception {
        String lastGood = plane.lastGood(Keepsake.NAME);

        keepsake.patchSecret("{\"data\": {\"a\": null}}");

        Await.until(
                "it is refused, and said so",
                () -> plane.keeperOf(Keepsake.NAME).path("material").asText().startsWith("Refused")
                        && ouro.kubectl("get", "events", "-n", "kube-system").contains("CheckpointRefused"));
        assertThat(plane.lastGood(Keepsake.NAME)).isEqualTo(lastGood);
        assertThat(keepsake.saved("whole/a")).hasContent("changed");

        keepsake.patchSecret("{\"stringData\": {\"a\": \"changed\"}}");
        plane.awaitProven(Keepsake.NAME);
    }

    @Test
    @Order(4)
    @Tag("long")
    void aCrashLoopingPodIsNeverSaved() throws Exception {
        String lastGood = plane.lastGood(Keepsake.NAME);
        Await.until(
                "nothing of the case before is left",
                () -> plane.podIds(Keepsake.NAME).size() == 1);
        Set<String> before = plane.podIds(Keepsake.NAME);

        keepsake.patch("{\"op\": \"replace\", \"path\": \"/spec/template/spec/containers/0/command\","
                + " \"value\": [\"/usr/bin/flock\", \"--no-such-flag\"]}");

        Await.until(
                "the new pod has crashed twice",
                () -> plane.pods(Keepsake.NAME).stream()
                        .filter(pod -> !before.contains(
                                pod.path("metadata").path("uid").asText()))
                        .anyMatch(pod -> Keepsake.restarts(pod) >= 2));
        assertThat(plane.lastGood(Keepsake.NAME)).isEqualTo(lastGood);
        assertThat(plane.keeperOf(Keepsake.NAME).hasNonNull("candidate")).isFalse();

        ouro.kubectl("rollout", "undo", "deployment/" + Keepsake.NAME, "-n", "kube-system");
        Await.until(
                "the pod of before is alone",
                () -> before + " of " + plane.pods(Keepsake.NAME),
                () -> plane.podIds(Keepsake.NAME).equals(before));
    }

    @Test
    @Order(5)
    void anImageThatIsGoneFromTheNodeIsBroughtBack() throws Exception {
        keepsake.whileItHasNoPlace(
                () -> images().forEach(image -> ouro.inNode("ctr", "-n", "k8s.io", "images", "rm", image)),
                () -> assertThat(images()).isNotEmpty());
    }

    /** Names that the node's runtime has for the keepsake's image. */
    private List<String> images() {
        return ouro.inNode("ctr", "-n", "k8s.io", "images", "ls", "-q")
                .lines()
                .filter(image -> image.contains("/keeper"))
                .toList();
    }

    /** Also files that begin with a dot, which bootkube's checkpointer deleted. */
    @Test
    @Order(6)
    void foreignFilesAreReportedAndLeftAlone() throws Exception {
        Path dotFile = plane.node().file(Node.MANIFESTS + "/.somebody.json");
        Path torn = plane.node().file(Node.CHECKPOINTS + "torn/slots.json");
        Files.writeString(dotFile, "somebody's");
        Files.createDirectory(torn.resolveSibling(""));
        Files.writeString(torn, "{\"form");

        // All is read, and what is old is removed, when something was saved.
        keepsake.patchSecret("{\"stringData\": {\"a\": \"changed again\"}}");

        Await.until(
                "the torn file is reported",
                () -> plane.keeper().orElseThrow().path("problems").toString(),
                () -> plane.keeper().orElseThrow().path("problems").toString().contains("torn"));
        plane.awaitProven(Keepsake.NAME);
        assertThat(dotFile).hasContent("somebody's");
        assertThat(torn).hasContent("{\"form");
        Files.delete(torn);
        Files.delete(torn.resolveSibling(""));
    }

    @Test
    @Order(7)
    @Tag("long")
    void aForeignManifestInTheUnderstudysPlaceIsLeftThere() throws Exception {
        Path foreign = plane.node().file(Node.MANIFESTS + "/understudy-" + Keepsake.NAME + ".json");
        Files.writeString(foreign, "{\"kind\": \"Pod\", \"metadata\": {\"name\": \"somebody\"}}");
        keepsake.cordonAndDelete();
        try {
            Await.until(
                    "it says what is in the way",
                    () -> plane.keeperOf(Keepsake.NAME).toString(),
                    () -> plane.keeperOf(Keepsake.NAME)
                            .path("condition")
                            .asText()
                            .equals("HELPLESS"));
            assertThat(foreign).content().contains("somebody");

            Files.delete(foreign);
            Await.until("the understudy runs", keepsake::understudyRuns);
        } finally {
            keepsake.uncordon();
        }
        plane.awaitOthers(Keepsake.NAME, Set.of());
    }

    @Test
    @Order(8)
    @Tag("long")
    void aPodOfAnotherNamespaceIsSavedWhenItsOwnerLetsTheKeeperRead() throws Exception {
        ouro.kubectl("create", "namespace", "guests");
        keepsake.apply("guests");
        Await.until(
                "it says that it may not read there",
                () -> guest().toString(),
                () -> guest().path("material").path("unknown").asText().contains("forbidden")
                        && ouro.kubectl("get", "events", "--all-namespaces").contains("NamespaceNotReadable"));
        assertThat(guest().hasNonNull("candidate") || guest().hasNonNull("lastGood"))
                .isFalse();

        ouro.kubectl(
                "create",
                "rolebinding",
                "keeper",
                "-n",
                "guests",
                "--clusterrole=ouroboros:keeper-namespace",
                "--user=system:ouroboros:keeper");

        Await.until("it is saved and proven", () -> guest().toString(), () -> guest().hasNonNull("lastGood"));
        assertThat(plane.node().file("/var/lib/ouroboros/checkpoints/guests/" + Keepsake.NAME + "/slots.json"))
                .exists();
        ouro.kubectl("delete", "deployment", Keepsake.NAME, "-n", "guests");
        Await.until("it is gone when nobody wants it any more", () -> guest().isMissingNode());
    }

    private JsonNode guest() throws IOException {
        return plane.keeper().orElseThrow().path("components").path("guests/" + Keepsake.NAME);
    }

    @Test
    @Order(9)
    void theCheckpointOfWhatNobodyWantsAnyMoreGoesAndAllOthersStay() throws Exception {
        List<String> others = List.of(plane.lastGood(API_SERVER), plane.lastGood(SCHEDULER));

        ouro.kubectl("delete", "deployment", Keepsake.NAME, "-n", "kube-system");

        Await.until("its checkpoint is gone", () -> !Files.exists(plane.node().file(Node.CHECKPOINTS + Keepsake.NAME)));
        assertThat(plane.node().hasUnderstudyOf(Keepsake.NAME)).isFalse();
        assertThat(List.of(plane.lastGood(API_SERVER), plane.lastGood(SCHEDULER)))
                .isEqualTo(others);
    }

    /** Wanted again after the grace, nobody is left to make the pods of the one or to place those of the other. */
    @Test
    @Tag("long")
    @Order(10)
    void whatIsScaledToZeroForLongerThanTheGraceComesBackWhenItIsWantedAgain() throws Exception {
        List<String> others = List.of(plane.lastGood(SCHEDULER), plane.lastGood(CONTROLLER_MANAGER));
        scale(SCHEDULER, 0);
        awaitNone(SCHEDULER);
        scale(CONTROLLER_MANAGER, 0);
        awaitNone(CONTROLLER_MANAGER);

        assertThat(ouro.run("status").output())
                .contains("scaled to 0")
                .contains("kubectl -n kube-system scale deployment kube-scheduler --replicas=1")
                .contains("kubectl -n kube-system scale deployment kube-controller-manager --replicas=1");
        assertThat(ouro.up().error()).contains("lacks").doesNotContain("nothing to do");
        assertThat(ouro.run("explain", SCHEDULER).output()).contains("it was scaled to zero");
        Await.holds(
                "nothing of them runs, and their checkpoints stay",
                LONGER_THAN_GRACE,
                () -> plane.node().processes(SCHEDULER).isEmpty()
                        && plane.node().processes(CONTROLLER_MANAGER).isEmpty()
                        && List.of(plane.lastGood(SCHEDULER), plane.lastGood(CONTROLLER_MANAGER))
                                .equals(others));

        scale(CONTROLLER_MANAGER, 1);
        scale(SCHEDULER, 1);
        plane.awaitOthers(CONTROLLER_MANAGER, Set.of());
        plane.awaitOthers(SCHEDULER, Set.of());
        plane.awaitRest();
        assertThat(ouro.up().error()).contains("nothing to do");
    }

    private void scale(String component, int replicas) {
        ouro.kubectl("scale", "deployment", component, "-n", "kube-system", "--replicas=" + replicas);
    }

    private void awaitNone(String component) throws Exception {
        Await.until(
                component + " is gone, and the keeper knows why",
                () -> plane.keeperOf(component).toString(),
                () -> plane.pods(component).isEmpty()
                        && plane.keeperOf(component).path("condition").asText().equals("SWITCHED_OFF"));
    }

    /** Its pods are collected with it, and the kubelet that registers it again may not give it its role. */
    @Test
    @Order(11)
    @Tag("long")
    void theNodeIsDeleted() throws Exception {
        Set<String> servers = plane.podIds(API_SERVER);
        ouro.kubectl("delete", "node", ouro.nodeName());
        // A kubelet registers its node only when it starts.
        Await.until(
                "the pods of the node are gone",
                () -> plane.podIds(API_SERVER).stream().noneMatch(servers::contains));
        Running kubelet = plane.node().processes("kubelet").getFirst();
        ouro.inNode("kill", kubelet.id());

        plane.awaitOthers(API_SERVER, servers);
        plane.awaitRest();
        Await.holds("it stays so", LONGER_THAN_SOAK, () -> plane.unrest().isEmpty());
    }

    private static Path file(Running process, String inContainer) {
        return process.directory().resolve("root").resolve(inContainer);
    }

    private static String content(Running process, String inContainer) throws IOException {
        return Files.readString(file(process, inContainer));
    }

    private static String mode(Running process, String inContainer) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(file(process, inContainer)));
    }
}
