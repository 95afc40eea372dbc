package dev.ouroboros.node.testing;

import dev.ouroboros.model.checkpoint.Content;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.disk.FileStatus;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.random.RandomGenerator;

/**
 * A disk in memory that keeps the contract of {@link Disk} and can die or refuse at any step. A write is two steps, the temporary
 * file, which is torn before it is done, and the rename; each file of a tree is removed in a step of its own.
 *
 * <p>For tests and for the simulator, which also has one that breaks the contract: {@link #withoutSync}.
 */
public final class ModelDisk implements Disk {
    /** Where everything belongs to. */
    public static final int OWN_GROUP = 0;

    private static final Content NOTHING = Content.of(new byte[0]);

    private NavigableMap<Path, Entry> entries = new TreeMap<>();
    private Fault fault = Fault.NONE;
    private boolean cut;
    private int stepsLeft = Integer.MAX_VALUE;
    private int steps;
    private boolean syncs = true;
    private InstantSource clock = () -> Instant.EPOCH;
    /** What there was before each write that was not synced. */
    private final Map<Path, Optional<Entry>> unsynced = new TreeMap<>();

    private final Map<Path, Long> changes = new HashMap<>();
    private final Map<Path, List<String>> listings = new HashMap<>();

    public enum Fault {
        NONE,
        /** The power goes; nothing is done any more. */
        POWER_CUT,
        /** Every change is refused from now on. */
        REFUSES,
        /** What makes something new is refused; removing and renaming works. */
        FULL
    }

    /** No exception: nobody may handle it. */
    public static final class PowerCut extends Error {
        private static final long serialVersionUID = 1;
    }

    private record Entry(FileStatus status, Content content, String text, Instant modifiedAt) {}

    private Entry entry(FileStatus status, Content content) {
        return new Entry(status, content, new String(content.bytes(), StandardCharsets.UTF_8), clock.instant());
    }

    /** The clock of {@link #modifiedAt}; without one all files are of the epoch. */
    public void clock(InstantSource source) {
        clock = source;
    }

    /** A number that stays the same as long as nothing below a directory changes. */
    public long changesBelow(Path directory) {
        return changes.getOrDefault(directory, 0L);
    }

    private void put(Path path, Entry entry) {
        entries.put(path, entry);
        changed(path);
    }

    private void remove(Path path) {
        entries.remove(path);
        changed(path);
    }

    private void changed(Path path) {
        listings.clear();
        for (Path place = path; place != null; place = place.getParent()) {
            changes.merge(place, 1L, Long::sum);
        }
    }

    /** Fails from the step after this many more on. */
    public void breakAfter(int moreSteps, Fault kind) {
        fault = kind;
        stepsLeft = moreSteps;
    }

    /** From now on writes are not synced: a power cut may take them back, or leave empty files. */
    public void withoutSync() {
        syncs = false;
    }

    /** What was not synced is lost, emptied or kept, each by chance. */
    public void losePower(RandomGenerator random) {
        unsynced.forEach((path, before) -> {
            Entry now = entries.get(path);
            switch (random.nextInt(3)) {
                case 0 -> before.ifPresentOrElse(entry -> put(path, entry), () -> remove(path));
                case 1 -> {
                    if (now != null) {
                        put(path, entry(now.status(), NOTHING));
                    }
                }
                default -> {}
            }
        });
        unsynced.clear();
    }

    /** Whether a {@link PowerCut} came from here since the last repair. */
    public boolean isCut() {
        return cut;
    }

    public void repair() {
        fault = Fault.NONE;
        cut = false;
        stepsLeft = Integer.MAX_VALUE;
    }

    public int steps() {
        return steps;
    }

    public ModelDisk copied() {
        ModelDisk copy = new ModelDisk();
        copy.entries = new TreeMap<>(entries);
        return copy;
    }

    /** Every path with what is there, for comparison. */
    public NavigableMap<Path, String> contents() {
        NavigableMap<Path, String> all = new TreeMap<>();
        entries.forEach((path, entry) -> all.put(path, entry.status() + " " + entry.text()));
        return all;
    }

    /** Writes a file as a person with an editor does. */
    public void tamper(Path file, String content, String permissions) {
        put(file, file(content.getBytes(StandardCharsets.UTF_8), permissions, OWN_GROUP));
    }

    public void tamper(Path path, FileStatus status) {
        put(path, entry(status, NOTHING));
    }

    public void lose(Path path) {
        entries.keySet().removeIf(entry -> entry.startsWith(path));
        changed(path);
    }

