package dev.ouroboros.model.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

final class RuntimePodTest {
    @Test
    void currentAttemptOfAContainerIsItsLast() {
        RuntimePod pod = pod("api", 5, List.of(container("server", 10), container("server", 9), container("init", 0)));
        assertThat(pod.containers())
                .containsExactly(container("init", 0), container("server", 9), container("server", 10));
    }

    @Test
    void currentSandboxOfAPodIsItsLast() {
        assertThat(Stream.of(pod("api", 7, List.of()), pod("web", 1, List.of()), pod("api", 5, List.of()))
                        .sorted(RuntimePod.ORDER))
                .containsExactly(pod("api", 5, List.of()), pod("api", 7, List.of()), pod("web", 1, List.of()));
    }

    @Test
    void whatTheMachineEndedIsNoRestart() {
        RuntimeContainer third = container("server", 3);
        RuntimePod second = new RuntimePod(
                "kube-system", "pod", "uid", false, RuntimePod.State.READY, Instant.EPOCH, 2, List.of(third));

        assertThat(second.restarts(third)).isEqualTo(1);
        assertThat(second.restarts(container("added", 0))).isZero();
        assertThat(pod("pod", 1, List.of(third)).restarts(third)).isEqualTo(3);
    }

    @Test
    void refusesANegativeAttempt() {
        assertThatThrownBy(() -> container("server", -1)).hasMessageContaining("attempt -1 of container server");
    }

    private static RuntimePod pod(String name, long created, List<RuntimeContainer> containers) {
        return new RuntimePod(
                "kube-system",
                name,
                "uid",
                false,
                RuntimePod.State.READY,
                Instant.ofEpochSecond(created),
                0,
                containers);
    }

    private static RuntimeContainer container(String name, int attempt) {
        return new RuntimeContainer(
                name, "image", RuntimeContainer.State.RUNNING, attempt, Instant.EPOCH, Optional.empty());
    }
}
