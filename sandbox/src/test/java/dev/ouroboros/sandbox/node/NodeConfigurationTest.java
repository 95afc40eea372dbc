package dev.ouroboros.sandbox.node;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.ouroboros.render.manifest.CniSettings;
import dev.ouroboros.render.manifest.ContainerdSettings;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

final class NodeConfigurationTest {
    @Test
    void containerdIsSetUpForTheNodesOwnPlaces() {
        assertThat(new ContainerdSettings("pause:1", false, true, true).configuration())
                .isEqualTo("""
                version = 2
                root = "/var/lib/containerd"
                state = "/run/containerd"
                disabled_plugins = [
                  "io.containerd.internal.v1.opt",
                  "io.containerd.snapshotter.v1.aufs",
                  "io.containerd.snapshotter.v1.btrfs",
                  "io.containerd.snapshotter.v1.devmapper",
                  "io.containerd.snapshotter.v1.zfs",
                  "io.containerd.tracing.processor.v1.otlp",
                ]

                [grpc]
                  address = "/run/containerd/containerd.sock"

                [plugins."io.containerd.grpc.v1.cri"]
                  sandbox_image = "pause:1"
                  restrict_oom_score_adj = false

                  [plugins."io.containerd.grpc.v1.cri".containerd]
                    snapshotter = "overlayfs"
                    default_runtime_name = "runc"

                    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
                      runtime_type = "io.containerd.runc.v2"

                      [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
                        SystemdCgroup = false

                  [plugins."io.containerd.grpc.v1.cri".registry]
                    config_path = "/etc/containerd/certs.d"

                  [plugins."io.containerd.grpc.v1.cri".cni]
                    bin_dir = "/usr/lib/cni"
                    conf_dir = "/etc/cni/net.d"
                    conf_template = "/etc/cni/net.d/ouroboros.template"
                """);
    }

    @Test
    void containerdDoesNotTryToLowerOomScoresWithoutTheCapability() {
        assertThat(new ContainerdSettings("pause:1", false, false, false).configuration())
                .contains("restrict_oom_score_adj = true")
                .doesNotContain("conf_template");
    }

    @Test
    void podsGetAddressesOfTheNodesShare() throws JsonProcessingException {
        // As Go fills it for a node with one block.
        String filled = CniSettings.template()
                .replaceAll("\\{\\{range \\$index, \\$block := .PodCIDRRanges}}(.*?)\\{\\{end}}(.*?)\\{\\{end}}", "$2")
                .replaceAll("\\{\\{range \\$index, \\$route := .Routes}}(.*?)\\{\\{end}}(.*?)\\{\\{end}}", "$2")
                .replace("{{$block}}", "10.2.0.0/24")
                .replace("{{$route}}", "0.0.0.0/0");
        JsonNode configuration = new ObjectMapper().readTree(filled);

        JsonNode bridge = configuration.path("plugins").path(0);
        assertThat(bridge.at("/ipam/ranges/0/0/subnet").asText()).isEqualTo("10.2.0.0/24");
        assertThat(bridge.at("/ipam/routes/0/dst").asText()).isEqualTo("0.0.0.0/0");
        assertThat(bridge.path("hairpinMode").asBoolean()).isTrue();
        assertThat(configuration.path("plugins").path(1).path("type").asText()).isEqualTo("portmap");
    }

    @Test
    void filesOfTheHostAreFoundBelowOneDirectory() {
        assertThat(NodeLayout.ofHostFile(Path.of("/var/lib/x/ouro.jar")))
                .isEqualTo(Path.of("/run/ouroboros/host/var/lib/x/ouro.jar"));
        assertThat(NodeLayout.ofHostFile(Path.of("/tmp/../tmp/a"))).isEqualTo(Path.of("/run/ouroboros/host/tmp/a"));
        assertThat(NodeLayout.ofHostFile(Path.of("/"))).isEqualTo(Path.of("/run/ouroboros/host"));
    }
}
