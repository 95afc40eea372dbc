package dev.ouroboros.snapshot;

import dev.ouroboros.core.json.Json;
import dev.ouroboros.snapshot.Inspection.ControlPlaneObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** Tells by what its containers run whether a workload is a part of the control plane: no name, label or namespace is assumed. */
public final class ControlPlane {
    /** Resources that can be one; what a Deployment made is found as the Deployment. */
    public static final Set<String> RESOURCES = Set.of("pods", "daemonsets", "deployments", "statefulsets");

    private static final Set<String> COMPONENTS =
            Set.of("kube-apiserver", "kube-controller-manager", "kube-scheduler", "kube-proxy", "etcd");
    /** What hyperkube, one binary for all, called them. */
    private static final Map<String, String> HYPERKUBE = Map.of(
            "apiserver", "kube-apiserver",
            "controller-manager", "kube-controller-manager",
            "scheduler", "kube-scheduler",
            "proxy", "kube-proxy");

    private ControlPlane() {}

    /** The parts that an object's containers run, in their order. */
    public static List<ControlPlaneObject> of(String name, Json object) {
        Json template = object.at("spec", "template", "spec");
        List<Json> containers =
                (template.isNull() ? object.at("spec", "containers") : template.at("containers")).items();
        List<ControlPlaneObject> found = new ArrayList<>();
        for (Json container : containers) {
            component(container)
                    .ifPresent(component -> found.add(new ControlPlaneObject(
                            component,
                            object.at("kind").text().orElse(""),
                            name,
                            container.at("image").text())));
        }
        return found;
    }

    /** The part that a container runs, by its command, arguments or image. */
    public static Optional<String> component(Json container) {
        List<String> words = Stream.concat(
                        container.at("command").items().stream(), container.at("args").items().stream())
                .flatMap(word -> word.text().stream())
                .flatMap(word -> Stream.of(word.split("[\\s;]+", -1)))
                .map(word -> word.substring(word.lastIndexOf('/') + 1))
                .toList();
        Optional<String> byCommand = words.stream().filter(COMPONENTS::contains).findFirst();
        if (byCommand.isPresent()) {
            return byCommand;
        }
        if (words.contains("hyperkube")) {
            return words.stream()
                    .filter(HYPERKUBE::containsKey)
                    .map(HYPERKUBE::get)
                    .findFirst();
        }
        String image = container.at("image").text().orElse("").replaceFirst("(:[^/]*)?(@.*)?$", "");
        return Optional.of(image.substring(image.lastIndexOf('/') + 1)).filter(COMPONENTS::contains);
    }
}
