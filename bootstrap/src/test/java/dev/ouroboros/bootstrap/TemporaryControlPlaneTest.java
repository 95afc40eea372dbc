package dev.ouroboros.bootstrap;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.model.asset.AssetLayout;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.testing.Refusal;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.testing.ModelDisk;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** What others have where the files of a temporary control plane belong. */
final class TemporaryControlPlaneTest {
    private static final Path MANIFESTS = Path.of("/etc/kubernetes/manifests");
    private static final Path SECRETS = Path.of(AssetLayout.BOOTSTRAP_SECRETS_DIRECTORY);

    private final ModelDisk disk = new ModelDisk();
    private final TemporaryControlPlane temporary = new TemporaryControlPlane(
            disk,
            MANIFESTS,
            new SmallAssets(disk, Path.of("/assets")).read(),
            new ApiAddress.OnLoopback(InetAddress.getLoopbackAddress(), 6443));

    private void write(Path file, String content) {
        disk.createDirectories(file.resolveSibling("").normalize(), Disk.OWNER_ONLY_DIRECTORY);
        disk.write(file, content.getBytes(StandardCharsets.UTF_8), Disk.OWNER_ONLY_FILE);
    }

    @Test
    void aManifestOfSomebodyElseIsNotWrittenOver() {
        Path scheduler = MANIFESTS.resolve("bootstrap-scheduler.yaml");
        temporary.writeManifest(Component.SCHEDULER);
        temporary.writeManifest(Component.SCHEDULER);
        assertThat(disk.readText(scheduler).orElseThrow()).contains("bootstrap-kube-scheduler");

        write(scheduler, "a person's own");
        Refusal.of(
                () -> temporary.writeManifest(Component.SCHEDULER),
                ErrorCode.FOREIGN_FILE,
                scheduler,
                "was written by somebody else meanwhile",
                "move it away if it is not needed and run the same command again");
        assertThat(disk.readText(scheduler)).contains("a person's own");
    }

    @Test
    void keysAreNotPutAmongFilesOfSomebodyElse() {
        write(SECRETS.resolve("theirs.key"), "a key");
        Refusal.of(
                temporary::copySecrets,
                ErrorCode.FOREIGN_FILE,
                SECRETS,
                "has files that ouro did not write",
                "move it away if it is not needed and run the same command again");
        assertThat(disk.list(SECRETS)).containsExactly("theirs.key");
    }
}
