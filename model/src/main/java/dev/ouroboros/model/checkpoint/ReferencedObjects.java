package dev.ouroboros.model.checkpoint;

import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** The objects that a pod refers to, all of them read, and what was found wrong with them. */
final class ReferencedObjects {
    private final String namespace;
    private final Map<ApiObject, Optional<Json>> objects;
    private final List<Problem> problems = new ArrayList<>();

    ReferencedObjects(String namespace, Map<ApiObject, Optional<Json>> objects) {
        this.namespace = namespace;
        this.objects = Map.copyOf(objects);
    }

    List<Problem> problems() {
        return List.copyOf(problems);
    }

    /**
     * What an object holds, as the kubelet sees it. Empty when the object does not exist, which is a problem unless the reference is
     * optional.
     *
     * @param place of the reference; it may say {@code optional: true}
     * @param nameField of the object's name
     */
    Optional<Data> data(ApiObject.Kind kind, LocatedJson place, String nameField) {
        String name = place.text(nameField);
        Optional<Json> object = name.isEmpty()
                ? Optional.empty()
                : objects.getOrDefault(new ApiObject(kind, namespace, name), Optional.empty());
        String field = place.path() + "." + nameField;
        if (object.isEmpty()) {
            if (!isOptional(place)) {
                missing(
                        field,
                        "there is no " + kind.word() + " " + namespace + "/" + name,
                        "create it, or mark it optional");
            }
            return Optional.empty();
        }
        String described = kind.word() + " " + namespace + "/" + name;
        Json content = object.get();
        return Optional.of(
                switch (kind) {
                    case SECRET -> new Data(described, decoded(content.at("data"), field), Map.of());
                    case CONFIG_MAP ->
                        new Data(described, plain(content.at("data")), decoded(content.at("binaryData"), field));
                });
    }

    static boolean isOptional(LocatedJson place) {
        return place.value().at("optional").isTrue();
    }

    void missing(String field, String what, String next) {
        problems.add(new Problem(ErrorCode.NOT_FOUND, field, what, "", next));
    }

    void refuse(String field, String what, String next) {
        problems.add(new Problem(ErrorCode.CANNOT_BE_STATIC, field, what, "", next));
    }

    private static Map<String, Content> plain(Json data) {
        SortedMap<String, Content> values = new TreeMap<>();
        data.fields()
                .forEach((key, value) ->
                        values.put(key, Content.of(value.text().orElse("").getBytes(StandardCharsets.UTF_8))));
        return values;
    }

    private Map<String, Content> decoded(Json data, String field) {
        SortedMap<String, Content> values = new TreeMap<>();
        data.fields().forEach((key, value) -> {
            try {
                values.put(
                        key, Content.of(Base64.getDecoder().decode(value.text().orElse(""))));
            } catch (IllegalArgumentException e) {
                refuse(field, "key " + key + " is not Base64: " + e.getMessage(), "read it from the API again");
            }
        });
        return values;
    }

    /**
     * The content of an object.
     *
     * @param object its kind and name, for people
     * @param text what environments and volumes see
     * @param binary what only volumes see
     */
    record Data(String object, Map<String, Content> text, Map<String, Content> binary) {
        SortedMap<String, Content> all() {
            SortedMap<String, Content> all = new TreeMap<>(binary);
            all.putAll(text);
            return all;
        }
    }
}
