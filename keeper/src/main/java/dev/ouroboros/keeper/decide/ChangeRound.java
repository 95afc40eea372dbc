package dev.ouroboros.keeper.decide;

import dev.ouroboros.keeper.decide.Action.HoldLease;
import dev.ouroboros.keeper.decide.Action.RecordFailure;
import dev.ouroboros.keeper.decide.Action.RecordProven;
import dev.ouroboros.keeper.decide.Action.ReleaseLease;
import dev.ouroboros.keeper.decide.Action.ReplacePrincipal;
import dev.ouroboros.keeper.decide.Action.RevertTemplate;
import dev.ouroboros.keeper.decide.Action.SaveCandidate;
import dev.ouroboros.keeper.decide.Action.StartUnderstudy;
import dev.ouroboros.keeper.decide.ChangeRecord.Failure;
import dev.ouroboros.keeper.decide.ChangeRecord.Proven;
import dev.ouroboros.keeper.decide.ChangeSeen.LeaseSeen;
import dev.ouroboros.keeper.decide.ChangeSeen.LeaseSeen.Free;
import dev.ouroboros.keeper.decide.ChangeSeen.LeaseSeen.Mine;
import dev.ouroboros.keeper.decide.ChangeSeen.LeaseSeen.OfAnother;
import dev.ouroboros.keeper.decide.ChangeSeen.LeaseSeen.Withheld;
import dev.ouroboros.keeper.decide.ChangeSeen.Made;
import dev.ouroboros.keeper.decide.Changing.Outcome;
import dev.ouroboros.keeper.decide.Course.Lead;
import dev.ouroboros.keeper.decide.StaticManifest.Ours;
import dev.ouroboros.model.checkpoint.Revision;
import dev.ouroboros.model.evidence.Evidence.Known;
import dev.ouroboros.model.evidence.Evidence.Unknown;
import dev.ouroboros.model.problem.Problem;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.stream.Collectors;

/** One decision about a change, when all that it needs is known; {@link Changing} has the table. */
final class ChangeRound {
    private final Plan plan;
    private final ChangeFacts facts;
    private final ChangeMemory before;
    private final Course course;
    private final ChangeReporting reporting;

    ChangeRound(Plan plan, ChangeFacts facts, ChangeMemory before) {
        this.plan = plan;
        this.facts = facts;
        this.before = before;
        this.course = Course.along(facts.record());
        this.reporting = new ChangeReporting(plan, facts, before);
    }

    /**
     * Where the change stands after this decision.
     *
     * @param unsettled whether the step waits for something that has a deadline
     */
    private record Step(Course course, ChangeStep step, String message, String progress, boolean unsettled) {
        Step(Course course, ChangeStep step, String message) {
            this(course, step, message, "", false);
        }
    }

    Outcome decide() {
        Optional<PrincipalPod> older = facts.living().stream()
                .filter(pod -> !facts.target().isCurrent(pod.uid()))
                .findFirst();
        Step step = older.map(this::ofOlder)
                .orElseGet(() -> facts.living().isEmpty()
                        ? ofNone()
                        : ofCurrent(facts.living().getFirst()));
        ChangeMemory memory = remember(step);
        tendLease(step.step());
        reporting.report(memory.status());
        return new Outcome(step.course(), memory);
    }

    private boolean hasLasted(ChangeStep step) {
        return before.status().step() == step && facts.moment().lasted(before.troubleSince(), deadline());
    }

    private Duration deadline() {
        return before.boots().deadline(facts.moment().settings());
    }

    /** The machine may be slow, not the change bad: the message names the flag that gives more time. */
    private String late(String state) {
        boolean isUsual = deadline().equals(facts.moment().settings().candidateDeadline());
        return state + "; it had " + deadline().toSeconds() + " s, "
                + (isUsual
                        ? "which the keeper's --candidate-deadline says"
                        : "as principals take up to " + before.boots().slowest().toSeconds()
                                + " s here; the keeper's --candidate-deadline gives more");
    }

    /** The cause that an earlier decision on this revision saw. */
    private String cause() {
        return before.status().revision().equals(facts.revision()) ? before.cause() : "";
    }

