package dev.ouroboros.change;

import static dev.ouroboros.change.FakeCluster.json;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.testing.Refusal;
import dev.ouroboros.node.procedure.Patience;
import dev.ouroboros.node.testing.SilentListener;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** What is said when a change finds nothing to change, nothing moves, or somebody interrupts. */
final class ChangeMistakesTest {
    @Test
    void aWorkloadThatSomebodyDeletedIsNamed() {
        FakeCluster cluster = new FakeCluster();
        Json.Fields gone = (Json.Fields) json("{'kind': 'DaemonSet', 'metadata': {'name': 'kube-apiserver'}}");
        Refusal.of(
                () -> new ControlPlaneObjects(cluster).replace(gone),
                ErrorCode.NOT_FOUND,
                FakeCluster.DAEMON_SET,
                "is not there any more",
                "ouro start puts back what its asset directory has");
    }

    @Test
    void whatDoesNotMoveIsSaidWithWhatItWaitsFor() {
        AtomicLong seconds = new AtomicLong();
        InstantSource clock = () -> Instant.EPOCH.plusSeconds(seconds.getAndAdd(30));
        Patience patience = new Patience(new SilentListener(), Duration.ofMinutes(1), Duration.ZERO, clock);
        Refusal.of(
                () -> {
                    while (true) {
                        patience.waits("a pod to end");
                    }
                },
                ErrorCode.TIMEOUT,
                "--timeout",
                "nothing moved for 60 s: a pod to end",
                "run the same command again to go on");
    }

    @Test
    void anInterruptedWaitCanBeGoneOnWith() {
        Patience patience = new Patience(
                new SilentListener(), Duration.ofMinutes(1), Duration.ofMinutes(1), InstantSource.system());
        Thread.currentThread().interrupt();
        Refusal.of(
                () -> patience.waits("a pod to end"),
                ErrorCode.TIMEOUT,
                "waiting",
                "interrupted",
                "run the same command again to go on");
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void aChangeThatFailsOnTheWayEndsTheRun() {
        RotationState begun = RotationState.begin("key2", json("{'metadata': {'name': 'kube-apiserver'}}"));
        Json failed = json("{'metadata': {'annotations': {'ouroboros.dev/change-state': 'Failed',"
                + " 'ouroboros.dev/change-message': 'the new API server ended'}}}");

        Refusal.of(
                () -> begun.interruption(failed, 0, "", Map.of()),
                ErrorCode.COMPONENT_FAILED,
                "kube-system",
                "Failed: the new API server ended",
                "'ouro change abort'");
    }
}
