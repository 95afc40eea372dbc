package dev.ouroboros.etcd.decide;

import dev.ouroboros.etcd.decide.EtcdChangeSeen.Member;
import dev.ouroboros.etcd.decide.EtcdChangeSeen.Members;
import dev.ouroboros.etcd.decide.EtcdChangeSeen.Place;
import dev.ouroboros.etcd.decide.EtcdChangeSeen.Written;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.evidence.Evidence.Known;
import dev.ouroboros.model.evidence.Evidence.Unknown;
import dev.ouroboros.model.procedure.NextStep;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Decides what a change of a member of etcd does next, so that API servers have one that answers all the time. Pure: the same evidence and state give the same decision.
 *
 * <p>Of an only member:
 *
 * <pre>
 * phase         does                                                                until                                              then
 * GROWING       Add, Start, Promote: the second door, then the third vote; Open     three votes, all current, the second door open     CROSSING
 * CROSSING      MoveLeader to the second door                                       it leads, and nobody would lose the first door     SWITCHING
 * SWITCHING     WriteTarget                                                         another pod runs, well and current                 RETURNING
 * ROLLING_BACK  MoveLeader, WriteFormer                                             the former pod runs, well and current              RETURNING
 * RETURNING     MoveLeader to the member that was changed                           it leads, and nobody would lose the second door    SHRINKING
 * SHRINKING     Stop, Remove, Discard: the second door, then the third vote         nothing of them is left                            DONE, or FAILED
 * </pre>
 *
 * <p>One of several begins with CROSSING, where the others are waited for as long as a client of etcd may need to find them, goes from SWITCHING to RETURNING as well, and has ended then.
 *
 * <p>GROWING and CROSSING go to RETURNING when the deadline is over; SWITCHING, and RETURNING with the new manifest, to ROLLING_BACK; from there on nothing is given up. What always holds:
 *
 * <ul>
 *   <li>Clients reach no learner: the second door has another port until three members vote.
 *   <li>The member that is changed is stopped only while it is one of three votes, the others follow the leader, that is another one, and as many connections lead to
 *       the second door as to the first; or, on the way back, when it does not follow.
 *   <li>The second door closes only when the member that was changed leads, clients have as many connections to it, and by its own program, which lets each request end: a member that is removed
 *       first ends at once.
 *   <li>Unknown waits; but where nobody has led for longer than an election takes, so that nobody is served, ROLLING_BACK writes the former manifest and SHRINKING starts the second door again.
 *       Data is discarded only of a member that is not on the list any more and whose container has ended.
 *   <li>Every step is seen by its effect, so that a change that was killed anywhere goes on with the same decisions.
 * </ul>
 */
public final class EtcdChange {
    /** A connection that the kernel has accepted may still be in its handshake. */
    private static final Duration HANDSHAKES = Duration.ofSeconds(3);

    /** Who found another member's port closed tries again within two minutes, and a fifth more by jitter (grpc, doc/connection-backoff.md). */
    private static final Duration BACK_OFF = Duration.ofSeconds(150);

    /** How long nobody leads while members begin, or elect one. */
    private static final Duration ELECTIONS = Duration.ofSeconds(20);

    /** How long a temporary member that only votes may be away before it counts as gone for good. */
    private static final Duration LOST = Duration.ofMinutes(1);

    private final Duration deadline;
    private final boolean raisesMinor;

    /**
     * With these limits.
     *
     * @param deadline for each of the phases that can be given up
     * @param raisesMinor whether the new manifest is of the next minor version
     */
    public EtcdChange(Duration deadline, boolean raisesMinor) {
        this.deadline = deadline;
        this.raisesMinor = raisesMinor;
    }