    private String progress(ChangeStep step) {
        Optional<Instant> since = before.status().step() == step ? before.troubleSince() : Optional.empty();
        return "deadline: " + facts.moment().progress(since, deadline());
    }

    /** A pod that was made from another template lives here. */
    private Step ofOlder(PrincipalPod pod) {
        boolean untried = facts.failure().isEmpty() && facts.failureElsewhere().isEmpty();
        boolean fits = !(facts.target().made() instanceof Made.Refused refused && refused.ofOthers());
        if (untried
                && fits
                && !facts.target().paused()
                && facts.target().current().isPresent()
                && facts.hasNeverServed()) {
            return renew(pod);
        }
        if (facts.target().made() instanceof Made.Refused(Optional<Revision> _, List<Problem> problems, boolean _)) {
            String why = problems.stream().map(Problem::describe).collect(Collectors.joining("; "));
            return new Step(course, ChangeStep.REFUSED, why);
        }
        if (facts.failure().isPresent()) {
            return new Step(course, ChangeStep.FAILED, facts.failure().get().message());
        }
        if (facts.failureElsewhere().isPresent()) {
            return new Step(course, ChangeStep.FAILED, facts.failureElsewhere().get());
        }
        if (facts.target().paused()) {
            return new Step(
                    course, ChangeStep.PAUSED, "for annotation " + ChangeReport.PAUSED_ANNOTATION + " to be removed");
        }
        if (facts.target().current().isEmpty()) {
            return waiting("for the DaemonSet controller to take the template up");
        }
        boolean proven =
                facts.revision().filter(facts.record()::isProven).isPresent() && facts.understudyIs(facts.revision());
        if (proven || (facts.isLost(pod) && facts.isTrusted()) || (facts.isWayBack() && facts.isCovered())) {
            return replace(pod);
        }
        return facts.understudyIs(facts.revision()) ? prove(pod) : begin();
    }

    private Step waiting(String message) {
        return new Step(course.keepingCandidate(), ChangeStep.WAITING, message);
    }

    /** Nobody is served here and nothing can stand in: the pod is made anew at once, also from a template that could not run beside it. */
    private Step renew(PrincipalPod pod) {
        if (!(facts.seen().lease() instanceof Known<LeaseSeen>(Mine _))) {
            return waitForLease(true);
        }
        plan.add(
                new ReplacePrincipal(facts.server().name(), pod.uid(), pod.name()),
                Reason.NEVER_SERVED,
                pod.restarts() + " restarts");
        return waiting("for the DaemonSet controller to make the principal's pod");
    }

    /** Starts the candidate, when everything is as it must be. */
    private Step begin() {
        if (facts.server().verdict() != Verdict.SERVES || !facts.server().isSteady(facts.moment())) {
            return waiting("for the principal to serve steadily");
        }
        if (!facts.isUnderstudyGone() || !facts.principalHasFront()) {
            return waiting("for another understudy to be gone");
        }
        if (!facts.isSaved()) {
            return waiting("for the checkpoint of what runs to be the last good one");
        }
        if (!(facts.seen().lease() instanceof Known<LeaseSeen>(Mine _))) {
            return waitForLease(false);
        }
        Revision next = facts.revision().orElseThrow();
        String evidence = "revision " + next + " is not what runs";
        if (facts.record().proven().isPresent()) {
            plan.add(new RecordProven(facts.server().name(), Optional.empty()), Reason.TEMPLATE_CHANGED, evidence);
        } else if (!facts.slots().candidate().equals(Optional.of(next))
                && !facts.slots().lastGood().equals(Optional.of(next))) {
            plan.add(new SaveCandidate(facts.server().name(), next), Reason.TEMPLATE_CHANGED, evidence);
        } else {
            plan.add(new StartUnderstudy(facts.server().name(), next), Reason.TEMPLATE_CHANGED, evidence);
        }
        return waiting("for the candidate to be saved and started");
    }

