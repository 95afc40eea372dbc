package dev.ouroboros.bootstrap.decide;

import dev.ouroboros.bootstrap.decide.PivotObservation.Acceptance;
import dev.ouroboros.bootstrap.decide.PivotObservation.Applied;
import dev.ouroboros.bootstrap.decide.PivotObservation.Crash;
import dev.ouroboros.bootstrap.decide.PivotObservation.Front;
import dev.ouroboros.bootstrap.decide.PivotObservation.Manifest;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.evidence.Health;
import dev.ouroboros.model.front.Server;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.start.NodeView;
import dev.ouroboros.model.start.SelfHostedWorkload;
import dev.ouroboros.model.start.SelfHostedWorkload.UnreadyContainer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.random.RandomGenerator;

/**
 * A node as a pivot sees it, modelled: servers take some ticks to start and to end, sources are unknown now and then, actions
 * fail now and then. Deterministic for a seed.
 */
final class ModelPivotNode {
    static final Duration TICK = Duration.ofMillis(200);
    private static final int SLOW_START_TICKS = 25;

    private final RandomGenerator random;
    /** How often, of 100, a source does not answer or an action fails. */
    private final int troublePercent;

    Instant now = Instant.EPOCH;
    Front front = Front.ABSENT;
    int leaseTicks;
    boolean secrets;
    boolean applied;
    boolean workloadsApplied;
    /** Whether the other workloads have pods, which controllers of before or their own made. */
    boolean othersBegan;

    boolean apiServerApplied;
    /** Ticks that the temporary API server needs to be ready. */
    int understudyBoots = 10;
    /** Whether the others were started while the self-hosted API server was not ready. */
    boolean beganTogether;
    /** Whether the others were started while both API servers ran, after the self-hosted one had begun alone. */
    boolean beganBesideTwoServers;

    boolean labelled;
    boolean serviceLeadsHere;
    boolean frontProven;
    boolean restartPending = true;
    boolean kubeletStartsSlowly;
    int joinsIn = -1;
    boolean joined;
    boolean accepted;
    List<Problem> frontProblems = List.of();
    Optional<Problem> acceptanceFailure = Optional.empty();
    boolean othersReady = true;
    /** The temporary controller manager has ended five times, and listens again or does not. */
    boolean managerEnds;

    boolean managerListens;
    boolean understudyCrashes;
    boolean kubeletEndsNothing;
    List<String> otherControlPlanes = List.of();
    /** Both API servers want one port: the second one ends by itself, again and again, until the first is gone. */
    boolean sharedPort;

    int principalRestarts;
    /** What the principal's log says, once somebody looks. */
    String lastLines = "";

    final Set<Component> foreign = EnumSet.noneOf(Component.class);
    final Set<Component> manifests = EnumSet.noneOf(Component.class);
    final Set<Component> stale = EnumSet.noneOf(Component.class);
    final Map<Component, Integer> age = new EnumMap<>(Component.class);
    final List<Problem> refusals = new ArrayList<>();
    int restarts;
    int principalAge = -1;
    boolean principalFails;
    /** How often, of 100, our probe of a principal that is ready fails, while those of the kubelet do not. */
    int principalProbesFailPercent;
    /** The principal's pod is not what its DaemonSet asks for now. */
    boolean principalOutdated;
    /** API servers that cannot read Secrets. */
    final Set<Server> blind = EnumSet.noneOf(Server.class);

    /** How often, of 100, clients are not answered in time. */
    int endpointTooLatePercent;

    private Optional<Instant> endpointSince = Optional.empty();
    Optional<Instant> principalSince = Optional.empty();
    Optional<Instant> understudySince = Optional.empty();

    ModelPivotNode(RandomGenerator random, int troublePercent) {
        this.random = random;
        this.troublePercent = troublePercent;
    }

    private boolean trouble() {
        return random.nextInt(100) < troublePercent;
    }

    private <T> Evidence<T> maybe(T value) {
        return trouble() ? Evidence.unknown("no answer") : Evidence.known(value);
    }

    boolean understudyReady() {
        return understudySince.isPresent();
    }

    boolean principalReady() {
        return principalSince.isPresent();
    }

