package dev.ouroboros.change.decide;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.json.JsonText;
import dev.ouroboros.model.json.JsonText.MalformedJson;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.problem.testing.Refusal;
import java.util.List;
import org.junit.jupiter.api.Test;

final class AbortTest {
    private static Json json(String text) {
        try {
            return JsonText.read(text.replace('\'', '"'));
        } catch (MalformedJson e) {
            throw new AssertionError(e);
        }
    }

    private static Json revision(int number, String image) {
        return json("{'revision': " + number + ", 'metadata': {'labels': {'controller-revision-hash': '" + image
                + "'}}, 'data': {'spec': {'template': {'$patch': 'replace', 'metadata': {'creationTimestamp': null},"
                + " 'spec': {'image': '" + image + "'}}}}}");
    }

    private static Json pod(String hash) {
        return json("{'metadata': {'labels': {'controller-revision-hash': '" + hash + "'}}}");
    }

    private static Json set(String image, int updated, String state) {
        return json("{'metadata': {'generation': 2, 'annotations': {'ouroboros.dev/change-state': '" + state
                + "'}}, 'spec': {'template': {'metadata': {}, 'spec': {'image': '" + image
                + "'}}}, 'status': {'observedGeneration': 2, 'desiredNumberScheduled': 1, 'numberReady': 1,"
                + " 'updatedNumberScheduled': " + updated + "}}");
    }

    private static String imageOf(Json.Fields set) {
        assertThat(set.at("spec", "template", "$patch").isNull()).isTrue();
        return set.at("spec", "template", "spec", "image").text().orElse("");
    }

    @Test
    void givesTheTemplateOfThePodsThatRun() {
        List<Json> revisions = List.of(revision(1, "a"), revision(2, "b"), revision(3, "c"));

        assertThat(imageOf(Abort.of(set("c", 0, "Failed"), List.of(pod("a")), revisions)))
                .isEqualTo("a");
    }

    /** A bad flag, a bad image, and {@code kubectl rollout undo}, which asks for the bad flag again as the newest revision. */
    @Test
    void givesWhatRunsHoweverManyBadTemplatesWereAskedForSince() {
        List<Json> revisions = List.of(revision(1, "good"), revision(3, "bad-image"), revision(4, "bad-flag"));

        assertThat(imageOf(Abort.of(set("bad-flag", 0, "Failed"), List.of(pod("good")), revisions)))
                .isEqualTo("good");
    }

    /** A pod that was lost is made of what is asked for, be it bad: on another node one is ready. */
    @Test
    void prefersWhatIsReadyToWhatIsThere() {
        List<Json> revisions = List.of(revision(1, "good"), revision(2, "bad-flag"), revision(3, "bad-image"));

        assertThat(imageOf(Abort.of(
                        set("bad-image", 0, "Failed"), List.of(pod("bad-flag"), ready(pod("good"))), revisions)))
                .isEqualTo("good");
    }

    /** The second change was made on the first node and failed on the second; then a third was asked for, which is bad too. */
    @Test
    void prefersWhatMostNodesHaveToWhatFailedBehindTheFirst() {
        List<Json> revisions = List.of(revision(1, "good"), revision(2, "half-done"), revision(3, "bad-image"));
        List<Json> pods = List.of(ready(pod("half-done")), ready(pod("good")), ready(pod("good")));

        assertThat(imageOf(Abort.of(set("bad-image", 0, "Failed"), pods, revisions)))
                .isEqualTo("good");
        assertThat(imageOf(Abort.of(set("bad-image", 0, "Failed"), pods.subList(0, 2), revisions)))
                .as("the newest of those with as many")
                .isEqualTo("half-done");
    }