    /** @param takesNothing whether no server that serves is given up for it: others that do not serve are no reason to wait then */
    private Step waitForLease(boolean takesNothing) {
        return switch (facts.seen().lease()) {
            case Known<LeaseSeen>(Free _) -> {
                plan.add(new HoldLease(), Reason.ONE_AT_A_TIME, "nobody holds it");
                yield waiting("for the Lease under which one node at a time changes");
            }
            case Known<LeaseSeen>(Withheld(SortedSet<String> servers)) -> {
                if (takesNothing) {
                    plan.add(new HoldLease(), Reason.ONE_AT_A_TIME, "nobody holds it");
                }
                yield waiting("for the API servers at " + String.join(", ", servers) + ", which are not ready");
            }
            case Known<LeaseSeen>(OfAnother(String holder)) ->
                waiting("for node " + holder + ", which changes its API server");
            case Known<LeaseSeen>(Mine _), Unknown<LeaseSeen> _ ->
                waiting("for the Lease under which one node at a time changes");
        };
    }

    /** The candidate boots or answers; it gets no traffic. */
    private Step prove(PrincipalPod pod) {
        Revision candidate = facts.revision().orElseThrow();
        Course held = course.holdingUnderstudy().keepingCandidate();
        if (facts.seen().lease().is(lease -> !(lease instanceof Mine))) {
            Step waits = waitForLease(false);
            return new Step(held, ChangeStep.PROVING, waits.message(), "", true);
        }
        String state = facts.candidateState(cause());
        if (candidateIsProven() && facts.passes(facts.seen().principal())) {
            plan.add(
                    new RecordProven(
                            facts.server().name(),
                            Optional.of(new Proven(
                                    candidate, facts.target().madeFrom().getOrDefault(pod.uid(), "")))),
                    Reason.CANDIDATE_PROVED,
                    state);
        } else if (hasLasted(ChangeStep.PROVING) || facts.candidateIsDoomed()) {
            fail(candidate, Reason.CANDIDATE_FAILED, facts.candidateIsDoomed() ? state : late(state));
        }
        return new Step(
                held,
                ChangeStep.PROVING,
                "for the candidate to answer every question for "
                        + facts.moment().settings().prove().toSeconds() + " s on end",
                state + "; " + progress(ChangeStep.PROVING),
                true);
    }

    private void fail(Revision revision, Reason reason, String why) {
        plan.add(
                new RecordFailure(
                        facts.server().name(),
                        new Failure(revision, facts.target().retry(), why)),
                reason,
                why);
    }

    /** An understudy that is trusted stands ready: clients go there, and then the principal can be replaced. */
    private Step replace(PrincipalPod pod) {
        boolean rollback = facts.isWayBack();
        ChangeStep step = rollback ? ChangeStep.ROLLING_BACK : ChangeStep.SWITCHING;
        Course held = course.holdingUnderstudy().keepingCandidate();
        boolean drained = facts.understudyHasFront()
                && facts.moment()
                        .lasted(before.movedSince(), facts.moment().settings().drain());
        String state = facts.candidateState(cause());
        if (!facts.isCovered()) {
            Lead lead =
                    candidateIsProven() && facts.passes(facts.seen().principal()) ? Lead.UNDERSTUDY : Lead.PRINCIPAL;
            if (facts.understudyIs(facts.revision()) && (hasLasted(step) || facts.candidateIsDoomed())) {
                String why = facts.candidateIsDoomed() ? state : late(state);
                facts.revision().ifPresent(failed -> fail(failed, Reason.CANDIDATE_FAILED, why));
            }
            return new Step(
                    held.leading(lead), step, "for new connections to go to the candidate", progress(step), true);
        }
        if (!facts.passes(facts.seen().understudy())) {
            Lead lead = facts.seen().understudy() instanceof Unknown ? Lead.WHO_HAS_IT : Lead.PRINCIPAL;
            return new Step(held.leading(lead), step, "for the candidate to answer every question", state, true);
        }
        if (!(facts.seen().lease() instanceof Known<LeaseSeen>(Mine _))) {
            Step waits = waitForLease(rollback || facts.isLost(pod));
            return new Step(held.leading(Lead.UNDERSTUDY), step, waits.message(), "", false);
        }
        if (drained) {
            plan.add(
                    new ReplacePrincipal(facts.server().name(), pod.uid(), pod.name()), Reason.CANDIDATE_SERVES, state);
        }
        return new Step(held.leading(Lead.UNDERSTUDY), step, "for the old principal to be drained and replaced");
    }

