package dev.ouroboros.upgrade.apply;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import dev.ouroboros.cluster.ClusterClient;
import dev.ouroboros.endpoint.Endpoint;
import dev.ouroboros.endpoint.testing.TestAuthority;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.json.JsonText;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.testing.Refusal;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.disk.LocalDisk;
import dev.ouroboros.node.procedure.Patience;
import dev.ouroboros.node.procedure.ProcedureListener;
import dev.ouroboros.node.testing.SilentListener;
import dev.ouroboros.upgrade.decide.ObjectName;
import dev.ouroboros.upgrade.decide.UpgradeMilestone;
import dev.ouroboros.upgrade.merge.Preference;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is said when an upgrade cannot go on, or an API server answers otherwise than it should. */
final class UpgradeTroubleTest {
    private static final InstantSource CLOCK = InstantSource.fixed(Instant.parse("2026-11-21T12:00:00Z"));
    private static final ObjectName SCHEDULER = new ObjectName("apps", "Deployment", "kube-system", "kube-scheduler");

    @TempDir
    private Path assets = Path.of("");

    @Test
    void anUpgradeThatWasInterruptedEarlyWantsItsTargetAgain() throws Exception {
        Files.createDirectories(assets.resolve(".ouroboros/upgrade/a/0"));
        Files.writeString(assets.resolve(".ouroboros/upgrade.json"), """
                {"format": 1, "id": "a", "direction": "forward", "from": "1", "to": "2",
                 "begun": "2026-11-21T11:00:00Z", "preferences": ["live"], "chosen": false, "done": ["saved"]}
                """);

        Refusal.of(() -> upgrade(new ModelCluster(new Random(0)), Optional.empty()), ErrorCode.BAD_USAGE)
                .where("TARGET")
                .what("the upgrade of 2026-11-21T11:00:00Z was interrupted before its target was written down")
                .nextContains("run ouro upgrade apply with the same arguments as then");
    }

    @Test
    void aComponentThatDoesNotProgressEndsTheUpgradeThere() throws Exception {
        ModelCluster cluster = new ModelCluster(new Random(0));
        Files.createDirectory(assets.resolve("manifests"));
        Files.writeString(assets.resolve("manifests/kube-scheduler.yaml"), scheduler("1"));
        cluster.end(
                JsonText.read(scheduler("1")),
                (Json.Fields)
                        JsonText.read(
                                "{\"conditions\": [{\"type\": \"Progressing\", \"status\": \"False\", \"message\": \"no pod starts\"}]}"));

        Refusal.of(
                        () -> upgrade(
                                cluster,
                                Optional.of(
                                        NamedManifests.of(Map.of("manifests/kube-scheduler.yaml", scheduler("2"))))),
                        ErrorCode.COMPONENT_FAILED)
                .where(SCHEDULER)
                .what("no pod starts")
                .nextContains("go back with 'ouro upgrade rollback'");
    }

    /** Kubernetes replaces none of the others where as many are unavailable as may be. */
    @Test
    void aWorkerThatIsOffHoldsUpNoOther() throws Exception {
        ModelCluster cluster = new ModelCluster(new Random(0));
        Files.createDirectory(assets.resolve("manifests"));
        Files.writeString(assets.resolve("manifests/kube-proxy.yaml"), proxy("1"));
        cluster.end(JsonText.read(proxy("1")), (Json.Fields)
                JsonText.read("{\"desiredNumberScheduled\": 3, \"numberReady\": 2, \"numberAvailable\": 2}"));
        cluster.machines = List.of(named("n1", true), named("n2", true), named("off", false));
        pod(cluster, "n1", 1, true);
        pod(cluster, "n2", 1, true);
        // Where the Node was deleted and made anew meanwhile it has the next template already.
        pod(cluster, "off", 2, false);
        List<String> madeAnew = new ArrayList<>();
        cluster.deleted = gone -> {
            String node = gone.at("spec", "nodeName").text().orElseThrow();
            madeAnew.add(node);
            pod(cluster, node, 2, true);
        };
        List<String> told = new ArrayList<>();

        AssetDirectoryTasks tasks = new AssetDirectoryTasks(
                new LocalDisk(),
                assets,
                new UpgradeJournalFile(new LocalDisk(), assets),
                new AssetDirectoryTasks.OutsideTasks(
                        _ -> new UpgradeJournal.Snapshot("/backup/a.db", 7, CLOCK.instant()),
                        (_, _) -> {},
                        _ -> {},
                        () -> new LocalDisk()
                                .write(
                                        assets.resolve("manifests/kube-proxy.yaml"),
                                        proxy("2").getBytes(StandardCharsets.UTF_8),
                                        Disk.OWNER_ONLY_FILE),
                        Optional.empty(),
                        _ -> Optional.empty()));

        upgrade(
                cluster,
                Optional.of(NamedManifests.of(Map.of("manifests/kube-proxy.yaml", proxy("2")))),
                tasks,
                new ProcedureListener() {
                    @Override
                    public void did(String what) {
                        told.add(what);
                    }

                    @Override
                    public void waits(String why, Duration since) {}
                });

        assertThat(madeAnew).containsExactly("n1", "n2");
        assertThat(told).contains("away: node off; what runs there becomes the target's when it is back");
    }

