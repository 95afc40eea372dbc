package dev.ouroboros.core.keeper;

import dev.ouroboros.core.evidence.Evidence;
import dev.ouroboros.core.evidence.Evidence.Known;
import dev.ouroboros.core.evidence.Evidence.Unknown;
import dev.ouroboros.core.evidence.Health.NotListening;
import dev.ouroboros.core.evidence.Health.Ready;
import dev.ouroboros.core.front.FrontState;
import dev.ouroboros.core.keeper.Action.HoldLease;
import dev.ouroboros.core.keeper.Action.RecordFailure;
import dev.ouroboros.core.keeper.Action.RecordProven;
import dev.ouroboros.core.keeper.Action.ReleaseLease;
import dev.ouroboros.core.keeper.Action.ReplacePrincipal;
import dev.ouroboros.core.keeper.Action.ReportChange;
import dev.ouroboros.core.keeper.Action.RevertTemplate;
import dev.ouroboros.core.keeper.Action.SaveCandidate;
import dev.ouroboros.core.keeper.Action.StartUnderstudy;
import dev.ouroboros.core.keeper.ChangeRecord.Failure;
import dev.ouroboros.core.keeper.ChangeRecord.Proven;
import dev.ouroboros.core.keeper.ChangeSeen.LeaseSeen;
import dev.ouroboros.core.keeper.ChangeSeen.LeaseSeen.Free;
import dev.ouroboros.core.keeper.ChangeSeen.LeaseSeen.Mine;
import dev.ouroboros.core.keeper.ChangeSeen.LeaseSeen.OfAnother;
import dev.ouroboros.core.keeper.ChangeSeen.Made;
import dev.ouroboros.core.keeper.ChangeSeen.Target;
import dev.ouroboros.core.keeper.Changing.Outcome;
import dev.ouroboros.core.keeper.Course.Lead;
import dev.ouroboros.core.keeper.StaticManifest.Absent;
import dev.ouroboros.core.keeper.StaticManifest.Ours;
import dev.ouroboros.core.problem.Problem;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** One decision about a change of which everything is known that has to be; {@link Changing} has the table. */
final class ChangeRound {
    /** A candidate that ended so often is not waited for: the kubelet starts it again after 10, then 20 seconds. */
    private static final int MOST_ENDS = 3;

    private final Moment moment;
    private final Plan plan;
    private final Judged server;
    private final ChangeSeen seen;
    private final Target target;
    private final ChangeRecord record;
    private final List<PrincipalPod> living;
    private final Slots slots;
    private final StaticManifest manifest;
    private final ChangeMemory before;
    private final boolean understudyHasFront;
    private final boolean principalHasFront;
    private final Course course;

    ChangeRound(
            Moment moment,
            Plan plan,
            Judged server,
            ChangeSeen seen,
            Target target,
            ChangeRecord record,
            List<PrincipalPod> pods,
            Slots slots,
            StaticManifest manifest,
            Evidence<FrontState> front,
            ChangeMemory before) {
        this.moment = moment;
        this.plan = plan;
        this.server = server;
        this.seen = seen;
        this.target = target;
        this.record = record;
        this.living = pods.stream().filter(PrincipalPod::isAlive).toList();
        this.slots = slots;
        this.manifest = manifest;
        this.before = before;
        this.understudyHasFront = front.is(state -> state instanceof FrontState.ToUnderstudy);
        this.principalHasFront = front.is(state -> state instanceof FrontState.ToPrincipal);
        this.course = Course.along(record);
    }

    /**
     * Where it stands after this decision.
     *
     * @param unsettled whether the step waits for something that has a deadline
     */
    private record Step(Course course, ChangeStep step, String message, String progress, boolean unsettled) {
        Step(Course course, ChangeStep step, String message) {
            this(course, step, message, "", false);
        }
    }

    Outcome decide() {
        Optional<PrincipalPod> older =
                living.stream().filter(pod -> !target.isCurrent(pod.uid())).findFirst();
        Step step =
                older.map(this::ofOlder).orElseGet(() -> living.isEmpty() ? ofNone() : ofCurrent(living.getFirst()));
        ChangeMemory memory = remember(step);
        tendLease(step.step());
        report(memory.status());
        return new Outcome(step.course(), memory);
    }

