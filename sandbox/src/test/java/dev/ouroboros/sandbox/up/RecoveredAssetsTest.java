package dev.ouroboros.sandbox.up;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import dev.ouroboros.model.asset.AssetLayout;
import dev.ouroboros.model.checkpoint.Content;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.testing.Refusal;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.testing.ModelDisk;
import dev.ouroboros.recovery.AssetFile;
import dev.ouroboros.recovery.RecoveredCluster;
import dev.ouroboros.sandbox.SandboxName;
import dev.ouroboros.sandbox.SandboxPaths;
import dev.ouroboros.sandbox.node.NodeLayout;
import dev.ouroboros.sandbox.node.RunningNode;
import dev.ouroboros.sandbox.node.Subnet;
import dev.ouroboros.sandbox.testing.Programs;
import java.net.URI;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

final class RecoveredAssetsTest {
    private static final RunningNode NODE =
            new RunningNode(1, new SandboxPaths(Path.of("/sandboxes"), new SandboxName("one")), List.of());
    private static final RecoveredCluster CLUSTER = new RecoveredCluster(
            List.of(new AssetFile(AssetLayout.RECOVERY, Content.of(new byte[] {'{', '}'}), false)),
            URI.create("https://10.77.1.2:6443"),
            List.of(),
            "10.3.0.0/24",
            Optional.of("v1.20.2"),
            new TreeSet<>(),
            List.of(),
            Map.of(),
            List.of());

    private static final CheckedSnapshot A = snapshot("a");
    private static final CheckedSnapshot B = snapshot("b");

    private static CheckedSnapshot snapshot(String name) {
        return new CheckedSnapshot(Path.of("/" + name + ".db"), "sum-of-" + name, true, CLUSTER, new Subnet(1));
    }

    private final ModelDisk disk = new ModelDisk();
    private final RecoveredAssets assets = new RecoveredAssets(disk, new SandboxName("one"), NODE);
    private final Programs none = _ -> "";
    private final SandboxEtcdRestore etcd = new SandboxEtcdRestore(none, disk, InstantSource.system());

    private void has(Path file, String content) {
        disk.tamper(NODE.file(file), content, Disk.OWNER_ONLY_FILE);
    }

    @Test
    void aSnapshotDoesNotReplaceAClusterThatWasRendered() {
        has(NodeLayout.ASSETS.resolve(AssetLayout.LEDGER), "{}");

        Refusal.of(
                () -> assets.write(A, etcd),
                ErrorCode.BAD_USAGE,
                "--snapshot",
                "another cluster was rendered in sandbox one",
                "take it down first (ouro down --name one)");
        assertThat(assets.directory().isComplete()).isFalse();
    }

    @Test
    void oneThatWasInterruptedGoesOnWithItsOwnSnapshotOnly() {
        assets.write(A, etcd);
        assertThat(assets.write(A, etcd).isComplete()).isTrue();

        refusesB();
    }

    @Test
    void anEtcdThatIsRestoredGetsNoAssetsOfAnotherSnapshot() {
        has(NodeLayout.ETCD_RESTORED, "2026-11-21T00:00:00Z sum-of-a\n");
        has(NodeLayout.ETCD_DATA, "a directory in truth");

        assertThat(etcd.restored(NODE)).contains(Instant.parse("2026-11-21T00:00:00Z"));
        assertThatCode(() -> assets.write(A, etcd)).doesNotThrowAnyException();
        refusesB();
    }

    private void refusesB() {
        Refusal.of(
                () -> assets.write(B, etcd),
                ErrorCode.BAD_USAGE,
                "--snapshot",
                "the recovery of sandbox one from another snapshot (SHA-256 sum-of-a) has begun",
                "or take it down first (ouro down --name one)");
    }

    @Test
    void anInterruptedRecoveryDoesNotGoOnWithAnEmptyEtcd() {
        has(NodeLayout.ASSETS.resolve(AssetLayout.RECOVERY), "{}");

        Refusal.of(
                () -> assets.requireRestored(etcd),
                ErrorCode.BAD_USAGE,
                "ouro up",
                "the recovery of sandbox one was interrupted before its etcd was restored",
                "run ouro up again with --snapshot FILE");
    }

    @Test
    void oneWhoseEtcdIsRestoredDoes() {
        has(NodeLayout.ASSETS.resolve(AssetLayout.RECOVERY), "{}");
        has(NodeLayout.ETCD_RESTORED, "2026-11-21T00:00:00Z\n");
        has(NodeLayout.ETCD_DATA, "a directory in truth");

        assertThatCode(() -> assets.requireRestored(etcd)).doesNotThrowAnyException();
    }

    @Test
    void aClusterThatWasNeverLostNeedsNoSnapshot() {
        assertThatCode(() -> assets.requireRestored(etcd)).doesNotThrowAnyException();
    }
}
