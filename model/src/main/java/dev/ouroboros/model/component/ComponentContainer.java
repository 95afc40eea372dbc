package dev.ouroboros.model.component;

import dev.ouroboros.model.flags.CommandLine;
import dev.ouroboros.model.json.Json;
import java.util.List;
import java.util.Optional;

/**
 * Tells which component a container runs, the same for everybody who asks: by the program that its words start; then by its name; then, when
 * it leaves the program to its image, by the image's name.
 */
public final class ComponentContainer {
    private ComponentContainer() {}

    /** Of a container in a pod or in a template. */
    public static Optional<Component> of(Json container) {
        String name = container.at("name").text().orElse("");
        String image = container.at("command").items().isEmpty()
                ? container.at("image").text().orElse("")
                : "";
        return of(name, image, CommandLine.of(container));
    }

    /** Of one of which no words are known, as a container runtime tells of it. */
    public static Optional<Component> of(String name, String image) {
        return of(name, image, new CommandLine(List.of()));
    }

    /** Of one whose words are these; {@code image} is empty when they name the program. */
    public static Optional<Component> of(String name, String image, CommandLine words) {
        return StartedProgram.of(words).or(() -> Component.ofId(name)).or(() -> Component.ofId(nameOf(image)));
    }

    /** The first of a pod's containers that runs a component. */
    public static Optional<Json> in(Json podSpec, Component component) {
        return podSpec.at("containers").items().stream()
                .filter(container -> of(container).equals(Optional.of(component)))
                .findFirst();
    }

    /** Of {@code registry:5000/kube-apiserver:v1.20.2@sha256:...}: a colon before the last slash is a port. */
    private static String nameOf(String image) {
        String untagged = image.replaceFirst("(:[^/]*)?(@.*)?$", "");
        return untagged.substring(untagged.lastIndexOf('/') + 1);
    }
}
