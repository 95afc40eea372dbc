package dev.ouroboros.steward.decide;

import dev.ouroboros.etcd.decide.SnapshotRetention;
import dev.ouroboros.model.json.Json;
import java.time.Duration;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What {@code ControlPlane/cluster} wishes of backups: {@code spec.etcd.backup}. The API server fills in what is left out (the defaults of the
 * CustomResourceDefinition), and refuses what is not of its schema.
 *
 * @param interval from one snapshot of a node to its next one
 * @param copies on how many control-plane nodes
 * @param retention which snapshots stay on a node
 */
public record BackupPolicy(Duration interval, int copies, SnapshotRetention.Spread retention) {
    private static final Pattern INTERVAL = Pattern.compile("([1-9][0-9]{0,3})([mhd])");

    /** @return empty when there is none, or when it is not one of the schema */
    static Optional<BackupPolicy> of(Json backup) {
        Matcher interval = INTERVAL.matcher(backup.at("interval").text().orElse(""));
        if (!interval.matches()) {
            return Optional.empty();
        }
        Json keep = backup.at("keep");
        return Optional.of(new BackupPolicy(
                duration(Integer.parseInt(interval.group(1)), interval.group(2)),
                number(backup.at("copies"), 1),
                new SnapshotRetention.Spread(
                        number(keep.at("hours"), 0), number(keep.at("days"), 0), number(keep.at("weeks"), 0))));
    }

    private static Duration duration(int amount, String unit) {
        return switch (unit) {
            case "m" -> Duration.ofMinutes(amount);
            case "h" -> Duration.ofHours(amount);
            default -> Duration.ofDays(amount);
        };
    }

    private static int number(Json value, int least) {
        return Math.toIntExact(Math.clamp(value.integer().orElse(least), least, Integer.MAX_VALUE));
    }
}
