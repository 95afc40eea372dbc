package dev.ouroboros.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ouroboros.node.process.Result;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;

/** A cluster whose only machine loses its power: what was acknowledged is there again. */
@Tag("e2e")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
final class RebootE2eTest {
    private static final String NAME = "e2e-reboot";
    private static final int CANARIES = Ouro.LONG ? 5000 : 1000;
    private static final Duration ETCD_LIMIT = Duration.ofMinutes(2);

    private final Ouro ouro = new Ouro(NAME);
    private Canaries canaries;

    @BeforeAll
    void aClusterWithCanaries() throws Exception {
        ouro.down();
        // Without power right after its images were loaded: containerd has not synced what it unpacked.
        ouro.up("--no-start");
        ouro.json("reboot", ouro.nodeName());
        ouro.up();
        canaries = new Canaries(ouro.kubeconfig());
        canaries.create(CANARIES);
    }

    @AfterAll
    void down() {
        canaries.close();
        ouro.down();
    }

    @Test
    @Order(1)
    void etcdComesBackByItselfWithEveryAcknowledgedWrite() throws Exception {
        String bootId = bootId();
        List<Future<Boolean>> writers = canaries.createUntilTheApiIsGone();
        int before = canaries.acknowledged().size();
        await("canaries are being written", () -> canaries.acknowledged().size() > before + 100);

        Instant begun = Instant.now();
        JsonNode report = ouro.json("reboot", ouro.nodeName());

        for (Future<Boolean> writer : writers) {
            assertThat(writer.get()).as("a writer ends when the API is gone").isFalse();
        }
        Instant cut = Instant.parse(report.path("powerCutAt").asText());
        Instant kubelet = Instant.parse(report.path("kubeletStartedAt").asText());
        assertThat(cut).isBetween(begun, kubelet);
        assertThat(kubelet).isBefore(Instant.now());
        await("etcd has every acknowledged canary", () -> stored().containsAll(canaries.acknowledged()));
        assertThat(bootId()).isNotEqualTo(bootId);
        assertThat(ouro.inNode("nft", "list", "tables")).doesNotContain("ouroboros");
    }

    @Test
    @Order(2)
    void startOnItsOwnAssetsBringsTheClusterBack() throws Exception {
        Result start = ouro.startInNode();

        assertThat(start.exitCode()).as(start.error()).isZero();
        canaries.requireAll();
    }

    @Test
    @Order(3)
    void upBringsBackANodeThatWasLeftWithoutPower() throws Exception {
        JsonNode report = ouro.json("reboot", ouro.nodeName(), "--no-boot");
        assertThat(report.path("powerCutAt").asText()).isNotEmpty();
        assertThat(report.has("kubeletStartedAt")).isFalse();
        assertThat(ouro.json("nodes").path(0).path("state").asText()).isEqualTo("stopped");

        ouro.up();

        canaries.requireAll();
    }

    private String bootId() {
        return ouro.inNode("cat", "/proc/sys/kernel/random/boot_id").strip();
    }

    /** Names of the canaries in etcd; none while it does not answer. */
    private Set<String> stored() {
        Result keys = ouro.etcdctl("get", "/registry/configmaps/default/canary-", "--prefix", "--keys-only");
        return keys.output()
                .lines()
                .filter(line -> !line.isBlank())
                .map(line -> line.substring(line.lastIndexOf('/') + 1))
                .collect(Collectors.toSet());
    }

    private static void await(String what, Condition condition) throws Exception {
        Instant end = Instant.now().plus(ETCD_LIMIT);
        while (!condition.holds()) {
            assertThat(Instant.now()).as(what).isBefore(end);
            Thread.sleep(Duration.ofMillis(200));
        }
    }

    private interface Condition {
        boolean holds() throws IOException;
    }
}
