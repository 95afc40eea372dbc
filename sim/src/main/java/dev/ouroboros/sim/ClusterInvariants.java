package dev.ouroboros.sim;

import dev.ouroboros.keeper.decide.ChangeReport;
import dev.ouroboros.model.checkpoint.Slots;
import dev.ouroboros.model.component.ComponentName;
import dev.ouroboros.model.component.Role;
import dev.ouroboros.model.endpoints.ServiceEndpoints;
import dev.ouroboros.model.front.Server;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.sim.Blueprint.Kept;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What must hold of several machines together; judged from the models alone, as {@link Invariants}: what is written as soon as it is, how long something has
 * lasted every {@link #LOOK}. Of a cluster with one machine nothing is checked here.
 */
final class ClusterInvariants {
    /** Shorter than all that anything is given time for. */
    static final Duration LOOK = Duration.ofMillis(100);

    private static final Duration SEEN = Duration.ofSeconds(8);
    /** When nothing is broken any more, so soon the clients of each machine are served while any server is. */
    private static final Duration SERVED_BY = Duration.ofSeconds(30);
    /** No keeper stands still for longer ({@link Fault}). */
    private static final Duration STANDS_STILL = Duration.ofSeconds(210);

    /** Less than is left of a change's Lease that is not renewed any more; one whose replacement never serves holds up nobody for longer. */
    private static final Duration GIVEN_UP = Duration.ofSeconds(25);

    private static final Duration QUARREL = Duration.ofSeconds(30);
    /** Nodes that differ for a reason, as their principals crash and come back, may say the same a few times. */
    private static final int MOST_REPORTS = 8;

    private static final Set<Role> LEADERS = Set.of(Role.CONTROLLER_MANAGER, Role.SCHEDULER);

    private final ClusterModel cluster;
    private final Map<Machine, Instant> unservedSince = new HashMap<>();
    /** Machines whose API server their keeper has deleted, until its successor is ready. */
    private final Map<Machine, Replaced> replacing = new HashMap<>();

    /** Pods of leaders that keepers have deleted: they run on for a moment, and are nobody's reason to delete another. */
    private final Set<String> moved = new HashSet<>();

    /** Since when the server of a machine of the control plane serves whoever asks it. */
    private final Map<Machine, Instant> servingSince = new HashMap<>();

    /** When a server of a machine was ready last that can read Secrets. */
    private final Map<Machine, Instant> goodUntil = new HashMap<>();

    private Instant nextLook = Instant.MIN;
    private long objectsThen = -1;
    private Set<String> named = Set.of();
    /** When somebody deleted the Endpoints last: keepers that begin them anew at the same time write over each other once. */
    private Instant unnamedAt = Instant.MIN;

    private boolean wasNamed;
    private Report report = new Report("", "", "");
    private final Map<Report, Instant> reported = new HashMap<>();
    private final Map<Report, Integer> reports = new HashMap<>();
    private Optional<Instant> calmSince = Optional.empty();

    /** What the annotations say of a change, and who wrote it. */
    private record Report(String node, String state, String message) {}

    /** @param pod what was deleted, by its name */
    private record Replaced(String pod, Instant since) {}

    ClusterInvariants(ClusterModel cluster) {
        this.cluster = cluster;
    }

    /** Faults have stopped; a keeper may stand still, or get little time, for a while. */
    void calm() {
        calmSince = Optional.of(cluster.now().plus(STANDS_STILL));
    }

    void check() {
        if (!cluster.hasSeveral()) {
            return;
        }
        boolean isTime = !cluster.now().isBefore(nextLook);
        boolean isWritten = cluster.objects().changes() != objectsThen;
        if (isTime || isWritten) {
            cluster.machines().forEach(this::followServer);
        }
        if (isWritten) {
            objectsThen = cluster.objects().changes();
            checkEndpoints();
            checkReports();
        }
        if (isTime) {
            nextLook = cluster.now().plus(LOOK);
            checkWhatLasts();
        }
    }

    private void checkWhatLasts() {
        for (Machine machine : cluster.machines()) {
            boolean served = !machine.isPowered() || machine.servers().answers();
            boolean possible = machine.keeper().isPresent() && isAnyReady();
            if (served || !possible) {
                unservedSince.put(machine, cluster.now());
            }
            Instant since = calmSince
                    .filter(calm -> calm.isAfter(unservedSince.getOrDefault(machine, cluster.now())))
                    .orElse(unservedSince.getOrDefault(machine, cluster.now()));
            cluster.require(
                    calmSince.isEmpty() || !cluster.now().isAfter(since.plus(SERVED_BY)),
                    "balancer: clients of every node are served while a server is ready",
                    "those of " + machine.name() + " are not, since " + since);
            boolean isLate = Optional.ofNullable(replacing.get(machine))
                    .filter(begun -> begun.since().isBefore(cluster.now().minus(GIVEN_UP)))
                    .isPresent();
            if (!machine.isPowered() || isBack(machine) || isLate) {
                replacing.remove(machine);
            }
        }
    }

    private boolean isAnyReady() {
        return cluster.machines().stream()
                .anyMatch(machine -> machine.isPowered()
                        && machine.servers()
                                .routed()
                                .filter(machine.servers()::isReady)
                                .isPresent());
    }

    private boolean isBack(Machine machine) {
        Replaced replaced = replacing.get(machine);
        return replaced != null
                && machine.kubelet().runs().stream()
                        .anyMatch(run -> run.role == Role.API_SERVER
                                && !run.isStatic
                                && !run.name.equals(replaced.pod())
                                && run.isReady(cluster.now(), machine.etcdAnswers()));
    }

    /** The Service leads somewhere, once it ever did. */
    private void checkEndpoints() {
        Set<String> now = cluster.objects()
                .get(Blueprint.SERVICE)
                .map(endpoints -> ServiceEndpoints.serversIn(endpoints.at("subsets")).stream()
                        .map(server -> server.address().getHostAddress())
                        .collect(Collectors.toSet()))
                .orElse(Set.of());
        cluster.require(named.isEmpty() || !now.isEmpty(), "the Service always leads to a server", "it leads nowhere");
        boolean isBegunAnew = cluster.now().isBefore(unnamedAt.plus(SEEN));
        for (Machine machine : cluster.machines()) {
            String address = machine.address().getHostAddress();
            if (named.contains(address) && !now.contains(address) && !isBegunAnew) {
                followLoss(machine);
            }
            if (wasNamed && !named.contains(address) && now.contains(address)) {
                followJoin(machine);
            }
        }
        named = now;
        wasNamed |= !now.isEmpty();
    }

    /** A person deletes the Endpoints. */
    void endpointsAreDeleted() {
        named = Set.of();
        unnamedAt = cluster.now();
    }

    /** One change is told in one place: who writes the same over another's words again and again has no reason to. */
    private void checkReports() {
        Json told = cluster.objects()
                .get(Blueprint.API_SERVER.path())
                .map(set -> set.at("metadata", "annotations"))
                .orElse(Json.absent());
        Report now = new Report(
                told.at(ChangeReport.NODE_ANNOTATION).text().orElse(""),
                told.at(ChangeReport.STATE_ANNOTATION).text().orElse(""),
                told.at(ChangeReport.MESSAGE_ANNOTATION).text().orElse(""));
        if (now.equals(report)) {
            return;
        }
        boolean isOfAnother = !report.node().equals(now.node());
        report = now;
        if (!isOfAnother) {
            return;
        }
        reported.values().removeIf(at -> at.isBefore(cluster.now().minus(QUARREL)));
        reports.entrySet().removeIf(before -> !reported.containsKey(before.getKey()));
        reported.put(now, cluster.now());
        int times = reports.merge(now, 1, Integer::sum);
        cluster.require(
                times <= MOST_REPORTS, "keepers do not write over each other's reports", now + ", " + times + " times");
    }

    /** A keeper acts on what it saw a moment ago. */
    private void followLoss(Machine machine) {
        cluster.require(
                !servingSince
                        .getOrDefault(machine, cluster.now())
                        .isBefore(cluster.now().minus(SEEN)),
                "the Service leads to every server that serves",
                machine.name() + " is left out, and serves since " + servingSince.get(machine));
        if (!machine.isPowered()) {
            machine.trace().count("service: a lost node is left out");
        }
    }

    private void followJoin(Machine machine) {
        boolean seeing = goodUntil
                .getOrDefault(machine, Instant.MIN)
                .isAfter(cluster.now().minus(SEEN));
        cluster.require(seeing, "the Service begins to lead to servers only that can read Secrets", machine.name());
        machine.trace().count("service: a server joins");
    }

    private void followServer(Machine machine) {
        boolean isGood = Stream.of(Server.values())
                .anyMatch(server -> machine.servers().isReady(server)
                        && machine.servers()
                                .running(server)
                                .filter(program -> program.behaviour != Behaviour.CANNOT_READ_SECRETS)
                                .isPresent());
        if (isGood) {
            goodUntil.put(machine, cluster.now());
        }
        boolean serves = machine.isPowered()
                && machine.isLabelled()
                && machine.servers().routed().filter(machine.servers()::isReady).isPresent()
                && cluster.machines().stream()
                        .allMatch(other -> cluster.network().reaches(other, machine));
        if (serves) {
            servingSince.putIfAbsent(machine, cluster.now());
        } else {
            servingSince.remove(machine);
        }
    }

    /** Whether a checkpoint may go: nobody wants the component on this machine, and the cluster's last API server has one. */
    boolean mayGo(Machine machine, ComponentName component) {
        Kept kept = Blueprint.ALL.stream()
                .filter(each -> each.component().equals(component))
                .findFirst()
                .orElseThrow();
        boolean livesHere = machine.kubelet().runs().stream()
                .anyMatch(run -> !run.isStatic && run.role == kept.role() && run.isRunning(cluster.now()));
        boolean wanted = machine.isLabelled() && (kept.isDaemonSet() || livesHere);
        boolean another = cluster.machines().stream()
                .anyMatch(other -> other != machine
                        && other.invariants().slots(kept).flatMap(Slots::best).isPresent());
        boolean runsElsewhere = cluster.machines().stream()
                .filter(other -> other != machine)
                .flatMap(other -> other.kubelet().runs().stream())
                .anyMatch(run -> run.role == kept.role() && run.isRunning(cluster.now()));
        return !wanted
                && switch (kept.role()) {
                    case API_SERVER -> another;
                    case CONTROLLER_MANAGER, SCHEDULER -> another || runsElsewhere;
                    case KEEPER, OTHER -> true;
                };
    }

    /** Whether a pod may be deleted by a keeper although it serves, as one that other rules know nothing of. */
    boolean deletedByKeeper(Machine machine, Json pod) {
        String name = pod.at("metadata", "name").text().orElse("");
        cluster.require(
                pod.at("spec", "nodeName").text().equals(Optional.of(machine.name())),
                "a keeper deletes pods of its own node only",
                machine.name() + " deletes " + name);
        if (pod.at("status", "phase").text().equals(Optional.of("Failed"))) {
            return true;
        }
        Role role = Machine.roleOf(Blueprint.SYSTEM, name);
        if (LEADERS.contains(role)) {
            moved.add(name);
            cluster.require(hasAnother(role), "a leader is moved when there is another one", name);
            return true;
        }
        if (role == Role.API_SERVER) {
            cluster.require(
                    replacing.keySet().stream().allMatch(machine::equals),
                    "one API server is replaced after the other",
                    name + ", while "
                            + replacing.keySet().stream().map(Machine::name).toList() + " have not got theirs back");
            replacing.put(machine, new Replaced(name, cluster.now()));
        }
        return false;
    }

    /** One that was ready a moment ago counts: a keeper sees late that it ended. */
    private boolean hasAnother(Role role) {
        Instant lately = cluster.now().minus(SEEN);
        return cluster.runs()
                .filter(run -> run.role == role && !moved.contains(run.name))
                .flatMap(run -> run.program.stream())
                .anyMatch(program -> program.isReady(cluster.now()) || program.isReady(lately));
    }
}
