package dev.ouroboros.e2e;

import static dev.ouroboros.e2e.ControlPlane.CONTROLLER_MANAGER;
import static dev.ouroboros.e2e.ControlPlane.KEEPER;
import static dev.ouroboros.e2e.ControlPlane.SCHEDULER;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ouroboros.e2e.Node.Running;
import dev.ouroboros.node.process.Result;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;

/** A cluster whose only machine loses its power: all of it comes back with nothing done by hand. */
@Tag("e2e")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
final class RebootE2eTest {
    private static final int CANARIES = 5000;
    /** Each third one while the node recovers from the one before. */
    private static final int CUTS = OuroProgram.LONG ? 12 : 2;
    /** In milliseconds: how long after everything is back the power is cut again, and how long after a boot. */
    private static final int LONGEST_PEACE = 10_000;

    private static final int LONGEST_BOOT = 25_000;
    /** So many that writing them takes longer than it takes to notice. */
    private static final int FILES = 400;

    private final OuroProgram ouro = new OuroProgram("e2e-reboot");
    private final long seed = System.nanoTime();
    private final Random random = new Random(seed);
    private ControlPlane plane;
    private Canaries canaries;
    private Keepsake keepsake;

    @BeforeAll
    void aClusterWithCanaries() throws Exception {
        ouro.down();
        // Without power right after its images were loaded: containerd has not synced what it unpacked.
        ouro.up("--no-start");
        loadAnImageOfOnesOwn();
        ouro.json("reboot", ouro.nodeName());
        ouro.up();
        plane = new ControlPlane(ouro);
        canaries = new Canaries(plane.api());
        canaries.create(CANARIES);
        keepsake = new Keepsake(ouro, plane);
    }

    @AfterAll
    void down() throws Exception {
        plane.printDecisions();
        canaries.close();
        plane.close();
        ouro.down();
    }

    /** Of what the node had: without it in containerd it is loaded as any other, under a short name that only this test uses. */
    private void loadAnImageOfOnesOwn() throws IOException {
        String inNode = "/var/tmp/own.tar";
        ouro.inNode("sh", "-c", """
                name=$(ctr images ls -q | grep -m 1 ^localhost/ouroboros/kube-proxy:)
                digest=$(ctr images ls | awk -v name="$name" '$1 == name {print $3}')
                ctr images export %s "$name"
                ctr images delete --sync $(ctr images ls | awk -v digest="$digest" '$3 == digest {print $1}')
                """.formatted(inNode));
        Result loaded = ouro.runPlain(
                "images", "load", ouro.nodeFile(inNode).toString(), "--as", "own:1", "--name", ouro.nodeName());
        assertThat(loaded.error()).contains("docker.io/library/own:1 is in node " + ouro.nodeName());
    }

    /** Its files were synced before it was said to be there, and it has a name that no registry knows. */
    @Test
    @Order(0)
    void anImageOfOnesOwnIsThereAfterAPowerCutByItsShortName() {
        ouro.kubectl("create", "job", "own", "--image=own:1", "--", "kube-proxy", "--version");
        ouro.kubectl("wait", "--for=condition=complete", "--timeout=90s", "job/own");
        assertThat(ouro.kubectl("logs", "job/own")).contains("Kubernetes v");
        ouro.kubectl("delete", "job", "own");
    }

    @Test
    @Order(1)
    void everythingComesBackAfterPowerCutsInARowWithEveryAcknowledgedWrite() throws Exception {
        Optional<Outcome> recovering = Optional.empty();
        for (int cut = 1; cut <= CUTS; cut++) {
            if (recovering.isPresent()) {
                Instant again = recovering.get().kubeletStartedAt().plusMillis(random.nextInt(LONGEST_BOOT));
                System.err.println("seed " + seed + ", cut " + cut + ": while it comes back, at " + again);
                Await.until("the moment of the cut", () -> Instant.now().isAfter(again));
                requireAllBack(reboot());
                recovering = Optional.empty();
                continue;
            }
            Duration peace = Duration.ofMillis(random.nextInt(LONGEST_PEACE));
            System.err.println("seed " + seed + ", cut " + cut + ": after " + peace.toMillis() + " ms");
            Thread.sleep(peace);
            Outcome outcome = rebootWhileCanariesAreWritten();
            if (cut % 3 == 2) {
                recovering = Optional.of(outcome);
            } else {
                requireAllBack(outcome);
            }
        }
    }

    private Outcome rebootWhileCanariesAreWritten() throws Exception {
        String bootId = bootId();
        List<Future<Boolean>> writers = canaries.createUntilTheApiIsGone();
        int before = canaries.acknowledged().size();
        Await.until("canaries are being written", () -> canaries.acknowledged().size() > before + 50);

        Outcome outcome = reboot();

        for (Future<Boolean> writer : writers) {
            assertThat(writer.get()).as("a writer ends when the API is gone").isFalse();
        }
        assertThat(bootId()).isNotEqualTo(bootId);
        return outcome;
    }

