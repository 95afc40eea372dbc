package dev.ouroboros.keeper;

import static dev.ouroboros.api.testing.Eventually.eventually;

import dev.ouroboros.api.testing.FakeApiServer;
import dev.ouroboros.endpoint.testing.TestAuthority;
import dev.ouroboros.keeper.decide.KeeperSettings;
import dev.ouroboros.keeper.succession.LockedSuccession;
import dev.ouroboros.keeper.testing.FailingDisk;
import dev.ouroboros.keeper.testing.FakeKubelet;
import dev.ouroboros.keeper.testing.ForwardingFront;
import dev.ouroboros.model.front.FrontSpec;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.json.JsonText;
import dev.ouroboros.node.clock.MonotonicClock;
import dev.ouroboros.node.disk.LocalDisk;
import dev.ouroboros.node.front.Front;
import dev.ouroboros.node.front.NftBalancer;
import dev.ouroboros.node.libc.KernelRoutes;
import dev.ouroboros.node.process.LocalProcesses;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.logging.Level;
import java.util.stream.Stream;

/** A node with a whole keeper on it: real disk, real connections, and everything else as a test says. */
final class KeeperWorld {
    static final String NODE = "node-1";
    static final String POD = "kube-apiserver-abcde";
    static final String IMAGE = "registry.example/kube-apiserver:v1.20.2";
    static final KeeperSettings QUICK = new KeeperSettings(
            Duration.ofMillis(1500),
            Duration.ofSeconds(2),
            Duration.ofSeconds(3),
            Duration.ofMillis(1500),
            Duration.ofMillis(300),
            Duration.ofMillis(1500),
            Duration.ofMillis(1500),
            Duration.ofSeconds(10),
            Duration.ofSeconds(3),
            Duration.ofSeconds(3),
            Duration.ofSeconds(2),
            Duration.ofSeconds(6),
            Duration.ofSeconds(6));

    private static final String PODS = "/api/v1/namespaces/kube-system/pods/";
    private static final String SECRET = "/api/v1/namespaces/kube-system/secrets/kube-apiserver-1";
    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    final Path directory;
    private final Path locks;
    final FakeApiServer principal;
    final FakeApiServer understudy;
    final ForwardingFront front;
    final FakeKubelet kubelet;
    final FailingDisk disk = new FailingDisk(new LocalDisk());
    final AtomicReference<InstantSource> wallClock = new AtomicReference<>(InstantSource.system());
    private Optional<Daemon> daemon = Optional.empty();
    private Optional<Thread> thread = Optional.empty();
    private Optional<LockedSuccession> succession = Optional.empty();

    KeeperWorld(Path directory) throws Exception {
        this(directory, directory.resolve("state/keeper"));
    }

    /** @param locks where the keeper's locks are: files that are open for writing for as long as it runs */
    KeeperWorld(Path directory, Path locks) throws Exception {
        this.directory = directory;
        this.locks = locks;
        Files.createDirectories(directory.resolve("manifests"));
        this.principal = new FakeApiServer(new TestAuthority());
        this.understudy = principal.sibling();
        this.front = new ForwardingFront(new FrontSpec(
                principal.port(), understudy.port(), List.of(InetAddress.getByName("192.0.2.1")), List.of()));
        this.kubelet = new FakeKubelet(directory.resolve("manifests"), NODE, understudy);
        principal.writeKubeconfig(directory.resolve("kubeconfig"));
        kubelet.hasImages(IMAGE);
        node();
        daemonSet();
        secret("key", "first");
    }

    private void node() {
        Json.Fields node = FakeApiServer.object("v1", "Node", "", NODE);
        Json.Fields metadata = ((Json.Fields) node.at("metadata"))
                .with("labels", Json.object().with("node-role.kubernetes.io/master", Json.text("")));
        Json info = Json.object().with("kubeletVersion", Json.text("v1.20.2"));
        principal.put(
                "/api/v1/nodes/" + NODE,
                node.with("metadata", metadata).with("status", Json.object().with("nodeInfo", info)));
    }

