package dev.ouroboros.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodListBuilder;
import io.fabric8.kubernetes.api.model.apps.ControllerRevision;
import io.fabric8.kubernetes.api.model.apps.ControllerRevisionBuilder;
import io.fabric8.kubernetes.api.model.apps.ControllerRevisionListBuilder;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.api.model.apps.DaemonSetBuilder;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

final class OutdatedPodsTest {
    private static final WorkloadReference API_SERVER =
            new WorkloadReference("DaemonSet", "kube-system", "kube-apiserver");
    private static final DaemonSet SET = new DaemonSetBuilder()
            .withNewMetadata()
            .withName("kube-apiserver")
            .withNamespace("kube-system")
            .withUid("u-1")
            .endMetadata()
            .withNewSpec()
            .withNewSelector()
            .withMatchLabels(Map.of("k8s-app", "kube-apiserver"))
            .endSelector()
            .endSpec()
            .build();
    private static final Optional<String> NEW = Optional.of("new");

    private static ObjectMeta owned(String name, String owner, Map<String, String> labels) {
        return new ObjectMetaBuilder()
                .withName(name)
                .withNamespace("kube-system")
                .withLabels(labels)
                .addNewOwnerReference()
                .withUid(owner)
                .endOwnerReference()
                .build();
    }

    private static Pod pod(String name, String owner, String node, Map<String, String> labels) {
        return new PodBuilder()
                .withMetadata(owned(name, owner, labels))
                .withNewSpec()
                .withNodeName(node)
                .endSpec()
                .build();
    }

    private static Pod madeFrom(String hash) {
        return pod("pod-of-" + hash, "u-1", "node-1", Map.of(OutdatedPods.HASH, hash));
    }

    private static Pod leaving(Pod pod) {
        return new PodBuilder(pod)
                .editMetadata()
                .withDeletionTimestamp("2026-11-23T12:00:00Z")
                .endMetadata()
                .build();
    }

    private static ControllerRevision revision(long number, String owner, String hash) {
        return new ControllerRevisionBuilder()
                .withMetadata(owned("kube-apiserver-" + hash, owner, Map.of(OutdatedPods.HASH, hash)))
                .withRevision(number)
                .build();
    }

    private static boolean includes(Pod pod) {
        return OutdatedPods.includes(SET, NEW, "node-1", pod);
    }

    @Test
    void includesWhatWasMadeFromAnotherTemplate() {
        assertThat(includes(madeFrom("old"))).isTrue();
        assertThat(includes(madeFrom("new"))).isFalse();
    }

    @Test
    void leavesPodsOfOthersAndThoseThatLeaveAlready() {
        assertThat(includes(pod("other", "u-2", "node-1", Map.of(OutdatedPods.HASH, "old"))))
                .isFalse();
        assertThat(includes(pod("elsewhere", "u-1", "node-2", Map.of(OutdatedPods.HASH, "old"))))
                .isFalse();
        assertThat(includes(leaving(madeFrom("old")))).isFalse();
    }

    @Test
    void doesNotJudgeWithoutAHash() {
        assertThat(includes(pod("bare", "u-1", "node-1", Map.of()))).isFalse();
        assertThat(OutdatedPods.includes(SET, Optional.empty(), "node-1", madeFrom("old")))
                .isFalse();
    }

    /** {@code kubectl rollout undo}: the controller gives the revision of before the highest number. */
    @Test
    void aTemplateThatWasTakenBackIsTheOneOfBefore() {
        List<ControllerRevision> undone =
                List.of(revision(3, "u-1", "good"), revision(2, "u-1", "bad"), revision(9, "u-2", "of-another-set"));

        assertThat(OutdatedPods.askedFor(SET, undone)).contains("good");
        assertThat(OutdatedPods.askedFor(SET, List.of())).isEmpty();
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
                    Serialization.asJson(SET));
            api.on(
                    "GET",
                    "/apis/apps/v1/namespaces/kube-system/controllerrevisions",
                    200,
                    Serialization.asJson(new ControllerRevisionListBuilder()
                            .withItems(revision(1, "u-1", "old"), revision(2, "u-1", "new"))
                            .build()));
            api.on(
                    "GET",
                    pods,
                    200,
                    Serialization.asJson(new PodListBuilder()
                            .withItems(madeFrom("old"), madeFrom("new"))
                            .build()));
            for (String hash : List.of("old", "new")) {
                String path = pods + "/pod-of-" + hash;
                api.on("DELETE", path, 200, Serialization.asJson(madeFrom(hash)));
                api.after("DELETE", path, () -> deleted.add(hash));
            }
            try (ClusterClient client = api.client()) {
                assertThat(OutdatedPods.delete(client, API_SERVER, "node-1")).containsExactly("pod-of-old");
            }
        }
        assertThat(deleted).containsExactly("old");
    }

    @Test
    void withoutTheDaemonSetThereIsNothingToDelete() throws Exception {
        try (LoopbackApi api = new LoopbackApi();
                ClusterClient client = api.client()) {
            assertThat(OutdatedPods.delete(client, API_SERVER, "node-1")).isEmpty();
        }
    }
}
