package dev.ouroboros.core.pivot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import dev.ouroboros.core.component.Component;
import dev.ouroboros.core.evidence.Evidence;
import dev.ouroboros.core.front.Server;
import dev.ouroboros.core.pivot.PivotDecision.Planned;
import dev.ouroboros.core.pivot.PivotObservation.Front;
import dev.ouroboros.core.problem.ErrorCode;
import dev.ouroboros.core.problem.Problem;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

final class PivotTest {
    static List<Component> withUnderstudy() {
        return Component.WITH_UNDERSTUDY;
    }

    private static final int TICKS = 4000;
    private PivotSettings settings =
            new PivotSettings(Duration.ofSeconds(1), Duration.ofMinutes(5), Duration.ofSeconds(15), 4, false);

    private static Handover handover(ModelPivotNode node) {
        return node.sharedPort ? Handover.OUTAGE : Handover.FRONT;
    }

    /** Runs a pivot in the model until it ends, and checks after every step what must always hold. */
    private PivotState run(ModelPivotNode node, PivotState from) {
        PivotState state = from;
        Set<Phase> seen = EnumSet.of(state.phase());
        for (int i = 0; i < TICKS && !state.phase().isFinal(); i++) {
            state = step(node, state);
            seen.add(state.phase());
        }
        assertThat(state.phase().isFinal()).as("ends, having seen %s", seen).isTrue();
        return state;
    }

    private PivotState untilSelfHosting(ModelPivotNode node) {
        PivotState state = PivotState.initial(node.now);
        while (state.phase() != Phase.SELF_HOSTING) {
            state = step(node, state);
        }
        return state;
    }

    private PivotState during(int seconds, ModelPivotNode node, PivotState from) {
        PivotState state = from;
        Instant end = node.now.plusSeconds(seconds);
        while (node.now.isBefore(end)) {
            state = step(node, state);
        }
        return state;
    }

    private PivotState untilWellPastTheTimeToStart(ModelPivotNode node) {
        return during(90, node, untilSelfHosting(node));
    }

    private PivotState step(ModelPivotNode node, PivotState state) {
        boolean frontLedToUnderstudy = node.front == Front.UNDERSTUDY;
        PivotDecision decision = new Pivot(settings, handover(node)).decide(node.observe(), state, node.now);
        decision.actions().forEach(planned -> {
            if (planned.action() instanceof PivotAction.PointFrontToPrincipal && frontLedToUnderstudy) {
                boolean givingUp = planned.reason() == PivotReason.GIVING_UP;
                assertThat(node.principalReady() || givingUp)
                        .as("traffic leaves the understudy only for a ready principal")
                        .isTrue();
            }
            if (planned.action() instanceof PivotAction.RemoveManifest(Component component)
                    && component == Component.API_SERVER
                    && planned.reason() != PivotReason.GIVING_UP) {
                assertThat(node.sharedPort ? Front.PRINCIPAL : node.front)
                        .as("the front leads away before its target is removed")
                        .isEqualTo(Front.PRINCIPAL);
            }
            node.perform(planned.action());
        });
        node.tick();
        return decision.state();
    }

    @Test
    void endsSelfHostedWithNothingTemporaryLeft() {
        ModelPivotNode node = new ModelPivotNode(new Random(1), 0);

        PivotState end = run(node, PivotState.initial(node.now));

        assertThat(end.phase()).isEqualTo(Phase.DONE);
        assertThat(node.manifests).isEmpty();
        assertThat(node.age).isEmpty();
        assertThat(node.secrets).isFalse();
        assertThat(node.stale).isEmpty();
        assertThat(node.front).isEqualTo(Front.PRINCIPAL);
        assertThat(node.serviceLeadsHere).isTrue();
    }

    /** Found by the simulator: the lease was renewed to a server that hung until the kubelet had started it again. */
    @Test
    void keepsNoClientsOnATemporaryServerThatDoesNotAnswerWhileTheOtherIsReady() {
        ModelPivotNode node = new ModelPivotNode(new Random(1), 0);
        node.othersReady = false;
        PivotState state = PivotState.initial(node.now);
        while (!node.principalReady()) {
            state = step(node, state);
        }
        assertThat(state.phase()).isEqualTo(Phase.SELF_HOSTING);
        node.understudySince = Optional.empty();
        for (Front front : List.of(Front.UNDERSTUDY, Front.UNDERSTUDY_EXPIRING, Front.PRINCIPAL)) {
            node.front = front;
            assertThat(new Pivot(settings, handover(node))
                            .decide(node.observe(), state, node.now)
                            .actions())
                    .filteredOn(planned -> planned.action() instanceof PivotAction.PointFrontToUnderstudy
                            || planned.action() instanceof PivotAction.PointFrontToPrincipal)
                    .isEqualTo(
                            front == Front.PRINCIPAL
                                    ? List.of()
                                    : List.of(new PivotDecision.Planned(
                                            new PivotAction.PointFrontToPrincipal(),
                                            PivotReason.TEMPORARY_DOES_NOT_ANSWER)));
        }
    }

