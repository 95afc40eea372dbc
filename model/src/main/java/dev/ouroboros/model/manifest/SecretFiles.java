package dev.ouroboros.model.manifest;

import dev.ouroboros.model.asset.HashedName;
import dev.ouroboros.model.checkpoint.PodIdentity;
import dev.ouroboros.model.json.Json;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * A Secret with the files of a component, and the Secrets that replace it: immutable, named by their content, and annotated with the
 * key that their rotation leads to.
 *
 * @param object as the API has it
 */
public record SecretFiles(Json object) {
    /** Annotation of a Secret with certificates that were issued again: the Secret that it is made of, for whoever goes on where the one who made it ended. */
    public static final String RENEWS = "ouroboros.dev/renews";

    /** Label of a Secret that has an authority's certificate and key, and that no pod mounts. */
    public static final String AUTHORITY_LABEL = "ouroboros.dev/authority";

    /**
     * One that has an authority which a rotation leads to.
     *
     * @param authority whose, as {@code front-proxy}: the value of its label
     * @param goal the authority's name in the rotation
     */
    public static SecretFiles ofAuthority(String authority, Rotation rotation, String goal, Map<String, String> files) {
        Json.Fields metadata = Json.object()
                .with("name", Json.text(authority + "-authority"))
                .with("namespace", Json.text(PodIdentity.CONTROL_PLANE_NAMESPACE))
                .with("labels", Json.object().with(AUTHORITY_LABEL, Json.text(authority)));
        return new SecretFiles(Json.object().with("metadata", metadata)).with(rotation, goal, files);
    }

    public String name() {
        return object.at("metadata", "name").text().orElse("");
    }

    /** The key that a rotation leads to, if this Secret is a step of it. */
    public Optional<String> goal(Rotation rotation) {
        return object.at("metadata", "annotations", rotation.annotation()).text();
    }

    /** Name of the Secret whose certificates were issued again in this one. */
    public Optional<String> renews() {
        return object.at("metadata", "annotations", RENEWS).text();
    }

    /** Names of its files. */
    public Set<String> files() {
        return object.at("data").fields().keySet();
    }

    /** The text of a file; empty when there is none. */
    public Optional<String> file(String key) {
        return object.at("data", key)
                .text()
                .map(data -> new String(Base64.getDecoder().decode(data), StandardCharsets.UTF_8));
    }

    /** One with these files changed or added; annotations of rotations stay. */
    public SecretFiles with(Map<String, String> changed) {
        return with(goals(), changed, Set.of());
    }

    /** One with these files changed or added, as a step to this key. */
    public SecretFiles with(Rotation rotation, String goal, Map<String, String> changed) {
        return with(rotation, goal, changed, Set.of());
    }

    /** One with these files changed or added, and without the files {@code without}. */
    public SecretFiles with(Rotation rotation, String goal, Map<String, String> changed, Set<String> without) {
        return with(goals().with(rotation.annotation(), Json.text(goal)), changed, without);
    }

    /** One with these files instead, of certificates that were issued again; annotations of rotations stay. */
    public SecretFiles renewed(Map<String, String> changed) {
        return with(goals().with(RENEWS, Json.text(name())), changed, Set.of());
    }

    private SecretFiles with(Json.Fields annotations, Map<String, String> changed, Set<String> without) {
        NavigableMap<String, String> data = new TreeMap<>();
        object.at("data")
                .fields()
                .forEach((key, value) -> data.put(key, value.text().orElse("")));
        changed.forEach((key, text) -> data.put(key, base64(text)));
        without.forEach(data::remove);
        NavigableMap<String, String> texts = new TreeMap<>();
        data.forEach(
                (key, value) -> texts.put(key, new String(Base64.getDecoder().decode(value), StandardCharsets.UTF_8)));
        Json.Fields metadata = Json.object()
                .with("name", Json.text(HashedName.of(HashedName.baseOf(name()), texts)))
                .with("namespace", object.at("metadata", "namespace"))
                .with("annotations", annotations);
        Json labels = object.at("metadata", "labels");
        Json.Fields fields = Json.object();
        for (Map.Entry<String, String> entry : data.entrySet()) {
            fields = fields.with(entry.getKey(), Json.text(entry.getValue()));
        }
        return new SecretFiles(Json.object()
                .with("apiVersion", Json.text("v1"))
                .with("kind", Json.text("Secret"))
                .with("metadata", labels.isNull() ? metadata : metadata.with("labels", labels))
                .with("type", Json.text(object.at("type").text().orElse("Opaque")))
                .with("immutable", Json.bool(true))
                .with("data", fields));
    }

    private Json.Fields goals() {
        Json.Fields goals = Json.object();
        for (Rotation rotation : Rotation.values()) {
            Optional<String> known = goal(rotation);
            goals = known.isEmpty() ? goals : goals.with(rotation.annotation(), Json.text(known.get()));
        }
        return goals;
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    /** Does not print the content: it is keys. */
    @Override
    public String toString() {
        return "Secret " + name();
    }
}
