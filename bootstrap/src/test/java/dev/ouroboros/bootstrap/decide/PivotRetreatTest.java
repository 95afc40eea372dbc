package dev.ouroboros.bootstrap.decide;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import dev.ouroboros.bootstrap.decide.PivotObservation.Front;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.start.Phase;
import dev.ouroboros.model.start.SelfHostedWorkload;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What makes a pivot give up, what it waits for before, and what it leaves behind. */
final class PivotRetreatTest {
    private final ModelPivot model = new ModelPivot(ModelPivot.USUAL);

    static List<Component> withUnderstudy() {
        return Component.WITH_UNDERSTUDY;
    }

    @ParameterizedTest
    @MethodSource("withUnderstudy")
    void refusesAForeignManifestAndChangesNothing(Component component) {
        ModelPivotNode node = new ModelPivotNode(new Random(4), 0);
        node.foreign.add(component);

        PivotState end = model.run(node, PivotState.initial(node.now));

        assertThat(end.phase()).isEqualTo(Phase.FAILED);
        assertThat(end.failures()).extracting(Problem::code).containsOnly(ErrorCode.FOREIGN_FILE);
        assertThat(node.manifests).isEmpty();
        assertThat(node.front).isEqualTo(Front.ABSENT);
        assertThat(node.secrets).isFalse();
    }

    @Test
    void givesUpOnAServerThatKeepsEndingAndShowsItsLastLines() {
        ModelPivotNode node = new ModelPivotNode(new Random(5), 0);
        node.understudyCrashes = true;

        PivotState end = model.run(node, PivotState.initial(node.now));

        assertThat(end.phase()).isEqualTo(Phase.FAILED);
        assertThat(end.failures().getFirst().what()).contains("unknown flag: --bogus");
        assertThat(node.manifests).isEmpty();
        assertThat(node.secrets).isFalse();
    }

    /** One that came back is given the time that everything else has. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void givesUpOnAControllerThatKeepsEndingWhileItIsDown(boolean listens) {
        ModelPivotNode node = new ModelPivotNode(new Random(5), 0);
        node.othersReady = false;
        node.managerEnds = true;
        node.managerListens = listens;

        PivotState end = model.run(node, PivotState.initial(node.now));

        assertThat(end.phase()).isEqualTo(Phase.FAILED);
        boolean blamed = end.failures().getFirst().where().contains("temporary kube-controller-manager");
        assertThat(blamed).as(end.failures().toString()).isEqualTo(!listens);
    }

    @Test
    void removesWhatItStartedWhenThePrincipalNeverComes() {
        ModelPivotNode node = new ModelPivotNode(new Random(6), 10);
        node.principalFails = true;
        node.lastLines = "Error: unknown flag: --bogus";

        PivotState end = model.run(node, PivotState.initial(node.now));

        assertThat(end.phase()).isEqualTo(Phase.FAILED);
        assertThat(end.failures().getFirst().what())
                .contains("self-hosted kube-apiserver: does not listen")
                .contains("last lines of kube-system/kube-apiserver-x, container kube-apiserver:\n" + node.lastLines);
        assertThat(node.manifests).isEmpty();
        assertThat(node.age).isEmpty();
    }

    @Test
    void leavesPeopleTheTimeToMendThroughItsServerWhatEndedTooOftenBefore() {
        ModelPivotNode node = new ModelPivotNode(new Random(6), 0);
        node.principalFails = true;
        node.principalRestarts = 10;
        PivotState state = model.untilSelfHosting(node);
        Instant mended = node.now.plusSeconds(100);
        while (node.now.isBefore(mended)) {
            state = model.step(node, state);
        }
        node.principalFails = false;

        assertThat(model.run(node, state).phase()).isEqualTo(Phase.DONE);
    }

    @Test
    void givesUpBeforeItsDeadlineOnAPrincipalThatKeepsEnding() {
        ModelPivotNode node = new ModelPivotNode(new Random(6), 0);
        node.principalFails = true;
        node.principalRestarts = 10;

        PivotState end = model.run(node, PivotState.initial(node.now));

        assertThat(end.phase()).isEqualTo(Phase.FAILED);
        assertThat(end.failures()).extracting(Problem::what).first(STRING).contains("ended 10 times");
        assertThat(node.manifests).isEmpty();
    }

    /** Found on an emulated machine: its controller manager lost its Lease each time that the API server answered late. */
    @Test
    void waitsForItsDeadlineWhileClientsAreAnsweredLate() {
        ModelPivotNode node = new ModelPivotNode(new Random(6), 0);
        node.principalFails = true;
        node.principalRestarts = 10;
        node.endpointTooLatePercent = 10;

        PivotState end = model.run(node, PivotState.initial(node.now));

        assertThat(end.failures()).extracting(Problem::code).containsOnly(ErrorCode.TIMEOUT);
    }