    PivotObservation observe() {
        boolean api = understudyReady() || principalReady();
        Map<Component, Evidence<Manifest>> files = new EnumMap<>(Component.class);
        Map<Component, Evidence<Health>> helpers = new EnumMap<>(Component.class);
        for (Component component : Component.WITH_UNDERSTUDY) {
            files.put(
                    component,
                    maybe(
                            foreign.contains(component)
                                    ? Manifest.FOREIGN
                                    : manifests.contains(component) ? Manifest.OURS : Manifest.ABSENT));
            boolean closed = component == Component.CONTROLLER_MANAGER && managerEnds && !managerListens;
            helpers.put(
                    component,
                    maybe(age.containsKey(component) && !closed ? new Health.Ready(now) : new Health.NotListening()));
        }
        Health understudy = understudySince
                .<Health>map(Health.Ready::new)
                .orElse(
                        age.containsKey(Component.API_SERVER)
                                ? new Health.NotReady("starting")
                                : new Health.NotListening());
        boolean probeFails = principalProbesFailPercent > 0 && random.nextInt(100) < principalProbesFailPercent;
        Health principal = principalSince
                .filter(_ -> !probeFails)
                .<Health>map(Health.Ready::new)
                .orElse(principalAge >= 0 ? new Health.NotReady("starting") : new Health.NotListening());
        boolean leadsToPrincipal = front == Front.PRINCIPAL || front == Front.ABSENT;
        boolean endpointAnswers = sharedPort ? api : leadsToPrincipal ? principalReady() : understudyReady();
        if (endpointAnswers && random.nextInt(100) >= endpointTooLatePercent) {
            endpointSince = endpointSince.or(() -> Optional.of(now));
        } else {
            endpointSince = Optional.empty();
        }
        boolean othersRun = othersBegan && (sharedPort || principalReady());
        List<SelfHostedWorkload> workloads = List.of(
                new SelfHostedWorkload(
                        "kube-system/kube-apiserver",
                        principalReady() ? 1 : 0,
                        1,
                        principalAge >= 0 || principalRestarts > 0 ? 1 : 0,
                        principalRestarts,
                        principalOutdated,
                        "",
                        List.of(new UnreadyContainer("kube-system", "kube-apiserver-x", "kube-apiserver", lastLines))),
                new SelfHostedWorkload(
                        "kube-system/kube-scheduler", othersRun && othersReady ? 1 : 0, 1, 1, 0, false, "", List.of()));
        return new PivotObservation(
                maybe(understudy),
                maybe(principal),
                principalReady() ? maybe(readers()) : Evidence.unknown("not asked"),
                maybe(endpointSince.<Health>map(Health.Ready::new).orElseGet(() -> new Health.NotReady(""))),
                maybe(leadsToPrincipal ? Server.PRINCIPAL : Server.UNDERSTUDY),
                helpers,
                files,
                maybe(crashes()),
                maybe(secrets),
                maybe(front),
                frontProven ? maybe(frontProblems) : Evidence.unknown("not proven"),
                api ? maybe(new Applied(applied ? 7 : 0, 7)) : Evidence.unknown("no API"),
                api
                        ? maybe(new Applied(workloadsApplied ? 4 : apiServerApplied ? 1 : 0, 4))
                        : Evidence.unknown("no API"),
                api ? maybe(new NodeView(joined, labelled, otherControlPlanes)) : Evidence.unknown("no API"),
                maybe(restartPending),
                api ? maybe(workloads) : Evidence.unknown("no API"),
                api ? maybe(List.copyOf(stale)) : Evidence.unknown("no API"),
                api ? maybe(serviceLeadsHere) : Evidence.unknown("no API"),
                refusals,
                acceptance());
    }

    private Set<Server> readers() {
        Set<Server> readers = EnumSet.of(Server.PRINCIPAL);
        if (understudyReady()) {
            readers.add(Server.UNDERSTUDY);
        }
        readers.removeAll(blind);
        return readers;
    }

    private Evidence<Acceptance> acceptance() {
        if (acceptanceFailure.isPresent()) {
            return Evidence.known(new Acceptance.Failed(acceptanceFailure.get()));
        }
        return accepted ? Evidence.known(new Acceptance.Passed()) : Evidence.unknown("not run");
    }

