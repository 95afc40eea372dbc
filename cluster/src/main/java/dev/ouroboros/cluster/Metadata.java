package dev.ouroboros.cluster;

import dev.ouroboros.model.json.Json;
import java.util.Map;
import java.util.TreeMap;

/** The metadata of an object. */
public final class Metadata {
    private Metadata() {}

    public static String name(Json object) {
        return object.at("metadata", "name").text().orElse("");
    }

    static String namespace(Json object) {
        return object.at("metadata", "namespace").text().orElse("");
    }

    static String uid(Json object) {
        return object.at("metadata", "uid").text().orElse("");
    }

    static Map<String, String> labels(Json object) {
        return texts(object.at("metadata", "labels"));
    }

    /** The fields that are texts. */
    public static Map<String, String> texts(Json fields) {
        Map<String, String> texts = new TreeMap<>();
        fields.fields().forEach((name, value) -> value.text().ifPresent(text -> texts.put(name, text)));
        return texts;
    }

    static boolean isOwnedBy(Json owner, Json object) {
        return object.at("metadata", "ownerReferences").items().stream()
                .anyMatch(reference -> reference.at("uid").equals(owner.at("metadata", "uid")));
    }
}