    public NextStep<EtcdChangeState, EtcdChangeAction> decide(EtcdChangeSeen seen, EtcdChangeState state, Instant now) {
        if (state.phase().isFinal()) {
            return NextStep.end(state);
        }
        NextStep<EtcdChangeState, EtcdChangeAction> step = switch (seen.members()) {
            case Unknown<Members>(String why) -> whenNobodyLeads(why, seen, state, now);
            case Known<Members>(Members members)
            when state.alone() && !members.others().isEmpty() ->
                NextStep.await(
                        state,
                        "the end of another change of its members",
                        ": it has " + String.join(", ", members.others().keySet()));
            case Known<Members>(Members members) -> inPhase(members, seen, state, now);
        };
        return orGiveUp(step.afterRefusal(seen.refusal()), seen, state, now);
    }

    /** What may bring a leader back, after the time of an election: nobody is served meanwhile. */
    private static NextStep<EtcdChangeState, EtcdChangeAction> whenNobodyLeads(
            String why, EtcdChangeSeen seen, EtcdChangeState state, Instant now) {
        Optional<EtcdChangeAction> help = switch (state.phase()) {
            // The former manifest may be what the majority lacks.
            case ROLLING_BACK ->
                seen.manifest().is(written -> written != Written.FORMER)
                        ? Optional.of(new EtcdChangeAction.WriteFormer())
                        : Optional.empty();
            // The third vote may have gone while the second door was closed already.
            case SHRINKING ->
                Optional.ofNullable(seen.places().get(TemporaryMember.SECOND_DOOR))
                        .filter(door ->
                                state.alone() && Evidence.isFalse(door.manifest()) && Evidence.isTrue(door.data()))
                        .map(_ -> new EtcdChangeAction.Start(TemporaryMember.SECOND_DOOR));
            case GROWING, CROSSING, SWITCHING, RETURNING, DONE, FAILED -> Optional.empty();
        };
        if (help.isEmpty()) {
            return NextStep.await(state, "an answer of etcd", ": " + why);
        }
        Instant since = state.steadySince().orElse(now);
        return Duration.between(since, now).compareTo(ELECTIONS) >= 0
                ? NextStep.act(state.withSteadySince(Optional.empty()), help.get())
                : NextStep.await(state.withSteadySince(Optional.of(since)), "an answer of etcd", ": " + why);
    }

    private NextStep<EtcdChangeState, EtcdChangeAction> inPhase(
            Members members, EtcdChangeSeen seen, EtcdChangeState state, Instant now) {
        return switch (state.phase()) {
            case GROWING -> grow(members, seen, state, now);
            case CROSSING -> cross(members, seen, state, now);
            case SWITCHING -> exchange(members, seen, state, now);
            case ROLLING_BACK -> rollBack(members, seen, state, now);
            case RETURNING -> comeBack(members, seen, state, now);
            case SHRINKING -> shrink(members, seen, state, now);
            case DONE, FAILED -> NextStep.end(state);
        };
    }

    private static NextStep<EtcdChangeState, EtcdChangeAction> grow(
            Members members, EtcdChangeSeen seen, EtcdChangeState state, Instant now) {
        for (TemporaryMember temporary : TemporaryMember.values()) {
            Optional<Member> member = members.of(temporary);
            Evidence<Boolean> manifest = place(seen, temporary).manifest();
            if (member.isEmpty()) {
                return Evidence.isTrue(manifest)
                        // Left over: a member that is not on the list would end at once, and begin again.
                        ? NextStep.act(state, new EtcdChangeAction.Stop(temporary))
                        : Evidence.isFalse(manifest)
                                ? addWhenEnded(seen, temporary, state)
                                : NextStep.await(state, "a look at its manifest", manifest.because());
            }
            if (!Evidence.isTrue(manifest)) {
                return Evidence.isFalse(manifest)
                        ? NextStep.act(state, new EtcdChangeAction.Start(temporary))
                        : NextStep.await(state, "a look at its manifest", manifest.because());
            }
            if (!member.get().isCurrent()) {
                return NextStep.await(state, "member " + temporary.id() + " to have the data");
            }
            if (member.get().isLearner()) {
                return NextStep.act(
                        state,
                        new EtcdChangeAction.Promote(temporary, member.get().id()));
            }
        }
        return open(members, seen, state, now);
    }