    void daemonSet() {
        Json.Fields template = Json.object()
                .with("metadata", Json.object().with("annotations", annotation()))
                .with("spec", podSpec());
        Json.Fields status =
                Json.object().with("desiredNumberScheduled", Json.number(1)).with("numberReady", Json.number(1));
        principal.put(
                "/apis/apps/v1/namespaces/kube-system/daemonsets/kube-apiserver",
                FakeApiServer.object("apps/v1", "DaemonSet", "kube-system", "kube-apiserver")
                        .with("spec", Json.object().with("template", template))
                        .with("status", status));
        principal.put(
                "/apis/apps/v1/namespaces/kube-system/daemonsets/ouroboros-keeper",
                FakeApiServer.object("apps/v1", "DaemonSet", "kube-system", "ouroboros-keeper")
                        .with("spec", Json.object().with("template", Json.object())));
    }

    /** Of a scheduler that has no pod anywhere. */
    void schedulerDeployment(int replicas) {
        Json.Fields container =
                Json.object().with("name", Json.text("kube-scheduler")).with("image", Json.text(IMAGE));
        Json.Fields template = Json.object()
                .with("metadata", Json.object().with("annotations", annotation()))
                .with("spec", Json.object().with("containers", Json.items(Stream.of(container))));
        principal.put(
                "/apis/apps/v1/namespaces/kube-system/deployments/kube-scheduler",
                FakeApiServer.object("apps/v1", "Deployment", "kube-system", "kube-scheduler")
                        .with(
                                "spec",
                                Json.object()
                                        .with("replicas", Json.number(replicas))
                                        .with("template", template)));
    }

    void removeDaemonSet() {
        principal.delete("/apis/apps/v1/namespaces/kube-system/daemonsets/kube-apiserver");
    }

    private static Json.Fields annotation() {
        return Json.object().with("ouroboros.dev/checkpoint", Json.text("true"));
    }

    private static Json.Fields podSpec() {
        Json.Fields mount = Json.object()
                .with("name", Json.text("secrets"))
                .with("mountPath", Json.text("/etc/kubernetes/secrets"))
                .with("readOnly", Json.bool(true));
        Json.Fields container = Json.object()
                .with("name", Json.text("kube-apiserver"))
                .with("image", Json.text(IMAGE))
                .with("command", Json.texts(List.of("kube-apiserver", "--secure-port=6443")))
                .with("volumeMounts", Json.items(Stream.of(mount)));
        Json.Fields items = Json.object()
                .with("name", Json.text("secrets"))
                .with(
                        "secret",
                        Json.object()
                                .with("secretName", Json.text("kube-apiserver-1"))
                                .with(
                                        "items",
                                        Json.items(Stream.of(Json.object()
                                                .with("key", Json.text("key"))
                                                .with("path", Json.text("key"))))));
        return Json.object()
                .with("hostNetwork", Json.bool(true))
                .with("automountServiceAccountToken", Json.bool(false))
                .with("nodeName", Json.text(NODE))
                .with("nodeSelector", Json.object().with("node-role.kubernetes.io/master", Json.text("")))
                .with("containers", Json.items(Stream.of(container)))
                .with("volumes", Json.items(Stream.of(items)));
    }

    /** The Secret with one key; a mutable one. */
    void secret(String key, String value) {
        String encoded = Base64.getEncoder().encodeToString(value.getBytes(java.nio.charset.StandardCharsets.UTF_8));
        principal.put(
                SECRET,
                FakeApiServer.object("v1", "Secret", "kube-system", "kube-apiserver-1")
                        .with("data", Json.object().with(key, Json.text(encoded))));
    }

    /** The API server's pod as kubelet and controllers left it. */
    void pod(boolean ready) {
        Json.Fields pod = FakeApiServer.object("v1", "Pod", "kube-system", POD);
        Json.Fields owner = Json.object()
                .with("apiVersion", Json.text("apps/v1"))
                .with("kind", Json.text("DaemonSet"))
                .with("name", Json.text("kube-apiserver"))
                .with("uid", Json.text("set"))
                .with("controller", Json.bool(true));
        Json.Fields metadata = ((Json.Fields) pod.at("metadata"))
                .with("uid", Json.text("pod-1"))
                .with("creationTimestamp", Json.text("2026-11-21T00:00:00Z"))
                .with("annotations", annotation())
                .with("ownerReferences", Json.items(Stream.of(owner)));
        Json.Fields condition =
                Json.object().with("type", Json.text("Ready")).with("status", Json.text(ready ? "True" : "False"));
        Json.Fields status =
                Json.object().with("phase", Json.text("Running")).with("conditions", Json.items(Stream.of(condition)));
        principal.put(
                PODS + POD,
                pod.with("metadata", metadata).with("spec", podSpec()).with("status", status));
        kubelet.runs(POD, "pod-1", "kube-apiserver", true);
    }

