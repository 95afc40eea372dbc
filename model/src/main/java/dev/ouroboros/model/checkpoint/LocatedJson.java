package dev.ouroboros.model.checkpoint;

import dev.ouroboros.model.json.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * A value of a manifest and the path that leads to it, as in {@code spec.volumes[2].secret}.
 *
 * @param path empty for the manifest itself
 */
record LocatedJson(String path, Json value) {
    /** The fields that hold a pod's containers. Ephemeral containers are left out: they are a person's tools. */
    private static final List<String> CONTAINERS = List.of("initContainers", "containers");

    static LocatedJson root(Json manifest) {
        return new LocatedJson("", manifest);
    }

    /** The containers of a pod in the order in which they start. */
    static List<LocatedJson> containersOf(Json pod) {
        LocatedJson spec = root(pod).at("spec");
        return CONTAINERS.stream().flatMap(kind -> spec.each(kind)).toList();
    }

    static List<LocatedJson> volumesOf(Json pod) {
        return root(pod).at("spec").each("volumes").toList();
    }

    LocatedJson at(String... names) {
        LocatedJson here = this;
        for (String name : names) {
            String below = here.path.isEmpty() ? name : here.path + "." + name;
            here = new LocatedJson(below, here.value.at(name));
        }
        return here;
    }

    /** The elements of the array of this name. */
    Stream<LocatedJson> each(String name) {
        LocatedJson array = at(name);
        List<LocatedJson> elements = new ArrayList<>();
        for (Json element : array.value.items()) {
            elements.add(new LocatedJson(array.path + "[" + elements.size() + "]", element));
        }
        return elements.stream();
    }

    boolean isPresent() {
        return !value.isNull();
    }

    /** The text of the field of this name; empty where there is none. */
    String text(String name) {
        return value.at(name).text().orElse("");
    }
}