    private Optional<Revision> revision() {
        return target.made().named();
    }

    private Optional<Failure> failure() {
        return revision().flatMap(made -> record.failureOf(made, target.retry()));
    }

    private boolean understudyIs(Optional<Revision> revision) {
        return manifest instanceof Ours(Revision ours) && revision.equals(Optional.of(ours));
    }

    /** Whether the understudy is one under which a principal may be replaced: proven, or last-good. */
    private boolean isTrusted() {
        return manifest instanceof Ours(Revision ours)
                && (record.isProven(ours) || slots.lastGood().equals(Optional.of(ours)));
    }

    /** Whether an understudy that may serve has all new connections and is ready. */
    private boolean isCovered() {
        return isTrusted() && understudyHasFront && server.understudyIsReady();
    }

    private boolean hasPassed(Evidence<Proof> proof, Duration time) {
        return proof instanceof Known<Proof>(Proof.Passed(Instant since)) && moment.lasted(Optional.of(since), time);
    }

    private boolean passes(Evidence<Proof> proof) {
        return proof.is(result -> result instanceof Proof.Passed);
    }

    private boolean hasLasted(ChangeStep step) {
        return before.status().step() == step
                && moment.lasted(before.troubleSince(), moment.settings().candidateDeadline());
    }

    private String progress(ChangeStep step) {
        Optional<Instant> since = before.status().step() == step ? before.troubleSince() : Optional.empty();
        return moment.progress(since, moment.settings().candidateDeadline());
    }

    /** A pod that was made from another template lives here. */
    private Step ofOlder(PrincipalPod pod) {
        if (target.made() instanceof Made.Refused(Optional<Revision> _, List<Problem> problems)) {
            String why = problems.stream().map(Problem::describe).collect(Collectors.joining("; "));
            return new Step(course, ChangeStep.REFUSED, why);
        }
        if (failure().isPresent()) {
            return new Step(course, ChangeStep.FAILED, failure().get().message());
        }
        if (target.paused()) {
            return new Step(
                    course, ChangeStep.PAUSED, "for annotation " + ChangeReport.PAUSED_ANNOTATION + " to be removed");
        }
        if (target.current().isEmpty()) {
            return waiting("for the DaemonSet controller to take the template up");
        }
        boolean proven = revision().filter(record::isProven).isPresent() && understudyIs(revision());
        if (proven || (isLost(pod) && isTrusted()) || (isWayBack() && isCovered())) {
            return replace(pod);
        }
        return understudyIs(revision()) ? prove(pod) : begin();
    }

    /** Whether nothing is lost with the principal: it has not served for long, or was never proven and ends again and again. */
    private boolean isLost(PrincipalPod pod) {
        boolean away =
                moment.lasted(server.memory().failingSince(), moment.settings().candidateDeadline());
        return away || (pod.restarts() >= MOST_ENDS && !isSaved());
    }

    /** Whether what runs is last-good. */
    private boolean isSaved() {
        return server.seen().material() instanceof Known<Material>(Material.Complete(String _, Revision running))
                && slots.lastGood().equals(Optional.of(running));
    }

    /**
     * Whether the template is what ran before a candidate that proved itself and serves still. By the template's hash: admission may
     * add to a pod, so that last-good need not be of the revision that the template makes.
     */
    private boolean isWayBack() {
        return record.proven()
                .filter(known -> understudyIs(Optional.of(known.revision()))
                        && target.current().equals(Optional.of(known.previous())))
                .isPresent();
    }

    private Step waiting(String message) {
        return new Step(course.keepingCandidate(), ChangeStep.WAITING, message);
    }

