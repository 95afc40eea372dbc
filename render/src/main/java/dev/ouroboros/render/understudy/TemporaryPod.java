package dev.ouroboros.render.understudy;

import dev.ouroboros.model.checkpoint.Understudy;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.component.UnderstudyFlags;
import dev.ouroboros.model.flags.CommandLine;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.render.manifest.ManifestContainer;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Turns a bootstrap manifest into the static Pod of an understudy: on its own port, with nothing that would disturb the
 * principal. Applied twice it changes nothing more. What we rendered is right already; bootkube's manifests are not, and only
 * this copy of them is altered.
 */
public final class TemporaryPod {
    /** Value of the owner annotation on what start wrote; only what carries it is ever replaced or removed. */
    public static final String OWNER = "start";

    /**
     * Seconds a temporary API server gets to end. Clients have moved by then; a 1.20 server with open watches would otherwise
     * wait for its request timeout of 60 s (genericapiserver's ShutdownTimeout).
     */
    private static final long TERMINATION_GRACE_SECONDS = 2;

    private static final String ISSUER = "service-account-issuer";

    private TemporaryPod() {}

    /**
     * The static Pod of a temporary component.
     *
     * @param rendered the Pod of {@code bootstrap-manifests/}
     * @throws ProblemException INVALID_ASSET_DIRECTORY when the Pod has no container that runs the component
     */
    public static Pod of(Pod rendered, Component component) {
        CommandLine command = ManifestContainer.commandLine(container(rendered, component));
        CommandLine complete = component == Component.API_SERVER ? signing(command) : command;
        return with(UnderstudyFlags.of(component, complete, UnderstudyFlags.Purpose.PIVOT), rendered, component);
    }

    /**
     * The static Pod of a temporary API server on the port of the self-hosted one, which cannot run beside it. It keeps its own
     * reconciler: nobody else writes where the kubernetes Service leads.
     */
    public static Pod apiServerOn(int port, Pod rendered) {
        CommandLine command = signing(ManifestContainer.commandLine(container(rendered, Component.API_SERVER)));
        return with(command.with(Map.of("secure-port", Integer.toString(port))), rendered, Component.API_SERVER);
    }

    /** Refuses a Pod that has no container of the component. */
    public static void requireContainer(Pod rendered, Component component) {
        container(rendered, component);
    }

    /** The command with flags that are required since 1.20; bootkube's templates are older. */
    private static CommandLine signing(CommandLine command) {
        return command.value(ISSUER).isPresent()
                ? command
                : command.with(Map.of(ISSUER, "https://kubernetes.default.svc"))
                        .with(Map.of(
                                "service-account-signing-key-file", "/etc/kubernetes/secrets/service-account.key"));
    }

    private static Pod with(CommandLine command, Pod rendered, Component component) {
        Container container = container(rendered, component);
        PodBuilder builder = new PodBuilder(rendered);
        builder.editMetadata()
                .withName(component.temporaryPod())
                .addToAnnotations(Understudy.OWNER_ANNOTATION, OWNER)
                .endMetadata();
        builder.editSpec()
                .withHostNetwork(true)
                .withPriorityClassName(Understudy.PRIORITY_CLASS)
                .withPriority(Understudy.PRIORITY)
                .withTerminationGracePeriodSeconds(component == Component.API_SERVER ? TERMINATION_GRACE_SECONDS : 1L)
                .editMatchingContainer(candidate -> candidate.getName().equals(container.getName()))
                .withCommand(command.words())
                .withArgs(List.of())
                // A probe of the principal's port would restart the wrong copy; start probes for itself.
                .withLivenessProbe(null)
                .withReadinessProbe(null)
                .withStartupProbe(null)
                .endContainer()
                .endSpec();
        return builder.build();
    }

    /** The value of a flag of the component's container, if it is given. */
    public static Optional<String> flag(Pod pod, Component component, String flag) {
        return ManifestContainer.commandLine(container(pod, component)).value(flag);
    }

    private static Container container(Pod pod, Component component) {
        return Optional.ofNullable(pod.getSpec())
                .flatMap(spec -> ManifestContainer.in(spec.getContainers(), component))
                .orElseThrow(() -> ProblemException.of(
                        ErrorCode.INVALID_ASSET_DIRECTORY,
                        "bootstrap manifest of " + component.id(),
                        "has no container that runs it",
                        "a Pod with a container named " + component.id(),
                        "render the assets again"));
    }
}