    /** Found by the simulator: {@code /readyz} knows nothing of a wrong encryption key. */
    @Test
    void movesClientsToAServerThatCannotReadSecretsOnlyWhenTheTemporaryOneCannotEither() {
        ModelPivotNode node = new ModelPivotNode(new Random(1), 0);
        node.blind.add(Server.PRINCIPAL);
        PivotState state = PivotState.initial(node.now);
        while (!node.principalReady()) {
            state = step(node, state);
        }
        for (int i = 0; i < 100; i++) {
            state = step(node, state);
            assertThat(node.front).isNotEqualTo(Front.PRINCIPAL);
        }
        assertThat(state.phase()).isEqualTo(Phase.SELF_HOSTING);
        assertThat(new Pivot(settings, Handover.FRONT)
                        .decide(node.observe(), state, node.now)
                        .waitingFor())
                .anySatisfy(what -> assertThat(what).contains("to read the Secrets"));

        node.blind.add(Server.UNDERSTUDY);
        assertThat(run(node, state).phase()).isEqualTo(Phase.DONE);
    }

    /** Found by the simulator (seed 77322): etcd was restored while a bad template was asked for, and a good one came later. */
    @Test
    void replacesAnApiServerOfAFormerTemplateThatDoesNotBecomeReady() {
        for (int seed = 0; seed < 50; seed++) {
            ModelPivotNode node = new ModelPivotNode(new Random(seed), seed % 20);
            node.principalFails = true;
            node.principalOutdated = true;

            assertThat(run(node, PivotState.initial(node.now)).phase())
                    .as("seed %d", seed)
                    .isEqualTo(Phase.DONE);
        }
    }

    @Test
    void replacesAnApiServerOfAFormerTemplateThatCannotReadSecrets() {
        ModelPivotNode node = new ModelPivotNode(new Random(1), 0);
        node.blind.add(Server.PRINCIPAL);
        node.principalOutdated = true;

        assertThat(run(node, PivotState.initial(node.now)).phase()).isEqualTo(Phase.DONE);
    }

    /** What others do not tell, and one probe that failed while the kubelet's have not, is no reason to delete what serves. */
    @Test
    void leavesAnApiServerOfAFormerTemplateThatServes() {
        for (int seed = 0; seed < 50; seed++) {
            ModelPivotNode node = new ModelPivotNode(new Random(seed), seed % 20);
            node.principalOutdated = true;
            node.othersReady = false;
            node.principalProbesFailPercent = seed % 30;

            PivotState state = untilWellPastTheTimeToStart(node);

            assertThat(state.phase()).as("seed %d", seed).isEqualTo(Phase.SELF_HOSTING);
            assertThat(node.principalOutdated).as("seed %d", seed).isTrue();
        }
    }

    @Test
    void leavesAnApiServerOfAFormerTemplateWithoutAnotherOneThatAnswers() {
        ModelPivotNode node = new ModelPivotNode(new Random(3), 0);
        PivotState state = untilSelfHosting(node);
        node.principalOutdated = true;
        Instant late = node.now.plusSeconds(61);
        Pivot pivot = new Pivot(settings, handover(node));
        assertThat(pivot.decide(node.observe(), state, late).actions())
                .extracting(Planned::action)
                .contains(new PivotAction.DeleteOutdatedApiServer());

        node.understudySince = Optional.empty();

        assertThat(pivot.decide(node.observe(), state, late).actions())
                .extracting(Planned::action)
                .doesNotContain(new PivotAction.DeleteOutdatedApiServer());
    }

    @Test
    void leavesAnApiServerOfAFormerTemplateTheTimeToStart() {
        ModelPivotNode node = new ModelPivotNode(new Random(1), 0);
        node.principalFails = true;
        node.principalOutdated = true;
        PivotState state = untilSelfHosting(node);
        state = during(50, node, state);
        assertThat(node.principalOutdated).isTrue();
        node.principalFails = false;

        assertThat(run(node, state).phase()).isEqualTo(Phase.DONE);
        assertThat(node.principalOutdated).isTrue();
    }

