package dev.ouroboros.keeper.checkpoint;

import dev.ouroboros.keeper.checkpoint.Generation.Verdict;
import dev.ouroboros.model.checkpoint.Checkpoint;
import dev.ouroboros.model.checkpoint.Revision;
import dev.ouroboros.model.checkpoint.Slots;
import dev.ouroboros.model.checkpoint.Understudy;
import dev.ouroboros.model.component.ComponentName;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.disk.FileStatus;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The checkpoints of a node, below one directory:
 *
 * <pre>
 * NAMESPACE/NAME/slots.json               which generation is candidate, which is last-good
 * NAMESPACE/NAME/generations/REVISION/    {@link Generation}, whole from the moment it has this name
 * NAMESPACE/NAME/generations/.incoming-*  being written; .discarded-* being removed
 * </pre>
 *
 * <p><b>Why it survives.</b> A generation is written under another name and renamed when all of it is on the disk; the slots
 * switch by replacing one small file; a generation that goes loses its name first. So a crash at any instruction leaves every
 * slot with a whole generation, the old or the new. Nothing is removed that a slot names.
 *
 * <p>What is torn, foreign, of a later format or edited by hand is reported by {@link #read} and left alone: never loaded, never
 * removed. Only when a whole generation must get the name of a damaged one, the damaged one is moved aside.
 *
 * <p>One writer. Every method may be called again after it failed or was cut off. All methods throw {@link ProblemException}
 * with code DISK when the disk refuses; then what was there before is there still.
 */
public final class CheckpointStore {
    private static final String SLOTS = "slots.json";
    private static final String GENERATIONS = "generations";
    private static final String INCOMING = ".incoming-";
    private static final String DISCARDED = ".discarded-";

    private final Disk disk;
    private final Path root;

    /** @param root {@code /var/lib/ouroboros/checkpoints} */
    public CheckpointStore(Disk disk, Path root) {
        this.disk = disk;
        this.root = root;
    }

    /** Reads and verifies everything: call it at the start, after a change, and now and then. */
    public StoredCheckpoints read() {
        SortedMap<ComponentName, Evidence<Slots>> all = new TreeMap<>();
        List<Problem> problems = new ArrayList<>();
        for (ComponentName component : components(problems)) {
            try {
                all.put(component, read(component, problems));
            } catch (ProblemException e) {
                problems.addAll(e.problems());
                all.put(component, Evidence.unknown(e.describe()));
            }
        }
        return new StoredCheckpoints(all, problems);
    }

    /** Saves a checkpoint and makes it the candidate. */
    public void save(Checkpoint checkpoint) {
        ComponentName component = checkpoint.component();
        Revision revision = checkpoint.revision();
        SlotFile slots = slotsOf(component);
        if (!(verify(component, revision) instanceof Verdict.Whole)) {
            removeLeftovers(component);
            moveAside(component, revision);
            write(checkpoint, revision);
        }
        writeSlots(component, slots.withCandidate(Optional.of(revision)));
    }

    /** Makes the candidate the last-good, at once. Does nothing when it is that already. */
    public void promote(ComponentName component, Revision candidate) {
        SlotFile slots = slotsOf(component);
        if (slots.slots().candidate().equals(Optional.of(candidate))) {
            load(component, candidate);
            writeSlots(component, slots.promoted(candidate));
        } else if (!slots.slots().lastGood().equals(Optional.of(candidate))) {
            throw ProblemException.of(
                    ErrorCode.NOT_FOUND,
                    slotsFile(component).toString(),
                    candidate + " is not the candidate",
                    "",
                    "save it first");
        }
    }

    /** Forgets a candidate, if it still is this revision. */
    public void drop(ComponentName component, Revision candidate) {
        SlotFile slots = slotsOf(component);
        if (slots.slots().candidate().equals(Optional.of(candidate))) {
            writeSlots(component, slots.withCandidate(Optional.empty()));
        }
    }

    /** Removes all checkpoints of a component. What is not ours in its directory stays, and the directory with it. */
    public void retire(ComponentName component) {
        slotsOf(component);
        disk.delete(slotsFile(component));
        collect(component, Set.of());
    }

    /**
     * The whole, verified checkpoint.
     *
     * @throws ProblemException with all that is wrong with it
     */
    public Checkpoint load(ComponentName component, Revision revision) {
        return switch (verify(component, revision)) {
            case Verdict.Whole(Checkpoint checkpoint) -> checkpoint;
            case Verdict.Damaged(List<Problem> problems) -> throw new ProblemException(problems);
        };
    }

    /** The last-good checkpoints of all components that have one, by what {@link #read} gave. */
    public List<Checkpoint> lastGood(StoredCheckpoints stored) {
        List<Checkpoint> found = new ArrayList<>();
        stored.slots().forEach((component, slots) -> {
            if (slots instanceof Evidence.Known<Slots>(Slots known)) {
                known.lastGood().ifPresent(revision -> found.add(load(component, revision)));
            }
        });
        return found;
    }

    /** When a checkpoint was written, by the node's clock; empty when it is not there. */
    public Optional<Instant> savedAt(ComponentName component, Revision revision) {
        return Generation.savedAt(disk, generation(component, revision));
    }

    /** The images of every whole checkpoint that a slot names; empty when not every slot can be told. */
    public Optional<Set<String>> images() {
        Set<String> images = new TreeSet<>();
        for (ComponentName component : components(new ArrayList<>())) {
            if (!(readSlots(component) instanceof SlotsRead.Whole(SlotFile slots))) {
                return Optional.empty();
            }
            for (Revision revision : slots.named()) {
                if (verify(component, revision) instanceof Verdict.Whole(Checkpoint checkpoint)) {
                    images.addAll(checkpoint.images());
                }
            }
        }
        return Optional.of(images);
    }

    /** The static pod made from a verified checkpoint; its volumes are in this store. */
    public Json.Fields understudyManifest(Checkpoint checkpoint) {
        Path files = generation(checkpoint.component(), checkpoint.revision()).resolve(Generation.FILES);
        return Understudy.of(checkpoint, files.toAbsolutePath().toString());
    }

    /** Removes whole generations that no slot names, but not {@code inUse}: those a static manifest was made from. */
    public void collect(Map<ComponentName, Revision> inUse) {
        for (ComponentName component : components(new ArrayList<>())) {
            if (readSlots(component) instanceof SlotsRead.Whole(SlotFile slots)) {
                Set<Revision> kept = new HashSet<>(slots.named());
                Optional.ofNullable(inUse.get(component)).ifPresent(kept::add);
                collect(component, kept);
            }
        }
    }

    private void collect(ComponentName component, Set<Revision> kept) {
        removeLeftovers(component);
        for (String name : disk.list(generations(component))) {
            if (Revision.isWhole(name)
                    && !kept.contains(new Revision(name))
                    && verify(component, new Revision(name)) instanceof Verdict.Whole) {
                discard(generations(component), name);
            }
        }
        Path directory = directory(component);
        for (Path place : List.of(generations(component), directory, directory.resolveSibling(""))) {
            if (disk.list(place).isEmpty()) {
                disk.delete(place);
            }
        }
    }

    /** A generation loses its name at once, and then its files: a crash in between leaves nothing that looks like a damaged one. */
    private void discard(Path generations, String name) {
        Path discarded = generations.resolve(DISCARDED + name);
        disk.rename(generations.resolve(name), discarded);
        disk.deleteTree(discarded);
    }

    /** What a crash left of a write or a removal; these names are ours alone. */
    private void removeLeftovers(ComponentName component) {
        for (String name : disk.list(generations(component))) {
            if (name.startsWith(INCOMING) || name.startsWith(DISCARDED)) {
                disk.deleteTree(generations(component).resolve(name));
            }
        }
        for (String name : disk.list(directory(component))) {
            if (name.startsWith(Disk.TEMPORARY_PREFIX)) {
                disk.delete(directory(component).resolve(name));
            }
        }
    }

    private void moveAside(ComponentName component, Revision revision) {
        Path damaged = generation(component, revision);
        if (disk.status(damaged).isEmpty()) {
            return;
        }
        Set<String> taken = new TreeSet<>(disk.list(generations(component)));
        int number = 1;
        while (taken.contains(revision + ".damaged-" + number)) {
            number++;
        }
        disk.rename(damaged, damaged.resolveSibling(revision + ".damaged-" + number));
    }

    private void write(Checkpoint checkpoint, Revision revision) {
        Path incoming = generations(checkpoint.component()).resolve(INCOMING + revision);
        disk.createDirectories(generations(checkpoint.component()), Disk.OWNER_ONLY_DIRECTORY);
        try {
            Generation.write(disk, incoming, checkpoint);
            disk.rename(incoming, generation(checkpoint.component(), revision));
        } catch (ProblemException e) {
            giveBack(incoming, e);
            throw e;
        }
    }

    /** Removes half a checkpoint: a full disk must not stay full of it. */
    private void giveBack(Path incoming, ProblemException reason) {
        try {
            disk.deleteTree(incoming);
        } catch (ProblemException e) {
            reason.addSuppressed(e);
        }
    }

    private Verdict verify(ComponentName component, Revision revision) {
        return Generation.verify(disk, generation(component, revision), component, revision);
    }

    private Evidence<Slots> read(ComponentName component, List<Problem> problems) {
        Set<Revision> whole = new HashSet<>();
        for (String name : disk.list(generations(component))) {
            if (Revision.isWhole(name)) {
                switch (verify(component, new Revision(name))) {
                    case Verdict.Whole _ -> whole.add(new Revision(name));
                    case Verdict.Damaged(List<Problem> found) -> problems.addAll(found);
                }
            } else if (!name.startsWith(INCOMING) && !name.startsWith(DISCARDED)) {
                problems.add(foreign(generations(component).resolve(name)));
            }
        }
        for (String name : disk.list(directory(component))) {
            if (!name.equals(SLOTS) && !name.equals(GENERATIONS) && !name.startsWith(Disk.TEMPORARY_PREFIX)) {
                problems.add(foreign(directory(component).resolve(name)));
            }
        }
        return switch (readSlots(component)) {
            case SlotsRead.Whole(SlotFile file) -> {
                file.named().stream()
                        .filter(revision ->
                                disk.status(generation(component, revision)).isEmpty())
                        .forEach(revision -> problems.add(missing(component, revision)));
                yield Evidence.known(new Slots(
                        file.slots().candidate().filter(whole::contains),
                        file.slots().lastGood().filter(whole::contains)));
            }
            case SlotsRead.Bad(Problem problem) -> {
                problems.add(problem);
                yield Evidence.unknown(problem.describe());
            }
        };
    }

    private Problem missing(ComponentName component, Revision revision) {
        return new Problem(
                ErrorCode.EDITED_FILE,
                slotsFile(component).toString(),
                "names " + revision + ", which is not there",
                "",
                "move it away: the keeper saves " + component + " anew when it is well");
    }

    private static Problem foreign(Path path) {
        return new Problem(
                ErrorCode.FOREIGN_FILE,
                path.toString(),
                "is not ours, or damaged",
                "",
                "move it away if it is not needed");
    }

    /** What reading a slot file gave; one that is not there names nothing. */
    private sealed interface SlotsRead {
        record Whole(SlotFile slots) implements SlotsRead {}

        record Bad(Problem problem) implements SlotsRead {}
    }

    private SlotsRead readSlots(ComponentName component) {
        Path file = slotsFile(component);
        Optional<byte[]> text = disk.read(file);
        if (text.isEmpty()) {
            return new SlotsRead.Whole(SlotFile.EMPTY);
        }
        return switch (Signed.read(text.get(), file.toString())) {
            case Signed.Reading.Whole(Json content) -> new SlotsRead.Whole(SlotFile.of(content));
            case Signed.Reading.Bad(Problem problem) -> new SlotsRead.Bad(problem);
        };
    }

    /** For those who are about to write: what cannot be understood is not overwritten. */
    private SlotFile slotsOf(ComponentName component) {
        return switch (readSlots(component)) {
            case SlotsRead.Whole(SlotFile slots) -> slots;
            case SlotsRead.Bad(Problem problem) -> throw new ProblemException(problem);
        };
    }

    private void writeSlots(ComponentName component, SlotFile slots) {
        disk.write(slotsFile(component), Signed.write(slots.content()), Disk.OWNER_ONLY_FILE);
    }

    private Set<ComponentName> components(List<Problem> problems) {
        Set<ComponentName> components = new TreeSet<>();
        for (String namespace : disk.list(root)) {
            for (String name : directoryNames(root.resolve(namespace), problems)) {
                Path directory = root.resolve(namespace).resolve(name);
                if (isDirectory(directory)) {
                    components.add(new ComponentName(namespace, name));
                } else {
                    problems.add(foreign(directory));
                }
            }
        }
        return components;
    }

    private List<String> directoryNames(Path place, List<Problem> problems) {
        if (!isDirectory(place)) {
            problems.add(foreign(place));
            return List.of();
        }
        return disk.list(place);
    }

    private boolean isDirectory(Path path) {
        return disk.status(path).map(FileStatus::kind).equals(Optional.of(FileStatus.Kind.DIRECTORY));
    }

    private Path directory(ComponentName component) {
        return root.resolve(component.namespace()).resolve(component.name());
    }

    private Path slotsFile(ComponentName component) {
        return directory(component).resolve(SLOTS);
    }

    private Path generations(ComponentName component) {
        return directory(component).resolve(GENERATIONS);
    }

    private Path generation(ComponentName component, Revision revision) {
        return generations(component).resolve(revision.digest());
    }
}
