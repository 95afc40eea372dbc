package dev.ouroboros.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.json.JsonText;
import dev.ouroboros.model.manifest.RevisionHash;
import dev.ouroboros.model.manifest.WorkloadReference;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

final class OutdatedPodsTest {
    private static final WorkloadReference API_SERVER =
            new WorkloadReference("DaemonSet", "kube-system", "kube-apiserver");
    private static final Json.Fields SET = Json.object()
            .with(
                    "metadata",
                    Json.object()
                            .with("name", Json.text("kube-apiserver"))
                            .with("namespace", Json.text("kube-system"))
                            .with("uid", Json.text("u-1")))
            .with(
                    "spec",
                    Json.object()
                            .with("selector", Json.object().with("matchLabels", label("k8s-app", "kube-apiserver"))));
    private static final Optional<String> NEW = Optional.of("new");

    private static Json.Fields label(String name, String value) {
        return Json.object().with(name, Json.text(value));
    }

    private static Json.Fields owned(String name, String owner, Json labels) {
        Json reference = Json.object().with("uid", Json.text(owner));
        return Json.object()
                .with(
                        "metadata",
                        Json.object()
                                .with("name", Json.text(name))
                                .with("namespace", Json.text("kube-system"))
                                .with("uid", Json.text("uid-of-" + name))
                                .with("labels", labels)
                                .with("ownerReferences", Json.items(Stream.of(reference))));
    }

    private static Json.Fields pod(String name, String owner, String node, Json labels) {
        return owned(name, owner, labels).with("spec", Json.object().with("nodeName", Json.text(node)));
    }

    private static Json.Fields madeFrom(String hash) {
        return pod("pod-of-" + hash, "u-1", "node-1", label(RevisionHash.LABEL, hash));
    }

    private static Json leaving(Json.Fields pod) {
        Json.Fields metadata = (Json.Fields) pod.at("metadata");
        return pod.with("metadata", metadata.with("deletionTimestamp", Json.text("2026-11-23T12:00:00Z")));
    }

    private static Json revision(long number, String owner, String hash) {
        return owned("kube-apiserver-" + hash, owner, label(RevisionHash.LABEL, hash))
                .with("revision", Json.number(number));
    }

    private static String text(Json json) {
        return new String(JsonText.write(json), StandardCharsets.UTF_8);
    }

    private static String list(Json... items) {
        return text(Json.object().with("items", Json.items(Stream.of(items))));
    }

    private static boolean includes(Json pod) {
        return OutdatedPods.includes(SET, NEW, "node-1", pod);
    }

    @Test
    void includesWhatWasMadeFromAnotherTemplate() {
        assertThat(includes(madeFrom("old"))).isTrue();
        assertThat(includes(madeFrom("new"))).isFalse();
    }

    @Test
    void leavesPodsOfOthersAndThoseThatLeaveAlready() {
        assertThat(includes(pod("other", "u-2", "node-1", label(RevisionHash.LABEL, "old"))))
                .isFalse();
        assertThat(includes(pod("elsewhere", "u-1", "node-2", label(RevisionHash.LABEL, "old"))))
                .isFalse();
        assertThat(includes(leaving(madeFrom("old")))).isFalse();
    }

    @Test
    void doesNotJudgeWithoutAHash() {
        assertThat(includes(pod("bare", "u-1", "node-1", Json.object()))).isFalse();
        assertThat(OutdatedPods.includes(SET, Optional.empty(), "node-1", madeFrom("old")))
                .isFalse();
    }

    /** {@code kubectl rollout undo}: the controller gives the revision of before the highest number. */
    @Test
    void aTemplateThatWasTakenBackIsTheOneOfBefore() {
        List<Json> undone =
                List.of(revision(3, "u-1", "good"), revision(2, "u-1", "bad"), revision(9, "u-2", "of-another-set"));

        assertThat(OutdatedPods.askedFor(SET, undone)).contains("good");
        assertThat(OutdatedPods.askedFor(SET, List.of())).isEmpty();
    }

    @Test
    void deletesThoseOnly() throws Exception {
        String pods = "/api/v1/namespaces/kube-system/pods";
        List<String> deleted = new CopyOnWriteArrayList<>();
        try (LoopbackApi api = new LoopbackApi()) {
            api.on("GET", "/apis/apps/v1/namespaces/kube-system/daemonsets/kube-apiserver", 200, text(SET));
            api.on(
                    "GET",
                    "/apis/apps/v1/namespaces/kube-system/controllerrevisions",
                    200,
                    list(revision(1, "u-1", "old"), revision(2, "u-1", "new")));
            api.on("GET", pods, 200, list(madeFrom("old"), madeFrom("new")));
            for (String hash : List.of("old", "new")) {
                String path = pods + "/pod-of-" + hash;
                api.on("DELETE", path, 200, text(madeFrom(hash)));
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
