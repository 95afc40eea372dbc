package dev.ouroboros.bench;

import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.process.LocalProcesses;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

/** What our DNS server weighs, before and after it knows many Services. */
@CommandLine.Command(
        name = "dns",
        sortOptions = false,
        description = {
            "Weighs the DNS server of a sandbox that is up, then gives the cluster many Services and weighs it again.",
            "",
            "The Services are headless, as their endpoints have names of their own: the heaviest kind. They are removed again. "
                    + "Then the server's pod is started anew while they are there: it lists them all at once. Resident memory is Rss "
                    + "of /proc/PID/smaps_rollup, with pages of files."
        },
        footerHeading = "%nExample:%n",
        footer = "  ./ouro up --name weigh && bench/run dns --name weigh --services 1000 --endpoints 10")
final class DnsWeight implements Callable<Integer> {
    private static final String MAIN = "dev.ouroboros.dns.DnsMain";
    private static final String NAMESPACE = "bench-dns";
    private static final String FILE = "tmp/bench-dns.json";
    private static final Duration LIMIT = Duration.ofMinutes(5);
    private static final Duration PAUSE = Duration.ofSeconds(1);
    private static final double KIBIBYTES_A_MEBIBYTE = 1024;

    @ParentCommand
    @SuppressWarnings("NullAway.Init") // picocli sets it before call().
    private Bench bench;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before call().
    private CommandSpec spec;

    @Option(names = "--name", required = true, paramLabel = "SANDBOX", description = "of the sandbox")
    private String sandbox = "";

    @Option(names = "--services", paramLabel = "N", defaultValue = "1000", description = "default: ${DEFAULT-VALUE}")
    private int services;

    @Option(
            names = "--endpoints",
            paramLabel = "N",
            defaultValue = "10",
            description = "of each Service, at most 100; default: ${DEFAULT-VALUE}")
    private int endpoints;

    private DnsWeight() {}

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (services < 1 || endpoints < 1 || endpoints > 100) {
            throw new CommandLine.ParameterException(
                    spec.commandLine(), "--services: at least 1; --endpoints: 1 to 100");
        }
        SandboxOuro ouro = new SandboxOuro(bench.checkout(), sandbox, new LocalProcesses());
        PrintWriter out = spec.commandLine().getOut();
        out.println("| when | resident (Rss) | Pss | anonymous | most ever resident |");
        out.println("|--|--|--|--|--|");
        print(out, "as it was", weigh(ouro));
        ouro.kubectl("create", "namespace", NAMESPACE);
        try {
            int before = known(ouro);
            Files.writeString(ouro.root().resolve(FILE), objects(ouro));
            ouro.inNode("kubectl", "create", "--filename=/" + FILE);
            awaitKnown(ouro, before + services);
            print(out, services + " Services with " + endpoints + " endpoints each", weigh(ouro));
            ouro.kubectl("rollout", "restart", "deployment/ouroboros-dns");
            ouro.kubectl("rollout", "status", "deployment/ouroboros-dns", "--timeout=" + LIMIT.toSeconds() + "s");
            awaitKnown(ouro, before + services);
            print(out, "the same, started anew", weigh(ouro));
        } finally {
            Files.deleteIfExists(ouro.root().resolve(FILE));
            ouro.kubectl("delete", "namespace", NAMESPACE);
        }
        return 0;
    }

    private static void awaitKnown(SandboxOuro ouro, int wanted) throws IOException, InterruptedException {
        long limit = System.nanoTime() + LIMIT.toNanos();
        while (servers(ouro).size() != 1 || known(ouro) < wanted) {
            if (System.nanoTime() > limit) {
                throw ProblemException.of(
                        ErrorCode.TIMEOUT,
                        "sandbox " + ouro.sandbox(),
                        "its DNS server does not know all Services after " + LIMIT.toMinutes() + " min",
                        wanted + " Services",
                        "kubectl -n kube-system logs -l k8s-app=kube-dns");
            }
            Thread.sleep(PAUSE);
        }
    }

    private static List<ProcessSample> servers(SandboxOuro ouro) throws IOException {
        return ProcessSample.all(ouro.root().resolve("proc")).stream()
                .filter(sample -> sample.commandLine().contains(MAIN))
                .toList();
    }

    private static ProcessMemory weigh(SandboxOuro ouro) throws IOException {
        List<ProcessSample> found = servers(ouro);
        if (found.size() != 1) {
            throw ProblemException.of(
                    ErrorCode.NOT_FOUND,
                    "sandbox " + ouro.sandbox(),
                    "has " + found.size() + " DNS servers of ours",
                    "one",
                    "ouro up with spec.dns.provider: ouroboros, and one replica");
        }
        return ProcessMemory.read(ouro.root()
                .resolve("proc")
                .resolve(Long.toString(found.getFirst().pid())));
    }

    /** How many Services the server says that it knows. */
    private static int known(SandboxOuro ouro) {
        String address = ouro.get("pods", "--selector=k8s-app=kube-dns", "--field-selector=status.phase=Running")
                .path("items")
                .path(0)
                .path("status")
                .path("podIP")
                .asText();
        return ouro.inNode("sh", "-c", "curl -sS http://" + address + ":8053/metrics || true")
                .lines()
                .filter(line -> line.startsWith("ouroboros_dns_services "))
                .mapToInt(line -> (int) Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
                .findFirst()
                .orElse(0);
    }

    private String objects(SandboxOuro ouro) {
        String version = ouro.kubectl("api-versions").lines().anyMatch("discovery.k8s.io/v1"::equals)
                ? "discovery.k8s.io/v1"
                : "discovery.k8s.io/v1beta1";
        return IntStream.range(0, services)
                .boxed()
                .flatMap(number -> List.of(service(number), slice(number, version)).stream())
                .collect(Collectors.joining(",", "{\"apiVersion\": \"v1\", \"kind\": \"List\", \"items\": [", "]}"));
    }

    private static String service(int number) {
        return """
                {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "shop-%d", "namespace": "%s"},
                 "spec": {"clusterIP": "None", "ports": [{"name": "http", "port": 80, "targetPort": 8080}]}}
                """.formatted(number, NAMESPACE);
    }

    private String slice(int number, String version) {
        String each = IntStream.range(0, endpoints)
                .mapToObj(endpoint -> """
                        {"addresses": ["10.%d.%d.%d"], "conditions": {"ready": true}, "hostname": "shop-%d"}
                        """.formatted(128 + number / 256, number % 256, endpoint + 1, endpoint))
                .collect(Collectors.joining(","));
        return """
                {"apiVersion": "%s", "kind": "EndpointSlice",
                 "metadata": {"name": "shop-%d", "namespace": "%s", "labels": {"kubernetes.io/service-name": "shop-%d"}},
                 "addressType": "IPv4", "ports": [{"name": "http", "port": 8080, "protocol": "TCP"}],
                 "endpoints": [%s]}
                """.formatted(version, number, NAMESPACE, number, each);
    }

    private static void print(PrintWriter out, String when, ProcessMemory memory) {
        out.println(String.format(
                Locale.ROOT,
                "| %s | %.1f MiB | %.1f MiB | %.1f MiB | %.1f MiB |",
                when,
                memory.resident() / KIBIBYTES_A_MEBIBYTE,
                memory.proportional() / KIBIBYTES_A_MEBIBYTE,
                memory.anonymous() / KIBIBYTES_A_MEBIBYTE,
                memory.peak() / KIBIBYTES_A_MEBIBYTE));
        out.flush();
    }
}