    /** The keeper stands still in the middle of a write when the power goes. */
    @Test
    @Tag("long")
    @Order(2)
    void thePowerIsCutWhileTheKeeperWritesACheckpoint() throws Exception {
        plane.awaitRest();
        Set<String> keepers = plane.podIds(KEEPER);
        plane.addWords(KEEPER, "args", "--soak=8s", "--retire-grace=60s");
        plane.awaitOthers(KEEPER, keepers);
        plane.awaitRest();
        keepsake.apply("kube-system");
        plane.awaitProven(Keepsake.NAME);
        String lastGood = plane.lastGood(Keepsake.NAME);

        keepsake.fillConfigMap(FILES);
        Running keeper = keeper();
        Path writing = awaitWriting();
        plane.node().stop(keeper);
        assertThat(writing).as("was stopped before it was whole").exists();
        Outcome outcome = reboot();

        assertThat(plane.node().file(Node.CHECKPOINTS + Keepsake.NAME + "/slots.json"))
                .content()
                .contains(lastGood);
        requireAllBack(outcome);
        Await.until("the change is saved and proven, and nothing is left of what was cut off", () -> {
            String proven = plane.lastGood(Keepsake.NAME);
            return !proven.isEmpty()
                    && !proven.equals(lastGood)
                    && generations().equals(List.of(proven));
        });
        assertThat(plane.keeper().orElseThrow().path("problems")).isEmpty();
    }

    private Running keeper() throws IOException {
        return plane.node().processes("java").stream()
                .filter(process -> process.words().stream().anyMatch(word -> word.contains("/opt/keeper/")))
                .findFirst()
                .orElseThrow();
    }

    private Path awaitWriting() throws Exception {
        Path generations = plane.node().file(Node.CHECKPOINTS + Keepsake.NAME + "/generations");
        Instant limit = Instant.now().plus(Duration.ofMinutes(2));
        while (Instant.now().isBefore(limit)) {
            try (Stream<Path> files = Files.list(generations)) {
                Optional<Path> incoming = files.filter(
                                file -> String.valueOf(file.getFileName()).startsWith(".incoming-"))
                        .findFirst();
                if (incoming.isPresent()) {
                    return incoming.get();
                }
            }
            // It is there for less than a second.
            Thread.sleep(Duration.ofMillis(1));
        }
        throw new AssertionError("no checkpoint was written");
    }

    private List<String> generations() throws IOException {
        try (Stream<Path> files = Files.list(plane.node().file(Node.CHECKPOINTS + Keepsake.NAME + "/generations"))) {
            return files.map(file -> String.valueOf(file.getFileName())).toList();
        }
    }

    /** Nobody is left who would make and schedule their pods; and somebody whose checkpoint is there is not wanted any more. */
    @Test
    @Tag("long")
    @Order(3)
    void aNodeLeftWithoutPowerHasNoControllerManagerNoSchedulerAndAParentThatIsGone() throws Exception {
        ouro.kubectl("scale", "deployment", Keepsake.NAME, "-n", "kube-system", "--replicas=0");
        Await.until("it has no pod", () -> plane.pods(Keepsake.NAME).isEmpty());
        plane.removeControllerManagerAndScheduler();
        Set<String> gone = Set.of(CONTROLLER_MANAGER, SCHEDULER);
        JsonNode report = ouro.jsonPlain("node", "off", ouro.nodeName(), "-o", "json");
        Instant cut = Instant.parse(report.path("powerCutAt").asText());
        assertThat(report.has("kubeletStartedAt")).isFalse();
        assertThat(ouro.json("nodes").path(0).path("state").asText()).isEqualTo("stopped");

        JsonNode boot = ouro.jsonPlain("node", "on", ouro.nodeName(), "-o", "json");

        assertThat(boot.has("powerCutAt")).isFalse();
        plane.lookAgain();
        assertThat(plane.node().file(Node.CHECKPOINTS + Keepsake.NAME)).exists();
        Await.until("understudies of " + gone + " are asked for", () -> {
            assertThat(plane.node().hasUnderstudyOf(Keepsake.NAME)).isFalse();
            return gone.stream().allMatch(plane.node()::hasUnderstudyOf);
        });
        requireAllBack(
                new Outcome(cut, Instant.parse(boot.path("kubeletStartedAt").asText())));
        Await.until("the checkpoint of what nobody wants goes", () -> {
            assertThat(plane.node().hasUnderstudyOf(Keepsake.NAME)).isFalse();
            return !Files.exists(plane.node().file(Node.CHECKPOINTS + Keepsake.NAME));
        });
    }

    /** When the power was cut, and when the kubelet was started after that. */
    private record Outcome(Instant powerCutAt, Instant kubeletStartedAt) {}

    private Outcome reboot() throws Exception {
        Instant begun = Instant.now();
        JsonNode report = ouro.json("reboot", ouro.nodeName());
        Outcome outcome = new Outcome(
                Instant.parse(report.path("powerCutAt").asText()),
                Instant.parse(report.path("kubeletStartedAt").asText()));
        assertThat(outcome.powerCutAt()).isBetween(begun, outcome.kubeletStartedAt());
        assertThat(outcome.kubeletStartedAt()).isBefore(Instant.now());
        plane.lookAgain();
        return outcome;
    }

    private void requireAllBack(Outcome outcome) throws Exception {
        System.err.println("the kubelet was started at " + outcome.kubeletStartedAt());
        Await.until("the API answers", () -> plane.api().get("/version").isPresent());
        System.err.println("the API answered " + sinceKubelet(outcome) + " after the kubelet was started");
        Await.until(
                "all components run, started after the power cut",
                () -> String.valueOf(plane.missingSince(outcome.powerCutAt())),
                () -> plane.missingSince(outcome.powerCutAt()).isEmpty());
        System.err.println("everything was back " + sinceKubelet(outcome) + " after the kubelet was started");
        plane.awaitRest();
        System.err.println("it was at rest " + sinceKubelet(outcome) + " after the kubelet was started");
        canaries.requireAll();
    }

    private static String sinceKubelet(Outcome outcome) {
        return Duration.between(outcome.kubeletStartedAt(), Instant.now()).toMillis() + " ms";
    }

    private String bootId() {
        return ouro.inNode("cat", "/proc/sys/kernel/random/boot_id").strip();
    }
}
