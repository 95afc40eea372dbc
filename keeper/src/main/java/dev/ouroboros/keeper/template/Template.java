package dev.ouroboros.keeper.template;

import dev.ouroboros.model.json.Json;
import java.util.Map;
import java.util.TreeMap;

/** The template of a controller's pods, as it is and as a ControllerRevision remembers it. */
public final class Template {
    private Template() {}

    /** The template of a controller as the pod that would be made of it, with the controller's name. */
    public static Json podOf(Json controller) {
        Json template = controller.at("spec", "template");
        Json.Fields metadata = template.at("metadata") instanceof Json.Fields fields ? fields : Json.object();
        return Json.object()
                .with(
                        "metadata",
                        metadata.with("name", controller.at("metadata", "name"))
                                .with("namespace", controller.at("metadata", "namespace")))
                .with("spec", template.at("spec"));
    }

    /**
     * Whether both make the same pod. A revision is stored as a patch: it has a field that says so, and may have null for a missing
     * field.
     */
    public static boolean areSame(Json one, Json other) {
        return normal(one).equals(normal(other));
    }

    /** Without null fields and without {@code $patch}; the order of fields does not matter. */
    private static Json normal(Json value) {
        return switch (value) {
            case Json.Fields(Map<String, Json> fields) -> {
                Map<String, Json> kept = new TreeMap<>();
                fields.forEach((name, field) -> {
                    if (!field.isNull() && !name.equals("$patch")) {
                        kept.put(name, normal(field));
                    }
                });
                yield new Json.Fields(kept);
            }
            case Json.Items items -> Json.items(items.values().stream().map(Template::normal));
            case Json.Text text -> text;
            case Json.Numeric number -> number;
            case Json.Bool bool -> bool;
            case Json.Null nothing -> nothing;
        };
    }
}
