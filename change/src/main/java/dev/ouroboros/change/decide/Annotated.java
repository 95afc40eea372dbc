package dev.ouroboros.change.decide;

import dev.ouroboros.model.json.Json;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Objects with other annotations. */
public final class Annotated {
    private Annotated() {}

    /**
     * The same object with one annotation set, or without it.
     *
     * @param object has metadata, as every object of the API
     */
    public static Json.Fields with(Json object, String name, Optional<String> value) {
        Map<String, Json> annotations =
                new TreeMap<>(object.at("metadata", "annotations").fields());
        annotations.remove(name);
        value.ifPresent(text -> annotations.put(name, Json.text(text)));
        Json.Fields metadata = ((Json.Fields) object.at("metadata")).with("annotations", new Json.Fields(annotations));
        return ((Json.Fields) object).with("metadata", metadata);
    }
}
