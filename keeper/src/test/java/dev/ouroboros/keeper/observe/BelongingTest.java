package dev.ouroboros.keeper.observe;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.model.component.ComponentName;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.json.JsonText;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class BelongingTest {
    private static final ComponentName SCHEDULER = new ComponentName("kube-system", "kube-scheduler");
    private static final ComponentName ELSEWHERE = new ComponentName("dns", "resolver");

    /** Found by a power cut: the status is that of the moment before it, as the controller manager is away too. */
    @Test
    void aDeploymentThatSaysItIsReadyMayHaveItsPodsNowhere() throws Exception {
        assertThat(belongs(1)).isEqualTo(Evidence.known(true));
    }

    @Test
    void aDeploymentScaledToNothingIsNotWanted() throws Exception {
        assertThat(belongs(0)).isEqualTo(Evidence.known(false));
    }

    @Test
    void aComponentWithoutAControllerIsNotWanted() throws Exception {
        assertThat(asked(SCHEDULER, Evidence.known(Optional.empty()))).isEqualTo(Evidence.known(false));
        assertThat(asked(ELSEWHERE, Evidence.known(Optional.empty()))).isEqualTo(Evidence.known(false));
    }

    @Test
    void nothingIsConcludedFromAControllerThatCannotBeRead() {
        assertThat(asked(SCHEDULER, Evidence.unknown("403"))).isEqualTo(Evidence.unknown("403"));
        assertThat(asked(ELSEWHERE, Evidence.unknown("403"))).isEqualTo(Evidence.unknown("403"));
    }

    /** Found in neither list, a StatefulSet's component would have been retired. */
    @Test
    void aStatefulSetsComponentIsWanted() throws Exception {
        assertThat(asked(SCHEDULER, Evidence.known(Optional.of(replicas(1))))).isEqualTo(Evidence.known(true));
        assertThat(asked(ELSEWHERE, Evidence.known(Optional.of(replicas(1))))).isEqualTo(Evidence.known(true));
        assertThat(asked(ELSEWHERE, Evidence.known(Optional.of(replicas(0))))).isEqualTo(Evidence.known(false));
    }

    @Test
    void asksOnlyWhereNoListOrPodTells() throws Exception {
        Evidence<List<PodSummary>> nothing = Evidence.known(List.of());
        assertThat(knowing(1).mustAsk(SCHEDULER, nothing)).isFalse();
        assertThat(knowing(1).mustAsk(new ComponentName("kube-system", "other"), nothing))
                .isTrue();
        assertThat(knowing(1).mustAsk(new ComponentName("kube-system", "other"), Evidence.unknown("hangs")))
                .isFalse();
        assertThat(knowing(1).mustAsk(ELSEWHERE, nothing)).isTrue();
    }

    @Test
    void isSwitchedOffWhenItsControllerIsThereAndAsksForNoPod() throws Exception {
        assertThat(knowing(0).switchedOff(SCHEDULER)).isEqualTo(Evidence.known(true));
        assertThat(knowing(1).switchedOff(SCHEDULER)).isEqualTo(Evidence.known(false));
        assertThat(knowing(0).switchedOff(ELSEWHERE)).isEqualTo(Evidence.unknown("not asked for"));
    }

    /** A label that was taken away leaves pods of a Deployment where they are. */
    @Test
    void aNodeIsSelectedByTheLabelsThatItHas() throws Exception {
        assertThat(with(Map.of("role", "")).selected(SCHEDULER)).isEqualTo(Evidence.known(true));
        assertThat(with(Map.of()).selected(SCHEDULER)).isEqualTo(Evidence.known(false));
        assertThat(with(Map.of()).selected(ELSEWHERE)).isInstanceOf(Evidence.Unknown.class);
    }

    private static Belonging with(Map<String, String> labels) throws Exception {
        ControllerSeen selecting = ControllerSeen.replicas(JsonText.read("""
                {"metadata":{"namespace":"kube-system","name":"kube-scheduler"},
                 "spec":{"replicas":1,"template":{"spec":{"nodeSelector":{"role":""}}}}}
                """));
        return new Belonging(
                Evidence.known(new TreeMap<>()),
                Evidence.known(new TreeMap<>(Map.of(SCHEDULER.toString(), selecting))),
                _ -> Evidence.known(Optional.empty()),
                Evidence.known(Optional.of(labels)));
    }

    /** Nobody has written the status of what was scaled while no controller manager ran. */
    @Test
    void aStatusOfAnotherSpecificationSaysNothing() throws Exception {
        assertThat(replicas(1).isKnownToServe()).isTrue();
        assertThat(ControllerSeen.replicas(JsonText.read("""
                {"metadata":{"namespace":"kube-system","name":"kube-scheduler","generation":3},
                 "spec":{"replicas":1},"status":{"observedGeneration":2,"readyReplicas":1}}
                """)).isKnownToServe()).isFalse();
    }

    /** Seed 7641: the status counted a pod that went away with the controller manager. */
    @Test
    void whatIsReadyAndNotWantedDoesNotCount() throws Exception {
        assertThat(replicas(1).readyAndWanted()).isEqualTo(1);
        assertThat(replicas(0).readyAndWanted()).isZero();
    }

    private static Evidence<Boolean> asked(ComponentName component, Evidence<Optional<ControllerSeen>> answer) {
        return new Belonging(
                        Evidence.known(new TreeMap<>()),
                        Evidence.known(new TreeMap<>()),
                        name -> name.equals(component) ? answer : Evidence.unknown("not asked for"),
                        Evidence.known(Optional.of(Map.of())))
                .of(component, Evidence.known(List.of()));
    }

    private static Evidence<Boolean> belongs(int replicas) throws Exception {
        return knowing(replicas).of(SCHEDULER, Evidence.known(List.of()));
    }

    private static Belonging knowing(int replicas) throws Exception {
        return new Belonging(
                Evidence.known(new TreeMap<>()),
                Evidence.known(new TreeMap<>(Map.of(SCHEDULER.toString(), replicas(replicas)))),
                name -> Evidence.unknown("not asked for"),
                Evidence.known(Optional.of(Map.of())));
    }

    private static ControllerSeen replicas(int replicas) throws Exception {
        return ControllerSeen.replicas(JsonText.read("""
                {"kind":"Deployment","metadata":{"namespace":"kube-system","name":"kube-scheduler","generation":1},
                 "spec":{"replicas":%d,"template":{"metadata":{"annotations":{"ouroboros.dev/checkpoint":"true"}},
                  "spec":{"containers":[{"name":"kube-scheduler","command":["kube-scheduler"]}]}}},
                 "status":{"observedGeneration":1,"updatedReplicas":1,"availableReplicas":1,"readyReplicas":1}}
                """.formatted(replicas)));
    }
}
