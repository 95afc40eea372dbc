package dev.ouroboros.model.checkpoint;

import dev.ouroboros.model.checkpoint.ApiObject.Kind;
import dev.ouroboros.model.json.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableSet;
import java.util.TreeSet;

/**
 * Everything a pod refers to: the objects that a kubelet reads from the API before, or while, it runs the pod.
 *
 * @param all in the order of the manifest: volumes, environments, pull secrets
 */
public record References(List<Reference> all) {
    public References {
        all = List.copyOf(all);
    }

    /** The references of a pod as the API server has it, including those of init containers and sidecars. */
    public static References of(Json pod) {
        Collector collector =
                new Collector(pod.at("metadata", "namespace").text().orElse("default"));
        LocatedJson.volumesOf(pod).forEach(collector::volume);
        LocatedJson.containersOf(pod).forEach(collector::environment);
        LocatedJson.root(pod)
                .at("spec")
                .each("imagePullSecrets")
                .forEach(secret -> collector.add(Kind.SECRET, secret, "name", Use.IMAGE_PULL));
        return new References(collector.found);
    }

    /** What must be read to save the pod. Pull secrets are not among it: an understudy's image is on the node. */
    public NavigableSet<ApiObject> toRead() {
        NavigableSet<ApiObject> objects = new TreeSet<>();
        for (Reference reference : all) {
            if (reference.use() != Use.IMAGE_PULL) {
                objects.add(reference.object());
            }
        }
        return objects;
    }

    /**
     * One mention of an object.
     *
     * @param field path of the field that names it, as in {@code spec.volumes[2].secret.secretName}
     * @param optional whether the pod runs without it
     */
    public record Reference(ApiObject object, String field, Use use, boolean optional) {}

    /** How a pod uses the object. */
    public enum Use {
        VOLUME,
        ENVIRONMENT,
        IMAGE_PULL
    }

    private static final class Collector {
        private final String namespace;
        private final List<Reference> found = new ArrayList<>();

        private Collector(String namespace) {
            this.namespace = namespace;
        }

        private void volume(LocatedJson volume) {
            add(Kind.SECRET, volume.at("secret"), "secretName", Use.VOLUME);
            add(Kind.CONFIG_MAP, volume.at("configMap"), "name", Use.VOLUME);
            volume.at("projected").each("sources").forEach(source -> {
                add(Kind.SECRET, source.at("secret"), "name", Use.VOLUME);
                add(Kind.CONFIG_MAP, source.at("configMap"), "name", Use.VOLUME);
            });
        }

        private void environment(LocatedJson container) {
            container.each("envFrom").forEach(source -> {
                add(Kind.SECRET, source.at("secretRef"), "name", Use.ENVIRONMENT);
                add(Kind.CONFIG_MAP, source.at("configMapRef"), "name", Use.ENVIRONMENT);
            });
            container.each("env").forEach(variable -> {
                add(Kind.SECRET, variable.at("valueFrom", "secretKeyRef"), "name", Use.ENVIRONMENT);
                add(Kind.CONFIG_MAP, variable.at("valueFrom", "configMapKeyRef"), "name", Use.ENVIRONMENT);
            });
        }

        /** The API server lets a name be empty in some places (kubernetes#111740); an empty name refers to nothing. */
        private void add(Kind kind, LocatedJson place, String nameField, Use use) {
            String name = place.text(nameField);
            if (!name.isEmpty()) {
                boolean optional = place.value().at("optional").isTrue();
                found.add(new Reference(
                        new ApiObject(kind, namespace, name), place.path() + "." + nameField, use, optional));
            }
        }
    }
}
