package dev.ouroboros.sim;

import dev.ouroboros.model.checkpoint.Checkpoint;
import dev.ouroboros.model.checkpoint.Slots;
import dev.ouroboros.model.component.Role;
import dev.ouroboros.model.front.FrontState;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.sim.Blueprint.Kept;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Whether a cluster is at rest: every template runs, is ready and last-good, each Node says what is saved, nothing stands in for anything, and
 * nothing of the control plane is left on a machine that is none of it any more.
 */
final class Rest {
    private final ClusterModel cluster;

    Rest(ClusterModel cluster) {
        this.cluster = cluster;
    }

    /** Why it is not at rest; empty when it is. */
    Optional<String> unrest() {
        if (cluster.labelled().isEmpty()) {
            return Optional.of("no machine is of the control plane");
        }
        Optional<String> restore = cluster.etcd().member().flatMap(EtcdMemberModel::unrest);
        if (restore.isPresent()) {
            return restore;
        }
        for (Machine machine : cluster.machines()) {
            Optional<String> unrest = machine.isLabelled() ? unrestOf(machine) : leftOn(machine);
            if (unrest.isPresent()) {
                return Optional.of(machine.name() + ": " + unrest.get());
            }
        }
        for (Kept kept : Blueprint.ALL) {
            Optional<String> unrest = unrestOf(kept);
            if (unrest.isPresent()) {
                return Optional.of(kept.name() + ": " + unrest.get());
            }
        }
        return Optional.empty();
    }

    private static Optional<String> unrestOf(Machine machine) {
        if (!machine.starts().areDone() || !machine.startFiles().areGone()) {
            return Optional.of("start is not done");
        }
        if (!machine.isPowered()
                || machine.keeper().isEmpty()
                || machine.keeper().get().isStaticCopy()) {
            return Optional.of("the keeper's pod does not work");
        }
        if (!(machine.front().read() instanceof FrontState.ToPrincipal)) {
            return Optional.of("the front is " + machine.front().read());
        }
        if (!machine.servers().answers()) {
            return Optional.of("its clients are not served");
        }
        return machine.invariants().areTold()
                ? Optional.empty()
                : Optional.of("the Node does not say what checkpoints there are");
    }

    /** Only the gateway may be anywhere. */
    private static Optional<String> leftOn(Machine machine) {
        if (!machine.isPowered()) {
            return Optional.of("it is off");
        }
        List<String> checkpoints = Blueprint.ALL.stream()
                .filter(kept -> kept.role() != Role.OTHER)
                .filter(kept -> machine.invariants()
                        .slots(kept)
                        .filter(slots -> !slots.equals(Slots.NONE))
                        .isPresent())
                .map(Kept::name)
                .toList();
        if (!checkpoints.isEmpty()) {
            return Optional.of("is none of the control plane and has checkpoints of " + checkpoints);
        }
        List<String> runs = machine.kubelet().runs().stream()
                .filter(run -> run.role != Role.OTHER)
                .map(run -> run.name)
                .toList();
        return runs.isEmpty() ? Optional.empty() : Optional.of("is none of the control plane and runs " + runs);
    }

    private Optional<String> unrestOf(Kept kept) {
        if (kept.isDaemonSet()) {
            for (Machine machine : cluster.labelled()) {
                Optional<String> unrest = unrestOf(kept, List.of(machine));
                if (unrest.isPresent()) {
                    return unrest;
                }
            }
            return Optional.empty();
        }
        return unrestOf(kept, cluster.machines());
    }