    /** It was made anew from another template a moment ago. */
    @Test
    void goesBackWhenTheServerThatIsToTakeTheClientsCannotReadSecretsAnyMore() {
        ModelPivotNode node = new ModelPivotNode(new Random(1), 0);
        PivotState state = PivotState.initial(node.now);
        while (state.phase() != Phase.SWITCHING) {
            state = step(node, state);
        }
        node.blind.add(Server.PRINCIPAL);

        assertThat(step(node, state).phase()).isEqualTo(Phase.SELF_HOSTING);
        assertThat(node.front).isEqualTo(Front.UNDERSTUDY);
    }

    @Test
    void restartsASlowKubeletWhileTheServersItHasStartedBecomeReady() {
        settings = settings.withKubeletThatStartsSlowly(true);
        for (int seed = 0; seed < 300; seed++) {
            boolean troubled = seed % 2 == 1;
            ModelPivotNode node = new ModelPivotNode(new Random(seed), troubled ? 20 : 0);
            node.kubeletStartsSlowly = true;
            List<Phase> restarts = new ArrayList<>();
            PivotState state = PivotState.initial(node.now);
            for (int i = 0; i < TICKS && !state.phase().isFinal(); i++) {
                boolean pending = node.restartPending;
                Phase before = state.phase();
                state = step(node, state);
                if (pending && !node.restartPending) {
                    restarts.add(before);
                }
            }
            assertThat(state.phase()).as("seed %d", seed).isEqualTo(Phase.DONE);
            // Where a source did not answer in time it is done as for any other kubelet.
            assertThat(restarts)
                    .as("seed %d", seed)
                    .hasSize(1)
                    .first()
                    .matches(phase -> troubled || phase == Phase.STARTING_TEMPORARY);
        }
    }

    @Test
    void endsSelfHostedAlthoughSourcesAndActionsFailNowAndThen() {
        for (int seed = 0; seed < 300; seed++) {
            ModelPivotNode node = new ModelPivotNode(new Random(seed), 20);
            assertThat(run(node, PivotState.initial(node.now)).phase())
                    .as("seed %d", seed)
                    .isEqualTo(Phase.DONE);
            assertThat(node.manifests).as("seed %d", seed).isEmpty();
        }
    }

    @Test
    void goesOnFromWhereItWasKilled() {
        for (int seed = 0; seed < 300; seed++) {
            Random random = new Random(seed);
            ModelPivotNode node = new ModelPivotNode(random, 5);
            PivotState state = PivotState.initial(node.now);
            int killedAt = random.nextInt(200);
            for (int i = 0; i < killedAt && !state.phase().isFinal(); i++) {
                state = step(node, state);
            }
            for (int i = random.nextInt(150); i > 0; i--) {
                node.tick();
            }
            if (!state.phase().isFinal()) {
                PivotState resumed = new PivotState(state.phase(), node.now, state.failures());
                assertThat(run(node, resumed).phase())
                        .as("seed %d, killed after %d", seed, killedAt)
                        .isEqualTo(Phase.DONE);
            }
            assertThat(node.manifests).isEmpty();
        }
    }

    @Test
    void beginningAgainOnALivingClusterOnlyTriesWhatAUserNeeds() {
        ModelPivotNode node = new ModelPivotNode(new Random(3), 0);
        run(node, PivotState.initial(node.now));
        node.accepted = false;

        Set<Phase> seen = EnumSet.noneOf(Phase.class);
        PivotState state = PivotState.initial(node.now);
        while (!state.phase().isFinal()) {
            state = step(node, state);
            seen.add(state.phase());
        }

        assertThat(seen).containsExactlyInAnyOrder(Phase.ACCEPTING, Phase.DONE);
    }

    @ParameterizedTest
    @MethodSource("withUnderstudy")
    void refusesAForeignManifestAndChangesNothing(Component component) {
        ModelPivotNode node = new ModelPivotNode(new Random(4), 0);
        node.foreign.add(component);

        PivotState end = run(node, PivotState.initial(node.now));

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

        PivotState end = run(node, PivotState.initial(node.now));

        assertThat(end.phase()).isEqualTo(Phase.FAILED);
        assertThat(end.failures().getFirst().what()).contains("unknown flag: --bogus");
        assertThat(node.manifests).isEmpty();
        assertThat(node.secrets).isFalse();
    }

    @Test
    void removesWhatItStartedWhenThePrincipalNeverComes() {
        ModelPivotNode node = new ModelPivotNode(new Random(6), 10);
        node.principalFails = true;
        node.lastLines = "Error: unknown flag: --bogus";

        PivotState end = run(node, PivotState.initial(node.now));

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
        PivotState state = untilSelfHosting(node);
        Instant mended = node.now.plusSeconds(100);
        while (node.now.isBefore(mended)) {
            state = step(node, state);
        }
        node.principalFails = false;

        assertThat(run(node, state).phase()).isEqualTo(Phase.DONE);
    }

