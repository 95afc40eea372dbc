package dev.ouroboros.change;

import static dev.ouroboros.change.FakeCluster.json;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.cluster.ClusterWriter;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.json.JsonText;
import dev.ouroboros.model.kubelet.KubeletReport;
import dev.ouroboros.model.kubelet.KubeletReport.State;
import dev.ouroboros.model.kubelet.KubeletWish;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** Nodes and pods. Each node's keeper or agent says at once how what is wished stands, and each pod that is evicted is gone at once. */
final class FakeKubelets implements ChangeApi {
    static final String NODES = "/api/v1/nodes/";

    /** The end of the process. */
    static final class Killed extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    final FakeCluster objects = new FakeCluster();
    final List<String> order = new ArrayList<>();
    String bad = "none";
    int writesLeft = Integer.MAX_VALUE;
    String leaves = "";
    String becomesReady = "";
    int budgets;
    /** A node that is gone as soon as a pod is asked to leave another one. */
    String leavesAtEviction = "";
    /** Whether a pod that leaves is made anew on its node. */
    boolean comesBack;
    /** A wish with this in it waits for its program. */
    String waits = "none";
    /** What every node says that it has; empty while none says it. */
    Optional<Set<String>> programs = Optional.empty();

    @Override
    public Json read(String path) {
        return objects.read(path);
    }

    @Override
    public List<Json> list(String collection, String query) {
        return objects.list(collection, query).stream()
                .filter(object -> query.isEmpty()
                        || query.equals("fieldSelector=spec.nodeName%3D"
                                + object.at("spec", "nodeName").text().orElse("")))
                .toList();
    }

    /** Evicts a pod, as its budget allows. */
    @Override
    public ClusterWriter.Outcome create(String collection, Json object) {
        assertThat(object.at("apiVersion")).isEqualTo(Json.text("policy/v1beta1"));
        String pod = collection.substring(0, collection.lastIndexOf("/eviction"));
        order.add("evict " + object.at("metadata", "name").text().orElse(""));
        objects.objects.remove(NODES + leavesAtEviction);
        if (budgets-- > 0) {
            throw ProblemException.of(
                    ErrorCode.API_UNAVAILABLE, collection, "would violate the budget", "", "try again");
        }
        Json gone = objects.read(pod);
        objects.objects.remove(pod);
        if (comesBack) {
            Json.Fields metadata = ((Json.Fields) gone.at("metadata")).with("uid", Json.text("another"));
            objects.put(pod + "-2", ((Json.Fields) gone).with("metadata", metadata));
        }
        return new ClusterWriter.Outcome.Written(object);
    }

    @Override
    public ClusterWriter.Outcome delete(String path, String uid) {
        throw new AssertionError("nothing is deleted");
    }

    @Override
    public ClusterWriter.Outcome replace(String path, Json object) {
        if (writesLeft-- <= 0) {
            throw new Killed();
        }
        objects.objects.remove(NODES + leaves);
        if (path.equals(NODES + becomesReady)) {
            ready(becomesReady, "True");
            return replace(path, withVersionOf(path, object));
        }
        boolean isCordon = !objects.read(path).at("spec", "unschedulable").equals(object.at("spec", "unschedulable"));
        ClusterWriter.Outcome outcome = objects.replace(path, object);
        String node = path.substring(NODES.length());
        if (isCordon) {
            order.add((object.at("spec", "unschedulable").isTrue() ? "cordon " : "uncordon ") + node);
            return outcome;
        }
        order.add(node);
        String text = object.at("metadata", "annotations", KubeletWish.ANNOTATION)
                .text()
                .orElse("");
        State state = text.contains(bad) ? State.FAILED : text.contains(waits) ? State.WAITING : State.RUNNING;
        report(path, text, state);
        return outcome;
    }

    private Json withVersionOf(String path, Json object) {
        becomesReady = "";
        Json.Fields metadata = ((Json.Fields) object.at("metadata"))
                .with("resourceVersion", objects.read(path).at("metadata", "resourceVersion"));
        return ((Json.Fields) object)
                .with("metadata", metadata)
                .with("status", objects.read(path).at("status"));
    }

    void ready(String node, String status) {
        Json object = objects.read(NODES + node);
        objects.put(
                NODES + node,
                ((Json.Fields) object)
                        .with("status", json("{'conditions': [{'type': 'Ready', 'status': '" + status + "'}]}")));
    }

    void report(String path, String text, State state) {
        KubeletReport report = new KubeletReport(
                state,
                KubeletReport.digestOf(text),
                "base",
                "abc",
                state == State.FAILED ? "it ended" : "",
                programs.map(TreeSet::new));
        Json node = objects.read(path);
        Json.Fields annotations = node.at("metadata", "annotations") instanceof Json.Fields some ? some : Json.object();
        Json.Fields metadata = ((Json.Fields) node.at("metadata"))
                .with(
                        "annotations",
                        annotations.with(KubeletReport.ANNOTATION, Json.text(JsonText.text(report.json()))));
        objects.put(path, ((Json.Fields) node).with("metadata", metadata));
    }

    /** A Node whose keeper or agent says that it runs as it was made. */
    void node(String name, String labels, String ready) {
        objects.put(
                NODES + name,
                json("{'metadata': {'name': '" + name + "', 'labels': " + labels
                        + "}, 'status': {'conditions': [{'type': 'Ready', 'status': '" + ready + "'}]}}"));
        report(NODES + name, "", State.RUNNING);
    }
}
