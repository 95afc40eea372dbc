package dev.ouroboros.core.upgrade;

import dev.ouroboros.core.checkpoint.PodIdentity;
import dev.ouroboros.core.flags.CommandLine;
import dev.ouroboros.core.json.Json;
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

    /** The container that runs a part of the control plane: called so, or told to start that program. */
    public Optional<Json> container(Part part) {
        List<Json> containers = podSpec().at("containers").items();
        return containers.stream()
                .filter(container -> container.at("name").text().equals(Optional.of(part.label())))
                .findFirst()
                .or(() -> containers.stream()
                        .filter(container -> commandLine(container).runs(part.label()))
                        .findFirst());
    }

    /** How it starts a part of the control plane; without words when it does not. */
    public CommandLine commandLine(Part part) {
        return container(part).map(Manifest::commandLine).orElseGet(() -> new CommandLine(List.of()));
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

    private static CommandLine commandLine(Json container) {
        List<String> words = new ArrayList<>();
        for (String field : List.of("command", "args")) {
            container.at(field).items().forEach(word -> word.text().ifPresent(words::add));
        }
        return new CommandLine(words);
    }
}
