package dev.ouroboros.api;

import static dev.ouroboros.api.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ouroboros.api.testing.FakeApiServer;
import dev.ouroboros.api.testing.FakeApiServer.Fault;
import dev.ouroboros.endpoint.testing.TestAuthority;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.node.disk.LocalDisk;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ReflectorTest {
    private static final String PODS = "/api/v1/namespaces/kube-system/pods";

    @TempDir
    Path directory;

    private final AtomicReference<Optional<String>> cluster = new AtomicReference<>(Optional.empty());
    private FakeApiServer server;
    private ApiClient client;
    private Reflector<String> reflector;
    private Thread thread;

    @BeforeEach
    void begin() throws Exception {
        server = new FakeApiServer(new TestAuthority());
        Path kubeconfig = server.writeKubeconfig(directory.resolve("kubeconfig"));
        client = new ApiClient(new LocalDisk(), kubeconfig, Optional.empty(), "test");
        Reflector.Times times = new Reflector.Times(
                Duration.ofSeconds(60),
                Duration.ofSeconds(1),
                Duration.ofSeconds(2),
                Duration.ofMillis(20),
                Duration.ofMillis(100));
        ApiPath path = ApiPath.core("pods").with("fieldSelector", "spec.nodeName=here");
        reflector = new Reflector<>("pods", client, guard(client), path, ReflectorTest::wordOf, () -> {}, times);
        thread = Thread.ofVirtual().unstarted(this::follow);
    }

    /** As a keeper does, but for defects: a test must see them. */
    private void follow() {
        try {
            while (true) {
                Thread.sleep(reflector.follow());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @AfterEach
    void end() throws InterruptedException {
        thread.interrupt();
        if (thread.getState() != Thread.State.NEW) {
            thread.join(Duration.ofSeconds(10));
        }
        client.close();
        server.close();
        assertThat(thread.isAlive())
                .as("the reflector ends when it is interrupted")
                .isFalse();
    }

    private static String wordOf(Json pod) {
        String word = pod.at("spec", "word").text().orElse("");
        if (word.equals("defect")) {
            throw new IllegalArgumentException("a test says so");
        }
        return word;
    }

    private ClusterGuard guard(ApiClient asked) {
        return new ClusterGuard(
                asked,
                new ClusterGuard.ClusterMemory() {
                    @Override
                    public Optional<String> clusterId() {
                        return cluster.get();
                    }

                    @Override
                    public void adopt(String clusterId) {
                        cluster.set(Optional.of(clusterId));
                    }

                    @Override
                    public void served(String version) {
                        assertThat(version).isEqualTo("v1.20.2");
                    }
                },
                InstantSource.system());
    }

    private void pod(String name, String node, String word) {
        Json.Fields spec = Json.object().with("nodeName", Json.text(node)).with("word", Json.text(word));
        server.put(
                PODS + "/" + name,
                FakeApiServer.object("v1", "Pod", "kube-system", name).with("spec", spec));
    }

    private Set<String> names() {
        return reflector.value().orElse(new java.util.TreeMap<>()).keySet();
    }

    private boolean isKnown() {
        return reflector.value() instanceof Evidence.Known;
    }

    private String reason() {
        return reflector.value() instanceof Evidence.Unknown<SortedMap<String, String>>(String reason) ? reason : "";
    }

    private void startedWith(String... pods) throws InterruptedException {
        for (String name : pods) {
            pod(name, "here", "");
        }
        thread.start();
        eventually("the first list", () -> names().size() == pods.length && isKnown());
    }

    @Test
    void followsAdditionsChangesAndRemovals() throws Exception {
        pod("elsewhere", "there", "");
        startedWith("a");
        pod("b", "here", "one");
        eventually("b", () -> names().equals(Set.of("kube-system/a", "kube-system/b")));
        pod("b", "here", "two");
        eventually("b changed", () -> reflector.value().is(all -> "two".equals(all.get("kube-system/b"))));
        server.delete(PODS + "/a");
        eventually("a gone", () -> names().equals(Set.of("kube-system/b")));
    }

    @Test
    void listsInPages() throws Exception {
        for (int i = 0; i < 250; i++) {
            pod("p" + i, "here", "");
        }
        thread.start();
        eventually("all pages", () -> names().size() == 250);
        assertThat(server.requests())
                .filteredOn(request -> request.contains("limit=100"))
                .hasSize(3);
    }

    @Test
    void missesNothingWhenAWatchIsCutOff() throws Exception {
        startedWith("a");
        server.cutConnections();
        pod("b", "here", "");
        eventually("b", () -> names().size() == 2);
    }

    /** Found by the simulator: a backup was put in etcd's place, and by then its revisions had passed ours. */
    @Test
    void forgetsWhatIsNoMoreWhenItsServerComesBackWithAnotherHistory() throws Exception {
        startedWith("a", "b");
        server.die();
        server.lose(PODS + "/b");
        pod("c", "here", "");
        server.listen();
        eventually("b is forgotten", () -> isKnown() && names().equals(Set.of("kube-system/a", "kube-system/c")));
    }

    /** A server that is told to end ends its watches in good order, as one does whose lifetime is over. */
    @Test
    void forgetsWhatIsNoMoreWhenItsServerEndedItsWatchesInGoodOrder() throws Exception {
        startedWith("a", "b");
        pod("c", "here", "");
        eventually("the watch tells of c", () -> names().size() == 3);
        server.lose(PODS + "/b");
        server.endWatches();
        eventually("b is forgotten", () -> isKnown() && names().equals(Set.of("kube-system/a", "kube-system/c")));
    }

    @Test
    void listsAgainWhenChangesWereCompacted() throws Exception {
        startedWith("a", "b");
        server.die();
        server.delete(PODS + "/a");
        server.compact();
        server.listen();
        eventually("a gone", () -> isKnown() && names().equals(Set.of("kube-system/b")));
    }

    @Test
    void isUnknownWhileNobodyAnswersAndRecovers() throws Exception {
        startedWith("a");
        server.die();
        eventually("unknown", () -> !isKnown());
        server.listen();
        eventually("known again", this::isKnown);
    }

    @Test
    void isUnknownWhenItMayNotLook() throws Exception {
        server.fault("GET /api/v1/pods", new Fault.Status(403, Map.of()));
        thread.start();
        eventually("unknown", () -> reason().contains("403: a test says so"));
        server.heal();
        eventually("known", this::isKnown);
    }

    @Test
    void isUnknownAfterAnErrorOfTheServer() throws Exception {
        server.fault("GET /api/v1/pods", new Fault.Status(500, Map.of()));
        thread.start();
        eventually("unknown", () -> reason().contains("500"));
        server.heal();
        eventually("known", this::isKnown);
    }

    @Test
    void leavesABusyServerAloneAsLongAsItAsks() throws Exception {
        server.fault("GET /api/v1/pods", new Fault.Status(429, Map.of("Retry-After", "1")));
        thread.start();
        eventually("unknown", () -> reason().contains("429"));
        long asked = System.nanoTime();
        int before = server.requests().size();
        server.heal();
        eventually("asks again", () -> server.requests().size() > before);
        assertThat(Duration.ofNanos(System.nanoTime() - asked)).isGreaterThan(Duration.ofMillis(700));
        eventually("known", this::isKnown);
    }

    @Test
    void isUnknownWhenTheAnswerIsNoJson() throws Exception {
        server.fault("GET /api/v1/pods", new Fault.Garbage("<html>"));
        thread.start();
        eventually("unknown", () -> reason().contains("/api/v1/pods") && !reason().contains("not read yet"));
        assertThat(names()).isEmpty();
    }

    @Test
    void isUnknownWhenTheListIsCutOff() throws Exception {
        server.fault("GET /api/v1/pods", new Fault.Cut());
        thread.start();
        eventually("unknown", () -> reason().contains("cut off"));
    }

    /** The version may be of a history that is no more: a server says nothing of what it had before it reaches that. */
    @Test
    void listsAgainWhenAWatchIsSilent() throws Exception {
        startedWith("a");
        server.fault("GET /api/v1/pods?fieldSelector=spec.nodeName%3Dhere&watch", new Fault.Stall());
        server.cutConnections();
        pod("b", "here", "");
        eventually("b, which no watch told of", () -> names().size() == 2);
    }

    @Test
    void noticesAWatchThatStalled() throws Exception {
        startedWith("a");
        server.fault("GET /api/v1/pods?fieldSelector=spec.nodeName%3Dhere&watch", new Fault.Stall());
        server.cutConnections();
        pod("b", "here", "");
        eventually(
                "more than one stalled watch",
                () -> server.requests().stream()
                                .filter(request -> request.contains("watch=true"))
                                .count()
                        >= 3);
        server.heal();
        eventually("b", () -> names().size() == 2);
    }

    @Test
    void takesNoAnswerOfAnotherCluster() throws Exception {
        startedWith("a");
        try (FakeApiServer other = new FakeApiServer(server.authority())) {
            Path kubeconfig = other.writeKubeconfig(directory.resolve("other"));
            try (ApiClient asksOther = new ApiClient(new LocalDisk(), kubeconfig, Optional.empty(), "test")) {
                other.delete("/api/v1/namespaces/kube-system");
                Json.Fields namespace = FakeApiServer.object("v1", "Namespace", "", "kube-system");
                other.put("/api/v1/namespaces/kube-system", namespace);
                ClusterGuard guard = guard(asksOther);
                assertThatThrownBy(guard::require)
                        .isInstanceOfSatisfying(
                                ApiException.class,
                                e -> assertThat(e.kind()).isEqualTo(ApiException.Kind.OTHER_CLUSTER));
                assertThat(guard.sawForeignCluster()).isTrue();
            }
        }
    }

    @Test
    void takesNoAnswerOfAServerOfAnotherAuthority() throws Exception {
        try (FakeApiServer other = new FakeApiServer(new TestAuthority());
                ApiClient misled = new ApiClient(
                        new LocalDisk(), directory.resolve("kubeconfig"), Optional.of(other.uri()), "test")) {
            assertThatThrownBy(() -> misled.get(ApiPath.core("namespaces").named("kube-system")))
                    .isInstanceOfSatisfying(
                            ApiException.class, e -> assertThat(e.kind()).isEqualTo(ApiException.Kind.UNREACHABLE));
            assertThat(other.requests()).isEmpty();
        }
    }

    @Test
    void readsTheKubeconfigAgainWhenItChanged() throws Exception {
        startedWith("a");
        try (FakeApiServer moved = new FakeApiServer(new TestAuthority())) {
            moved.put(
                    "/api/v1/namespaces/kube-system",
                    server.get("/api/v1/namespaces/kube-system").orElseThrow());
            moved.writeKubeconfig(directory.resolve("kubeconfig"));
            assertThat(client.get(ApiPath.core("namespaces").named("kube-system"))
                            .at("kind")
                            .text())
                    .hasValue("Namespace");
            assertThat(moved.requests()).isNotEmpty();
        }
    }

    @Test
    void usesAKeptConnectionAgain() throws Exception {
        ApiPath path = ApiPath.core("namespaces").named("kube-system");
        for (int i = 0; i < 5; i++) {
            client.get(path);
        }
        assertThat(server.accepted()).isEqualTo(1);
        server.cutConnections();
        assertThat(client.get(path).at("kind").text()).hasValue("Namespace");
    }

    @Test
    void deletesOnlyTheObjectThatWasMeant() throws Exception {
        pod("a", "here", "");
        ApiPath path = ApiPath.core("kube-system", "pods").named("a");
        assertThatThrownBy(() -> client.delete(path, "another-uid", Api.Grace.ITS_OWN))
                .isInstanceOfSatisfying(
                        ApiException.class, e -> assertThat(e.kind()).isEqualTo(ApiException.Kind.CONFLICT));
        String uid = client.get(path).at("metadata", "uid").text().orElseThrow();
        client.delete(path, uid, Api.Grace.ITS_OWN);
        assertThat(server.get(PODS + "/a")).isEmpty();
    }

    /** It would be old and look new. */
    @Test
    void knowsNothingAfterADefectOfItsOwn() throws Exception {
        pod("one", "here", "first");
        AtomicReference<String> failure = new AtomicReference<>("");
        thread = Thread.ofVirtual().unstarted(() -> {
            try {
                follow();
            } catch (IllegalArgumentException e) {
                failure.set(String.valueOf(e.getMessage()));
            }
        });
        thread.start();
        eventually("known", this::isKnown);

        pod("two", "here", "defect");

        eventually("it ended", () -> failure.get().equals("a test says so"));
        assertThat(reason()).contains("a defect");
    }
}
