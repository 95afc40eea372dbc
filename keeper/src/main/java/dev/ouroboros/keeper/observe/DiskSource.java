package dev.ouroboros.keeper.observe;

import dev.ouroboros.keeper.checkpoint.CheckpointStore;
import dev.ouroboros.keeper.checkpoint.StaticManifests;
import dev.ouroboros.keeper.checkpoint.StoredCheckpoints;
import dev.ouroboros.keeper.decide.CheckpointSummary;
import dev.ouroboros.keeper.decide.Observation.StartSeen;
import dev.ouroboros.keeper.decide.StaticManifest;
import dev.ouroboros.model.asset.StateLayout;
import dev.ouroboros.model.checkpoint.Checkpoint;
import dev.ouroboros.model.checkpoint.Revision;
import dev.ouroboros.model.checkpoint.Slots;
import dev.ouroboros.model.component.ComponentName;
import dev.ouroboros.model.component.Role;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.json.JsonText;
import dev.ouroboros.model.json.JsonText.MalformedJson;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.start.Phase;
import dev.ouroboros.model.version.KubernetesVersion;
import dev.ouroboros.node.disk.Disk;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What lies on the node's disk: checkpoints, static manifests, and what start left of itself. */
final class DiskSource {
    private static final Logger LOG = LoggerFactory.getLogger(DiskSource.class);
    private static final Duration CHECKPOINTS_EVERY = Duration.ofMinutes(5);
    private static final Duration FILES_EVERY = Duration.ofSeconds(1);

    private final Disk disk;
    private final CheckpointStore store;
    private final StaticManifests manifests;
    private final BooleanSupplier startAtWork;
    private final Path startJournal;
    private final Signal changed;
    private final Cell<StoredCheckpoints> checkpoints;
    private final Cell<CheckpointSummary> summary;
    private final Cell<SortedMap<ComponentName, Revision>> ours;
    private final Cell<StartSeen> start;
    private final Map<ComponentName, Evidence<StaticManifest>> files = new ConcurrentHashMap<>();
    private final Map<ComponentName, Optional<Instant>> starts = new ConcurrentHashMap<>();
    private final Map<ComponentName, Role> watched = new ConcurrentHashMap<>();
    private final Map<ComponentName, Known> facts = new ConcurrentHashMap<>();

    /**
     * What a checkpoint says of its component, so that it is not read each time.
     *
     * @param containers that run as long as the pod does
     */
    record Known(
            Revision revision,
            Role role,
            Optional<KubernetesVersion> version,
            Set<String> containers,
            Set<String> images) {}

    DiskSource(
            Disk disk,
            CheckpointStore store,
            StaticManifests manifests,
            BooleanSupplier startAtWork,
            Path stateDirectory,
            Signal changed) {
        this.disk = disk;
        this.store = store;
        this.manifests = manifests;
        this.startAtWork = startAtWork;
        this.startJournal = stateDirectory.resolve(StateLayout.JOURNAL);
        this.changed = changed;
        this.checkpoints = new Cell<>("checkpoints", changed);
        this.summary = new Cell<>("checkpoint-summary", changed);
        this.ours = new Cell<>("manifests", changed);
        this.start = new Cell<>("start", changed);
    }

    void start(Lookouts lookouts) {
        lookouts.every("checkpoints", CHECKPOINTS_EVERY, this::refreshCheckpoints);
        lookouts.every("files", FILES_EVERY, this::refreshFiles);
    }

    /** Reads and verifies every checkpoint: after each change, and now and then. */
    synchronized void refreshCheckpoints() {
        try {
            StoredCheckpoints stored = store.read();
            if (!(checkpoints.get() instanceof Evidence.Known<StoredCheckpoints>(StoredCheckpoints before))
                    || !before.problems().equals(stored.problems())) {
                for (Problem problem : stored.problems()) {
                    LOG.error("component=keeper source=checkpoints event=problem reason=\"{}\"", problem.describe());
                }
            }
            stored.slots().forEach(this::learn);
            facts.keySet().retainAll(stored.slots().keySet());
            checkpoints.set(Evidence.known(stored));
            summary.set(summaryOf(stored));
        } catch (ProblemException e) {
            checkpoints.set(Evidence.unknown(e.describe()));
            summary.set(Evidence.unknown(e.describe()));
        }
    }

    /** That a time cannot be read is no reason to know nothing of the checkpoints themselves. */
    private Evidence<CheckpointSummary> summaryOf(StoredCheckpoints stored) {
        try {
            return Evidence.known(CheckpointSummary.of(stored.slots(), store::savedAt));
        } catch (ProblemException e) {
            return Evidence.unknown(e.describe());
        }
    }

    private void learn(ComponentName component, Evidence<Slots> slots) {
        Optional<Revision> best = slots.orElse(Slots.NONE).best();
        if (best.isEmpty() || best.equals(facts(component).map(Known::revision))) {
            return;
        }
        Checkpoint checkpoint;
        try {
            checkpoint = store.load(component, best.get());
        } catch (ProblemException e) {
            facts.remove(component);
            LOG.error("component={} source=checkpoints event=problem reason=\"{}\"", component, e.describe());
            return;
        }
        Set<String> containers = new TreeSet<>();
        checkpoint
                .pod()
                .at("spec", "containers")
                .items()
                .forEach(container -> container.at("name").text().ifPresent(containers::add));
        facts.put(
                component,
                new Known(best.get(), checkpoint.role(), checkpoint.version(), containers, checkpoint.images()));
    }

