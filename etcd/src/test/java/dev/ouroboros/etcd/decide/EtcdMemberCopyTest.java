package dev.ouroboros.etcd.decide;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ouroboros.model.flags.CommandLine;
import dev.ouroboros.model.net.Cidr;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.render.manifest.EtcdStaticPod;
import dev.ouroboros.render.manifest.ManifestContainer;
import dev.ouroboros.render.understudy.PodYaml;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Pod;
import java.net.InetAddress;
import java.util.List;
import org.junit.jupiter.api.Test;

final class EtcdMemberCopyTest {
    private static final String TEXT = EtcdStaticPod.of("node-1", "registry.example/etcd:3.4.23", "10.77.0.2")
            .yaml();
    private static final InetAddress ADDRESS = Cidr.address("10.77.0.3").orElseThrow();

    private static EtcdMemberCopy of(String text) {
        return EtcdMemberCopy.of(EtcdMemberPod.of("etcd.yaml", text));
    }

    @Test
    void anotherNodesMemberHasItsOwnNameAndAddress() {
        Pod pod = PodYaml.parse("copy", of(TEXT).yaml("node-2", ADDRESS, List.of("node-1=https://10.77.0.2:2380")));
        Container container = pod.getSpec().getContainers().getFirst();
        CommandLine command = ManifestContainer.commandLine(container);
        assertThat(command.value("name")).hasValue("node-2");
        assertThat(command.value("advertise-client-urls")).hasValue("https://10.77.0.3:2379");
        assertThat(command.value("listen-client-urls")).hasValue("https://10.77.0.3:2379,https://127.0.0.1:2379");
        assertThat(command.value("listen-peer-urls")).hasValue("https://10.77.0.3:2380");
        assertThat(command.value("initial-advertise-peer-urls")).hasValue("https://10.77.0.3:2380");
        assertThat(command.value("listen-metrics-urls")).hasValue("http://127.0.0.1:2381");
        assertThat(command.value("initial-cluster"))
                .hasValue("node-1=https://10.77.0.2:2380,node-2=https://10.77.0.3:2380");
        assertThat(command.value("initial-cluster-state")).hasValue("existing");
        assertThat(command.value("data-dir")).hasValue("/var/lib/etcd");
        assertThat(pod.getMetadata().getName()).isEqualTo("etcd");
        assertThat(container.getLivenessProbe().getHttpGet().getHost()).isEqualTo("127.0.0.1");
    }

    /** kubeadm writes the node's address there, and asks etcd at it. */
    @Test
    void whatElseNamesTheNodeIsMovedToo() {
        String kubeadms = TEXT.replace(
                        "metadata:\n",
                        "metadata:\n  annotations:\n    kubeadm.kubernetes.io/etcd.advertise-client-urls: https://10.77.0.2:2379\n    other: 10.77.0.2\n")
                .replace("http://127.0.0.1:2381", "http://10.77.0.2:2381")
                .replace("host: \"127.0.0.1\"", "host: \"10.77.0.2\"")
                .replace("host: 127.0.0.1", "host: 10.77.0.2");
        Pod pod = PodYaml.parse("copy", of(kubeadms).yaml("node-2", ADDRESS, List.of()));
        assertThat(pod.getMetadata().getAnnotations())
                .containsEntry("kubeadm.kubernetes.io/etcd.advertise-client-urls", "https://10.77.0.3:2379")
                .containsEntry("other", "10.77.0.2");
        Container container = pod.getSpec().getContainers().getFirst();
        assertThat(ManifestContainer.commandLine(container).value("listen-metrics-urls"))
                .hasValue("http://10.77.0.3:2381");
        assertThat(container.getLivenessProbe().getHttpGet().getHost()).isEqualTo("10.77.0.3");
    }

    @Test
    void aCopyOfACopyIsTheSame() {
        List<String> others = List.of("node-1=https://10.77.0.2:2380");
        String once = of(TEXT).yaml("node-2", ADDRESS, others);
        assertThat(of(once).yaml("node-2", ADDRESS, others)).isEqualTo(once);
        assertThat(EtcdMemberPod.of("copy", once).otherClientUrls()).containsExactly("https://10.77.0.2:2379");
    }

    @Test
    void whatNobodyCouldCopyIsRefusedByItsFlag() {
        String bad = TEXT.replace("--peer-client-cert-auth=true", "--peer-cert-allowed-cn=etcd")
                .replace("--peer-key-file=/etc/kubernetes/etcd/peer.key", "--peer-auto-tls=true")
                .replace(
                        "--initial-advertise-peer-urls=https://10.77.0.2",
                        "--initial-advertise-peer-urls=https://192.168.0.2");
        assertThatThrownBy(() -> of(bad))
                .isInstanceOfSatisfying(
                        ProblemException.class,
                        e -> assertThat(e.problems())
                                .extracting(Problem::where)
                                .containsExactly(
                                        "etcd.yaml: --initial-advertise-peer-urls",
                                        "etcd.yaml: --peer-cert-allowed-cn",
                                        "etcd.yaml: --peer-key-file"));
        assertThat(of(TEXT).isOfItsFamily(Cidr.address("fd00::1").orElseThrow()))
                .isFalse();
    }
}
