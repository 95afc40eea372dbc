package dev.ouroboros.change;

import dev.ouroboros.cluster.ClusterClient;
import dev.ouroboros.cluster.ClusterReader;
import dev.ouroboros.cluster.ClusterWriter;
import dev.ouroboros.keeper.decide.ChangeReport;
import dev.ouroboros.keeper.decide.ChangeStep;
import dev.ouroboros.keeper.decide.CheckpointSummary;
import dev.ouroboros.model.checkpoint.Understudy;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.component.KeeperObjects;
import dev.ouroboros.model.component.NodeAgentObjects;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.manifest.ReadyCondition;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.procedure.Patience;
import dev.ouroboros.node.procedure.ProcedureListener;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Removes the keepers of a cluster, on purpose and for good, in the order in which each step can still be carried out:
 *
 * <ol>
 *   <li>Refuse what would cut clients off: an understudy serves, or a change is under way.
 *   <li>Delete the DaemonSet. Each keeper then removes its checkpoints, its front and at last itself, after its grace.
 *   <li>Wait until no keeper is left and no Node tells of checkpoints. Until then keepers need their rights.
 *   <li>Delete the DaemonSet of the other nodes' agents, and wait until no agent is left: their static copies find out by themselves.
 *   <li>Delete the rights and Secrets of both, the Lease, and what they wrote on the API server's DaemonSet.
 *   <li>Look for all of it again.
 * </ol>
 *
 * <p>Which step is next is seen from the cluster: one that was killed is run again.
 */
public final class KeeperRemoval {
    private static final String SYSTEM = "/api/v1/namespaces/kube-system/";
    private static final String DAEMON_SETS = "/apis/apps/v1/namespaces/kube-system/daemonsets";
    private static final String NODES = "/api/v1/nodes";
    /** The kubelet takes a static pod that it has ended off the API with its next look at all pods, and may be late with that. */
    private static final Duration SETTLING = Duration.ofSeconds(30);

    private static final String OF_DAEMON_SET = "DaemonSet kube-system/" + Component.KEEPER.id();
    private static final List<String> TOLD = List.of(
            ChangeReport.STATE_ANNOTATION,
            ChangeReport.REVISION_ANNOTATION,
            ChangeReport.MESSAGE_ANNOTATION,
            ChangeReport.NODE_ANNOTATION,
            ChangeReport.TRIED_ANNOTATION,
            ChangeReport.SINCE_ANNOTATION);

    private final ChangeApi api;
    private final ControlPlaneObjects plane;
    private final ProcedureListener listener;
    private final Patience patience;
    private final Duration settling;
    private final InstantSource clock;

    public KeeperRemoval(ClusterClient client, ProcedureListener listener, Duration limit, InstantSource clock) {
        this(
                new ClusterChangeApi(new ClusterReader(client), new ClusterWriter(client)),
                listener,
                new Patience(listener, limit, clock),
                SETTLING,
                clock);
    }

    /** @param settling for how long an understudy may still be listed before the removal is refused */
    KeeperRemoval(
            ChangeApi api, ProcedureListener listener, Patience patience, Duration settling, InstantSource clock) {
        this.api = api;
        this.plane = new ControlPlaneObjects(api);
        this.listener = listener;
        this.patience = patience;
        this.settling = settling;
        this.clock = clock;
    }

    /**
     * What came of it.
     *
     * @param cleaned the nodes whose disks show nothing of a keeper any more
     * @param elsewhere the other nodes on which a keeper was: what their disks show is still there
     * @param hasSeveralNodes whether the cluster has more nodes than one
     */
    public record Removed(List<String> cleaned, List<String> elsewhere, boolean hasSeveralNodes) {}

    /**
     * Does what is left to do, in the cluster and then on the nodes that are at hand.
     *
     * @param here what keepers leave on those nodes; looked for when no keeper runs any more
     * @throws ProblemException as {@link #run()}, or COMPONENT_FAILED when something is left on a node
     */
    public Removed run(Supplier<List<KeeperRemains>> here) {
        List<String> nodes = run();
        List<KeeperRemains> remains = here.get().stream()
                .filter(found -> nodes.isEmpty() || nodes.contains(found.node()))
                .toList();
        remains.forEach(KeeperRemains::remove);
        List<String> cleaned = remains.stream().map(KeeperRemains::node).toList();
        return new Removed(
                cleaned,
                nodes.stream().filter(node -> !cleaned.contains(node)).toList(),
                patience.asking(() -> api.list(NODES, "")).size() > 1);
    }

