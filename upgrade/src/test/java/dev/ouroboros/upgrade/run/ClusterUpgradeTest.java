package dev.ouroboros.upgrade.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.api.testing.FakeApiServer;
import dev.ouroboros.change.decide.KubeletManner;
import dev.ouroboros.endpoint.Endpoint;
import dev.ouroboros.endpoint.testing.TestAuthority;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.json.JsonText;
import dev.ouroboros.model.kubelet.KubeletReport;
import dev.ouroboros.model.kubelet.KubeletWish;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.testing.Refusal;
import dev.ouroboros.model.version.KubernetesVersion;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.disk.LocalDisk;
import dev.ouroboros.node.process.LocalProcesses;
import dev.ouroboros.node.testing.SilentListener;
import dev.ouroboros.render.Renderer;
import dev.ouroboros.render.lint.ManifestFile;
import dev.ouroboros.upgrade.apply.Hooks;
import dev.ouroboros.upgrade.apply.UpgradeJournal;
import dev.ouroboros.upgrade.decide.PlanFinding;
import dev.ouroboros.upgrade.decide.Release;
import dev.ouroboros.upgrade.plan.PlanRequest;
import dev.ouroboros.upgrade.plan.TargetDocument;
import dev.ouroboros.upgrade.plan.Wanted;
import dev.ouroboros.upgrade.run.ClusterUpgrade.Applied;
import dev.ouroboros.upgrade.run.ClusterUpgrade.TakenBack;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The way back of an upgrade as long as nothing is done, and another target while one is under way. */
final class ClusterUpgradeTest {
    private static final UpgradeJournal.Snapshot SAVED =
            new UpgradeJournal.Snapshot("/backup/a.db", 1, Instant.parse("2026-11-21T00:00:00Z"));

    private static final String NODE = "/api/v1/nodes/n1";
    private static final String DOCUMENT = """
            apiVersion: ouroboros.dev/v1alpha1
            kind: Cluster
            metadata: {name: demo}
            spec:
              kubernetesVersion: v1.20.2
              apiServer: {endpoints: ["https://10.77.0.2:6443"]}
              etcd: {servers: ["https://10.77.0.2:2379"]}
            """;

    private final Disk disk = new LocalDisk();
    private final InstantSource clock = InstantSource.system();
    private final Renderer renderer = new Renderer(disk, clock, new SecureRandom());

    @TempDir
    private Path assets = Path.of("");

    @TempDir
    private Path directory = Path.of("");

    @Test
    void whoHasNotAcceptedTheLossIsToldHowMuchItIs() throws Exception {
        try (FakeApiServer server = new FakeApiServer(new TestAuthority())) {
            server.put("/api/v1/namespaces", FakeApiServer.object("v1", "NamespaceList", "", "all"));
            upgraded();
            assertThat(takeBack(server, OptionalLong.empty(), Optional.of(_ -> neverRun())))
                    .isInstanceOfSatisfying(TakenBack.LossNotAccepted.class, loss -> {
                        assertThat(loss.snapshot()).isEqualTo(SAVED);
                        assertThat(loss.now()).isPresent();
                    });
        }
    }

    @Test
    void theLossOfAnotherSnapshotIsNotThisOnes() throws Exception {
        FakeApiServer server = new FakeApiServer(new TestAuthority());
        server.close();
        upgraded();
        assertThat(takeBack(server, OptionalLong.of(2), Optional.of(_ -> neverRun())))
                .as("and without an API nobody knows how much it is")
                .isEqualTo(new TakenBack.LossNotAccepted(SAVED, OptionalLong.empty()));
    }

    @Test
    void whereTheNodeIsNotAtHandNothingIsDone() throws Exception {
        try (FakeApiServer server = new FakeApiServer(new TestAuthority())) {
            Path journal = upgraded();
            String before = Files.readString(journal);
            assertThat(takeBack(server, OptionalLong.of(1), Optional.empty()))
                    .isEqualTo(new TakenBack.NodeElsewhere(SAVED, assets.resolve(".ouroboros/upgrade/a/0")));
            assertThat(Files.readString(journal)).isEqualTo(before);
        }
    }

