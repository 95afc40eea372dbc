package dev.ouroboros.sim;

import dev.ouroboros.keeper.decide.KeeperSettings;
import dev.ouroboros.model.component.Role;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.node.testing.ModelDisk.PowerCut;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Machines, and what they share: time, a network, the API's objects in etcd, controllers, people. */
final class ClusterModel {
    private static final Duration TURN = Duration.ofSeconds(1);
    /** Between the turns of two machines. */
    private static final Duration APART = Duration.ofMillis(130);

    private static final Duration PEOPLE_LOOK = Duration.ofSeconds(5);

    private final EventTimeline timeline = new EventTimeline();
    private final EventTimeline.Life world = new EventTimeline.Life();
    private final Trace trace = new Trace(timeline);
    private final Objects objects = new Objects();
    private final Network network = new Network();
    private final KeeperSettings settings;
    private final Distortion distortion;
    private final List<Machine> machines;
    private final Etcd etcd;
    private final Controllers controllers;
    private final LeaderElection leaders;
    private final Scaling scaling;
    private final ClusterInvariants invariants;
    private Optional<Violation> broken = Optional.empty();

    /** How it all begins. */
    enum Beginning {
        /** As {@code ouro start} leaves a node, and as others are that joined it. */
        STARTED,
        /** A kubelet, etcd, and people who run {@code ouro start}. */
        EMPTY
    }

    /**
     * @param chances one for each machine
     * @param member for an etcd that the kubelet runs and {@code start} restores, of a cluster of one machine; otherwise empty
     */
    ClusterModel(
            List<Chance> chances,
            KeeperSettings settings,
            Distortion distortion,
            Beginning beginning,
            Optional<Chance> member) {
        this.settings = settings;
        this.distortion = distortion;
        this.machines = IntStream.range(0, chances.size())
                .mapToObj(place -> new Machine(this, place + 1, chances.get(place)))
                .toList();
        this.controllers = new Controllers(this);
        this.leaders = new LeaderElection(this);
        this.etcd = new Etcd(this, member);
        this.scaling = new Scaling(this);
        this.invariants = new ClusterInvariants(this);
        etcd.begin();
        Duration first = TURN;
        for (Machine machine : machines) {
            machine.prepare();
            timeline.repeat(world, first, () -> {
                machine.turn();
                return TURN;
            });
            first = first.plus(APART);
        }
        timeline.every(world, PEOPLE_LOOK, scaling::scaleBack);
        switch (beginning) {
            case STARTED -> bootstrap();
            case EMPTY -> {
                Blueprint.populateFirst(objects);
                etcd.isLost();
                first().front().flush();
            }
        }
        if (beginning == Beginning.EMPTY || member.isPresent()) {
            timeline.every(world, StartRuns.AGAIN, () -> {
                if (first().isPowered()) {
                    first().starts().again();
                }
            });
        }
    }

    /** As {@code ouro start} leaves a node: the API server's first pod runs, and controllers beside it that end with it. */
    private void bootstrap() {
        Blueprint.populate(objects, machines);
        etcd.keepBackup();
        for (Machine machine : machines) {
            machine.starts().done();
            machine.kubelet().join();
        }
        for (Blueprint.Kept kept : Blueprint.ALL) {
            if (kept.role() == Role.API_SERVER
                    || kept.role() == Role.CONTROLLER_MANAGER
                    || kept.role() == Role.SCHEDULER) {
                controllers.createFirst(kept);
            }
        }
        machines.forEach(machine -> machine.kubelet().adoptAll());
    }

    /** Lets one thing happen, and looks whether a rule was broken by it. */
    void step() {
        try {
            timeline.step();
        } catch (PowerCut e) {
            machines.stream()
                    .filter(Machine::isCut)
                    .findFirst()
                    .orElseThrow(() -> e)
                    .brokeOff();
        }
        machines.forEach(machine -> machine.invariants().check());
        etcd.member().ifPresent(EtcdMemberModel::check);
        scaling.check();
        invariants.check();
        if (broken.isPresent()) {
            throw broken.get();
        }
    }

    void require(boolean holds, String rule, String what) {
        if (!holds && broken.isEmpty()) {
            trace.say("VIOLATION", rule + ": " + what);
            broken = Optional.of(new Violation(rule, what));
        }
    }

    /** Revisions of etcd count a second time. */
    void historyWentBack() {
        machines.forEach(machine -> machine.invariants().historyWentBack());
    }

    /** The machine that was there first, on which {@code start} runs. */
    Machine first() {
        return machines.getFirst();
    }

    List<Machine> machines() {
        return machines;
    }

    boolean hasSeveral() {
        return machines.size() > 1;
    }

    /** Those that the cluster's API says are of the control plane. */
    List<Machine> labelled() {
        return machines.stream().filter(Machine::isLabelled).toList();
    }

    Stream<PodRun> runs() {
        return machines.stream().flatMap(machine -> machine.kubelet().runs().stream());
    }

    /** A machine whose clients are served. */
    Optional<Machine> served() {
        return machines.stream()
                .filter(machine -> machine.isPowered() && machine.servers().answers())
                .findFirst();
    }

    /** Whether people, who may go to any machine, are served. */
    boolean answers() {
        return served().isPresent();
    }

    /**
     * As a DELETE request does: a pod on a node is removed when its kubelet has ended it. A failed pod is removed at once, unless its
     * deletion began before it failed: then nothing happens.
     */
    void markDeleted(String path) {
        objects.get(path).ifPresent(object -> {
            boolean marked = !object.at("metadata", "deletionTimestamp").isNull();
            boolean bound = path.contains("/pods/")
                    && !object.at("spec", "nodeName").isNull()
                    && (marked || !object.at("status", "phase").text().equals(Optional.of("Failed")));
            if (!bound) {
                objects.remove(path);
            } else if (!marked) {
                trace.say("api", "deletes " + path.substring(path.lastIndexOf('/') + 1));
                Json.Fields metadata = Blueprint.metadataOf(object)
                        .with("deletionTimestamp", Json.text(first().wallClock().toString()));
                objects.put(path, object.with("metadata", metadata));
            }
        });
    }

    Optional<Json.Fields> template(Blueprint.Kept kept) {
        return objects.get(kept.path()).map(set -> (Json.Fields) set.at("spec", "template"));
    }

    Instant now() {
        return timeline.instant();
    }

    EventTimeline timeline() {
        return timeline;
    }

    EventTimeline.Life world() {
        return world;
    }

    Trace trace() {
        return trace;
    }

    Objects objects() {
        return objects;
    }

    Network network() {
        return network;
    }

    KeeperSettings settings() {
        return settings;
    }

    Distortion distortion() {
        return distortion;
    }

    Etcd etcd() {
        return etcd;
    }

    Controllers controllers() {
        return controllers;
    }

    LeaderElection leaders() {
        return leaders;
    }

    Scaling scaling() {
        return scaling;
    }

    ClusterInvariants invariants() {
        return invariants;
    }
}
