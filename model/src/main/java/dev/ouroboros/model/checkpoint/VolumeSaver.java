package dev.ouroboros.model.checkpoint;

import dev.ouroboros.model.checkpoint.ApiObject.Kind;
import dev.ouroboros.model.checkpoint.ReferencedObjects.Data;
import dev.ouroboros.model.json.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Turns volumes that the kubelet fills from API objects into files, with the modes and the group that it would give them
 * (pkg/volume/{secret,configmap,projected} and SetVolumeOwnership in pkg/volume/volume_linux.go).
 */
final class VolumeSaver {
    /** The API server's default for {@code defaultMode}; a template does not have it yet. */
    private static final int DEFAULT_MODE = 0644;

    /** What fsGroup adds to the files of a volume that is only read. */
    private static final int READ_BY_GROUP = 0440;

    private final ReferencedObjects sources;
    private final Optional<Integer> fsGroup;
    private final List<SavedFile> files = new ArrayList<>();

    VolumeSaver(ReferencedObjects sources, Json pod) {
        this.sources = sources;
        this.fsGroup = pod.at("spec", "securityContext", "fsGroup").integer().stream()
                .mapToObj(Math::toIntExact)
                .findFirst();
    }

    List<SavedFile> files() {
        return List.copyOf(files);
    }

    /** The volume as an understudy has it: a hostPath below the checkpoint's files, or as it was. */
    Json saved(LocatedJson volume) {
        LocatedJson projected = volume.at("projected");
        SortedMap<String, Entry> entries = new TreeMap<>();
        if (volume.at("secret").isPresent()) {
            add(entries, volume.at("secret"), Kind.SECRET, "secretName", mode(volume.at("secret"), DEFAULT_MODE));
        } else if (volume.at("configMap").isPresent()) {
            add(entries, volume.at("configMap"), Kind.CONFIG_MAP, "name", mode(volume.at("configMap"), DEFAULT_MODE));
        } else if (projected.isPresent() && isSaved(projected)) {
            int mode = mode(projected, DEFAULT_MODE);
            projected.each("sources").forEach(source -> {
                if (source.at("secret").isPresent()) {
                    add(entries, source.at("secret"), Kind.SECRET, "name", mode);
                } else if (source.at("configMap").isPresent()) {
                    add(entries, source.at("configMap"), Kind.CONFIG_MAP, "name", mode);
                }
            });
        } else {
            return volume.value();
        }
        String name = volume.text("name");
        entries.forEach((path, entry) -> save(volume, name, path, entry));
        return Json.object()
                .with("name", Json.text(name))
                .with("hostPath", Json.object().with("path", Json.text(name)).with("type", Json.text("Directory")));
    }

    /** @param field that gives the file its path */
    private record Entry(String field, int mode, Content content) {}

    private static boolean isSaved(LocatedJson projected) {
        return projected
                .each("sources")
                .anyMatch(source -> source.at("secret").isPresent()
                        || source.at("configMap").isPresent());
    }

    private void add(Map<String, Entry> entries, LocatedJson source, Kind kind, String nameField, int defaultMode) {
        Optional<Data> data = sources.data(kind, source, nameField);
        List<LocatedJson> items = source.each("items").toList();
        if (data.isEmpty()) {
            return;
        }
        Map<String, Content> all = data.get().all();
        if (items.isEmpty()) {
            all.forEach((key, content) ->
                    entries.put(key, new Entry(source.path() + "." + nameField, defaultMode, content)));
        }
        for (LocatedJson item : items) {
            Content content = all.get(item.text("key"));
            if (content != null) {
                entries.put(item.text("path"), new Entry(item.at("path").path(), itemMode(item, defaultMode), content));
            } else if (!ReferencedObjects.isOptional(source)) {
                sources.missing(
                        item.at("key").path(),
                        data.get().object() + " has no key " + item.text("key"),
                        "add the key, or mark the volume optional");
            }
        }
    }

    private void save(LocatedJson volume, String name, String path, Entry entry) {
        if (!SavedFile.isPath(path)) {
            sources.refuse(entry.field(), "'" + path + "' is no path below a volume", "use a relative path without ..");
            return;
        }
        int mode = fsGroup.isPresent() ? entry.mode() | READ_BY_GROUP : entry.mode();
        boolean isBelowAFile = files.stream()
                .anyMatch(file -> file.volume().equals(name)
                        && (path.startsWith(file.path() + "/") || file.path().startsWith(path + "/")));
        if (isBelowAFile) {
            sources.refuse(
                    entry.field(), "'" + path + "' is a file and a directory in " + volume.path(), "use other paths");
            return;
        }
        files.add(new SavedFile(name, path, mode, fsGroup.orElse(0), entry.content()));
    }

    private static int mode(LocatedJson place, int fallback) {
        return (int) place.value().at("defaultMode").integer().orElse(fallback) & 0777;
    }

    private static int itemMode(LocatedJson item, int fallback) {
        return (int) item.value().at("mode").integer().orElse(fallback) & 0777;
    }
}
