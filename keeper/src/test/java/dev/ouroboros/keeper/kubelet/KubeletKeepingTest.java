package dev.ouroboros.keeper.kubelet;

import static dev.ouroboros.api.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.api.ApiClient;
import dev.ouroboros.api.ClusterGuard;
import dev.ouroboros.api.EventRecorder;
import dev.ouroboros.api.testing.FakeApiServer;
import dev.ouroboros.endpoint.testing.TestAuthority;
import dev.ouroboros.keeper.observe.NodeMemory;
import dev.ouroboros.keeper.observe.NodeWatch;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.kubelet.KubeletGeneration;
import dev.ouroboros.model.kubelet.KubeletLayout;
import dev.ouroboros.model.kubelet.KubeletReport;
import dev.ouroboros.model.kubelet.KubeletReport.State;
import dev.ouroboros.model.kubelet.KubeletWish;
import dev.ouroboros.node.disk.LocalDisk;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Against an API on loopback and files of a real directory; what is decided is tested apart. */
final class KubeletKeepingTest {
    private static final String NODE = "/api/v1/nodes/worker";
    private static final String WISH = "{\"config\":{\"maxPods\":50}}";
    private static final String OTHER = "{\"config\":{\"maxPods\":60}}";
    private static final KubeletGeneration BASE = new KubeletGeneration(
            "v1.20.2",
            "/bin/kubelet",
            Optional.empty(),
            Json.object(),
            new TreeMap<>(),
            Optional.empty(),
            Optional.empty());

    private final FakeApiServer server;
    private Optional<ApiClient> client = Optional.empty();
    private Optional<NodeWatch> watch = Optional.empty();
    private Optional<KubeletKeeping> keeping = Optional.empty();
    private Optional<Thread> saying = Optional.empty();
    private Duration later = Duration.ZERO;

    @TempDir
    private Path directory = Path.of("");

    KubeletKeepingTest() throws Exception {
        server = new FakeApiServer(new TestAuthority());
    }

    @BeforeEach
    void aNode() throws Exception {
        Path base = Files.createDirectories(kubelet("generations/base"));
        for (Map.Entry<String, String> file : BASE.files(base.toString()).entrySet()) {
            Files.writeString(base.resolve(file.getKey()), file.getValue());
        }
        Files.writeString(kubelet(KubeletLayout.STARTED), "base 16 1 boot\n");
        server.writeKubeconfig(directory.resolve("kubeconfig"));
        LocalDisk disk = new LocalDisk();
        ApiClient api = new ApiClient(disk, directory.resolve("kubeconfig"), Optional.empty(), "test");
        client = Optional.of(api);
        InstantSource clock = () -> Instant.now().plus(later);
        ClusterGuard guard =
                new ClusterGuard(api, new NodeMemory(disk, directory.resolve("state.json")), InstantSource.system());
        EventRecorder events = new EventRecorder(api, guard, Component.NODE_AGENT, "worker", clock);
        saying = Optional.of(Thread.ofVirtual().start(events::run));
        watch = Optional.of(new NodeWatch(api, guard, "worker", () -> {}));
        keeping = Optional.of(new KubeletKeeping(
                "worker",
                directory.resolve("kubelet"),
                disk,
                api,
                guard,
                watch.orElseThrow()::resourceVersion,
                events,
                clock));
    }

    @AfterEach
    void close() {
        saying.ifPresent(Thread::interrupt);
        client.ifPresent(ApiClient::close);
        server.close();
    }

    private Path kubelet(String name) {
        return directory.resolve("kubelet").resolve(name);
    }

    private void node(String wish, Instant heartbeat) {
        node(wish, "True", heartbeat);
    }

