package dev.ouroboros.upgrade.apply;

import dev.ouroboros.model.json.Json;
import dev.ouroboros.upgrade.decide.Direction;
import dev.ouroboros.upgrade.decide.Release;
import dev.ouroboros.upgrade.decide.UpgradeMilestone;
import dev.ouroboros.upgrade.merge.Preference;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * What the run that continues an upgrade has to know of it.
 *
 * @param id names what belongs to the upgrade
 * @param direction of the last change
 * @param from version of the API server when it began
 * @param to version of the target
 * @param begun when
 * @param preferences one for each change of the manifests; the manifests before the nth change are kept aside as n
 * @param chosen whether the last preference is somebody's choice
 * @param done the milestones that the last change has reached
 * @param snapshot what was saved before the first change
 * @param after options that name what is to be run when the cluster is at its target
 */
public record UpgradeJournal(
        String id,
        Direction direction,
        String from,
        String to,
        Instant begun,
        List<Preference> preferences,
        boolean chosen,
        Set<UpgradeMilestone> done,
        Optional<Snapshot> snapshot,
        List<String> after) {
    private static final long FORMAT = 1;

    public UpgradeJournal {
        preferences = List.copyOf(preferences);
        done = Set.copyOf(done);
        after = List.copyOf(after);
    }

    /**
     * A saved etcd.
     *
     * @param revision of its key space
     */
    public record Snapshot(String file, long revision, Instant taken) {}

    public boolean isDone(UpgradeMilestone mark) {
        return done.contains(mark);
    }

    /** Whether the upgrade has not ended and may have changed the cluster: the saved etcd is the one from before it. */
    public boolean isUnderWay() {
        return !isDone(UpgradeMilestone.DONE) && (isDone(UpgradeMilestone.RENDERED) || preferences.size() > 1);
    }

    /** Whether the last change goes back, or went back, by the snapshot. */
    public boolean isBySnapshot() {
        return direction == Direction.BACK && isDone(UpgradeMilestone.BY_SNAPSHOT);
    }

    /** The version that the whole cluster has since the last change; empty while that has not ended. */
    public Optional<Release> reached() {
        return isDone(UpgradeMilestone.DONE) ? Optional.of(Release.parse(to)) : Optional.empty();
    }

    UpgradeJournal with(UpgradeMilestone mark) {
        Set<UpgradeMilestone> more = EnumSet.of(mark);
        more.addAll(done);
        return new UpgradeJournal(id, direction, from, to, begun, preferences, chosen, more, snapshot, after);
    }

    UpgradeJournal saved(Snapshot taken) {
        return new UpgradeJournal(id, direction, from, to, begun, preferences, chosen, done, Optional.of(taken), after);
    }

    /** With another choice for the change that is under way. */
    UpgradeJournal choosing(Preference preference, boolean isChosen) {
        List<Preference> changed = new ArrayList<>(preferences.subList(0, preferences.size() - 1));
        changed.add(preference);
        return new UpgradeJournal(id, direction, from, to, begun, changed, isChosen, done, snapshot, after);
    }

    UpgradeJournal asking(List<String> afterwards) {
        return new UpgradeJournal(id, direction, from, to, begun, preferences, chosen, done, snapshot, afterwards);
    }

    /** With one more change; etcd stays saved. */
    UpgradeJournal turning(Direction next, String target, Preference preference, boolean isChosen) {
        List<Preference> more = new ArrayList<>(preferences);
        more.add(preference);
        Set<UpgradeMilestone> kept = isDone(UpgradeMilestone.SAVED)
                ? EnumSet.of(UpgradeMilestone.SAVED)
                : EnumSet.noneOf(UpgradeMilestone.class);
        return new UpgradeJournal(id, next, from, target, begun, more, isChosen, kept, snapshot, after);
    }

    /** Without the saved etcd: the next run saves it anew. */
    UpgradeJournal unsaved() {
        Set<UpgradeMilestone> kept = EnumSet.noneOf(UpgradeMilestone.class);
        done.stream().filter(mark -> mark != UpgradeMilestone.SAVED).forEach(kept::add);
        return new UpgradeJournal(id, direction, from, to, begun, preferences, chosen, kept, Optional.empty(), after);
    }

    /** Without the last change, of which nothing was done in the cluster. */
    UpgradeJournal withoutLast() {
        return new UpgradeJournal(
                id,
                direction,
                from,
                to,
                begun,
                preferences.subList(0, preferences.size() - 1),
                chosen,
                done,
                snapshot,
                after);
    }

    Json toJson() {
        Json.Fields json = Json.object()
                .with("format", Json.number(FORMAT))
                .with("id", Json.text(id))
                .with("direction", Json.text(word(direction)))
                .with("from", Json.text(from))
                .with("to", Json.text(to))
                .with("begun", Json.text(begun.toString()))
                .with(
                        "preferences",
                        Json.texts(
                                preferences.stream().map(UpgradeJournal::word).toList()))
                .with("chosen", Json.bool(chosen))
                .with(
                        "done",
                        Json.texts(
                                done.stream().sorted().map(UpgradeJournal::word).toList()))
                .with("after", Json.texts(after));
        return snapshot.isEmpty()
                ? json
                : json.with(
                        "snapshot",
                        Json.object()
                                .with("file", Json.text(snapshot.get().file()))
                                .with("revision", Json.number(snapshot.get().revision()))
                                .with("taken", Json.text(snapshot.get().taken().toString())));
    }

    /** @throws IllegalArgumentException when this is no journal, or one of another format */
    static UpgradeJournal of(Json json) {
        if (json.at("format").integer().orElse(-1) != FORMAT) {
            throw new IllegalArgumentException("is of another format");
        }
        Json snapshot = json.at("snapshot");
        return new UpgradeJournal(
                text(json, "id"),
                Direction.valueOf(constant(text(json, "direction"))),
                text(json, "from"),
                text(json, "to"),
                Instant.parse(text(json, "begun")),
                texts(json, "preferences").stream()
                        .map(word -> Preference.valueOf(constant(word)))
                        .toList(),
                json.at("chosen").isTrue(),
                Set.copyOf(texts(json, "done").stream()
                        .map(word -> UpgradeMilestone.valueOf(constant(word)))
                        .toList()),
                snapshot.isNull()
                        ? Optional.empty()
                        : Optional.of(new Snapshot(
                                text(snapshot, "file"),
                                snapshot.at("revision").integer().orElse(0),
                                Instant.parse(text(snapshot, "taken")))),
                texts(json, "after"));
    }

    private static String text(Json json, String field) {
        return json.at(field).text().orElseThrow(() -> new IllegalArgumentException("lacks " + field));
    }

    private static List<String> texts(Json json, String field) {
        return json.at(field).items().stream()
                .flatMap(item -> item.text().stream())
                .toList();
    }

    private static String word(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    private static String constant(String word) {
        return word.toUpperCase(Locale.ROOT).replace('-', '_');
    }
}
