package dev.ouroboros.upgrade.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.api.testing.FakeApiServer;
import dev.ouroboros.change.decide.KubeletManner;
import dev.ouroboros.endpoint.Endpoint;
import dev.ouroboros.endpoint.testing.TestAuthority;
import dev.ouroboros.model.json.JsonText;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.testing.Refusal;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.disk.LocalDisk;
import dev.ouroboros.node.process.LocalProcesses;
import dev.ouroboros.node.testing.SilentListener;
import dev.ouroboros.render.Renderer;
import dev.ouroboros.upgrade.apply.UpgradeJournal;
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

/** The way back of an upgrade that only the snapshot takes back, as long as nothing is done. */
final class ClusterUpgradeTest {
    private static final UpgradeJournal.Snapshot SAVED =
            new UpgradeJournal.Snapshot("/backup/a.db", 1, Instant.parse("2026-11-21T00:00:00Z"));

    private final Disk disk = new LocalDisk();

    @TempDir
    private Path assets = Path.of("");

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
                    .isEqualTo(new TakenBack.NodeElsewhere(SAVED));
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
            Files.writeString(assets.resolve("manifests/kube-apiserver.yaml"), """
                    apiVersion: apps/v1
                    kind: DaemonSet
                    metadata: {name: kube-apiserver, namespace: kube-system}
                    spec:
                      template:
                        spec:
                          containers:
                          - name: kube-apiserver
                            command: [kube-apiserver, "--etcd-servers=https://10.0.0.1:2379,https://10.0.0.2:2379"]
                    """);
            Refusal.of(
                            () -> takeBack(server, OptionalLong.of(1), Optional.of(_ -> neverRun())),
                            ErrorCode.UNSUPPORTED_CLUSTER)
                    .where("etcd")
                    .nextContains("docs/recovery.md");
            assertThat(Files.readString(journal)).isEqualTo(before);
        }
    }

    @Test
    void aKubeletNewerThanTheServerOfBeforeIsPutBackFirst() throws Exception {
        try (FakeApiServer server = new FakeApiServer(new TestAuthority())) {
            Path journal = upgraded();
            String before = Files.readString(journal);
            server.put(
                    "/api/v1/nodes/n1",
                    FakeApiServer.object("v1", "Node", "", "n1").with("status", JsonText.read("""
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

    private static void neverRun() {
        throw new AssertionError("etcd is put back unasked");
    }

    private TakenBack takeBack(
            FakeApiServer server, OptionalLong accepted, Optional<Consumer<UpgradeJournal.Snapshot>> restart) {
        Endpoint api = Endpoint.of(
                server.uri(), List.of(server.authority().certificate()), Optional.empty(), Optional.empty());
        InstantSource clock = InstantSource.system();
        return new ClusterUpgrade(
                        new ClusterUpgrade.Site(assets, () -> api, Optional.empty()),
                        disk,
                        new LocalProcesses(),
                        new Renderer(disk, clock, new SecureRandom()),
                        clock,
                        new SilentListener(),
                        Duration.ofSeconds(1))
                .takeBack(
                        Optional.empty(),
                        Optional.of(new KubeletManner(Duration.ZERO, true)),
                        false,
                        accepted,
                        restart);
    }

    /** The journal of an upgrade across minor versions that is done. */
    private Path upgraded() throws IOException {
        Path own = assets.resolve(".ouroboros");
        Files.createDirectories(own.resolve("upgrade/a/0/manifests"));
        return Files.writeString(own.resolve("upgrade.json"), """
                {"format": 1, "id": "a", "direction": "forward", "from": "1.35.0", "to": "1.36.2",
                 "begun": "2026-11-21T00:00:00Z", "preferences": ["live"], "chosen": false, "done": ["rendered", "done"],
                 "snapshot": {"file": "/backup/a.db", "revision": 1, "taken": "2026-11-21T00:00:00Z"}}
                """);
    }
}
