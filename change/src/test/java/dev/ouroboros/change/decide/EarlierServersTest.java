package dev.ouroboros.change.decide;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.keeper.decide.CheckpointSummary;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.json.JsonText;
import dev.ouroboros.model.json.JsonText.MalformedJson;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class EarlierServersTest {
    private static final String NEW = "11".repeat(32);
    private static final String OLD = "22".repeat(32);

    private final List<Json> pods = new ArrayList<>();
    private final List<Json> nodes = new ArrayList<>();
    private String revision = NEW;

    private static Json json(String text) {
        try {
            return JsonText.read(text.replace('\'', '"'));
        } catch (MalformedJson e) {
            throw new AssertionError(e);
        }
    }

    private void pod(String node, String hash, String more) {
        pods.add(json("{'metadata': {'name': 'kube-apiserver-" + node + "', 'labels': {'controller-revision-hash': '"
                + hash + "'}, 'ownerReferences': [{'uid': 'set'}]" + more + "}, 'spec': {'nodeName': '" + node
                + "'}}"));
    }

    private void understudy(String node, String component) {
        pods.add(json("{'metadata': {'labels': {'ouroboros.dev/understudy': '" + component
                + "'}}, 'spec': {'nodeName': '" + node + "', 'containers': [{'name': '" + component + "'}]}}"));
    }

    private void node(String name, String slots) {
        told(
                name,
                "{\"format\": 1, \"at\": \"2026-11-28T12:00:00Z\", \"components\": {\"kube-system/kube-apiserver\": {"
                        + slots + "}}}");
    }

    private void told(String name, String annotation) {
        Json annotations = Json.object().with(CheckpointSummary.ANNOTATION, Json.text(annotation));
        nodes.add(Json.object()
                .with("metadata", Json.object().with("name", Json.text(name)).with("annotations", annotations)));
    }

    private static String slot(String which, String digest) {
        return "\"" + which + "\": {\"revision\": \"" + digest + "\"}";
    }

    private Optional<String> waitedFor() {
        Json set = json(
                "{'metadata': {'uid': 'set', 'annotations': {'ouroboros.dev/change-revision': '" + revision + "'}}}");
        return EarlierServers.waitedFor(set, pods, nodes);
    }

    @Test
    void nothingIsWaitedForWhereAllAreOfTheTemplate() {
        pod("one", "new", "");
        pod("two", "new", ", 'deletionTimestamp': '2026-11-28T12:00:00Z'");
        understudy("one", "kube-scheduler");
        node("one", slot("lastGood", NEW));
        node("two", slot("lastGood", NEW));
        nodes.add(json("{'metadata': {'name': 'worker'}}"));
        assertThat(waitedFor()).isEmpty();
    }

    /** The DaemonSet does not count it any more. */
    @Test
    void aServerThatEndsOnANodeThatHasLeft() {
        pod("one", "new", "");
        pod("two", "old", ", 'deletionTimestamp': '2026-11-28T12:00:00Z'");
        assertThat(waitedFor()).contains("the API server of an earlier template on two to end");
    }

    @Test
    void aServerThatHasEndedIsNotWaitedFor() {
        pod("one", "new", "");
        pods.add(((Json.Fields)
                        json(
                                "{'metadata': {'labels': {'controller-revision-hash': 'old'}, 'ownerReferences': [{'uid': 'set'}]}}"))
                .with("status", json("{'phase': 'Failed'}")));
        assertThat(waitedFor()).isEmpty();
    }

    @Test
    void anUnderstudyThatStandsIn() {
        pod("one", "new", "");
        understudy("two", "kube-apiserver");
        assertThat(waitedFor()).contains("the API server's understudy on two to end");
    }

    /** Its pod was lost, and made of the present template; what the keeper would start is of an earlier one until then. */
    @Test
    void aCheckpointThatIsNotProven() {
        node("one", slot("lastGood", NEW));
        node("two", slot("lastGood", OLD) + ", " + slot("candidate", NEW));
        assertThat(waitedFor()).contains("the API server's checkpoint on two to be proven");
    }

    @Test
    void aCheckpointOfAnotherTemplateThanTheOthers() {
        node("one", slot("lastGood", NEW));
        node("two", slot("lastGood", OLD));
        assertThat(waitedFor()).contains("the API server's checkpoint on two to be of the present template");
        revision = "33".repeat(32);
        assertThat(waitedFor())
                .as("where pods are changed as they are made, none is of the template's own revision")
                .isEmpty();
    }

    @Test
    void aCheckpointThatItsKeeperCannotRead() {
        node("one", slot("lastGood", NEW));
        node("two", "\"unknown\": \"its digest is another\"");
        assertThat(waitedFor()).contains("the API server's checkpoint on two to be readable: its digest is another");
    }

    @Test
    void aKeeperWhoseWordCannotBeRead() {
        told("one", "x");
        assertThat(waitedFor().orElse("")).startsWith("the keeper of one to say what it has saved: is not JSON");
    }
}
