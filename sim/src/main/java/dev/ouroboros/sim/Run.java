package dev.ouroboros.sim;

import dev.ouroboros.keeper.decide.ChangeStep;
import dev.ouroboros.keeper.decide.KeeperSettings;
import dev.ouroboros.model.component.Role;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.sim.Blueprint.Kept;
import dev.ouroboros.sim.Blueprint.Template;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * One seed: a cluster comes to rest, things go wrong for a while, then nothing goes wrong any more, whoever asked for something bad asks
 * for something good, and it has to come to rest again by itself.
 */
final class Run {
    private static final Duration FIRST_REST = Duration.ofMinutes(6);
    /** How many runs begin with a pivot. */
    private static final int EMPTY_OF_100 = 12;
    /** How many are of several machines. */
    private static final int SEVERAL_OF_100 = 10;
    /** In how many the kubelet runs etcd too. */
    private static final int MEMBER_OF_100 = 15;

    private static final Duration BOUND = Duration.ofMinutes(45);

    private final ClusterModel cluster;
    private final Rest rest;
    private final Chance chance;
    private final ClusterModel.Beginning beginning;

    private Run(long seed, Distortion distortion, Size size) {
        Chance source = Chance.of(seed);
        this.chance = source.split();
        boolean empty = chance.of100(EMPTY_OF_100);
        Chance ofMachine = source.split();
        KeeperSettings settings = settings(source.split());
        Chance ofEtcd = source.split();
        boolean hasMember = ofEtcd.of100(MEMBER_OF_100);
        Chance ofSize = source.split();
        boolean several = switch (size) {
            case ONE -> false;
            case SEVERAL -> true;
            case ANY -> ofSize.of100(SEVERAL_OF_100);
        };
        List<Chance> chances = several ? List.of(ofMachine, ofSize.split(), ofSize.split()) : List.of(ofMachine);
        this.beginning = empty && !several ? ClusterModel.Beginning.EMPTY : ClusterModel.Beginning.STARTED;
        this.cluster = new ClusterModel(
                chances,
                settings,
                distortion,
                beginning,
                hasMember && !several ? Optional.of(ofEtcd) : Optional.empty());
        this.rest = new Rest(cluster);
    }

    /** How many machines a cluster has. */
    enum Size {
        ONE,
        /** Three, each with a member of etcd. */
        SEVERAL,
        /** As the seed says. */
        ANY
    }

    /**
     * The result of the run.
     *
     * @param violation the rule and what broke it; empty when all held
     * @param lines the last events
     * @param digest of all events
     */
    record Outcome(
            long seed,
            Optional<String> rule,
            Optional<String> violation,
            List<String> lines,
            long digest,
            Map<String, Long> counts,
            Duration simulated,
            long events) {}

    /** Random durations that people might set; all others are the defaults. */
    private static KeeperSettings settings(Chance chance) {
        KeeperSettings usual = KeeperSettings.DEFAULT;
        return new KeeperSettings(
                usual.failover(),
                usual.patience(),
                usual.leaderPatience(),
                usual.steady(),
                usual.drain(),
                Duration.ofSeconds(chance.one(List.of(25, 40, 60))),
                usual.prove(),
                Duration.ofSeconds(chance.one(List.of(60, 120))),
                Duration.ofSeconds(chance.one(List.of(60, 300))),
                usual.leaveGrace(),
                usual.pivotGrace(),
                usual.lease(),
                usual.cut());
    }

    static Outcome of(long seed, Distortion distortion) {
        return of(seed, distortion, Size.ANY);
    }

    static Outcome of(long seed, Distortion distortion, Size size) {
        Run run = new Run(seed, distortion, size);
        Optional<Violation> violation = run.play();
        ClusterModel cluster = run.cluster;
        return new Outcome(
                seed,
                violation.map(Violation::rule),
                violation.map(Throwable::getMessage),
                cluster.trace().lines(),
                cluster.trace().digest(),
                cluster.trace().counts(),
                cluster.timeline().passed(),
                cluster.timeline().happened());
    }

    private Optional<Violation> play() {
        try {
            if (beginning == ClusterModel.Beginning.STARTED) {
                settle(FIRST_REST, "comes to rest after its bootstrap");
                cluster.trace().say("run", "at rest for the first time");
            }
            disturb();
            calm();
            settle(BOUND, "when faults stop, the cluster converges");
            cluster.trace().say("run", "at rest");
            return Optional.empty();
        } catch (Violation e) {
            return Optional.of(e);
        } catch (RuntimeException e) {
            // A failure of the keeper or of the model; either way the seed reproduces it.
            cluster.trace().say("VIOLATION", e.toString());
            return Optional.of(new Violation("nothing fails in a way that nobody expected", e));
        }
    }

