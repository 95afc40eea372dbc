package dev.ouroboros.etcd;

import dev.ouroboros.etcd.EtcdAlarms.Alarm;
import dev.ouroboros.etcd.decide.DatabaseQuota;
import dev.ouroboros.etcd.decide.EtcdMemberPod;
import dev.ouroboros.etcd.decide.TemporaryMember;
import dev.ouroboros.facts.EtcdTools;
import dev.ouroboros.model.evidence.Evidence.Known;
import dev.ouroboros.model.evidence.Evidence.Unknown;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.version.KubernetesVersion;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.disk.FreeSpace;
import dev.ouroboros.node.port.Listeners;
import dev.ouroboros.runtime.ContainerRuntime;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** What forbids a change of a member of etcd to begin. */
final class EtcdChangePreflight {
    /** Per cent of its quota: a change writes, and so does whatever waits for it. */
    private static final int NEARLY_FULL = 90;

    private final Disk disk;
    private final ContainerRuntime runtime;
    private final Listeners listeners;

    EtcdChangePreflight(Disk disk, ContainerRuntime runtime, Listeners listeners) {
        this.disk = disk;
        this.runtime = runtime;
        this.listeners = listeners;
    }

    /**
     * Requires that a change of the manifest of this node's member may begin.
     *
     * @return the cluster as it is
     * @throws ProblemException with what forbids it
     */
    EtcdCluster require(EtcdMemberPod present, EtcdMemberPod wanted, Path stateDirectory) {
        UnfinishedChange.requireNoStart(disk, stateDirectory);
        UnfinishedChange.requireNone(
                disk, stateDirectory, List.of(UnfinishedChange.JOIN, UnfinishedChange.LEAVE), present.file());
        if (!runtime.hasImage(wanted.image())) {
            throw ProblemException.of(
                    ErrorCode.UNUSABLE_IMAGE,
                    wanted.file() + ": image",
                    wanted.image() + " is not on this node",
                    "an image that is there: nobody may be able to pull one while etcd is away",
                    "pull or load it first: ouro images load");
        }
        EtcdCluster cluster = new EtcdClusterSource(EtcdServers.ofMember(List.of(present.clientUrl()), present)).look();
        cluster.requireMemberAt(present.peerUrls());
        requireMajorityWithoutOne(cluster);
        requireNoAlarm(cluster);
        cluster.told().forEach(status -> requireFollower(status, wanted));
        if (cluster.members().size() == 1) {
            new LocalApiServers(listeners).requireBothDoors(present);
            requireRoom(present, cluster);
        } else {
            new LocalApiServers(listeners)
                    .requireKnown(cluster.members().stream()
                            .filter(member -> !member.clientUrls().contains(present.clientUrl()))
                            .flatMap(member -> member.clientUrls().stream())
                            .toList());
        }
        return cluster;
    }

    /** One alone gets two more. */
    private static void requireMajorityWithoutOne(EtcdCluster cluster) {
        int members = cluster.members().size();
        if (members != 1 && (members < 3 || cluster.following().size() < members)) {
            throw ProblemException.of(
                    ErrorCode.UNSUPPORTED_CLUSTER,
                    "etcd",
                    "has " + members + " members, of which "
                            + cluster.following().size() + " vote and follow the leader",
                    "one member, or three and more that all do",
                    "see what is wrong: ouro etcd status");
        }
    }

    private static void requireNoAlarm(EtcdCluster cluster) {
        String found = switch (cluster.alarms()) {
            case Unknown<List<Alarm>>(String why) -> "does not tell its alarms: " + why;
            case Known<List<Alarm>>(List<Alarm> alarms) ->
                alarms.isEmpty() ? "" : "has the alarm " + alarms.getFirst().kind();
        };
        if (!found.isEmpty()) {
            throw ProblemException.of(
                    ErrorCode.CHANGE_REFUSED,
                    "etcd",
                    found,
                    "none",
                    "see what it is about: ouro doctor, ouro etcd status");
        }
    }

    /** Requires that what runs may become what is wanted, and keeps its data. */
    private static void requireFollower(EtcdMemberStatus status, EtcdMemberPod wanted) {
        Optional<EtcdTools.Oldest> oldest = wanted.etcd().version().flatMap(new EtcdTools()::oldestBefore);
        Optional<KubernetesVersion> runs = KubernetesVersion.parse(status.version());
        if (runs.filter(now -> !new EtcdTools().hasLearners(now)).isPresent()) {
            throw ProblemException.of(
                    ErrorCode.UNSUPPORTED_CLUSTER,
                    "etcd",
                    "is of " + runs.get() + ", which has no learners",
                    "3.4 or later",
                    "change it by hand, with an outage");
        }
        boolean isNextMinor = runs.isPresent()
                && wanted.etcd()
                        .version()
                        .filter(then -> then.minor() > runs.get().minor())
                        .isPresent();
        if (isNextMinor
                && oldest.isPresent()
                && runs.get().compareTo(oldest.get().etcd()) < 0) {
            throw ProblemException.of(
                    ErrorCode.CHANGE_REFUSED,
                    wanted.file() + ": image",
                    "is of " + wanted.etcd().version().orElseThrow() + ", and etcd runs as " + runs.get(),
                    oldest.get().etcd() + " or later first (" + oldest.get().source() + ")",
                    "change etcd to the latest release of its minor version first");
        }
        DatabaseQuota quota = wanted.quota().orElseThrow();
        if (quota.percent(status.databaseBytes()).orElse(0) >= NEARLY_FULL) {
            throw ProblemException.of(
                    ErrorCode.CHANGE_REFUSED,
                    wanted.file() + ": --quota-backend-bytes",
                    "allows " + (quota.bytes().orElse(0L) >> 20) + " MiB, and the database has "
                            + (status.databaseBytes() >> 20) + ": etcd would take no writes any more",
                    "more than the database has, with a tenth to spare",
                    "raise it, or make the database smaller: ouro etcd defragment");
        }
    }

    private void requireRoom(EtcdMemberPod present, EtcdCluster cluster) {
        long needed = TemporaryMember.values().length * (cluster.largestDatabaseBytes() + EtcdRoom.BESIDE_DATABASE);
        Path directory = Path.of(present.etcd().dataDirectory());
        FreeSpace.require(disk, directory, needed, "two temporary members", "make room, or move etcd to a larger disk");
    }
}