    @Test
    void doesNotSwitchWhereAFirewallHidesTheUnderstudy() {
        ModelPivotNode node = new ModelPivotNode(new Random(10), 0);
        node.frontProblems =
                List.of(new Problem(ErrorCode.PORT_IN_USE, "10.0.0.1:26443", "nobody answers", "", "try again"));

        PivotState end = model.run(node, PivotState.initial(node.now));

        assertThat(end.phase()).isEqualTo(Phase.FAILED);
        assertThat(end.failures()).isEqualTo(node.frontProblems);
        assertThat(node.manifests).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(names = {"SWITCHING", "TEARING_DOWN", "ACCEPTING", "ROLLING_BACK"})
    void noPhaseWaitsForEver(Phase phase) {
        List<Problem> why = phase == Phase.ROLLING_BACK
                ? List.of(new Problem(ErrorCode.TIMEOUT, "start", "took too long", "", "try again"))
                : List.of();
        ModelPivotNode node = new ModelPivotNode(new Random(13), 0);
        PivotState state = new PivotState(phase, node.now, why);

        PivotDecision decision =
                model.pivot(node).decide(PivotObservation.nothing(), state, node.now.plusSeconds(3600));

        assertThat(decision.state().phase()).isEqualTo(Phase.FAILED);
    }

    /** One pod after the other, each just within the deadline: the phase as a whole takes several times as long. */
    @Test
    void waitsForWhatIsSlowAndComesForward() {
        ModelPivotNode node = new ModelPivotNode(new Random(13), 0);
        Pivot pivot = model.pivot(node);
        PivotState state = new PivotState(Phase.ACCEPTING, node.now, List.of());
        Instant now = node.now;
        for (int ready = 1; ready <= 5; ready++) {
            now = now.plus(model.settings().progressDeadline().minusSeconds(1));
            state = pivot.decide(withReady(ready), state, now).state();
        }
        assertThat(state.phase()).isEqualTo(Phase.ACCEPTING);

        // What goes and comes again is nothing new.
        for (int ready = 4; ready <= 5; ready++) {
            now = now.plus(model.settings().progressDeadline().minusSeconds(1));
            state = pivot.decide(withReady(ready), state, now).state();
        }
        assertThat(state.failures()).extracting(Problem::what).first(STRING).contains("came no further for");
    }

    /** Found on an emulated machine: a controller manager ended four times while the API server of its node came up. */
    @Test
    void waitsForAPodThatEndsWhileOthersComeForward() {
        ModelPivotNode node = new ModelPivotNode(new Random(13), 0);
        PivotState state = model.untilSelfHosting(node);
        Pivot pivot = model.pivot(node);
        Instant now = node.now;
        for (int ready = 1; ready <= 4; ready++) {
            now = now.plusSeconds(90);
            state = pivot.decide(withOneThatEnds(node, ready), state, now).state();
        }
        assertThat(state.phase()).isEqualTo(Phase.SELF_HOSTING);

        state = pivot.decide(withOneThatEnds(node, 4), state, now.plusSeconds(121))
                .state();
        assertThat(state.failures()).extracting(Problem::what).first(STRING).contains("ended 9 times");
    }

    private static PivotObservation withOneThatEnds(ModelPivotNode node, int ready) {
        return node.observe()
                .withWorkloads(Evidence.known(List.of(
                        new SelfHostedWorkload("kube-system/some", ready, 9, ready, 0, false, "", List.of()),
                        new SelfHostedWorkload("kube-system/ends", 0, 1, 1, 9, false, "", List.of()))));
    }

    private static PivotObservation withReady(int pods) {
        SelfHostedWorkload some = new SelfHostedWorkload("kube-system/some", pods, 9, pods, 0, false, "", List.of());
        return PivotObservation.nothing().withWorkloads(Evidence.known(List.of(some)));
    }

    @Test
    void saysWhatAKubeletThatNeverReachedAnApiServerKeepsRunning() {
        ModelPivotNode node = new ModelPivotNode(new Random(11), 0);
        node.understudyCrashes = true;
        node.kubeletEndsNothing = true;

        PivotState end = model.run(node, PivotState.initial(node.now));

        assertThat(end.phase()).isEqualTo(Phase.FAILED);
        assertThat(end.failures()).extracting(Problem::where).contains("temporary kube-controller-manager");
        assertThat(node.manifests).isEmpty();
        assertThat(node.secrets).isFalse();
    }

    @Test
    void keepsTheNewControlPlaneWhenAcceptanceFails() {
        ModelPivotNode node = new ModelPivotNode(new Random(8), 0);
        node.acceptanceFailure =
                Optional.of(new Problem(ErrorCode.COMPONENT_FAILED, "logs", "no answer", "", "try again"));

        PivotState end = model.run(node, PivotState.initial(node.now));

        assertThat(end.phase()).isEqualTo(Phase.FAILED);
        assertThat(node.front).isEqualTo(Front.PRINCIPAL);
        assertThat(node.principalReady()).isTrue();
    }
}