    /**
     * Does what is left to do in the cluster.
     *
     * @return the nodes on which a keeper was
     * @throws ProblemException CHANGE_REFUSED before anything was done, TIMEOUT when nothing moves
     */
    List<String> run() {
        Optional<Json> daemonSet = patience.asking(() -> find(DAEMON_SETS, Component.KEEPER.id()));
        List<String> nodes = patience.asking(this::nodes);
        if (daemonSet.isPresent()) {
            requireSafe();
            patience.asking(() -> api.delete(
                    DAEMON_SETS + "/" + Component.KEEPER.id(),
                    daemonSet.get().at("metadata", "uid").text().orElse("")));
            did("deleted " + OF_DAEMON_SET);
        }
        List<String> left = patience.asking(this::keepersLeft);
        while (!left.isEmpty()) {
            patience.waits(String.join(", ", left)
                    + ": a keeper goes when it has known for its grace (5 minutes, if --retire-grace says no other) that it is not wanted,"
                    + " and the API server of its node serves");
            left = patience.asking(this::keepersLeft);
        }
        did("no keeper is left, and no Node tells of checkpoints");
        removeAgents();
        patience.asking(this::objects).forEach(this::delete);
        forgetWhatWasTold();
        requireNothingLeft();
        return nodes;
    }

    /** Of a node that is not ready the agent cannot find out: it is not waited for, and ends with nothing it may do. */
    private void removeAgents() {
        if (patience.asking(() -> find(DAEMON_SETS, Component.NODE_AGENT.id())).isPresent()) {
            delete(DAEMON_SETS + "/" + Component.NODE_AGENT.id());
        }
        List<String> left = patience.asking(this::agentsLeft);
        while (!left.isEmpty()) {
            patience.waits(
                    String.join(", ", left) + ": an agent goes when it has known for a minute that it is not wanted");
            left = patience.asking(this::agentsLeft);
        }
    }

    private List<String> agentsLeft() {
        Set<String> ready = api.list(NODES, "").stream()
                .filter(ReadyCondition::holds)
                .map(KeeperRemoval::name)
                .collect(Collectors.toSet());
        return pods().stream()
                .filter(pod -> runs(pod, Component.NODE_AGENT)
                        && pod.at("spec", "nodeName")
                                .text()
                                .filter(ready::contains)
                                .isPresent())
                .map(pod -> "Pod kube-system/" + name(pod))
                .toList();
    }

    private void requireSafe() {
        Instant limit = clock.instant().plus(settling);
        while (true) {
            List<Problem> lent = patience.asking(this::lent);
            List<Problem> problems = new ArrayList<>(lent);
            problems.addAll(patience.asking(this::unrestOfTheApiServer));
            if (problems.isEmpty()) {
                return;
            }
            if (problems.size() > lent.size() || clock.instant().isAfter(limit)) {
                throw new ProblemException(problems);
            }
            patience.waits(lent.getFirst().where() + ": an understudy that is still listed");
        }
    }

    /** A keeper that goes takes its understudies along. */
    private List<Problem> lent() {
        return pods().stream()
                .filter(pod -> isUnderstudy(pod) && !isKeeper(pod) && !runs(pod, Component.NODE_AGENT))
                .map(pod -> refusal(
                        "Pod kube-system/" + name(pod),
                        "stands in for a component that is not there",
                        "bring the component back first; 'ouro status' and 'ouro explain' say what it waits for"))
                .toList();
    }

    private List<Problem> unrestOfTheApiServer() {
        List<Problem> problems = new ArrayList<>();
        Json set = plane.daemonSet();
        String step = set.at("metadata", "annotations", ChangeReport.STATE_ANNOTATION)
                .text()
                .orElse("");
        if (Stream.of(ChangeStep.values()).anyMatch(each -> each.word().equals(step) && each.isUnderWay())) {
            problems.add(refusal(
                    "DaemonSet kube-system/kube-apiserver",
                    "a change of it is under way (" + step + ")",
                    "wait for it (ouro status --wait), or take it back first: ouro change abort"));
        }
        long wanted = set.at("status", "desiredNumberScheduled").integer().orElse(0);
        long ready = set.at("status", "numberReady").integer().orElse(0);
        if (ready < wanted || wanted == 0) {
            problems.add(refusal(
                    "DaemonSet kube-system/kube-apiserver",
                    "has " + ready + " of " + wanted + " pods ready",
                    "bring them back first: without a keeper nobody does (ouro status, ouro explain)"));
        }
        return problems;
    }