    @Test
    void givesUpBeforeItsDeadlineOnAPrincipalThatKeepsEnding() {
        ModelPivotNode node = new ModelPivotNode(new Random(6), 0);
        node.principalFails = true;
        node.principalRestarts = 10;

        PivotState end = run(node, PivotState.initial(node.now));

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

        PivotState end = run(node, PivotState.initial(node.now));

        assertThat(end.failures()).extracting(Problem::code).containsOnly(ErrorCode.TIMEOUT);
    }

    @Test
    void returnsToTheUnderstudyWhenThePrincipalGoesAwayDuringTheSwitch() {
        ModelPivotNode node = new ModelPivotNode(new Random(7), 0);
        PivotState state = PivotState.initial(node.now);
        while (state.phase() != Phase.TEARING_DOWN) {
            state = step(node, state);
        }
        node.principalAge = -1;
        node.principalSince = Optional.empty();

        state = step(node, state);

        assertThat(state.phase()).isEqualTo(Phase.SELF_HOSTING);
        assertThat(node.front).isEqualTo(Front.UNDERSTUDY);
        assertThat(run(node, state).phase()).isEqualTo(Phase.DONE);
    }

    @Test
    void doesNotSwitchWhereAFirewallHidesTheUnderstudy() {
        ModelPivotNode node = new ModelPivotNode(new Random(10), 0);
        node.frontProblems =
                List.of(new Problem(ErrorCode.PORT_IN_USE, "10.0.0.1:26443", "nobody answers", "", "try again"));

        PivotState end = run(node, PivotState.initial(node.now));

        assertThat(end.phase()).isEqualTo(Phase.FAILED);
        assertThat(end.failures()).isEqualTo(node.frontProblems);
        assertThat(node.manifests).isEmpty();
    }

    @Test
    void mendsAControlPlaneWhoseApiServerServesButNothingElse() {
        ModelPivotNode node = new ModelPivotNode(new Random(12), 0);
        run(node, PivotState.initial(node.now));
        node.accepted = false;
        node.othersReady = false;

        Set<Phase> seen = EnumSet.noneOf(Phase.class);
        PivotState state = PivotState.initial(node.now);
        while (!state.phase().isFinal()) {
            state = step(node, state);
            seen.add(state.phase());
            node.othersReady |= state.phase() == Phase.SELF_HOSTING;
        }

        assertThat(state.phase()).isEqualTo(Phase.DONE);
        assertThat(seen).contains(Phase.STARTING_TEMPORARY, Phase.APPLYING);
    }

    @ParameterizedTest
    @EnumSource(names = {"SWITCHING", "TEARING_DOWN", "ACCEPTING", "ROLLING_BACK"})
    void noPhaseWaitsForEver(Phase phase) {
        List<Problem> why = phase == Phase.ROLLING_BACK
                ? List.of(new Problem(ErrorCode.TIMEOUT, "start", "took too long", "", "try again"))
                : List.of();
        ModelPivotNode node = new ModelPivotNode(new Random(13), 0);
        PivotState state = new PivotState(phase, node.now, why);

        PivotDecision decision = new Pivot(settings, handover(node))
                .decide(PivotObservation.nothing(), state, node.now.plusSeconds(3600));

        assertThat(decision.state().phase()).isEqualTo(Phase.FAILED);
    }

    @Test
    void refusesAMoveThatIsNoneByName() {
        PivotState done = new PivotState(Phase.DONE, Instant.EPOCH, List.of());

        assertThatThrownBy(() -> done.moveTo(Phase.APPLYING, Instant.EPOCH))
                .hasMessage("a pivot does not go from DONE to APPLYING");
    }

    /** One pod after the other, each just within the deadline: the phase as a whole takes several times as long. */
    @Test
    void waitsForWhatIsSlowAndComesForward() {
        ModelPivotNode node = new ModelPivotNode(new Random(13), 0);
        Pivot pivot = new Pivot(settings, handover(node));
        PivotState state = new PivotState(Phase.ACCEPTING, node.now, List.of());
        Instant now = node.now;
        for (int ready = 1; ready <= 5; ready++) {
            now = now.plus(settings.progressDeadline().minusSeconds(1));
            state = pivot.decide(withReady(ready), state, now).state();
        }
        assertThat(state.phase()).isEqualTo(Phase.ACCEPTING);

        // What goes and comes again is nothing new.
        for (int ready = 4; ready <= 5; ready++) {
            now = now.plus(settings.progressDeadline().minusSeconds(1));
            state = pivot.decide(withReady(ready), state, now).state();
        }
        assertThat(state.failures()).extracting(Problem::what).first(STRING).contains("came no further for");
    }

