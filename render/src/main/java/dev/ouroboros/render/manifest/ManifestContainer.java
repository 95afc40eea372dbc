package dev.ouroboros.render.manifest;

import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.component.ComponentContainer;
import dev.ouroboros.model.flags.CommandLine;
import io.fabric8.kubernetes.api.model.Container;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/** What a container of a manifest runs, where the manifest was read into typed objects. */
public final class ManifestContainer {
    private ManifestContainer() {}

    /** Command and arguments, in this order. */
    public static CommandLine commandLine(Container container) {
        return new CommandLine(Stream.of(container.getCommand(), container.getArgs())
                .filter(Objects::nonNull)
                .flatMap(List::stream)
                .toList());
    }

    /** The first container that runs a component. */
    public static Optional<Container> in(List<Container> containers, Component component) {
        return containers.stream()
                .filter(container -> componentOf(container).equals(Optional.of(component)))
                .findFirst();
    }

    private static Optional<Component> componentOf(Container container) {
        boolean hasCommand =
                container.getCommand() != null && !container.getCommand().isEmpty();
        String image = hasCommand ? "" : Objects.requireNonNullElse(container.getImage(), "");
        return ComponentContainer.of(
                Objects.requireNonNullElse(container.getName(), ""), image, commandLine(container));
    }
}
