package dev.ouroboros.etcd.decide;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.etcd.decide.EtcdChangeSeen.Member;
import dev.ouroboros.etcd.decide.EtcdChangeSeen.Members;
import dev.ouroboros.etcd.decide.EtcdChangeSeen.Place;
import dev.ouroboros.etcd.decide.EtcdChangeSeen.Written;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.procedure.Journal;
import dev.ouroboros.model.procedure.NextStep;
import dev.ouroboros.model.procedure.Procedure;
import dev.ouroboros.model.procedure.ProcedureRun;
import dev.ouroboros.model.procedure.StepOutcome;
import dev.ouroboros.model.procedure.testing.KilledAnywhere;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;

/**
 * A node with an etcd of one member, its kubelet and an API server with two doors, by etcd's rules about members: one learner at a time, a change of members only when all
 * voters have been connected for five seconds, a majority for everything. Each second it requires that somebody serves every client.
 */
final class ModelEtcdMembers implements KilledAnywhere.World {
    private static final int CLIENTS = 74;
    private static final String PRINCIPAL = "principal";
    /** Seconds until a container runs, or has ended; and in which etcd refuses to change its members again. */
    private static final int BOOT = 3;

    private static final int END = 2;
    private static final int UNHEALTHY = 5;

    private final EtcdChange change;
    Instant now = Instant.EPOCH;
    boolean targetIsBad;
    boolean secondDoorIsUnknown;
    /** It runs, and no client comes to it, as with another authority. */
    boolean targetRefusesClients;
    /** When the third vote ends for good, in seconds after the beginning, or later, when there are three: of two, one that is lost is lost with the majority. */
    Optional<Integer> thirdVoteIsLostAfter = Optional.empty();

    /** Whether the power is cut once, that many seconds after the beginning; no client is served for a while then. */
    Optional<Integer> powerCutAfter = Optional.empty();

    private Written manifest = Written.FORMER;
    private final Map<TemporaryMember, Boolean> manifests = new EnumMap<>(TemporaryMember.class);
    /** Whether the manifest of the second door has the port that clients know, and whether what runs of it does. */
    private boolean doorIsOpen;

    private boolean doorRunsOpen;
    private boolean thirdVoteIsLost;
    private final Map<TemporaryMember, Boolean> data = new EnumMap<>(TemporaryMember.class);
    /** By name, when it runs; from then on. */
    private final Map<String, Instant> running = new LinkedHashMap<>();
    /** By name, until when a container that was told to end runs. */
    private final Map<String, Instant> ending = new LinkedHashMap<>();

    private Written runs = Written.FORMER;
    private final List<String> voters = new ArrayList<>(List.of(PRINCIPAL));
    private Optional<String> learner = Optional.empty();
    private String leader = PRINCIPAL;
    private Instant changed = Instant.MIN;
    private int atFirst = CLIENTS;
    private int atSecond;
    private Instant disturbedUntil = Instant.MIN;
    private Optional<EtcdChangeState> journal = Optional.empty();
    private Optional<Problem> refusal = Optional.empty();
    int leftWithoutDoor;

    ModelEtcdMembers(EtcdChange change) {
        this.change = change;
        running.put(PRINCIPAL, now);
    }

    EtcdChangeState run() {
        return runTo(KilledAnywhere.Place.nowhere());
    }

    @Override
    public void run(KilledAnywhere.Place place) {
        runTo(place);
    }

    private EtcdChangeState runTo(KilledAnywhere.Place place) {
        refusal = Optional.empty();
        EtcdChangeState begun =
                journal.map(state -> state.resumed(now)).orElseGet(() -> EtcdChangeState.initial(true, now));
        Journal<EtcdChangeState> kept = state -> journal = Optional.of(state);
        ProcedureRun<EtcdChangeState, EtcdChangeSeen, EtcdChangeAction> run =
                new ProcedureRun<>(place.in(procedure()), place.in(kept), begun, () -> now);
        int seconds = 0;
        while (!(run.step() instanceof StepOutcome.Ended)) {
            second();
            assertThat(seconds++).as("in " + run.state()).isLessThan(5_000);
        }
        return run.state();
    }

    /** Only the member is left, as it is meant to run. */
    @Override
    public void judge(int killed) {
        judgeMembers(killed);
        Written expected = targetIsBad || secondDoorIsUnknown || targetRefusesClients ? Written.FORMER : Written.TARGET;
        assertThat(manifest).isEqualTo(expected);
        assertThat(runs).isEqualTo(expected);
        assertThat(leftWithoutDoor)
                .as("clients that nobody served, killed at " + killed)
                .isZero();
    }

    /** Only the member is left. */
    void judgeMembers(int killed) {
        assertThat(voters).as("killed at " + killed).containsExactly(PRINCIPAL);
        assertThat(learner).isEmpty();
        assertThat(running.keySet()).containsExactly(PRINCIPAL);
        assertThat(ending).isEmpty();
        assertThat(manifests.values()).allMatch(there -> !there);
        assertThat(data.values()).allMatch(there -> !there);
    }

