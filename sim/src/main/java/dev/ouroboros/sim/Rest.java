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
 * Whether a machine is at rest: every template runs, is ready and last-good, the Node says what is saved, and nothing stands in for
 * anything.
 */
final class Rest {
    private final Machine machine;

    Rest(Machine machine) {
        this.machine = machine;
    }

    /** Why it is not at rest; empty when it is. */
    Optional<String> unrest() {
        if (!machine.starts().areDone() || !machine.startFiles().areGone()) {
            return Optional.of("start is not done");
        }
        Optional<String> restore = machine.etcd().member().flatMap(EtcdMember::unrest);
        if (restore.isPresent()) {
            return restore;
        }
        if (!machine.isPowered()
                || machine.keeper().isEmpty()
                || machine.keeper().get().isStaticCopy()) {
            return Optional.of("the keeper's pod does not work");
        }
        if (!(machine.front().read() instanceof FrontState.ToPrincipal)) {
            return Optional.of("the front is " + machine.front().read());
        }
        if (!machine.invariants().areTold()) {
            return Optional.of("the Node does not say what checkpoints there are");
        }
        for (Kept kept : Blueprint.ALL) {
            Optional<String> unrest = unrestOf(kept);
            if (unrest.isPresent()) {
                return Optional.of(kept.name() + ": " + unrest.get());
            }
        }
        return Optional.empty();
    }

    private Optional<String> unrestOf(Kept kept) {
        List<PodRun> runs = machine.kubelet().runs().stream()
                .filter(run -> run.role == kept.role() && run.namespace.equals(kept.namespace()))
                .toList();
        List<PodRun> principals = runs.stream().filter(run -> !run.isStatic).toList();
        if (principals.size() != 1
                || !principals.getFirst().isReady(machine.now(), machine.etcd().answers())) {
            return Optional.of("has not one principal that serves but " + principals.size());
        }
        boolean copyExpected = kept.role() == Role.KEEPER;
        if (runs.stream().anyMatch(run -> run.isStatic) != copyExpected) {
            return Optional.of(copyExpected ? "has no static copy" : "has an understudy");
        }
        Json.Fields pod = principals.getFirst().pod;
        Json wanted = machine.template(kept).orElseThrow().at("spec");
        if (!pod.at("spec", "containers").equals(wanted.at("containers"))) {
            return Optional.of("is not what its template asks for; its change is " + machine.change());
        }
        return unsaved(kept, pod);
    }

    private Optional<String> unsaved(Kept kept, Json.Fields pod) {
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