    private void node(String wish, String isReady, Instant heartbeat) {
        Json.Fields annotations =
                wish.isEmpty() ? Json.object() : Json.object().with(KubeletWish.ANNOTATION, Json.text(wish));
        Json.Fields node = FakeApiServer.object("v1", "Node", "", "worker");
        Json.Fields metadata = ((Json.Fields) node.at("metadata")).with("annotations", annotations);
        Json.Fields ready = Json.object()
                .with("type", Json.text("Ready"))
                .with("status", Json.text(isReady))
                .with("lastHeartbeatTime", Json.text(heartbeat.toString()));
        server.put(
                NODE,
                node.with("metadata", metadata)
                        .with("status", Json.object().with("conditions", Json.items(Stream.of(ready)))));
    }

    private Duration look() {
        return keeping.orElseThrow().look();
    }

    private KubeletReport said() {
        return KubeletReport.read(server.get(NODE)
                        .orElseThrow()
                        .at("metadata", "annotations", KubeletReport.ANNOTATION)
                        .text()
                        .orElse(""))
                .orElseThrow();
    }

    @Test
    void whatIsWishedComesToTheGuardAndItsEndToTheNode() throws Exception {
        node("", Instant.now());
        assertThat(look()).isEqualTo(Duration.ofSeconds(10));
        assertThat(said().state()).isEqualTo(State.RUNNING);
        assertThat(said().running()).isEqualTo("base");

        node(WISH, Instant.now());
        look();
        String name = KubeletWish.read(WISH).on(BASE).name();
        assertThat(kubelet("generations/" + name + "/config.yaml")).hasContent("maxPods: 50");
        assertThat(kubelet(KubeletLayout.TRIAL)).doesNotExist();
        assertThat(look()).as("the guard is at work").isEqualTo(Duration.ofSeconds(2));
        assertThat(kubelet(KubeletLayout.TRIAL)).hasContent(name + " 120 ready");
        assertThat(said().state()).isEqualTo(State.TRYING);

        Files.delete(kubelet(KubeletLayout.TRIAL));
        Files.writeString(kubelet(KubeletLayout.CURRENT), name + "\n");
        Files.writeString(kubelet(KubeletLayout.STARTED), name + " 17 2\n");
        look();
        assertThat(said().state()).isEqualTo(State.RUNNING);
        assertThat(said().running()).isEqualTo(name);

        Files.createDirectories(kubelet(KubeletLayout.OUTCOMES));
        Files.writeString(kubelet("outcomes/" + name), "failed it ended\n");
        Files.delete(kubelet(KubeletLayout.CURRENT));
        Files.writeString(kubelet(KubeletLayout.STARTED), "base 17 3\n");
        look();
        assertThat(said()).satisfies(report -> {
            assertThat(report.state()).isEqualTo(State.FAILED);
            assertThat(report.message()).isEqualTo("it ended");
            assertThat(report.running()).isEqualTo("base");
        });
        look();
        assertThat(kubelet("outcomes/" + name)).as("it is still wished").exists();
        eventually("three Events", () -> events().size() == 3);
        assertThat(events()).containsExactlyInAnyOrder("KubeletTried", "KubeletChanged", "KubeletFailed");
    }

    private List<String> events() {
        return server.list("/api/v1/namespaces/default/events").stream()
                .flatMap(event -> event.at("reason").text().stream())
                .toList();
    }

    @Test
    void aKubeletThatHasNotReportedSinceItWasStartedIsCondemned() throws Exception {
        String name = KubeletWish.read(WISH).on(BASE).name();
        node(WISH, Instant.now().minusSeconds(60));
        look();
        look();
        Files.writeString(kubelet(KubeletLayout.STARTED), name + " 17 2\n");
        Files.writeString(kubelet("well"), "");
        look();
        assertThat(kubelet(KubeletLayout.CONDEMNED)).doesNotExist();

        later = Duration.ofSeconds(21);
        look();

        assertThat(kubelet(KubeletLayout.CONDEMNED)).content().startsWith(name + " its kubelet is well");
    }