    void perform(PivotAction action) {
        boolean api = understudyReady() || principalReady();
        if (trouble()) {
            return;
        }
        switch (action) {
            case PivotAction.InstallFront _,
                    PivotAction.PointFrontToUnderstudy _,
                    PivotAction.PointFrontToPrincipal _,
                    PivotAction.ProveFront _,
                    PivotAction.WriteServiceEndpoints _
            when sharedPort -> throw new AssertionError("there is no front on a shared port: " + action);
            case PivotAction.InstallFront _ -> front = front == Front.ABSENT ? Front.PRINCIPAL : front;
            case PivotAction.PointFrontToUnderstudy _ -> {
                front = Front.UNDERSTUDY;
                leaseTicks = 100;
            }
            case PivotAction.PointFrontToPrincipal _ -> front = Front.PRINCIPAL;
            case PivotAction.ProveFront _ -> frontProven = understudyReady() && front == Front.UNDERSTUDY;
            case PivotAction.CopySecrets _ -> secrets = true;
            case PivotAction.RemoveSecrets _ -> secrets = false;
            case PivotAction.WriteManifest(Component component) -> {
                if (foreign.contains(component)) {
                    throw new AssertionError("wrote over a foreign manifest of " + component);
                }
                manifests.add(component);
            }
            case PivotAction.RemoveManifest(Component component) -> manifests.remove(component);
            case PivotAction.ApplyManifests _ -> applied |= api;
            case PivotAction.ApplyApiServer _ -> {
                if (!labelled) {
                    throw new AssertionError("made pods that find no node");
                }
                apiServerApplied |= api;
            }
            case PivotAction.ApplyWorkloads _ -> {
                if (!labelled) {
                    throw new AssertionError("made pods that find no node");
                }
                workloadsApplied |= api;
                beganTogether |= api && !principalReady();
                beganBesideTwoServers |= apiServerApplied && age.containsKey(Component.API_SERVER);
            }
            case PivotAction.DeleteOutdatedApiServer _ -> {
                if ((principalReady() && !blind.contains(Server.PRINCIPAL)) || !understudyReady()) {
                    throw new AssertionError("deleted an API server that serves, or without another one");
                }
                // The DaemonSet makes one of the template of now.
                if (principalOutdated && api) {
                    principalOutdated = false;
                    principalFails = false;
                    blind.remove(Server.PRINCIPAL);
                    principalAge = -1;
                    principalSince = Optional.empty();
                }
            }
            case PivotAction.RestartKubelet _ -> {
                boolean hasStartedServers =
                        age.containsKey(Component.API_SERVER) && age.containsKey(Component.CONTROLLER_MANAGER);
                if (!applied && !(kubeletStartsSlowly && hasStartedServers)) {
                    throw new AssertionError("restarted the kubelet before it could join");
                }
                restartPending = false;
                joined |= api && applied;
                joinsIn = kubeletStartsSlowly ? SLOW_START_TICKS : 0;
            }
            case PivotAction.LabelNode _ -> labelled |= api && joined;
            case PivotAction.WriteServiceEndpoints _ -> serviceLeadsHere |= api;
            case PivotAction.ReleaseLeaderLease(Component component) -> {
                if (age.containsKey(component)) {
                    throw new AssertionError("released the lease of " + component + ", which still runs");
                }
                stale.remove(component);
            }
            case PivotAction.RunAcceptance _ -> accepted = principalReady() && (sharedPort || front == Front.PRINCIPAL);
        }
    }

    /** Time passes: what was started comes up, what was removed ends. */
    void tick() {
        now = now.plus(TICK);
        for (Component component : Component.WITH_UNDERSTUDY) {
            if (manifests.contains(component)) {
                age.merge(component, 1, Integer::sum);
            } else if (random.nextInt(4) == 0 && !kubeletEndsNothing) {
                age.remove(component);
            }
        }
        if (front == Front.UNDERSTUDY || front == Front.UNDERSTUDY_EXPIRING) {
            leaseTicks--;
            front = leaseTicks <= 0 ? Front.PRINCIPAL : leaseTicks < 60 ? Front.UNDERSTUDY_EXPIRING : Front.UNDERSTUDY;
        }
        joinsIn = Math.max(joinsIn - 1, -1);
        if (joinsIn == 0) {
            // It asks for its certificate at its start and again and again.
            joined |= applied && understudyReady();
            joinsIn = joined ? -1 : SLOW_START_TICKS;
        }
        if (applied && understudyReady() && random.nextInt(160) == 0) {
            joined = true;
        }
        boolean understudyUp =
                secrets && age.getOrDefault(Component.API_SERVER, 0) > understudyBoots && !understudyCrashes;
        understudySince = understudyUp ? Optional.of(understudySince.orElse(now)) : Optional.empty();
        if (understudyCrashes && age.getOrDefault(Component.API_SERVER, 0) % 50 == 49) {
            restarts++;
        }
        for (Component leader : List.of(Component.CONTROLLER_MANAGER, Component.SCHEDULER)) {
            if (age.getOrDefault(leader, 0) == 5) {
                stale.add(leader);
            }
        }
        boolean begun = principalAge >= 0 || principalRestarts > 0;
        boolean scheduled =
                (workloadsApplied || apiServerApplied) && labelled && (begun || age.containsKey(Component.SCHEDULER));
        boolean areMade = age.containsKey(Component.CONTROLLER_MANAGER) && age.containsKey(Component.SCHEDULER);
        othersBegan |= workloadsApplied && labelled && areMade;
        boolean portTaken = sharedPort && age.containsKey(Component.API_SERVER);
        if (scheduled && portTaken) {
            principalRestarts += principalFails ? 0 : 1;
        } else if (scheduled && !principalFails) {
            principalAge++;
        }
        principalSince = principalAge > 15 ? Optional.of(principalSince.orElse(now)) : Optional.empty();
    }

    private List<Crash> crashes() {
        List<Crash> crashes = new ArrayList<>();
        if (restarts > 0) {
            crashes.add(new Crash(Component.API_SERVER, restarts, "unknown flag: --bogus"));
        }
        if (managerEnds) {
            crashes.add(new Crash(Component.CONTROLLER_MANAGER, 5, "leaderelection lost"));
        }
        return crashes;
    }
}
