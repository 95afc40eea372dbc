package dev.ouroboros.snapshot;

import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.snapshot.encryption.EncryptionConfiguration;
import dev.ouroboros.snapshot.etcd.EtcdFacts;
import dev.ouroboros.snapshot.etcd.Salvage;
import dev.ouroboros.snapshot.etcd.StatusFigures;
import dev.ouroboros.snapshot.etcd.TrailingDigest;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;

/**
 * What is inside of a file.
 *
 * @param liveKeys keys that have a value at the newest revision; what etcd 3.6 calls the total of keys
 * @param prefix what the keys of Kubernetes begin with
 * @param resources in the order of their names
 * @param otherKeys live keys that are not below the prefix
 * @param encryption objects by resource, then by how they are written: {@code identity} or provider and key name
 * @param kubeletVersions of the nodes, with their number
 * @param controlPlane workloads that run a part of the control plane
 * @param salvage how it was read, when its tree of pages is broken and that was asked for
 * @param damage everything that is wrong with the file; what is above is then of the part that can be read
 * @param decrypted objects that are encrypted, and were decrypted
 * @param unreadable objects that cannot be decoded
 * @param ofKms those of them that a KMS has encrypted
 * @param unknownFields fields of a newer Kubernetes
 */
public record Inspection(
        FileFacts file,
        EtcdFacts etcd,
        StatusFigures status,
        long liveKeys,
        String prefix,
        List<ResourceCount> resources,
        long otherKeys,
        SortedMap<String, SortedMap<String, Long>> encryption,
        SortedMap<String, Long> kubeletVersions,
        List<ControlPlaneObject> controlPlane,
        Optional<Salvage> salvage,
        List<Problem> damage,
        long decrypted,
        List<Problem> unreadable,
        List<Problem> ofKms,
        List<String> unknownFields) {
    public Inspection {
        resources = List.copyOf(resources);
        controlPlane = List.copyOf(controlPlane);
        damage = List.copyOf(damage);
        unreadable = List.copyOf(unreadable);
        ofKms = List.copyOf(ofKms);
        unknownFields = List.copyOf(unknownFields);
    }

    /** What these keys should open, and do not: of what a KMS encrypts, no file has the key, and where they name one, that is as it should be. */
    public List<Problem> unreadableWith(EncryptionConfiguration keys) {
        return keys.kms().isEmpty()
                ? unreadable
                : unreadable.stream()
                        .filter(problem -> !ofKms.contains(problem))
                        .toList();
    }

    /**
     * @param size of the file in bytes
     * @param databaseSize of all pages that were ever used; what {@code etcdctl snapshot status} calls the total size
     */
    public record FileFacts(
            String path, long size, long databaseSize, int pageSize, long transaction, TrailingDigest digest) {}

    /**
     * @param bytes of the values, as stored
     * @param versions stored apiVersions with their number; none of an encrypted object without its key
     */
    public record ResourceCount(String resource, long objects, long bytes, Map<String, Long> versions) {}

    /**
     * @param component as in kube-apiserver
     * @param owner kind of the object
     * @param name with its namespace
     */
    public record ControlPlaneObject(String component, String owner, String name, Optional<String> image) {}
}