    /** Starts the candidate, when everything is as it must be. */
    private Step begin() {
        if (server.verdict() != Verdict.SERVES || !server.isSteady(moment)) {
            return waiting("for the principal to serve steadily");
        }
        boolean gone = manifest instanceof Absent
                && server.understudyIsGone()
                && server.seen().understudy().is(health -> health instanceof NotListening);
        if (!gone || !principalHasFront) {
            return waiting("for another understudy to be gone");
        }
        boolean saved =
                server.seen().material() instanceof Known<Material>(Material.Complete(String _, Revision running))
                        && slots.lastGood().equals(Optional.of(running));
        if (!saved) {
            return waiting("for the checkpoint of what runs to be the last good one");
        }
        if (!(seen.lease() instanceof Known<LeaseSeen>(Mine _))) {
            return waitForLease();
        }
        Revision next = revision().orElseThrow();
        String evidence = "revision " + next + " is not what runs";
        if (record.proven().isPresent()) {
            plan.add(new RecordProven(server.name(), Optional.empty()), Reason.TEMPLATE_CHANGED, evidence);
        } else if (!slots.candidate().equals(Optional.of(next))
                && !slots.lastGood().equals(Optional.of(next))) {
            plan.add(new SaveCandidate(server.name(), next), Reason.TEMPLATE_CHANGED, evidence);
        } else {
            plan.add(new StartUnderstudy(server.name(), next), Reason.TEMPLATE_CHANGED, evidence);
        }
        return waiting("for the candidate to be saved and started");
    }

    private Step waitForLease() {
        return switch (seen.lease()) {
            case Known<LeaseSeen>(Free _) -> {
                plan.add(new HoldLease(), Reason.ONE_AT_A_TIME, "nobody holds it");
                yield waiting("for the Lease under which one node at a time changes");
            }
            case Known<LeaseSeen>(OfAnother(String holder)) ->
                waiting("for node " + holder + ", which changes its API server");
            case Known<LeaseSeen>(Mine _), Unknown<LeaseSeen> _ ->
                waiting("for the Lease under which one node at a time changes");
        };
    }

    /** The candidate boots or answers; it gets no traffic. */
    private Step prove(PrincipalPod pod) {
        Revision candidate = revision().orElseThrow();
        Course held = course.holdingUnderstudy().keepingCandidate();
        if (seen.lease().is(lease -> !(lease instanceof Mine))) {
            Step waits = waitForLease();
            return new Step(held, ChangeStep.PROVING, waits.message(), "", true);
        }
        String state = candidateState();
        if (candidateIsProven() && passes(seen.principal())) {
            plan.add(
                    new RecordProven(
                            server.name(),
                            Optional.of(new Proven(candidate, target.madeFrom().getOrDefault(pod.uid(), "")))),
                    Reason.CANDIDATE_PROVED,
                    state);
        } else if (hasLasted(ChangeStep.PROVING) || seen.understudyEnds() >= MOST_ENDS) {
            fail(candidate, Reason.CANDIDATE_FAILED, state);
        }
        return new Step(
                held,
                ChangeStep.PROVING,
                "for the candidate to answer every question for "
                        + moment.settings().prove().toSeconds() + " s",
                state + "; " + progress(ChangeStep.PROVING),
                true);
    }

    /** Ready and right for long enough: a crash some seconds after it became ready must not pass. */
    private boolean candidateIsProven() {
        Duration time = moment.settings().prove();
        boolean ready =
                server.seen().understudy() instanceof Known<dev.ouroboros.core.evidence.Health>(Ready(Instant since))
                        && moment.lasted(Optional.of(since), time);
        boolean runs = server.seen().understudyRuns().is(running -> running == Running.RUNNING);
        return ready && runs && hasPassed(seen.understudy(), time);
    }

    private String candidateState() {
        if (!seen.trouble().isEmpty()) {
            return "the candidate: " + seen.trouble();
        }
        return server.understudyIsReady()
                ? "the candidate: " + Explain.proof(seen.understudy()) + "; the principal: "
                        + Explain.proof(seen.principal())
                : "the candidate: " + Explain.health(server.seen().understudy());
    }

    private void fail(Revision revision, Reason reason, String why) {
        plan.add(new RecordFailure(server.name(), new Failure(revision, target.retry(), why)), reason, why);
    }