    /** The restore would refuse it, when the asset directory is that of before and the journal says that it goes back. */
    @Test
    void severalMembersOfEtcdAreNotPutBackAndNothingIsDone() throws Exception {
        try (FakeApiServer server = new FakeApiServer(new TestAuthority())) {
            Path journal = upgraded();
            String before = Files.readString(journal);
            Files.createDirectories(assets.resolve("manifests"));
            Files.writeString(
                    assets.resolve("manifests/kube-apiserver.yaml"),
                    apiServer("https://10.0.0.1:2379,https://10.0.0.2:2379"));
            requireSeveralMembers(server);
            assertThat(Files.readString(journal)).isEqualTo(before);
        }
    }

    /** A member that joined since is in no manifest. */
    @Test
    void membersOfEtcdThatJoinedSinceCountToo() throws Exception {
        try (FakeApiServer server = new FakeApiServer(new TestAuthority())) {
            Path journal = upgraded();
            String before = Files.readString(journal);
            Files.createDirectories(assets.resolve("manifests"));
            Files.writeString(assets.resolve("manifests/kube-apiserver.yaml"), apiServer("https://10.0.0.1:2379"));
            server.put(
                    "/apis/apps/v1/namespaces/kube-system/daemonsets/kube-apiserver",
                    manifest(apiServer("https://10.0.0.1:2379,https://10.0.0.2:2379,https://10.0.0.3:2379")));
            requireSeveralMembers(server);
            assertThat(Files.readString(journal)).isEqualTo(before);
        }
    }

    private void requireSeveralMembers(FakeApiServer server) {
        Refusal.of(
                        () -> takeBack(server, OptionalLong.of(1), Optional.of(_ -> neverRun())),
                        ErrorCode.UNSUPPORTED_CLUSTER)
                .where("etcd")
                .nextContains("docs/recovery.md");
    }

    private static String apiServer(String etcd) {
        return """
                apiVersion: apps/v1
                kind: DaemonSet
                metadata: {name: kube-apiserver, namespace: kube-system}
                spec:
                  template:
                    spec:
                      containers:
                      - name: kube-apiserver
                        command: [kube-apiserver, "--etcd-servers=%s"]
                """.formatted(etcd);
    }

    private static Json.Fields manifest(String text) {
        return (Json.Fields) ManifestFile.manifests(text, "test").getFirst();
    }

    /** It would be a change, and a long one, before somebody is asked what is to become of theirs. */
    @Test
    void aConflictIsSaidBeforeAnyKubeletGoesBack() throws Exception {
        try (FakeApiServer server = new FakeApiServer(new TestAuthority())) {
            journal("forward", "1.36.1", "\"live\"", "\"rendered\", \"done\"");
            Json.Fields node = newerKubelet(server);
            configMap(assets.resolve(".ouroboros/upgrade/a/0/manifests"), "1");
            configMap(assets.resolve("manifests"), "2");
            server.put(
                    "/api/v1",
                    FakeApiServer.object("v1", "APIResourceList", "", "all")
                            .with(
                                    "resources",
                                    JsonText.read(
                                            "[{\"kind\": \"ConfigMap\", \"name\": \"configmaps\", \"namespaced\": true}]")));
            server.put("/api/v1/namespaces/web/configmaps/level", manifest(configMap("mine")));

            assertThat(takeBack(server, OptionalLong.empty(), Optional.empty()))
                    .isInstanceOfSatisfying(
                            TakenBack.ByManifests.class,
                            back -> assertThat(back.outcome().conflicts()).hasSize(1));

            assertThat(server.get(NODE)).hasValue(node);
        }
    }

    @Test
    void whatIsTakenBackAlreadyLeavesKubeletsAsTheyAre() throws Exception {
        try (FakeApiServer server = new FakeApiServer(new TestAuthority())) {
            journal("back", "1.36.1", "\"live\", \"live\"", "\"rendered\", \"accepted\", \"done\"");
            Json.Fields node = newerKubelet(server);

            assertThat(takeBack(server, OptionalLong.empty(), Optional.empty()))
                    .isInstanceOfSatisfying(
                            TakenBack.ByManifests.class,
                            back -> assertThat(back.outcome().wasDone()).isTrue());

            assertThat(server.get(NODE)).hasValue(node);
        }
    }

