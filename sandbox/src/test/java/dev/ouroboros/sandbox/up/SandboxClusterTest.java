package dev.ouroboros.sandbox.up;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.images.oci.BuiltImage;
import dev.ouroboros.images.oci.ContainerImage;
import dev.ouroboros.node.disk.LocalDisk;
import dev.ouroboros.render.RenderRequest;
import dev.ouroboros.render.Renderer;
import dev.ouroboros.render.cluster.ClusterSpec;
import dev.ouroboros.sandbox.SandboxName;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class SandboxClusterTest {
    @TempDir
    Path directory;

    @Test
    void renderTakesItsDocument() throws IOException {
        ClusterSpec cluster = render(images());

        assertThat(cluster.name()).isEqualTo("demo");
        assertThat(cluster.apiServer().endpoints()).containsExactly("https://10.77.3.2:6443", "https://10.77.3.3:6443");
        assertThat(cluster.etcd().servers()).containsExactly("https://10.77.3.2:2379", "https://10.77.3.2:22379");
        assertThat(cluster.images().apiServer()).isEqualTo("localhost/ouroboros/kube-apiserver:1.20.2");
        assertThat(cluster.network().pods().contains(cluster.network().pods().at(5)))
                .isTrue();
        assertThat(cluster.proxyMode()).contains("iptables");
    }

    @Test
    void binariesWithoutKubeProxyMakeAClusterWithoutIt() throws IOException {
        List<ContainerImage> images = new ArrayList<>(images());
        images.removeIf(image -> image.component() == BuiltImage.KUBE_PROXY);

        assertThat(render(images).proxyMode()).isEmpty();
    }

    @Test
    void noImageOfTheKeeperMakesAClusterWithoutOne() throws IOException {
        List<ContainerImage> images = new ArrayList<>(images());
        assertThat(render(images).keeper()).isPresent();
        images.removeIf(image -> image.component() == BuiltImage.KEEPER);

        assertThat(render(images).keeper()).isEmpty();
    }

    @Test
    void theDnsIsOursOrNoneAndNeverOneToPull() throws IOException {
        List<ContainerImage> images = new ArrayList<>(images());
        assertThat(render(images).dns())
                .hasValueSatisfying(dns -> assertThat(dns.provider()).isEqualTo(ClusterSpec.DnsProvider.OUROBOROS));
        images.removeIf(image -> image.component() == BuiltImage.DNS);

        assertThat(render(images).dns()).isEmpty();
    }

    @Test
    void noImageOfTheStewardMakesAClusterWithoutOne() throws IOException {
        List<ContainerImage> images = new ArrayList<>(images());
        assertThat(render(images, "2-4").steward())
                .hasValueSatisfying(steward -> assertThat(steward.managesEtcd()).isFalse());
        images.removeIf(image -> image.component() == BuiltImage.STEWARD);

        assertThat(render(images, "2-4").steward()).isEmpty();
    }

    private ClusterSpec render(List<ContainerImage> images) throws IOException {
        return render(images, "1-4");
    }

    private ClusterSpec render(List<ContainerImage> images, String layers) throws IOException {
        Path document = directory.resolve("cluster.yaml");
        Files.writeString(
                document,
                new SandboxCluster(
                                new SandboxName("demo"),
                                List.of("10.77.3.2", "10.77.3.3"),
                                List.of("10.77.3.2"),
                                "1.20.2",
                                images,
                                layers)
                        .document());
        return new Renderer(new LocalDisk(), InstantSource.system(), new SecureRandom())
                .render(RenderRequest.ofFile(document, directory.resolve("assets")))
                .cluster();
    }

    private static List<ContainerImage> images() {
        List<ContainerImage> images = new ArrayList<>();
        for (BuiltImage component : BuiltImage.values()) {
            images.add(new ContainerImage(component, "1.20.2", "key", "test", Path.of("/none"), 0));
        }
        return images;
    }
}