    private void step(boolean needsSpace) {
        steps++;
        if (stepsLeft-- > 0) {
            return;
        }
        stepsLeft = 0;
        switch (fault) {
            case NONE -> {}
            case POWER_CUT -> {
                cut = true;
                throw new PowerCut();
            }
            case REFUSES -> throw refused("read-only file system");
            case FULL -> {
                if (needsSpace) {
                    throw refused("no space left on device");
                }
            }
        }
    }

    private static ProblemException refused(String why) {
        return ProblemException.of(ErrorCode.DISK, "model", why, "", "none: this is a model");
    }

    private Entry file(byte[] content, String permissions, int group) {
        return entry(new FileStatus(FileStatus.Kind.FILE, permissions, group), Content.of(content));
    }

    @Override
    public Optional<byte[]> read(Path file) {
        return Optional.ofNullable(entries.get(file))
                .filter(entry -> entry.status().kind() == FileStatus.Kind.FILE)
                .map(entry -> entry.content().bytes());
    }

    @Override
    public Optional<String> readText(Path file) {
        return Optional.ofNullable(entries.get(file))
                .filter(entry -> entry.status().kind() == FileStatus.Kind.FILE)
                .map(Entry::text);
    }

    @Override
    public List<String> list(Path directory) {
        return listings.computeIfAbsent(directory, this::look);
    }

    private List<String> look(Path directory) {
        // Paths are ordered by their bytes: those below a directory stand together, with some whose names begin alike.
        String prefix = directory.toString();
        int depth = directory.getNameCount() + 1;
        List<String> names = new ArrayList<>();
        for (Path path : entries.tailMap(directory, false).keySet()) {
            if (!path.toString().startsWith(prefix)) {
                break;
            }
            if (path.getNameCount() == depth && path.startsWith(directory)) {
                names.add(path.getFileName().toString());
            }
        }
        Collections.sort(names);
        return List.copyOf(names);
    }

    @Override
    public void write(Path file, byte[] content, String permissions) {
        write(file, content, permissions, OWN_GROUP);
    }

    @Override
    public void write(Path file, byte[] content, String permissions, int group) {
        if (!isDirectory(file.resolveSibling("")) || isDirectory(file)) {
            throw refused("cannot write " + file);
        }
        step(true);
        Path temporary = file.resolveSibling(TEMPORARY_PREFIX + file.getFileName() + ".1");
        put(temporary, file(Arrays.copyOf(content, content.length / 2), permissions, group));
        step(false);
        remove(temporary);
        if (!syncs) {
            unsynced.putIfAbsent(file, Optional.ofNullable(entries.get(file)));
        }
        put(file, file(content, permissions, group));
    }

    @Override
    public Optional<FileStatus> status(Path path) {
        return Optional.ofNullable(entries.get(path)).map(Entry::status);
    }

    @Override
    public Optional<Instant> modifiedAt(Path file) {
        return Optional.ofNullable(entries.get(file)).map(Entry::modifiedAt);
    }

    private boolean isDirectory(Path path) {
        return status(path).map(FileStatus::kind).equals(Optional.of(FileStatus.Kind.DIRECTORY));
    }

    @Override
    public void createDirectories(Path directory, String permissions) {
        if (isDirectory(directory)) {
            return;
        }
        if (directory.getParent() != null) {
            createDirectories(directory.getParent(), permissions);
        }
        step(true);
        put(directory, entry(new FileStatus(FileStatus.Kind.DIRECTORY, permissions, OWN_GROUP), NOTHING));
    }

    @Override
    public boolean delete(Path file) {
        if (!entries.containsKey(file)) {
            return false;
        }
        if (!list(file).isEmpty()) {
            throw refused(file + " is not empty");
        }
        step(false);
        remove(file);
        return true;
    }

    @Override
    public void deleteTree(Path directory) {
        List<Path> below = new ArrayList<>(entries.keySet());
        below.removeIf(path -> !path.startsWith(directory));
        below.reversed().forEach(path -> {
            step(false);
            remove(path);
        });
    }

    @Override
    public void rename(Path from, Path to) {
        if (entries.containsKey(to) && isDirectory(to) && !list(to).isEmpty()) {
            throw refused(to + " is in the way");
        }
        step(false);
        NavigableMap<Path, Entry> moved = new TreeMap<>();
        entries.forEach((path, entry) -> moved.put(
                path.startsWith(from) ? to.resolve(from.relativize(path).toString()) : path, entry));
        entries = moved;
        changed(from);
        changed(to);
    }

    @Override
    public void copy(Path from, Path to, String permissions) {
        throw new UnsupportedOperationException("checkpoints are not copied");
    }

    @Override
    public void append(Path file, InputStream content) {
        throw new UnsupportedOperationException("checkpoints are not appended to");
    }

    @Override
    public long usableBytes(Path path) {
        return Long.MAX_VALUE;
    }

    @Override
    public boolean isMount(Path directory) {
        return false;
    }
}