    /** An understudy that is trusted stands ready: clients go there, and then the principal can be replaced. */
    private Step replace(PrincipalPod pod) {
        boolean rollback = isWayBack();
        ChangeStep step = rollback ? ChangeStep.ROLLING_BACK : ChangeStep.SWITCHING;
        Course held = course.holdingUnderstudy().keepingCandidate();
        boolean drained = understudyHasFront
                && moment.lasted(before.movedSince(), moment.settings().drain());
        String state = candidateState();
        if (!isCovered()) {
            Lead lead = candidateIsProven() && passes(seen.principal()) ? Lead.UNDERSTUDY : Lead.PRINCIPAL;
            if (understudyIs(revision()) && (hasLasted(step) || seen.understudyEnds() >= MOST_ENDS)) {
                revision().ifPresent(failed -> fail(failed, Reason.CANDIDATE_FAILED, state));
            }
            return new Step(
                    held.leading(lead), step, "for new connections to go to the candidate", progress(step), true);
        }
        if (!passes(seen.understudy())) {
            Lead lead = seen.understudy() instanceof Unknown ? Lead.WHO_HAS_IT : Lead.PRINCIPAL;
            return new Step(held.leading(lead), step, "for the candidate to answer every question", state, true);
        }
        if (!(seen.lease() instanceof Known<LeaseSeen>(Mine _))) {
            Step waits = waitForLease();
            return new Step(held.leading(Lead.UNDERSTUDY), step, waits.message(), "", false);
        }
        if (drained) {
            plan.add(new ReplacePrincipal(server.name(), pod.uid(), pod.name()), Reason.CANDIDATE_SERVES, state);
        }
        return new Step(held.leading(Lead.UNDERSTUDY), step, "for the old principal to be drained and replaced");
    }

    /** The principal's pod is gone, or about to be: its controller makes it anew. */
    private Step ofNone() {
        if (!(manifest instanceof Ours(Revision ours)) || !record.isProven(ours)) {
            return new Step(course, ChangeStep.NONE, "");
        }
        ChangeStep step = record.hasFailed(ours) ? ChangeStep.ROLLING_BACK : ChangeStep.REPLACING;
        Course held = course.leading(Lead.WHO_HAS_IT).holdingUnderstudy().keepingCandidate();
        return new Step(held, step, "for the DaemonSet controller to make the principal's pod");
    }

    private Step ofCurrent(PrincipalPod pod) {
        Optional<Revision> made = revision();
        boolean settled = isSaved() || made.filter(record::isProven).isEmpty();
        return settled ? ofSettled() : onTrial(pod, made.orElseThrow());
    }

    /** What runs is what the template asks for, and was proven long ago, or was never ours to prove. */
    private Step ofSettled() {
        Optional<Revision> proven = record.proven().map(Proven::revision);
        boolean failed = proven.filter(record::hasFailed).isPresent();
        if (proven.isPresent() && understudyIs(proven)) {
            return new Step(
                    course,
                    failed ? ChangeStep.ROLLING_BACK : ChangeStep.REPLACING,
                    "for the principal to be steady and the understudy to go");
        }
        if (proven.isPresent()
                && server.understudyIsGone()
                && !slots.candidate().equals(proven)) {
            plan.add(
                    new RecordProven(server.name(), Optional.empty()),
                    Reason.CHANGE_IS_OVER,
                    Explain.slots(server.seen().slots()));
        }
        return target.reported().map(this::ending).orElseGet(() -> new Step(course, ChangeStep.NONE, ""));
    }

    /** The last word of a change; one that was rolled back is remembered as that. */
    private Step ending(ChangeReport reported) {
        if (reported.says(ChangeStep.ROLLING_BACK) || reported.says(ChangeStep.ROLLED_BACK)) {
            String why = record.failures().isEmpty()
                    ? reported.message()
                    : record.failures().getFirst().message();
            return new Step(course, ChangeStep.ROLLED_BACK, why);
        }
        return new Step(course, ChangeStep.DONE, ChangeStep.NONE.description());
    }

