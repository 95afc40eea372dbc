package dev.ouroboros.steward.decide;

import dev.ouroboros.etcd.decide.SnapshotRetention;
import dev.ouroboros.model.json.Json;
import java.time.Duration;
import java.util.Optional;

/**
 * The backups that {@code ControlPlane/cluster} wishes: {@code spec.etcd.backup}. The API server fills in defaults and refuses what the
 * CustomResourceDefinition's schema does not allow.
 *
 * @param interval from one snapshot of a node to its next one
 * @param copies on how many control-plane nodes snapshots are saved
 * @param retention which snapshots stay on a node
 * @param drillInterval from one drill of a node to its next one; empty for none
 * @param isMirrored whether each is copied to a volume that is mounted from elsewhere
 */
public record BackupPolicy(
        Duration interval,
        int copies,
        SnapshotRetention.Spread retention,
        Optional<Duration> drillInterval,
        boolean isMirrored) {
    /** @return empty when there is none, or when it is not one of the schema */
    static Optional<BackupPolicy> of(Json backup) {
        Json keep = backup.at("keep");
        return WishedDuration.of(backup.at("interval"))
                .map(interval -> new BackupPolicy(
                        interval,
                        number(backup.at("copies"), 1),
                        new SnapshotRetention.Spread(
                                number(keep.at("hours"), 0), number(keep.at("days"), 0), number(keep.at("weeks"), 0)),
                        WishedDuration.of(backup.at("drillInterval")),
                        backup.at("mirror").isTrue()));
    }

    private static int number(Json value, int least) {
        return Math.toIntExact(Math.clamp(value.integer().orElse(least), least, Integer.MAX_VALUE));
    }
}
