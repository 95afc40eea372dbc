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
 * One seed: a machine comes to rest, things go wrong for a while, then nothing goes wrong any more, whoever asked for something bad asks
 * for something good, and it has to come to rest again by itself.
 */
final class Run {
    private static final Duration FIRST_REST = Duration.ofMinutes(6);
    /** How many runs begin with a pivot. */
    private static final int EMPTY_OF_100 = 12;
    /** In how many the kubelet runs etcd too. */
    private static final int MEMBER_OF_100 = 15;

    private static final Duration BOUND = Duration.ofMinutes(45);

    private final Machine machine;
    private final Rest rest;
    private final Chance chance;
    private final Machine.Beginning beginning;

    private Run(long seed, Distortion distortion) {
        Chance source = Chance.of(seed);
        this.chance = source.split();
        this.beginning = chance.of100(EMPTY_OF_100) ? Machine.Beginning.EMPTY : Machine.Beginning.STARTED;
        Chance ofMachine = source.split();
        KeeperSettings settings = settings(source.split());
        Chance ofEtcd = source.split();
        this.machine = new Machine(
                ofMachine,
                settings,
                distortion,
                beginning,
                ofEtcd.of100(MEMBER_OF_100) ? Optional.of(ofEtcd) : Optional.empty());
        this.rest = new Rest(machine);
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
        Run run = new Run(seed, distortion);
        Optional<Violation> violation = run.play();
        Machine machine = run.machine;
        return new Outcome(
                seed,
                violation.map(Violation::rule),
                violation.map(Throwable::getMessage),
                machine.trace().lines(),
                machine.trace().digest(),
                machine.trace().counts(),
                machine.timeline().passed(),
                machine.timeline().happened());
    }

    private Optional<Violation> play() {
        try {
            if (beginning == Machine.Beginning.STARTED) {
                settle(FIRST_REST, "comes to rest after its bootstrap");
                machine.trace().say("run", "at rest for the first time");
            }
            disturb();
            calm();
            settle(BOUND, "when faults stop, the cluster converges");
            machine.trace().say("run", "at rest");
            return Optional.empty();
        } catch (Violation e) {
            return Optional.of(e);
        } catch (RuntimeException e) {
            // A failure of the keeper or of the model; either way the seed reproduces it.
            machine.trace().say("VIOLATION", e.toString());
            return Optional.of(new Violation("nothing fails in a way that nobody expected", e));
        }
    }

    private void disturb() {
        machine.kubelet().rejects(chance.one(List.of(0, 30, 60)));
        int pause = chance.one(List.of(4, 12, 30, 60));
        List<Fault> some = new ArrayList<>();
        int kinds = 2 + chance.below(10);
        for (int kind = 0; kind < kinds; kind++) {
            some.add(chance.one(List.of(Fault.values())));
        }
        Instant end = machine.now().plus(chance.of100(12) ? chance.seconds(400, 700) : chance.seconds(60, 260));
        Instant next = machine.now();
        while (machine.now().isBefore(end)) {
            if (!machine.now().isBefore(next)) {
                chance.one(some).strike(machine, chance);
                next = machine.now().plus(chance.seconds(0, 2 * pause));
            }
            machine.step();
        }
    }

    /** Faults stop. A fault with a duration ends when that is over. */
    private void calm() {
        machine.trace().say("run", "faults stop");
        machine.kubelet().rejects(0);
        machine.disk().repair();
        machine.trouble(Trouble.NONE);
        machine.etcd().reachable(true);
        machine.kubeletReachesApi(true);
        machine.controllersReachApi(true);
        machine.runtimeAnswers(true);
        machine.front().silent = false;
        machine.scaling().calm();
        machine.timeline().every(machine.world(), Duration.ofSeconds(5), () -> {
            if (machine.servers().answers()) {
                Fault.annotate(machine, "false");
                Blueprint.ALL.forEach(this::askForGood);
                replaceByHand();
            }
        });
    }

    private void askForGood(Kept kept) {
        boolean failed = kept.role() == Role.API_SERVER
                && (machine.change() == ChangeStep.FAILED || machine.change() == ChangeStep.ROLLED_BACK)
                && machine.template(kept).filter(this::isRunning).isEmpty();
        if (failed) {
            // A failed change is not retried by itself: people ask for a retry, or for something else.
            Fault.change(machine, kept, new Template("v1.20.2", 10 + chance.below(1000), Behaviour.GOOD));
            return;
        }
        boolean bad = machine.template(kept)
                .filter(template -> behaviour(template) != Behaviour.GOOD)
                .isPresent();
        if (bad) {
            Fault.change(machine, kept, new Template("v1.20.2", 7, Behaviour.GOOD));
        }
    }

    /** As long as no API server was proven, no understudy can stand in for it: people replace a pod that is not of the template. */
    private void replaceByHand() {
        boolean outdated =
                machine.template(Blueprint.API_SERVER).filter(this::isRunning).isEmpty();
        boolean proven = machine.invariants()
                .slots(Blueprint.API_SERVER)
                .filter(slots -> slots.lastGood().isPresent())
                .isPresent();
        if (!proven && outdated) {
            machine.trace().count("people: replaced by hand what was never proven");
            Fault.delete(machine, List.of(Blueprint.API_SERVER));
        }
    }

    private boolean isRunning(Json template) {
        return machine.kubelet().runs().stream()
                .anyMatch(run -> !run.isStatic
                        && run.role == Role.API_SERVER
                        && run.pod.at("spec", "containers").equals(template.at("spec", "containers")));
    }

    private static Behaviour behaviour(Json template) {
        return Behaviour.of(template);
    }

    private void settle(Duration bound, String rule) {
        Instant end = machine.now().plus(bound);
        Instant look = machine.now();
        Optional<String> unrest = Optional.of("nothing happened");
        while (machine.now().isBefore(end)) {
            machine.step();
            if (!machine.now().isBefore(look)) {
                look = machine.now().plusSeconds(2);
                unrest = rest.unrest();
                if (unrest.isEmpty()) {
                    return;
                }
            }
        }
        machine.trace().say("VIOLATION", unrest.orElse(""));
        throw new Violation(rule, "not within " + bound + ": " + unrest.orElse(""));
    }
}
