package dev.ouroboros.images.binary;

import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.Processes;
import dev.ouroboros.node.process.Result;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Asks binaries for their version by running them. */
public final class VersionReader {
    private static final Duration TIMEOUT = Duration.ofSeconds(20);

    /** {@code Kubernetes v1.20.2}, {@code Client Version: v1.36.2}, {@code GitVersion:"v1.20.2"}, {@code etcd Version: 3.4.23}. */
    private static final Pattern VERSION = Pattern.compile(
            "(?:Kubernetes |Client Version: |GitVersion:\"|etcd Version: |etcdctl version: |etcdutl version: )v?(\\d+\\.\\d+\\.\\d+[-+0-9A-Za-z.]*)");

    private final Processes processes;

    public VersionReader(Processes processes) {
        this.processes = processes;
    }

    /**
     * The version without a leading {@code v}.
     *
     * @throws ProblemException PROCESS_FAILED when the binary does not run or says something else
     */
    public String read(Binary binary, Path file) {
        Result result = processes.run(Command.of(arguments(binary, file)).withTimeout(TIMEOUT));
        Matcher version = VERSION.matcher(result.output());
        if (!result.succeeded() || !version.find()) {
            throw ProblemException.of(
                    ErrorCode.PROCESS_FAILED,
                    result.command(),
                    "exit code " + result.exitCode() + ", printed '" + firstLine(result) + "'",
                    "a version of " + binary.fileName(),
                    "run it by hand to see what it says; another file of this name may be in its place");
        }
        return version.group(1);
    }

    private static List<String> arguments(Binary binary, Path file) {
        return switch (binary) {
            case KUBECTL -> List.of(file.toString(), "version", "--client");
            case ETCDCTL, ETCDUTL -> List.of(file.toString(), "version");
            case PAUSE -> throw new IllegalArgumentException("pause has no version to speak of");
            case KUBE_APISERVER, KUBE_CONTROLLER_MANAGER, KUBE_SCHEDULER, KUBELET, KUBE_PROXY, ETCD ->
                List.of(file.toString(), "--version");
        };
    }

    private static String firstLine(Result result) {
        return (result.output() + result.error()).lines().findFirst().orElse("");
    }
}
