package dev.ouroboros.keeper.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.api.ApiClient;
import dev.ouroboros.api.ClusterGuard;
import dev.ouroboros.api.testing.FakeApiServer;
import dev.ouroboros.endpoint.testing.TestAuthority;
import dev.ouroboros.keeper.decide.Successor;
import dev.ouroboros.keeper.observe.Lookouts;
import dev.ouroboros.keeper.observe.NodeMemory;
import dev.ouroboros.keeper.succession.Succession;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.disk.LocalDisk;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.logging.Level;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Against an API on loopback and files of a real directory; {@link dev.ouroboros.keeper.agent.decide.CopyDuty} is enumerated elsewhere. */
final class CopyKeeperTest {
    private static final String NODE = "worker";
    private static final String POD = "{\"metadata\": {\"annotations\": {\"ouroboros.dev/owner\": \"node-agent\"}}}";
    private static final String DAEMON_SET =
            "/apis/apps/v1/namespaces/kube-system/daemonsets/" + Component.NODE_AGENT.id();

    private final LocalDisk disk = new LocalDisk();
    private final List<Supplier<Duration>> turns = new ArrayList<>();
    private final List<String> told = new ArrayList<>();
    private final FakeApiServer server;
    private Instant now = Instant.parse("2026-11-27T12:00:00Z");
    private boolean named = true;
    private Evidence<Successor> successor = Evidence.known(Successor.WAITS);
    private Optional<ApiClient> client = Optional.empty();

    @TempDir
    private Path directory = Path.of("");

    CopyKeeperTest() throws Exception {
        server = new FakeApiServer(new TestAuthority());
    }

    @BeforeEach
    void aNode() throws Exception {
        for (String name : List.of("manifests", "own", "secrets")) {
            disk.createDirectories(directory.resolve(name), Disk.OWNER_ONLY_DIRECTORY);
        }
        Files.writeString(directory.resolve("secrets/static-pod.json"), POD);
        server.writeKubeconfig(directory.resolve("secrets/kubeconfig"));
        server.put("/api/v1/nodes/" + NODE, FakeApiServer.object("v1", "Node", "", NODE));
        server.put(
                DAEMON_SET,
                FakeApiServer.object("apps/v1", "DaemonSet", "kube-system", Component.NODE_AGENT.id())
                        .with("spec", Json.object()));
    }

    @AfterEach
    void close() {
        client.ifPresent(ApiClient::close);
        server.close();
    }

    private Path manifest() {
        return directory.resolve("manifests/ouroboros-node-agent.json");
    }

    /** As the DaemonSet's pod has written it. */
    private void written() throws Exception {
        Files.writeString(manifest(), POD);
        server.writeKubeconfig(directory.resolve("own/kubeconfig"));
    }

    /** @param staticCopy whether it is the copy that acts */
    private void start(boolean staticCopy) {
        Path kubeconfig = directory.resolve("secrets/kubeconfig");
        ApiClient api = new ApiClient(disk, kubeconfig, Optional.empty(), "test");
        client = Optional.of(api);
        StaticCopy copy = new StaticCopy(
                disk,
                directory.resolve("secrets/static-pod.json"),
                kubeconfig,
                directory.resolve("manifests"),
                directory.resolve("own"));
        new CopyKeeper(
                        new NodeAgentOptions(
                                NODE,
                                kubeconfig,
                                new TreeSet<>(),
                                directory.resolve("own"),
                                directory.resolve("manifests"),
                                Optional.empty(),
                                staticCopy,
                                Optional.empty(),
                                Optional.empty(),
                                0,
                                Level.INFO),
                        Optional.of(copy),
                        new ToldSuccession(),
                        api,
                        new ClusterGuard(api, new NodeMemory(disk, directory.resolve("own/state.json")), () -> now),
                        () -> named,
                        () -> told.add("ends"),
                        () -> now)
                .start(new TurnsByHand());
    }

    private void look() {
        turns.forEach(turn -> assertThat(turn.get()).isPositive());
    }

