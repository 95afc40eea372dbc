package dev.ouroboros.etcd.decide;

import dev.ouroboros.model.flags.CommandLine;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.render.manifest.ManifestContainer;
import dev.ouroboros.render.understudy.PodYaml;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The files with which a member of etcd shows who it is, as its manifest names them. Much less is asked of that manifest than {@link EtcdMemberPod} asks: with flags that forbid temporary members etcd runs well, and its
 * certificates end all the same.
 *
 * @param byFlag the files on the node, by the flags that name them, without the dashes; none of an etcd without TLS
 */
public record EtcdTlsFiles(Map<String, String> byFlag) {
    private static final List<String> FLAGS = List.of("cert-file", "key-file", "peer-cert-file", "peer-key-file");

    public EtcdTlsFiles {
        byFlag = Map.copyOf(byFlag);
    }

    /**
     * Reads a manifest.
     *
     * @throws ProblemException with everything that hides which files they are
     */
    public static EtcdTlsFiles of(String file, String text) {
        Pod pod = PodYaml.parse(file, text, ErrorCode.INVALID_CONFIG, EtcdMemberPod.GIVE_MANIFEST);
        Container container = EtcdPod.container(file, pod);
        CommandLine command = ManifestContainer.commandLine(container);
        List<Problem> problems = new ArrayList<>();
        if (command.isShell()) {
            problems.add(problem(file, "command", "is a shell's: its flags cannot be seen"));
        }
        if (command.value("config-file").isPresent()) {
            problems.add(problem(file, "--config-file", "is set: its flags cannot be seen"));
        }
        Map<String, String> files = new TreeMap<>();
        for (String flag : FLAGS) {
            Optional<String> path = command.value(flag).filter(value -> !value.isEmpty());
            if (path.isEmpty()) {
                hidden(container, flag)
                        .map(field -> problem(file, field, "may name a file in the place of --" + flag))
                        .ifPresent(problems::add);
                continue;
            }
            path.flatMap(name -> EtcdPod.onNode(pod, container, name))
                    .ifPresentOrElse(
                            name -> files.put(flag, name),
                            () -> problems.add(problem(file, "--" + flag, "names no file on a hostPath volume")));
        }
        if (!problems.isEmpty()) {
            throw new ProblemException(problems);
        }
        return new EtcdTlsFiles(files);
    }

    /** From where etcd may read a flag that is not given. */
    private static Optional<String> hidden(Container container, String flag) {
        String variable = "ETCD_" + flag.toUpperCase(Locale.ROOT).replace('-', '_');
        boolean isSet = Objects.requireNonNullElse(container.getEnv(), List.<EnvVar>of()).stream()
                .anyMatch(one -> one.getName().equals(variable));
        if (isSet) {
            return Optional.of("env: " + variable);
        }
        boolean mayBeSet =
                container.getEnvFrom() != null && !container.getEnvFrom().isEmpty();
        // One without TLS for clients has none for its peers either, as ours and kubeadm's have both.
        return mayBeSet && flag.equals(FLAGS.getFirst()) ? Optional.of("envFrom") : Optional.empty();
    }

    private static Problem problem(String file, String field, String what) {
        return new Problem(
                ErrorCode.UNSUPPORTED_CLUSTER,
                file + ": " + field,
                what,
                "the files of its certificates and keys in flags of its command, on hostPath volumes",
                "name them so; or have its certificates issued again by hand, before they end");
    }

    /** The file on the node that a flag names. */
    public Optional<String> fileOnNode(String flag) {
        return Optional.ofNullable(byFlag.get(flag));
    }
}
