package dev.ouroboros.sim;

import dev.ouroboros.model.json.Json;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What etcd has: objects by their path in the API, revisions, and a history until it is compacted. It survives every power cut, but
 * people may put a backup in its place.
 */
final class Objects {
    private final SortedMap<String, Json.Fields> objects = new TreeMap<>();
    private final List<Change> history = new ArrayList<>();
    private long revision = 100;
    private long compacted;
    private long changes;
    private long changesOfFiles;
    private long uids;

    /** What etcd had at a time. */
    record Backup(SortedMap<String, Json.Fields> objects, long revision) {}

    record Change(long revision, boolean removed, String path, Json.Fields object) {}

    /** Which objects a request for a collection means: {@code path=value} of a field, or of labels. */
    static final class Selector {
        /** A label that has to be there, with whatever value. */
        static final String ANY = "*";

        private final String collection;
        private final List<Wanted> wanted = new ArrayList<>();

        private record Wanted(List<String> path, Json value) {
            private static final Json PRESENT = Json.text(ANY);

            boolean isMet(Json object) {
                Json here = object;
                for (String name : path) {
                    here = here.at(name);
                }
                return value.equals(PRESENT) ? !here.isNull() : here.equals(value);
            }
        }

        Selector(String collection, Map<String, String> fields, Map<String, String> labels) {
            this.collection = collection;
            fields.forEach((path, value) -> wanted.add(new Wanted(List.of(path.split("\\.", -1)), Json.text(value))));
            labels.forEach(
                    (label, value) -> wanted.add(new Wanted(List.of("metadata", "labels", label), Json.text(value))));
        }

        boolean matches(String path, Json object) {
            if (!isInside(path, collection)) {
                return false;
            }
            for (Wanted one : wanted) {
                if (!one.isMet(object)) {
                    return false;
                }
            }
            return true;
        }
    }

    /** Of every namespace or of the one that the collection names. */
    private static boolean isInside(String path, String collection) {
        int end = path.lastIndexOf('/');
        if (end == collection.length()) {
            return path.startsWith(collection);
        }
        int namespaces = path.indexOf("/namespaces/");
        int rest = namespaces < 0 ? -1 : path.indexOf('/', namespaces + "/namespaces/".length());
        return rest >= 0
                && collection.length() == namespaces + end - rest
                && collection.startsWith(path.substring(0, namespaces))
                && path.startsWith(collection.substring(namespaces), rest);
    }

    Json.Fields put(String path, Json.Fields object) {
        revision++;
        Optional<Json.Fields> before = get(path);
        Json.Fields metadata = (Json.Fields) object.at("metadata");
        Json uid = before.map(known -> known.at("metadata", "uid"))
                .orElseGet(() -> Json.text("uid-%05d".formatted(++uids)));
        Json.Fields stored = object.with(
                "metadata", metadata.with("uid", uid).with("resourceVersion", Json.text(Long.toString(revision))));
        objects.put(path, stored);
        changed(path);
        history.add(new Change(revision, false, path, stored));
        return stored;
    }

    Optional<Json.Fields> get(String path) {
        return Optional.ofNullable(objects.get(path));
    }

    void remove(String path) {
        Json.Fields removed = objects.remove(path);
        if (removed != null) {
            revision++;
            changed(path);
            Json.Fields metadata =
                    ((Json.Fields) removed.at("metadata")).with("resourceVersion", Json.text(Long.toString(revision)));
            history.add(new Change(revision, true, path, removed.with("metadata", metadata)));
        }
    }

    List<Json.Fields> list(Selector selector) {
        List<Json.Fields> found = new ArrayList<>();
        objects.forEach((path, object) -> {
            if (selector.matches(path, object)) {
                found.add(object);
            }
        });
        return found;
    }

    /** All below a prefix, by their paths, as they are now: to be read and not kept. */
    SortedMap<String, Json.Fields> below(String prefix) {
        return Collections.unmodifiableSortedMap(objects.subMap(prefix, prefix + Character.MAX_VALUE));
    }

    Backup backup() {
        return new Backup(Collections.unmodifiableSortedMap(new TreeMap<>(objects)), revision);
    }

    /**
     * Revision numbers are given out again from the backup's on, plus {@code raisedBy}; after a raise all of them up to there are
     * compacted. No watch is told of what is lost.
     */
    void restore(Backup from, long raisedBy) {
        objects.clear();
        objects.putAll(from.objects());
        changes++;
        changesOfFiles++;
        history.clear();
        revision = from.revision() + raisedBy;
        compacted = raisedBy > 0 ? revision : Math.min(compacted, revision);
    }

    private void changed(String path) {
        changes++;
        if (path.contains("/secrets/") || path.contains("/configmaps/")) {
            changesOfFiles++;
        }
    }

    long revision() {
        return revision;
    }

    /** Unchanged as long as every object is; a revision can come a second time, this number cannot. */
    long changes() {
        return changes;
    }

    /** Unchanged as long as everything that pods can mount is. */
    long changesOfFiles() {
        return changesOfFiles;
    }

    /** Forgets the history: watches from before must list again. */
    void compact() {
        compacted = revision;
        history.clear();
    }

    boolean isCompacted(long from) {
        return from < compacted;
    }

    List<Change> after(long from, Selector selector) {
        if (from >= revision) {
            return List.of();
        }
        List<Change> found = new ArrayList<>();
        for (int index = history.size() - 1; index >= 0 && history.get(index).revision() > from; index--) {
            Change change = history.get(index);
            if (selector.matches(change.path(), change.object())) {
                found.addFirst(change);
            }
        }
        return found;
    }
}