    private Procedure<EtcdChangeState, EtcdChangeSeen, EtcdChangeAction> procedure() {
        return new Procedure<>() {
            @Override
            public EtcdChangeSeen look(EtcdChangeState state) {
                EtcdChangeSeen seen = seen();
                refusal = Optional.empty();
                return seen;
            }

            @Override
            public NextStep<EtcdChangeState, EtcdChangeAction> decide(
                    EtcdChangeSeen seen, EtcdChangeState state, Instant moment) {
                return change.decide(seen, state, moment);
            }

            @Override
            public EtcdChangeState perform(EtcdChangeAction action, EtcdChangeState state) {
                refusal = ModelEtcdMembers.this
                        .perform(action)
                        .map(what -> new Problem(ErrorCode.ETCD_REFUSED, "etcd", what, "", "see etcd's log"));
                return state;
            }
        };
    }

    private EtcdChangeSeen seen() {
        Map<TemporaryMember, Place> places = new EnumMap<>(TemporaryMember.class);
        for (TemporaryMember member : TemporaryMember.values()) {
            places.put(
                    member,
                    new Place(
                            Evidence.known(manifests.getOrDefault(member, false)),
                            Evidence.known(running.containsKey(member.id()) || ending.containsKey(member.id())),
                            Evidence.known(data.getOrDefault(member, false)),
                            Evidence.known(doorIsOpen)));
        }
        return new EtcdChangeSeen(
                hasMajority() ? Evidence.known(members()) : Evidence.unknown("nobody answers"),
                places,
                Evidence.known(manifest),
                Evidence.known(isUp(PRINCIPAL) ? Optional.of(runs.name()) : Optional.empty()),
                Evidence.known(isUp(PRINCIPAL)),
                Evidence.known(new Doors(at(atFirst), at(atSecond))),
                refusal);
    }

    private static NavigableMap<String, Integer> at(int connections) {
        return connections == 0 ? new TreeMap<>() : new TreeMap<>(Map.of("10.0.0.1", connections));
    }

    private Members members() {
        Map<TemporaryMember, Member> temporary = new EnumMap<>(TemporaryMember.class);
        for (TemporaryMember member : TemporaryMember.values()) {
            if (voters.contains(member.id()) || learner.equals(Optional.of(member.id()))) {
                temporary.put(member, member(member.id()));
            }
        }
        return new Members(member(PRINCIPAL), temporary, new TreeMap<>());
    }

    private Member member(String name) {
        return new Member(
                name,
                learner.equals(Optional.of(name)),
                leader.equals(name),
                isUp(name),
                name.equals(TemporaryMember.SECOND_DOOR.id()) && doorRunsOpen);
    }

    private boolean isUp(String name) {
        return running.containsKey(name) && !running.get(name).isAfter(now);
    }

    private boolean hasMajority() {
        return voters.stream().filter(this::isUp).count() > voters.size() / 2;
    }

    private boolean isHealthy() {
        return Duration.between(changed, now).toSeconds() >= UNHEALTHY
                && voters.stream()
                        .allMatch(name -> isUp(name)
                                && Duration.between(running.get(name), now).toSeconds() >= UNHEALTHY);
    }

    /** @return why it is refused */
    private Optional<String> perform(EtcdChangeAction action) {
        return switch (action) {
            case EtcdChangeAction.Add(TemporaryMember member) -> add(member);
            case EtcdChangeAction.Start(TemporaryMember member) -> {
                manifests.put(member, true);
                doorIsOpen &= member != TemporaryMember.SECOND_DOOR;
                yield Optional.empty();
            }
            case EtcdChangeAction.Open() -> {
                doorIsOpen = true;
                yield Optional.empty();
            }
            case EtcdChangeAction.Promote(TemporaryMember member, String id) -> {
                assertThat(learner).contains(id);
                if (!isUp(member.id())) {
                    yield Optional.of("can only promote a learner member which is in sync with leader");
                }
                learner = Optional.empty();
                voters.add(id);
                changed = now;
                yield Optional.empty();
            }
            case EtcdChangeAction.MoveLeader(String id) -> {
                if (!isUp(id) || !voters.contains(id)) {
                    yield Optional.of("bad leader transferee");
                }
                leader = id;
                yield Optional.empty();
            }
            case EtcdChangeAction.WriteTarget() -> write(Written.TARGET);
            case EtcdChangeAction.WriteFormer() -> write(Written.FORMER);
            case EtcdChangeAction.Remove(TemporaryMember _, String id) -> remove(id);
            case EtcdChangeAction.Stop(TemporaryMember member) -> {
                manifests.put(member, false);
                stop(member.id());
                yield Optional.empty();
            }
            case EtcdChangeAction.Discard(TemporaryMember member) -> {
                assertThat(running).doesNotContainKey(member.id());
                assertThat(ending).doesNotContainKey(member.id());
                data.put(member, false);
                yield Optional.empty();
            }
        };
    }

