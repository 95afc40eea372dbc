package dev.ouroboros.etcd.decide;

import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.evidence.Evidence.Known;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.procedure.NextStep;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Decides whether a member of an etcd may go on alone, with what it has. Pure. That the others are lost for good only people know; that they may be, is seen.
 *
 * <pre>
 * seen of the members that vote                                    then
 * one votes; somebody has a leader; a majority answers             refused: nothing is lost, or etcd comes to itself
 * another one answers                                              refused: the one that is furthest goes on, when the others are stopped
 * another one refuses us, as with a certificate that has ended     refused: it lives
 * all others silent, for a minute, or longer than a kubelet waits
 * before it starts a member anew where the machine answers, and this
 * one has applied all that it knows to be agreed on, and nothing more
 * in that time                                                     SAVE
 * saved, all others silent still, and nothing agreed on since      end
 * </pre>
 *
 * <p>An etcd that has started without the others answers no client, and its kubelet takes one without a leader for ill and starts it anew: then what its disk has counts. It is all that it knows to be agreed on
 * once it runs.
 */
public final class QuorumLoss {
    private static final Duration SILENCE = Duration.ofMinutes(1);
    /** MaxContainerBackOff in pkg/kubelet and the start of an etcd: a living member without a leader is ended, and away for as long. */
    private static final Duration LONGEST_BACK_OFF = Duration.ofMinutes(7);

    private QuorumLoss() {}

    /**
     * A member that votes.
     *
     * @param title for people
     * @param isOwn whether it is the one that may go on
     */
    public record Voter(String title, boolean isOwn, Word word) {
        /** What it says of itself, if it does. */
        public Optional<Answers> answer() {
            return word instanceof Answers answers ? Optional.of(answers) : Optional.empty();
        }
    }

    /** What a member says when it is asked. */
    public sealed interface Word {}

    /**
     * How it is.
     *
     * @param hasLeader whether it follows one, or is the one
     * @param committed index of the last entry that it knows to be agreed on
     * @param applied index of the last entry that is in its key space
     * @param revision of its key space
     */
    public record Answers(boolean hasLeader, long committed, long applied, long revision) implements Word {}

    /**
     * It does not answer, and this is its node.
     *
     * @param applied index of the last entry that is in the key space on its disk
     */
    public record Stored(long applied) implements Word {}

    /** @param why it tells us nothing, although it is there */
    public record Refuses(String why) implements Word {}

    /**
     * Nobody answers, as far as is seen from here.
     *
     * @param isRefused whether the machine says that nobody listens there: it lives, and its etcd may be about to be started anew
     */
    public record Silent(String why, boolean isRefused) implements Word {}

    /**
     * What is remembered from step to step.
     *
     * @param aloneSince since when no other member has said anything, and this one has applied nothing
     * @param applied index of the last entry that it had applied then
     * @param saved index of the last entry that it had applied when its data were saved
     */
    public record State(Optional<Instant> aloneSince, Optional<Long> applied, Optional<Long> saved) {
        public static State initial() {
            return new State(Optional.empty(), Optional.empty(), Optional.empty());
        }

        /** When the data were saved. */
        public State savedAt(long index) {
            return new State(aloneSince, applied, Optional.of(index));
        }

        private State seen(Optional<Long> index, Instant now) {
            boolean isAnother = index.isPresent() && applied.isPresent() && !index.equals(applied);
            return new State(Optional.of(isAnother ? now : aloneSince.orElse(now)), index.or(() -> applied), saved);
        }
    }

    /**
     * What is seen.
     *
     * @param voters as this node's member has them in its list; unknown where it neither answers nor has a database that can be read
     * @param refusal why the last action came to nothing
     */
    public record Seen(Evidence<List<Voter>> voters, Optional<Problem> refusal) {}

    /**
     * Save what the member has.
     *
     * @param applied index of the last entry that is in its key space
     */
    public record Save(long applied) {}

