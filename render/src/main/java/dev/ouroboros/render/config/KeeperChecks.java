package dev.ouroboros.render.config;

import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.render.cluster.ClusterSpec;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;

/** Checks what a document says of the keeper. */
final class KeeperChecks {
    static final String DEFAULT_SOCKET = "/run/containerd/containerd.sock";
    /** Absolute, with a directory of its own: that directory is mounted, so that a runtime that restarts is found again. */
    private static final Pattern SOCKET = Pattern.compile("(/[A-Za-z0-9._-]+){2,}");

    private static final Pattern FLAG = Pattern.compile("[a-z][a-z0-9-]*");

    /** Flags that say where the keeper is; render knows them from the rest of the document. */
    private static final Map<String, String> DECIDED = Map.of(
            "kubeconfig",
            "nothing: it is rendered",
            "node-address",
            "nothing: the kubelet tells it",
            "node-name",
            "nothing: the kubelet tells it",
            "pod-name",
            "nothing: the kubelet tells it",
            "principal-port",
            Field.API_SERVER_ENDPOINTS.path(),
            "runtime-socket",
            Field.KEEPER_RUNTIME_SOCKET.path(),
            "service-cluster-ip",
            Field.SERVICE_CIDR.path());

    private final Settings settings;
    private final List<Problem> problems;

    KeeperChecks(Settings settings, List<Problem> problems) {
        this.settings = settings;
        this.problems = problems;
    }

    Optional<ClusterSpec.Keeper> keeper() {
        boolean enabled = settings.text(Field.KEEPER_ENABLED)
                .map(value -> Boolean.parseBoolean(value.value()))
                .orElse(true);
        ClusterSpec.Keeper keeper = new ClusterSpec.Keeper(runtimeSocket(), extraArguments());
        return enabled ? Optional.of(keeper) : Optional.empty();
    }

    private String runtimeSocket() {
        Optional<Located> given = settings.text(Field.KEEPER_RUNTIME_SOCKET);
        given.filter(socket -> !SOCKET.matcher(socket.value()).matches())
                .ifPresent(socket -> problem(
                        socket,
                        "found " + socket.value(),
                        "the path of the runtime's socket, in a directory of its own, as in " + DEFAULT_SOCKET));
        return given.map(Located::value).orElse(DEFAULT_SOCKET);
    }

    private SortedMap<String, String> extraArguments() {
        SortedMap<String, String> arguments = new TreeMap<>();
        settings.map(Field.KEEPER_EXTRA_ARGS).forEach((written, value) -> {
            String flag = written.startsWith("--") ? written.substring(2) : written;
            String decided = DECIDED.get(flag);
            if (decided != null) {
                problem(value, "--" + flag + " is decided elsewhere", decided);
            } else if (!FLAG.matcher(flag).matches()) {
                problem(value, "found " + written, "a flag of ouro keeper");
            }
            if (arguments.put(flag, value.value()) != null) {
                problem(value, "--" + flag + " is there twice, with and without dashes", "each flag once");
            }
        });
        return arguments;
    }

    private void problem(Located value, String what, String expected) {
        problems.add(new Problem(ErrorCode.INVALID_CONFIG, value.where(), what, expected, ClusterDocument.EXAMPLE));
    }
}
