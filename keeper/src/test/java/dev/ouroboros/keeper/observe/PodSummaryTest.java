package dev.ouroboros.keeper.observe;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.core.json.JsonText;
import dev.ouroboros.core.json.JsonText.MalformedJson;
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

    @Test
    void aPowerCutIsNoRestartOfThePod() throws MalformedJson {
        assertThat(twoContainers(6).principal(6).restarts()).isZero();
        assertThat(twoContainers(7).principal(6).restarts()).isEqualTo(2);
    }

    @Test
    void whatTheApiHasNotHeardYetIsNoNegativeNumber() throws MalformedJson {
        assertThat(twoContainers(2).principal(3).restarts()).isZero();
        assertThat(twoContainers(2).principal(0).restarts()).isEqualTo(4);
    }
}