    /** Once three members vote: until then the second door's end would cost the majority. */
    private static NextStep<EtcdChangeState, EtcdChangeAction> open(
            Members members, EtcdChangeSeen seen, EtcdChangeState state, Instant now) {
        Evidence<Boolean> open = place(seen, TemporaryMember.SECOND_DOOR).open();
        if (!members.isWhole()) {
            return NextStep.await(state, "all three members to follow the leader");
        }
        if (!Evidence.isTrue(open)) {
            if (!members.principal().isLeader()) {
                return NextStep.act(
                        state,
                        new EtcdChangeAction.MoveLeader(members.principal().id()));
            }
            return Evidence.isFalse(open)
                    ? NextStep.act(state, new EtcdChangeAction.Open())
                    : NextStep.await(state, "a look at its manifest", open.because());
        }
        return members.isOpen()
                ? NextStep.move(state.moveTo(EtcdChangePhase.CROSSING, now))
                : NextStep.await(state, "the second door to open");
    }

    private static NextStep<EtcdChangeState, EtcdChangeAction> addWhenEnded(
            EtcdChangeSeen seen, TemporaryMember temporary, EtcdChangeState state) {
        Evidence<Boolean> runs = place(seen, temporary).runs();
        return Evidence.isFalse(runs)
                ? NextStep.act(state, new EtcdChangeAction.Add(temporary))
                : NextStep.await(state, "the end of an earlier member " + temporary.id(), runs.because());
    }

    private static NextStep<EtcdChangeState, EtcdChangeAction> cross(
            Members members, EtcdChangeSeen seen, EtcdChangeState state, Instant now) {
        if (!isCovered(members, state)) {
            return NextStep.await(
                    state.withSteadySince(Optional.empty()), "all members to follow the leader, and three at least");
        }
        if (state.alone() && !(seen.doors() instanceof Known<Doors>)) {
            return NextStep.await(state, "the clients of etcd", seen.doors().because());
        }
        Optional<NextStep<EtcdChangeState, EtcdChangeAction>> early = state.alone()
                ? untilClientsAre("at the second door", leftAtFirst(seen), HANDSHAKES, state, now)
                : untilClientsAre("at the other members", Optional.empty(), BACK_OFF, state, now);
        if (early.isPresent()) {
            return early.get();
        }
        if (!(seen.pod() instanceof Known<Optional<String>>(Optional<String> pod)) || pod.isEmpty()) {
            return NextStep.await(state, "a look at etcd's pod", seen.pod().because());
        }
        // What leads is never stopped: an election takes a second, in which nothing is written.
        return members.principal().isLeader()
                ? NextStep.act(state, moveLeaderAway(members, state))
                : NextStep.move(state.switching(pod.get(), now));
    }

    /** Whether the others are a majority that serves. */
    private static boolean isCovered(Members members, EtcdChangeState state) {
        return state.alone() ? members.isWhole() : members.areEnough();
    }

    /** Who would lose requests; nobody where the doors are not known, which is asked before. */
    private static Optional<String> leftAtFirst(EtcdChangeSeen seen) {
        return seen.doors() instanceof Known<Doors>(Doors doors) ? doors.leftAtFirst() : Optional.empty();
    }

    private static EtcdChangeAction moveLeaderAway(Members members, EtcdChangeState state) {
        Member next = state.alone()
                ? members.of(TemporaryMember.SECOND_DOOR).orElseThrow()
                : members.others().firstEntry().getValue();
        return new EtcdChangeAction.MoveLeader(next.id());
    }