    @Test
    void givesADeploymentTheTemplateOfTheReplicaSetWithMostReadyPods() {
        Json deployment = json("{'kind': 'Deployment', 'metadata': {'name': 'kube-scheduler', 'generation': 4},"
                + " 'spec': {'template': {'metadata': {'labels': {'a': 'b'}}, 'spec': {'image': 'bad-flag'}}},"
                + " 'status': {'observedGeneration': 4, 'replicas': 3, 'updatedReplicas': 0, 'availableReplicas': 3}}");

        assertThat(imageOf(Abort.ofDeployment(
                        deployment,
                        List.of(
                                replicaSet(1, "good", 2),
                                replicaSet(2, "half-done", 1),
                                replicaSet(4, "bad-flag", 0)))))
                .isEqualTo("good");
    }

    @Test
    void givesADeploymentTheTemplateOfTheReplicaSetThatIsReady() {
        Json deployment = json("{'kind': 'Deployment', 'metadata': {'name': 'kube-scheduler', 'generation': 4},"
                + " 'spec': {'template': {'metadata': {'labels': {'a': 'b'}}, 'spec': {'image': 'bad-flag'}}},"
                + " 'status': {'observedGeneration': 4, 'replicas': 2, 'updatedReplicas': 1, 'availableReplicas': 1}}");
        List<Json> sets =
                List.of(replicaSet(1, "good", 1), replicaSet(3, "bad-image", 0), replicaSet(4, "bad-flag", 0));

        Json.Fields back = Abort.ofDeployment(deployment, sets);

        assertThat(imageOf(back)).isEqualTo("good");
        assertThat(back.at("spec", "template", "metadata", "labels"))
                .as("without the label of the ReplicaSet")
                .isEqualTo(json("{'a': 'b'}"));
    }

    @Test
    void refusesADeploymentThatIsAtRest() {
        Json deployment = json("{'kind': 'Deployment', 'metadata': {'name': 'kube-scheduler', 'generation': 1},"
                + " 'spec': {'template': {}}, 'status': {'observedGeneration': 1, 'replicas': 1, 'updatedReplicas': 1,"
                + " 'availableReplicas': 1}}");

        assertThatThrownBy(() -> Abort.ofDeployment(deployment, List.of()))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining("Deployment kube-system/kube-scheduler")
                .hasMessageContaining("no change is under way");
    }

    private static Json ready(Json pod) {
        return ((Json.Fields) pod).with("status", json("{'conditions': [{'type': 'Ready', 'status': 'True'}]}"));
    }

    private static Json replicaSet(int number, String image, int ready) {
        return json("{'metadata': {'annotations': {'deployment.kubernetes.io/revision': '" + number
                + "'}}, 'spec': {'template': {'metadata': {'labels': {'a': 'b', 'pod-template-hash': '" + image
                + "'}}, 'spec': {'image': '" + image + "'}}}, 'status': {'replicas': " + Math.max(ready, number - 3)
                + ", 'readyReplicas': " + ready + "}}");
    }

    @Test
    void givesTheTemplateOfBeforeWhenThePodsAreOfTheNewOne() {
        List<Json> revisions = List.of(revision(1, "a"), revision(2, "b"));

        assertThat(imageOf(Abort.of(set("b", 1, "Soaking"), List.of(pod("b")), revisions)))
                .isEqualTo("a");
    }

    @Test
    void takesBackATemplateThatItsControllerHasNotSeenYet() {
        List<Json> revisions = List.of(revision(1, "z"), revision(2, "a"));

        assertThat(imageOf(Abort.of(set("b", 0, "Waiting"), List.of(pod("a")), revisions)))
                .isEqualTo("a");
    }

    @Test
    void refusesWhenNoChangeIsUnderWay() {
        assertThatThrownBy(() -> Abort.of(set("a", 1, "Done"), List.of(pod("a")), List.of(revision(1, "a"))))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining("no change is under way");
    }

    @Test
    void refusesWhenNoTemplateOfBeforeIsKnown() {
        Refusal.of(
                        () -> Abort.of(set("b", 0, "Failed"), List.of(pod("b")), List.of(revision(2, "b"))),
                        ErrorCode.CHANGE_REFUSED)
                .where("DaemonSet kube-system/kube-apiserver")
                .what("no template of before is known")
                .nextContains("kubectl rollout undo");
    }
}
