package dev.ouroboros.core.change;

import dev.ouroboros.core.json.Json;
import java.util.Map;
import java.util.TreeMap;

/** The template of a DaemonSet, as it is and as a ControllerRevision remembers it. */
public final class Template {
    private Template() {}

    /** Whether both make the same pod. A revision is stored as a patch: it says so, and may say null for nothing. */
    public static boolean areSame(Json one, Json other) {
        return normal(one).equals(normal(other));
    }

    /** Without what is null and without the word to a patch; fields in any order are equal. */
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
