package dev.ouroboros.upgrade.run;

import dev.ouroboros.upgrade.apply.Upgrade;
import dev.ouroboros.upgrade.apply.UpgradeJournal;
import java.util.OptionalLong;

/** What came of taking an upgrade back. */
public sealed interface TakenBack {
    /** By the manifests of before. */
    record ByManifests(Upgrade.Outcome outcome) implements TakenBack {}

    /** By the snapshot of before. */
    record BySnapshot(UpgradeJournal.Snapshot snapshot) implements TakenBack {}

    /**
     * Only the snapshot leads back, and nobody has accepted what is lost. Nothing was done.
     *
     * @param now the revision of etcd; empty when the API does not answer
     */
    record LossNotAccepted(UpgradeJournal.Snapshot snapshot, OptionalLong now) implements TakenBack {}

    /** Only the snapshot leads back, and etcd's node is not at hand. Nothing was done. */
    record NodeElsewhere(UpgradeJournal.Snapshot snapshot) implements TakenBack {}
}
