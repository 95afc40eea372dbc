package dev.ouroboros.snapshot;

import dev.ouroboros.model.json.Json;
import dev.ouroboros.snapshot.Inspection.ControlPlaneObject;
import dev.ouroboros.snapshot.Inspection.FileFacts;
import dev.ouroboros.snapshot.Inspection.ResourceCount;
import dev.ouroboros.snapshot.bolt.DamageException;
import dev.ouroboros.snapshot.encryption.Decryptor;
import dev.ouroboros.snapshot.etcd.EtcdFile;
import dev.ouroboros.snapshot.etcd.KeyRecord;
import dev.ouroboros.snapshot.etcd.StatusFigures;
import dev.ouroboros.snapshot.etcd.TrailingDigest;
import dev.ouroboros.snapshot.kubernetes.StoredKey;
import dev.ouroboros.snapshot.kubernetes.StoredValue;
import dev.ouroboros.snapshot.kubernetes.TypeOfValue;
import dev.ouroboros.snapshot.kubernetes.UnreadableObjectException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Counts live objects. Its memory grows with what it tells apart, not with the objects: what a file full of nonsense could make
 * grow without end is counted together once there is too much of it.
 */
final class Inventory {
    private static final int MOST_RESOURCES = 10_000;
    private static final int MOST_LABELS = 100;
    private static final int MOST_CONTROL_PLANE = 1_000;
    private static final String OTHERS = "(others)";
    private static final String IDENTITY = "identity";

    private static final class Count {
        private long objects;
        private long bytes;
        private final SortedMap<String, Long> versions = new TreeMap<>();
        private final SortedMap<String, Long> encryption = new TreeMap<>();
    }

    private final Snapshot snapshot;
    private final String prefix;
    private final Troubles troubles = new Troubles();
    private final SortedMap<String, Count> counts = new TreeMap<>();
    private final SortedMap<String, Long> kubeletVersions = new TreeMap<>();
    private final List<ControlPlaneObject> controlPlane = new ArrayList<>();
    private long otherKeys;
    private long decrypted;

    Inventory(Snapshot snapshot, String prefix) {
        this.snapshot = snapshot;
        this.prefix = prefix;
    }

    void take(KeyRecord record) throws DamageException {
        Optional<StoredKey> key = StoredKey.parse(record.keyText(), prefix);
        if (key.isEmpty()) {
            otherKeys++;
            return;
        }
        String resource = key.get().resourceWithGroup();
        Count count = counts.computeIfAbsent(
                counts.containsKey(resource) || counts.size() < MOST_RESOURCES ? resource : OTHERS,
                name -> new Count());
        count.objects++;
        count.bytes += record.valueLength();
        try {
            read(key.get(), record, snapshot.value(record), count);
        } catch (UnreadableObjectException e) {
            troubles.unreadable(record.keyText(), e.what());
        }
    }

    private void read(StoredKey key, KeyRecord record, byte[] bytes, Count count) throws UnreadableObjectException {
        StoredValue value = StoredValue.of(bytes);
        if (value instanceof StoredValue.Encrypted encrypted) {
            add(count.encryption, encrypted.label());
            switch (snapshot.decryptor().open(encrypted, record.key())) {
                case Decryptor.Outcome.Opened(StoredValue opened) -> {
                    decrypted++;
                    value = opened;
                }
                case Decryptor.Outcome.Closed(Decryptor.Refusal refusal) -> {
                    troubles.closed(record.keyText(), refusal);
                    return;
                }
            }
        } else {
            add(count.encryption, IDENTITY);
        }
        if (value instanceof StoredValue.Other(String what)) {
            throw new UnreadableObjectException("is no object: " + what);
        }
        TypeOfValue.of(value).ifPresent(type -> add(count.versions, type.apiVersion()));
        if (ControlPlaneWorkloads.RESOURCES.contains(key.resource())
                && key.group().isEmpty()) {
            Json object = snapshot.decoder().decode(value);
            if (controlPlane.size() < MOST_CONTROL_PLANE) {
                controlPlane.addAll(ControlPlaneWorkloads.of(key.namespacedName(), object));
            }
        } else if (key.resource().equals("nodes") && key.group().isEmpty()) {
            snapshot.decoder()
                    .decode(value)
                    .at("status", "nodeInfo", "kubeletVersion")
                    .text()
                    .ifPresent(version -> add(kubeletVersions, version));
        }
    }

    private static void add(SortedMap<String, Long> counts, String label) {
        counts.merge(counts.containsKey(label) || counts.size() < MOST_LABELS ? label : OTHERS, 1L, Long::sum);
    }

    Inspection result(EtcdFile etcd, TrailingDigest digest, StatusFigures status, long liveKeys) {
        SortedMap<String, SortedMap<String, Long>> encryption = new TreeMap<>();
        counts.forEach((resource, count) -> encryption.put(resource, count.encryption));
        return new Inspection(
                new FileFacts(
                        etcd.path().toString(),
                        etcd.fileSize(),
                        etcd.databaseSize(),
                        etcd.pageSize(),
                        etcd.transaction(),
                        digest),
                etcd.facts(),
                status,
                liveKeys,
                prefix,
                counts.entrySet().stream()
                        .map(entry -> new ResourceCount(
                                entry.getKey(),
                                entry.getValue().objects,
                                entry.getValue().bytes,
                                entry.getValue().versions))
                        .toList(),
                otherKeys,
                encryption,
                kubeletVersions,
                controlPlane.stream()
                        .sorted(Comparator.comparing(ControlPlaneObject::component)
                                .thenComparing(ControlPlaneObject::owner)
                                .thenComparing(ControlPlaneObject::name))
                        .toList(),
                etcd.salvage(),
                etcd.damages().problems(),
                decrypted,
                troubles.problems(),
                troubles.ofKms(),
                snapshot.decoder().unknownFields().stream().sorted().toList());
    }
}
