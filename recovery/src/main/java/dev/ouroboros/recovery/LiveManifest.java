package dev.ouroboros.recovery;

import dev.ouroboros.model.asset.AssetLayout;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.json.YamlText;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** A live object as a manifest that can be applied: what a person or render said, without what a server and controllers added. */
final class LiveManifest {
    private static final Set<String> METADATA = Set.of("name", "namespace", "labels", "annotations");
    private static final Set<String> OF_CONTROLLERS = Set.of(
            "kubectl.kubernetes.io/last-applied-configuration",
            "deprecated.daemonset.template.generation",
            "deployment.kubernetes.io/revision");

    private LiveManifest() {}

    static AssetFile of(Json.Fields object) {
        return new AssetFile(
                AssetLayout.MANIFESTS + "/" + fileName(object),
                AssetFile.open(AssetLayout.MANIFESTS, YamlText.write(cleaned(object)))
                        .content(),
                object.at("kind").equals(Json.text("Secret")));
    }

    private static String fileName(Json object) {
        String kind = object.at("kind").text().orElse("").toLowerCase(Locale.ROOT);
        String namespace = object.at("metadata", "namespace")
                .text()
                .map(name -> name + "-")
                .orElse("");
        String name = object.at("metadata", "name").text().orElse("").replace(':', '_');
        return kind + "-" + namespace + name + ".yaml";
    }

    static Json.Fields cleaned(Json.Fields object) {
        Map<String, Json> metadata = new TreeMap<>(object.at("metadata").fields());
        metadata.keySet().retainAll(METADATA);
        Map<String, Json> annotations =
                new TreeMap<>(object.at("metadata", "annotations").fields());
        annotations.keySet().removeAll(OF_CONTROLLERS);
        if (annotations.isEmpty()) {
            metadata.remove("annotations");
        } else {
            metadata.put("annotations", new Json.Fields(annotations));
        }
        Json.Fields cleaned = object.without("status").with("metadata", new Json.Fields(metadata));
        // A ServiceAccount's token Secrets are made by the controller manager.
        return object.at("kind").equals(Json.text("ServiceAccount")) ? cleaned.without("secrets") : cleaned;
    }
}
