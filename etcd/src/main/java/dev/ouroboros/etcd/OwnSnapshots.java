package dev.ouroboros.etcd;

import dev.ouroboros.etcd.decide.SnapshotRetention;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.json.JsonText;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.FileTrouble;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.disk.FileStatus;
import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Which files of a directory are snapshots that we saved, told by a list beside them with the SHA-256 that each ends with. What is not in
 * the list, or ends with another one, is somebody else's: it is neither counted nor removed, whatever its name.
 */
final class OwnSnapshots {
    static final String LIST = Disk.TEMPORARY_PREFIX + "snapshots.json";

    private static final String FIELD = "sha256ByName";
    private static final int SHA_256_BYTES = 32;

    private final Disk disk;
    private final Path directory;

    OwnSnapshots(Disk disk, Path directory) {
        this.disk = disk;
        this.directory = directory;
    }

    /** Those of the list by their names, as they are now. */
    SortedMap<String, SnapshotList.State> states() {
        SortedMap<String, SnapshotList.State> states = new TreeMap<>();
        read().forEach((name, sum) -> states.put(name, stateOf(directory.resolve(name), sum)));
        return states;
    }

    private SnapshotList.State stateOf(Path file, String sum) {
        Optional<FileStatus> status = disk.status(file);
        if (status.isEmpty()) {
            return SnapshotList.State.MISSING;
        }
        boolean isSaved =
                status.get().kind() == FileStatus.Kind.FILE && endOf(file).equals(sum);
        return isSaved ? SnapshotList.State.AS_SAVED : SnapshotList.State.CHANGED;
    }

    /** Writes down that a file, which may not be there yet, is ours. */
    void add(String name, String sha256) {
        Map<String, String> all = read();
        all.put(name, sha256);
        write(all);
    }

    /**
     * Removes those whose name is of the pattern and that are not to stay.
     *
     * @param last name of the one that was saved last
     * @return what was removed, and problems with files that are not as listed
     */
    Retained retain(SnapshotName pattern, SnapshotRetention retention, String last) {
        List<Problem> remarks = new ArrayList<>();
        Map<String, String> all = read();
        NavigableMap<Instant, String> ours = new TreeMap<>();
        for (Map.Entry<String, String> entry : List.copyOf(all.entrySet())) {
            Path file = directory.resolve(entry.getKey());
            Optional<Instant> moment = pattern.momentOf(entry.getKey());
            switch (stateOf(file, entry.getValue())) {
                case AS_SAVED -> moment.ifPresent(found -> ours.put(found, entry.getKey()));
                case MISSING -> all.remove(entry.getKey());
                case CHANGED ->
                    moment.ifPresent(_ -> remarks.add(new Problem(
                            ErrorCode.FOREIGN_FILE,
                            file.toString(),
                            "is not the snapshot that was saved there, and stays",
                            "",
                            "remove it by hand if it is not needed")));
            }
        }
        List<Path> removed = new ArrayList<>();
        Set<Instant> kept = pattern.momentOf(last)
                .map(moment -> retention.kept(ours.keySet(), moment))
                .orElseGet(ours::keySet);
        ours.forEach((moment, name) -> {
            if (!kept.contains(moment)) {
                // The keys first: a snapshot that is there is gone on with, and keys alone would be nobody's.
                disk.delete(SnapshotName.keysOf(directory.resolve(name)));
                disk.delete(directory.resolve(name));
                removed.add(directory.resolve(name));
                all.remove(name);
            }
        });
        write(all);
        return new Retained(removed, remarks);
    }

    record Retained(List<Path> removed, List<Problem> remarks) {
        Retained {
            removed = List.copyOf(removed);
            remarks = List.copyOf(remarks);
        }
    }

    /** The SHA-256 that a snapshot states, in hexadecimal; empty for a file that is too short. */
    static String endOf(Path file) {
        try (SeekableByteChannel in = Files.newByteChannel(file)) {
            if (in.size() < SHA_256_BYTES) {
                return "";
            }
            in.position(in.size() - SHA_256_BYTES);
            return HexFormat.of().formatHex(Channels.newInputStream(in).readNBytes(SHA_256_BYTES));
        } catch (IOException e) {
            throw FileTrouble.of(file, "cannot be read", e);
        }
    }

    private Map<String, String> read() {
        Path list = directory.resolve(LIST);
        Map<String, String> all = new TreeMap<>();
        Optional<byte[]> text = disk.read(list);
        if (text.isPresent()) {
            try {
                if (!(JsonText.read(text.get()).at(FIELD) instanceof Json.Fields fields)) {
                    throw malformed(list, "has no field " + FIELD);
                }
                fields.values().forEach((name, sum) -> all.put(name, sum.text().orElse("")));
            } catch (JsonText.MalformedJson e) {
                throw malformed(list, "is no JSON: " + e.getMessage());
            }
        }
        return all;
    }

    private static ProblemException malformed(Path list, String what) {
        return ProblemException.of(
                ErrorCode.FOREIGN_FILE,
                list.toString(),
                what,
                "the list of the snapshots that ouro saved here",
                "move it away; older snapshots then stay until you remove them");
    }

    private void write(Map<String, String> all) {
        Json.Fields names = Json.object();
        for (Map.Entry<String, String> entry : all.entrySet()) {
            names = names.with(entry.getKey(), Json.text(entry.getValue()));
        }
        disk.write(directory.resolve(LIST), JsonText.write(Json.object().with(FIELD, names)), "rw-r--r--");
    }
}
