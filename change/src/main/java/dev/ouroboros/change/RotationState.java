package dev.ouroboros.change;

import dev.ouroboros.change.decide.Rollout;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.procedure.NextStep;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What one run of a rotation remembers. The next step follows from the cluster alone, so a step that somebody takes back meanwhile, with
 * {@code ouro change abort}, would simply be taken again: the run ends instead, and only somebody who runs the command again goes on.
 *
 * @param goal name of the new key
 * @param furthest how far the rotation has come in this run
 * @param acts how often something was done in this run
 * @param takenBack what the cluster was left with when somebody took a step back, for people
 * @param rewritten objects of which this run proved that the new key wrote them; empty until it has
 * @param remains what has to happen before the old key can go
 * @param keepOutside what recovering the cluster takes, when the run has ended
 */
record RotationState(
        String goal,
        int furthest,
        SecondTry secondTry,
        int acts,
        Optional<String> takenBack,
        Optional<Integer> rewritten,
        List<String> remains,
        List<RotationOutcome.KeepOutside> keepOutside) {
    private static final String DAEMON_SET = "DaemonSet kube-system/kube-apiserver";

    RotationState {
        remains = List.copyOf(remains);
        keepOutside = List.copyOf(keepOutside);
    }

    /** @param daemonSet of the API server, as this run finds it */
    static RotationState begin(String goal, Json daemonSet) {
        return new RotationState(
                goal,
                0,
                SecondTry.after(Rollout.ending(daemonSet)),
                0,
                Optional.empty(),
                Optional.empty(),
                List.of(),
                List.of());
    }

    RotationState reached(int step) {
        return new RotationState(
                goal, Math.max(furthest, step), secondTry, acts, takenBack, rewritten, remains, keepOutside);
    }

    RotationState havingActed() {
        return new RotationState(goal, furthest, secondTry, acts + 1, takenBack, rewritten, remains, keepOutside);
    }

    RotationState havingAsked() {
        return new RotationState(
                goal, furthest, secondTry.havingAsked(), acts, takenBack, rewritten, remains, keepOutside);
    }

    RotationState withRewritten(int objects) {
        return new RotationState(
                goal, furthest, secondTry, acts, takenBack, Optional.of(objects), remains, keepOutside);
    }

    private RotationState takenBack(String left) {
        return new RotationState(goal, furthest, secondTry, acts, Optional.of(left), rewritten, remains, keepOutside);
    }

    /** @param reasons why the old key cannot go yet; none when it is gone */
    RotationState ended(List<String> reasons, List<RotationOutcome.KeepOutside> keep) {
        return new RotationState(goal, furthest, secondTry, acts, takenBack, rewritten, reasons, keep);
    }

    /**
     * What ends this run, whatever would be next; empty when nothing does.
     *
     * @param step how far the cluster is
     * @param left what it is left with, for people
     * @param copy what the asset directory then has to have
     * @throws ProblemException COMPONENT_FAILED when a change of this run has ended badly, CHANGE_REFUSED when a step was taken back
     */
    Optional<NextStep<RotationState, RotationAction>> interruption(
            Json daemonSet, int step, String left, Map<String, String> copy) {
        if (takenBack.isPresent()) {
            throw ProblemException.of(
                    ErrorCode.CHANGE_REFUSED,
                    DAEMON_SET,
                    "a step of this rotation was taken back meanwhile ('ouro change abort', or another edit of the template); "
                            + takenBack.get(),
                    "",
                    "nothing is lost, and what is there may stay so: keys that were added are read. 'ouro status --wait', then the same"
                            + " command again goes on from there");
        }
        Optional<Rollout.Ending> ending = Rollout.ending(daemonSet);
        if (secondTry.hasFailed(ending)) {
            throw failed(
                    ending.orElseThrow().word() + ": " + ending.orElseThrow().why());
        }
        return step < furthest
                ? Optional.of(NextStep.act(takenBack(left), new RotationAction.FollowBack(copy)))
                : Optional.empty();
    }

    /**
     * Nothing goes on by itself: a change that failed before this run is tried again, once.
     *
     * @throws ProblemException COMPONENT_FAILED when there is none
     */
    NextStep<RotationState, RotationAction> stopped(Json daemonSet, String why) {
        return secondTry
                .step(this, Rollout.ending(daemonSet), (RotationAction) new RotationAction.Retry(daemonSet, why))
                .orElseThrow(() -> failed(why));
    }

    private static ProblemException failed(String why) {
        return ProblemException.of(
                ErrorCode.COMPONENT_FAILED,
                "kube-system",
                why,
                "",
                "nothing is lost: what ran before still runs. Remove the reason and run the same command again, or take the"
                        + " step back with 'ouro change abort'");
    }
}
