package dev.ouroboros.keeper;

import dev.ouroboros.core.asset.AssetLayout;
import dev.ouroboros.core.asset.StateLayout;
import dev.ouroboros.core.component.Component;
import dev.ouroboros.core.front.FrontSpec;
import dev.ouroboros.core.front.ServiceAddress;
import dev.ouroboros.core.keeper.KeeperSettings;
import dev.ouroboros.core.problem.ErrorCode;
import dev.ouroboros.core.problem.Problem;
import dev.ouroboros.core.problem.ProblemException;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.logging.Level;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads the flags of the daemon, all as {@code --name=value}. What is wrong with any of them is said at once. */
public final class KeeperFlags {
    /** What {@code --help} prints. */
    public static final String USAGE = """
            Usage: ouro keeper --node-name=NAME --node-address=IP --service-cluster-ip=IP --kubeconfig=FILE [FLAGS]

            Keeps the control plane of this node: checkpoints its components, starts an understudy when one fails.

              --node-name=NAME            of this machine's Node
              --node-address=IP[,IP]      at which clients reach this node's API server
              --service-cluster-ip=IP[,IP]  of the kubernetes Service
              --kubeconfig=FILE           the keeper's own, written as JSON
              --principal-port=PORT       of the API server (6443)
              --pod-name=NAME             of the pod this runs in; tells the static copy from the DaemonSet's pod
              --runtime-socket=FILE       of the container runtime (/run/containerd/containerd.sock)
              --manifest-directory=DIR    of the kubelet (/etc/kubernetes/manifests)
              --state-directory=DIR       (/var/lib/ouroboros)
              --bootstrap-secrets=DIR     where 'ouro start' copies keys to
              --pod-logs=DIR              of the kubelet (/var/log/pods)
              --health-port=PORT          for probes and metrics, on 127.0.0.1 (26445)
              --failover=TIME             how long a principal must have failed (3s)
              --patience=TIME             how long a pod that is not ready is waited for (10s)
              --steady=TIME               how long a principal must be back (5s)
              --drain=TIME                how long an understudy goes on after clients moved (2s)
              --soak=TIME                 how long a pod must be healthy to be the last good one (60s)
              --prove=TIME                how long a candidate must answer every question well (10s)
              --candidate-deadline=TIME   how long a candidate, and then its principal, may take for that (5m)
              --retire-grace=TIME         before checkpoints of what does not belong here go (5m)
              --pivot-grace=TIME          before an abandoned start is finished (30s)
              --lease=TIME                how long the front leads to an understudy without a keeper (5m)
              --cut=TIME                  how long a principal that hangs is cut off without a keeper (20s)
              --log-level=LEVEL           debug, info, warn or error (info)

            Example: ouro keeper --node-name=node-1 --node-address=192.0.2.10 --service-cluster-ip=10.3.0.1 \\
                --kubeconfig=/etc/kubernetes/secrets/kubeconfig
            """;

    private static final Pattern TIME = Pattern.compile("(\\d{1,6})(ms|s|m|h)");
    private static final int LARGEST_PORT = 65535;

    private final Map<String, String> given = new LinkedHashMap<>();
    private final List<Problem> problems = new ArrayList<>();

    private KeeperFlags() {}

    /** @throws ProblemException with everything that is wrong */
    public static KeeperOptions parse(List<String> arguments) {
        return new KeeperFlags().read(arguments);
    }

    private KeeperOptions read(List<String> arguments) {
        for (String argument : arguments) {
            int equals = argument.indexOf('=');
            if (!argument.startsWith("--") || equals < 0) {
                problem(argument, "is not understood", "--name=value");
            } else if (given.put(argument.substring(2, equals), argument.substring(equals + 1)) != null) {
                problem(argument, "is given twice", "");
            }
        }
        KeeperSettings defaults = KeeperSettings.DEFAULT;
        String nodeName = required("node-name");
        List<InetAddress> addresses = addresses("node-address");
        List<InetAddress> services = addresses("service-cluster-ip");
        int principalPort = port("principal-port", Component.API_SERVER.port());
        Optional<FrontSpec> front = front(principalPort, addresses, services);
        Path kubeconfig = path("kubeconfig", "");
        Path runtimeSocket = path("runtime-socket", "/run/containerd/containerd.sock");
        Path manifests = path("manifest-directory", "/etc/kubernetes/manifests");
        Path state = path("state-directory", StateLayout.DIRECTORY);
        Path secrets = path("bootstrap-secrets", AssetLayout.BOOTSTRAP_SECRETS_DIRECTORY);
        Path podLogs = path("pod-logs", "/var/log/pods");
        int healthPort = port("health-port", Component.KEEPER.port());
        KeeperSettings settings = new KeeperSettings(
                time("failover", defaults.failover()),
                time("patience", defaults.patience()),
                time("steady", defaults.steady()),
                time("drain", defaults.drain()),
                time("soak", defaults.soak()),
                time("prove", defaults.prove()),
                time("candidate-deadline", defaults.candidateDeadline()),
                time("retire-grace", defaults.retireGrace()),
                time("pivot-grace", defaults.pivotGrace()),
                time("lease", defaults.lease()),
                time("cut", defaults.cut()));
        Level level = level();
        Optional<String> podName = optional("pod-name");
        given.keySet().forEach(name -> problem("--" + name, "is not known", "a flag that --help lists"));
        if (!problems.isEmpty() || front.isEmpty()) {
            throw new ProblemException(problems);
        }
        return new KeeperOptions(
                nodeName,
                podName,
                addresses.getFirst().getHostAddress(),
                url(addresses.getFirst(), principalPort),
                front.get(),
                kubeconfig,
                runtimeSocket,
                manifests,
                state,
                secrets,
                podLogs,
                healthPort,
                settings,
                level);
    }

