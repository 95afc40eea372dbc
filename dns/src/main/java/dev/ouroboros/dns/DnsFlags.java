package dev.ouroboros.dns;

import dev.ouroboros.api.ServiceAccountSource;
import dev.ouroboros.core.net.Cidr;
import dev.ouroboros.core.problem.ErrorCode;
import dev.ouroboros.core.problem.Problem;
import dev.ouroboros.core.problem.ProblemException;
import java.net.InetAddress;
import java.net.URI;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.logging.Level;
import java.util.regex.Pattern;

/** Reads the server's flags, all as {@code --name=value}. What is wrong with any of them is said at once. */
public final class DnsFlags {
    /** What {@code --help} prints. */
    public static final String USAGE = """
            Usage: dns --cluster-cidrs=CIDR[,CIDR] --cluster-dns=IP[,IP] [FLAGS]

            Answers for the names of a cluster's Services and pods, and asks the node's resolvers for all others.

              --cluster-cidrs=CIDR[,CIDR]  of pods and Services: reverse lookups in them are the cluster's
              --cluster-dns=IP[,IP]        of the Service that this serves: nothing is forwarded to it
              --cluster-domain=NAME        of Services (cluster.local)
              --endpoint-slices=VERSION    group and version of EndpointSlices (discovery.k8s.io/v1)
              --server=URL                 of the API (that of the kubernetes Service, as the kubelet tells every pod)
              --credentials=DIR            with token and ca.crt (/var/run/secrets/kubernetes.io/serviceaccount)
              --resolv-conf=FILE           with the node's resolvers (/etc/resolv.conf)
              --port=PORT                  for queries over UDP and TCP (1053)
              --health-port=PORT           for probes and metrics (8053)
              --ttl=SECONDS                of the cluster's records (5)
              --log-level=LEVEL            debug, info, warn or error (info)

            Example: dns --cluster-cidrs=10.2.0.0/16,10.3.0.0/24 --cluster-dns=10.3.0.10
            """;

    private static final Pattern DOMAIN =
            Pattern.compile("[a-z0-9]([a-z0-9-]*[a-z0-9])?(\\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*");
    private static final Pattern VERSION = Pattern.compile("[a-z0-9.]+/v[a-z0-9]+");
    private static final int LARGEST_PORT = 65_535;
    private static final int LONGEST_TTL = 3600;

    private final Map<String, String> given = new LinkedHashMap<>();
    private final Map<String, String> environment;
    private final List<Problem> problems = new ArrayList<>();

    private DnsFlags(Map<String, String> environment) {
        this.environment = environment;
    }

    /**
     * Reads them.
     *
     * @param environment in which the kubelet tells where the API is
     * @throws ProblemException with everything that is wrong
     */
    public static DnsOptions parse(List<String> arguments, Map<String, String> environment) {
        return new DnsFlags(environment).read(arguments);
    }

    private DnsOptions read(List<String> arguments) {
        for (String argument : arguments) {
            int equals = argument.indexOf('=');
            if (!argument.startsWith("--") || equals < 0) {
                problem(argument, "is not understood", "--name=value");
            } else if (given.put(argument.substring(2, equals), argument.substring(equals + 1)) != null) {
                problem(argument, "is given twice", "");
            }
        }
        List<Cidr> blocks = list("cluster-cidrs", "blocks as 10.2.0.0/16,10.3.0.0/24", DnsFlags::block);
        List<InetAddress> ours = list("cluster-dns", "addresses as 10.3.0.10", Cidr::address);
        String domain = text("cluster-domain", "cluster.local", DOMAIN);
        String slices = text("endpoint-slices", "discovery.k8s.io/v1", VERSION);
        URI server = server();
        Path credentials = path("credentials", ServiceAccountSource.DIRECTORY.toString());
        Path resolvConf = path("resolv-conf", "/etc/resolv.conf");
        int port = number("port", 1053, 1, LARGEST_PORT);
        int healthPort = number("health-port", 8053, 1, LARGEST_PORT);
        int ttl = number("ttl", 5, 0, LONGEST_TTL);
        Level level = level();
        given.keySet().forEach(name -> problem("--" + name, "is not known", "a flag that --help lists"));
        if (!problems.isEmpty()) {
            throw new ProblemException(problems);
        }
        return new DnsOptions(
                domain, blocks, ours, slices, server, credentials, resolvConf, port, healthPort, ttl, level);
    }

