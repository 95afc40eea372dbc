package dev.ouroboros.recovery;

import dev.ouroboros.model.checkpoint.ApiObject;
import dev.ouroboros.model.checkpoint.References;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.component.ComponentContainer;
import dev.ouroboros.model.flags.CommandLine;
import dev.ouroboros.model.json.Json;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A DaemonSet, Deployment or StatefulSet that runs a component of the control plane.
 *
 * @param component what it runs
 * @param deleted whether it is no more there: this is how it was last
 */
public record RecoveredWorkload(Component component, Json.Fields object, boolean deleted) {
    /** Empty for a workload that is no part of the control plane. An etcd is none: it has to be there before an API server is. */
    static Optional<RecoveredWorkload> of(Json.Fields object, boolean deleted) {
        return component(object).map(component -> new RecoveredWorkload(component, object, deleted));
    }

    static Optional<Component> component(Json object) {
        return object.at("spec", "template", "spec", "containers").items().stream()
                .flatMap(container -> ComponentContainer.of(container).stream())
                .filter(component -> component == Component.KEEPER
                        || (component != Component.ETCD && Component.CONTROL_PLANE.contains(component)))
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

    /** @param wanted as in {@code kube-system/kube-apiserver} */
    boolean isNamed(String wanted) {
        return wanted.equals(namespace() + "/" + name());
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

    /** The container that runs the component. */
    Json main() {
        return ComponentContainer.in(template().at("spec"), component).orElse(Json.absent());
    }

    CommandLine commandLine() {
        return CommandLine.of(main());
    }

    List<String> images() {
        return template().at("spec", "containers").items().stream()
                .flatMap(container -> container.at("image").text().stream())
                .toList();
    }
}
