package dev.ouroboros.render.adopt;

import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.flags.CommandLine;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.render.manifest.ManifestContainer;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.api.model.apps.DaemonSetBuilder;
import io.fabric8.kubernetes.api.model.apps.DaemonSetUpdateStrategy;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Alters the API server's DaemonSet, one promise at a time. */
final class ApiServerAdoption {
    static final String SIGNING_KEY_FILE = "service-account.key";

    private static final String CHECKPOINT = "ouroboros.dev/checkpoint";
    private static final String BOOTKUBE_CHECKPOINT = "checkpointer.alpha.coreos.com/checkpoint";
    private static final Set<String> ANY_ADDRESS = Set.of("0.0.0.0", "::");
    private static final String TEMPLATE = "spec.template.spec.";

    /** The shutdown delay, 10 s for watches, 60 s for requests in flight, and some to spare: as we render it. */
    private static final long TERMINATION_SECONDS = 90;

    private final String name;
    private final boolean hasSigningKey;
    private final boolean ipv6;
    private final DaemonSet result;
    private final List<Alteration> changes = new ArrayList<>();
    private final List<String> remarks = new ArrayList<>();
    private Optional<String> secretThatNeedsSigningKey = Optional.empty();

    ApiServerAdoption(String name, DaemonSet rendered, boolean hasSigningKey, boolean ipv6) {
        this.name = name;
        this.hasSigningKey = hasSigningKey;
        this.ipv6 = ipv6;
        this.result = new DaemonSetBuilder(rendered).build();
        alter();
    }

    DaemonSet result() {
        return result;
    }

    List<Alteration> changes() {
        return changes;
    }

    List<String> remarks() {
        return remarks;
    }

    /** The Secret behind the file with which tokens are signed, when nothing signed them before. */
    Optional<String> secretThatNeedsSigningKey() {
        return secretThatNeedsSigningKey;
    }

    private void alter() {
        DaemonSetUpdateStrategy strategy = result.getSpec().getUpdateStrategy();
        if (strategy == null || !"OnDelete".equals(strategy.getType())) {
            result.getSpec().setUpdateStrategy(new DaemonSetUpdateStrategy(null, "OnDelete"));
            changed(
                    "spec.updateStrategy",
                    "OnDelete",
                    "a changed template must prove itself before the running one ends");
        }
        annotate();
        PodSpec pod = result.getSpec().getTemplate().getSpec();
        if (!Boolean.TRUE.equals(pod.getHostNetwork())) {
            pod.setHostNetwork(true);
            changed(TEMPLATE + "hostNetwork", "true", "the front leads to a port of the node");
        }
        if (!Boolean.FALSE.equals(pod.getAutomountServiceAccountToken())) {
            pod.setAutomountServiceAccountToken(false);
            changed(TEMPLATE + "automountServiceAccountToken", "false", "no checkpoint can carry a token");
        }
        if (pod.getPriorityClassName() == null) {
            pod.setPriorityClassName("system-node-critical");
            changed(TEMPLATE + "priorityClassName", "system-node-critical", "other pods must not push it out");
        }
        Long grace = pod.getTerminationGracePeriodSeconds();
        if (grace == null || grace < TERMINATION_SECONDS) {
            pod.setTerminationGracePeriodSeconds(TERMINATION_SECONDS);
            changed(
                    TEMPLATE + "terminationGracePeriodSeconds",
                    "" + TERMINATION_SECONDS,
                    "requests in flight are answered");
        }
        alter(container(pod), pod);
    }

    private void annotate() {
        ObjectMeta template = Optional.ofNullable(result.getSpec().getTemplate().getMetadata())
                .orElseGet(ObjectMeta::new);
        result.getSpec().getTemplate().setMetadata(template);
        Map<String, String> annotations = new LinkedHashMap<>(
                template.getAnnotations() == null ? Map.<String, String>of() : template.getAnnotations());
        if (annotations.remove(BOOTKUBE_CHECKPOINT) != null) {
            changed(
                    "spec.template.metadata.annotations",
                    "without " + BOOTKUBE_CHECKPOINT,
                    "that is pod-checkpointer's");
        }
        if (!"true".equals(annotations.put(CHECKPOINT, "true"))) {
            changed("spec.template.metadata.annotations", CHECKPOINT + "=true", "the keeper saves what carries it");
        }
        template.setAnnotations(annotations);
    }