    /** @throws ProblemException CHANGE_REFUSED as {@link #requireLost} */
    public static NextStep<State, Save> decide(Seen seen, State state, Instant now) {
        if (!(seen.voters() instanceof Known<List<Voter>>(List<Voter> voters))) {
            return NextStep.await(
                    State.initial(),
                    "an answer of this node's member, or its database",
                    seen.voters().because());
        }
        requireLost(voters);
        Optional<Voter> own = voters.stream().filter(Voter::isOwn).findFirst();
        Optional<Long> applied = own.flatMap(QuorumLoss::applied);
        if (state.saved().isPresent()) {
            // Without the others nothing is agreed on: they were there meanwhile.
            return applied.filter(index -> index > state.saved().get()).isEmpty()
                    ? NextStep.end(state)
                    : NextStep.move(State.initial());
        }
        State alone = state.seen(applied, now);
        Optional<Voter> refusing = refusing(voters);
        Duration silence = refusing.isPresent() ? LONGEST_BACK_OFF : SILENCE;
        if (Duration.between(alone.aloneSince().orElse(now), now).compareTo(silence) < 0) {
            return NextStep.await(
                    alone,
                    "all others to have been silent for " + silence.toSeconds() + " s"
                            + refusing.map(voter -> ", as the machine of " + voter.title()
                                            + " answers: its kubelet may start its member anew only after minutes")
                                    .orElse(""));
        }
        boolean isBehind = own.flatMap(Voter::answer)
                .filter(answer -> answer.applied() < answer.committed())
                .isPresent();
        if (applied.isEmpty() || isBehind) {
            return NextStep.await(alone, "this node's member to have applied all that it knows to be agreed on");
        }
        return NextStep.act(alone, new Save(applied.get())).afterRefusal(seen.refusal());
    }

    private static Optional<Long> applied(Voter own) {
        return switch (own.word()) {
            case Answers answers -> Optional.of(answers.applied());
            case Stored(long applied) -> Optional.of(applied);
            case Refuses _, Silent _ -> Optional.empty();
        };
    }

    private static Optional<Voter> refusing(List<Voter> voters) {
        return voters.stream()
                .filter(voter -> !voter.isOwn() && voter.word() instanceof Silent silent && silent.isRefused())
                .findFirst();
    }

    /** The longest time that others have to say nothing. */
    public static Duration longestSilence() {
        return LONGEST_BACK_OFF;
    }

    /**
     * Requires that no other member says anything and no majority can be there.
     *
     * @throws ProblemException CHANGE_REFUSED with the member that speaks against it
     */
    public static void requireLost(List<Voter> voters) {
        if (voters.size() < 2) {
            throw refusal(
                    "etcd",
                    "has one member that votes: no others are lost",
                    "see ouro etcd status; what brings its data back is in docs/recovery.md");
        }
        for (Voter voter : voters) {
            if (voter.answer().filter(Answers::hasLeader).isPresent()) {
                throw refusal(
                        "etcd",
                        "has a leader, as member " + voter.title() + " says: a majority of its members is there",
                        "see ouro etcd status; a lost member is taken off the list with ouro etcd remove, and replaced (docs/etcd.md)");
            }
            if (!voter.isOwn() && voter.word() instanceof Refuses(String why)) {
                throw refusal(
                        "member " + voter.title(),
                        "lives, and does not answer us: " + why,
                        "see its log, whether certificates have ended (ouro certificates), and the network between the members");
            }
        }
        long answering =
                voters.stream().filter(voter -> voter.answer().isPresent()).count();
        if (answering > voters.size() / 2) {
            throw refusal(
                    "etcd",
                    answering + " of its " + voters.size()
                            + " members answer, and elect a leader by themselves once they reach each other",
                    "see ouro etcd status, and the network between them");
        }
        voters.stream()
                .filter(voter -> !voter.isOwn() && voter.answer().isPresent())
                .max(Comparator.comparingLong(QuorumLoss::committed))
                .ifPresent(other -> requireStopped(
                        other, voters.stream().filter(Voter::isOwn).findFirst()));
    }

    private static void requireStopped(Voter other, Optional<Voter> own) {
        Optional<Long> here = own.flatMap(QuorumLoss::applied);
        boolean isFurther = here.filter(index -> committed(other) <= index).isEmpty();
        throw refusal(
                "member " + other.title(),
                "answers too, and is at entry " + committed(other) + "; this node's "
                        + here.map(index -> "is at " + index).orElse("does not answer"),
                isFurther
                        ? "run this on its node, if that has more; on all other nodes move etcd's manifest out of the kubelet's directory before"
                        : "move etcd's manifest out of the kubelet's directory there, and its data away before it joins anew (docs/etcd.md)");
    }

    private static long committed(Voter voter) {
        return voter.answer().map(Answers::committed).orElse(0L);
    }

    private static ProblemException refusal(String where, String what, String next) {
        return ProblemException.of(
                ErrorCode.CHANGE_REFUSED, where, what, "an etcd of which this node's member alone is left", next);
    }
}