    /** A pod of bootkube's, which starts and stops the same static pods as we do. */
    void podCheckpointer() {
        Json.Fields container =
                Json.object().with("name", Json.text("pod-checkpointer")).with("image", Json.text("localhost/it:1"));
        principal.put(
                PODS + "pod-checkpointer-1",
                FakeApiServer.object("v1", "Pod", "kube-system", "pod-checkpointer-1")
                        .with(
                                "spec",
                                Json.object()
                                        .with("nodeName", Json.text(NODE))
                                        .with("containers", Json.items(Stream.of(container))))
                        .with("status", Json.object().with("phase", Json.text("Running"))));
    }

    /** A pod of another namespace that asks for a checkpoint, and no RoleBinding that lets us read what it needs. */
    void podInANamespaceThatMayNotBeRead(String namespace) {
        Json.Fields pod = FakeApiServer.object("v1", "Pod", namespace, "resolver");
        Json.Fields metadata = ((Json.Fields) pod.at("metadata")).with("annotations", annotation());
        principal.fault("GET /api/v1/namespaces/" + namespace, new FakeApiServer.Fault.Status(403, Map.of()));
        principal.fault("GET /apis/apps/v1/namespaces/" + namespace, new FakeApiServer.Fault.Status(403, Map.of()));
        principal.put(
                "/api/v1/namespaces/" + namespace + "/pods/resolver",
                pod.with("metadata", metadata)
                        .with("spec", podSpec())
                        .with("status", Json.object().with("phase", Json.text("Running"))));
    }

    /** Every Event with this reason, as its message. */
    List<String> events(String reason) {
        return principal.list("/api/v1/namespaces/default/events").stream()
                .filter(event -> event.at("reason").text().equals(Optional.of(reason)))
                .map(event -> event.at("message").text().orElse(""))
                .toList();
    }

    /**
     * A pod that the kubelet rejected after a restart.
     *
     * @param marked whether it was being deleted when the kubelet rejected it
     */
    void rejectedPod(String name, boolean marked) {
        Json.Fields pod = FakeApiServer.object("v1", "Pod", "kube-system", name);
        Json.Fields owner = Json.object()
                .with("kind", Json.text("ReplicaSet"))
                .with("name", Json.text("x"))
                .with("uid", Json.text("x"))
                .with("controller", Json.bool(true));
        Json.Fields owned = ((Json.Fields) pod.at("metadata")).with("ownerReferences", Json.items(Stream.of(owner)));
        Json.Fields metadata = marked
                ? owned.with("deletionTimestamp", Json.text("2026-11-22T10:23:43Z"))
                        .with("deletionGracePeriodSeconds", Json.number(60))
                : owned;
        principal.put(
                PODS + name,
                pod.with("metadata", metadata)
                        .with("spec", Json.object().with("nodeName", Json.text(NODE)))
                        .with(
                                "status",
                                Json.object()
                                        .with("phase", Json.text("Failed"))
                                        .with("reason", Json.text("NodeAffinity"))));
    }

    boolean hasPod(String name) {
        return principal.get(PODS + name).isPresent();
    }

    /** Nobody listens, and the runtime says that its container is dead. */
    void principalDies() {
        principal.die();
        kubelet.runs(POD, "pod-1", "kube-apiserver", false);
    }

    void principalComesBack() throws IOException {
        kubelet.runs(POD, "pod-1", "kube-apiserver", true);
        principal.listen();
    }

    void startKeeper() {
        startKeeper(front, List.of(), front.port());
    }

