package dev.ouroboros.api.testing;

import dev.ouroboros.model.json.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The objects of an API server, by path, with versions and a history that can be watched and compacted: the part of etcd that
 * clients see.
 */
final class FakeObjects {
    private final Map<String, Json.Fields> objects = new TreeMap<>();
    private final List<Change> history = new ArrayList<>();
    private long version = 100;
    private long compacted;

    /** @param type as in a watch event */
    record Change(long version, String type, String path, Json.Fields object) {}

    record Listed(long version, List<Json.Fields> items) {}

    /** @param reached the version up to which these are all */
    record Changes(List<Change> items, long reached) {}

    synchronized Json.Fields put(String path, Json.Fields object) {
        version++;
        Json.Fields before = objects.get(path);
        Json.Fields metadata = (Json.Fields) object.at("metadata");
        String uid = before == null
                ? metadata.at("uid").text().orElse("uid-" + version)
                : before.at("metadata", "uid").text().orElseThrow();
        Json.Fields stored = object.with(
                "metadata",
                metadata.with("uid", Json.text(uid)).with("resourceVersion", Json.text(Long.toString(version))));
        objects.put(path, stored);
        history.add(new Change(version, before == null ? "ADDED" : "MODIFIED", path, stored));
        notifyAll();
        return stored;
    }

    synchronized Optional<Json.Fields> get(String path) {
        return Optional.ofNullable(objects.get(path));
    }

    synchronized boolean delete(String path) {
        Json.Fields removed = objects.remove(path);
        if (removed == null) {
            return false;
        }
        version++;
        Json.Fields metadata =
                ((Json.Fields) removed.at("metadata")).with("resourceVersion", Json.text(Long.toString(version)));
        history.add(new Change(version, "DELETED", path, removed.with("metadata", metadata)));
        notifyAll();
        return true;
    }

    /** As when a backup from before the object is put in etcd's place: nobody is told. */
    synchronized void lose(String path) {
        objects.remove(path);
        history.removeIf(change -> change.path().equals(path));
    }

    synchronized Listed list(Selector selector) {
        List<Json.Fields> found = objects.entrySet().stream()
                .filter(entry -> selector.matches(entry.getKey(), entry.getValue()))
                .map(Map.Entry::getValue)
                .toList();
        return new Listed(version, found);
    }

    /** Forgets all changes so far: watches from an older version end with 410. */
    synchronized void compact() {
        compacted = version;
        history.clear();
        notifyAll();
    }

    synchronized boolean isCompacted(long from) {
        return from < compacted;
    }

    synchronized long version() {
        return version;
    }

    /**
     * Changes after a version, waiting up to some time for the first; and the version that a watcher knows everything of then. Both are
     * of one moment: a change that came in between would be passed over.
     */
    synchronized Changes after(long from, Selector selector, long waitMillis) throws InterruptedException {
        long end = System.nanoTime() + waitMillis * 1_000_000;
        List<Change> found = changes(from, selector);
        while (found.isEmpty() && System.nanoTime() < end) {
            wait(Math.max(1, (end - System.nanoTime()) / 1_000_000));
            found = changes(from, selector);
        }
        return new Changes(found, Math.max(from, version));
    }

    private List<Change> changes(long from, Selector selector) {
        return history.stream()
                .filter(change -> change.version() > from && selector.matches(change.path(), change.object()))
                .toList();
    }

    /**
     * Which objects a collection's request means.
     *
     * @param collection path, with or without a namespace
     * @param field {@code path=value}, or empty
     * @param labels as in {@code a=b,c}: it has to have the one with this value and the other with any; or empty
     */
    record Selector(String collection, String field, String labels) {
        boolean matches(String path, Json object) {
            int name = path.lastIndexOf('/');
            String parent = path.substring(0, name);
            boolean inside = parent.equals(collection)
                    || parent.replaceFirst("/namespaces/[^/]+", "").equals(collection);
            return inside && hasField(object) && hasLabels(object.at("metadata", "labels"));
        }

        private boolean hasField(Json object) {
            int equals = field.indexOf('=');
            return field.isEmpty()
                    || object.at(field.substring(0, equals).split("\\."))
                            .text()
                            .equals(Optional.of(field.substring(equals + 1)));
        }

        private boolean hasLabels(Json present) {
            return Stream.of(labels.split(",", -1))
                    .filter(label -> !label.isEmpty())
                    .allMatch(label -> {
                        int equals = label.indexOf('=');
                        return equals < 0
                                ? !present.at(label).isNull()
                                : present.at(label.substring(0, equals))
                                        .text()
                                        .equals(Optional.of(label.substring(equals + 1)));
                    });
        }
    }
}