    /**
     * What is to be waited for first, if anything.
     *
     * @param left who has fewer connections there
     * @param patience for how long nobody must have been left
     */
    private static Optional<NextStep<EtcdChangeState, EtcdChangeAction>> untilClientsAre(
            String where, Optional<String> left, Duration patience, EtcdChangeState state, Instant now) {
        if (left.isPresent()) {
            return Optional.of(NextStep.await(
                    state.withSteadySince(Optional.empty()), "every client of etcd to be " + where, ": " + left.get()));
        }
        Instant since = state.steadySince().orElse(now);
        return Duration.between(since, now).compareTo(patience) >= 0
                ? Optional.empty()
                : Optional.of(NextStep.await(
                        state.withSteadySince(Optional.of(since)),
                        "clients of etcd to be connected " + where,
                        ": " + patience.toSeconds() + " s"));
    }

    private static NextStep<EtcdChangeState, EtcdChangeAction> exchange(
            Members members, EtcdChangeSeen seen, EtcdChangeState state, Instant now) {
        return switch (seen.manifest()) {
            case Unknown<Written>(String reason) -> NextStep.await(state, "a look at etcd's manifest", ": " + reason);
            case Known<Written>(Written written)
            when written == Written.TARGET ->
                runsWell(members, seen, pod -> !pod.equals(state.formerPod()))
                        ? NextStep.move(state.moveTo(EtcdChangePhase.RETURNING, now))
                        : NextStep.await(
                                state,
                                "etcd to run as the new manifest says",
                                seen.healthy().because());
            // The power may have been away since: nothing is stopped on what was seen in another phase.
            case Known<Written> _
            when !isCovered(members, state)
                    || members.principal().isLeader()
                    || (state.alone()
                            && !seen.doors().is(doors -> doors.leftAtFirst().isEmpty())) ->
                NextStep.move(state.moveTo(EtcdChangePhase.CROSSING, now));
            case Known<Written> _ -> NextStep.act(state, new EtcdChangeAction.WriteTarget());
        };
    }

    private NextStep<EtcdChangeState, EtcdChangeAction> rollBack(
            Members members, EtcdChangeSeen seen, EtcdChangeState state, Instant now) {
        return switch (seen.manifest()) {
            case Unknown<Written>(String reason) -> NextStep.await(state, "a look at etcd's manifest", ": " + reason);
            case Known<Written>(Written written)
            when written == Written.FORMER ->
                runsWell(members, seen, pod -> pod.equals(state.formerPod()))
                        ? NextStep.move(state.moveTo(EtcdChangePhase.RETURNING, now))
                        : NextStep.await(
                                state, "etcd to run as before", seen.healthy().because());
            case Known<Written> _ when !members.principal().isCurrent() -> writeFormer(state);
            case Known<Written> _
            when raisesMinor && !state.alone() ->
                // It may have been the last one: a cluster of the next minor version takes none of the former.
                NextStep.move(state.givingUp(
                        EtcdChangePhase.FAILED,
                        state.failure().orElse("")
                                + "; it follows the leader as the new manifest says, and was not taken back, as the others may be of its minor version already",
                        now));
            case Known<Written> _ -> stop(members, seen, state.withSteadySince(Optional.empty()));
        };
    }

    private static NextStep<EtcdChangeState, EtcdChangeAction> writeFormer(EtcdChangeState state) {
        return NextStep.act(state, new EtcdChangeAction.WriteFormer());
    }

    /** It follows, although it was given up: clients may be with it, and it may lead. */
    private static NextStep<EtcdChangeState, EtcdChangeAction> stop(
            Members members, EtcdChangeSeen seen, EtcdChangeState state) {
        if (!isCovered(members, state)) {
            return NextStep.await(state, "all members to follow the leader");
        }
        if (members.principal().isLeader()) {
            return NextStep.act(state, moveLeaderAway(members, state));
        }
        if (!state.alone()) {
            return writeFormer(state);
        }
        return switch (seen.doors()) {
            case Unknown<Doors>(String reason) -> NextStep.await(state, "the clients of etcd", ": " + reason);
            case Known<Doors>(Doors doors) ->
                doors.leftAtFirst()
                        .map(left -> NextStep.<EtcdChangeState, EtcdChangeAction>await(
                                state, "every client of etcd to be at the second door", ": " + left))
                        .orElseGet(() -> writeFormer(state));
        };
    }

