package dev.ouroboros.etcd;

import dev.ouroboros.model.asset.StateLayout;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.lock.ExclusiveLock;
import java.nio.file.Path;
import java.util.List;

/** What was begun with a node's member of etcd, and has to end before something else is done with it. */
public enum UnfinishedChange {
    CHANGE(
            StateLayout.ETCD_CHANGE,
            "a change of etcd",
            "ouro etcd change %s/target.yaml; where its members have lost their majority for good, ouro etcd recover once the manifests whose names end in second-door and third-vote are out of the kubelet's directory, and without "),
    JOIN(StateLayout.ETCD_JOIN, "the joining of a member of etcd", "ouro etcd join; where nobody lets it, remove "),
    LEAVE(
            StateLayout.ETCD_LEAVE,
            "the leaving of a member of etcd",
            "ouro etcd leave; where the others are gone, remove "),
    RECOVER(
            StateLayout.ETCD_RECOVER,
            "the recovery of the last member of etcd",
            "ouro etcd recover, which gives etcd what it had where the others are back; its journal is ");

    /** Of each of them, while it is under way. */
    public static final String JOURNAL = "journal.json";

    private final String directory;
    private final String what;
    private final String next;

    UnfinishedChange(String directory, String what, String next) {
        this.directory = directory;
        this.what = what;
        this.next = next;
    }

    /** Where what it knows lies. */
    public Path directory(Path stateDirectory) {
        return stateDirectory.resolve(directory);
    }

    /** Held by whoever does one of them. */
    public static ExclusiveLock lock(Disk disk, Path stateDirectory) {
        Path directory = CHANGE.directory(stateDirectory);
        disk.createDirectories(directory, Disk.OWNER_ONLY_DIRECTORY);
        return ExclusiveLock.acquire(directory.resolve("lock"), "a change of etcd");
    }

    /**
     * Requires that no start of the cluster, as with a restore of its etcd, is under way.
     *
     * @throws ProblemException LOCKED when one is
     */
    public static void requireNoStart(Disk disk, Path stateDirectory) {
        requireNone(disk, stateDirectory, List.of(RECOVER), stateDirectory.toString());
        requireNoRestore(disk, stateDirectory);
    }

    /**
     * Requires that no start of the cluster is under way, whatever else is.
     *
     * @throws ProblemException LOCKED when one is
     */
    static void requireNoRestore(Disk disk, Path stateDirectory) {
        if (ExclusiveLock.isHeld(stateDirectory.resolve(StateLayout.LOCK))
                || RestoreJournal.isIn(disk, Restoration.Target.directoryIn(stateDirectory))) {
            throw ProblemException.of(
                    ErrorCode.LOCKED,
                    stateDirectory.toString(),
                    "an 'ouro start' is under way, or has not ended",
                    "a cluster that runs",
                    "let it end first: ouro start, with --etcd-snapshot and the same file where it had one");
        }
    }

    /**
     * Requires that none of these has begun and not ended.
     *
     * @param where for the message
     * @throws ProblemException LOCKED when one has
     */
    public static void requireNone(Disk disk, Path stateDirectory, List<UnfinishedChange> changes, String where) {
        for (UnfinishedChange change : changes) {
            Path directory = change.directory(stateDirectory);
            if (disk.status(directory.resolve(JOURNAL)).isPresent()) {
                throw ProblemException.of(
                        ErrorCode.LOCKED,
                        where,
                        change.what + " has begun and not ended",
                        "a member of etcd that nothing is done with",
                        "end it first: " + change.next.replace("%s", directory.toString())
                                + directory.resolve(JOURNAL));
            }
        }
    }
}
