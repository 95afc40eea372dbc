package dev.ouroboros.sim;

import static dev.ouroboros.sim.Blueprint.metadataOf;

import dev.ouroboros.model.component.Role;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.sim.Blueprint.Kept;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * People who scale the controller manager and the scheduler, to none or to two, for a time, and then back to one; and what must hold
 * meanwhile: a wish for none is obeyed, and what is wanted again runs within a bounded time, as a pod or as an understudy, although
 * nobody may be there to make or to place its pods.
 */
final class Scaling {
    private static final List<Kept> SCALED = Blueprint.LEADERS;
    /** Longer than the retire grace, and than it takes to notice. */
    private static final Duration LONG_AWAY = Duration.ofSeconds(330);

    /** How long it takes until a keeper sees a wish and decides, and the kubelet starts what the keeper wrote. */
    private static final Duration SEEN = Duration.ofSeconds(30);
    /** When nothing is broken: the patience before an understudy that nobody wants is stopped, and the kubelet's grace. */
    private static final Duration OBEYED_BY = Duration.ofMinutes(2);
    /** When nothing is broken: a kubelet restarts a container that ended often only after five minutes. */
    private static final Duration SERVED_BY = Duration.ofMinutes(7);

    private final ClusterModel cluster;
    /** Until when people want what they asked for last. */
    private final Map<Kept, Instant> until = new HashMap<>();

    private final Map<Kept, Instant> noneSince = new HashMap<>();
    private final Map<Kept, Instant> someSince = new HashMap<>();
    private final Map<Kept, Instant> awaySince = new HashMap<>();
    private final Set<String> begun = new HashSet<>();
    private Instant nextLook = Instant.MIN;
    private Optional<Instant> soundSince = Optional.empty();
    private boolean calm;

    Scaling(ClusterModel cluster) {
        this.cluster = cluster;
    }

    /** What people do once. */
    void strike(Chance chance) {
        int replicas = chance.one(List.of(0, 0, 0, cluster.hasSeveral() ? 1 : 2));
        Duration time = chance.of100(35) ? LONG_AWAY.plus(chance.seconds(0, 200)) : chance.seconds(5, 100);
        for (Kept kept : chance.one(List.of(List.of(Blueprint.MANAGER), List.of(Blueprint.SCHEDULER), SCALED))) {
            until.put(kept, cluster.now().plus(time));
            scale(kept, replicas);
        }
    }

    /** In the end they want one of each, of several machines two, whatever a backup said. */
    void scaleBack() {
        for (Kept kept : SCALED) {
            boolean over = !until.getOrDefault(kept, Instant.MIN).isAfter(cluster.now());
            if (over && cluster.answers()) {
                scale(kept, cluster.hasSeveral() ? 2 : 1);
            }
        }
    }

    /** Faults have stopped. */
    void calm() {
        calm = true;
    }

    private void scale(Kept kept, int replicas) {
        cluster.objects().get(kept.path()).ifPresent(deployment -> {
            if (replicas(deployment) == replicas) {
                return;
            }
            cluster.trace().say("user", kept.name() + " is scaled to " + replicas);
            cluster.trace().count("people: scaled to " + replicas);
            long generation = deployment.at("metadata", "generation").integer().orElse(0);
            Json.Fields metadata = metadataOf(deployment).with("generation", Json.number(generation + 1));
            cluster.objects()
                    .put(
                            kept.path(),
                            Blueprint.withReplicas(deployment, replicas).with("metadata", metadata));
        });
    }

    static long replicas(Json deployment) {
        return deployment.at("spec", "replicas").integer().orElse(1);
    }

    /** How long something has lasted is looked at every {@link ClusterInvariants#LOOK}. */
    void check() {
        Instant now = cluster.now();
        if (now.isBefore(nextLook)) {
            return;
        }
        nextLook = now.plus(ClusterInvariants.LOOK);
        boolean sound = calm && cluster.machines().stream().allMatch(Scaling::isSound);
        soundSince = sound ? soundSince.or(() -> Optional.of(now)) : Optional.empty();
        for (Kept kept : SCALED) {
            Optional<Boolean> wanted = cluster.objects().get(kept.path()).map(deployment -> replicas(deployment) > 0);
            note(noneSince, kept, wanted.filter(some -> !some).isPresent());
            note(someSince, kept, wanted.filter(some -> some).isPresent());
            note(awaySince, kept, !runs(kept));
            if (soundSince.isPresent()) {
                checkSound(kept, soundSince.get());
            }
        }
    }

    private static boolean isSound(Machine machine) {
        return machine.isPowered()
                && machine.starts().areDone()
                && (machine.keeper().isPresent() || !machine.isLabelled())
                && machine.servers().answers();
    }

    private void note(Map<Kept, Instant> since, Kept kept, boolean holds) {
        if (holds) {
            since.putIfAbsent(kept, cluster.now());
        } else {
            since.remove(kept);
        }
    }

    private void checkSound(Kept kept, Instant since) {
        boolean unwanted = lasted(noneSince, kept, since, OBEYED_BY);
        cluster.require(
                !unwanted || cluster.runs().noneMatch(run -> isUnderstudy(run, kept.role())),
                "a wish for none is obeyed",
                "an understudy of " + kept.name() + " runs on");
        boolean missed = lasted(someSince, kept, since, SERVED_BY) && lasted(awaySince, kept, since, SERVED_BY);
        cluster.require(
                !missed,
                "what is wanted again runs within " + SERVED_BY.toMinutes() + " minutes",
                "nothing of " + kept.name() + " runs");
    }

    private boolean lasted(Map<Kept, Instant> times, Kept kept, Instant sound, Duration bound) {
        Instant from = times.get(kept);
        return from != null && cluster.now().isAfter((from.isAfter(sound) ? from : sound).plus(bound));
    }

    private boolean runs(Kept kept) {
        return cluster.runs()
                .flatMap(run -> run.program.stream())
                .anyMatch(program -> program.role == kept.role() && program.isReady(cluster.now()));
    }

    private static boolean isUnderstudy(PodRun run, Role role) {
        return run.isStatic && run.role == role && !run.name.startsWith("bootstrap-");
    }

    /** A container begins. One that was begun before is started again by the kubelet, whatever anybody wants. */
    void started(PodRun run) {
        for (Kept kept : SCALED) {
            if (isUnderstudy(run, kept.role()) && begun.add(run.uid)) {
                Instant none = noneSince.get(kept);
                cluster.require(
                        none == null || none.plus(SEEN).isAfter(cluster.now()),
                        "a wish for none is obeyed",
                        "an understudy of " + kept.name() + " begins");
            }
        }
    }
}