    private Optional<String> add(TemporaryMember member) {
        assertThat(running).doesNotContainKey(member.id());
        data.put(member, true);
        if (learner.isPresent()) {
            return Optional.of("too many learner members in cluster");
        }
        if (!isHealthy()) {
            return Optional.of("unhealthy cluster");
        }
        learner = Optional.of(member.id());
        changed = now;
        return Optional.empty();
    }

    private Optional<String> remove(String id) {
        if (learner.equals(Optional.of(id))) {
            learner = Optional.empty();
            return Optional.empty();
        }
        // One that is down is no part of the majority (etcd, server.go, mayRemoveMember).
        if (isUp(id) && !isHealthy()) {
            return Optional.of("unhealthy cluster");
        }
        assertThat(leader).as("the leader is not removed").isNotEqualTo(id);
        if (id.equals(TemporaryMember.SECOND_DOOR.id()) && isUp(id)) {
            // A member that is removed ends at once, with the requests that it has.
            leftWithoutDoor += atSecond;
        }
        voters.remove(id);
        changed = now;
        stop(id);
        return Optional.empty();
    }

    private Optional<String> write(Written written) {
        manifest = written;
        return Optional.empty();
    }

    private void stop(String name) {
        if (running.remove(name) != null) {
            ending.put(name, now.plusSeconds(END));
        }
    }

    private void second() {
        now = now.plusSeconds(1);
        powerCutAfter
                .filter(after -> Duration.between(Instant.EPOCH, now).toSeconds() == after)
                .ifPresent(_ -> cutPower());
        ending.values().removeIf(until -> !until.isAfter(now));
        if (isThirdVoteLost()) {
            running.remove(TemporaryMember.THIRD_VOTE.id());
        }
        kubelet();
        clients();
        if (hasMajority() && !isUp(leader)) {
            leader = voters.stream().filter(this::isUp).findFirst().orElseThrow();
        }
        if (now.isAfter(disturbedUntil) && thirdVoteIsLostAfter.isEmpty()) {
            assertThat(hasMajority())
                    .as("a majority of " + voters + ", of which run " + running)
                    .isTrue();
            assertThat(isUp(leader)).as("who leads runs").isTrue();
        }
    }

    private boolean isThirdVoteLost() {
        thirdVoteIsLost |= voters.size() == 3
                && thirdVoteIsLostAfter
                        .filter(after -> Duration.between(Instant.EPOCH, now).toSeconds() >= after)
                        .isPresent();
        return thirdVoteIsLost;
    }

    private void cutPower() {
        running.clear();
        ending.clear();
        atFirst = 0;
        atSecond = 0;
        disturbedUntil = now.plusSeconds(2 * BOOT);
    }

    private void kubelet() {
        if (isUp(PRINCIPAL) && runs != manifest) {
            assertThat(leader).as("the leader is not stopped").isNotEqualTo(PRINCIPAL);
            stop(PRINCIPAL);
        }
        if (!running.containsKey(PRINCIPAL) && !ending.containsKey(PRINCIPAL)) {
            runs = manifest;
            if (!targetIsBad || manifest == Written.FORMER) {
                running.put(PRINCIPAL, now.plusSeconds(BOOT));
            }
        }
        if (isUp(TemporaryMember.SECOND_DOOR.id()) && doorRunsOpen != doorIsOpen) {
            stop(TemporaryMember.SECOND_DOOR.id());
        }
        for (TemporaryMember member : TemporaryMember.values()) {
            boolean isListed = voters.contains(member.id()) || learner.equals(Optional.of(member.id()));
            boolean starts = manifests.getOrDefault(member, false)
                    && isListed
                    && !(member == TemporaryMember.THIRD_VOTE && isThirdVoteLost())
                    && !running.containsKey(member.id())
                    && !ending.containsKey(member.id());
            if (starts) {
                assertThat(data).containsEntry(member, true);
                running.put(member.id(), now.plusSeconds(BOOT));
                doorRunsOpen = member == TemporaryMember.SECOND_DOOR ? doorIsOpen : doorRunsOpen;
            }
        }
    }

    /** Whoever finds a door closed comes later and later: here a connection a second. A learner refuses what clients ask. */
    private void clients() {
        boolean first = isUp(PRINCIPAL) && !(targetRefusesClients && runs == Written.TARGET);
        boolean second = isUp(TemporaryMember.SECOND_DOOR.id()) && doorRunsOpen;
        if (second && !voters.contains(TemporaryMember.SECOND_DOOR.id())) {
            leftWithoutDoor += CLIENTS;
        }
        atFirst = first ? Math.min(CLIENTS, atFirst + 1) : 0;
        atSecond = second && !secondDoorIsUnknown ? Math.min(CLIENTS, atSecond + 1) : 0;
        if (now.isAfter(disturbedUntil.plusSeconds(CLIENTS)) && Math.max(atFirst, atSecond) < CLIENTS) {
            leftWithoutDoor += CLIENTS - Math.max(atFirst, atSecond);
        }
    }
}
