package dev.ouroboros.keeper.decide;

import static dev.ouroboros.keeper.decide.SceneComponent.NEW;
import static dev.ouroboros.keeper.decide.SceneComponent.OLD;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.keeper.decide.ChangeSeen.LeaseSeen;
import dev.ouroboros.keeper.decide.ChangeSeen.Made;
import dev.ouroboros.keeper.decide.ChangeSeen.Target;
import dev.ouroboros.keeper.decide.Observation.NodeSeen;
import dev.ouroboros.keeper.decide.Observation.RejectedPod;
import dev.ouroboros.keeper.decide.Observation.StartSeen;
import dev.ouroboros.keeper.decide.StaticManifest.Absent;
import dev.ouroboros.keeper.decide.StaticManifest.Foreign;
import dev.ouroboros.keeper.decide.StaticManifest.OfStart;
import dev.ouroboros.keeper.decide.StaticManifest.Ours;
import dev.ouroboros.model.checkpoint.Revision;
import dev.ouroboros.model.checkpoint.Slots;
import dev.ouroboros.model.component.ComponentName;
import dev.ouroboros.model.component.Role;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.evidence.Health;
import dev.ouroboros.model.evidence.Health.NotListening;
import dev.ouroboros.model.evidence.Health.NotReady;
import dev.ouroboros.model.front.FrontState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * Every combination of evidence that a concern looks at, unknown included, at first sight and after it has lasted longer than every
 * time of the settings; and {@link KeeperInvariants} hold for each decision.
 */
@Isolated("computes for many seconds; others of this module wait with limits")
final class KeeperEnumerationTest {
    private static final Duration LONG = Duration.ofHours(1);

    private static final List<Evidence<Boolean>> TRUTHS =
            List.of(Evidence.unknown("x"), Evidence.known(false), Evidence.known(true));
    /** What the controller of a component asks for. */
    private enum Wish {
        UNKNOWN,
        HERE,
        NOT_HERE,
        NOWHERE
    }

    private static final List<Wish> WISHES = List.of(Wish.values());

    private static void wish(SceneComponent part, Wish wish) {
        switch (wish) {
            case UNKNOWN -> {
                part.belongs = Evidence.unknown("x");
                part.switchedOff = Evidence.unknown("x");
            }
            case HERE, NOT_HERE -> {
                part.belongs(wish == Wish.HERE);
                part.switchedOff = Evidence.known(false);
            }
            case NOWHERE -> {
                part.belongs(false);
                part.switchedOff = Evidence.known(true);
            }
        }
    }

