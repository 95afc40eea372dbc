package dev.ouroboros.etcd.membership.decide;

import static org.assertj.core.api.Assertions.assertThat;

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
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/**
 * An etcd by its rules about members (one learner at a time, a change only when all voters have been connected for five seconds), a node that is to have one, its kubelet, and an API
 * with its requests. Both sides of an addition run in it: one may be killed, and somebody runs it again; the other one too, when it has failed.
 */
final class ModelMembership implements KilledAnywhere.World {
    private static final int BOOT = 3;
    private static final int UNHEALTHY = 5;
    private static final int LIMIT = 3_000;
    /** Seconds for which one side waits for another one that has ended. */
    private static final int PATIENCE = 600;

    private static final Optional<String> FOREIGN = Optional.of("data of another cluster");

    /** Which of the two is killed. */
    enum Side {
        ADD,
        JOIN
    }

    /** A request at the API. */
    private static final class Request {
        boolean isSigned;
        Optional<String> granted = Optional.empty();
        Optional<String> withdrawn = Optional.empty();
    }

    private final Side killed;
    private final int others;
    /** The node's etcd cannot reach the others, so that it never follows. */
    private final boolean isUnreachable;

    private final MemberAddition addition = new MemberAddition("node", Duration.ofMinutes(2));
    private Instant now = Instant.EPOCH;
    private final List<Request> requests = new ArrayList<>();

    /** ID of the member on the list at the node's address, and whether it votes. */
    private Optional<String> listed = Optional.empty();

    private boolean votes;
    private Instant changed = Instant.MIN;
    private int ids;

    /** What the node has. */
    private Optional<String> manifest = Optional.empty();

    private Optional<String> data = Optional.empty();
    private Optional<Instant> runsSince = Optional.empty();
    private final Set<String> startedEmpty = new HashSet<>();

    /** The join's own: what outlives its process. */
    private Optional<MemberJoin.State> journal = Optional.empty();

    private Optional<Request> asked = Optional.empty();
    private boolean hasAsked;
    private Optional<String> grant = Optional.empty();
    private int joinsFailed;

    private Optional<Problem> refusal = Optional.empty();
    private Optional<Supplier<Boolean>> beside = Optional.empty();

    ModelMembership(Side killed, int others, boolean isUnreachable) {
        this.killed = killed;
        this.others = others;
        this.isUnreachable = isUnreachable;
    }

    /** The node has data of a member that nobody here knows. */
    ModelMembership withForeignData() {
        data = FOREIGN;
        return this;
    }

    private static Problem refused(String what) {
        return new Problem(ErrorCode.ETCD_REFUSED, "etcd", what, "", "see etcd's log");
    }

    /** @return a step of it, and whether it has ended */
    private Supplier<Boolean> stepsOf(Side side, KilledAnywhere.Place place) {
        if (side == Side.ADD) {
            ProcedureRun<MemberAddition.State, MemberAddition.Seen, MemberAddition.Action> run = new ProcedureRun<>(
                    place.in(adding()), Journal.none(), MemberAddition.State.initial(now), () -> now);
            return () -> run.step() instanceof StepOutcome.Ended;
        }
        if (journal.isEmpty()) {
            Request request = new Request();
            asked = Optional.of(request);
            hasAsked = false;
            grant = Optional.empty();
            journal = Optional.of(MemberJoin.State.initial());
        }
        Journal<MemberJoin.State> kept = state -> journal = Optional.of(state);
        ProcedureRun<MemberJoin.State, MemberJoin.Seen, MemberJoin.Action> run =
                new ProcedureRun<>(place.in(joining()), place.in(kept), journal.get(), () -> now);
        return () -> {
            boolean isEnded = run.step() instanceof StepOutcome.Ended;
            if (isEnded) {
                joinsFailed += run.state().failure().isPresent() ? 1 : 0;
                journal = Optional.empty();
            }
            return isEnded;
        };
    }

