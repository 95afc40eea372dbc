package dev.ouroboros.steward.decide;

import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.json.JsonText.MalformedJson;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;

/**
 * The object {@code ControlPlane/cluster}, as it was read.
 *
 * @param object all of it
 */
public record ControlPlaneObject(Json object) {
    /** The numbers of etcd members that may be wished. */
    public static final Set<Long> SIZES = Set.of(1L, 3L, 5L);

    static final String QUOTA_PERCENT = "quotaPercent";

    /** Whether nothing is to be done until the object says otherwise. */
    public boolean isPaused() {
        return object.at("spec", "paused").isTrue();
    }

    /** How many members of etcd are to vote; empty when no number is set. */
    public OptionalInt etcdSize() {
        OptionalLong size = object.at("spec", "etcd", "size").integer();
        return size.isPresent() ? OptionalInt.of(Math.toIntExact(size.getAsLong())) : OptionalInt.empty();
    }

    /** How long a member must be silent before it is replaced; empty where only a person replaces members. */
    public Optional<Duration> replaceAfter() {
        return WishedDuration.of(object.at("spec", "etcd", "replaceAfter"));
    }

    /** Whether members are defragmented when much of their files is free. */
    public boolean isDefragmenting() {
        return !object.at("spec", "etcd", "defragment").equals(Json.bool(false));
    }

    /** What manifests of members are to have. */
    public EtcdWish etcdWish() {
        return EtcdWish.of(object.at("spec", "etcd"));
    }

    public Optional<BackupPolicy> backup() {
        return BackupPolicy.of(object.at("spec", "etcd", "backup"));
    }

    /** What is wished of certificates. */
    public CertificatePolicy certificates() {
        return CertificatePolicy.of(object.at("spec", "certificates"));
    }

    /**
     * The kubelet that is wished on every node; empty where people manage kubelets.
     *
     * @throws MalformedJson where the schema let through what cannot be understood
     */
    public Optional<KubeletPolicy> kubelet() throws MalformedJson {
        return KubeletPolicy.of(object.at("spec", "kubelet"));
    }

    public long generation() {
        return object.at("metadata", "generation").integer().orElse(0);
    }

    /** Whether the leading steward has decided about the present generation of the spec. */
    public boolean isScaleDecided() {
        return object.at("status", "etcd", "decidedGeneration").equals(object.at("metadata", "generation"));
    }

    /** How much of its quota etcd uses, in per cent, as the status tells. */
    public OptionalInt quotaPercent() {
        OptionalLong told = object.at("status", "etcd", QUOTA_PERCENT).integer();
        return told.isPresent() ? OptionalInt.of(Math.toIntExact(told.getAsLong())) : OptionalInt.empty();
    }

    /** Whether the status lists etcd's members, and none with this client URL. */
    public boolean lacksMemberAt(String url) {
        List<Json> members = object.at("status", "etcd", "members").items();
        return !members.isEmpty()
                && members.stream().noneMatch(member -> member.at("url").equals(Json.text(url)));
    }

    /** Whether the status lists a member with this client URL as one that does not answer. */
    public boolean hasSilentMemberAt(String url) {
        return object.at("status", "etcd", "members").items().stream()
                .anyMatch(member -> member.at("url").equals(Json.text(url))
                        && member.at("state").equals(Json.text("Unknown")));
    }

    public String uid() {
        return object.at("metadata", "uid").text().orElse("");
    }

    public Json status() {
        return object.at("status");
    }
}
