package dev.ouroboros.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.e2e.ProgressKill.Kill;
import dev.ouroboros.node.process.Result;
import java.io.BufferedReader;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;

/** {@code ouro up}: killed, run twice at once, and beside another sandbox. */
@Tag("e2e")
@Tag("long")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
final class UpHinderedE2eTest {
    private static final int KILLS = OuroProgram.LONG ? 30 : 3;
    private static final int LONGEST_DELAY = 2500;

    private static final List<String> PHASES = List.of(
            "checking this machine",
            "getting binaries",
            "building images",
            "starting the node",
            "rendering the cluster",
            "starting the kubelet",
            "loading images and starting etcd",
            "starting the cluster");

    private final OuroProgram ouro = new OuroProgram("e2e-hindered");
    private final OuroProgram other = new OuroProgram("e2e-beside");

    @BeforeAll
    void nothingIsLeftOfAnEarlierRun() {
        ouro.down();
        other.down();
    }

    @AfterAll
    void down() {
        ouro.down();
        other.down();
    }

    @Test
    @Order(1)
    void goesOnAfterItWasKilledInRandomPhases() throws Exception {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        ProgressKill killer = new ProgressKill(PHASES, false);
        for (int number = 1; number <= KILLS; number++) {
            String aim = PHASES.get(random.nextInt(PHASES.size()));
            Kill kill = killer.run(ouro.upCommand(), aim, Duration.ofMillis(random.nextInt(LONGEST_DELAY)));
            System.err.println("seed " + seed + ", kill " + number + ": " + kill);
        }
        requireOneOfTwoAtOnceSucceeds();
    }

    /** The last run, which is to succeed, and another one for the same sandbox beside it. */
    private void requireOneOfTwoAtOnceSucceeds() throws Exception {
        Process first =
                new ProcessBuilder(ouro.upCommand()).redirectErrorStream(true).start();
        CountDownLatch begun = new CountDownLatch(1);
        CompletableFuture<Void> reader = CompletableFuture.runAsync(() -> readAll(first, begun));
        assertThat(begun.await(1, TimeUnit.MINUTES)).isTrue();

        Result second = ouro.run(ouro.upCommand(), Duration.ofMinutes(1));

        assertThat(second.exitCode()).isEqualTo(1);
        assertThat(second.error()).contains("LOCKED").contains("process " + first.pid());
        assertThat(first.waitFor(10, TimeUnit.MINUTES)).isTrue();
        reader.get(10, TimeUnit.SECONDS);
        assertThat(first.exitValue()).isZero();
        assertThat(nodes(ouro)).contains(ouro.nodeName());
    }

    private static void readAll(Process process, CountDownLatch begun) {
        try (BufferedReader lines = process.inputReader()) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                System.err.println(line);
                begun.countDown();
            }
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    @Test
    @Order(2)
    void anotherOneStandsBesideIt() {
        Instant begun = Instant.now();

        other.up();

        Duration took = Duration.between(begun, Instant.now());
        System.err.println("up with the cache filled: " + took.toMillis() + " ms");
        assertThat(nodes(ouro)).contains(ouro.nodeName());
        assertThat(nodes(other)).contains(other.nodeName()).doesNotContain(ouro.nodeName());
    }

    @Test
    @Order(3)
    void upOnOneThatIsUpDoesNothing() {
        assertThat(ouro.up().error()).contains("is up: nothing to do");
    }

    @Test
    @Order(4)
    void takingOneDownLeavesTheOther() {
        ouro.down();

        assertThat(nodes(other)).contains(other.nodeName());
    }

    private static String nodes(OuroProgram sandbox) {
        return sandbox.kubectl("get", "nodes", "-o", "name");
    }
}
