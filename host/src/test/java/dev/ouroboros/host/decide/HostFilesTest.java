package dev.ouroboros.host.decide;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.host.decide.HostSettings.Role;
import dev.ouroboros.model.asset.AssetLayout;
import dev.ouroboros.model.kubelet.KubeletLayout;
import dev.ouroboros.model.version.KubernetesVersion;
import java.net.InetAddress;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

final class HostFilesTest {
    private static HostSettings settings(Role role, CgroupDriver driver, String version) {
        return settings(role, driver, version, NodePool.NONE);
    }

    private static HostSettings settings(Role role, CgroupDriver driver, String version, NodePool pool) {
        List<String> needed = role == Role.WORKER
                ? List.of(AssetLayout.CA_CERTIFICATE, AssetLayout.KUBELET_KUBECONFIG)
                : HostFiles.neededAssets();
        return new HostSettings(
                role,
                "one",
                InetAddress.ofLiteral("10.0.0.5"),
                KubernetesVersion.parse(version).orElseThrow(),
                InetAddress.ofLiteral("10.3.0.10"),
                "cluster.local",
                pool,
                true,
                driver,
                true,
                Optional.empty(),
                "pause:1",
                "etcd:1",
                needed.stream().collect(Collectors.toMap(path -> path, path -> "text of " + path)),
                Map.of(),
                Map.of("kubelet", "/programs/kubelet"));
    }

    private static final String CONFIG = HostFiles.KUBELET_BASE + "/config.yaml";
    private static final String RUN = HostFiles.KUBELET_BASE + "/run.sh";

    private static Map<String, HostFile> byPath(HostSettings settings) {
        return HostFiles.of(settings).stream().collect(Collectors.toMap(HostFile::path, file -> file));
    }

    private static String text(HostSettings settings, String path) {
        HostFile file = byPath(settings).get(path);
        return file != null && file.content() instanceof HostFile.Content.Text(String value) ? value : "";
    }

    @Test
    void theKubeletAndContainerdAgreeOnWhoMakesControlGroups() {
        HostSettings unified = settings(Role.WORKER, CgroupDriver.fitting(true), "v1.36.0");
        HostSettings legacy = settings(Role.WORKER, CgroupDriver.fitting(false), "v1.20.2");

        assertThat(text(unified, CONFIG)).contains("cgroupDriver: systemd");
        assertThat(text(unified, HostFiles.CONTAINERD_CONFIG)).contains("SystemdCgroup = true");
        assertThat(text(legacy, CONFIG)).contains("cgroupDriver: cgroupfs");
        assertThat(text(legacy, HostFiles.CONTAINERD_CONFIG)).contains("SystemdCgroup = false");
    }

    @Test
    void aWorkerGetsNoKeyOfEtcd() {
        assertThat(byPath(settings(Role.WORKER, CgroupDriver.SYSTEMD, "v1.20.2"))
                        .keySet())
                .noneMatch(path -> path.contains("etcd"));
    }

    @Test
    void aPoolIsInTheKubeletsConfigurationAndOnItsCommandLine() {
        NodePool pool = new NodePool(
                new TreeMap<>(Map.of("rack", "7", "zone", "b")), List.of("gpu=yes:NoSchedule"), Map.of("maxPods", 50));
        HostSettings settings = settings(Role.WORKER, CgroupDriver.SYSTEMD, "v1.36.0", pool);

        assertThat(text(settings, CONFIG)).contains("maxPods: 50", "clusterDomain: cluster.local");
        assertThat(text(settings, RUN))
                .contains("--node-labels=rack=7,zone=b", "--register-with-taints=gpu=yes:NoSchedule");
    }

    @Test
    void keysAndTokensAreTheirOwnersAlone() {
        Map<String, HostFile> files = byPath(settings(Role.CONTROL_PLANE, CgroupDriver.SYSTEMD, "v1.20.2"));

        assertThat(files.values().stream()
                        .filter(file ->
                                file.path().endsWith(".key") || file.path().contains("kubeconfig"))
                        .map(HostFile::permissions))
                .hasSize(3)
                .containsOnly(HostFile.SECRET);
    }

    @Test
    void etcdIsWrittenAfterWhatItReads() {
        List<String> paths = HostFiles.of(settings(Role.CONTROL_PLANE, CgroupDriver.SYSTEMD, "v1.20.2")).stream()
                .map(HostFile::path)
                .toList();

        assertThat(paths).last().isEqualTo(HostFiles.ETCD_MANIFEST);
    }

    @Test
    void theUnitStartsTheKubeletOfTheVersion() {
        HostSettings old = settings(Role.WORKER, CgroupDriver.CGROUPFS, "v1.20.2");
        assertThat(text(old, HostFiles.KUBELET_UNIT))
                .contains("ExecStart=/bin/bash " + KubeletLayout.DIRECTORY + "/start.sh\n")
                .contains("After=containerd.service");
        assertThat(text(old, RUN))
                .contains("exec '/usr/local/bin/kubelet' \\\n")
                .contains("'--container-runtime-endpoint=unix:///run/containerd/containerd.sock'")
                .contains("'--pod-infra-container-image=pause:1'")
                .contains("'--config=" + CONFIG + "'");
        assertThat(text(settings(Role.WORKER, CgroupDriver.SYSTEMD, "v1.36.0"), RUN))
                .doesNotContain("--container-runtime-endpoint");
    }

    @Test
    void theGuardLooksForWhatKeepersWrite() {
        HostSettings settings = settings(Role.WORKER, CgroupDriver.SYSTEMD, "v1.36.0");

        assertThat(text(settings, HostFiles.GUARD_PATH_UNIT))
                .contains("PathExists=" + KubeletLayout.DIRECTORY + "/trial\n");
        assertThat(text(settings, HostFiles.GUARD_UNIT))
                .contains("ExecStart=/bin/bash " + KubeletLayout.DIRECTORY
                        + "/guard.sh systemctl restart kubelet.service\n");
        assertThat(text(settings, KubeletLayout.path(KubeletLayout.GUARD))).startsWith("#!/bin/bash");
    }

    @Test
    void aWordOfAUnitMeansItself() {
        assertThat(SystemdWords.quoted("--a=b")).isEqualTo("--a=b");
        assertThat(SystemdWords.quoted("100% $HOME \"x\" \\")).isEqualTo("\"100%% $$HOME \\\"x\\\" \\\\\"");
    }
}
