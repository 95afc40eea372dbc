package dev.ouroboros.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ouroboros.api.testing.FakeApiServer;
import dev.ouroboros.cluster.JoinDiscovery;
import dev.ouroboros.endpoint.testing.TestAuthority;
import dev.ouroboros.host.decide.CgroupDriver;
import dev.ouroboros.host.decide.HostSettings;
import dev.ouroboros.host.decide.HostSettings.Role;
import dev.ouroboros.host.decide.NodePool;
import dev.ouroboros.images.oci.BuiltImage;
import dev.ouroboros.images.oci.ContainerImage;
import dev.ouroboros.model.asset.AssetLayout;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.testing.Refusal;
import dev.ouroboros.model.registry.RegistryAccess;
import dev.ouroboros.model.version.KubernetesVersion;
import dev.ouroboros.node.disk.LocalDisk;
import dev.ouroboros.node.packages.DebianPackages;
import dev.ouroboros.node.process.LocalProcesses;
import dev.ouroboros.render.manifest.BootstrapToken;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class HostJoinTest {
    private static final String CONFIG = "/api/v1/namespaces/kube-system/configmaps/ouroboros-joining";
    private static final BootstrapToken TOKEN = new BootstrapToken("abcdef", "0123456789abcdef");
    private static final String BOOT = "boot-1";

    private final FakeApiServer api = new FakeApiServer(new TestAuthority());
    private InstantSource time = InstantSource.system();

    @TempDir
    private Path root = Path.of("");

    HostJoinTest() throws Exception {}

    @BeforeEach
    void aMachine() throws IOException {
        has("/etc/machine-id", "ours\n");
        has("/proc/sys/kernel/random/boot_id", BOOT + "\n");
    }

    @AfterEach
    void close() {
        api.close();
    }

    private void has(String path, String text) throws IOException {
        Path file = root.resolve(path.substring(1));
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }

    private HostJoin join() {
        JoinDiscovery discovery = JoinDiscovery.of(
                api.uri(),
                new JoinDiscovery.Trust.Certificates(List.of(api.authority().certificate())),
                TOKEN.value(),
                InstantSource.system());
        return new HostJoin(new HostTree(new LocalDisk(), root), discovery, TOKEN, time);
    }

    private static HostSettings settings(String version, boolean podNetwork) {
        return new HostSettings(
                Role.WORKER,
                "two",
                InetAddress.ofLiteral("10.0.0.6"),
                KubernetesVersion.parse(version).orElseThrow(),
                InetAddress.ofLiteral("10.3.0.10"),
                "cluster.local",
                NodePool.NONE,
                podNetwork,
                CgroupDriver.SYSTEMD,
                true,
                Optional.empty(),
                "pause:1",
                "etcd:1",
                Map.of(),
                Map.of(),
                Map.of());
    }

    private void hasConfig(String... keysAndTexts) {
        Json.Fields data = Json.object();
        for (int at = 0; at < keysAndTexts.length; at += 2) {
            data = data.with(keysAndTexts[at], Json.text(keysAndTexts[at + 1]));
        }
        api.put(
                CONFIG,
                FakeApiServer.object("v1", "ConfigMap", "kube-system", "ouroboros-joining")
                        .with("data", data));
    }

    private void hasNode(String machineId, String bootId, String ready) {
        Json.Fields condition = Json.object()
                .with("type", Json.text("Ready"))
                .with("status", Json.text(ready))
                .with("message", Json.text("no CNI configuration"));
        api.put(
                "/api/v1/nodes/two",
                FakeApiServer.object("v1", "Node", "", "two")
                        .with(
                                "status",
                                Json.object()
                                        .with(
                                                "nodeInfo",
                                                Json.object()
                                                        .with("machineID", Json.text(machineId))
                                                        .with("bootID", Json.text(bootId)))
                                        .with("conditions", Json.items(Stream.of(condition)))));
    }

    @Test
    void whatTheClusterHasWrittenDownIsWhatTheHostIsMadeOf() {
        hasConfig(
                "cluster",
                "{clusterDNS: 10.3.0.10, clusterDomain: example.local, podCIDR: 10.2.0.0/16, serviceCIDR: 10.3.0.0/24,"
                        + " images: [localhost/keeper:1], podNetwork: false}",
                "pool.worker",
                "labels: {rack: \"7\"}");

        JoinedCluster cluster = join().cluster("worker");

        assertThat(cluster.clusterDns()).contains(InetAddress.ofLiteral("10.3.0.10"));
        assertThat(cluster.clusterDomain()).isEqualTo("example.local");
        assertThat(cluster.clusterBlocks()).isEqualTo(List.of("10.2.0.0/16", "10.3.0.0/24"));
        assertThat(cluster.images()).containsExactly("localhost/keeper:1");
        assertThat(cluster.podNetwork()).isFalse();
        assertThat(cluster.pool().labels()).isEqualTo(Map.of("rack", "7"));
        assertThat(cluster.texts().get(AssetLayout.KUBELET_KUBECONFIG))
                .contains("token: abcdef.0123456789abcdef", "server: " + api.uri());
        assertThat(cluster.texts().get(AssetLayout.CA_CERTIFICATE)).contains("BEGIN CERTIFICATE");
    }

    @Test
    void whatIsMissingOrWrongInItIsSaidTogether() {
        hasConfig("cluster", "clusterDNS: the DNS", "pool.worker", "labels: {rack: a b}");

        assertThatThrownBy(() -> join().cluster("worker"))
                .hasMessageContaining("clusterDNS: is missing, or no address")
                .hasMessageContaining("rack=a b is no label");
    }

    @Test
    void aNameThatIsAnotherMachinesIsRefusedAndItsOwnIsNot() {
        join().requireWelcome(settings("v1.20.2", true));
        hasNode("ours", BOOT, "True");
        join().requireWelcome(settings("v1.20.2", true));
        hasNode("another", BOOT, "True");

        assertThatThrownBy(() -> join().requireWelcome(settings("v1.20.2", true)))
                .hasMessageContaining("machine id another, here ours")
                .hasMessageContaining("kubectl delete node two");
    }

    /** As the option has it no Node is there, and as a kubelet takes it that of another machine is. */
    @Test
    void aNameThatIsAnotherMachinesInOtherLettersIsRefused() throws IOException {
        hasConfig("cluster", "{clusterDNS: 10.3.0.10, podCIDR: 10.2.0.0/16}", "pool.worker", "{}");
        hasNode("another", BOOT, "True");
        Path kubelet = Files.writeString(root.resolve("kubelet"), "#!/bin/sh\n");
        HostTree tree = new HostTree(new LocalDisk(), root);
        HostRequest request = new HostRequest(
                join().cluster("worker"),
                Optional.of("Two"),
                Optional.of(InetAddress.ofLiteral("10.0.0.6")),
                true,
                Optional.empty(),
                RegistryAccess.direct(),
                false);
        Software software = new Software(
                "1.20.2",
                Map.of("kubelet", kubelet),
                Stream.of(BuiltImage.PAUSE, BuiltImage.ETCD)
                        .map(component -> new ContainerImage(component, "1", "key", "here", root, 1))
                        .toList());

        HostSettings settings = new Preparation(
                        tree, new DebianPackages(new LocalProcesses(), new LocalDisk(), root), new LocalProcesses())
                .plan(request, software)
                .settings();

        Refusal.of(() -> join().requireWelcome(settings), ErrorCode.CHANGE_REFUSED)
                .where("Node two")
                .nextContains("say another with --node-name");
    }

    /** Of one disk: machine id and name are the same. */
    @Test
    void aCopyOfAMachineThatRunsIsRefused() {
        hasNode("ours", "boot-of-the-other", "Unknown");
        join().requireWelcome(settings("v1.20.2", true));
        hasNode("ours", "boot-of-the-other", "True");
        Instant begun = Instant.now();
        AtomicInteger looks = new AtomicInteger();
        time = () -> begun.plusSeconds(30L * looks.getAndIncrement());

        assertThatThrownBy(() -> join().requireWelcome(settings("v1.20.2", true)))
                .hasMessageContaining("it is not this one as it runs now")
                .hasMessageContaining("systemd-machine-id-setup")
                .hasMessageContaining("--node-name");
    }

    @Test
    void aMachineOfAnotherClusterIsRefused() throws Exception {
        Files.createDirectories(root.resolve("var/lib/kubelet"));
        api.writeKubeconfig(root.resolve("var/lib/kubelet/kubeconfig"));
        join().requireWelcome(settings("v1.20.2", true));
        try (FakeApiServer other = new FakeApiServer(new TestAuthority())) {
            other.writeKubeconfig(root.resolve("var/lib/kubelet/kubeconfig"));
        }

        assertThatThrownBy(() -> join().requireWelcome(settings("v1.20.2", true)))
                .hasMessageContaining("is of another cluster")
                .hasMessageContaining("ouro host reset --delete-data");
    }

    @Test
    void aKubeletThatIsNewerThanTheServerIsRefused() {
        api.version("v1.20.2");

        assertThatThrownBy(() -> join().requireWelcome(settings("v1.21.0", true)))
                .hasMessageContaining("kubelet v1.21.0")
                .hasMessageContaining("--kubernetes-version 1.20.2");
    }

    @Test
    void aKubeletThatGetsNoCertificateIsSaid() {
        assertThatThrownBy(() -> join().await(settings("v1.20.2", true), Duration.ZERO))
                .hasMessageContaining("its kubelet got no certificate")
                .hasMessageContaining("kubectl get csr");
    }

    @Test
    void itIsANodeWhenItIsReadyOrThereWhereAnAddOnMakesThePodNetwork() throws Exception {
        has("/var/lib/kubelet/pki/kubelet-client-current.pem", "of the kubelet");
        Files.createDirectories(root.resolve("var/lib/kubelet"));
        api.writeKubeconfig(root.resolve("var/lib/kubelet/kubeconfig"));
        hasNode("ours", BOOT, "False");

        join().await(settings("v1.20.2", false), Duration.ZERO);
        assertThatThrownBy(() -> join().await(settings("v1.20.2", true), Duration.ZERO))
                .hasMessageContaining("is not ready after 0 s: no CNI configuration");
        hasNode("ours", BOOT, "True");
        join().await(settings("v1.20.2", true), Duration.ZERO);
    }
}