    /** A kubelet that goes back when it is asked to: nothing was wished of it before. */
    private static Json.Fields newerKubelet(FakeApiServer server) throws JsonText.MalformedJson {
        String wish = "{\"program\":{\"version\":\"v1.36.2\",\"digest\":\"%s\"}}".formatted("0f".repeat(32));
        KubeletReport report = new KubeletReport(KubeletReport.State.RUNNING, "", "base", "base", "");
        Json.Fields annotations = Json.object()
                .with(KubeletWish.ANNOTATION, Json.text(wish))
                .with(
                        KubeletWish.BEFORE_ANNOTATION,
                        Json.text("{\"begun\":\"2026-11-21T00:00:00Z\",\"digest\":\"d\",\"before\":\"\"}"))
                .with(KubeletReport.ANNOTATION, Json.text(JsonText.text(report.json())));
        Json.Fields node = FakeApiServer.object("v1", "Node", "", "n1");
        return server.put(
                NODE,
                node.with("metadata", ((Json.Fields) node.at("metadata")).with("annotations", annotations))
                        .with("status", JsonText.read("""
                                {"nodeInfo": {"kubeletVersion": "v1.36.2"},
                                 "conditions": [{"type": "Ready", "status": "True"}]}
                                """)));
    }

    private static void configMap(Path directory, String level) throws IOException {
        Files.createDirectories(directory);
        Files.writeString(directory.resolve("level.yaml"), configMap(level));
    }

    private static String configMap(String level) {
        return """
                apiVersion: v1
                kind: ConfigMap
                metadata: {name: level, namespace: web}
                data: {level: "%s"}
                """.formatted(level);
    }

    /** Whatever has begun: what API servers of one version have stored, an older one may not read, and none may be skipped. */
    @ParameterizedTest
    @CsvSource({"1.20.2, is older", "1.23.0, is more than one minor version"})
    void anotherTargetOnTheWayMayNeitherGoBackNorSkipAVersion(String target, String evidence) throws Exception {
        try (FakeApiServer server = new FakeApiServer(new TestAuthority())) {
            server.version("v1.21.0");
            rendered("1.21.0");
            journal("forward", "1.20.2", "\"live\"", "\"saved\", \"rendered\"");

            assertThat(apply(server, target))
                    .isInstanceOfSatisfying(
                            Applied.Blocked.class,
                            blocked -> assertThat(blocked.plan().findings())
                                    .singleElement()
                                    .satisfies(finding ->
                                            assertThat(finding.evidence()).contains(evidence)));
        }
    }

    @Test
    void anotherPatchOnTheWayIsGoneOnWith() throws Exception {
        try (FakeApiServer server = new FakeApiServer(new TestAuthority())) {
            server.version("v1.21.0");
            rendered("1.21.0");
            journal("forward", "1.20.2", "\"live\"", "\"saved\", \"rendered\"");

            assertThat(apply(server, "1.21.1"))
                    .as("no further than to what this cluster lacks of its manifests")
                    .isInstanceOf(Applied.Ended.class);
        }
    }

    /** Nothing of it has reached the cluster: it begins anew. */
    @Test
    void whatWasInterruptedBeforeItsTargetWasWrittenHasAPlanAgain() throws Exception {
        try (FakeApiServer server = new FakeApiServer(new TestAuthority())) {
            rendered("1.21.0");
            journal("forward", "1.20.2", "\"live\"", "\"saved\"");
            configMap(assets.resolve(".ouroboros/upgrade/a/0/manifests"), "1");

            assertThat(apply(server, "1.25.0"))
                    .isInstanceOfSatisfying(
                            Applied.Blocked.class,
                            blocked -> assertThat(blocked.plan().findings())
                                    .extracting(PlanFinding::check)
                                    .contains("route", "state"));
        }
    }

    /** The asset directory as an upgrade to this version leaves it. */
    private void rendered(String version) throws IOException {
        Path document = Files.writeString(directory.resolve("cluster.yaml"), DOCUMENT);
        renderer.render(TargetDocument.read(disk, document)
                .request(assets, Wanted.of(KubernetesVersion.parse(version).orElseThrow())));
    }

