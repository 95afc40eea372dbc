package dev.ouroboros.model.leader;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.runtime.RuntimeContainer;
import dev.ouroboros.model.runtime.RuntimePod;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class LeaderContainersTest {
    private static final Instant CREATED = Instant.parse("2026-01-01T00:00:00Z");
    private static final Instant LOOKED = CREATED.plusSeconds(60);
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

    /** What is known when the second look is long after the first. */
    private static LeaderContainers after(List<RuntimePod> first, List<RuntimePod> then) {
        return LeaderContainers.NONE.after(first, CREATED).after(then, LOOKED);
    }

    private static boolean hasEnded(LeaderContainers containers, LeaderLease lease) {
        return containers.endedUnlessRenewedFor(lease, NODE, false).isPresent();
    }

    @Test
    void aHolderThatRunsHasNotEnded() {
        List<RuntimePod> pods = List.of(pod(POD, false, running(0, CREATED)));

        LeaderContainers containers = after(pods, pods);

        assertThat(containers.unsettled()).isEmpty();
        assertThat(hasEnded(containers, lease(POD, CREATED.plusSeconds(1)))).isFalse();
    }

    @Test
    void aHolderWhoseContainerTheKubeletRemovedHasEnded() {
        LeaderContainers containers = after(List.of(pod(POD, false, running(0, CREATED))), List.of());

        assertThat(containers.unsettled()).containsExactly(Component.SCHEDULER);
        assertThat(hasEnded(containers, lease(POD, CREATED.plusSeconds(1)))).isTrue();
    }

    @Test
    void aHolderThatEndedBeforeTheFirstLookHasEnded() {
        LeaderContainers containers = LeaderContainers.NONE.after(List.of(pod(POD, false, exited(0, CREATED))), LOOKED);

        assertThat(hasEnded(containers, lease(POD, CREATED.plusSeconds(1)))).isTrue();
    }

    @Test
    void theContainerThatThePodHasNowDidNotTakeALeaseOfBefore() {
        Instant taken = CREATED.plusSeconds(1);
        RuntimePod pod = pod(POD, false, exited(0, CREATED), running(1, taken.plusSeconds(20)));

        LeaderContainers containers = LeaderContainers.NONE.after(List.of(pod), LOOKED);

        assertThat(hasEnded(containers, lease(POD, taken))).isTrue();
        assertThat(hasEnded(containers, lease(POD, taken.plusSeconds(30)))).isFalse();
    }

    @Test
    void anUnderstudyHoldsItByTheNodesName() {
        LeaderContainers containers = after(List.of(pod(UNDERSTUDY, true, running(0, CREATED))), List.of());

        assertThat(hasEnded(containers, lease(NODE, CREATED.plusSeconds(1)))).isTrue();
        assertThat(hasEnded(containers, lease("node-2", CREATED.plusSeconds(1))))
                .isFalse();
    }

    @Test
    void whoRunsInTheNodesNetworkMayHaveTakenIt() {
        RuntimePod inTheNodesNetwork = pod(POD, false, running(0, CREATED));
        LeaderContainers containers = after(
                List.of(inTheNodesNetwork, pod(UNDERSTUDY, true, running(0, CREATED))), List.of(inTheNodesNetwork));

        assertThat(hasEnded(containers, lease(NODE, CREATED.plusSeconds(1)))).isFalse();
    }

    @Test
    void aProcessThatTheRuntimeDoesNotKnowHasNotEnded() {
        LeaderContainers containers = after(List.of(pod(POD, false, running(0, CREATED))), List.of());

        assertThat(hasEnded(containers, lease(NODE, CREATED.plusSeconds(1)))).isFalse();
        assertThat(hasEnded(containers, lease(POD, CREATED.minusSeconds(1)))).isFalse();
    }

    @Test
    void anotherComponentsLeaseIsNotItsOwn() {
        LeaderContainers containers = after(List.of(pod(POD, false, running(0, CREATED))), List.of());
        LeaderLease other = new LeaderLease(Component.CONTROLLER_MANAGER, POD + "_3f", CREATED.plusSeconds(1), CREATED);

        assertThat(hasEnded(containers, other)).isFalse();
    }

    @Test
    void whatIsSettledIsNotAskedForAgain() {
        List<RuntimePod> left = List.of(pod(POD, false, exited(0, CREATED), running(1, CREATED.plusSeconds(60))));

        LeaderContainers containers = LeaderContainers.NONE.after(left, LOOKED).settled(Component.SCHEDULER);

        assertThat(containers.unsettled()).isEmpty();
        assertThat(containers.after(left, LOOKED).unsettled()).isEmpty();
        assertThat(containers.after(List.of(), LOOKED).unsettled()).containsExactly(Component.SCHEDULER);
        assertThat(containers.after(List.of(), LOOKED).lives()).hasSize(1);
    }

    /** As a controller manager that the runtime does not know, with the node's name, when an understudy has ended. */
    @Test
    void whoRenewedAfterTheContainerEndedIsAnother() {
        LeaderContainers containers = after(List.of(pod(UNDERSTUDY, true, running(0, CREATED))), List.of());
        LeaderLease renewedLater =
                new LeaderLease(Component.SCHEDULER, NODE + "_3f", CREATED.plusSeconds(1), LOOKED.plusSeconds(1));

        assertThat(hasEnded(containers, renewedLater)).isFalse();
    }

    @Test
    void aContainerMayBeYoungerThanWhatItDidWhenTheClockWentBack() {
        Instant taken = CREATED.plusSeconds(1);
        RuntimePod pod = pod(POD, false, exited(0, CREATED), running(1, taken.plusSeconds(20)));
        LeaderContainers containers = LeaderContainers.NONE.after(List.of(pod), LOOKED);

        assertThat(containers.endedUnlessRenewedFor(lease(POD, taken), NODE, true))
                .isEmpty();
    }

    @Test
    void whereTimesAloneTellTheTwoApartRenewalsAreWaitedForLonger() {
        Instant taken = CREATED.plusSeconds(1);
        LeaderContainers gone = after(List.of(pod(POD, false, running(0, CREATED))), List.of());
        LeaderContainers restarted = LeaderContainers.NONE.after(
                List.of(pod(POD, false, exited(0, CREATED), running(1, taken.plusSeconds(20)))), LOOKED);

        assertThat(gone.endedUnlessRenewedFor(lease(POD, taken), NODE, false)).contains(Duration.ofSeconds(3));
        assertThat(restarted.endedUnlessRenewedFor(lease(POD, taken), NODE, false))
                .contains(Duration.ofSeconds(10));
    }

    @Test
    void oneThatCouldNeverBeAskedAboutIsForgotten() {
        LeaderContainers containers = after(List.of(pod(POD, false, running(0, CREATED))), List.of());

        assertThat(containers
                        .after(List.of(), LOOKED.plus(Duration.ofMinutes(5)))
                        .lives())
                .isEmpty();
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

        assertThat(LeaderContainers.NONE.after(List.of(elsewhere), LOOKED).lives())
                .isEmpty();
    }
}
