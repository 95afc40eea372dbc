package dev.ouroboros.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.json.JsonText;
import dev.ouroboros.model.manifest.WorkloadReference;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

final class LeftOutPartsTest {
    private static final String PROXY = "/apis/apps/v1/namespaces/kube-system/daemonsets/kube-proxy";
    private static final WorkloadReference KUBE_PROXY = new WorkloadReference("DaemonSet", "kube-system", "kube-proxy");

    private final List<String> deleted = new CopyOnWriteArrayList<>();

    private List<WorkloadReference> deleted(String manager, List<Json> objects) throws Exception {
        String proxy = """
                {"kind": "DaemonSet", "apiVersion": "apps/v1", "metadata": {"name": "kube-proxy", "namespace": "kube-system", "uid": "u-1",
                 "managedFields": [{"manager": "%s", "operation": "Apply"}, {"manager": "kube-controller-manager"}]}}""".formatted(manager);
        try (LoopbackApi api = new LoopbackApi();
                ClusterClient client = api.client()) {
            api.on("GET", PROXY, 200, proxy).on("DELETE", PROXY, 200, proxy);
            api.after("DELETE", PROXY, () -> deleted.add("kube-proxy"));
            return LeftOutParts.delete(client, objects);
        }
    }

    @Test
    void aProxyThatAFormerStartAppliedGoesWithItsManifest() throws Exception {
        assertThat(deleted("ouroboros", List.of())).containsExactly(KUBE_PROXY);
        assertThat(deleted).containsExactly("kube-proxy");
    }

    @Test
    void oneOfSomebodyElseStays() throws Exception {
        assertThat(deleted("kubeadm", List.of())).isEmpty();
        assertThat(deleted).isEmpty();
    }

    @Test
    void oneThatTheManifestsHaveStays() throws Exception {
        Json proxy = JsonText.read("""
                {"kind": "DaemonSet", "apiVersion": "apps/v1", "metadata": {"name": "kube-proxy", "namespace": "kube-system"}}""");
        assertThat(deleted("ouroboros", List.of(proxy))).isEmpty();
        assertThat(deleted).isEmpty();
    }
}
