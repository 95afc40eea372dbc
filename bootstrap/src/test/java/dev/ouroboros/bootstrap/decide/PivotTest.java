package dev.ouroboros.bootstrap.decide;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ouroboros.bootstrap.decide.PivotObservation.Front;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.front.Server;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.start.Phase;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The way of a pivot to its end, and how it goes on where it was disturbed. */
final class PivotTest {
    private final ModelPivot model = new ModelPivot(ModelPivot.USUAL);

    @Test
    void endsSelfHostedWithNothingTemporaryLeft() {
        ModelPivotNode node = new ModelPivotNode(new Random(1), 0);

        PivotState end = model.run(node, PivotState.initial(node.now));

        assertThat(end.phase()).isEqualTo(Phase.DONE);
        assertThat(node.manifests).isEmpty();
        assertThat(node.age).isEmpty();
        assertThat(node.secrets).isFalse();
        assertThat(node.stale).isEmpty();
        assertThat(node.front).isEqualTo(Front.PRINCIPAL);
        assertThat(node.serviceLeadsHere).isTrue();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void onASlowMachineTheApiServerBeginsAlone(boolean isSlow) {
        ModelPivotNode node = new ModelPivotNode(new Random(1), 0);
        node.understudyBoots = isSlow ? 400 : 10;

        assertThat(model.run(node, PivotState.initial(node.now)).phase()).isEqualTo(Phase.DONE);
        assertThat(node.apiServerApplied).isEqualTo(isSlow);
        assertThat(node.beganTogether).isNotEqualTo(isSlow);
        assertThat(node.beganBesideTwoServers).isFalse();
    }

    @Test
    void onASlowMachineItComesThroughTroubleAndKills() {
        for (int seed = 0; seed < 100; seed++) {
            Random random = new Random(seed);
            ModelPivotNode node = new ModelPivotNode(random, 20);
            node.understudyBoots = 400;
            PivotState state = PivotState.initial(node.now);
            int killedAt = 300 + random.nextInt(400);
            for (int i = 0; i < killedAt && !state.phase().isFinal(); i++) {
                state = model.step(node, state);
            }
            PivotState resumed = state.phase().isFinal()
                    ? state
                    : new PivotState(state.phase(), node.now, List.of()).slow(state.isSlow());

            assertThat(model.run(node, resumed).phase()).as("seed %d", seed).isEqualTo(Phase.DONE);
            assertThat(node.manifests).as("seed %d", seed).isEmpty();
            assertThat(node.secrets).as("seed %d", seed).isFalse();
            assertThat(node.beganBesideTwoServers).as("seed %d", seed).isFalse();
        }
    }

    /** One that only begins is worse than one that is late once. */
    @Test
    void oneLateAnswerLeadsNoClientToATemporaryServerThatBegins() {
        ModelPivotNode node = new ModelPivotNode(new Random(1), 0);
        PivotState state = untilOnlyTheApiServerIsReady(node);
        node.understudySince = Optional.empty();
        node.principalSince = Optional.empty();
        node.front = Front.PRINCIPAL;

        assertThat(model.pivot(node).decide(node.observe(), state, node.now).actions())
                .noneMatch(planned -> planned.action() instanceof PivotAction.PointFrontToUnderstudy);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void onASlowMachineTheTemporaryServerComesBackWhereTheOtherGoesAway(boolean temporaryHasEnded) {
        ModelPivotNode node = slowNode();
        PivotState state = until(Phase.COMPLETING, node);
        while (temporaryHasEnded && node.age.containsKey(Component.API_SERVER)) {
            state = model.step(node, state);
        }
        returnsWhenThePrincipalGoesAway(node, state);
    }

    /** It serves beside the temporary one as on other machines, so that what counts against it counts. */
    @Test
    void onASlowMachineAServerThatDiesAsSoonAsItIsAloneIsGivenUp() {
        ModelPivotNode node = slowNode();
        PivotState state = PivotState.initial(node.now);
        int returns = 0;
        for (int i = 0; i < 4 * ModelPivot.TICKS && !state.phase().isFinal(); i++) {
            Phase before = state.phase();
            state = model.step(node, state);
            returns += before == Phase.COMPLETING && state.phase() == Phase.SELF_HOSTING ? 1 : 0;
            if (!node.age.containsKey(Component.API_SERVER) && state.phase() == Phase.COMPLETING) {
                node.principalAge = -1;
                node.principalSince = Optional.empty();
                node.principalFails = true;
            }
        }

        assertThat(returns).isEqualTo(1);
        assertThat(state.phase()).isEqualTo(Phase.FAILED);
        assertThat(node.manifests).isEmpty();
    }

    @Test
    void onASlowMachineARefusalInTheMomentOfTheHandOverIsNamed() {
        ModelPivotNode node = slowNode();
        PivotState state = model.step(node, until(Phase.SWITCHING, node));
        node.refusals.add(new Problem(ErrorCode.API_REFUSED, "manifests/x.yaml", "is refused", "", "mend it"));

        PivotState end = model.run(node, state);

        assertThat(end.phase()).isEqualTo(Phase.FAILED);
        assertThat(end.failures()).extracting(Problem::where).contains("manifests/x.yaml");
    }

    @Test
    void onASlowMachineNothingTemporaryIsLeftWhereTheOthersNeverCome() {
        ModelPivotNode node = slowNode();
        node.othersReady = false;

        PivotState end = model.run(node, PivotState.initial(node.now));

        assertThat(end.phase()).isEqualTo(Phase.FAILED);
        assertThat(end.failures()).extracting(Problem::code).containsExactly(ErrorCode.TIMEOUT);
        assertThat(node.manifests).isEmpty();
        assertThat(node.secrets).isFalse();
        assertThat(node.principalReady()).isTrue();
        assertThat(node.front).isEqualTo(Front.PRINCIPAL);
    }

    private PivotState untilOnlyTheApiServerIsReady(ModelPivotNode node) {
        node.othersReady = false;
        PivotState state = PivotState.initial(node.now);
        while (!node.principalReady()) {
            state = model.step(node, state);
        }
        return state;
    }

    private void returnsWhenThePrincipalGoesAway(ModelPivotNode node, PivotState before) {
        node.principalAge = -1;
        node.principalSince = Optional.empty();

        PivotState state = model.step(node, before);

        assertThat(state.phase()).isEqualTo(Phase.SELF_HOSTING);
        assertThat(node.front).isEqualTo(Front.UNDERSTUDY);
        assertThat(model.run(node, state).phase()).isEqualTo(Phase.DONE);
    }

    private static ModelPivotNode slowNode() {
        ModelPivotNode node = new ModelPivotNode(new Random(1), 0);
        node.understudyBoots = 400;
        return node;
    }

    private PivotState until(Phase phase, ModelPivotNode node) {
        PivotState state = PivotState.initial(node.now);
        while (state.phase() != phase) {
            state = model.step(node, state);
        }
        return state;
    }

    /** Found by the simulator: the lease was renewed to a server that hung until the kubelet had started it again. */
    @Test
    void keepsNoClientsOnATemporaryServerThatDoesNotAnswerWhileTheOtherIsReady() {
        ModelPivotNode node = new ModelPivotNode(new Random(1), 0);
        PivotState state = untilOnlyTheApiServerIsReady(node);
        assertThat(state.phase()).isEqualTo(Phase.SELF_HOSTING);
        node.understudySince = Optional.empty();
        for (Front front : List.of(Front.UNDERSTUDY, Front.UNDERSTUDY_EXPIRING, Front.PRINCIPAL)) {
            node.front = front;
            assertThat(model.pivot(node).decide(node.observe(), state, node.now).actions())
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
            state = model.step(node, state);
        }
        for (int i = 0; i < 100; i++) {
            state = model.step(node, state);
            assertThat(node.front).isNotEqualTo(Front.PRINCIPAL);
        }
        assertThat(state.phase()).isEqualTo(Phase.SELF_HOSTING);
        assertThat(model.pivot(node).decide(node.observe(), state, node.now).waitingFor())
                .anySatisfy(what -> assertThat(what).contains("to read the Secrets"));

        node.blind.add(Server.UNDERSTUDY);
        assertThat(model.run(node, state).phase()).isEqualTo(Phase.DONE);
    }

    /** It was made anew from another template a moment ago. */
    @Test
    void goesBackWhenTheServerThatIsToTakeTheClientsCannotReadSecretsAnyMore() {
        ModelPivotNode node = new ModelPivotNode(new Random(1), 0);
        PivotState state = PivotState.initial(node.now);
        while (state.phase() != Phase.SWITCHING) {
            state = model.step(node, state);
        }
        node.blind.add(Server.PRINCIPAL);

        assertThat(model.step(node, state).phase()).isEqualTo(Phase.SELF_HOSTING);
        assertThat(node.front).isEqualTo(Front.UNDERSTUDY);
    }

    @Test
    void restartsASlowKubeletWhileTheServersItHasStartedBecomeReady() {
        ModelPivot slow = new ModelPivot(ModelPivot.USUAL.withKubeletThatStartsSlowly(true));
        for (int seed = 0; seed < 300; seed++) {
            boolean troubled = seed % 2 == 1;
            ModelPivotNode node = new ModelPivotNode(new Random(seed), troubled ? 20 : 0);
            node.kubeletStartsSlowly = true;
            List<Phase> restarts = new ArrayList<>();
            PivotState state = PivotState.initial(node.now);
            for (int i = 0; i < ModelPivot.TICKS && !state.phase().isFinal(); i++) {
                boolean pending = node.restartPending;
                Phase before = state.phase();
                state = slow.step(node, state);
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
            assertThat(model.run(node, PivotState.initial(node.now)).phase())
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
                state = model.step(node, state);
            }
            for (int i = random.nextInt(150); i > 0; i--) {
                node.tick();
            }
            if (!state.phase().isFinal()) {
                PivotState resumed = new PivotState(state.phase(), node.now, state.failures());
                assertThat(model.run(node, resumed).phase())
                        .as("seed %d, killed after %d", seed, killedAt)
                        .isEqualTo(Phase.DONE);
            }
            assertThat(node.manifests).isEmpty();
        }
    }

    @Test
    void beginningAgainOnALivingClusterOnlyTriesWhatAUserNeeds() {
        ModelPivotNode node = new ModelPivotNode(new Random(3), 0);
        model.run(node, PivotState.initial(node.now));
        node.accepted = false;

        Set<Phase> seen = EnumSet.noneOf(Phase.class);
        PivotState state = PivotState.initial(node.now);
        while (!state.phase().isFinal()) {
            state = model.step(node, state);
            seen.add(state.phase());
        }

        assertThat(seen).containsExactlyInAnyOrder(Phase.ACCEPTING, Phase.DONE);
    }

    @Test
    void returnsToTheUnderstudyWhenThePrincipalGoesAwayDuringTheSwitch() {
        ModelPivotNode node = new ModelPivotNode(new Random(7), 0);
        PivotState state = until(Phase.TEARING_DOWN, node);
        returnsWhenThePrincipalGoesAway(node, state);
    }

    @Test
    void mendsAControlPlaneWhoseApiServerServesButNothingElse() {
        ModelPivotNode node = new ModelPivotNode(new Random(12), 0);
        model.run(node, PivotState.initial(node.now));
        node.accepted = false;
        node.othersReady = false;

        Set<Phase> seen = EnumSet.noneOf(Phase.class);
        PivotState state = PivotState.initial(node.now);
        while (!state.phase().isFinal()) {
            state = model.step(node, state);
            seen.add(state.phase());
            node.othersReady |= state.phase() == Phase.SELF_HOSTING;
        }

        assertThat(state.phase()).isEqualTo(Phase.DONE);
        assertThat(seen).contains(Phase.STARTING_TEMPORARY, Phase.APPLYING);
    }

    @Test
    void refusesAMoveThatIsNoneByName() {
        PivotState done = new PivotState(Phase.DONE, Instant.EPOCH, List.of());

        assertThatThrownBy(() -> done.moveTo(Phase.APPLYING, Instant.EPOCH))
                .hasMessage("a pivot does not go from DONE to APPLYING");
    }

    @Test
    void refusesAClusterWithOtherControlPlaneNodesBeforeItMakesPods() {
        for (int seed = 0; seed < 50; seed++) {
            ModelPivotNode node = new ModelPivotNode(new Random(seed), seed % 20);
            node.otherControlPlanes = List.of("node-2");

            PivotState end = model.run(node, PivotState.initial(node.now));

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

            PivotState end = model.run(node, PivotState.initial(node.now));

            assertThat(end.phase()).as("seed %d: %s", seed, end.failures()).isEqualTo(Phase.DONE);
            assertThat(node.manifests).as("seed %d", seed).isEmpty();
            assertThat(node.secrets).as("seed %d", seed).isFalse();
            assertThat(node.principalReady()).as("seed %d", seed).isTrue();
        }
    }

    @Test
    void withOnePortForBothTheTemporaryServerServesUntilEverythingElseIsReady() {
        ModelPivotNode node = new ModelPivotNode(new Random(14), 0);
        node.sharedPort = true;
        node.othersReady = false;
        PivotState state = PivotState.initial(node.now);
        while (node.principalRestarts < 100) {
            state = model.step(node, state);
        }

        assertThat(state.phase()).isEqualTo(Phase.SELF_HOSTING);
        assertThat(node.understudyReady()).isTrue();

        node.othersReady = true;
        assertThat(model.run(node, state).phase()).isEqualTo(Phase.DONE);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 100})
    void changesNothingWhileNothingIsKnown(int ticks) {
        ModelPivotNode node = new ModelPivotNode(new Random(9), 0);
        Pivot pivot = model.pivot(node);
        PivotState state = PivotState.initial(node.now);

        PivotDecision decision = pivot.decide(PivotObservation.nothing(), state, node.now.plusSeconds(ticks));

        assertThat(decision.actions()).isEmpty();
        assertThat(decision.state()).isEqualTo(state);
    }
}