    @Override
    public void run(KilledAnywhere.Place place) {
        refusal = Optional.empty();
        Side other = killed == Side.ADD ? Side.JOIN : Side.ADD;
        Supplier<Boolean> steps = stepsOf(killed, place);
        boolean isEnded = false;
        int secondsAlone = 0;
        for (int second = 0; !isEnded || beside.isPresent(); second++) {
            assertThat(second)
                    .as(
                            "seconds, with member %s, votes %s, manifest %s, data %s, join %s, beside %s",
                            listed, votes, manifest, data, journal, beside.isPresent())
                    .isLessThan(LIMIT);
            if (!isEnded) {
                isEnded = steps.get();
            }
            if (beside.isEmpty() && !isEnded && !isFinished()) {
                beside = Optional.of(stepsOf(other, KilledAnywhere.Place.nowhere()));
            }
            if (beside.isPresent() && beside.get().get()) {
                beside = Optional.empty();
            }
            secondsAlone = isEnded ? secondsAlone + 1 : 0;
            if (secondsAlone > PATIENCE) {
                // It waits for the other side, which has failed and is not run again: its own limit ends it.
                beside = Optional.empty();
            }
            second();
        }
    }

    /** Whether the member votes: nobody begins anything any more. */
    private boolean isFinished() {
        return listed.isPresent() && votes;
    }

    @Override
    public void judge(int place) {
        String as = "killed at " + place;
        if (data.equals(FOREIGN)) {
            assertThat(listed).as(as).isEmpty();
            assertThat(manifest).as(as).isEmpty();
            assertThat(joinsFailed).as(as).isPositive();
            return;
        }
        if (isUnreachable) {
            assertThat(listed).as(as).isEmpty();
            assertThat(manifest).as(as).isEmpty();
            assertThat(data).as(as).isEmpty();
            assertThat(joinsFailed).as(as).isPositive();
            return;
        }
        assertThat(latest()).as("open requests, " + as).isEmpty();
        assertThat(votes).as(as).isTrue();
        assertThat(manifest).as(as).isEqualTo(listed);
        assertThat(data).as(as).isEqualTo(listed);
        assertThat(journal).as(as).isEmpty();
    }

    private Procedure<MemberAddition.State, MemberAddition.Seen, MemberAddition.Action> adding() {
        return new Procedure<>() {
            @Override
            public MemberAddition.Seen look(MemberAddition.State state) {
                MemberAddition.Seen seen = new MemberAddition.Seen(
                        Evidence.known(members()),
                        Evidence.known(latest().map(request ->
                                new MemberAddition.Request(nameOf(request), request.isSigned, request.granted))),
                        Evidence.known(Optional.empty()),
                        Evidence.known(true),
                        refusal);
                refusal = Optional.empty();
                return seen;
            }

            @Override
            public NextStep<MemberAddition.State, MemberAddition.Action> decide(
                    MemberAddition.Seen seen, MemberAddition.State state, Instant moment) {
                return addition.decide(seen, state, moment);
            }

            @Override
            public MemberAddition.State perform(MemberAddition.Action action, MemberAddition.State state) {
                refusal = ModelMembership.this.perform(action).map(ModelMembership::refused);
                return state;
            }
        };
    }

    private Optional<Request> latest() {
        return requests.reversed().stream()
                .filter(request -> request.withdrawn.isEmpty())
                .findFirst();
    }

    private String nameOf(Request request) {
        return "request-" + requests.indexOf(request);
    }

    private Request named(String name) {
        return requests.get(Integer.parseInt(name.substring("request-".length())));
    }

    private MembersSeen members() {
        Map<String, ListedMember> all = new LinkedHashMap<>();
        for (int other = 0; other < others; other++) {
            String id = "other-" + other;
            all.put(id, new ListedMember(id, id, false, other == 0, true));
        }
        return new MembersSeen(
                listed.map(id -> new ListedMember(id, "node", !votes, false, isUp())), List.copyOf(all.values()));
    }

    private boolean isUp() {
        return !isUnreachable && runsSince.filter(since -> !since.isAfter(now)).isPresent();
    }