    private static Problem refusal(String where, String what, String next) {
        return new Problem(ErrorCode.CHANGE_REFUSED, where, what, "a control plane at rest", next);
    }

    private List<Json> pods() {
        return api.list(SYSTEM + "pods", "");
    }

    private List<String> nodes() {
        return Stream.concat(
                        pods().stream()
                                .filter(KeeperRemoval::isKeeper)
                                .flatMap(pod -> pod.at("spec", "nodeName").text().stream()),
                        tellingNodes())
                .distinct()
                .sorted()
                .toList();
    }

    private List<String> keepersLeft() {
        List<String> left = new ArrayList<>();
        pods().stream().filter(KeeperRemoval::isKeeper).forEach(pod -> left.add("Pod kube-system/" + name(pod)));
        tellingNodes().forEach(node -> left.add("Node " + node));
        return left;
    }

    private Stream<String> tellingNodes() {
        return api.list(NODES, "").stream()
                .filter(node -> !node.at("metadata", "annotations", CheckpointSummary.ANNOTATION)
                        .isNull())
                .map(KeeperRemoval::name);
    }

    private static boolean isKeeper(Json pod) {
        return runs(pod, Component.KEEPER);
    }

    private static boolean runs(Json pod, Component component) {
        return pod.at("spec", "containers").items().stream()
                .anyMatch(container -> container.at("name").equals(Json.text(component.id())));
    }

    private static boolean isUnderstudy(Json pod) {
        return !pod.at("metadata", "labels", Understudy.LABEL).isNull();
    }

    /** What there is of the objects of keepers and of nodes' agents, by path. */
    private List<String> objects() {
        List<String> found = new ArrayList<>();
        for (String path : Stream.concat(NodeAgentObjects.rights().stream(), KeeperObjects.paths().stream())
                .toList()) {
            int end = path.lastIndexOf('/');
            if (find(path.substring(0, end), path.substring(end + 1)).isPresent()) {
                found.add(path);
            }
        }
        api.list(SYSTEM + "secrets", "").stream()
                .map(KeeperRemoval::name)
                .filter(name ->
                        name.matches("(" + Component.KEEPER.id() + "|" + Component.NODE_AGENT.id() + ")-[0-9a-z]+"))
                .forEach(name -> found.add(SYSTEM + "secrets/" + name));
        return found;
    }

    private Optional<Json> find(String collection, String name) {
        return api.list(collection, "fieldSelector=metadata.name%3D" + name.replace(":", "%3A")).stream()
                .filter(object -> name(object).equals(name))
                .findFirst();
    }

    private void delete(String path) {
        int end = path.lastIndexOf('/');
        patience.asking(() -> find(path.substring(0, end), path.substring(end + 1))
                .map(object ->
                        api.delete(path, object.at("metadata", "uid").text().orElse(""))));
        did("deleted " + path);
    }

    private void forgetWhatWasTold() {
        for (String annotation : TOLD) {
            while (!patience.asking(() -> {
                Json set = plane.daemonSet();
                return set.at("metadata", "annotations", annotation).isNull()
                        || plane.annotate(set, annotation, Optional.empty());
            })) {
                patience.waits("somebody else changes DaemonSet kube-system/kube-apiserver at the same time");
            }
        }
    }

    private void requireNothingLeft() {
        List<String> left = new ArrayList<>(patience.asking(this::keepersLeft));
        left.addAll(patience.asking(this::objects));
        for (Component component : List.of(Component.KEEPER, Component.NODE_AGENT)) {
            patience.asking(() -> find(DAEMON_SETS, component.id()))
                    .ifPresent(_ -> left.add("DaemonSet kube-system/" + component.id()));
        }
        if (!left.isEmpty()) {
            throw ProblemException.of(
                    ErrorCode.COMPONENT_FAILED,
                    "keeper",
                    "is there again, or something of it is: " + String.join(", ", left),
                    "nothing",
                    "see who makes it (an upgrade, ouro start, GitOps), and run the same command again");
        }
    }

    private void did(String what) {
        patience.did();
        listener.did(what);
    }

    private static String name(Json object) {
        return object.at("metadata", "name").text().orElse("");
    }
}