    private Applied apply(FakeApiServer server, String target) {
        Wanted wanted = Wanted.of(KubernetesVersion.parse(target).orElseThrow());
        Optional<Path> document = Optional.of(directory.resolve("cluster.yaml"));
        return upgrade(server)
                .apply(new UpgradeOrder(
                        Optional.of(new UpgradeOrder.Target(document, wanted)),
                        () -> new PlanRequest(
                                endpoint(server),
                                wanted,
                                document,
                                Optional.of(assets),
                                Optional.empty(),
                                Optional.empty(),
                                Optional.empty(),
                                true,
                                false,
                                false),
                        new UpgradeOrder.EtcdSaving(Optional.of(directory.resolve("backup")), Optional.empty()),
                        Optional.empty(),
                        new Hooks.Asked(Optional.empty(), Optional.empty()),
                        new Hooks.Asked(Optional.empty(), Optional.empty()),
                        Optional.empty(),
                        Optional.empty()));
    }

    @Test
    void aKubeletNewerThanTheServerOfBeforeIsPutBackFirst() throws Exception {
        try (FakeApiServer server = new FakeApiServer(new TestAuthority())) {
            Path journal = upgraded();
            String before = Files.readString(journal);
            server.put(NODE, FakeApiServer.object("v1", "Node", "", "n1").with("status", JsonText.read("""
                                    {"nodeInfo": {"kubeletVersion": "v1.36.2"},
                                     "conditions": [{"type": "Ready", "status": "True"}]}
                                    """)));
            Refusal.of(
                            () -> takeBack(server, OptionalLong.of(1), Optional.of(_ -> neverRun())),
                            ErrorCode.CHANGE_REFUSED)
                    .where("Node n1")
                    .nextContains("put the one of before back");
            assertThat(Files.readString(journal)).isEqualTo(before);
        }
    }

    /** By a digest that somebody pinned, say. */
    @Test
    void anApiServerThatIsOfAnotherVersionThanItWasToBecomeIsNotTheEnd() {
        assertThat(ClusterUpgrade.otherVersion(Release.parse("1.20.2"), "1.21.0"))
                .hasValueSatisfying(problem -> {
                    assertThat(problem.what()).startsWith("is 1.20.2");
                    assertThat(problem.next()).contains("spec.images.kubeApiserver");
                });
        assertThat(ClusterUpgrade.otherVersion(Release.parse("1.36.3"), "1.36.3 as 1.35"))
                .isEmpty();
    }

    private static void neverRun() {
        throw new AssertionError("etcd is put back unasked");
    }

    private static Endpoint endpoint(FakeApiServer server) {
        return Endpoint.of(server.uri(), List.of(server.authority().certificate()), Optional.empty(), Optional.empty());
    }

    private ClusterUpgrade upgrade(FakeApiServer server) {
        return new ClusterUpgrade(
                new ClusterUpgrade.Site(assets, () -> endpoint(server), Optional.empty()),
                disk,
                new LocalProcesses(),
                renderer,
                clock,
                new SilentListener(),
                Duration.ofSeconds(1));
    }

    private TakenBack takeBack(
            FakeApiServer server, OptionalLong accepted, Optional<Consumer<UpgradeJournal.Snapshot>> restart) {
        return upgrade(server)
                .takeBack(
                        Optional.empty(),
                        Optional.of(new KubeletManner(Duration.ZERO, true)),
                        false,
                        accepted,
                        restart);
    }

    /** The journal of an upgrade across minor versions that is done. */
    private Path upgraded() throws IOException {
        return journal("forward", "1.35.0", "\"live\"", "\"rendered\", \"done\"");
    }

    private Path journal(String direction, String from, String preferences, String done) throws IOException {
        Path own = assets.resolve(".ouroboros");
        Files.createDirectories(own.resolve("upgrade/a/0/manifests"));
        return Files.writeString(own.resolve("upgrade.json"), """
                {"format": 1, "id": "a", "direction": "%s", "from": "%s", "to": "1.36.2",
                 "begun": "2026-11-21T00:00:00Z", "preferences": [%s], "chosen": false, "done": [%s],
                 "snapshot": {"file": "/backup/a.db", "revision": 1, "taken": "2026-11-21T00:00:00Z"}}
                """.formatted(direction, from, preferences, done));
    }
}