    /** The principal's pod is gone, or about to be: its controller makes it anew. */
    private Step ofNone() {
        if (!(facts.manifest() instanceof Ours(Revision ours))
                || !facts.record().isProven(ours)) {
            return new Step(course, ChangeStep.NONE, "");
        }
        ChangeStep step = facts.record().hasFailed(ours) ? ChangeStep.ROLLING_BACK : ChangeStep.REPLACING;
        Course held = course.leading(Lead.WHO_HAS_IT).holdingUnderstudy().keepingCandidate();
        return new Step(held, step, "for the DaemonSet controller to make the principal's pod");
    }

    private Step ofCurrent(PrincipalPod pod) {
        Optional<Revision> made = facts.revision();
        boolean settled =
                facts.isSaved() || made.filter(facts.record()::isProven).isEmpty();
        if (!settled) {
            return onTrial(pod, made.orElseThrow());
        }
        return made.filter(_ -> facts.server().doubt().isAlone())
                .map(this::doubted)
                .orElseGet(this::ofSettled);
    }

    /**
     * The principal was recreated from the template when its pod was lost, before a candidate proved itself, and does not answer what a
     * candidate is asked. Last-good stands in for it, and people are told: no earlier template is recorded for a rollback.
     */
    private Step doubted(Revision made) {
        if (facts.failure().isPresent()) {
            return new Step(course, ChangeStep.FAILED, facts.failure().get().message());
        }
        String state = "the principal: " + facts.server().doubt().question();
        if (hasLasted(ChangeStep.REPLACING)) {
            fail(made, Reason.REPLACEMENT_FAILED, late(state));
        }
        return new Step(
                course,
                ChangeStep.REPLACING,
                "for the new principal to prove itself",
                state + "; " + progress(ChangeStep.REPLACING),
                true);
    }

    /** What runs is what the template asks for, and is last-good, or no candidate of its revision proved itself. */
    private Step ofSettled() {
        Optional<Revision> proven = facts.record().proven().map(Proven::revision);
        boolean failed = proven.filter(facts.record()::hasFailed).isPresent();
        if (proven.isPresent() && facts.understudyIs(proven)) {
            return new Step(
                    course,
                    failed ? ChangeStep.ROLLING_BACK : ChangeStep.REPLACING,
                    "for the principal to be steady and the understudy to go");
        }
        if (proven.isPresent()
                && facts.server().understudyIsGone()
                && !facts.slots().candidate().equals(proven)) {
            plan.add(
                    new RecordProven(facts.server().name(), Optional.empty()),
                    Reason.CHANGE_IS_OVER,
                    Explain.slots(facts.server().seen().slots()));
        }
        return facts.target().reported().map(this::ending).orElseGet(() -> new Step(course, ChangeStep.NONE, ""));
    }

    /** The final step of a change: a rollback ends as ROLLED_BACK, all else as DONE. */
    private Step ending(ChangeReport reported) {
        if (reported.says(ChangeStep.ROLLING_BACK) || reported.says(ChangeStep.ROLLED_BACK)) {
            String why = facts.target().others().reported()
                            || facts.record().failures().isEmpty()
                    ? reported.message()
                    : facts.record().failures().getFirst().message();
            return new Step(course, ChangeStep.ROLLED_BACK, why, "", reporting.othersOweTheEnd());
        }
        return new Step(course, ChangeStep.DONE, ChangeStep.NONE.description(), "", reporting.othersOweTheEnd());
    }

