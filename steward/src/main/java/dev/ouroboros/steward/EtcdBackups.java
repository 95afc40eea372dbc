package dev.ouroboros.steward;

import dev.ouroboros.endpoint.ClientFiles;
import dev.ouroboros.endpoint.Endpoint;
import dev.ouroboros.etcd.EtcdCluster;
import dev.ouroboros.etcd.EtcdClusterSource;
import dev.ouroboros.etcd.EtcdMember;
import dev.ouroboros.etcd.EtcdMemberStatus;
import dev.ouroboros.etcd.EtcdServers;
import dev.ouroboros.etcd.SavedSnapshot;
import dev.ouroboros.etcd.SnapshotList;
import dev.ouroboros.etcd.SnapshotName;
import dev.ouroboros.etcd.SnapshotSaver;
import dev.ouroboros.etcd.decide.SnapshotRetention;
import dev.ouroboros.model.evidence.Evidence.Known;
import dev.ouroboros.model.evidence.Evidence.Unknown;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.snapshot.Inspection;
import dev.ouroboros.snapshot.encryption.EncryptionConfiguration;
import dev.ouroboros.steward.decide.BackupReport;
import dev.ouroboros.steward.decide.ControlPlaneStatus.MemberReport;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** Snapshots of etcd on this node, and what its members say. */
final class EtcdBackups {
    /** Pattern of a snapshot's file name, which has its time. */
    static final String NAME = "etcd-" + SnapshotName.TIME + ".db";

    private final ClientFiles identity;
    private final Path directory;
    private final Disk disk;
    private final InstantSource wallClock;

    /** @param directory below which each cluster has its own */
    EtcdBackups(ClientFiles identity, Path directory, Disk disk, InstantSource wallClock) {
        this.identity = identity;
        this.directory = directory;
        this.disk = disk;
        this.wallClock = wallClock;
    }

    /** What etcd's members report. */
    EtcdCluster members(List<String> servers) {
        return new EtcdClusterSource(EtcdServers.of(servers, identity)).look();
    }

    static List<MemberReport> reports(EtcdCluster etcd) {
        return etcd.members().stream()
                .map(member -> new MemberReport(
                        member.title(),
                        member.id(),
                        state(etcd, member),
                        switch (etcd.statusOf(member)) {
                            case Known<EtcdMemberStatus>(EtcdMemberStatus status) -> status.version();
                            case Unknown<EtcdMemberStatus> _ -> "";
                        },
                        member.clientUrls().stream().findFirst().orElse("")))
                .toList();
    }

    private static String state(EtcdCluster etcd, EtcdMember member) {
        if (member.isLearner()) {
            return "Learner";
        }
        if (etcd.statusOf(member) instanceof Unknown<EtcdMemberStatus>) {
            return "Unknown";
        }
        return isLeader(etcd, member) ? "Leader" : "Follower";
    }

    private static boolean isLeader(EtcdCluster etcd, EtcdMember member) {
        return etcd.leader().filter(member.id()::equals).isPresent();
    }

    /**
     * The newest snapshot of a cluster on this node that is unchanged since it was saved. One that has a time in the future counts only where there
     * is no other.
     */
    Optional<BackupReport.Saved> newest(String clusterId) {
        Instant now = wallClock.instant();
        return new SnapshotList(disk)
                .of(directory.resolve(clusterId)).stream()
                        .filter(entry -> entry.state() == SnapshotList.State.AS_SAVED)
                        .flatMap(entry -> entry.savedAt().stream()
                                .map(at -> new BackupReport.Saved(
                                        entry.file().toString(), at, entry.bytes(), Optional.empty())))
                        .max(Comparator.comparing((BackupReport.Saved snapshot) ->
                                        !snapshot.at().isAfter(now))
                                .thenComparing(BackupReport.Saved::at));
    }

    /**
     * Saves a snapshot from a follower where there is one: the leader has enough to do.
     *
     * @param encryptionConfig is kept beside the snapshot
     * @throws ProblemException why there is no new snapshot; earlier ones stay
     */
    BackupReport.Saved save(
            String clusterId,
            EtcdCluster etcd,
            List<String> servers,
            SnapshotRetention retention,
            Optional<String> encryptionConfig) {
        Path own = directory.resolve(clusterId);
        disk.createDirectories(own, Disk.OWNER_ONLY_DIRECTORY);
        SavedSnapshot saved = new SnapshotSaver(disk, wallClock)
                .save(
                        new EtcdServers(inOrder(etcd, servers)),
                        new SnapshotName(own.resolve(NAME)),
                        retention,
                        encryptionConfig);
        return new BackupReport.Saved(
                saved.file().toString(),
                disk.modifiedAt(saved.file())
                        .orElseThrow(() -> ProblemException.of(
                                ErrorCode.NOT_FOUND,
                                saved.file().toString(),
                                "was saved, and is gone",
                                "a directory that nobody else clears",
                                "see who removes files there")),
                saved.bytes(),
                Optional.of(new BackupReport.Details(
                        saved.inspection().status().revision(),
                        saved.inspection().liveKeys(),
                        saved.server().toString(),
                        saved.sha256(),
                        encryptionConfig.isPresent(),
                        unreadable(saved.inspection(), encryptionConfig))));
    }

    static int unreadable(Inspection inspection, Optional<String> encryptionConfig) {
        EncryptionConfiguration keys = encryptionConfig
                .map(text -> EncryptionConfiguration.read(text, "the API server's EncryptionConfiguration"))
                .orElseGet(EncryptionConfiguration::none);
        return inspection.unreadableWith(keys).size();
    }

    /** Where to ask for a snapshot: followers, then the leader, then other addresses that the API servers know. */
    private List<Endpoint> inOrder(EtcdCluster etcd, List<String> servers) {
        List<String> urls = new ArrayList<>();
        etcd.following().stream()
                .sorted(Comparator.comparing((EtcdMember member) -> isLeader(etcd, member))
                        .thenComparing(EtcdMember::name))
                .forEach(member -> urls.addAll(member.clientUrls()));
        urls.addAll(servers);
        // A member may advertise other client URLs, too; it is not asked there.
        return EtcdServers.of(
                        urls.stream()
                                .filter(url -> url.startsWith("https:"))
                                .distinct()
                                .toList(),
                        identity)
                .members();
    }
}
