package dev.ouroboros.recovery;

import dev.ouroboros.core.checkpoint.ApiObject;
import dev.ouroboros.core.checkpoint.References;
import dev.ouroboros.core.flags.CommandLine;
import dev.ouroboros.core.json.Json;
import dev.ouroboros.snapshot.ControlPlane;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A DaemonSet, Deployment or StatefulSet that runs a part of the control plane.
 *
 * @param part what it runs, as in {@code kube-apiserver}; {@value #KEEPER} for the keeper
 * @param deleted whether it is no more there: this is how it was last
 */
public record Workload(String part, Json.Fields object, boolean deleted) {
    static final String KEEPER = "ouroboros-keeper";

    /** Empty for a workload that is no part of the control plane. An etcd is none: it has to be there before an API server is. */
    static Optional<Workload> of(Json.Fields object, boolean deleted) {
        return part(object).map(part -> new Workload(part, object, deleted));
    }

    static Optional<String> part(Json object) {
        List<Json> containers =
                object.at("spec", "template", "spec", "containers").items();
        boolean isKeeper =
                containers.stream().anyMatch(container -> container.at("name").equals(Json.text(KEEPER)));
        return isKeeper
                ? Optional.of(KEEPER)
                : containers.stream()
                        .flatMap(container -> ControlPlane.component(container).stream())
                        .filter(part -> !part.equals("etcd"))
                        .findFirst();
    }

    String kind() {
        return object.at("kind").text().orElse("");
    }

    String namespace() {
        return object.at("metadata", "namespace").text().orElse("default");
    }

    String name() {
        return object.at("metadata", "name").text().orElse("");
    }

    /** As in {@code DaemonSet kube-system/kube-apiserver}. */
    String path() {
        return kind() + " " + namespace() + "/" + name();
    }

    Json template() {
        return object.at("spec", "template");
    }

    /** The Secrets and ConfigMaps that its pods read. */
    Set<ApiObject> references() {
        Json.Fields pod = Json.object()
                .with("metadata", Json.object().with("namespace", Json.text(namespace())))
                .with("spec", template().at("spec"));
        return References.of(pod).toRead();
    }

    Optional<String> serviceAccount() {
        return template().at("spec", "serviceAccountName").text().filter(name -> !name.isEmpty());
    }

    /** The container that runs the part. */
    Json main() {
        List<Json> containers = template().at("spec", "containers").items();
        return containers.stream()
                .filter(container -> ControlPlane.component(container).equals(Optional.of(part)))
                .findFirst()
                .orElse(Json.absent());
    }

    CommandLine commandLine() {
        List<String> words = new ArrayList<>();
        for (String field : List.of("command", "args")) {
            main().at(field).items().forEach(word -> word.text().ifPresent(words::add));
        }
        return new CommandLine(words);
    }

    List<String> images() {
        return template().at("spec", "containers").items().stream()
                .flatMap(container -> container.at("image").text().stream())
                .toList();
    }
}