    private Container container(PodSpec pod) {
        return ManifestContainer.in(pod.getContainers(), Component.API_SERVER)
                .orElseThrow(() -> ProblemException.of(
                        ErrorCode.INVALID_ASSET_DIRECTORY,
                        name,
                        "has no container that runs kube-apiserver",
                        "one that runs the API server",
                        "start without --adopt, or render with 'ouro render'"));
    }

    private void alter(Container container, PodSpec pod) {
        if (!container.getPorts().isEmpty()) {
            container.setPorts(List.of());
            changed(
                    TEMPLATE + "containers[kube-apiserver].ports",
                    "none",
                    "two servers could not be scheduled on one node");
        }
        CommandLine before = ManifestContainer.commandLine(container);
        CommandLine after = alter(before, container, pod);
        if (!after.equals(before)) {
            // Which of the words are command and which arguments makes a difference only when there is no command.
            boolean entryPoint = container.getCommand().isEmpty();
            container.setCommand(entryPoint ? List.of() : after.words());
            container.setArgs(entryPoint ? after.words() : List.of());
        }
    }

    private CommandLine alter(CommandLine rendered, Container container, PodSpec pod) {
        CommandLine arguments = set(
                rendered,
                "endpoint-reconciler-type",
                "none",
                "it empties the kubernetes Service when its server stops");
        String bind = arguments.value("bind-address").orElse("0.0.0.0");
        if (!ANY_ADDRESS.contains(bind) || (bind.equals("::") && !ipv6)) {
            arguments = set(
                    arguments, "bind-address", ipv6 ? "::" : "0.0.0.0", "loopback must reach it as well as clients");
        }
        if (arguments.value("shutdown-delay-duration").isEmpty()) {
            arguments =
                    set(arguments, "shutdown-delay-duration", "5s", "clients are led away before it stops answering");
        }
        if (arguments.value("service-account-issuer").isEmpty()) {
            arguments = nameIssuer(arguments, container, pod);
        }
        if (arguments.value("anonymous-auth").filter("false"::equals).isPresent()) {
            remarks.add(name + ": --anonymous-auth=false keeps the kubelet from probing it, so it is given no probes;"
                    + " 'ouro start' and the keeper probe it themselves");
        }
        return arguments;
    }

    private CommandLine nameIssuer(CommandLine arguments, Container container, PodSpec pod) {
        Optional<String> secret = secretBehind(arguments, container, pod);
        if (!hasSigningKey || secret.isEmpty()) {
            remarks.add(name
                    + ": has no --service-account-issuer, without which no API server since 1.20 starts, and there is no "
                    + SIGNING_KEY_FILE + " to give it");
            return arguments;
        }
        String directory =
                directoryOf(arguments.value("service-account-key-file").orElse(""));
        secretThatNeedsSigningKey = secret;
        CommandLine named =
                set(arguments, "service-account-issuer", "https://kubernetes.default.svc", "required since 1.20");
        return set(
                named, "service-account-signing-key-file", directory + "/" + SIGNING_KEY_FILE, "required since 1.20");
    }

    /** The Secret whose files lie where the key that verifies tokens lies. */
    private static Optional<String> secretBehind(CommandLine arguments, Container container, PodSpec pod) {
        String directory =
                directoryOf(arguments.value("service-account-key-file").orElse(""));
        return container.getVolumeMounts().stream()
                .filter(mount -> mount.getMountPath().equals(directory))
                .flatMap(mount -> pod.getVolumes().stream()
                        .filter(volume -> volume.getName().equals(mount.getName()) && volume.getSecret() != null))
                .map(volume -> volume.getSecret().getSecretName())
                .findFirst();
    }

    private static String directoryOf(String file) {
        int end = file.lastIndexOf('/');
        return end < 0 ? "" : file.substring(0, end);
    }

    private CommandLine set(CommandLine arguments, String flag, String value, String reason) {
        if (arguments.value(flag).filter(value::equals).isPresent()) {
            return arguments;
        }
        changed(TEMPLATE + "containers[kube-apiserver], --" + flag, value, reason);
        return arguments.with(Map.of(flag, value));
    }

    private void changed(String field, String what, String reason) {
        changes.add(new Alteration(name, field, what, reason));
    }
}