    private void problem(String flag, String what, String expected) {
        problems.add(
                new Problem(
                        ErrorCode.INVALID_FLAG,
                        flag,
                        what,
                        expected,
                        "ouro keeper --help has every flag; those of a running keeper are in its DaemonSet, kube-system/ouroboros-keeper"));
    }

    private Optional<String> optional(String name) {
        return Optional.ofNullable(given.remove(name)).filter(value -> !value.isEmpty());
    }

    private String required(String name) {
        Optional<String> value = optional(name);
        if (value.isEmpty()) {
            problem("--" + name, "is not set", "");
        }
        return value.orElse("");
    }

    private List<InetAddress> addresses(String name) {
        List<InetAddress> found = new ArrayList<>();
        String value = required(name);
        for (String text : value.split(",", -1)) {
            if (value.isEmpty()) {
                break;
            }
            // Only what is an address already: a name would be looked up, and there may be no DNS to ask.
            if (!text.matches("[0-9.]+|[0-9a-fA-F:.]*:[0-9a-fA-F:.]*")) {
                problem("--" + name, "\"" + text + "\" is no IP address", "as 192.0.2.10 or 2001:db8::10");
                continue;
            }
            try {
                found.add(InetAddress.getByName(text));
            } catch (UnknownHostException e) {
                problem("--" + name, "\"" + text + "\" is no IP address", "as 192.0.2.10 or 2001:db8::10");
            }
        }
        return found;
    }

    private Optional<FrontSpec> front(int port, List<InetAddress> addresses, List<InetAddress> services) {
        if (addresses.isEmpty() || services.isEmpty()) {
            return Optional.empty();
        }
        try {
            return Optional.of(new FrontSpec(
                    port,
                    Component.API_SERVER.understudyPort(),
                    addresses,
                    services.stream().map(ServiceAddress::ofKubernetes).toList()));
        } catch (IllegalArgumentException e) {
            problem("--node-address, --service-cluster-ip", String.valueOf(e.getMessage()), "");
            return Optional.empty();
        }
    }

    private Path path(String name, String fallback) {
        String value = fallback.isEmpty() ? required(name) : optional(name).orElse(fallback);
        try {
            return Path.of(value);
        } catch (InvalidPathException e) {
            problem("--" + name, "\"" + value + "\" is no path", "");
            return Path.of("");
        }
    }

    private int port(String name, int fallback) {
        Optional<String> value = optional(name);
        if (value.isEmpty()) {
            return fallback;
        }
        if (value.get().matches("\\d{1,5}")) {
            int port = Integer.parseInt(value.get());
            if (port > 0 && port <= LARGEST_PORT) {
                return port;
            }
        }
        problem("--" + name, "\"" + value.get() + "\" is no port", "1 to " + LARGEST_PORT);
        return fallback;
    }

    private Duration time(String name, Duration fallback) {
        Optional<String> value = optional(name);
        if (value.isEmpty()) {
            return fallback;
        }
        Matcher matcher = TIME.matcher(value.get());
        if (!matcher.matches()) {
            problem("--" + name, "\"" + value.get() + "\" is no time", "as 500ms, 3s, 5m or 1h");
            return fallback;
        }
        long amount = Long.parseLong(matcher.group(1));
        Duration time = switch (matcher.group(2)) {
            case "ms" -> Duration.ofMillis(amount);
            case "s" -> Duration.ofSeconds(amount);
            case "m" -> Duration.ofMinutes(amount);
            default -> Duration.ofHours(amount);
        };
        boolean ofTheFront = name.equals("lease") || name.equals("cut");
        if (time.isZero() || (ofTheFront && time.compareTo(Duration.ofSeconds(1)) < 0)) {
            problem("--" + name, "\"" + value.get() + "\" is too short", ofTheFront ? "1s at least" : "");
        }
        return time;
    }

    private Level level() {
        Optional<String> value = optional("log-level");
        return switch (value.orElse("info")) {
            case "debug" -> Level.FINE;
            case "info" -> Level.INFO;
            case "warn" -> Level.WARNING;
            case "error" -> Level.SEVERE;
            default -> {
                problem("--log-level", "\"" + value.orElse("") + "\" is no level", "debug, info, warn or error");
                yield Level.INFO;
            }
        };
    }

    private static URI url(InetAddress address, int port) {
        String host = address.getHostAddress();
        return URI.create("https://" + (host.contains(":") ? "[" + host + "]" : host) + ":" + port);
    }
}