    private static final List<Evidence<Integer>> COUNTS =
            List.of(Evidence.unknown("x"), Evidence.known(0), Evidence.known(1));
    private static final List<Evidence<Running>> RUNNING = List.of(
            Evidence.unknown("x"),
            Evidence.known(Running.RUNNING),
            Evidence.known(Running.STOPPED),
            Evidence.known(Running.ABSENT));
    private static final List<Evidence<Health>> HEALTH = List.of(
            Evidence.unknown("x"),
            Evidence.known(new NotListening()),
            Evidence.known(new NotReady("slow")),
            Evidence.known(new NotReady("[-]etcd failed")),
            Evidence.known(new Health.Ready(KeeperScene.BEGIN)),
            Evidence.known(new NotReady("hung", Optional.of(KeeperScene.BEGIN))));
    private static final List<Evidence<Health>> UNDERSTUDY = List.of(
            Evidence.unknown("x"),
            Evidence.known(new NotListening()),
            Evidence.known(new NotReady("hung")),
            Evidence.known(new Health.Ready(KeeperScene.BEGIN)));
    private static final List<Evidence<List<PrincipalPod>>> PODS = List.of(
            Evidence.unknown("x"),
            Evidence.known(List.of()),
            Evidence.known(List.of(SceneComponent.readyPod())),
            Evidence.known(List.of(SceneComponent.unreadyPod())),
            Evidence.known(List.of(SceneComponent.leavingPod())),
            Evidence.known(List.of(SceneComponent.failedPod())));
    private static final List<Evidence<StaticManifest>> MANIFESTS = List.of(
            Evidence.unknown("x"),
            Evidence.known(new Absent()),
            Evidence.known(new Ours(OLD)),
            Evidence.known(new Ours(NEW)),
            Evidence.known(new OfStart()),
            Evidence.known(new Foreign()));
    private static final List<Evidence<FrontState>> FRONTS = List.of(
            Evidence.unknown("x"),
            Evidence.known(new FrontState.Unknown("x")),
            Evidence.known(new FrontState.NotInstalled()),
            Evidence.known(new FrontState.Foreign("x")),
            Evidence.known(new FrontState.Damaged("x")),
            Evidence.known(new FrontState.ToPrincipal()),
            Evidence.known(new FrontState.ToUnderstudy(Duration.ofSeconds(20))),
            Evidence.known(new FrontState.ToUnderstudy(Duration.ofSeconds(1))),
            Evidence.known(new FrontState.ToPrincipal(Optional.of(Duration.ofSeconds(20)))),
            Evidence.known(new FrontState.ToUnderstudy(Duration.ofSeconds(20), Optional.of(Duration.ofSeconds(1)))));
    private static final List<Evidence<Material>> MATERIAL = List.of(
            Evidence.unknown("x"),
            Evidence.known(new Material.Complete(SceneComponent.UID, OLD)),
            Evidence.known(new Material.Complete(SceneComponent.UID, NEW)),
            Evidence.known(new Material.Complete("uid-of-another", NEW)),
            Evidence.known(new Material.Refused(SceneComponent.UID, List.of())));
    private static final List<Evidence<StartSeen>> START = List.of(
            Evidence.unknown("x"),
            Evidence.known(new StartSeen.AtWork()),
            Evidence.known(new StartSeen.Idle(true)),
            Evidence.known(new StartSeen.Idle(false)));
    private static final List<Evidence<Slots>> SLOTS = slots();
    private static final List<Evidence<Successor>> SUCCESSORS = List.of(
            Evidence.unknown("x"),
            Evidence.known(Successor.WAITS),
            Evidence.known(Successor.ADMITTED),
            Evidence.known(Successor.DECIDES));

    /** Where it only matters whether there is something. */
    private static final List<Evidence<Slots>> FEW_SLOTS = List.of(
            Evidence.unknown("x"),
            Evidence.known(Slots.NONE),
            Evidence.known(new Slots(Optional.of(OLD), Optional.empty())),
            Evidence.known(new Slots(Optional.empty(), Optional.of(OLD))));

    /** Where it only matters whether clients are known to be sent to the principal. */
    private static final List<Evidence<FrontState>> FEW_FRONTS = List.of(
            Evidence.unknown("x"),
            Evidence.known(new FrontState.NotInstalled()),
            Evidence.known(new FrontState.ToPrincipal()),
            Evidence.known(new FrontState.ToUnderstudy(Duration.ofSeconds(20))));

    private static List<Evidence<Slots>> slots() {
        List<Optional<Revision>> revisions = List.of(Optional.empty(), Optional.of(OLD), Optional.of(NEW));
        List<Evidence<Slots>> all = new ArrayList<>();
        all.add(Evidence.unknown("x"));
        revisions.forEach(
                candidate -> revisions.forEach(lastGood -> all.add(Evidence.known(new Slots(candidate, lastGood)))));
        return all;
    }

    /** Goes through every combination of what is added to it. */
    private static final class Combinations {
        private final KeeperScene scene;
        private final List<List<Runnable>> choices = new ArrayList<>();
        private int count;

        Combinations(KeeperScene scene) {
            this.scene = scene;
        }

        <T> Combinations each(List<T> values, BiConsumer<KeeperScene, T> set) {
            choices.add(values.stream()
                    .<Runnable>map(value -> () -> set.accept(scene, value))
                    .toList());
            return this;
        }

        /** As {@link #each}, of a component. */
        <T> Combinations each(ComponentName name, List<T> values, BiConsumer<SceneComponent, T> set) {
            SceneComponent part = Objects.requireNonNull(scene.parts.get(name));
            return each(values, (_, value) -> set.accept(part, value));
        }

        int check() {
            choose(0);
            return count;
        }

        private void choose(int depth) {
            if (depth < choices.size()) {
                for (Runnable choice : choices.get(depth)) {
                    choice.run();
                    choose(depth + 1);
                }
                return;
            }
            Observation seen = scene.seen();
            Keeper keeper = new Keeper(scene.settings);
            Decision first = keeper.decide(seen, KeeperState.initial(), KeeperScene.BEGIN);
            KeeperInvariants.check(seen, first);
            KeeperInvariants.check(seen, keeper.decide(seen, first.state(), KeeperScene.BEGIN.plus(LONG)));
            count += 2;
        }
    }

