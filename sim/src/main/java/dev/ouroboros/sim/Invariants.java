package dev.ouroboros.sim;

import dev.ouroboros.keeper.checkpoint.CheckpointStore;
import dev.ouroboros.keeper.decide.CheckpointSummary;
import dev.ouroboros.keeper.decide.Successor;
import dev.ouroboros.model.checkpoint.Checkpoint;
import dev.ouroboros.model.checkpoint.Revision;
import dev.ouroboros.model.checkpoint.Slots;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.component.ComponentName;
import dev.ouroboros.model.component.Role;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.front.Server;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.version.KubernetesVersion;
import dev.ouroboros.sim.Blueprint.Kept;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What must hold after every event, whatever failed; each with the number of the rule in docs/architecture.md that it stands for. Judged
 * from the models alone: nothing here asks the keeper.
 *
 * <p>A keeper sees changes a second late and acts later still: an action that fits the state of {@link #SEEN} ago is no violation.
 */
final class Invariants {
    private static final List<Server> SERVERS = List.of(Server.values());
    private static final Duration SEEN = Duration.ofSeconds(8);
    /** A server that is ready for so long has the clients, even while the keeper stands still. */
    private static final Duration LED = Duration.ofSeconds(3);
    /** Longer than a guard relies on what it has verified. */
    private static final Duration BELIEVED = Duration.ofSeconds(8);

    private static final Map<Path, String> FOREIGN_FILES = new TreeMap<>(Map.of(
            Kubelet.MANIFESTS.resolve(".someones-backup.json"), "{\"kind\": \"Pod\", \"metadata\": {}}",
            Kubelet.MANIFESTS.resolve("README"), "Files of this directory are pods.",
            Kubelet.MANIFESTS.resolve("zz-someones.json"), "{\"metadata\": {\"labels\": {}}}"));

    private final Machine machine;
    private final CheckpointStore store;
    private final SortedMap<ComponentName, Revision> lastGood = new TreeMap<>();
    private final Set<Revision> judged = new HashSet<>();
    private final Map<String, Set<SortedMap<String, String>>> served = new TreeMap<>();
    private final Map<Server, Optional<Instant>> readySince = new EnumMap<>(Server.class);
    private final Map<Server, Instant> readyUntil = new EnumMap<>(Server.class);
    /** Until when people asked for each former version. */
    private final Map<KubernetesVersion, Instant> askedUntil = new TreeMap<>();

    private Optional<KubernetesVersion> asked = Optional.empty();

    private Instant ledUntil = Instant.MIN;
    /** When there was last no table of the front. */
    private Instant tableAwayUntil = Instant.MIN;
    /** When there last was a successor that would decide in place of the acting keeper. */
    private Instant succeededUntil = Instant.MIN;
    /** Where a keeper sent new connections last. */
    private Optional<Server> ledTo = Optional.empty();

    private Optional<Instant> foreignSince = Optional.empty();
    private Map<ComponentName, Evidence<Slots>> slotsThen = Map.of();
    private long manifestsThen = -1;
    private long checkpointsThen = -1;
    private long revisionThen = -1;

    Invariants(Machine machine) {
        this.machine = machine;
        this.store = new CheckpointStore(machine.disk(), KeeperProcess.CHECKPOINTS);
    }

    /** A revision number may stand for other content now: look again. */
    void historyWentBack() {
        revisionThen = -1;
    }

    /** The keeper writes an object's spec, which people may have changed since the keeper read it. */
    void specified(String path, boolean asItWasRead) {
        require(asItWasRead, "no acknowledged write is lost", path + " is written over, whatever it is by now");
    }

    void placeForeignFiles() {
        FOREIGN_FILES.forEach((path, text) -> machine.disk().tamper(path, text, "rw-r--r--"));
    }

    void require(boolean holds, String rule, String what) {
        machine.cluster().require(holds, rule, what);
    }

    /** After every event. */
    void check() {
        follow();
        checkTraffic();
        if (machine.disk().changesBelow(Kubelet.MANIFESTS) != manifestsThen) {
            manifestsThen = machine.disk().changesBelow(Kubelet.MANIFESTS);
            checkForeignFiles();
        }
        if (machine.disk().changesBelow(KeeperProcess.CHECKPOINTS) != checkpointsThen) {
            checkpointsThen = machine.disk().changesBelow(KeeperProcess.CHECKPOINTS);
            checkCheckpoints();
        }
    }

    /** A keeper ends by itself, to give way, or because it has removed itself from a machine that is none of the control plane. */
    void gaveWay() {
        require(
                (machine.cluster().hasSeveral() && !machine.isLabelled())
                        || succeededUntil.isAfter(machine.now().minus(SEEN)),
                "9: a keeper gives way to one that decides",
                "its successor " + machine.successor());
    }

    /** What was true, and since when. */
    private void follow() {
        if (machine.successor() == Successor.DECIDES) {
            succeededUntil = machine.now();
        }
        if (machine.front().leadsToUnderstudy()) {
            ledUntil = machine.now();
        }
        for (Server server : SERVERS) {
            Optional<Program> ready = machine.servers().ready(server);
            if (ready.isEmpty()) {
                readySince.put(server, Optional.empty());
                continue;
            }
            readyUntil.put(server, machine.now());
            if (readySince.getOrDefault(server, Optional.empty()).isEmpty()) {
                readySince.put(server, Optional.of(machine.now()));
            }
        }
        boolean foreign = machine.isForeign();
        foreignSince = foreign ? foreignSince.or(() -> Optional.of(machine.now())) : Optional.empty();
        if (machine.objects().revision() != revisionThen) {
            revisionThen = machine.objects().revision();
            followTemplate();
            machine.kubelet().runs().stream()
                    .filter(run ->
                            !run.isStatic && run.filesSeen != machine.objects().changesOfFiles())
                    .forEach(run -> {
                        run.filesSeen = machine.objects().changesOfFiles();
                        Mounts.ofPrincipal(run.pod, machine.objects()).ifPresent(files -> remember(run, files));
                    });
        }
    }

    private void followTemplate() {
        Optional<KubernetesVersion> now = machine.cluster()
                .template(Blueprint.API_SERVER)
                .flatMap(template -> Program.versionOf(fieldsOf(template)));
        if (!now.equals(asked)) {
            asked.ifPresent(version -> askedUntil.put(version, machine.now()));
            asked = now;
        }
    }

    private void remember(PodRun run, SortedMap<String, String> files) {
        if (run.role != Role.KEEPER) {
            served.computeIfAbsent(run.namespace + run.role, _ -> new HashSet<>())
                    .add(files);
        }
    }

    private boolean wasReadyLately(Server server) {
        return readySince
                .getOrDefault(server, Optional.empty())
                .filter(since -> since.isBefore(machine.now().minus(SEEN)))
                .isPresent();
    }

    /**
     * A principal that boots has an open port, and a keeper may stand still just then: clients must not get to it. The reverse is not
     * checked, for an understudy that was killed under its lease beside a principal that serves: only a keeper knows that its open port is
     * not enough. Nor is anything checked soon after somebody has taken the table away.
     */
    private void checkTraffic() {
        machine.front()
                .dialled(
                        machine.servers().listens(Server.PRINCIPAL),
                        machine.servers().listens(Server.UNDERSTUDY));
        if (!machine.front().fallsBack()) {
            tableAwayUntil = machine.now();
        }
        if (tableAwayUntil.isAfter(machine.now().minus(SEEN))
                || !machine.servers().routed().equals(Optional.of(Server.PRINCIPAL))
                || !isBooting(Server.PRINCIPAL)) {
            return;
        }
        boolean served = readySince
                .getOrDefault(Server.UNDERSTUDY, Optional.empty())
                .filter(since -> since.isBefore(machine.now().minus(LED)))
                .isPresent();
        require(
                !served,
                "front: a principal that boots gets no clients while the understudy serves",
                "the understudy is ready since " + readySince.get(Server.UNDERSTUDY));
    }

    private boolean isBooting(Server server) {
        return machine.servers()
                .running(server)
                .filter(program -> program.listens(machine.now())
                        && !program.isHung()
                        && machine.now().isBefore(program.readySince()))
                .isPresent();
    }

    private void checkForeignFiles() {
        FOREIGN_FILES.forEach((path, text) -> require(
                machine.disk().readText(path).equals(Optional.of(text)),
                "6: foreign files are left alone",
                path + " changed"));
    }

    /** Rules 2 and 6: what is last-good is whole at every step of every write, was proven, and stays. */
    private void checkCheckpoints() {
        Map<ComponentName, Evidence<Slots>> slots = store.read().slots();
        slotsThen = slots;
        slots.forEach((component, evidence) -> {
            if (!(evidence instanceof Evidence.Known<Slots>(Slots known))) {
                require(false, "6: whole checkpoints switch at once", component + ": " + evidence);
                return;
            }
            known.lastGood().ifPresent(revision -> {
                lastGood.put(component, revision);
                judge(component, revision);
            });
        });
        lastGood.keySet().removeIf(component -> !hasLastGood(slots, component) && mayGo(component));
        lastGood.forEach((component, revision) -> require(
                hasLastGood(slots, component),
                "2: last-good is always whole",
                component + " had " + revision + " and has none"));
    }

    private static boolean hasLastGood(Map<ComponentName, Evidence<Slots>> slots, ComponentName component) {
        return Optional.ofNullable(slots.get(component))
                .filter(evidence -> evidence.is(known -> known.lastGood().isPresent()))
                .isPresent();
    }

    /** Of several machines one may leave the control plane, and what is on one only may move. */
    private boolean mayGo(ComponentName component) {
        return machine.cluster().hasSeveral() && machine.cluster().invariants().mayGo(machine, component);
    }

    /** Whether there is a last-good of a component here. */
    boolean hasLastGood(Kept kept) {
        return lastGood.containsKey(kept.component());
    }

    private void judge(ComponentName component, Revision revision) {
        if (!judged.add(revision)) {
            return;
        }
        try {
            Checkpoint checkpoint = store.load(component, revision);
            Behaviour behaviour = Behaviour.of(checkpoint.pod());
            require(
                    behaviour.servesForLong()
                            || (behaviour == Behaviour.CANNOT_READ_SECRETS
                                    && !component.equals(Blueprint.API_SERVER.component())),
                    "2: a crash-looping pod, or one that cannot read Secrets, never becomes last-good",
                    component + " " + revision + " " + behaviour);
        } catch (ProblemException e) {
            require(false, "2: last-good is always whole", e.describe());
        }
    }

    /** Whether a principal of this machine has read what a pod reads. */
    private boolean hasServed(PodRun run, Role role) {
        return served.getOrDefault(run.namespace + role, Set.of()).contains(run.files);
    }

    /** A container begins. */
    void started(PodRun run, Program program) {
        if (!run.isStatic) {
            remember(run, run.files);
            return;
        }
        if (run.name.startsWith("bootstrap-")) {
            // A pod of start, which reads what start copied.
            machine.trace().count("temporary started: " + program.role);
            return;
        }
        machine.trace().count("understudy started: " + program.role);
        machine.cluster().scaling().started(run);
        Set<SortedMap<String, String>> known = served.getOrDefault(run.namespace + program.role, Set.of());
        // A leader's checkpoint keeps up with its pod on another machine.
        boolean elsewhere = (program.role == Role.CONTROLLER_MANAGER || program.role == Role.SCHEDULER)
                && machine.cluster().machines().stream()
                        .anyMatch(other -> other.invariants().hasServed(run, program.role));
        require(
                program.role == Role.KEEPER || known.contains(run.files) || elsewhere,
                "3: an understudy reads exactly what its principal read",
                run.name + " reads " + run.files + ", its principal " + known);
        // A container that ended is restarted by the kubelet, whatever anybody decided.
        if (program.role == Role.API_SERVER && run.attempts == 1) {
            Optional<KubernetesVersion> answers = wasReadyLately(Server.PRINCIPAL)
                    ? machine.servers().ready(Server.PRINCIPAL).flatMap(Program::version)
                    : Optional.empty();
            boolean older = answers.isPresent()
                    && program.version()
                            .filter(version -> version.compareTo(answers.get()) < 0)
                            .isPresent();
            require(
                    !older || isAskedFor(program),
                    "5: an older server is started only when no newer one answers",
                    run.name + " of " + program.version() + " beside one of " + answers);
        }
    }

    /**
     * Whether people ask for this very version, or did when the kubelet was told to start it: to go back a patch version is their choice.
     */
    private boolean isAskedFor(Program program) {
        return program.version().equals(asked)
                || program.version()
                        .map(askedUntil::get)
                        .filter(until -> until.isAfter(machine.now().minus(SEEN)))
                        .isPresent();
    }

    private static Json fieldsOf(Json template) {
        return Json.object().with("spec", template.at("spec"));
    }

    /** The front is about to be pointed. */
    void pointed(Server to) {
        Server other = to == Server.PRINCIPAL ? Server.UNDERSTUDY : Server.PRINCIPAL;
        boolean dead = !machine.servers().isReady(to) && !wasAliveLately(to);
        require(
                !(dead && wasReadyLately(other)),
                "front: new connections go to a server that is ready while one is",
                "to the " + to + ", which is not ready, from the " + other + ", which is");
        boolean unproven = to == Server.UNDERSTUDY
                && machine.servers()
                        .running(Server.UNDERSTUDY)
                        .filter(program -> program.behaviour != Behaviour.GOOD && program.behaviour != Behaviour.SLY)
                        .isPresent();
        require(
                !(unproven && wasReadyLately(Server.PRINCIPAL)),
                "4: a candidate that does not prove itself gets no traffic",
                "to an understudy that is " + machine.servers().running(to).map(program -> program.behaviour));
        boolean blind = to == Server.PRINCIPAL
                && machine.servers()
                        .running(Server.PRINCIPAL)
                        .filter(program -> program.behaviour == Behaviour.CANNOT_READ_SECRETS)
                        .isPresent();
        require(
                !(blind && wasReadyLately(Server.UNDERSTUDY)),
                "4: a principal that cannot read Secrets gets no traffic while another can",
                "from the understudy, which is ready");
        ledTo = Optional.of(to);
        machine.trace().count("front: to the " + to);
    }

    private boolean wasAliveLately(Server server) {
        return readyUntil
                .getOrDefault(server, Instant.MIN)
                .isAfter(machine.now().minus(SEEN));
    }

    void writtenToAnotherCluster(String path) {
        require(
                foreignSince.isEmpty()
                        || foreignSince.get().isAfter(machine.now().minus(BELIEVED)),
                "1: nothing is written to another cluster",
                path);
    }

    /**
     * The keeper deletes a pod: one that is rejected, the principal while its understudy has the clients, one that never served on this node, or a
     * leader's that is to go to another node.
     */
    void deletedByKeeper(Json pod) {
        if (machine.cluster().hasSeveral() && machine.cluster().invariants().deletedByKeeper(machine, pod)) {
            return;
        }
        boolean failed = pod.at("status", "phase").text().equals(Optional.of("Failed"));
        boolean apiServer =
                pod.at("metadata", "labels", "k8s-app").text().equals(Optional.of(Component.API_SERVER.id()));
        boolean covered = ledUntil.isAfter(machine.now().minus(SEEN))
                && (machine.servers().isReady(Server.UNDERSTUDY) || wasAliveLately(Server.UNDERSTUDY));
        boolean neverServed =
                !slotsThen.containsKey(Blueprint.API_SERVER.component()) && !wasAliveLately(Server.PRINCIPAL);
        if (apiServer && neverServed && machine.cluster().hasSeveral()) {
            machine.trace().count("replaced: a principal that never served");
            return;
        }
        require(
                failed || (apiServer && covered),
                "4: a principal is replaced only under an understudy that has its clients",
                pod.at("metadata", "name").text().orElse("") + " deleted");
        require(
                failed || ledTo.equals(Optional.of(Server.UNDERSTUDY)),
                "4: a principal is not replaced after its clients were sent back to it",
                pod.at("metadata", "name").text().orElse("") + " deleted");
    }

    /** The newest last-good of a component, if it has one. */
    Optional<Checkpoint> lastGood(Kept kept) {
        return Optional.ofNullable(lastGood.get(kept.component()))
                .map(revision -> store.load(kept.component(), revision));
    }

    /** Whether the Node says of the checkpoints what is on the disk. */
    boolean areTold() {
        CheckpointSummary there = CheckpointSummary.of(slotsThen, store::savedAt);
        return machine.objects()
                .get(Blueprint.nodePath(machine.name()))
                .flatMap(node -> node.at("metadata", "annotations", CheckpointSummary.ANNOTATION)
                        .text())
                .filter(text -> CheckpointSummary.read(text).is(told -> there.equals(told.summary())))
                .isPresent();
    }

    Optional<Slots> slots(Kept kept) {
        Evidence<Slots> slots = slotsThen.get(kept.component());
        return slots instanceof Evidence.Known<Slots>(Slots known) ? Optional.of(known) : Optional.empty();
    }
}
