package dev.ouroboros.snapshot;

import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.snapshot.bolt.DamageException;
import dev.ouroboros.snapshot.encryption.Decryptor;
import dev.ouroboros.snapshot.encryption.EncryptionConfiguration;
import dev.ouroboros.snapshot.etcd.EtcdFile;
import dev.ouroboros.snapshot.etcd.KeyRecord;
import dev.ouroboros.snapshot.etcd.LiveRecords;
import dev.ouroboros.snapshot.etcd.StatusFigures;
import dev.ouroboros.snapshot.etcd.TrailingDigest;
import dev.ouroboros.snapshot.kubernetes.ObjectDecoder;
import dev.ouroboros.snapshot.kubernetes.ResourceCatalogue;
import dev.ouroboros.snapshot.kubernetes.StoredKey;
import dev.ouroboros.snapshot.kubernetes.StoredValue;
import dev.ouroboros.snapshot.kubernetes.TypeOfValue;
import dev.ouroboros.snapshot.kubernetes.UnreadableObjectException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * A snapshot or database file of etcd with the objects of a Kubernetes in it. It is read only, with memory that does not depend on
 * its size but for one bit a revision and one a page. Not for several threads.
 */
public final class Snapshot implements AutoCloseable {
    private static final String USUAL_PREFIX = "/registry";
    /** Every cluster has this object. */
    private static final String LANDMARK = "/namespaces/kube-system";

    private final EtcdFile etcd;
    private final Decryptor decryptor;
    private final long tableBytes;
    private final ObjectDecoder decoder = new ObjectDecoder();
    private Optional<String> foundPrefix = Optional.empty();
    private Optional<TrailingDigest> digest = Optional.empty();

    private Snapshot(EtcdFile etcd, EncryptionConfiguration keys, long tableBytes) {
        this.etcd = etcd;
        this.decryptor = new Decryptor(keys);
        this.tableBytes = tableBytes;
    }

    /**
     * Opens a file.
     *
     * @throws ProblemException when nothing of it can be read
     */
    public static Snapshot open(Path path, EncryptionConfiguration keys) {
        return open(path, keys, LiveRecords.tableBytes());
    }

    /** @param tableBytes memory for the table of keys; with less, a large file is read in more passes */
    public static Snapshot open(Path path, EncryptionConfiguration keys, long tableBytes) {
        return new Snapshot(EtcdFile.open(path), keys, tableBytes);
    }

    /**
     * As {@link #open}; of a file whose tree of pages is broken, what its pages still hold. That may be older than it was, or deleted: the
     * problems of what is read say so.
     *
     * @throws ProblemException when there is not even that
     */
    public static Snapshot salvage(Path path, EncryptionConfiguration keys) {
        return salvage(path, keys, LiveRecords.tableBytes());
    }

    public static Snapshot salvage(Path path, EncryptionConfiguration keys, long tableBytes) {
        return new Snapshot(EtcdFile.salvage(path), keys, tableBytes);
    }

    /** Looks at everything in the file, and says what it is. What is damaged is part of the answer. */
    public Inspection inspect() {
        TrailingDigest digest = digest();
        LiveRecords.Search search = etcd.search(Long.MAX_VALUE, tableBytes);
        search.beginPass();
        StatusFigures status = etcd.status(record -> {
            findPrefix(record);
            search.take(record);
        });
        while (search.beginPass()) {
            etcd.records(search::take);
        }
        LiveRecords live = search.result();
        Inventory inventory = new Inventory(this, prefix());
        Uncertain uncertain = new Uncertain();
        etcd.records(record -> {
            if (live.contains(record)) {
                uncertain.see(record);
                inventory.take(record);
            }
        });
        etcd.checkUnchanged();
        uncertain.report();
        return inventory.result(etcd, digest, status, live.count());
    }

    /** Reads the whole file, once: that it was changed is among the damage of whatever is read of it. */
    private TrailingDigest digest() {
        TrailingDigest known = digest.orElseGet(etcd::digest);
        digest = Optional.of(known);
        return known;
    }