    /** Once the Node says that another one runs, what failed before may be wished again. */
    @Test
    void whatFailedIsForgottenWhenAnotherOneRuns() throws Exception {
        Files.createDirectories(kubelet(KubeletLayout.OUTCOMES));
        Files.writeString(kubelet("outcomes/bad"), "failed it ended\n");
        Files.writeString(kubelet("outcomes/good"), "confirmed\n");
        node("", Instant.now());

        look();

        assertThat(said().state()).isEqualTo(State.RUNNING);
        assertThat(kubelet("outcomes/bad")).doesNotExist();
        assertThat(kubelet("outcomes/good")).exists();
    }

    /** Whoever corrects a wish at once is kept from another bad one, too. */
    @Test
    void rightAfterTheWayBackTheNodeIsTakenForWhatItWas() throws Exception {
        node(WISH, Instant.now());
        look();
        look();
        look();
        Files.delete(kubelet(KubeletLayout.TRIAL));
        Files.writeString(kubelet(KubeletLayout.STARTED), "base 18 3\n");
        node(OTHER, "False", Instant.now().minusSeconds(60));
        look();
        look();
        String other = KubeletWish.read(OTHER).on(BASE).name();
        assertThat(kubelet(KubeletLayout.TRIAL)).hasContent(other + " 120 ready");

        Files.delete(kubelet(KubeletLayout.TRIAL));
        node(OTHER, "False", Instant.now().plusSeconds(1));
        look();
        assertThat(kubelet(KubeletLayout.TRIAL)).as("its kubelet has said it").hasContent(other + " 120");
    }

    /** Five thousand nodes that ask every ten seconds are a load. */
    @Test
    void aNodeOfWhichNothingIsNewIsNotAskedForAgain() throws Exception {
        node("", Instant.now());
        Thread watching = Thread.ofVirtual().start(() -> {
            while (!Thread.currentThread().isInterrupted()) {
                watch.orElseThrow().follow();
            }
        });
        try {
            eventually("it is watched", () -> server.requests().stream().anyMatch(KubeletKeepingTest::isWatch));
            eventually("nothing is new", () -> {
                long before = asked();
                look();
                return asked() == before;
            });
            long asked = asked();

            later = Duration.ofSeconds(61);
            look();
            assertThat(asked()).as("once a minute all the same").isEqualTo(asked + 1);
            Path program = Files.createDirectories(kubelet("programs/" + "0123456789abcdef".repeat(4)));
            Files.writeString(program.resolve("kubelet"), "a program");
            look();
            assertThat(asked()).as("a program was brought").isGreaterThan(asked + 1);
            node(WISH, Instant.now());
            eventually("the wish is seen", () -> {
                look();
                return Files.exists(kubelet(KubeletLayout.TRIAL));
            });
        } finally {
            watching.interrupt();
        }
    }

    private static boolean isWatch(String request) {
        return request.contains("watch=true");
    }

    private long asked() {
        return server.requests().stream()
                .filter(request -> request.startsWith("GET " + NODE) && !request.contains("?"))
                .count();
    }

    @Test
    void aProgramThatIsDamagedIsSaidAndNotTried() throws Exception {
        String digest = "0123456789abcdef".repeat(4);
        Files.createDirectories(kubelet("programs/" + digest));
        Files.writeString(kubelet("programs/" + digest + "/kubelet"), "another");
        node("{\"program\":{\"version\":\"v1.21.0\",\"digest\":\"" + digest + "\"}}", Instant.now());

        look();

        assertThat(said().message()).contains("has another content than its directory's name says");
        assertThat(kubelet(KubeletLayout.TRIAL)).doesNotExist();
    }

    @Test
    void nothingIsDoneWhileTheApiIsAway() {
        look();

        assertThat(kubelet(KubeletLayout.TRIAL)).doesNotExist();
        assertThat(keeping.orElseThrow().state()).isEqualTo(Json.absent());
    }

    @Test
    void aBaseThatCannotBeReadIsLeftAlone() throws Exception {
        Files.writeString(kubelet("generations/base/generation.json"), "torn");
        node(WISH, Instant.now());

        look();

        assertThat(kubelet(KubeletLayout.TRIAL)).doesNotExist();
    }
}
