package dev.ouroboros.keeper.decide;

import dev.ouroboros.keeper.decide.ChangeRecord.Failure;
import dev.ouroboros.keeper.decide.ChangeSeen.Target;
import dev.ouroboros.keeper.decide.StaticManifest.Absent;
import dev.ouroboros.keeper.decide.StaticManifest.Ours;
import dev.ouroboros.model.checkpoint.Revision;
import dev.ouroboros.model.checkpoint.Slots;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.evidence.Evidence.Known;
import dev.ouroboros.model.evidence.Health;
import dev.ouroboros.model.evidence.Health.NotListening;
import dev.ouroboros.model.evidence.Health.Ready;
import dev.ouroboros.model.front.FrontState;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** All that has to be known for a decision about a change, and what follows from it. */
record ChangeFacts(
        Moment moment,
        Judged server,
        ChangeSeen seen,
        Target target,
        ChangeRecord record,
        List<PrincipalPod> living,
        Slots slots,
        StaticManifest manifest,
        boolean understudyHasFront,
        boolean principalHasFront) {
    /** A candidate that ended so often is not waited for: the kubelet starts it again after 10, then 20 seconds. */
    static final int MOST_ENDS = 3;

    /**
     * The kubelet's reasons why a container cannot start until its manifest changes: an invalid image name, and an image that is absent
     * and must not be pulled (pkg/kubelet/images/types.go, ErrInvalidImageName and ErrImageNeverPull). All other reasons may pass: a
     * registry is away, a disk is full, a path is not there yet.
     */
    private static final Set<String> FINAL = Set.of("InvalidImageName", "ErrImageNeverPull");

    /** With these reasons the kubelet says that it tries again later, but not why. */
    private static final Set<String> BACK_OFF = Set.of("ImagePullBackOff", "CrashLoopBackOff");

    /** @param pods of the component, also those that have ended */
    static ChangeFacts of(
            Moment moment,
            Judged server,
            ChangeSeen seen,
            Target target,
            ChangeRecord record,
            List<PrincipalPod> pods,
            Slots slots,
            StaticManifest manifest,
            Evidence<FrontState> front) {
        return new ChangeFacts(
                moment,
                server,
                seen,
                target,
                record,
                pods.stream().filter(PrincipalPod::isAlive).toList(),
                slots,
                manifest,
                front.is(state -> state instanceof FrontState.ToUnderstudy),
                front.is(state -> state instanceof FrontState.ToPrincipal));
    }

    boolean isUnderstudyGone() {
        return manifest instanceof Absent
                && server.understudyIsGone()
                && server.seen().understudy().is(health -> health instanceof NotListening);
    }

    Optional<Revision> revision() {
        return target.made().named();
    }

    Optional<Failure> failure() {
        return revision().flatMap(made -> record.failureOf(made, target.retry()));
    }

    /** Why the candidate failed on another node, in the words of its keeper: it is not tried on this one, until people ask for another try. */
    Optional<String> failureElsewhere() {
        return target.reported()
                .filter(report -> target.others().reported()
                        && target.others().tried().equals(target.retry())
                        && report.says(ChangeStep.FAILED)
                        && revision().isPresent()
                        && report.revision().equals(revision()))
                .map(ChangeReport::message);
    }

    boolean understudyIs(Optional<Revision> revision) {
        return manifest instanceof Ours(Revision ours) && revision.equals(Optional.of(ours));
    }

    /** Whether the understudy is one under which a principal may be replaced: proven, or last-good. */
    boolean isTrusted() {
        return manifest instanceof Ours(Revision ours)
                && (record.isProven(ours) || slots.lastGood().equals(Optional.of(ours)));
    }

    /** Whether an understudy that may serve has all new connections and is ready. */
    boolean isCovered() {
        return isTrusted() && understudyHasFront && server.understudyIsReady();
    }

    boolean hasPassed(Evidence<Proof> proof, Duration time) {
        return proof instanceof Known<Proof>(Proof.Passed(Instant since)) && moment.lasted(Optional.of(since), time);
    }

    boolean passes(Evidence<Proof> proof) {
        return proof.is(result -> result instanceof Proof.Passed);
    }

    /** Whether nothing is lost with the principal: it has failed for the candidate deadline, or was never proven and keeps ending. */
    boolean isLost(PrincipalPod pod) {
        return hasFailedForLong() || (pod.restarts() >= MOST_ENDS && !isSaved());
    }

    private boolean hasFailedForLong() {
        return moment.lasted(server.memory().failingSince(), moment.settings().candidateDeadline());
    }

    /**
     * Whether what runs serves nobody and nothing can stand in for it, as on a node that got its label while the template was a bad one: it has failed for the
     * candidate deadline, and no API server was ever healthy here. How often it ended says nothing: one that serves may have ended long ago.
     */
    boolean hasNeverServed() {
        return slots.equals(Slots.NONE)
                && isUnderstudyGone()
                && server.verdict().isTrouble()
                && hasFailedForLong();
    }

    /** Whether what runs is last-good. */
    boolean isSaved() {
        return server.seen().material() instanceof Known<Material>(Material.Complete(String _, Revision running))
                && slots.lastGood().equals(Optional.of(running));
    }

    /**
     * Whether the template is the one from before a candidate that proved itself and is still the understudy. The template's hash is
     * compared, not the revision: admission may add to a pod, so that last-good need not be of the revision that the template makes.
     */
    boolean isWayBack() {
        return record.proven()
                .filter(known -> understudyIs(Optional.of(known.revision()))
                        && target.current().equals(Optional.of(known.previous())))
                .isPresent();
    }

    /** Ready and right for long enough: a crash some seconds after it became ready must not pass. */
    boolean candidateIsProven() {
        Duration time = moment.settings().prove();
        boolean ready = server.seen().understudy() instanceof Known<Health>(Ready(Instant since))
                && moment.lasted(Optional.of(since), time);
        boolean runs = server.seen().understudyRuns().is(running -> running == Running.RUNNING);
        return ready && runs && hasPassed(seen.understudy(), time);
    }

    /** Whether to wait longer for the candidate is of no use. */
    boolean candidateIsDoomed() {
        return seen.understudyEnds() >= MOST_ENDS || FINAL.contains(reason());
    }

    private String reason() {
        return seen.trouble().split(":", 2)[0];
    }

    /**
     * Why the candidate's container does not run.
     *
     * @param before the cause as known before
     */
    String cause(String before) {
        if (server.seen().understudyRuns().is(running -> running == Running.RUNNING)) {
            return "";
        }
        boolean saysMore = !seen.trouble().isEmpty() && !BACK_OFF.contains(reason());
        return saysMore ? seen.trouble() : before;
    }

    /** @param before the cause as known before, as in {@link #cause} */
    String candidateState(String before) {
        String cause = cause(before);
        if (!cause.isEmpty() || !seen.trouble().isEmpty()) {
            return "the candidate: " + (cause.isEmpty() ? seen.trouble() : cause);
        }
        return server.understudyIsReady()
                ? "the candidate: " + Explain.proof(seen.understudy()) + "; the principal: "
                        + Explain.proof(seen.principal())
                : "the candidate: " + Explain.health(server.seen().understudy());
    }
}
