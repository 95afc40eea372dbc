package dev.ouroboros.keeper.decide;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.keeper.decide.Decision.Planned;
import dev.ouroboros.model.checkpoint.Revision;
import dev.ouroboros.model.checkpoint.Slots;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Whole changes of the API server on a {@link ModelMachine}, second by second, and what happens to them when something goes wrong at
 * any of these seconds. The machine itself refuses what must never be done: traffic to what proved nothing, a principal that is
 * replaced under nobody, a last-good that crashes.
 */
@Isolated("computes for many seconds; others of this module wait with limits")
final class ChangeModelTest {
    /** Longer than a change with its soak, and than one that fails at its deadline. */
    private static final int SECONDS = 320;

    private static ModelMachine machine() {
        return new ModelMachine(new Random(1));
    }

    /** Runs until it is over, and returns the steps it went through. */
    private static List<ChangeStep> run(ModelMachine machine) {
        List<ChangeStep> steps = new ArrayList<>();
        for (int second = 0; second < SECONDS; second++) {
            machine.step();
            assertThat(machine.apiAnswers())
                    .as("second %d: %s", second, machine)
                    .isTrue();
            ChangeStep now = machine.change();
            if (steps.isEmpty() || steps.getLast() != now) {
                steps.add(now);
            }
        }
        return steps;
    }

    @Test
    void goesThroughItsStepsWithoutLosingTheApi() {
        ModelMachine machine = machine();
        machine.api().template = ModelMember.BETTER;

        assertThat(run(machine))
                .containsExactly(
                        ChangeStep.WAITING,
                        ChangeStep.PROVING,
                        ChangeStep.SWITCHING,
                        ChangeStep.REPLACING,
                        ChangeStep.SOAKING,
                        ChangeStep.DONE);
        assertThat(machine.isAtRest()).isTrue();
        assertThat(machine.api().slots).isEqualTo(new Slots(Optional.empty(), Optional.of(ModelMember.BETTER)));
        assertThat(machine.lease).isFalse();
        assertThat(machine.record).isEqualTo(ChangeRecord.NONE);
    }

    @Test
    void neverTouchesThePrincipalForACandidateThatCrashesAfterItWasReady() {
        ModelMachine machine = machine();
        machine.api().template = ModelMember.BAD;
        Optional<String> pod = machine.api().pod.map(here -> here.uid);

        assertThat(run(machine)).containsExactly(ChangeStep.WAITING, ChangeStep.PROVING, ChangeStep.FAILED);
        assertThat(machine.api().pod.map(here -> here.uid)).isEqualTo(pod);
        assertThat(machine.api().slots).isEqualTo(new Slots(Optional.empty(), Optional.of(ModelMember.GOOD)));
        assertThat(machine.api().understudy.age).isNegative();
    }

    @Test
    void rollsBackAPrincipalThatFailsAfterItsCandidatePassed() {
        ModelMachine machine = machine();
        machine.api().template = ModelMember.SLY;

        assertThat(run(machine))
                .contains(ChangeStep.PROVING, ChangeStep.SWITCHING, ChangeStep.ROLLING_BACK)
                .endsWith(ChangeStep.ROLLED_BACK);
        assertThat(machine.api().template).isEqualTo(ModelMember.GOOD);
        assertThat(machine.isAtRest()).isTrue();
    }

    @Test
    void goesBackWhenTheTemplateIsGivenBackAtAnySecond() {
        disturbAtEverySecond(machine -> machine.api().template = ModelMember.GOOD, ModelMember.BETTER, 0);
    }

    @Test
    void goesOnWhenTheTemplateIsChangedAgainAtAnySecond() {
        disturbAtEverySecond(machine -> machine.api().template = ModelMember.BEST, ModelMember.BETTER, 0);
    }

    @Test
    void waitsWhilePausedAndGoesOnWhenResumedAtAnySecond() {
        for (int at = 0; at < 90; at++) {
            ModelMachine machine = machine();
            machine.api().template = ModelMember.BETTER;
            steps(machine, at, "paused at " + at);
            machine.paused = true;
            steps(machine, 60, "paused at " + at);
            boolean replaced = machine.api()
                    .pod
                    .filter(pod -> pod.revision.equals(ModelMember.BETTER))
                    .isPresent();
            assertThat(replaced || machine.change() == ChangeStep.PAUSED)
                    .as("paused at %d: %s", at, machine)
                    .isTrue();
            machine.paused = false;
            assertThat(machine.settle("resumed after " + at)).isZero();
            assertThat(machine.api().slots.lastGood()).contains(ModelMember.BETTER);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"be77e400", "bad00000", "51e00000"})
    void isFinishedByTheKeeperThatComesAfterOneThatWasKilledAtAnySecond(String template) {
        disturbAtEverySecond(ModelMachine::killKeeper, new Revision(template), 0);
    }

