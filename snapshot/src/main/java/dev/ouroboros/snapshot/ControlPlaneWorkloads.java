package dev.ouroboros.snapshot;

import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.component.ComponentContainer;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.snapshot.Inspection.ControlPlaneObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Tells by what its containers run whether a workload is a part of the control plane: no name, label or namespace is assumed. */
public final class ControlPlaneWorkloads {
    /** Resources that can be one; what a Deployment made is found as the Deployment. */
    public static final Set<String> RESOURCES = Set.of("pods", "daemonsets", "deployments", "statefulsets");

    private ControlPlaneWorkloads() {}

    /** The parts that an object's containers run, in their order. */
    public static List<ControlPlaneObject> of(String name, Json object) {
        Json template = object.at("spec", "template", "spec");
        List<Json> containers =
                (template.isNull() ? object.at("spec", "containers") : template.at("containers")).items();
        List<ControlPlaneObject> found = new ArrayList<>();
        for (Json container : containers) {
            ComponentContainer.of(container)
                    .filter(Component.CONTROL_PLANE::contains)
                    .ifPresent(component -> found.add(new ControlPlaneObject(
                            component.id(),
                            object.at("kind").text().orElse(""),
                            name,
                            container.at("image").text())));
        }
        return found;
    }
}