    /** The new principal's pod is there, and nothing but its candidate speaks for it yet. */
    private Step onTrial(PrincipalPod pod, Revision made) {
        boolean covered = manifest instanceof Ours;
        boolean serves = server.verdict() == Verdict.SERVES;
        boolean failed = failure().isPresent();
        boolean doomed = failed && pod.restarts() >= MOST_ENDS;
        boolean good = doomed
                ? false
                : covered
                        ? serves
                                && server.isSteady(moment)
                                && hasPassed(seen.principal(), moment.settings().steady())
                        : serves;
        ChangeStep step = covered ? ChangeStep.REPLACING : ChangeStep.SOAKING;
        String state = "the principal: "
                + (serves
                        ? Explain.proof(seen.principal())
                        : Explain.health(server.seen().principal())) + ", "
                + pod.restarts() + " restarts";
        boolean ends = pod.restarts() >= MOST_ENDS || (!good && hasLasted(step));
        if (ends && !failed && server.verdict() != Verdict.WAITS_FOR_ETCD) {
            fail(made, Reason.REPLACEMENT_FAILED, state);
        }
        Course bound = course.keepingCandidate();
        Course held = good || !covered ? bound : bound.leading(Lead.WHO_HAS_IT).holdingUnderstudy();
        if (failed && !good) {
            Course away = doomed ? bound.leading(Lead.UNDERSTUDY) : bound.leading(Lead.WHO_HAS_IT);
            return rollBack(away.holdingUnderstudy(), made, state);
        }
        return covered
                ? new Step(
                        held,
                        step,
                        good ? "for the understudy to go" : "for the new principal to prove itself",
                        state + "; " + progress(step),
                        !good)
                : new Step(held, step, "for its checkpoint to be the last good one", state, !good);
    }

    private Step rollBack(Course held, Revision failed, String state) {
        Optional<String> previous = record.proven()
                .filter(known -> known.revision().equals(failed))
                .map(Proven::previous)
                .filter(hash -> !hash.isEmpty());
        String why = failure().map(Failure::message).orElse("");
        if (previous.isEmpty()) {
            return new Step(held, ChangeStep.FAILED, why);
        }
        if (isCovered()) {
            plan.add(new RevertTemplate(server.name(), failed, previous.get()), Reason.REPLACEMENT_FAILED, state);
        }
        return new Step(held, ChangeStep.ROLLING_BACK, why);
    }

    private ChangeMemory remember(Step step) {
        ChangeStatus was = before.status();
        boolean same = was.step() == step.step() && was.revision().equals(revision());
        Optional<Instant> trouble =
                !step.unsettled() ? Optional.empty() : moment.since(same ? before.troubleSince() : Optional.empty());
        ChangeStatus status = new ChangeStatus(
                step.step(), revision(), step.message(), step.progress(), same ? was.since() : moment.now());
        Optional<Instant> moved = understudyHasFront ? moment.since(before.movedSince()) : Optional.empty();
        return new ChangeMemory(status, moved, trouble, Optional.empty());
    }

    private void tendLease(ChangeStep step) {
        if (!(seen.lease() instanceof Known<LeaseSeen>(Mine(boolean renewalDue)))) {
            return;
        }
        if (!step.isUnderWay() && step != ChangeStep.WAITING) {
            plan.add(new ReleaseLease(), Reason.CHANGE_IS_OVER, step.description());
        } else if (renewalDue) {
            plan.add(new HoldLease(), Reason.ONE_AT_A_TIME, step.description());
        }
    }

    /** At rest nothing is said that was not said before: a DaemonSet that was never changed has no annotation of ours. */
    private void report(ChangeStatus status) {
        if (status.step() == ChangeStep.NONE) {
            return;
        }
        Optional<Revision> about = status.step() == ChangeStep.ROLLED_BACK
                ? target.reported().flatMap(ChangeReport::revision)
                : status.revision();
        ChangeReport report = ChangeReport.of(status.step(), about, status.message());
        if (!target.reported().equals(Optional.of(report))) {
            plan.add(
                    new ReportChange(server.name(), report),
                    Reason.CHANGE_MOVED_ON,
                    status.step().description());
        }
    }
}