    private static Combinations apiServer() {
        return new Combinations(KeeperScene.of(new SceneComponent(Role.API_SERVER)));
    }

    @Test
    void frontOfEveryCombination() {
        int decisions = apiServer()
                .each(KeeperScene.API_SERVER, HEALTH, (part, value) -> part.principal = value)
                .each(KeeperScene.API_SERVER, RUNNING, (part, value) -> part.principalRuns = value)
                .each(KeeperScene.API_SERVER, PODS, (part, value) -> part.pods = value)
                .each(KeeperScene.API_SERVER, MANIFESTS, (part, value) -> part.manifest = value)
                .each(KeeperScene.API_SERVER, UNDERSTUDY, (part, value) -> part.understudy = value)
                .each(FRONTS, (scene, value) -> scene.front = value)
                .check();

        assertThat(decisions).isEqualTo(2 * 6 * 4 * 6 * 6 * 4 * 10);
    }

    @Test
    void failoverOfAnApiServerOfEveryCombination() {
        int decisions = apiServer()
                .each(KeeperScene.API_SERVER, HEALTH, (part, value) -> part.principal = value)
                .each(KeeperScene.API_SERVER, RUNNING, (part, value) -> part.principalRuns = value)
                .each(KeeperScene.API_SERVER, PODS, (part, value) -> part.pods = value)
                .each(KeeperScene.API_SERVER, TRUTHS, (part, value) -> part.belongs = value)
                .each(KeeperScene.API_SERVER, MANIFESTS, (part, value) -> part.manifest = value)
                .each(KeeperScene.API_SERVER, SLOTS, (part, value) -> part.slots = value)
                .each(KeeperScene.API_SERVER, TRUTHS, (part, value) -> part.outdated = value)
                .each(COUNTS, (scene, value) -> scene.otherApiServers = value)
                .check();

        assertThat(decisions).isEqualTo(2 * 6 * 4 * 6 * 3 * 6 * 10 * 3 * 3);
    }

    @Test
    void failoverOfAnybodyElseOfEveryCombination() {
        KeeperScene scene =
                KeeperScene.beside(KeeperScene.CONTROLLER_MANAGER, new SceneComponent(Role.CONTROLLER_MANAGER));
        int decisions = new Combinations(scene)
                .each(KeeperScene.CONTROLLER_MANAGER, RUNNING, (part, value) -> part.principalRuns = value)
                .each(KeeperScene.CONTROLLER_MANAGER, PODS, (part, value) -> part.pods = value)
                .each(KeeperScene.CONTROLLER_MANAGER, WISHES, KeeperEnumerationTest::wish)
                .each(KeeperScene.CONTROLLER_MANAGER, MANIFESTS, (part, value) -> part.manifest = value)
                .each(KeeperScene.CONTROLLER_MANAGER, RUNNING, (part, value) -> part.understudyRuns = value)
                .each(KeeperScene.CONTROLLER_MANAGER, UNDERSTUDY, (part, value) -> part.understudy = value)
                .each(KeeperScene.CONTROLLER_MANAGER, SLOTS, (part, value) -> part.slots = value)
                .check();

        assertThat(decisions).isEqualTo(2 * 4 * 6 * 4 * 6 * 4 * 4 * 10);
    }

    @Test
    void checkpointsOfEveryCombination() {
        int decisions = apiServer()
                .each(KeeperScene.API_SERVER, HEALTH, (part, value) -> part.principal = value)
                .each(KeeperScene.API_SERVER, RUNNING, (part, value) -> part.principalRuns = value)
                .each(KeeperScene.API_SERVER, PODS, (part, value) -> part.pods = value)
                .each(KeeperScene.API_SERVER, TRUTHS, (part, value) -> part.belongs = value)
                .each(KeeperScene.API_SERVER, SLOTS, (part, value) -> part.slots = value)
                .each(KeeperScene.API_SERVER, MATERIAL, (part, value) -> part.material = value)
                .check();

        assertThat(decisions).isEqualTo(2 * 6 * 4 * 6 * 3 * 10 * 5);
    }