    private static boolean runsWell(Members members, EtcdChangeSeen seen, Expected pod) {
        return seen.pod().is(runs -> runs.isPresent() && pod.matches(runs))
                && Evidence.isTrue(seen.healthy())
                && members.principal().isCurrent();
    }

    /** Which pod is waited for. */
    private interface Expected {
        boolean matches(Optional<String> pod);
    }

    private static NextStep<EtcdChangeState, EtcdChangeAction> comeBack(
            Members members, EtcdChangeSeen seen, EtcdChangeState state, Instant now) {
        if (!members.principal().isCurrent()) {
            return NextStep.await(state, "the member that was changed to follow the leader");
        }
        if (!state.alone()) {
            return NextStep.move(ended(state, now));
        }
        if (!(seen.doors() instanceof Known<Doors>(Doors doors))) {
            return NextStep.await(state, "the clients of etcd", seen.doors().because());
        }
        Optional<NextStep<EtcdChangeState, EtcdChangeAction>> early =
                untilClientsAre("at the first door", doors.leftAtSecond(), HANDSHAKES, state, now);
        if (early.isPresent()) {
            return early.get();
        }
        return members.principal().isLeader()
                ? NextStep.move(state.moveTo(EtcdChangePhase.SHRINKING, now))
                : NextStep.act(
                        state,
                        new EtcdChangeAction.MoveLeader(members.principal().id()));
    }

    private static NextStep<EtcdChangeState, EtcdChangeAction> shrink(
            Members members, EtcdChangeSeen seen, EtcdChangeState state, Instant now) {
        if (!members.temporary().isEmpty() && !members.principal().isLeader()) {
            return NextStep.move(state.moveTo(EtcdChangePhase.RETURNING, now));
        }
        Optional<NextStep<EtcdChangeState, EtcdChangeAction>> early = beforeTheDoorCloses(members, seen, state, now);
        if (early.isPresent()) {
            return early.get();
        }
        for (TemporaryMember temporary : TemporaryMember.values()) {
            Place place = place(seen, temporary);
            Optional<Member> member = members.of(temporary);
            // With three votes its own program ends it, and the two others are a majority; one of two is removed first,
            // or nothing could be agreed on any more.
            boolean isNeeded = member.isPresent() && !members.hasThreeVotes();
            if (isNeeded) {
                return remove(temporary, member.get(), state);
            }
            if (!Evidence.isFalse(place.manifest())) {
                return stopIfOthersAreEnough(temporary, place, members, state);
            }
            if (!Evidence.isFalse(place.runs())) {
                return NextStep.await(
                        state,
                        "the end of member " + temporary.id(),
                        place.runs().because());
            }
            if (member.isPresent()) {
                return remove(temporary, member.get(), state);
            }
            if (!Evidence.isFalse(place.data())) {
                return Evidence.isTrue(place.data())
                        ? NextStep.act(state, new EtcdChangeAction.Discard(temporary))
                        : NextStep.await(
                                state, "a look at its data", place.data().because());
            }
        }
        return NextStep.move(ended(state, now));
    }

    private static EtcdChangeState ended(EtcdChangeState state, Instant now) {
        return state.moveTo(state.failure().isPresent() ? EtcdChangePhase.FAILED : EtcdChangePhase.DONE, now);
    }

