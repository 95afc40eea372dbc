package dev.ouroboros.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
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
@Tag("long")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
final class RebootE2eTest {
    private static final int CANARIES = 5000;
    private static final int CUTS = Ouro.LONG ? 12 : 2;
    /** In milliseconds: how long after everything is back the power is cut again, and how long after a boot. */
    private static final int LONGEST_PEACE = 10_000;

    private static final int LONGEST_BOOT = 25_000;
    private static final Duration LIMIT = Duration.ofMinutes(4);
    private static final String PODS = "/api/v1/namespaces/kube-system/pods";
    private static final List<String> COMPONENTS = List.of(
            "etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kube-proxy", "ouroboros-keeper");

    private final Ouro ouro = new Ouro("e2e-reboot");
    private final long seed = System.nanoTime();
    private final Random random = new Random(seed);
    private Api api;
    private Canaries canaries;

    @BeforeAll
    void aClusterWithCanaries() throws Exception {
        ouro.down();
        // Without power right after its images were loaded: containerd has not synced what it unpacked.
        ouro.up("--no-start");
        ouro.json("reboot", ouro.nodeName());
        ouro.up();
        api = new Api(ouro.kubeconfig());
        canaries = new Canaries(api);
        canaries.create(CANARIES);
    }

    @AfterAll
    void down() {
        canaries.close();
        api.close();
        ouro.down();
    }

    @Test
    @Order(1)
    void everythingComesBackAfterEachPowerCutWithEveryAcknowledgedWrite() throws Exception {
        for (int cut = 1; cut <= CUTS; cut++) {
            Duration peace = Duration.ofMillis(random.nextInt(LONGEST_PEACE));
            System.err.println("seed " + seed + ", cut " + cut + ": after " + peace.toMillis() + " ms");
            Thread.sleep(peace);
            String bootId = bootId();
            List<Future<Boolean>> writers = canaries.createUntilTheApiIsGone();
            int before = canaries.acknowledged().size();
            await("canaries are being written", () -> canaries.acknowledged().size() > before + 50);

            Outcome outcome = reboot();

            for (Future<Boolean> writer : writers) {
                assertThat(writer.get())
                        .as("a writer ends when the API is gone")
                        .isFalse();
            }
            requireAllBack(outcome);
            assertThat(bootId()).isNotEqualTo(bootId);
        }
    }

    @Test
    @Order(2)
    void everythingComesBackWhenThePowerIsCutWhileItComesBack() throws Exception {
        Outcome first = reboot();
        Instant again = first.kubeletStartedAt().plusMillis(random.nextInt(LONGEST_BOOT));
        System.err.println("seed " + seed + ": power cut at " + first.powerCutAt() + ", and again at " + again);
        await("the moment of the second cut", () -> Instant.now().isAfter(again));

        requireAllBack(reboot());
    }

    @Test
    @Order(3)
    void aNodeLeftWithoutPowerIsBootedByTheNextReboot() throws Exception {
        JsonNode report = ouro.json("reboot", ouro.nodeName(), "--no-boot");
        Instant cut = Instant.parse(report.path("powerCutAt").asText());
        assertThat(report.has("kubeletStartedAt")).isFalse();
        assertThat(ouro.json("nodes").path(0).path("state").asText()).isEqualTo("stopped");

        JsonNode boot = ouro.json("reboot", ouro.nodeName());

        assertThat(boot.has("powerCutAt")).isFalse();
        requireAllBack(
                new Outcome(cut, Instant.parse(boot.path("kubeletStartedAt").asText())));
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
        return outcome;
    }

    private void requireAllBack(Outcome outcome) throws Exception {
        await("the API answers", () -> api.get("/version").isPresent());
        System.err.println("the API answered " + sinceKubelet(outcome) + " after the kubelet was started");
        await(
                "all components run, started after the power cut",
                () -> missing(outcome.powerCutAt()).isEmpty());
        System.err.println("everything was back " + sinceKubelet(outcome) + " after the kubelet was started");
        await(
                "no understudy is left",
                () -> manifests().stream()
                        .allMatch(name -> name.startsWith("etcd") || name.startsWith("ouroboros-keeper")));
        canaries.requireAll();
    }

    private static String sinceKubelet(Outcome outcome) {
        return Duration.between(outcome.kubeletStartedAt(), Instant.now()).toMillis() + " ms";
    }

    /** Components of which no pod is ready that was started after this moment. The API's view is old for a while after a boot. */
    private List<String> missing(Instant cut) throws InterruptedException {
        List<String> missing = new ArrayList<>(COMPONENTS);
        api.get(PODS).ifPresent(pods -> {
            for (JsonNode pod : pods.path("items")) {
                if (isReadySince(cut.truncatedTo(ChronoUnit.SECONDS), pod)) {
                    missing.removeIf(component ->
                            pod.path("metadata").path("name").asText().startsWith(component + "-"));
                }
            }
        });
        return missing;
    }

    /** Static pods other than etcd's are understudies, and do not count. */
    private static boolean isReadySince(Instant moment, JsonNode pod) {
        JsonNode metadata = pod.path("metadata");
        String owner = metadata.path("ownerReferences").path(0).path("kind").asText();
        JsonNode containers = pod.path("status").path("containerStatuses");
        if (containers.isEmpty()
                || (owner.equals("Node") && !metadata.path("name").asText().startsWith("etcd-"))) {
            return false;
        }
        for (JsonNode container : containers) {
            String started =
                    container.path("state").path("running").path("startedAt").asText();
            if (!container.path("ready").asBoolean()
                    || started.isEmpty()
                    || Instant.parse(started).isBefore(moment)) {
                return false;
            }
        }
        return true;
    }

    private List<String> manifests() throws Exception {
        try (Stream<Path> files = Files.list(ouro.nodeFile("/etc/kubernetes/manifests"))) {
            return files.map(file -> String.valueOf(file.getFileName())).toList();
        }
    }

    private String bootId() {
        return ouro.inNode("cat", "/proc/sys/kernel/random/boot_id").strip();
    }

    private void await(String what, Condition condition) throws Exception {
        Instant end = Instant.now().plus(LIMIT);
        while (!condition.holds()) {
            assertThat(Instant.now()).as("%s, seed %d", what, seed).isBefore(end);
            Thread.sleep(Duration.ofMillis(100));
        }
    }

    private interface Condition {
        boolean holds() throws Exception;
    }
}