    @ParameterizedTest
    @ValueSource(strings = {"be77e400", "bad00000", "51e00000"})
    void comesBackFromAPowerLossAtAnySecond(String template) {
        disturbAtEverySecond(ModelMachine::losePower, new Revision(template), 1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"be77e400", "bad00000", "51e00000"})
    void survivesAnUnderstudyThatIsKilledAtAnySecond(String template) {
        // A principal that ends again and again while nobody stands in is judged after its third end.
        int losses = template.equals(ModelMember.SLY.digest()) ? 4 : 1;
        disturbAtEverySecond(machine -> machine.api().understudy.end(), new Revision(template), losses);
    }

    /** Killed at each action: the second keeper knows nothing of what the first one was about to do. */
    @Test
    void isFinishedAlthoughTheKeeperIsKilledAfterEveryDecision() {
        Set<ChangeStep> seen = EnumSet.noneOf(ChangeStep.class);
        for (int every = 12; every < 40; every++) {
            ModelMachine machine = machine();
            machine.api().template = ModelMember.BETTER;
            for (int second = 0; second < 600; second++) {
                machine.step();
                seen.add(machine.change());
                assertThat(machine.apiAnswers())
                        .as("every %d: %s", every, machine)
                        .isTrue();
                if (second % every == every - 1 && second < 400) {
                    machine.killKeeper();
                }
            }
            assertThat(machine.settle("killed every " + every)).isZero();
        }
        assertThat(seen).contains(ChangeStep.SWITCHING, ChangeStep.REPLACING, ChangeStep.DONE);
    }

    /** So that the revision of a pod and of its template differ: nothing may be told by comparing them. */
    @ParameterizedTest
    @ValueSource(strings = {"be77e400", "bad00000", "51e00000"})
    void comesToRestWhereAdmissionAddsToPods(String template) {
        for (int at = 0; at < SECONDS; at += 3) {
            ModelMachine machine = machine();
            ModelMember api = machine.api();
            api.admissionAdds = true;
            api.slots = new Slots(Optional.empty(), Optional.of(api.saved(ModelMember.GOOD)));
            api.template = new Revision(template);
            steps(machine, at, "until " + at);
            machine.losePower();
            assertThat(machine.settleAnyhow("power lost at " + at))
                    .as("at %d: %s", at, machine)
                    .isLessThanOrEqualTo(1);
            assertThat(machine.settleAnyhow("at rest after " + at)).isZero();
        }
    }

    @Test
    void startsNothingForWhatMustNotRunBesideWhatRuns() {
        ModelMachine machine = machine();
        machine.incompatible = true;
        machine.api().template = ModelMember.BETTER;
        for (int second = 0; second < 100; second++) {
            machine.step();
            assertThat(machine.last)
                    .extracting(Planned::action)
                    .noneMatch(action -> action instanceof Action.StartUnderstudy
                            || action instanceof Action.SaveCandidate
                            || action instanceof Action.HoldLease);
        }
        assertThat(machine.change()).isEqualTo(ChangeStep.REFUSED);
    }

    private static void steps(ModelMachine machine, int seconds, String run) {
        for (int second = 0; second < seconds; second++) {
            machine.step();
            assertThat(machine.apiAnswers())
                    .as("%s, second %d: %s", run, second, machine)
                    .isTrue();
        }
    }

    private static void disturbAtEverySecond(Consumer<ModelMachine> disturbance, Revision template, int mostLosses) {
        for (int at = 0; at < SECONDS; at++) {
            ModelMachine machine = machine();
            machine.api().template = template;
            steps(machine, at, "until " + at);
            disturbance.accept(machine);
            String run = "disturbed at " + at;
            int losses = machine.settleAnyhow(run);
            assertThat(losses).as("%s: %s", run, machine).isLessThanOrEqualTo(mostLosses);
            assertThat(machine.api().isReady(machine.api().principal, true))
                    .as(run)
                    .isTrue();
            assertThat(machine.api().slots.lastGood())
                    .as(run)
                    .isPresent()
                    .get()
                    .isNotIn(ModelMember.BAD, ModelMember.SLY);
        }
    }
}