    /** Takes objects as they come out of the file, in the order of their last change. */
    public interface ObjectSink {
        void accept(StoredKey key, Json.Fields object);
    }

    /**
     * What came of an extraction.
     *
     * @param objects handed over
     * @param problems damage, and objects that were wanted and cannot be read
     * @param unknownFields fields of a newer Kubernetes, which were left out
     */
    public record Extracted(long objects, List<Problem> problems, List<String> unknownFields) {
        public Extracted {
            problems = List.copyOf(problems);
            unknownFields = List.copyOf(unknownFields);
        }
    }

    /**
     * Hands over every object that is wanted and can be read.
     *
     * @throws ProblemException when the file does not hold the revision, or a resource that was named does not exist
     */
    public Extracted extract(Selection selection, ObjectSink sink) {
        checkRevision(selection);
        digest();
        LiveRecords.Search search = etcd.search(selection.revision().orElse(Long.MAX_VALUE), tableBytes);
        long[] newest = {0};
        while (search.beginPass()) {
            etcd.records(record -> {
                findPrefix(record);
                newest[0] = Math.max(newest[0], record.revision().main());
                search.take(record);
            });
        }
        if (selection.revision().isPresent() && selection.revision().getAsLong() > newest[0]) {
            throw ProblemException.of(
                    ErrorCode.INVALID_FLAG,
                    "--revision",
                    "is " + selection.revision().getAsLong(),
                    "at most " + newest[0] + ", the newest of " + etcd.path(),
                    "leave --revision out for the newest");
        }
        LiveRecords live = search.result();
        return handOver(selection, resources(selection, live), live::contains, sink);
    }

    /**
     * Hands over what objects were last before they were deleted, as far as the file still holds it: etcd forgets it when it is
     * compacted, which nobody does while no API server runs.
     */
    public Extracted extractDeleted(Selection selection, ObjectSink sink) {
        digest();
        LiveRecords.Search search = etcd.search(Long.MAX_VALUE, tableBytes);
        while (search.beginPass()) {
            etcd.records(record -> {
                findPrefix(record);
                search.take(record);
            });
        }
        LiveRecords live = search.result();
        Predicate<StoredKey> resources = resources(selection, live);
        Map<String, Long> last = new HashMap<>();
        etcd.records(record -> {
            String key = record.keyText();
            if (live.contains(record)) {
                last.remove(key);
            } else if (!record.tombstone()
                    && StoredKey.parse(key, prefix())
                            .filter(parsed -> selection.mayMatch(parsed) && resources.test(parsed))
                            .isPresent()) {
                last.put(key, record.ordinal());
            }
        });
        Set<Long> wanted = Set.copyOf(last.values());
        return handOver(selection, resources, record -> wanted.contains(record.ordinal()), sink);
    }

    /** Which keys are of the resources that were named: the file has to be looked through for what it defines itself. */
    private Predicate<StoredKey> resources(Selection selection, LiveRecords live) {
        if (selection.resources().isEmpty()) {
            return _ -> true;
        }
        String prefix = prefix();
        ResourceCatalogue catalogue = new ResourceCatalogue();
        etcd.records(record -> {
            Optional<StoredKey> key = live.contains(record)
                    ? StoredKey.parse(record.keyText(), prefix).filter(catalogue::wants)
                    : Optional.empty();
            if (key.isPresent()) {
                see(catalogue, key.get(), record, etcd.value(record));
            }
        });
        Set<String> stored = catalogue.stored(selection.resources(), etcd.path().toString());
        return key -> stored.contains(key.resourceWithGroup());
    }

    /** What cannot be read is known by its key alone. */
    private void see(ResourceCatalogue catalogue, StoredKey key, KeyRecord record, byte[] bytes) {
        Optional<TypeOfValue> type = Optional.empty();
        try {
            StoredValue value = StoredValue.of(bytes);
            if (value instanceof StoredValue.Encrypted encrypted
                    && decryptor.open(encrypted, record.key())
                            instanceof Decryptor.Outcome.Opened(StoredValue opened)) {
                value = opened;
            }
            type = TypeOfValue.of(value);
            if (ResourceCatalogue.isDefinition(key) && type.isPresent()) {
                catalogue.define(decoder.decode(value));
            }
        } catch (UnreadableObjectException e) {
            // It is reported when it is among what was asked for.
        }
        catalogue.add(key, type);
    }

