package dev.ouroboros.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodListBuilder;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.api.model.apps.DaemonSetBuilder;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

final class OutdatedPodsTest {
    private static final WorkloadReference API_SERVER =
            new WorkloadReference("DaemonSet", "kube-system", "kube-apiserver");
    private static final DaemonSet ASKS_FOR_2 = new DaemonSetBuilder()
            .withNewMetadata()
            .withName("kube-apiserver")
            .withNamespace("kube-system")
            .withUid("u-1")
            .withAnnotations(Map.of(OutdatedPods.ASKED_FOR, "2"))
            .endMetadata()
            .withNewSpec()
            .withNewSelector()
            .withMatchLabels(Map.of("k8s-app", "kube-apiserver"))
            .endSelector()
            .endSpec()
            .build();

    private static Pod pod(String name, String owner, Map<String, String> labels) {
        return new PodBuilder()
                .withNewMetadata()
                .withName(name)
                .withNamespace("kube-system")
                .withLabels(labels)
                .addNewOwnerReference()
                .withUid(owner)
                .endOwnerReference()
                .endMetadata()
                .build();
    }

    private static Pod madeFrom(String generation) {
        return pod("pod-of-" + generation, "u-1", Map.of(OutdatedPods.MADE_FROM, generation));
    }

    private static Pod leaving(Pod pod) {
        return new PodBuilder(pod)
                .editMetadata()
                .withDeletionTimestamp("2026-11-23T12:00:00Z")
                .endMetadata()
                .build();
    }

    @Test
    void includesWhatWasMadeFromAnotherTemplate() {
        assertThat(OutdatedPods.includes(ASKS_FOR_2, madeFrom("1"))).isTrue();
        assertThat(OutdatedPods.includes(ASKS_FOR_2, madeFrom("2"))).isFalse();
    }

    @Test
    void leavesPodsOfOthersAndThoseThatLeaveAlready() {
        assertThat(OutdatedPods.includes(ASKS_FOR_2, pod("other", "u-2", Map.of(OutdatedPods.MADE_FROM, "1"))))
                .isFalse();
        assertThat(OutdatedPods.includes(ASKS_FOR_2, leaving(madeFrom("1")))).isFalse();
    }

    @Test
    void doesNotJudgeWithoutACount() {
        assertThat(OutdatedPods.includes(ASKS_FOR_2, pod("bare", "u-1", Map.of())))
                .isFalse();
        DaemonSet uncounted = new DaemonSetBuilder(ASKS_FOR_2)
                .editMetadata()
                .withAnnotations(Map.of())
                .endMetadata()
                .build();
        assertThat(OutdatedPods.includes(uncounted, madeFrom("1"))).isFalse();
    }

    @Test
    void deletesThoseOnly() throws Exception {
        String pods = "/api/v1/namespaces/kube-system/pods";
        List<String> deleted = new CopyOnWriteArrayList<>();
        try (LoopbackApi api = new LoopbackApi()) {
            api.on(
                    "GET",
                    "/apis/apps/v1/namespaces/kube-system/daemonsets/kube-apiserver",
                    200,
                    Serialization.asJson(ASKS_FOR_2));
            api.on(
                    "GET",
                    pods,
                    200,
                    Serialization.asJson(new PodListBuilder()
                            .withItems(madeFrom("1"), madeFrom("2"))
                            .build()));
            for (String generation : List.of("1", "2")) {
                String path = pods + "/pod-of-" + generation;
                api.on("DELETE", path, 200, Serialization.asJson(madeFrom(generation)));
                api.after("DELETE", path, () -> deleted.add(generation));
            }
            try (ClusterClient client = api.client()) {
                OutdatedPods.delete(client, API_SERVER);
            }
        }
        assertThat(deleted).containsExactly("1");
    }

    @Test
    void withoutTheDaemonSetThereIsNothingToDelete() throws Exception {
        try (LoopbackApi api = new LoopbackApi();
                ClusterClient client = api.client()) {
            OutdatedPods.delete(client, API_SERVER);
        }
    }
}
