package dev.ouroboros.core.understudy;

import dev.ouroboros.core.pivot.Component;
import dev.ouroboros.core.problem.ErrorCode;
import dev.ouroboros.core.problem.ProblemException;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Turns a bootstrap manifest into the static Pod of an understudy: on its own port, with nothing that would disturb the
 * principal. Applied twice it changes nothing more. What we rendered is right already; bootkube's manifests are not, and only
 * this copy of them is altered.
 */
public final class TemporaryPod {
    /** Says who wrote a static manifest; only what carries it is ever replaced or removed. */
    public static final String OWNER_ANNOTATION = "ouroboros.dev/owner";

    public static final String OWNER = "start";

    /**
     * Seconds a temporary API server gets to end. Clients have moved by then; a 1.20 server with open watches would otherwise
     * wait for its request timeout of 60 s (genericapiserver's ShutdownTimeout).
     */
    private static final long TERMINATION_GRACE_SECONDS = 2;

    private static final String CONTROLLERS = "controllers";
    private static final String WITHOUT_NODE_IPAM = ",-nodeipam";
    private static final String SHUTDOWN_DELAY = "shutdown-delay-duration";

    /** The highest priority: without it a critical self-hosted pod could preempt the server it comes from. */
    private static final String PRIORITY_CLASS = "system-node-critical";

    private static final int PRIORITY = 2_000_001_000;

    private TemporaryPod() {}

    /**
     * The static Pod of a temporary component.
     *
     * @param rendered the Pod of {@code bootstrap-manifests/}
     * @throws ProblemException INVALID_ASSET_DIRECTORY when the Pod has no container that runs the component
     */
    public static Pod of(Pod rendered, Component component) {
        Container container = container(rendered, component);
        Map<String, String> flags = new LinkedHashMap<>();
        flags.put("secure-port", Integer.toString(component.understudyPort()));
        if (component == Component.API_SERVER) {
            flags.put("endpoint-reconciler-type", "none");
            // When it is told to end, new connections go elsewhere already: it need not keep its door open for those to
            // come.
            flag(rendered, component, SHUTDOWN_DELAY).ifPresent(_ -> flags.put(SHUTDOWN_DELAY, "0s"));
        }
        if (component != Component.API_SERVER) {
            // It starts before there is an API server to ask whom else to trust; nobody calls it but us.
            flags.put("authentication-skip-lookup", "true");
            // So that it leads within half a second of the API server's first answer, not within two.
            flags.put("leader-elect-retry-period", "500ms");
        }
        if (component == Component.CONTROLLER_MANAGER) {
            // It makes a ServiceAccount for each of its controllers before it signs the kubelet's certificate; with the
            // default
            // of 20 requests a second that takes seconds.
            flags.put("kube-api-qps", "200");
            flags.put("kube-api-burst", "400");
            // No controller begins to work before this one has waited 10 s for a first look at the nodes (listNodes in
            // pkg/controller/nodeipam/ipam/cidr_allocator.go): start gives this node its pod CIDR instead.
            String controllers = flag(rendered, component, CONTROLLERS).orElse("*");
            if (!controllers.contains(WITHOUT_NODE_IPAM)) {
                flags.put(CONTROLLERS, controllers + WITHOUT_NODE_IPAM);
            }
        }
        PodBuilder builder = new PodBuilder(rendered);
        builder.editMetadata()
                .withName(component.temporaryPod())
                .addToAnnotations(OWNER_ANNOTATION, OWNER)
                .endMetadata();
        builder.editSpec()
                .withHostNetwork(true)
                .withPriorityClassName(PRIORITY_CLASS)
                .withPriority(PRIORITY)
                .withTerminationGracePeriodSeconds(component == Component.API_SERVER ? TERMINATION_GRACE_SECONDS : 1L)
                .editMatchingContainer(candidate -> candidate.getName().equals(container.getName()))
                .withCommand(withFlags(nullToEmpty(container.getCommand()), nullToEmpty(container.getArgs()), flags))
                .withArgs(List.of())
                // A probe of the principal's port would restart the wrong copy; start probes for itself.
                .withLivenessProbe(null)
                .withReadinessProbe(null)
                .withStartupProbe(null)
                .endContainer()
                .endSpec();
        return builder.build();
    }

    /** The value of a flag of the component's container, if it is given as {@code --flag=value}. */
    public static Optional<String> flag(Pod pod, Component component, String flag) {
        Container container = container(pod, component);
        String prefix = "--" + flag + "=";
        List<String> all = new ArrayList<>(nullToEmpty(container.getCommand()));
        all.addAll(nullToEmpty(container.getArgs()));
        return all.stream()
                .filter(argument -> argument.startsWith(prefix))
                .map(argument -> argument.substring(prefix.length()))
                .reduce((first, last) -> last);
    }

    private static Container container(Pod pod, Component component) {
        if (pod.getSpec() != null && pod.getSpec().getContainers() != null) {
            for (Container container : pod.getSpec().getContainers()) {
                if (component.binary().equals(container.getName())) {
                    return container;
                }
            }
        }
        throw ProblemException.of(
                ErrorCode.INVALID_ASSET_DIRECTORY,
                "bootstrap manifest of " + component.binary(),
                "has no container of that name",
                "a Pod with a container named " + component.binary(),
                "render the assets again");
    }

    private static List<String> withFlags(List<String> command, List<String> arguments, Map<String, String> flags) {
        List<String> result = new ArrayList<>(command);
        result.addAll(arguments);
        flags.forEach((flag, value) -> {
            result.removeIf(argument -> argument.startsWith("--" + flag + "="));
            result.add("--" + flag + "=" + value);
        });
        return result;
    }

    private static List<String> nullToEmpty(@org.jspecify.annotations.Nullable List<String> list) {
        return list == null ? List.of() : list;
    }
}
