package dev.ouroboros.sandbox.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.model.asset.AssetLayout;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.testing.ModelDisk;
import dev.ouroboros.render.manifest.EtcdStaticPod;
import dev.ouroboros.sandbox.SandboxName;
import dev.ouroboros.sandbox.SandboxPaths;
import java.nio.file.Path;
import java.util.List;
import java.util.NavigableMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What of an etcd is written to a node whose asset directory knows how etcd began. */
final class NodeFilesTest {
    private static final SandboxPaths SANDBOX = new SandboxPaths(Path.of("/sandboxes"), new SandboxName("one"));
    private static final RunningNode FIRST = new RunningNode(1, SANDBOX, List.of());
    private static final RunningNode SECOND = new RunningNode(2, SANDBOX, List.of());
    private static final EtcdStaticPod ETCD = EtcdStaticPod.of("one", "etcd:1", "10.77.1.2");
    private static final Path KEY = NodeLayout.ETCD_TLS.resolve("server.key");

    private final ModelDisk disk = new ModelDisk();

    @BeforeEach
    void assets() {
        for (String file : List.of(
                AssetLayout.ETCD_SERVER_CERTIFICATE,
                AssetLayout.ETCD_SERVER_KEY,
                AssetLayout.ETCD_SERVER_CA_CERTIFICATE,
                AssetLayout.ETCD_PEER_CERTIFICATE,
                AssetLayout.ETCD_PEER_KEY,
                AssetLayout.ETCD_PEER_CA_CERTIFICATE)) {
            has(FIRST, NodeLayout.ASSETS.resolve(file), "of day one");
        }
    }

    private void has(RunningNode node, Path file, String content) {
        disk.tamper(node.file(file), content, Disk.OWNER_ONLY_FILE);
    }

    private void install(RunningNode node) {
        new NodeFiles(disk, node).installEtcd(ETCD, FIRST);
    }

    @Test
    void aNodeThatNeverHadAnEtcdGetsOne() {
        install(SECOND);

        assertThat(disk.readText(SECOND.file(KEY))).contains("of day one");
        assertThat(disk.readText(SECOND.file(NodeLayout.ETCD_MANIFEST))).contains(ETCD.yaml());
    }

    @Test
    void whatWasKilledBetweenTheKeysAndTheManifestGoesOn() {
        has(SECOND, KEY, "of day one");

        install(SECOND);

        assertThat(disk.readText(SECOND.file(NodeLayout.ETCD_MANIFEST))).contains(ETCD.yaml());
    }

    @Test
    void whatWasRestoredFromASnapshotIsStarted() {
        has(FIRST, NodeLayout.ETCD_MEMBER, "a directory in truth");
        has(FIRST, NodeLayout.ETCD_RESTORED, "2026-11-21T00:00:00Z\n");

        install(FIRST);

        assertThat(disk.readText(FIRST.file(NodeLayout.ETCD_MANIFEST))).contains(ETCD.yaml());
    }

    @Test
    void anEtcdThatWasChangedStaysAsItIs() {
        has(FIRST, NodeLayout.ETCD_MANIFEST, "with another flag");
        has(FIRST, KEY, "renewed");

        assertNothingIsWritten(FIRST);
    }

    @Test
    void anEtcdWhoseManifestSomebodyHasTakenAwayIsNotBegunAnew() {
        has(FIRST, NodeLayout.ETCD_MEMBER, "a directory in truth");

        assertNothingIsWritten(FIRST);
    }

    @Test
    void aNodeWhoseMemberHasLeftGetsNone() {
        has(SECOND, NodeLayout.ETCD_LEFT, "");

        assertNothingIsWritten(SECOND);
    }

    private void assertNothingIsWritten(RunningNode node) {
        NavigableMap<Path, String> before = disk.contents();

        install(node);

        assertThat(disk.contents()).isEqualTo(before);
    }
}
