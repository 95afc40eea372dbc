package dev.ouroboros.bench;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.time.Instant;
import org.junit.jupiter.api.Test;

final class PowerCutsTest {
    private static final Instant CUT = Instant.parse("2026-01-01T00:00:10Z");

    private static String pod(String application, String owner, String ready, String started) {
        return """
                {"metadata": {"labels": {"k8s-app": "%s"}, "ownerReferences": [{"kind": "%s"}]},
                 "status": {"conditions": [{"type": "Initialized", "status": "True"}, {"type": "Ready", "status": "%s"}],
                            "containerStatuses": [{"state": {"running": {"startedAt": "%s"}}}]}}""".formatted(application, owner, ready, started);
    }

    /** After a boot the API shows for a while what was true before it. */
    @Test
    void countsOnlyReadyPodsOfControllersThatWereStartedSince() throws Exception {
        String pods = "{\"items\": ["
                + String.join(
                        ",",
                        pod("back", "DaemonSet", "True", "2026-01-01T00:00:12Z"),
                        pod("also-back", "ReplicaSet", "True", "2026-01-01T00:00:10Z"),
                        pod("stale", "DaemonSet", "True", "2026-01-01T00:00:09Z"),
                        pod("unready", "DaemonSet", "False", "2026-01-01T00:00:12Z"),
                        pod("understudy", "Node", "True", "2026-01-01T00:00:12Z"))
                + "]}";

        assertThat(PowerCuts.ready(new ObjectMapper().readTree(pods), CUT)).containsExactly("also-back", "back");
    }
}