    @Test
    void retirementOfEveryCombination() {
        int decisions = apiServer()
                .each(KeeperScene.API_SERVER, UNDERSTUDY, (part, value) -> part.principal = value)
                .each(KeeperScene.API_SERVER, TRUTHS, (part, value) -> part.belongs = value)
                .each(KeeperScene.API_SERVER, MANIFESTS, (part, value) -> part.manifest = value)
                .each(KeeperScene.API_SERVER, RUNNING, (part, value) -> part.understudyRuns = value)
                .each(KeeperScene.API_SERVER, UNDERSTUDY, (part, value) -> part.understudy = value)
                .each(KeeperScene.API_SERVER, FEW_SLOTS, (part, value) -> part.slots = value)
                .each(TRUTHS, (scene, value) -> scene.keeperWanted = value)
                .each(FEW_FRONTS, (scene, value) -> scene.front = value)
                .each(COUNTS, (scene, value) -> scene.otherApiServers = value)
                .check();

        assertThat(decisions).isEqualTo(2 * 4 * 3 * 6 * 4 * 4 * 4 * 3 * 4 * 3);
    }

    /** Of a scheduler, beside a controller manager that keeps counts or not, and beside a successor. */
    @Test
    void retirementOfASchedulerOfEveryCombination() {
        ComponentName successor = new ComponentName("kube-system", "renamed");
        KeeperScene scene = KeeperScene.beside(KeeperScene.SCHEDULER, new SceneComponent(Role.SCHEDULER))
                .with(KeeperScene.CONTROLLER_MANAGER, new SceneComponent(Role.CONTROLLER_MANAGER))
                .with(successor, new SceneComponent(Role.SCHEDULER));
        int decisions = new Combinations(scene)
                .each(KeeperScene.SCHEDULER, WISHES, KeeperEnumerationTest::wish)
                .each(KeeperScene.SCHEDULER, COUNTS, (part, value) -> part.elsewhere = value)
                .each(KeeperScene.SCHEDULER, MANIFESTS.subList(0, 3), (part, value) -> part.manifest = value)
                .each(KeeperScene.SCHEDULER, RUNNING, (part, value) -> part.understudyRuns = value)
                .each(KeeperScene.SCHEDULER, FEW_SLOTS, (part, value) -> part.slots = value)
                .each(KeeperScene.CONTROLLER_MANAGER, PODS.subList(0, 3), (part, value) -> part.pods = value)
                .each(
                        KeeperScene.CONTROLLER_MANAGER,
                        RUNNING.subList(0, 2),
                        (part, value) -> part.understudyRuns = value)
                .each(successor, PODS.subList(0, 3), (part, value) -> part.pods = value)
                .each(successor, TRUTHS, (part, value) -> part.belongs = value)
                .each(successor, FEW_SLOTS, (part, value) -> part.slots = value)
                .check();

        assertThat(decisions).isEqualTo(2 * 4 * 3 * 3 * 4 * 4 * 3 * 2 * 3 * 3 * 4);
    }

    @Test
    void theKeeperItselfOfEveryCombination() {
        KeeperScene scene = KeeperScene.beside(KeeperScene.KEEPER, new SceneComponent(Role.KEEPER))
                .with(KeeperScene.OTHER, new SceneComponent(Role.OTHER));
        int decisions = new Combinations(scene)
                .each(KeeperScene.KEEPER, RUNNING, (part, value) -> part.principalRuns = value)
                .each(KeeperScene.KEEPER, PODS, (part, value) -> part.pods = value)
                .each(KeeperScene.KEEPER, MANIFESTS, (part, value) -> part.manifest = value)
                .each(KeeperScene.KEEPER, FEW_SLOTS, (part, value) -> part.slots = value)
                .each(KeeperScene.OTHER, FEW_SLOTS, (part, value) -> part.slots = value)
                .each(TRUTHS, (all, value) -> all.keeperWanted = value)
                .each(List.of(true, false), (all, value) -> all.staticCopy = value)
                .each(SUCCESSORS, (all, value) -> all.successor = value)
                .check();

        assertThat(decisions).isEqualTo(2 * 4 * 6 * 6 * 4 * 4 * 3 * 2 * 4);
    }

