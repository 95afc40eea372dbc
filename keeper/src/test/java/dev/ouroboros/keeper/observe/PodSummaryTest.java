package dev.ouroboros.keeper.observe;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.model.json.JsonText;
import dev.ouroboros.model.json.JsonText.MalformedJson;
import dev.ouroboros.model.runtime.RuntimeContainer;
import dev.ouroboros.model.runtime.RuntimePod;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class PodSummaryTest {
    private static PodSummary twoContainers(int restarts) throws MalformedJson {
        return PodSummary.of(JsonText.read("""
                {
                  "metadata": {
                    "namespace": "kube-system", "name": "keeper-x", "uid": "u",
                    "annotations": {"ouroboros.dev/checkpoint": "true"}
                  },
                  "spec": {"containers": [{"name": "one"}, {"name": "two"}]},
                  "status": {"containerStatuses": [{"restartCount": %d}, {"restartCount": %d}]}
                }
                """.formatted(restarts, restarts)));
    }

    /** @param attempts of its containers one and two */
    private static RuntimePod sandbox(int attempt, int... attempts) {
        List<RuntimeContainer> containers = new ArrayList<>();
        for (int index = 0; index < attempts.length; index++) {
            containers.add(new RuntimeContainer(
                    index == 0 ? "one" : "two",
                    "sha256:image",
                    RuntimeContainer.State.RUNNING,
                    attempts[index],
                    Instant.EPOCH,
                    Optional.empty()));
        }
        return new RuntimePod(
                "kube-system", "keeper-x", "u", false, RuntimePod.State.READY, Instant.EPOCH, attempt, containers);
    }

    @Test
    void aPowerCutIsNoRestartOfThePod() throws MalformedJson {
        assertThat(twoContainers(6).principal(sandbox(6, 6, 6)).restarts()).isZero();
        assertThat(twoContainers(7).principal(sandbox(6, 7, 7)).restarts()).isEqualTo(2);
    }

    @Test
    void whatTheApiHasNotHeardYetCounts() throws MalformedJson {
        assertThat(twoContainers(2).principal(sandbox(3, 3, 3)).restarts()).isZero();
        assertThat(twoContainers(0).principal(sandbox(0, 1, 4)).restarts()).isEqualTo(5);
    }

    @Test
    void whatTheRuntimeHasForgottenCounts() throws MalformedJson {
        assertThat(twoContainers(2).principal(sandbox(0)).restarts()).isEqualTo(4);
    }

    @Test
    void aPodWhoseContainerHasEndedIsNotReadyWhateverTheApiWasTold() throws MalformedJson {
        PodSummary ready = PodSummary.of(JsonText.read("""
                {
                  "metadata": {
                    "namespace": "kube-system", "name": "keeper-x", "uid": "u",
                    "annotations": {"ouroboros.dev/checkpoint": "true"}
                  },
                  "spec": {"containers": [{"name": "one"}, {"name": "two"}]},
                  "status": {"conditions": [{"type": "Ready", "status": "True"}]}
                }
                """));

        assertThat(ready.principal(sandbox(0, 0, 0)).ready()).isTrue();
        assertThat(ready.principal(sandbox(0, 0)).ready()).isFalse();
    }

    private static Optional<Duration> bootedIn(String ready, String since) throws MalformedJson {
        return PodSummary.of(JsonText.read("""
                {
                  "metadata": {"namespace": "kube-system", "name": "x", "uid": "u"},
                  "status": {
                    "containerStatuses": [
                      {"restartCount": 1, "state": {"running": {"startedAt": "2026-11-30T10:00:00Z"}}},
                      {"restartCount": 0, "state": {"waiting": {"reason": "CrashLoopBackOff"}}}
                    ],
                    "conditions": [{"type": "Ready", "status": "%s", "lastTransitionTime": "%s"}]
                  }
                }
                """.formatted(ready, since))).pod().bootedIn();
    }

    @Test
    void howLongAPodTookToBeReadyIsKnownOfOneThatIs() throws MalformedJson {
        assertThat(bootedIn("True", "2026-11-30T10:03:20Z")).contains(Duration.ofSeconds(200));
        assertThat(bootedIn("False", "2026-11-30T10:03:20Z")).isEmpty();
        assertThat(bootedIn("True", "2026-11-30T09:59:00Z"))
                .as("it was ready before its container ended")
                .isEmpty();
        assertThat(twoContainers(0).pod().bootedIn()).isEmpty();
    }

    @Test
    void whatRunsWhereSomethingListensMayServeWhateverTheApiWasTold() throws MalformedJson {
        PodSummary neverReported = twoContainers(0);

        assertThat(neverReported.mayServe(Optional.of(sandbox(0, 0, 0)), true)).isTrue();
        assertThat(neverReported.mayServe(Optional.of(sandbox(0, 0, 0)), false)).isFalse();
        assertThat(neverReported.mayServe(Optional.of(sandbox(0, 0)), true)).isFalse();
        assertThat(neverReported.mayServe(Optional.empty(), true)).isFalse();
    }
}