    /** Reads static manifests and what start left. */
    void refreshFiles() {
        try {
            StaticManifests.Look look = manifests.look();
            readOurs(look);
            watched.forEach((component, role) -> readManifest(look, component, role));
        } catch (ProblemException e) {
            ours.set(Evidence.unknown(e.describe()));
            watched.keySet().forEach(component -> saw(component, Evidence.unknown(e.describe())));
        }
        files.keySet().retainAll(watched.keySet());
        starts.keySet().retainAll(watched.keySet());
        start.set(readStart());
    }

    private void readOurs(StaticManifests.Look look) {
        try {
            ours.set(Evidence.known(look.ours()));
        } catch (ProblemException e) {
            ours.set(Evidence.unknown(e.describe()));
        }
    }

    private void readManifest(StaticManifests.Look look, ComponentName component, Role role) {
        try {
            StaticManifest now = look.read(component, role);
            starts.put(component, look.startOf(component, role));
            saw(component, Evidence.known(now));
        } catch (ProblemException e) {
            saw(component, Evidence.unknown(e.describe()));
        }
    }

    private void saw(ComponentName component, Evidence<StaticManifest> now) {
        if (!now.equals(files.put(component, now))) {
            changed.raise();
        }
    }

    private Evidence<StartSeen> readStart() {
        try {
            if (startAtWork.getAsBoolean()) {
                return Evidence.known(new StartSeen.AtWork());
            }
            return Evidence.known(new StartSeen.Idle(isUnfinished()));
        } catch (ProblemException | MalformedJson e) {
            return Evidence.unknown(String.valueOf(e.getMessage()));
        }
    }

    private boolean isUnfinished() throws MalformedJson {
        Optional<String> journal = disk.readText(startJournal);
        if (journal.isEmpty()) {
            return false;
        }
        Json read = JsonText.read(journal.get());
        try {
            return !Phase.valueOf(read.at("phase").text().orElse("")).isFinal();
        } catch (IllegalArgumentException e) {
            throw new ProblemException(
                    new Problem(
                            ErrorCode.FOREIGN_FILE,
                            startJournal.toString(),
                            "names no phase",
                            "start's journal",
                            "look at it, and move it away if no 'ouro start' is to be continued"),
                    e);
        }
    }

    /** Keeps an eye on the static manifest of a component from now on. */
    Evidence<StaticManifest> manifest(ComponentName component, Role role) {
        if (watched.put(component, role) == null) {
            try {
                readManifest(manifests.look(), component, role);
            } catch (ProblemException e) {
                saw(component, Evidence.unknown(e.describe()));
            }
        }
        return files.getOrDefault(component, Evidence.unknown("not read yet"));
    }

    /** When the understudy was started whose manifest is there; empty when there is none of ours. */
    Optional<Instant> startOf(ComponentName component) {
        return starts.getOrDefault(component, Optional.empty());
    }

    /** Only these are looked for from now on. */
    void retainOnly(Set<ComponentName> components) {
        watched.keySet().retainAll(components);
    }

    Evidence<StoredCheckpoints> checkpoints() {
        return checkpoints.get();
    }

    /** What to tell of the checkpoints. */
    Evidence<CheckpointSummary> summary() {
        return summary.get();
    }

    Evidence<Slots> slots(ComponentName component) {
        return switch (checkpoints.get()) {
            case Evidence.Unknown<StoredCheckpoints>(String reason) -> Evidence.unknown(reason);
            case Evidence.Known<StoredCheckpoints>(StoredCheckpoints stored) -> {
                Evidence<Slots> slots = stored.slots().get(component);
                yield slots == null ? Evidence.known(Slots.NONE) : slots;
            }
        };
    }

    /** Known only when the slots of every component are. */
    Evidence<?> allSlots() {
        return checkpoints.get() instanceof Evidence.Known<StoredCheckpoints>(StoredCheckpoints stored)
                ? firstUnknown(stored.slots(), checkpoints.get())
                : checkpoints.get();
    }

    /** Known only when the manifest of every component is. */
    Evidence<?> allManifests() {
        return ours.get() instanceof Evidence.Known ? firstUnknown(files, ours.get()) : ours.get();
    }

    private static Evidence<?> firstUnknown(Map<ComponentName, ? extends Evidence<?>> parts, Evidence<?> whole) {
        for (Map.Entry<ComponentName, ? extends Evidence<?>> part : new TreeMap<>(parts).entrySet()) {
            if (part.getValue() instanceof Evidence.Unknown<?>(String reason)) {
                return Evidence.unknown(part.getKey() + ": " + reason);
            }
        }
        return whole;
    }

    /** Of every component. */
    Map<ComponentName, Known> facts() {
        return Map.copyOf(facts);
    }

    Optional<Known> facts(ComponentName component) {
        return Optional.ofNullable(facts.get(component));
    }

    Evidence<SortedMap<ComponentName, Revision>> ours() {
        return ours.get();
    }

    Evidence<StartSeen> startSeen() {
        return start.get();
    }
}