    @Test
    void whoIsAtWorkAndWhatTheApiSaysOfEveryCombination() {
        RejectedPod rejected = new RejectedPod("kube-system", "a", "uid-a", "NodeAffinity");
        int decisions = apiServer()
                .each(KeeperScene.API_SERVER, HEALTH, (part, value) -> part.principal = value)
                .each(KeeperScene.API_SERVER, MANIFESTS, (part, value) -> part.manifest = value)
                .each(KeeperScene.API_SERVER, MATERIAL, (part, value) -> part.material = value)
                .each(START, (scene, value) -> scene.start = value)
                .each(TRUTHS, (scene, value) -> scene.podCheckpointer = value)
                .each(TRUTHS, (scene, value) -> scene.serviceEndpoints = value)
                .each(
                        List.<Evidence<NodeSeen>>of(
                                Evidence.unknown("x"),
                                Evidence.known(KeeperScene.node(false, true)),
                                Evidence.known(new NodeSeen(false, true, true, Evidence.known(Optional.empty()))),
                                Evidence.known(KeeperScene.node(true, true)),
                                Evidence.known(KeeperScene.node(false, false))),
                        (scene, value) -> scene.node = value)
                .each(
                        List.<Evidence<List<RejectedPod>>>of(
                                Evidence.unknown("x"), Evidence.known(List.of()), Evidence.known(List.of(rejected))),
                        (scene, value) -> scene.rejected = value)
                .check();

        assertThat(decisions).isEqualTo(2 * 6 * 6 * 5 * 4 * 3 * 3 * 5 * 3);
    }

    /** What the Node may say of checkpoints beside what there is to say; unknown, garbled and absent among them. */
    @Test
    void whatTheNodeTellsOfEveryCombination() {
        CheckpointSummary some = summary(OLD);
        List<Evidence<CheckpointSummary>> summaries = List.of(
                Evidence.unknown("x"),
                Evidence.known(CheckpointSummary.NONE),
                Evidence.known(some),
                Evidence.known(summary(NEW)));
        List<Evidence<NodeSeen>> nodes = List.of(
                Evidence.unknown("x"),
                Evidence.known(KeeperScene.node(true, true)),
                Evidence.known(new NodeSeen(true, true, true, Evidence.unknown("is not JSON"))),
                Evidence.known(new NodeSeen(true, true, true, Evidence.known(Optional.of(CheckpointSummary.NONE)))),
                Evidence.known(new NodeSeen(true, true, true, Evidence.known(Optional.of(some)))));
        int decisions = apiServer()
                .each(KeeperScene.API_SERVER, SLOTS, (part, value) -> part.slots = value)
                .each(KeeperScene.API_SERVER, HEALTH, (part, value) -> part.principal = value)
                .each(START, (scene, value) -> scene.start = value)
                .each(TRUTHS, (scene, value) -> scene.podCheckpointer = value)
                .each(TRUTHS, (scene, value) -> scene.keeperWanted = value)
                .each(summaries, (scene, value) -> scene.checkpoints = value)
                .each(nodes, (scene, value) -> scene.node = value)
                .check();

        assertThat(decisions).isEqualTo(2 * 10 * 6 * 4 * 3 * 3 * 4 * 5);
    }

    private static CheckpointSummary summary(Revision lastGood) {
        return new CheckpointSummary(
                new TreeMap<>(Map.of(
                        KeeperScene.API_SERVER,
                        new CheckpointSummary.Saved(
                                Optional.of(new CheckpointSummary.Slot(lastGood, Optional.of(KeeperScene.BEGIN))),
                                Optional.empty()))),
                new TreeMap<>());
    }

    private static Target target(Made made, Optional<String> current, boolean paused) {
        return new Target(
                KeeperScene.API_SERVER,
                made,
                Map.of(SceneComponent.UID, "old"),
                current,
                paused,
                "",
                Optional.empty(),
                ChangeSeen.Others.NONE);
    }

    private static List<Evidence<Optional<Target>>> targets() {
        Made next = new Made.Complete(NEW);
        Optional<String> old = Optional.of("old");
        Optional<String> other = Optional.of("new");
        return List.of(
                Evidence.unknown("x"),
                Evidence.known(Optional.empty()),
                Evidence.known(Optional.of(target(new Made.Complete(OLD), old, false))),
                Evidence.known(Optional.of(target(new Made.Complete(OLD), other, false))),
                Evidence.known(Optional.of(target(next, old, false))),
                Evidence.known(Optional.of(target(next, other, false))),
                Evidence.known(Optional.of(target(next, Optional.empty(), false))),
                Evidence.known(Optional.of(target(next, other, true))),
                Evidence.known(
                        Optional.of(target(new Made.Refused(Optional.of(NEW), List.of(), false), other, false))));
    }