    /** The new principal's pod is there, but so far only its candidate has proved itself. */
    private Step onTrial(PrincipalPod pod, Revision made) {
        boolean covered = facts.manifest() instanceof Ours;
        boolean serves = facts.server().verdict() == Verdict.SERVES;
        boolean failed = facts.failure().isPresent();
        boolean doomed = failed && pod.restarts() >= ChangeFacts.MOST_ENDS;
        boolean good = doomed
                ? false
                : covered
                        ? serves
                                && facts.server().isSteady(facts.moment())
                                && facts.hasPassed(
                                        facts.seen().principal(),
                                        facts.moment().settings().steady())
                        : serves;
        ChangeStep step = covered ? ChangeStep.REPLACING : ChangeStep.SOAKING;
        String state = "the principal: "
                + (facts.server().principalIsReady()
                        ? Explain.proof(facts.seen().principal())
                        : Explain.health(facts.server().seen().principal()))
                + ", "
                + pod.restarts() + " restarts";
        boolean ends = pod.restarts() >= ChangeFacts.MOST_ENDS || (!good && hasLasted(step));
        if (ends && !failed && facts.server().verdict() != Verdict.WAITS_FOR_ETCD) {
            fail(made, Reason.REPLACEMENT_FAILED, pod.restarts() >= ChangeFacts.MOST_ENDS ? state : late(state));
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
        Optional<String> previous = facts.record()
                .proven()
                .filter(known -> known.revision().equals(failed))
                .map(Proven::previous)
                .filter(hash -> !hash.isEmpty());
        String why = facts.failure().map(Failure::message).orElse("");
        if (previous.isEmpty()) {
            return new Step(held, ChangeStep.FAILED, why);
        }
        if (facts.isCovered()) {
            plan.add(
                    new RevertTemplate(facts.server().name(), failed, previous.get()),
                    Reason.REPLACEMENT_FAILED,
                    state);
        }
        return new Step(held, ChangeStep.ROLLING_BACK, why);
    }

    private ChangeMemory remember(Step step) {
        ChangeStatus was = before.status();
        boolean same = was.step() == step.step() && was.revision().equals(facts.revision());
        Optional<Instant> trouble = !step.unsettled()
                ? Optional.empty()
                : facts.moment().since(same ? before.troubleSince() : Optional.empty());
        ChangeStatus status = new ChangeStatus(
                step.step(),
                facts.revision(),
                step.message(),
                step.progress(),
                same ? was.since() : facts.moment().now());
        Optional<Instant> moved =
                facts.understudyHasFront() ? facts.moment().since(before.movedSince()) : Optional.empty();
        return new ChangeMemory(
                status,
                moved,
                trouble,
                Optional.empty(),
                ends(),
                sameProcessSince(),
                facts.cause(cause()),
                before.boots().with(facts.living(), facts.moment().settings()));
    }

    /**
     * A keeper that gets its processor late may not notice that the candidate ended between two of its questions: only what one process
     * answered proves anything.
     */
    private boolean candidateIsProven() {
        return facts.candidateIsProven()
                && facts.moment()
                        .lasted(sameProcessSince(), facts.moment().settings().prove());
    }

    /** A runtime that does not answer counts nothing. */
    private int ends() {
        return facts.server().seen().understudyRuns() instanceof Unknown
                ? before.ends()
                : facts.seen().understudyEnds();
    }

    private Optional<Instant> sameProcessSince() {
        if (!facts.understudyIs(facts.revision())) {
            return Optional.empty();
        }
        boolean same = before.ends() == ends();
        return facts.moment().since(same ? before.sameProcessSince() : Optional.empty());
    }

    /**
     * A principal that was just replaced may not be back yet: then the Lease is left to run out, and the next node waits as long for its turn. It is not
     * renewed, as that principal may never be back.
     */
    private void tendLease(ChangeStep step) {
        if (!(facts.seen().lease() instanceof Known<LeaseSeen>(Mine(boolean renewalDue)))) {
            return;
        }
        if (!step.isUnderWay() && step != ChangeStep.WAITING) {
            boolean isOver = step == ChangeStep.NONE || step == ChangeStep.DONE || step == ChangeStep.ROLLED_BACK;
            if (!isOver || facts.server().verdict() == Verdict.SERVES) {
                plan.add(new ReleaseLease(), Reason.CHANGE_IS_OVER, step.description());
            }
        } else if (renewalDue) {
            plan.add(new HoldLease(), Reason.ONE_AT_A_TIME, step.description());
        }
    }
}
