package dev.ouroboros.sim;

import dev.ouroboros.model.json.Json;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.disk.FileStatus;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What a container finds in its files and its environment, as the kubelet makes it (pkg/volume/{secret,configmap,projected} and
 * pkg/kubelet/kubelet_pods.go): written independently of the production code, because that is what is compared with it. Each entry is mode
 * and content by volume and path.
 */
final class Mounts {
    private static final int DEFAULT_MODE = 0644;

    private final Objects objects;
    private final String namespace;
    private final SortedMap<String, String> found = new TreeMap<>();
    private boolean complete = true;

    private Mounts(Objects objects, String namespace) {
        this.objects = objects;
        this.namespace = namespace;
    }

    /** Of a pod from the API; empty while something that it needs is not there. */
    static Optional<SortedMap<String, String>> ofPrincipal(Json pod, Objects objects) {
        Mounts mounts =
                new Mounts(objects, pod.at("metadata", "namespace").text().orElse(""));
        for (Json volume : pod.at("spec", "volumes").items()) {
            mounts.volume(volume);
        }
        for (Json container : pod.at("spec", "containers").items()) {
            for (Json variable : container.at("env").items()) {
                mounts.variable(variable);
            }
        }
        return mounts.complete ? Optional.of(mounts.found) : Optional.empty();
    }

    /** Of a static pod; empty when a directory that it mounts is not there. */
    static Optional<SortedMap<String, String>> ofStatic(Json pod, Disk disk) {
        SortedMap<String, String> found = new TreeMap<>();
        for (Json volume : pod.at("spec", "volumes").items()) {
            Optional<String> path = volume.at("hostPath", "path").text();
            if (path.isPresent()) {
                Path directory = Path.of(path.get());
                if (!disk.status(directory).map(FileStatus::kind).equals(Optional.of(FileStatus.Kind.DIRECTORY))) {
                    return Optional.empty();
                }
                files(disk, directory, name(volume) + "/", found);
            }
        }
        for (Json container : pod.at("spec", "containers").items()) {
            for (Json variable : container.at("env").items()) {
                found.put("$" + name(variable), variable.at("value").text().orElse(""));
            }
        }
        return Optional.of(found);
    }

    private static void files(Disk disk, Path directory, String prefix, Map<String, String> found) {
        for (String name : disk.list(directory)) {
            Path path = directory.resolve(name);
            FileStatus status = disk.status(path).orElseThrow();
            if (status.kind() == FileStatus.Kind.DIRECTORY) {
                files(disk, path, prefix + name + "/", found);
            } else {
                found.put(
                        prefix + name,
                        status.permissions() + " " + disk.readText(path).orElse(""));
            }
        }
    }

    private void volume(Json volume) {
        Json secret = volume.at("secret");
        Json projected = volume.at("projected");
        if (!secret.isNull()) {
            source("secrets", secret, secret.at("secretName"), mode(secret, DEFAULT_MODE), name(volume) + "/");
        }
        for (Json source : projected.at("sources").items()) {
            int mode = mode(projected, DEFAULT_MODE);
            for (String kind : new String[] {"secret", "configMap"}) {
                Json part = source.at(kind);
                if (!part.isNull()) {
                    String resource = kind.equals("secret") ? "secrets" : "configmaps";
                    source(resource, part, part.at("name"), mode, name(volume) + "/");
                }
            }
        }
    }

    private void source(String resource, Json source, Json name, int defaultMode, String prefix) {
        boolean optional = source.at("optional").isTrue();
        Optional<SortedMap<String, String>> data = data(resource, name.text().orElse(""));
        if (data.isEmpty()) {
            complete &= optional;
            return;
        }
        if (source.at("items").isNull()) {
            data.get().forEach((key, value) -> found.put(prefix + key, permissions(defaultMode) + " " + value));
            return;
        }
        for (Json item : source.at("items").items()) {
            String value = data.get().get(item.at("key").text().orElse(""));
            if (value == null) {
                complete &= optional;
            } else {
                int mode = (int) item.at("mode").integer().orElse(defaultMode);
                found.put(prefix + item.at("path").text().orElse(""), permissions(mode) + " " + value);
            }
        }
    }

    private void variable(Json variable) {
        Json reference = variable.at("valueFrom", "configMapKeyRef");
        Optional<String> value = reference.isNull()
                ? variable.at("value").text()
                : data("configmaps", reference.at("name").text().orElse(""))
                        .map(data -> data.get(reference.at("key").text().orElse("")));
        complete &= value.isPresent();
        found.put("$" + name(variable), value.orElse(""));
    }

    private Optional<SortedMap<String, String>> data(String resource, String name) {
        return objects.get("/api/v1/namespaces/" + namespace + "/" + resource + "/" + name)
                .map(object -> {
                    SortedMap<String, String> data = new TreeMap<>();
                    object.at("data").fields().forEach((key, value) -> {
                        String text = value.text().orElse("");
                        data.put(
                                key,
                                resource.equals("secrets")
                                        ? new String(Base64.getDecoder().decode(text), StandardCharsets.UTF_8)
                                        : text);
                    });
                    return data;
                });
    }

    private static int mode(Json source, int otherwise) {
        return (int) source.at("defaultMode").integer().orElse(otherwise);
    }

    private static String name(Json named) {
        return named.at("name").text().orElse("");
    }

    private static String permissions(int mode) {
        StringBuilder text = new StringBuilder("---------");
        for (int bit = 0; bit < 9; bit++) {
            if ((mode >> (8 - bit) & 1) == 1) {
                text.setCharAt(bit, "rwx".charAt(bit % 3));
            }
        }
        return text.toString();
    }
}