    private boolean isHealthy() {
        boolean isOwnWell = !votes
                || runsSince
                        .filter(since -> Duration.between(since, now).toSeconds() >= UNHEALTHY)
                        .isPresent();
        return isOwnWell && Duration.between(changed, now).toSeconds() >= UNHEALTHY;
    }

    /** @return why it is refused */
    private Optional<String> perform(MemberAddition.Action action) {
        switch (action) {
            case MemberAddition.Action.Sign(String name) -> named(name).isSigned = true;
            case MemberAddition.Action.AddLearner() -> {
                assertThat(listed).isEmpty();
                if (!isHealthy()) {
                    return Optional.of("unhealthy cluster");
                }
                listed = Optional.of("member-" + ids++);
                votes = false;
                changed = now;
            }
            case MemberAddition.Action.Grant(String name, String id) -> named(name).granted = Optional.of(id);
            case MemberAddition.Action.Promote(String id) -> {
                assertThat(listed).contains(id);
                if (!isUp()) {
                    return Optional.of("can only promote a learner member which is in sync with leader");
                }
                votes = true;
                changed = now;
            }
            case MemberAddition.Action.Withdraw(String name, String why) -> named(name).withdrawn = Optional.of(why);
            case MemberAddition.Action.Remove(String id) -> {
                assertThat(listed).contains(id);
                assertThat(votes).as("one that votes is not removed").isFalse();
                listed = Optional.empty();
            }
        }
        return Optional.empty();
    }

    private Procedure<MemberJoin.State, MemberJoin.Seen, MemberJoin.Action> joining() {
        return new Procedure<>() {
            @Override
            public MemberJoin.Seen look(MemberJoin.State state) {
                Request request = asked.orElseThrow();
                boolean isGranted = request.isSigned && request.granted.isPresent() && request.withdrawn.isEmpty();
                if (isGranted) {
                    grant = request.granted;
                }
                return new MemberJoin.Seen(
                        Evidence.known(
                                hasAsked
                                        ? Optional.of(new MemberJoin.Request(request.withdrawn, isGranted))
                                        : Optional.empty()),
                        Evidence.known(manifest.isPresent()),
                        grant.isPresent() ? Evidence.known(runsSince.isPresent()) : Evidence.unknown("nothing granted"),
                        grant.isPresent() ? Evidence.known(data) : Evidence.unknown("nothing granted"),
                        Evidence.known(Optional.empty()),
                        manifest.isPresent() ? Evidence.known(members().own()) : Evidence.unknown("not asked"),
                        Optional.empty());
            }

            @Override
            public NextStep<MemberJoin.State, MemberJoin.Action> decide(
                    MemberJoin.Seen seen, MemberJoin.State state, Instant moment) {
                return MemberJoin.decide(seen, state);
            }

            @Override
            public MemberJoin.State perform(MemberJoin.Action action, MemberJoin.State state) {
                switch (action) {
                    case ASK -> {
                        requests.add(asked.orElseThrow());
                        hasAsked = true;
                    }
                    case INSTALL -> manifest = grant;
                    case STOP -> manifest = Optional.empty();
                    case DISCARD -> {
                        assertThat(runsSince).isEmpty();
                        assertThat(data).isNotEqualTo(FOREIGN);
                        data = Optional.empty();
                    }
                }
                return state;
            }
        };
    }

    /** The kubelet: what is not on the list ends whenever it is started. */
    private void second() {
        now = now.plusSeconds(1);
        boolean mayRun = manifest.isPresent() && manifest.equals(listed) && (data.isEmpty() || data.equals(listed));
        if (!mayRun) {
            runsSince = Optional.empty();
        } else if (runsSince.isEmpty()) {
            if (data.isEmpty()) {
                assertThat(startedEmpty.add(manifest.get()))
                        .as("member " + manifest.get() + " is started with an empty data directory once")
                        .isTrue();
                data = manifest;
            }
            runsSince = Optional.of(now.plusSeconds(BOOT));
        }
    }
}
