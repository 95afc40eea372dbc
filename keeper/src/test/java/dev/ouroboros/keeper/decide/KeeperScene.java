package dev.ouroboros.keeper.decide;

import dev.ouroboros.keeper.decide.Decision.Planned;
import dev.ouroboros.keeper.decide.Observation.NodeSeen;
import dev.ouroboros.keeper.decide.Observation.RejectedPod;
import dev.ouroboros.keeper.decide.Observation.SelfSeen;
import dev.ouroboros.keeper.decide.Observation.StartSeen;
import dev.ouroboros.model.component.ComponentName;
import dev.ouroboros.model.component.Role;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.evidence.Health;
import dev.ouroboros.model.front.FrontState;
import dev.ouroboros.model.front.FrontState.ToPrincipal;
import dev.ouroboros.model.front.FrontState.ToUnderstudy;
import dev.ouroboros.model.leader.LeaderLease;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** A node as a test wants it to be seen, and a keeper that is asked what to do there while time passes. It begins at rest. */
final class KeeperScene {
    static final ComponentName API_SERVER = new ComponentName("kube-system", "kube-apiserver");
    static final ComponentName CONTROLLER_MANAGER = new ComponentName("kube-system", "kube-controller-manager");
    static final ComponentName SCHEDULER = new ComponentName("kube-system", "kube-scheduler");
    static final ComponentName KEEPER = new ComponentName("kube-system", "ouroboros-keeper");
    static final ComponentName OTHER = new ComponentName("default", "other");
    static final Instant BEGIN = Instant.parse("2026-01-01T00:00:00Z");

    final KeeperSettings settings = KeeperSettings.DEFAULT;
    final SortedMap<ComponentName, SceneComponent> parts = new TreeMap<>();
    boolean staticCopy;
    Evidence<Successor> successor = Evidence.known(Successor.DECIDES);
    Evidence<StartSeen> start = Evidence.known(new StartSeen.Idle(false));
    Evidence<FrontState> front = Evidence.known(new ToPrincipal());
    Evidence<Boolean> serviceEndpoints = Evidence.known(true);
    Evidence<NodeSeen> node = Evidence.known(node(true, true));
    Evidence<CheckpointSummary> checkpoints = Evidence.known(CheckpointSummary.NONE);
    Evidence<List<LeaderLease>> abandonedLeases = Evidence.known(List.of());
    Evidence<Boolean> countsAreKept = Evidence.unknown("not looked at");
    Evidence<List<RejectedPod>> rejected = Evidence.known(List.of());
    Evidence<Boolean> keeperWanted = Evidence.known(true);
    Evidence<Boolean> podCheckpointer = Evidence.known(false);
    Evidence<Integer> otherApiServers = Evidence.known(0);
    ChangeSeen change = noChange();

    Instant now = BEGIN;
    KeeperState state = KeeperState.initial();

    /** A Node that says nothing of checkpoints. */
    static NodeSeen node(boolean labelled, boolean controlPlane) {
        return new NodeSeen(labelled, labelled, controlPlane, Evidence.known(Optional.empty()));
    }

    static KeeperScene of(SceneComponent apiServer) {
        return new KeeperScene().with(API_SERVER, apiServer);
    }

    /** No DaemonSet of an API server is there. */
    static ChangeSeen noChange() {
        return new ChangeSeen(
                Evidence.known(Optional.empty()),
                Evidence.known(ChangeRecord.NONE),
                Evidence.unknown("not needed"),
                Evidence.unknown("not needed"),
                Evidence.unknown("not needed"),
                "",
                0);
    }

    /**
     * A DaemonSet of the API server whose template, of hash {@code new}, makes {@link SceneComponent#NEW}.
     *
     * @param madeFrom hash that the pod here was made from
     */
    static ChangeSeen.Target target(
            String madeFrom, String retry, Optional<ChangeReport> reported, ChangeSeen.Others others) {
        return new ChangeSeen.Target(
                API_SERVER,
                new ChangeSeen.Made.Complete(SceneComponent.NEW),
                Map.of(SceneComponent.UID, madeFrom),
                Optional.of("new"),
                false,
                retry,
                reported,
                others);
    }

    /** A node where an API server serves and beside it another component is looked at. */
    static KeeperScene beside(ComponentName name, SceneComponent part) {
        return of(new SceneComponent(Role.API_SERVER)).with(name, part);
    }

    KeeperScene with(ComponentName name, SceneComponent part) {
        parts.put(name, part);
        return this;
    }

    KeeperScene front(FrontState known) {
        front = Evidence.known(known);
        return this;
    }

    KeeperScene toUnderstudy() {
        return front(new ToUnderstudy(KeeperSettings.DEFAULT.lease()));
    }

    SceneComponent api() {
        return Objects.requireNonNull(parts.get(API_SERVER));
    }

    /** The principal became ready now. */
    KeeperScene principalReady() {
        api().principal(new Health.Ready(now));
        return this;
    }

    Observation seen() {
        SortedMap<ComponentName, ComponentSeen> components = new TreeMap<>();
        parts.forEach((name, part) -> components.put(name, part.seen()));
        return new Observation(
                components,
                new SelfSeen(staticCopy, successor),
                start,
                front,
                serviceEndpoints,
                node,
                rejected,
                keeperWanted,
                podCheckpointer,
                otherApiServers,
                checkpoints,
                abandonedLeases,
                countsAreKept,
                change);
    }

    /** Asks once, now. */
    Decision decide() {
        Decision decision = new Keeper(settings).decide(seen(), state, now);
        state = decision.state();
        return decision;
    }

    List<Action> actions() {
        return decide().actions().stream().map(Planned::action).toList();
    }

    List<Reason> reasons() {
        return decide().actions().stream().map(Planned::reason).toList();
    }

    /** Asks after some time, during which everything stayed as it is and nobody asked. */
    List<Action> actionsAfter(Duration time) {
        now = now.plus(time);
        return actions();
    }

    /** Asks now and again when a time has passed, at its last moment before the end and at its end; nothing may be done before. */
    List<Action> actionsAfterNothingFor(Duration time) {
        requireNothing();
        now = now.plus(time).minusMillis(1);
        requireNothing();
        now = now.plusMillis(1);
        return actions();
    }

    private void requireNothing() {
        List<Action> actions = actions();
        if (!actions.isEmpty()) {
            throw new AssertionError("nothing was to be done at " + Duration.between(BEGIN, now) + ", not " + actions);
        }
    }

    Status status(ComponentName name) {
        return Objects.requireNonNull(decide().components().get(name));
    }
}
