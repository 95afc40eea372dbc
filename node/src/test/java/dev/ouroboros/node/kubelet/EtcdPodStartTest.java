package dev.ouroboros.node.kubelet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.disk.LocalDisk;
import dev.ouroboros.node.process.Waiting;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EtcdPodStartTest {
    @TempDir
    private Path logs = Path.of("");

    /** A minute passes with every look at the clock. */
    private final AtomicInteger minutes = new AtomicInteger();

    private final InstantSource hasty = () -> Instant.EPOCH.plus(Duration.ofMinutes(minutes.getAndIncrement()));

    private EtcdPodStart start() {
        return new EtcdPodStart(new Waiting(hasty), new PodLogs(new LocalDisk(), logs), Duration.ofMinutes(2));
    }

    @Test
    void endsOnceItIsHealthy() {
        AtomicInteger asked = new AtomicInteger();
        start().await("node-1", () -> asked.incrementAndGet() == 2, "look");
        assertThat(asked).hasValue(2);
    }

    @Test
    void showsWhatEtcdSaidLastWhenItDoesNotComeUp() throws Exception {
        Path container = Files.createDirectories(logs.resolve("kube-system_etcd-node-1_uid/etcd"));
        Files.writeString(
                container.resolve("0.log"), "2026-11-22T03:00:00.0Z stderr F panic: tocommit(12) is out of range\n");
        assertThatThrownBy(() -> start().await("node-1", () -> false, "look there"))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining("is not healthy after 120 s: panic: tocommit(12) is out of range");
    }

    @Test
    void saysWhenItNeverLoggedAnything() {
        assertThatThrownBy(() -> start().await("node-1", () -> false, "look there"))
                .hasMessageContaining("has never logged anything");
    }
}
