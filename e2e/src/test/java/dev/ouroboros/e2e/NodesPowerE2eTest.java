package dev.ouroboros.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Three control-plane nodes, each with a member of etcd, lose their power at once and boot without an API or a registry: every write that was acknowledged is there. */
@Tag("e2e")
@Tag("alone")
@Tag("long")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class NodesPowerE2eTest {
    private static final String NAME = "e2e-nodespower";
    private static final List<String> ALL = List.of(NAME, NAME + "-2", NAME + "-3");
    private static final int CUTS = OuroProgram.LONG ? 20 : 3;
    /** In milliseconds: how long after the last boot writing begins. */
    private static final int LONGEST_PEACE = 10_000;
    /** From the start of the last kubelet. */
    private static final Duration WRITABLE = Duration.ofSeconds(90);

    private static final int WRITTEN = 50;

    private final OuroProgram ouro = new OuroProgram(NAME);
    private final SandboxNodes nodes = new SandboxNodes(ouro);
    private final long seed = System.nanoTime();
    private final Random random = new Random(seed);

    @BeforeAll
    void up() {
        ouro.down();
        ouro.up("--control-planes", "3");
    }

    @AfterAll
    void down() {
        ouro.down();
    }

    @Test
    void everyAcknowledgedWriteOutlivesPowerCutsOfAllNodesAtOnce() throws Exception {
        try (AdminApi api = new AdminApi(ouro.kubeconfig());
                Canaries canaries = new Canaries(api)) {
            for (int cut = 1; cut <= CUTS; cut++) {
                int peace = random.nextInt(LONGEST_PEACE);
                System.err.println("seed " + seed + ", cut " + cut + ": after " + peace + " ms");
                Thread.sleep(peace);
                cutWhileCanariesAreWritten(canaries);
                Instant booted = Instant.now();
                Await.until("cut " + cut + ": etcd takes writes", canaries::createOne);
                assertThat(Duration.between(booted, Instant.now()))
                        .as("until etcd takes writes")
                        .isLessThan(WRITABLE);
                for (String node : ALL) {
                    Await.sparingly(node + " is ready", () -> nodes.isReady(node));
                }
                canaries.requireAll();
            }
        }
        Await.sparingly(
                "all members follow one leader and have the same data",
                () -> ouro.runPlain("etcd", "status", "--hash", "--name", NAME).exitCode() == 0);
    }

    private void cutWhileCanariesAreWritten(Canaries canaries) throws Exception {
        List<Future<Boolean>> writers = canaries.createUntilTheApiIsGone();
        int before = canaries.acknowledged().size();
        Await.until("canaries are being written", () -> canaries.acknowledged().size() > before + WRITTEN);
        nodes.allOff();
        for (Future<Boolean> writer : writers) {
            assertThat(writer.get()).as("a writer ends when the API is gone").isFalse();
        }
        nodes.allOn();
    }
}