    private void problem(String flag, String what, String expected) {
        problems.add(
                new Problem(
                        ErrorCode.INVALID_FLAG,
                        flag,
                        what,
                        expected,
                        "the flags of a running server are in its Deployment, kube-system/ouroboros-dns; --help lists all of them"));
    }

    private Optional<String> optional(String name) {
        return Optional.ofNullable(given.remove(name)).filter(value -> !value.isEmpty());
    }

    private static Optional<Cidr> block(String text) {
        try {
            return Optional.of(Cidr.parse(text));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    private <T> List<T> list(String name, String expected, Function<String, Optional<T>> parser) {
        List<T> values = new ArrayList<>();
        Optional<String> value = optional(name);
        if (value.isEmpty()) {
            problem("--" + name, "is not set", expected);
            return values;
        }
        for (String text : value.get().split(",", -1)) {
            Optional<T> parsed = parser.apply(text);
            if (parsed.isEmpty()) {
                problem("--" + name, "found \"" + text + "\"", expected);
            }
            parsed.ifPresent(values::add);
        }
        return values;
    }

    private String text(String name, String fallback, Pattern syntax) {
        String value = optional(name).orElse(fallback);
        if (!syntax.matcher(value).matches()) {
            problem("--" + name, "found \"" + value + "\"", "as " + fallback);
        }
        return value;
    }

    private URI server() {
        Optional<String> value = optional("server").or(this::serverOfPod);
        try {
            URI server = URI.create(value.orElse(""));
            if ("https".equals(server.getScheme()) && server.getHost() != null) {
                return server;
            }
        } catch (IllegalArgumentException e) {
            problem("--server", "found \"" + value.orElse("") + "\": " + e.getMessage(), "an https URL");
            return URI.create("");
        }
        problem("--server", "found \"" + value.orElse("") + "\"", "an https URL; in a pod the kubelet tells it");
        return URI.create("");
    }

    private Optional<String> serverOfPod() {
        String host = environment.getOrDefault("KUBERNETES_SERVICE_HOST", "");
        String port = environment.getOrDefault("KUBERNETES_SERVICE_PORT", "443");
        return host.isEmpty()
                ? Optional.empty()
                : Optional.of("https://" + (host.contains(":") ? "[" + host + "]" : host) + ":" + port);
    }

    private Path path(String name, String fallback) {
        String value = optional(name).orElse(fallback);
        try {
            return Path.of(value);
        } catch (InvalidPathException e) {
            problem("--" + name, "\"" + value + "\" is no path", "");
            return Path.of("");
        }
    }

    private int number(String name, int fallback, int least, int most) {
        Optional<String> value = optional(name);
        if (value.isEmpty()) {
            return fallback;
        }
        if (value.get().matches("\\d{1,5}")) {
            int number = Integer.parseInt(value.get());
            if (number >= least && number <= most) {
                return number;
            }
        }
        problem("--" + name, "found \"" + value.get() + "\"", least + " to " + most);
        return fallback;
    }

    private Level level() {
        String value = optional("log-level").orElse("info");
        return switch (value) {
            case "debug" -> Level.FINE;
            case "info" -> Level.INFO;
            case "warn" -> Level.WARNING;
            case "error" -> Level.SEVERE;
            default -> {
                problem("--log-level", "\"" + value + "\" is no level", "debug, info, warn or error");
                yield Level.INFO;
            }
        };
    }
}