    /** What was seen in another phase may be of before a loss of power: clients may be at the second door again, and the third vote gone for good. */
    private static Optional<NextStep<EtcdChangeState, EtcdChangeAction>> beforeTheDoorCloses(
            Members members, EtcdChangeSeen seen, EtcdChangeState state, Instant now) {
        Place door = place(seen, TemporaryMember.SECOND_DOOR);
        boolean isThere = members.of(TemporaryMember.SECOND_DOOR).isPresent() && !Evidence.isFalse(door.manifest());
        if (isThere && !seen.doors().is(doors -> doors.leftAtSecond().isEmpty())) {
            return Optional.of(NextStep.move(state.moveTo(EtcdChangePhase.RETURNING, now)));
        }
        Optional<Member> third = members.of(TemporaryMember.THIRD_VOTE);
        if (!isThere
                || !members.hasThreeVotes()
                || third.isEmpty()
                || third.get().isCurrent()) {
            return Optional.empty();
        }
        Instant since = state.steadySince().orElse(now);
        return Optional.of(
                Duration.between(since, now).compareTo(LOST) >= 0
                        ? remove(TemporaryMember.THIRD_VOTE, third.get(), state.withSteadySince(Optional.empty()))
                        : NextStep.await(
                                state.withSteadySince(Optional.of(since)), "member third-vote to follow the leader"));
    }

    private static NextStep<EtcdChangeState, EtcdChangeAction> stopIfOthersAreEnough(
            TemporaryMember temporary, Place place, Members members, EtcdChangeState state) {
        boolean othersAreCurrent = members.principal().isCurrent()
                && members.temporary().entrySet().stream()
                        .filter(other -> other.getKey() != temporary)
                        .allMatch(other -> other.getValue().isCurrent());
        if (!othersAreCurrent) {
            return NextStep.await(state, "the members that stay to follow the leader");
        }
        return Evidence.isTrue(place.manifest())
                ? NextStep.act(state, new EtcdChangeAction.Stop(temporary))
                : NextStep.await(
                        state, "a look at its manifest", place.manifest().because());
    }

    private static NextStep<EtcdChangeState, EtcdChangeAction> remove(
            TemporaryMember temporary, Member member, EtcdChangeState state) {
        return NextStep.act(state, new EtcdChangeAction.Remove(temporary, member.id()));
    }

    private static Place place(EtcdChangeSeen seen, TemporaryMember member) {
        return Optional.ofNullable(seen.places().get(member))
                .orElseThrow(() -> new IllegalArgumentException("nobody looked at " + member));
    }

    private NextStep<EtcdChangeState, EtcdChangeAction> orGiveUp(
            NextStep<EtcdChangeState, EtcdChangeAction> step, EtcdChangeSeen seen, EtcdChangeState state, Instant now) {
        boolean waits =
                step.state().phase() == state.phase() && !step.waitingFor().isEmpty();
        if (!waits || Duration.between(state.since(), now).compareTo(deadline) < 0) {
            return step;
        }
        String why = "after " + deadline.toSeconds() + " s it still waited for " + step.waitingFor() + step.detail();
        return switch (state.phase()) {
            case GROWING, CROSSING -> NextStep.move(state.givingUp(EtcdChangePhase.RETURNING, why, now));
            case SWITCHING -> NextStep.move(state.givingUp(EtcdChangePhase.ROLLING_BACK, why, now));
            // Clients that do not come back cannot talk to what the new manifest made of it.
            case RETURNING ->
                state.failure().isEmpty() && state.formerPod().isPresent() && isSecondDoorThere(seen)
                        ? NextStep.move(state.givingUp(EtcdChangePhase.ROLLING_BACK, why, now))
                        : step;
            case ROLLING_BACK, SHRINKING, DONE, FAILED -> step;
        };
    }

    /** As long as it is, the member that is changed can be stopped once more. */
    private static boolean isSecondDoorThere(EtcdChangeSeen seen) {
        return seen.members().is(Members::hasThreeVotes)
                && Evidence.isTrue(place(seen, TemporaryMember.SECOND_DOOR).manifest());
    }
}