    /**
     * A keeper with another front.
     *
     * @param inside command prefix that leads into its network namespace
     * @param port at which the API is reached
     */
    void startKeeper(Front itsFront, List<String> inside, int port) {
        KeeperOptions options = new KeeperOptions(
                NODE,
                Optional.empty(),
                "192.0.2.1",
                URI.create("https://127.0.0.1:" + port),
                itsFront.spec(),
                directory.resolve("kubeconfig"),
                directory.resolve("no.sock"),
                directory.resolve("manifests"),
                directory.resolve("state"),
                directory.resolve("bootstrap-secrets"),
                directory.resolve("pod-logs"),
                Optional.empty(),
                Optional.empty(),
                0,
                QUICK,
                Level.INFO);
        LockedSuccession its = new LockedSuccession(locks, false);
        Daemon started = new Daemon(
                options,
                new Daemon.Surroundings(
                        disk.disk(),
                        new LocalProcesses(),
                        itsFront,
                        new NftBalancer(new LocalProcesses(), inside, NODE),
                        new KernelRoutes(),
                        inside,
                        kubelet,
                        kubelet),
                its,
                new MonotonicClock(Instant.now()),
                () -> wallClock.get().instant());
        daemon = Optional.of(started);
        succession = Optional.of(its);
        thread = Optional.of(Thread.ofVirtual().start(() -> {
            try {
                started.run();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }));
    }

    void stopKeeper() throws InterruptedException {
        daemon.ifPresent(Daemon::end);
        if (thread.isPresent()) {
            thread.get().join(Duration.ofSeconds(10));
        }
        daemon.ifPresent(Daemon::close);
        succession.ifPresent(LockedSuccession::close);
        daemon = Optional.empty();
        succession = Optional.empty();
        thread = Optional.empty();
    }

    boolean keeperRuns() {
        return thread.map(Thread::isAlive).orElse(false);
    }

    /** Whether the keeper acts, and does not only look on. */
    boolean acts() {
        return daemon.orElseThrow().healthPort().isPresent();
    }

    private int healthPort() {
        try {
            eventually("the keeper acts", this::acts);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
        return daemon.orElseThrow().healthPort().orElseThrow();
    }

    /** What the keeper serves. */
    HttpResponse<String> ask(String path) {
        int port = healthPort();
        URI uri = URI.create("http://127.0.0.1:" + port + path);
        try {
            return CLIENT.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    Json state() {
        return read(ask("/state").body());
    }

    private static Json read(String text) {
        try {
            return JsonText.read(text);
        } catch (JsonText.MalformedJson e) {
            throw new IllegalStateException(e);
        }
    }

    private Json apiServer() {
        return state().at("components", "kube-system/kube-apiserver");
    }

    /** What lies in the keeper's own file on the disk; empty when it does not say. */
    String remembered(String name) {
        return new LocalDisk()
                .readText(directory.resolve("state/keeper/state.json"))
                .flatMap(text -> read(text).at(name).text())
                .orElse("");
    }

    String condition() {
        return apiServer().at("condition").text().orElse("");
    }

    /** The last-good revision by the slot file on the disk, asked of nobody. */
    Optional<String> lastGood() {
        Path slots = directory.resolve("state/checkpoints/kube-system/kube-apiserver/slots.json");
        return new LocalDisk().readText(slots).flatMap(text -> lastGoodIn(read(text)));
    }

    private static Optional<String> lastGoodIn(Json slots) {
        for (Map.Entry<String, Json> field : slots.fields().entrySet()) {
            if (field.getKey().equals("lastGood") && field.getValue().text().isPresent()) {
                return field.getValue().text();
            }
            Optional<String> inside = lastGoodIn(field.getValue());
            if (inside.isPresent()) {
                return inside;
            }
        }
        return Optional.empty();
    }

    boolean hasUnderstudy() {
        return Files.exists(directory.resolve("manifests/understudy-kube-apiserver.json"));
    }

    String understudyManifest() throws IOException {
        return Files.readString(directory.resolve("manifests/understudy-kube-apiserver.json"));
    }

    /** A healthy node with a proven checkpoint. */
    void settle() throws InterruptedException {
        pod(true);
        settleWithItsPod();
    }

    /** The same, with the pod that a test has made. */
    void settleWithItsPod() throws InterruptedException {
        startKeeper();
        eventually("a last-good checkpoint", () -> lastGood().isPresent());
        eventually("serving", () -> condition().equals("SERVING"));
    }

    void close() throws Exception {
        stopKeeper();
        front.close();
        principal.close();
        understudy.close();
        kubelet.close();
    }
}
