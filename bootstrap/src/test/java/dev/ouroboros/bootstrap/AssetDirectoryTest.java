package dev.ouroboros.bootstrap;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.model.asset.AssetLayout;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.testing.Refusal;
import dev.ouroboros.node.testing.ModelDisk;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Files of an asset directory that are there and do not say what they must. */
final class AssetDirectoryTest {
    private final SmallAssets assets = new SmallAssets(new ModelDisk(), Path.of("/assets"));

    @Test
    void whatARecoveryChangedIsReadOrRefused() {
        assertThat(assets.read().changedByRecovery()).isEmpty();
        assertThat(assets.read().isRecovered()).isFalse();
        assets.write(AssetLayout.RECOVERY, "{\"changed\": [\"DaemonSet kube-system/kube-apiserver\"]}");
        assertThat(assets.read().changedByRecovery()).containsExactly("DaemonSet kube-system/kube-apiserver");
        assertThat(assets.read().isRecovered()).isTrue();

        assets.write(AssetLayout.RECOVERY, "{\"changed\": [");
        Refusal.of(
                () -> assets.read().changedByRecovery(),
                ErrorCode.INVALID_ASSET_DIRECTORY,
                "/assets/.ouroboros/recovery.json",
                "is not what a recovery wrote: ",
                "recover again");
    }

    @Test
    void aRangeThatHasNoRoomForANodeIsRefusedWithItsReason() {
        assets.pod(Component.CONTROLLER_MANAGER, "--allocate-node-cidrs=true", "--cluster-cidr=10.2.0.0/16");
        assertThat(assets.read().nodeCidrs().ranges()).hasSize(1);

        assertRefused(
                "10.2.0.0/16 cannot be divided among nodes: nodes cannot get a /12 of 10.2.0.0/16",
                "--cluster-cidr=10.2.0.0/16",
                "--node-cidr-mask-size=12");
        assertRefused("nonsense cannot be divided among nodes: ", "--cluster-cidr=nonsense");
        assertRefused(
                "10.2.0.0/16 cannot be divided among nodes: For input string: \"many\"",
                "--cluster-cidr=10.2.0.0/16",
                "--node-cidr-mask-size=many");
    }

    private void assertRefused(String what, String... flags) {
        String[] all = new String[flags.length + 1];
        all[0] = "--allocate-node-cidrs=true";
        System.arraycopy(flags, 0, all, 1, flags.length);
        assets.pod(Component.CONTROLLER_MANAGER, all);
        Refusal.of(
                () -> assets.read().nodeCidrs(),
                ErrorCode.INVALID_ASSET_DIRECTORY,
                "/assets/bootstrap-manifests/bootstrap-controller-manager.yaml: --cluster-cidr",
                what,
                "render the assets again");
    }
}