    private Extracted handOver(
            Selection selection, Predicate<StoredKey> resources, Predicate<KeyRecord> wanted, ObjectSink sink) {
        String prefix = prefix();
        Troubles troubles = new Troubles();
        long[] objects = {0};
        Uncertain uncertain = new Uncertain();
        etcd.records(record -> {
            if (wanted.test(record)) {
                Optional<StoredKey> key =
                        StoredKey.parse(record.keyText(), prefix).filter(resources.and(selection::mayMatch));
                if (key.isPresent()) {
                    Optional<Json.Fields> object = wanted(selection, record, etcd.value(record), troubles);
                    if (object.isPresent()) {
                        objects[0]++;
                        uncertain.see(record);
                        sink.accept(key.get(), object.get());
                    }
                }
            }
        });
        etcd.checkUnchanged();
        uncertain.report();
        List<Problem> problems = new ArrayList<>(etcd.damages().problems());
        problems.addAll(troubles.problems());
        return new Extracted(objects[0], problems, List.copyOf(decoder.unknownFields()));
    }

    /** Counts what was salvaged and may have been deleted. */
    private final class Uncertain {
        private long keys;

        void see(KeyRecord record) {
            keys += etcd.mayBeDeleted(record) ? 1 : 0;
        }

        void report() {
            if (keys > 0) {
                etcd.damages()
                        .add(
                                "",
                                keys + " of the keys that are read were last changed before etcd was compacted",
                                "a tree of pages that is whole; without it nothing tells which of them were deleted"
                                        + " before that");
            }
        }
    }

    private void checkRevision(Selection selection) {
        long oldest = etcd.facts().oldestReadable();
        selection.revision().ifPresent(revision -> {
            if (revision < oldest) {
                throw ProblemException.of(
                        ErrorCode.COMPACTED,
                        "--revision",
                        "is " + revision + ", and etcd was compacted up to " + oldest,
                        "a revision from " + oldest + " on",
                        "leave --revision out for the newest, or read an older snapshot");
            }
        });
    }

    private Optional<Json.Fields> wanted(Selection selection, KeyRecord record, byte[] bytes, Troubles troubles) {
        String place = record.keyText();
        try {
            StoredValue value = StoredValue.of(bytes);
            if (value instanceof StoredValue.Encrypted encrypted) {
                switch (decryptor.open(encrypted, record.key())) {
                    case Decryptor.Outcome.Opened(StoredValue opened) -> value = opened;
                    case Decryptor.Outcome.Closed(Decryptor.Refusal refusal) -> {
                        troubles.closed(place, refusal);
                        return Optional.empty();
                    }
                }
            }
            return Optional.of(decoder.decode(value)).filter(selection::matches);
        } catch (UnreadableObjectException e) {
            troubles.unreadable(place, e.what());
            return Optional.empty();
        }
    }

    private String prefix() {
        return foundPrefix.orElse(USUAL_PREFIX);
    }

    /** API servers may be told to store under another prefix; a known object tells which. */
    private void findPrefix(KeyRecord record) {
        byte[] key = record.key();
        int start = key.length - LANDMARK.length();
        if (start > 0 && key[key.length - 1] == 'm' && key[start] == '/') {
            String text = new String(key, StandardCharsets.UTF_8);
            if (text.endsWith(LANDMARK)) {
                String found = text.substring(0, text.length() - LANDMARK.length());
                // A custom resource may have this name as well, further down.
                foundPrefix = foundPrefix
                        .filter(known -> known.length() <= found.length())
                        .or(() -> Optional.of(found));
            }
        }
    }

    ObjectDecoder decoder() {
        return decoder;
    }

    Decryptor decryptor() {
        return decryptor;
    }

    byte[] value(KeyRecord record) throws DamageException {
        return etcd.value(record);
    }

    @Override
    public void close() {
        etcd.close();
    }
}
