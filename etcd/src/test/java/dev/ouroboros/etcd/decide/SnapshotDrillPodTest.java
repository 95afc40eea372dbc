package dev.ouroboros.etcd.decide;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.model.flags.CommandLine;
import dev.ouroboros.render.manifest.EtcdStaticPod;
import dev.ouroboros.render.manifest.ManifestContainer;
import dev.ouroboros.render.understudy.PodYaml;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeMount;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

final class SnapshotDrillPodTest {
    private static final SnapshotDrillPod DRILL = new SnapshotDrillPod(
            EtcdMemberPod.of(
                    "etcd.yaml",
                    EtcdStaticPod.of("node-1", "registry.example/etcd:3.4.23", "10.77.0.2")
                            .yaml()),
            Path.of("/var/lib/ouroboros/drill"),
            "m1");

    private static Pod pod() {
        return PodYaml.parse("drill", DRILL.text(Path.of("/backups/cluster/saved.db"), "etcdctl"));
    }

    private static CommandLine commandLine() {
        return ManifestContainer.commandLine(pod().getSpec().getContainers().getFirst());
    }

    /** Who looks for the member by the beginning of its pod's name must not find the drill. */
    @Test
    void itHasItsOwnNameAndPorts() {
        assertThat(pod().getMetadata().getName()).isEqualTo("drill-etcd-m1");
        assertThat(pod().getMetadata().getLabels()).isNullOrEmpty();
        assertThat(pod().getSpec().getPriorityClassName())
                .as("the member's is not the first to go")
                .isNull();
        CommandLine command = commandLine();
        assertThat(command.value("name")).hasValue("drill");
        assertThat(command.value("listen-client-urls")).hasValue("https://10.77.0.2:7379,https://127.0.0.1:7379");
        assertThat(command.value("listen-peer-urls")).hasValue("https://10.77.0.2:7380");
        assertThat(command.value("listen-metrics-urls")).hasValue("http://127.0.0.1:7381");
        assertThat(command.value("initial-cluster")).hasValue("drill=https://10.77.0.2:7380");
        assertThat(DRILL.clientUrl()).isEqualTo("https://10.77.0.2:7379");
    }

    @Test
    void itSeesNothingOfTheMembersDataAndAllOfItsKeys() {
        assertThat(commandLine().value("data-dir")).hasValue("/ouroboros-drill/data");
        assertThat(commandLine().value("client-cert-auth")).isPresent();
        assertThat(pod().getSpec().getVolumes())
                .extracting(volume -> volume.getHostPath().getPath())
                .contains("/etc/kubernetes/etcd", "/var/lib/ouroboros/drill", "/backups/cluster")
                .doesNotContain("/var/lib/etcd");
        for (Container container : pod().getSpec().getContainers()) {
            assertThat(container.getVolumeMounts())
                    .extracting(VolumeMount::getMountPath)
                    .doesNotContain("/var/lib/etcd");
        }
        assertThat(pod().getSpec().getVolumes()).extracting(Volume::getName).doesNotHaveDuplicates();
    }

    @Test
    void etcdsToolRestoresOnceFromAFileThatItCannotChange() {
        Container restore = pod().getSpec().getInitContainers().getFirst();
        assertThat(restore.getImage()).isEqualTo("registry.example/etcd:3.4.23");
        assertThat(restore.getCommand())
                .startsWith("etcdctl", "snapshot", "restore", "/snapshot/saved.db")
                .contains("--data-dir=/ouroboros-drill/data", "--initial-cluster-token=ouroboros-drill");
        assertThat(restore.getVolumeMounts())
                .filteredOn(mount -> mount.getMountPath().equals("/snapshot"))
                .singleElement()
                .satisfies(mount -> assertThat(mount.getReadOnly()).isTrue());
        assertThat(pod().getSpec().getRestartPolicy()).isEqualTo("Never");
    }
}
