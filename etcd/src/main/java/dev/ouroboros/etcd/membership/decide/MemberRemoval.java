package dev.ouroboros.etcd.membership.decide;

import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.evidence.Evidence.Known;
import dev.ouroboros.model.evidence.Evidence.Unknown;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.procedure.NextStep;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Decides whether a member of etcd that is lost is taken off the list. Pure. It is when it has not answered, where it says that clients reach it, for a minute, while all others that vote followed another one: then the others lose
 * nothing by it.
 * One that answers is asked to leave by itself ({@link MemberLeave}), which ends it in order.
 */
public final class MemberRemoval {
    private static final Duration SILENCE = Duration.ofMinutes(1);

    private final String title;

    /** @param title of the member, for people */
    public MemberRemoval(String title) {
        this.title = title;
    }

    /**
     * What is remembered from step to step.
     *
     * @param silentSince since when it has not answered without a break, while the others followed; empty when it does, or they do not
     */
    public record State(Optional<Instant> silentSince, boolean isDone) {
        public static State initial() {
            return new State(Optional.empty(), false);
        }
    }

    /**
     * What is seen.
     *
     * @param answers whether the member says anything
     * @param refusal why the last action came to nothing
     */
    public record Seen(Evidence<MembersSeen> members, boolean answers, Optional<Problem> refusal) {}

    /** @param member ID in hexadecimal */
    public record Remove(String member) {}

    /** Whether those that follow are no majority without it: somebody leads, so that it does, too. */
    private static boolean isNeeded(MembersSeen members) {
        long current = members.others().stream()
                .filter(member -> !member.isLearner() && member.isCurrent())
                .count();
        return members.own().filter(own -> !own.isLearner()).isPresent() && current < members.votes() / 2 + 1;
    }

    /** @throws ProblemException CHANGE_REFUSED when the member answers, or must be alive */
    public NextStep<State, Remove> decide(Seen seen, State state, Instant now) {
        if (state.isDone()) {
            return NextStep.end(state);
        }
        if (!(seen.members() instanceof Known<MembersSeen>(MembersSeen members))) {
            String why = seen.members() instanceof Unknown<MembersSeen>(String reason) ? ": " + reason : "";
            return NextStep.await(new State(Optional.empty(), false), "an answer of etcd", why);
        }
        if (members.own().isEmpty()) {
            return NextStep.move(new State(Optional.empty(), true));
        }
        if (seen.answers() || members.own().get().isLeader() || isNeeded(members)) {
            throw ProblemException.of(
                    ErrorCode.CHANGE_REFUSED,
                    "member " + title,
                    (seen.answers()
                                    ? "answers"
                                    : "lives, although it does not answer here: the others have a leader, and could not without it")
                            + ": it would end with the requests that it has",
                    "a member that is lost",
                    "have it leave in order: ouro etcd leave, on its node");
        }
        // A learner that was never started lags for ever; one that is removed takes no vote with it.
        Optional<ListedMember> lagging =
                members.own().get().isLearner() ? Optional.empty() : members.otherVoterThatLags();
        if (lagging.isPresent()) {
            return NextStep.await(
                    new State(Optional.empty(), false),
                    "all other members to follow the leader",
                    ": " + lagging.get().title() + " does not");
        }
        Instant since = state.silentSince().orElse(now);
        State silent = new State(Optional.of(since), false);
        if (Duration.between(since, now).compareTo(SILENCE) < 0) {
            return NextStep.await(silent, "member " + title + " to have been silent for " + SILENCE.toSeconds() + " s");
        }
        Remove remove = new Remove(members.own().get().id());
        return NextStep.act(silent, remove)
                .awaiting("the member to leave the list")
                .afterRefusal(seen.refusal());
    }
}
