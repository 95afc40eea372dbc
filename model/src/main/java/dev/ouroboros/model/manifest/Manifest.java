package dev.ouroboros.model.manifest;

import dev.ouroboros.model.checkpoint.PodIdentity;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.component.ComponentContainer;
import dev.ouroboros.model.flags.CommandLine;
import dev.ouroboros.model.json.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * An object as it is to be applied, or as the API has it.
 *
 * @param where the file, or {@code API}
 */
public record Manifest(String where, Json object) {
    public String kind() {
        return object.at("kind").text().orElse("");
    }

    public String apiVersion() {
        return object.at("apiVersion").text().orElse("");
    }

    public String name() {
        return object.at("metadata", "name").text().orElse("?");
    }

    /** As in {@code DaemonSet kube-system/kube-apiserver}. */
    public String described() {
        return kind() + " "
                + object.at("metadata", "namespace")
                        .text()
                        .map(space -> space + "/")
                        .orElse("") + name();
    }

    private Json podSpec() {
        return kind().equals("Pod") ? object.at("spec") : object.at("spec", "template", "spec");
    }

    /** The container that runs a component. */
    public Optional<Json> container(Component component) {
        return ComponentContainer.in(podSpec(), component);
    }

    /** The command line that starts a component; empty when there is none. */
    public CommandLine commandLine(Component component) {
        return container(component).map(CommandLine::of).orElseGet(() -> new CommandLine(List.of()));
    }

    /** Every image of its pods. */
    public List<String> images() {
        List<String> images = new ArrayList<>();
        for (String field : List.of("initContainers", "containers")) {
            podSpec()
                    .at(field)
                    .items()
                    .forEach(container -> container.at("image").text().ifPresent(images::add));
        }
        return List.copyOf(images);
    }

    /** Whether the keeper is to have a checkpoint of its pods. */
    public boolean asksForCheckpoint() {
        return PodIdentity.asks(object.at("spec", "template", "metadata", "annotations"));
    }
}
