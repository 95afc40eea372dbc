package dev.ouroboros.upgrade.merge;

import dev.ouroboros.model.json.Json;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Fields that servers and controllers write into an object, but its author never does. */
public final class ServerFields {
    private static final List<String> METADATA = List.of(
            "uid",
            "resourceVersion",
            "generation",
            "creationTimestamp",
            "deletionTimestamp",
            "deletionGracePeriodSeconds",
            "managedFields",
            "selfLink");
    private static final Set<String> ANNOTATIONS = Set.of(
            "deprecated.daemonset.template.generation",
            "deployment.kubernetes.io/revision",
            "kubectl.kubernetes.io/last-applied-configuration");
    /** Field of a ServiceAccount: until 1.24 the controller manager makes a token for it, and lists it here. */
    private static final String TOKENS = "secrets";
    /** What the keeper says of a change, and how often it was asked to try again. */
    private static final String CHANGE_ANNOTATIONS = "ouroboros.dev/change-";

    private ServerFields() {}

    /** The object without these fields. */
    public static Json without(Json object) {
        if (!(object instanceof Json.Fields fields)) {
            return object;
        }
        Json.Fields plain = fields.without("status");
        if (plain.at("kind").equals(Json.text("ServiceAccount"))) {
            plain = plain.without(TOKENS);
        }
        if (!(plain.at("metadata") instanceof Json.Fields metadata)) {
            return plain;
        }
        for (String name : METADATA) {
            metadata = metadata.without(name);
        }
        if (metadata.at("annotations") instanceof Json.Fields(Map<String, Json> annotations)) {
            Map<String, Json> kept = new TreeMap<>(annotations);
            kept.keySet().removeIf(name -> ANNOTATIONS.contains(name) || name.startsWith(CHANGE_ANNOTATIONS));
            metadata = kept.isEmpty()
                    ? metadata.without("annotations")
                    : metadata.with("annotations", new Json.Fields(kept));
        }
        return plain.with("metadata", metadata);
    }
}