    /** Found on an emulated machine: a controller manager ended four times while the API server of its node came up. */
    @Test
    void waitsForAPodThatEndsWhileOthersComeForward() {
        ModelPivotNode node = new ModelPivotNode(new Random(13), 0);
        PivotState state = untilSelfHosting(node);
        Pivot pivot = new Pivot(settings, handover(node));
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

        PivotState end = run(node, PivotState.initial(node.now));

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

        PivotState end = run(node, PivotState.initial(node.now));

        assertThat(end.phase()).isEqualTo(Phase.FAILED);
        assertThat(node.front).isEqualTo(Front.PRINCIPAL);
        assertThat(node.principalReady()).isTrue();
    }

    @Test
    void refusesAClusterWithOtherControlPlaneNodesBeforeItMakesPods() {
        for (int seed = 0; seed < 50; seed++) {
            ModelPivotNode node = new ModelPivotNode(new Random(seed), seed % 20);
            node.otherControlPlanes = List.of("node-2");

            PivotState end = run(node, PivotState.initial(node.now));

            assertThat(end.phase()).isEqualTo(Phase.FAILED);
            assertThat(end.failures().getFirst().code()).isEqualTo(ErrorCode.UNSUPPORTED_CLUSTER);
            assertThat(end.failures().getFirst().what()).contains("node-2");
            assertThat(node.workloadsApplied).as("seed %d", seed).isFalse();
            assertThat(node.manifests).isEmpty();
        }
    }

    @Test
    void withOnePortForBothTheTemporaryServerGoesAwayOnceTheOtherHasBegun() {
        for (int seed = 0; seed < 100; seed++) {
            ModelPivotNode node = new ModelPivotNode(new Random(seed), seed % 20);
            node.sharedPort = true;

            PivotState end = run(node, PivotState.initial(node.now));

            assertThat(end.phase()).as("seed %d: %s", seed, end.failures()).isEqualTo(Phase.DONE);
            assertThat(node.manifests).as("seed %d", seed).isEmpty();
            assertThat(node.secrets).as("seed %d", seed).isFalse();
            assertThat(node.principalReady()).as("seed %d", seed).isTrue();
        }
    }

    /** It ends because its port is taken: it may be as good as the one that would come after it. */
    @Test
    void withOnePortForBothAnApiServerOfAFormerTemplateIsLeftOnceItHasBegun() {
        ModelPivotNode node = new ModelPivotNode(new Random(14), 0);
        node.sharedPort = true;
        node.principalOutdated = true;
        node.othersReady = false;
        PivotState state = untilWellPastTheTimeToStart(node);
        assertThat(node.principalOutdated).isTrue();
        node.othersReady = true;

        assertThat(run(node, state).phase()).isEqualTo(Phase.DONE);
    }

    @Test
    void withOnePortForBothAnApiServerOfAFormerTemplateThatNeverBeginsIsReplaced() {
        ModelPivotNode node = new ModelPivotNode(new Random(14), 0);
        node.sharedPort = true;
        node.principalFails = true;
        node.principalOutdated = true;

        assertThat(run(node, PivotState.initial(node.now)).phase()).isEqualTo(Phase.DONE);
        assertThat(node.principalOutdated).isFalse();
    }

    @Test
    void withOnePortForBothTheTemporaryServerServesUntilEverythingElseIsReady() {
        ModelPivotNode node = new ModelPivotNode(new Random(14), 0);
        node.sharedPort = true;
        node.othersReady = false;
        PivotState state = PivotState.initial(node.now);
        while (node.principalRestarts < 100) {
            state = step(node, state);
        }

        assertThat(state.phase()).isEqualTo(Phase.SELF_HOSTING);
        assertThat(node.understudyReady()).isTrue();

        node.othersReady = true;
        assertThat(run(node, state).phase()).isEqualTo(Phase.DONE);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 100})
    void changesNothingWhileNothingIsKnown(int ticks) {
        ModelPivotNode node = new ModelPivotNode(new Random(9), 0);
        Pivot pivot = new Pivot(settings, handover(node));
        PivotState state = PivotState.initial(node.now);

        PivotDecision decision = pivot.decide(PivotObservation.nothing(), state, node.now.plusSeconds(ticks));

        assertThat(decision.actions()).isEmpty();
        assertThat(decision.state()).isEqualTo(state);
    }
}
