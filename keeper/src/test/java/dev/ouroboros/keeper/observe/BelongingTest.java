package dev.ouroboros.keeper.observe;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.core.evidence.Evidence;
import dev.ouroboros.core.json.JsonText;
import dev.ouroboros.core.keeper.ComponentName;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class BelongingTest {
    private static final ComponentName SCHEDULER = new ComponentName("kube-system", "kube-scheduler");

    /** Found by a power cut: the status is that of the moment before it, as the controller manager is away too. */
    @Test
    void aDeploymentThatSaysItIsReadyMayHaveItsPodsNowhere() throws Exception {
        assertThat(belongs(1)).isEqualTo(Evidence.known(true));
    }

    @Test
    void aDeploymentScaledToNothingIsNotWanted() throws Exception {
        assertThat(belongs(0)).isEqualTo(Evidence.known(false));
    }

    private static Evidence<Boolean> belongs(int replicas) throws Exception {
        ControllerSeen deployment = ControllerSeen.deployment(JsonText.read("""
                {"kind":"Deployment","metadata":{"namespace":"kube-system","name":"kube-scheduler","generation":1},
                 "spec":{"replicas":%d,"template":{"metadata":{"annotations":{"ouroboros.dev/checkpoint":"true"}},
                  "spec":{"containers":[{"name":"kube-scheduler","command":["kube-scheduler"]}]}}},
                 "status":{"observedGeneration":1,"updatedReplicas":1,"availableReplicas":1,"readyReplicas":1}}
                """.formatted(replicas)));
        return new Belonging(
                        Evidence.known(new TreeMap<>()),
                        Evidence.known(new TreeMap<>(Map.of(SCHEDULER.toString(), deployment))),
                        Evidence.known(Optional.of(Map.of())))
                .of(SCHEDULER, Evidence.known(List.of()));
    }
}