    /** @param machines that are to have one together */
    private Optional<String> unrestOf(Kept kept, List<Machine> machines) {
        List<Found> all = machines.stream()
                .flatMap(machine -> machine.kubelet().runs().stream().map(run -> new Found(machine, run)))
                .filter(found ->
                        found.run().role == kept.role() && found.run().namespace.equals(kept.namespace()))
                .toList();
        List<Found> principals =
                all.stream().filter(found -> !found.run().isStatic).toList();
        int wanted = kept.isDaemonSet()
                ? 1
                : (int) Scaling.replicas(cluster.objects().get(kept.path()).orElseThrow());
        if (principals.size() != wanted || !principals.stream().allMatch(Found::isReady)) {
            return Optional.of("has not as many principals that serve as it should: " + wanted + ", "
                    + principals.stream().map(found -> found.run().name).toList());
        }
        long machinesWithOne =
                principals.stream().map(Found::machine).distinct().count();
        if (Blueprint.LEADERS.contains(kept)
                && machinesWithOne < Math.min(wanted, cluster.labelled().size())) {
            return Optional.of("runs on one machine only");
        }
        boolean copyExpected = kept.role() == Role.KEEPER;
        if (all.stream().anyMatch(found -> found.run().isStatic) != copyExpected) {
            return Optional.of(copyExpected ? "has no static copy" : "has an understudy");
        }
        return principals.stream()
                .flatMap(found -> unrestOf(kept, found).stream())
                .findFirst()
                .or(() -> Blueprint.LEADERS.contains(kept) ? outdatedCheckpoint(kept, principals) : Optional.empty());
    }

    /** What has a checkpoint of a leader that runs elsewhere may have to stand in for it one day: it keeps up with what runs. */
    private Optional<String> outdatedCheckpoint(Kept kept, List<Found> principals) {
        if (principals.isEmpty()) {
            return Optional.empty();
        }
        return cluster.labelled().stream()
                .filter(machine -> principals.stream().noneMatch(found -> found.machine() == machine))
                .filter(machine -> machine.invariants().hasLastGood(kept))
                .flatMap(machine -> unsaved(machine, kept, principals.getFirst().run().pod)
                        .map(why -> why + " on " + machine.name() + ", where none of its pods is")
                        .stream())
                .findFirst();
    }

    private Optional<String> unrestOf(Kept kept, Found principal) {
        Json.Fields pod = principal.run().pod;
        Json asked = cluster.template(kept).orElseThrow().at("spec");
        if (!pod.at("spec", "containers").equals(asked.at("containers"))) {
            return Optional.of("is not what its template asks for; its change is "
                    + principal.machine().change());
        }
        // Where no keeper is, nothing is saved.
        return principal.machine().isLabelled() ? unsaved(principal.machine(), kept, pod) : Optional.empty();
    }

    private record Found(Machine machine, PodRun run) {
        boolean isReady() {
            return run.isReady(machine.now(), machine.etcdAnswers());
        }
    }

    private static Optional<String> unsaved(Machine machine, Kept kept, Json.Fields pod) {
        Optional<Slots> slots = machine.invariants().slots(kept);
        if (slots.isEmpty()
                || slots.get().candidate().isPresent()
                || slots.get().lastGood().isEmpty()) {
            return Optional.of("its slots are " + slots);
        }
        Checkpoint checkpoint = machine.invariants().lastGood(kept).orElseThrow();
        if (!checkpoint.commandLine().words().isEmpty()
                && !commandOf(checkpoint.pod()).equals(commandOf(pod))) {
            return Optional.of("last-good is not what runs");
        }
        SortedMap<String, String> saved = new TreeMap<>();
        checkpoint
                .files()
                .forEach(file -> saved.put(
                        file.volume() + "/" + file.path(),
                        new String(file.content().bytes(), StandardCharsets.UTF_8)));
        SortedMap<String, String> mounted = new TreeMap<>();
        Mounts.ofPrincipal(pod, machine.objects()).orElseGet(TreeMap::new).forEach((path, content) -> {
            if (!path.startsWith("$")) {
                mounted.put(path, content.substring(content.indexOf(' ') + 1));
            }
        });
        return saved.equals(mounted) ? Optional.empty() : Optional.of("last-good has " + saved + ", not " + mounted);
    }

    private static Json commandOf(Json pod) {
        return pod.at("spec", "containers").items().getFirst().at("command");
    }
}