    private static String proxy(String level) {
        return """
                {"apiVersion": "apps/v1", "kind": "DaemonSet", "metadata": {"name": "kube-proxy", "namespace": "kube-system"},
                 "spec": {"updateStrategy": {"type": "RollingUpdate"},
                   "template": {"spec": {"containers": [{"name": "main", "command": ["kube-proxy", "--level=%s"]}]}}}}
                """.formatted(level);
    }

    private static Json.Fields ready(boolean isReady) {
        return Json.object()
                .with(
                        "conditions",
                        Json.items(Stream.of(Json.object()
                                .with("type", Json.text("Ready"))
                                .with("status", Json.text(isReady ? "True" : "Unknown")))));
    }

    private static Json named(String node, boolean isReady) {
        return Json.object()
                .with("metadata", Json.object().with("name", Json.text(node)))
                .with("status", ready(isReady));
    }

    private static void pod(ModelCluster cluster, String node, int generation, boolean isReady) {
        Json.Fields metadata = Json.object()
                .with("name", Json.text("proxy-" + node))
                .with("namespace", Json.text("kube-system"))
                .with(
                        "labels",
                        Json.object()
                                .with("controller-revision-hash", Json.text("h" + generation))
                                .with("pod-template-generation", Json.text(Integer.toString(generation))))
                .with(
                        "ownerReferences",
                        Json.items(Stream.of(Json.object()
                                .with(
                                        "uid",
                                        Json.text(new ObjectName("apps", "DaemonSet", "kube-system", "kube-proxy")
                                                .toString())))));
        cluster.end(
                Json.object()
                        .with("apiVersion", Json.text("v1"))
                        .with("kind", Json.text("Pod"))
                        .with("metadata", metadata)
                        .with("spec", Json.object().with("nodeName", Json.text(node))),
                ready(isReady));
    }

    /** YAML has JSON in it. */
    private static String scheduler(String level) {
        return """
                {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "kube-scheduler", "namespace": "kube-system"},
                 "spec": {"template": {"spec": {"containers": [{"name": "main", "command": ["kube-scheduler", "--level=%s"]}]}}}}
                """.formatted(level);
    }

    private void upgrade(ModelCluster cluster, Optional<NamedManifests> manifests) {
        upgrade(cluster, manifests, new NothingElse(), new SilentListener());
    }

    private void upgrade(
            ModelCluster cluster, Optional<NamedManifests> manifests, UpgradeTasks tasks, ProcedureListener listener) {
        UpgradeJournalFile journalFile = new UpgradeJournalFile(new LocalDisk(), assets);
        Patience patience = new Patience(listener, Duration.ofHours(1), Duration.ZERO, CLOCK);
        new Upgrade(journalFile, cluster, listener, patience, CLOCK)
                .apply(
                        new Upgrade.Request(manifests, manifests.isPresent(), "1", "2", Optional.empty(), List.of()),
                        tasks);
    }