    private static List<Evidence<ChangeRecord>> records() {
        ChangeRecord proven = ChangeRecord.NONE.withProven(Optional.of(new ChangeRecord.Proven(NEW, "old")));
        ChangeRecord.Failure failure = new ChangeRecord.Failure(NEW, "", "why");
        return List.of(
                Evidence.unknown("x"),
                Evidence.known(ChangeRecord.NONE),
                Evidence.known(proven),
                Evidence.known(proven.withFailure(failure)),
                Evidence.known(ChangeRecord.NONE.withFailure(failure)));
    }

    /** What a change looks at besides, in few words: the servers, the pods, and who is trusted. */
    @Test
    void changeOfEveryCombination() {
        List<Evidence<Health>> principals = List.of(HEALTH.get(0), HEALTH.get(1), HEALTH.get(2), HEALTH.get(4));
        List<Evidence<List<PrincipalPod>>> pods = List.of(PODS.get(0), PODS.get(1), PODS.get(2), PODS.get(4));
        List<Evidence<Health>> understudies = List.of(UNDERSTUDY.get(0), UNDERSTUDY.get(1), UNDERSTUDY.get(3));
        List<Evidence<Slots>> slots = List.of(
                Evidence.unknown("x"),
                Evidence.known(new Slots(Optional.empty(), Optional.of(OLD))),
                Evidence.known(new Slots(Optional.of(NEW), Optional.of(OLD))),
                Evidence.known(new Slots(Optional.of(NEW), Optional.empty())));
        List<Evidence<LeaseSeen>> leases = List.of(
                Evidence.known(new LeaseSeen.Free()),
                Evidence.known(new LeaseSeen.Free().withoutServers(Set.of("10.77.0.3"))),
                Evidence.known(new LeaseSeen.Mine(true)));
        List<Evidence<Proof>> proofs = List.of(
                Evidence.known(new Proof.Failed("list", "500")), Evidence.known(new Proof.Passed(KeeperScene.BEGIN)));
        KeeperScene scene = KeeperScene.of(new SceneComponent(Role.API_SERVER));
        int decisions = new Combinations(scene)
                .each(KeeperScene.API_SERVER, principals, (part, value) -> part.principal = value)
                .each(KeeperScene.API_SERVER, pods, (part, value) -> part.pods = value)
                .each(KeeperScene.API_SERVER, MANIFESTS.subList(1, 4), (part, value) -> part.manifest = value)
                .each(KeeperScene.API_SERVER, understudies, (part, value) -> {
                    part.understudy = value;
                    part.understudyRuns = value.is(health -> health instanceof Health.Ready)
                            ? Evidence.known(Running.RUNNING)
                            : Evidence.known(Running.ABSENT);
                })
                .each(KeeperScene.API_SERVER, slots, (part, value) -> part.slots = value)
                .each(FEW_FRONTS, (all, value) -> all.front = value)
                .each(targets(), (all, value) -> change(all, value, all.change.record()))
                .each(records(), (all, value) -> change(all, all.change.target(), value))
                .each(leases, (all, value) -> all.change = with(all.change, value, all.change.understudy()))
                .each(proofs, (all, value) -> all.change = with(all.change, all.change.lease(), value))
                .check();

        assertThat(decisions).isEqualTo(2 * 4 * 4 * 3 * 3 * 4 * 4 * 9 * 5 * 3 * 2);
    }

    private static void change(KeeperScene scene, Evidence<Optional<Target>> target, Evidence<ChangeRecord> record) {
        Evidence<Proof> passed = Evidence.known(new Proof.Passed(KeeperScene.BEGIN));
        scene.change = new ChangeSeen(target, record, scene.change.lease(), passed, scene.change.understudy(), "", 0);
    }

    private static ChangeSeen with(ChangeSeen seen, Evidence<LeaseSeen> lease, Evidence<Proof> understudy) {
        return new ChangeSeen(seen.target(), seen.record(), lease, seen.principal(), understudy, "", 0);
    }
}