    private void disturb() {
        int rejects = chance.one(List.of(0, 30, 60));
        cluster.machines().forEach(machine -> machine.kubelet().rejects(rejects));
        int pause = chance.one(List.of(4, 12, 30, 60));
        List<Fault> some = new ArrayList<>();
        int kinds = 2 + chance.below(10);
        for (int kind = 0; kind < kinds; kind++) {
            some.add(chance.one(Fault.of(cluster)));
        }
        Instant end = cluster.now().plus(chance.of100(12) ? chance.seconds(400, 700) : chance.seconds(60, 260));
        Instant next = cluster.now();
        while (cluster.now().isBefore(end)) {
            if (!cluster.now().isBefore(next)) {
                chance.one(some).strike(cluster, chance);
                next = cluster.now().plus(chance.seconds(0, 2 * pause));
            }
            cluster.step();
        }
    }

    /** Faults stop. A fault with a duration ends when that is over. */
    private void calm() {
        cluster.trace().say("run", "faults stop");
        cluster.machines().forEach(Run::calm);
        cluster.etcd().reachable(true);
        cluster.network().heal();
        cluster.scaling().calm();
        cluster.invariants().calm();
        cluster.timeline().every(cluster.world(), Duration.ofSeconds(5), () -> {
            if (cluster.answers()) {
                Fault.annotate(cluster, "false");
                Blueprint.ALL.forEach(this::askForGood);
                replaceByHand();
            }
        });
    }

    private static void calm(Machine machine) {
        machine.kubelet().rejects(0);
        machine.disk().repair();
        machine.trouble(Trouble.NONE);
        machine.kubeletReachesApi(true);
        machine.controllersReachApi(true);
        machine.runtimeAnswers(true);
        machine.front().silent = false;
    }

    private void askForGood(Kept kept) {
        boolean failed = kept.role() == Role.API_SERVER
                && cluster.machines().stream().anyMatch(Run::hasFailed)
                && cluster.template(kept).filter(this::isRunning).isEmpty();
        if (failed) {
            // A failed change is not retried by itself: people ask for a retry, or for something else.
            Fault.change(cluster, kept, new Template("v1.20.2", 10 + chance.below(1000), Behaviour.GOOD));
            return;
        }
        boolean bad = cluster.template(kept)
                .filter(template -> behaviour(template) != Behaviour.GOOD)
                .isPresent();
        if (bad) {
            Fault.change(cluster, kept, new Template("v1.20.2", 7, Behaviour.GOOD));
        }
    }

    /**
     * As long as the only API server was not proven, no understudy can stand in for it: people replace a pod that is not of the template. On one of several
     * nodes its keeper does, as long as another one's server tells it what the template is.
     */
    private void replaceByHand() {
        boolean proven = cluster.machines().stream()
                .flatMap(machine -> machine.invariants().slots(Blueprint.API_SERVER).stream())
                .anyMatch(slots -> slots.lastGood().isPresent());
        if (!proven
                && cluster.template(Blueprint.API_SERVER)
                        .filter(this::isRunning)
                        .isEmpty()) {
            cluster.trace().count("people: replaced by hand what was never proven");
            Fault.delete(cluster, List.of(Blueprint.API_SERVER));
        }
    }

    private boolean isRunning(Json template) {
        return cluster.runs().anyMatch(run -> !run.isStatic && run.role == Role.API_SERVER && isOf(run, template));
    }

    private static boolean isOf(PodRun run, Json template) {
        return run.pod.at("spec", "containers").equals(template.at("spec", "containers"));
    }

    private static boolean hasFailed(Machine machine) {
        return machine.change() == ChangeStep.FAILED || machine.change() == ChangeStep.ROLLED_BACK;
    }

    private static Behaviour behaviour(Json template) {
        return Behaviour.of(template);
    }

    private void settle(Duration bound, String rule) {
        Instant end = cluster.now().plus(bound);
        Instant look = cluster.now();
        Optional<String> unrest = Optional.of("nothing happened");
        while (cluster.now().isBefore(end)) {
            cluster.step();
            if (!cluster.now().isBefore(look)) {
                look = cluster.now().plusSeconds(2);
                unrest = rest.unrest();
                if (unrest.isEmpty()) {
                    return;
                }
            }
        }
        cluster.trace().say("VIOLATION", unrest.orElse(""));
        throw new Violation(rule, "not within " + bound + ": " + unrest.orElse(""));
    }
}