    @Test
    void aKindThatTheServerDoesNotKnowIsNamed() throws Exception {
        Json widget = JsonText.read(
                "{\"apiVersion\": \"example.com/v1\", \"kind\": \"Widget\", \"metadata\": {\"name\": \"a\"}}");

        try (Server server = new Server(404, Map.of("/apis/example.com/v1", "{\"resources\": []}"))) {
            Refusal.of(() -> server.api().create(widget), ErrorCode.API_UNAVAILABLE)
                    .where("the kind Widget of example.com/v1")
                    .what("the server does not know it")
                    .nextContains("kubectl api-resources shows what the server knows");
        }
    }

    @Test
    void whatChangesUnderAPreviewIsAskedForAgain() throws Exception {
        try (Server server = new Server(409, Server.CORE)) {
            Refusal.of(() -> server.api().preview(configMap()), ErrorCode.API_UNAVAILABLE)
                    .where("/api/v1/namespaces/web/configmaps/a")
                    .what("was changed by somebody else just now")
                    .nextContains("run the same command again");
        }
    }

    @Test
    void anObjectWhoseNamespaceIsGoneSaysSo() throws Exception {
        ObjectName name = ObjectName.of(configMap());
        NamedManifests target = NamedManifests.of(Map.of());

        try (Server server = new Server(404, Server.CORE)) {
            Chain chain = new Chain(List.of(new Hop(target, Preference.LIVE)), target, false, server.api());
            Chain.Plan plan = new Chain.Plan(name, Json.absent(), configMap(), List.of(), List.of());

            Refusal.of(() -> chain.write(plan), ErrorCode.API_UNAVAILABLE)
                    .where(name)
                    .what("its namespace is not there")
                    .nextContains("create it: kubectl create namespace web");
        }
    }

    private static Json configMap() {
        try {
            return JsonText.read(
                    "{\"apiVersion\": \"v1\", \"kind\": \"ConfigMap\", \"metadata\": {\"name\": \"a\", \"namespace\": \"web\"}}");
        } catch (JsonText.MalformedJson e) {
            throw new AssertionError(e);
        }
    }

    /** An API server that knows what it was given, and answers all else, and every write, with one status. */
    private static final class Server implements AutoCloseable {
        static final Map<String, String> CORE = Map.of(
                "/api/v1",
                "{\"resources\": [{\"kind\": \"ConfigMap\", \"name\": \"configmaps\", \"namespaced\": true}]}");

        private final HttpsServer server;
        private final ClusterClient client;

        Server(int status, Map<String, String> answers) throws Exception {
            TestAuthority authority = new TestAuthority();
            server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
            server.setHttpsConfigurator(new HttpsConfigurator(authority.serverContext()));
            server.createContext("/", exchange -> {
                String known = exchange.getRequestMethod().equals("GET")
                        ? answers.get(exchange.getRequestURI().getPath())
                        : null;
                byte[] body = (known == null
                                ? "{\"kind\": \"Status\", \"apiVersion\": \"v1\", \"status\": \"Failure\", \"code\": %d}"
                                        .formatted(status)
                                : known)
                        .getBytes(StandardCharsets.UTF_8);
                exchange.getResponseHeaders().add("Content-Type", "application/json");
                exchange.sendResponseHeaders(known == null ? status : 200, body.length);
                exchange.getResponseBody().write(body);
                exchange.close();
            });
            server.start();
            client = ClusterClient.connect(Endpoint.of(
                    URI.create("https://127.0.0.1:" + server.getAddress().getPort()),
                    List.of(authority.certificate()),
                    Optional.empty(),
                    Optional.empty()));
        }

        ClusterApplyApi api() {
            return new ClusterApplyApi(client);
        }

        @Override
        public void close() {
            client.close();
            server.stop(0);
        }
    }

    /** Saves nothing, and renders nothing: the directory stays as it is. */
    private static final class NothingElse implements UpgradeTasks {
        @Override
        public UpgradeJournal.Snapshot save(UpgradeJournal journal) {
            return new UpgradeJournal.Snapshot("/backup/a.db", 7, CLOCK.instant());
        }

        @Override
        public void hook(UpgradeMilestone mark, UpgradeJournal journal) {}

        @Override
        public void images(NamedManifests target) {}

        @Override
        public void keep(UpgradeJournal journal) {}

        @Override
        public void render(UpgradeJournal journal) {}

        @Override
        public void accept(UpgradeJournal journal) {}
    }
}
