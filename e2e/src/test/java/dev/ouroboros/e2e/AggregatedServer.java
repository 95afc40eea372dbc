package dev.ouroboros.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.sandbox.node.NodeLayout;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * An API that another server serves through the API server: one on the node, which believes whom ConfigMap {@code extension-apiserver-authentication} names and nobody else, and reads it again when it has
 * changed, as servers made with Kubernetes' own library do.
 */
final class AggregatedServer {
    static final int PORT = 9443;
    /** In memory, where a file is exchanged without a moment in which there is none. */
    private static final String DIRECTORY = "/run/aggregated";

    private static final String API = "/apis/tried.example/v1alpha1";
    /** Keeps the file of those who are trusted as the ConfigMap has it. */
    private static final String FOLLOWING = """
            cd /run/aggregated
            while true; do
                kubectl -n kube-system get configmap extension-apiserver-authentication \\
                    -o 'jsonpath={.data.requestheader-client-ca-file}' >next 2>>log || true
                if [ -s next ] && ! cmp -s next trusted; then mv next trusted; fi
                sleep 5
            done
            """;

    private static final String OBJECTS = """
            {"apiVersion": "v1", "kind": "List", "items": [
                {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "aggregated", "namespace": "default"},
                 "spec": {"ports": [{"port": 443, "targetPort": PORT}]}},
                {"apiVersion": "v1", "kind": "Endpoints", "metadata": {"name": "aggregated", "namespace": "default"},
                 "subsets": [{"addresses": [{"ip": "ADDRESS"}], "ports": [{"port": PORT}]}]},
                {"apiVersion": "apiregistration.k8s.io/v1", "kind": "APIService",
                 "metadata": {"name": "v1alpha1.tried.example"},
                 "spec": {"group": "tried.example", "version": "v1alpha1", "insecureSkipTLSVerify": true,
                          "groupPriorityMinimum": 1000, "versionPriority": 10,
                          "service": {"name": "aggregated", "namespace": "default"}}}
            ]}
            """;

    private final OuroProgram ouro;

    AggregatedServer(OuroProgram ouro) {
        this.ouro = ouro;
    }

    /** Begins it, and waits until the API server has its answers. It ends with the node. */
    void begin() throws Exception {
        ouro.inNode("mkdir", "-p", DIRECTORY);
        String address = ouro.kubectl(
                "get", "nodes", "-o", "jsonpath={.items[0].status.addresses[?(@.type==\"InternalIP\")].address}");
        Files.writeString(file("follow"), FOLLOWING);
        Files.writeString(
                file("objects.json"), OBJECTS.replace("ADDRESS", address).replace("PORT", Integer.toString(PORT)));
        String java = asTheNodeSeesIt(Path.of(System.getProperty("java.home"), "bin", "java"));
        String classes = asTheNodeSeesIt(Path.of(AggregatedApi.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI()));
        ouro.inNode(
                "sh",
                "-ec",
                "cd " + DIRECTORY + "; openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes"
                        + " -subj /CN=aggregated -days 2 -keyout key -out cert;"
                        + " openssl pkcs12 -export -inkey key -in cert -passout pass:tried -out server.p12;"
                        + " setsid bash follow </dev/null >>log 2>&1 &"
                        + " setsid " + java + " -cp " + classes + " " + AggregatedApi.class.getName() + " " + DIRECTORY
                        + " </dev/null >>log 2>&1 &");
        ouro.inNode("kubectl", "apply", "-f", DIRECTORY + "/objects.json");
        try (AdminApi api = new AdminApi(ouro.kubeconfig())) {
            Await.until("the API server has answers of the aggregated one", () -> answers(api));
        }
        requireAvailable();
    }

    private static String asTheNodeSeesIt(Path file) {
        return NodeLayout.ofHostFile(file).toString();
    }

    /** Waits until the API server says so. */
    void requireAvailable() throws Exception {
        Await.until(
                "it is available",
                () -> ouro.kubectl(
                                "get",
                                "apiservice",
                                "v1alpha1.tried.example",
                                "-o",
                                "jsonpath={.status.conditions[?(@.type==\"Available\")].status}")
                        .equals("True"));
    }

    private Path file(String name) throws IOException {
        return ouro.nodeFile(DIRECTORY + "/" + name);
    }

    private static boolean answers(AdminApi api) throws InterruptedException {
        return api.get(API).isPresent();
    }

    /** Waits until the server believes whom one file of authorities names, and nobody else. */
    void requireBelieves(String authorities) throws Exception {
        Path trusted = file("trusted");
        Await.until(
                "the aggregated server believes those alone that the API servers trust",
                () -> Files.readString(trusted).equals(authorities));
        try (AdminApi api = new AdminApi(ouro.kubeconfig())) {
            assertThat(answers(api))
                    .as("the API server has answers of it still")
                    .isTrue();
        }
    }

    /** Asks it once a second from now on. */
    Asking ask() {
        return new Asking();
    }

    final class Asking implements AutoCloseable {
        private final AdminApi api = new AdminApi(ouro.kubeconfig());
        private final AtomicInteger asked = new AtomicInteger();
        private final Thread thread;
        private volatile boolean ended;
        private final Queue<Integer> unanswered = new ConcurrentLinkedQueue<>();

        private Asking() {
            thread = Thread.ofVirtual().start(() -> {
                try {
                    while (!ended) {
                        if (!answers(api)) {
                            unanswered.add(asked.get());
                        }
                        asked.incrementAndGet();
                        Thread.sleep(Duration.ofSeconds(1));
                    }
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });
        }

        void requireNoFailure() {
            assertThat(unanswered)
                    .as("questions that were not answered, of %s", asked)
                    .isEmpty();
            assertThat(asked.get()).isGreaterThan(60);
        }

        @Override
        public void close() {
            ended = true;
            try {
                thread.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            api.close();
        }
    }
}
