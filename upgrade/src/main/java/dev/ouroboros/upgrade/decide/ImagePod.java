package dev.ouroboros.upgrade.decide;

import dev.ouroboros.model.json.Json;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A pod that has a node pull images, before pods that need them are replaced. Its containers have these images and a command that
 * exists in none, so that the kubelet pulls each image and then fails to start its container: no image needs a program that does
 * nothing.
 */
public final class ImagePod {
    static final String LABEL = "ouroboros.dev/pulls-images-for";
    private static final String COMMAND = "/only-pulls-this-image";
    private static final int LONGEST_NAME = 40;

    /** States of a container whose image is on the node: the runtime has tried to make or start it. */
    private static final Set<String> THERE =
            Set.of("RunContainerError", "CreateContainerError", "CreateContainerConfigError", "CrashLoopBackOff");

    /** After these the kubelet does not try again. */
    private static final Set<String> HOPELESS = Set.of("InvalidImageName", "ErrImageNeverPull");

    /** How far the pod is. */
    public sealed interface Progress {
        /** All images are on the node. */
        record Done() implements Progress {}

        /** @param why what is waited for; the kubelet retries a pull that failed */
        record Pulling(String why) implements Progress {}

        /** @param why the pull cannot succeed */
        record Failed(String why) implements Progress {}
    }

    private ImagePod() {}

    /**
     * The pod. It is bound to its node, needs no pod network, and tolerates every taint.
     *
     * @param workload whose pods need the images
     * @param live its template in the cluster; absent where it is new. The ServiceAccount and the RuntimeClass are this one's: those that the target
     *     brings are not there yet, and no pod that names one is admitted
     * @param wanted its template in the target, whose pull secrets are taken
     */
    public static Json.Fields of(ObjectName workload, Json live, Json wanted, String node, Collection<String> images) {
        String name = "ouroboros-images-" + cut(workload.name()) + "-"
                + Integer.toHexString(
                        List.of(workload, node, List.copyOf(images)).hashCode());
        int[] count = {0};
        Json.Fields spec = Json.object()
                .with("nodeName", Json.text(node))
                .with("restartPolicy", Json.text("Never"))
                .with("hostNetwork", Json.bool(true))
                .with("automountServiceAccountToken", Json.bool(false))
                .with("terminationGracePeriodSeconds", Json.number(0))
                .with("tolerations", Json.items(List.of(Json.object().with("operator", Json.text("Exists"))).stream()))
                .with(
                        "containers",
                        Json.items(images.stream()
                                .map(image -> Json.object()
                                        .with("name", Json.text("image-" + count[0]++))
                                        .with("image", Json.text(image))
                                        .with("imagePullPolicy", Json.text("IfNotPresent"))
                                        .with("command", Json.texts(List.of(COMMAND))))));
        Map<String, Json> taken = new LinkedHashMap<>();
        taken.put("imagePullSecrets", wanted.at("spec", "imagePullSecrets"));
        taken.put("serviceAccountName", live.at("spec", "serviceAccountName"));
        taken.put("runtimeClassName", live.at("spec", "runtimeClassName"));
        for (Map.Entry<String, Json> field : taken.entrySet()) {
            spec = field.getValue().isNull() ? spec : spec.with(field.getKey(), field.getValue());
        }
        return Json.object()
                .with("apiVersion", Json.text("v1"))
                .with("kind", Json.text("Pod"))
                .with(
                        "metadata",
                        Json.object()
                                .with("name", Json.text(name))
                                .with("namespace", Json.text(workload.namespace()))
                                .with("labels", Json.object().with(LABEL, Json.text(cut(workload.name())))))
                .with("spec", spec);
    }

    private static String cut(String name) {
        String part = name.length() > LONGEST_NAME ? name.substring(0, LONGEST_NAME) : name;
        return part.replaceFirst("[^a-z0-9]+$", "");
    }

    /** Progress by the pod's status. */
    public static Progress progress(Json pod) {
        Json statuses = pod.at("status", "containerStatuses");
        if (pod.at("status", "phase").text().equals(Optional.of("Failed")) && statuses.isNull()) {
            return new Progress.Failed(pod.at("status", "message")
                    .text()
                    .or(() -> pod.at("status", "reason").text())
                    .orElse("it failed"));
        }
        if (statuses.items().isEmpty()) {
            return new Progress.Pulling("the kubelet to begin");
        }
        Progress slowest = new Progress.Done();
        for (Json status : statuses.items()) {
            Json waiting = status.at("state", "waiting");
            String reason = waiting.at("reason").text().orElse("");
            String image = status.at("image").text().orElse("");
            String what = image
                    + (reason.isEmpty() || reason.equals("ContainerCreating") ? "" : ": " + reason)
                    + waiting.at("message").text().map(text -> ": " + text).orElse("");
            if (HOPELESS.contains(reason)) {
                return new Progress.Failed(what);
            }
            if (!waiting.isNull() && !THERE.contains(reason)) {
                slowest = new Progress.Pulling(what);
            }
        }
        return slowest;
    }
}
