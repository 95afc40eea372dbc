package dev.ouroboros.model.leader;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.runtime.RuntimeContainer;
import dev.ouroboros.model.runtime.RuntimePod;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class LeaderContainersTest {
    private static final Instant CREATED = Instant.parse("2026-01-01T00:00:00Z");
    private static final String NODE = "node-1";
    private static final String POD = "kube-scheduler-5c4b7-xk2wz";
    private static final String UNDERSTUDY = "understudy-kube-scheduler-" + NODE;

    private static RuntimePod pod(String name, boolean isStatic, RuntimeContainer... containers) {
        return new RuntimePod(
                "kube-system", name, "uid-" + name, isStatic, RuntimePod.State.READY, CREATED, 0, List.of(containers));
    }

    private static RuntimeContainer container(RuntimeContainer.State state, int attempt, Instant created) {
        return new RuntimeContainer("kube-scheduler", "sha256:1", state, attempt, created, Optional.empty());
    }

    private static RuntimeContainer running(int attempt, Instant created) {
        return container(RuntimeContainer.State.RUNNING, attempt, created);
    }

    private static RuntimeContainer exited(int attempt, Instant created) {
        return container(RuntimeContainer.State.EXITED, attempt, created);
    }

    private static LeaderLease lease(String hostName, Instant acquired) {
        return new LeaderLease(Component.SCHEDULER, hostName + "_3f", acquired, acquired.plusSeconds(9));
    }

    private static LeaderContainers after(List<RuntimePod> first, List<RuntimePod> then) {
        return LeaderContainers.NONE.after(first).after(then);
    }

    @Test
    void aHolderThatRunsHasNotEnded() {
        List<RuntimePod> pods = List.of(pod(POD, false, running(0, CREATED)));

        LeaderContainers containers = after(pods, pods);

        assertThat(containers.unsettled()).isEmpty();
        assertThat(containers.holderHasEnded(lease(POD, CREATED.plusSeconds(1)), NODE))
                .isFalse();
    }

    @Test
    void aHolderWhoseContainerTheKubeletRemovedHasEnded() {
        LeaderContainers containers = after(List.of(pod(POD, false, running(0, CREATED))), List.of());

        assertThat(containers.unsettled()).containsExactly(Component.SCHEDULER);
        assertThat(containers.holderHasEnded(lease(POD, CREATED.plusSeconds(1)), NODE))
                .isTrue();
    }

    @Test
    void aHolderThatEndedBeforeTheFirstLookHasEnded() {
        LeaderContainers containers = LeaderContainers.NONE.after(List.of(pod(POD, false, exited(0, CREATED))));

        assertThat(containers.holderHasEnded(lease(POD, CREATED.plusSeconds(1)), NODE))
                .isTrue();
    }

    @Test
    void theContainerThatThePodHasNowDidNotTakeALeaseOfBefore() {
        Instant taken = CREATED.plusSeconds(1);
        RuntimePod pod = pod(POD, false, exited(0, CREATED), running(1, taken.plusSeconds(20)));

        LeaderContainers containers = LeaderContainers.NONE.after(List.of(pod));

        assertThat(containers.holderHasEnded(lease(POD, taken), NODE)).isTrue();
        assertThat(containers.holderHasEnded(lease(POD, taken.plusSeconds(30)), NODE))
                .isFalse();
    }

    @Test
    void anUnderstudyHoldsItByTheNodesName() {
        LeaderContainers containers = after(List.of(pod(UNDERSTUDY, true, running(0, CREATED))), List.of());

        assertThat(containers.holderHasEnded(lease(NODE, CREATED.plusSeconds(1)), NODE))
                .isTrue();
        assertThat(containers.holderHasEnded(lease("node-2", CREATED.plusSeconds(1)), NODE))
                .isFalse();
    }

    @Test
    void whoRunsInTheNodesNetworkMayHaveTakenIt() {
        RuntimePod inTheNodesNetwork = pod(POD, false, running(0, CREATED));
        LeaderContainers containers = after(
                List.of(inTheNodesNetwork, pod(UNDERSTUDY, true, running(0, CREATED))), List.of(inTheNodesNetwork));

        assertThat(containers.holderHasEnded(lease(NODE, CREATED.plusSeconds(1)), NODE))
                .isFalse();
    }

    @Test
    void aProcessThatTheRuntimeDoesNotKnowHasNotEnded() {
        LeaderContainers containers = after(List.of(pod(POD, false, running(0, CREATED))), List.of());

        assertThat(containers.holderHasEnded(lease(NODE, CREATED.plusSeconds(1)), NODE))
                .isFalse();
        assertThat(containers.holderHasEnded(lease(POD, CREATED.minusSeconds(1)), NODE))
                .isFalse();
    }

    @Test
    void anotherComponentsLeaseIsNotItsOwn() {
        LeaderContainers containers = after(List.of(pod(POD, false, running(0, CREATED))), List.of());
        LeaderLease other = new LeaderLease(Component.CONTROLLER_MANAGER, POD + "_3f", CREATED.plusSeconds(1), CREATED);

        assertThat(containers.holderHasEnded(other, NODE)).isFalse();
    }

    @Test
    void whatIsSettledIsNotAskedForAgain() {
        List<RuntimePod> left = List.of(pod(POD, false, exited(0, CREATED), running(1, CREATED.plusSeconds(60))));

        LeaderContainers containers = LeaderContainers.NONE.after(left).settled(Component.SCHEDULER);

        assertThat(containers.unsettled()).isEmpty();
        assertThat(containers.after(left).unsettled()).isEmpty();
        assertThat(containers.after(List.of()).unsettled()).containsExactly(Component.SCHEDULER);
        assertThat(containers.after(List.of()).states()).hasSize(1);
    }

    @Test
    void otherPodsAreNoLeaders() {
        RuntimePod elsewhere = new RuntimePod(
                "default",
                POD,
                "uid",
                false,
                RuntimePod.State.READY,
                CREATED,
                0,
                List.of(exited(0, CREATED), running(1, CREATED)));

        assertThat(LeaderContainers.NONE.after(List.of(elsewhere)).states()).isEmpty();
    }
}