    private void labelled() {
        Json exists = Json.object()
                .with("key", Json.text("node-role.kubernetes.io/control-plane"))
                .with("operator", Json.text("DoesNotExist"));
        Json terms = Json.object().with("matchExpressions", Json.items(List.of(exists).stream()));
        Json.Fields spec = nested(
                Json.items(List.of(terms).stream()),
                "nodeSelectorTerms",
                "requiredDuringSchedulingIgnoredDuringExecution",
                "nodeAffinity",
                "affinity",
                "spec",
                "template");
        server.put(
                DAEMON_SET,
                FakeApiServer.object("apps/v1", "DaemonSet", "kube-system", Component.NODE_AGENT.id())
                        .with("spec", spec));
        Json.Fields node = FakeApiServer.object("v1", "Node", "", NODE);
        Json.Fields metadata = ((Json.Fields) node.at("metadata"))
                .with("labels", Json.object().with("node-role.kubernetes.io/control-plane", Json.text("")));
        server.put("/api/v1/nodes/" + NODE, node.with("metadata", metadata));
    }

    private static Json.Fields nested(Json innermost, String... names) {
        Json inner = innermost;
        for (String name : names) {
            inner = Json.object().with(name, inner);
        }
        return (Json.Fields) inner;
    }

    @Test
    void theDaemonSetsPodWritesTheCopyOnceTheApiHasAnsweredIt() {
        named = false;
        start(false);
        look();
        assertThat(manifest()).doesNotExist();

        named = true;
        look();
        assertThat(manifest()).hasContent(POD);
    }

    @Test
    void theCopyAdmitsItsSuccessorAndEndsWhenThatDecides() throws Exception {
        written();
        start(true);
        look();
        assertThat(told).containsExactly("admits");

        successor = Evidence.known(Successor.DECIDES);
        look();
        assertThat(told).endsWith("ends");
    }

    @Test
    void theCopyRemovesItselfFromANodeThatIsOfTheControlPlane() throws Exception {
        written();
        labelled();
        start(true);

        look();

        assertThat(manifest()).doesNotExist();
        assertThat(told).contains("ends");
    }

    @Test
    void theCopyRemovesItselfWhenThereHasBeenNoDaemonSetForAMinute() throws Exception {
        written();
        server.delete(DAEMON_SET);
        start(true);

        look();
        assertThat(manifest()).as("one that is replaced is away for a moment").exists();

        now = now.plus(Duration.ofMinutes(1));
        look();
        assertThat(manifest()).doesNotExist();
    }

    /** Its machine lost the power between the two: without a key it would learn of no wish any more. */
    @Test
    void theCopyEndsARemovalThatWasCutOff() throws Exception {
        Files.writeString(manifest(), POD);
        server.die();

        start(true);

        assertThat(manifest()).doesNotExist();
        assertThat(told).containsExactly("ends");
    }

    @Test
    void theCopyStaysWhileNobodySaysWhatIsWanted() throws Exception {
        written();
        server.die();
        start(true);

        look();
        now = now.plus(Duration.ofMinutes(10));
        look();

        assertThat(manifest()).exists();
        assertThat(told).doesNotContain("ends");
    }

    private final class ToldSuccession implements Succession {
        @Override
        public boolean begin() {
            return true;
        }

        @Override
        public void tellThatItDecides() {}

        @Override
        public Evidence<Successor> successor() {
            return successor;
        }

        @Override
        public void admit() {
            told.add("admits");
            successor = Evidence.known(Successor.ADMITTED);
        }

        @Override
        public void close() {}
    }

    private final class TurnsByHand implements Lookouts {
        @Override
        public void repeat(String name, Supplier<Duration> look) {
            turns.add(look);
        }

        @Override
        public void repeatAndWhenRestEnds(String name, Supplier<Duration> look) {
            turns.add(look);
        }

        @Override
        public void follow(String name, Runnable look) {
            every(name, Duration.ofSeconds(1), look);
        }

        @Override
        public void close() {}
    }
}
