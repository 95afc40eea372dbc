package dev.ouroboros.etcd.decide;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ouroboros.facts.EtcdTools;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.problem.testing.Refusal;
import dev.ouroboros.model.version.KubernetesVersion;
import dev.ouroboros.render.manifest.EtcdStaticPod;
import dev.ouroboros.render.understudy.PodYaml;
import io.fabric8.kubernetes.api.model.Pod;
import java.net.URI;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class EtcdPodTest {
    @Test
    void readsTheEtcdOfASandbox() {
        EtcdPod etcd = EtcdPod.of(
                "etcd.yaml",
                PodYaml.parse(
                        "etcd.yaml",
                        EtcdStaticPod.of("node-1", "registry.example/etcd:3.6.14", "10.77.0.2")
                                .yaml()));
        assertThat(etcd.dataDirectory()).isEqualTo("/var/lib/etcd");
        assertThat(etcd.memberName()).isEqualTo("node-1");
        assertThat(etcd.peerUrls()).isEqualTo("https://10.77.0.2:2380");
        assertThat(etcd.version().map(KubernetesVersion::minorName)).hasValue("3.6");
        assertThat(etcd.health()).isEqualTo(URI.create("http://127.0.0.1:2381/health?exclude=NOSPACE"));
    }

    /** For itself alone, as kubeadm's probes ask it, a member says that it is well although it lacks the others. */
    @ParameterizedTest
    @CsvSource({
        "/health?serializable=true, /health",
        "/health?exclude=NOSPACE&serializable=true, /health?exclude=NOSPACE",
        "/health?serializable=true&exclude=NOSPACE, /health?exclude=NOSPACE"
    })
    void asksWhetherItServesAndNotForItselfAlone(String probe, String asked) {
        String pod = EtcdStaticPod.of("node-1", "registry.example/etcd:3.6.14", "10.77.0.2")
                .yaml()
                .replace(EtcdStaticPod.HEALTH, probe);
        assertThat(EtcdPod.of("etcd.yaml", PodYaml.parse("etcd.yaml", pod)).health())
                .isEqualTo(URI.create("http://127.0.0.1:2381" + asked));
    }

    @Test
    void findsTheDataWhereAVolumeHasItOnTheNode() {
        EtcdPod etcd = EtcdPod.of("etcd.yaml", PodYaml.parse("etcd.yaml", """
                apiVersion: v1
                kind: Pod
                metadata: {name: etcd, namespace: kube-system}
                spec:
                  containers:
                  - name: etcd
                    image: registry.example/etcd:3.5.21-0
                    command: [etcd, --data-dir, /data/etcd, --name=one]
                    livenessProbe: {httpGet: {host: 127.0.0.1, path: /livez, port: probe, scheme: HTTP}}
                    ports: [{name: probe, containerPort: 2381}]
                    volumeMounts:
                    - {name: other, mountPath: /}
                    - {name: data, mountPath: /data}
                  volumes:
                  - {name: other, hostPath: {path: /elsewhere}}
                  - {name: data, hostPath: {path: /mnt/disk/}}
                """));
        assertThat(etcd.dataDirectory()).isEqualTo("/mnt/disk/etcd");
        assertThat(etcd.health()).isEqualTo(URI.create("http://127.0.0.1:2381/livez"));
        assertThat(etcd.version().map(KubernetesVersion::minorName)).hasValue("3.5");
    }

    @Test
    void saysEverythingThatKeepsAnEtcdFromBeingRestored() {
        assertThatThrownBy(() -> EtcdPod.of("etcd.yaml", PodYaml.parse("etcd.yaml", """
                apiVersion: v1
                kind: Pod
                metadata: {name: etcd}
                spec:
                  containers: [{name: etcd, image: etcd, command: [etcd, --wal-dir=/wal, --data-dir=/data]}]
                """)))
                .satisfies(failure ->
                        assertThat(((ProblemException) failure).problems()).hasSize(3));
    }

    /** The others would go on with what was before. */
    @Test
    void oneOfSeveralMembersIsNotRestored() {
        SortedMap<String, String> members = new TreeMap<>(Map.of("one", "10.77.0.2", "two", "10.77.0.3"));
        String manifest =
                EtcdStaticPod.of("one", "registry.example/etcd:3.6.14", members).yaml();
        assertThat(manifest).contains("--initial-cluster=one=https://10.77.0.2:2380,two=https://10.77.0.3:2380");
        assertThatThrownBy(() -> EtcdPod.of("etcd.yaml", PodYaml.parse("etcd.yaml", manifest)))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining("names several members");
        String twoAddresses = manifest.replace("two=https://10.77.0.3:2380", "one=https://192.0.2.2:2380");
        assertThat(EtcdPod.of("etcd.yaml", PodYaml.parse("etcd.yaml", twoAddresses))
                        .memberName())
                .as("one member with two addresses")
                .isEqualTo("one");
    }

    @Test
    void saysWhatIsNoEtcdAndWhatHasNoData() {
        assertRefused("command: [kube-apiserver]", "etcd.yaml", "has no container that runs etcd", "--etcd-manifest");
        assertRefused(
                "command: [etcd], livenessProbe: {httpGet: {host: 127.0.0.1, path: /health, port: 2381, scheme: HTTP}}",
                "etcd.yaml: --data-dir",
                "is not set",
                "its tool before 'ouro start'");
    }

    private static void assertRefused(String container, String where, String what, String next) {
        Pod pod = PodYaml.parse("etcd.yaml", """
                apiVersion: v1
                kind: Pod
                metadata: {name: etcd}
                spec: {containers: [{name: etcd, image: etcd, %s}]}
                """.formatted(container));
        Refusal.of(() -> EtcdPod.of("etcd.yaml", pod), ErrorCode.UNSUPPORTED_CLUSTER)
                .where(where)
                .what(what)
                .nextContains(next);
    }

    @Test
    void takesTheToolThatTheVersionHas() {
        EtcdTools tools = new EtcdTools();
        assertThat(tools.restoring(KubernetesVersion.of(3, 4))).containsExactly("etcdctl");
        assertThat(tools.restoring(KubernetesVersion.of(3, 5))).containsExactly("etcdutl", "etcdctl");
        assertThat(tools.restoring(KubernetesVersion.of(3, 6))).containsExactly("etcdutl");
        assertThat(tools.raisesRevision(KubernetesVersion.of(3, 5))).isFalse();
        assertThat(tools.raisesRevision(KubernetesVersion.of(3, 6))).isTrue();
    }
}
