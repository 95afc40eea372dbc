package dev.ouroboros.change;

import dev.ouroboros.change.decide.KubeletChange;
import dev.ouroboros.change.decide.KubeletRoll;
import dev.ouroboros.change.decide.NodeKubelet;
import dev.ouroboros.cluster.ClusterClient;
import dev.ouroboros.cluster.ClusterReader;
import dev.ouroboros.cluster.ClusterWriter;
import dev.ouroboros.model.digest.Sha256;
import dev.ouroboros.model.json.JsonText;
import dev.ouroboros.model.json.JsonText.MalformedJson;
import dev.ouroboros.model.kubelet.KubeletReport;
import dev.ouroboros.model.kubelet.KubeletWish;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.procedure.Journal;
import dev.ouroboros.model.procedure.NextStep;
import dev.ouroboros.node.procedure.Patience;
import dev.ouroboros.node.procedure.ProcedureListener;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/** Changes the kubelets of a cluster, one node after the other: layer 0. Run again it goes on. */
public final class KubeletRolling {
    private final NodeKubelets nodes;
    private final ProcedureListener listener;
    private final Patience patience;
    private final Duration settle;

    /**
     * Nothing is asked yet.
     *
     * @param limit how long one thing is waited for
     * @param settle how long a node has to be Ready before the next
     */
    public KubeletRolling(
            ClusterClient client, ProcedureListener listener, Duration limit, Duration settle, InstantSource clock) {
        this(
                new ClusterChangeApi(new ClusterReader(client), new ClusterWriter(client)),
                listener,
                new Patience(listener, limit, clock),
                settle);
    }

    KubeletRolling(ChangeApi api, ProcedureListener listener, Patience patience, Duration settle) {
        this.nodes = new NodeKubelets(api);
        this.listener = listener;
        this.patience = patience;
        this.settle = settle;
    }

    /** Every node's kubelet. */
    public List<NodeKubelet> look() {
        return patience.asking(nodes::look);
    }

    /**
     * Adds to what is wished of nodes.
     *
     * @param names of the nodes; none for all
     * @param request what is wished
     * @return the names of the nodes that were meant
     * @throws ProblemException as {@link KubeletRoll#next}; NOT_FOUND for a name that no Node has; INVALID_CONFIG when what a node has cannot be understood; TIMEOUT when nothing moves
     */
    public Set<String> set(Set<String> names, Request request) {
        List<NodeKubelet> all = look();
        requireAll(names, all);
        Optional<KubeletChange> newest = newest(all);
        String digest = request.digest();
        // One that was killed, or stopped at a node, is gone on with.
        KubeletChange change = newest.filter(last -> last.digest().equals(digest) && !last.isTakenBack())
                .orElseGet(() -> new KubeletChange(patience.moment(), digest, "", false));
        SortedMap<String, Target> targets = new TreeMap<>();
        for (NodeKubelet node : all) {
            if (names.isEmpty() || names.contains(node.name())) {
                String text = request.on(node).text();
                // What was tried and failed in the middle of a change is not what was before it.
                String before = node.change()
                        .filter(own -> own.isSameAs(change) && !own.isTakenBack())
                        .map(KubeletChange::before)
                        .orElseGet(node::wish);
                targets.put(node.name(), new Target(text, new KubeletChange(change.begun(), digest, before, false)));
            }
        }
        return roll(targets, false);
    }

    /**
     * What is wished of nodes from now on.
     *
     * @param more beside what was wished before
     * @param isAlone whether nothing of before is to be kept
     * @param isAgain whether nodes where something failed are to try once more
     */
    public record Request(KubeletWish more, boolean isAlone, boolean isAgain) {
        private String digest() {
            return Sha256.hex(JsonText.text(more.json()) + isAlone);
        }

        private KubeletWish on(NodeKubelet node) {
            KubeletWish wished = (isAlone ? KubeletWish.NOTHING : wish(node)).and(more);
            boolean hasFailed = node.reportOf(node.wish())
                    .filter(report -> report.state() == KubeletReport.State.FAILED)
                    .isPresent();
            return isAgain && hasFailed ? wished.attempt(wish(node)) : wished;
        }
    }

    /**
     * Gives nodes back what was wished of them before the last change.
     *
     * @param names of the nodes; none for all that it has reached
     * @return the names of the nodes that were meant
     * @throws ProblemException NOT_FOUND where nothing is to be taken back; else as {@link #set}
     */
    public Set<String> takeBack(Set<String> names) {
        List<NodeKubelet> all = look();
        requireAll(names, all);
        Optional<KubeletChange> newest = newest(all);
        SortedMap<String, Target> targets = new TreeMap<>();
        for (NodeKubelet node : all) {
            Optional<KubeletChange> own = node.change()
                    .filter(change -> names.isEmpty()
                            ? newest.filter(change::isSameAs).isPresent()
                            : names.contains(node.name()));
            own.ifPresent(change -> targets.put(
                    node.name(), new Target(change.isTakenBack() ? node.wish() : change.before(), change.takenBack())));
        }
        boolean isAnyLeft = all.stream()
                .filter(node -> targets.containsKey(node.name()))
                .anyMatch(node ->
                        node.change().filter(change -> !change.isTakenBack()).isPresent());
        if (!isAnyLeft) {
            throw ProblemException.of(
                    ErrorCode.NOT_FOUND,
                    "kubelets",
                    "there is no change of 'ouro kubelet set' to be taken back",
                    "",
                    "ouro kubelet status shows what runs; ouro kubelet set --clear makes kubelets as their nodes were made");
        }
        return roll(targets, true);
    }

    /** What a Node is to get, and by which change. */
    record Target(String text, KubeletChange change) {}

    private static Optional<KubeletChange> newest(List<NodeKubelet> all) {
        return all.stream().flatMap(node -> node.change().stream()).max(Comparator.comparing(KubeletChange::begun));
    }

    private static void requireAll(Set<String> names, List<NodeKubelet> all) {
        List<Problem> missing = names.stream()
                .filter(name -> all.stream().noneMatch(node -> node.name().equals(name)))
                .sorted()
                .map(name -> new Problem(
                        ErrorCode.NOT_FOUND, "Node " + name, "there is none", "", "kubectl get nodes lists them"))
                .toList();
        if (!missing.isEmpty()) {
            throw new ProblemException(missing);
        }
    }

    private Set<String> roll(SortedMap<String, Target> targets, boolean isBack) {
        KubeletRollProcedure procedure = new KubeletRollProcedure(nodes, targets, settle, isBack);
        patience.run(procedure, Journal.none(), KubeletRoll.State.BEGIN);
        listener.did("the kubelets of " + String.join(", ", targets.keySet()) + " run as is wished");
        return targets.keySet();
    }

    /**
     * One step to where every node has what is wished, for who looks again and again; it waits for nothing.
     *
     * @param state of the step before
     * @throws ProblemException as {@link KubeletRoll#next}, after which no other node is touched
     */
    public Step step(KubeletWish wish, KubeletRoll.State state, Instant now) {
        List<NodeKubelet> seen = nodes.look();
        SortedMap<String, String> wishes = new TreeMap<>();
        seen.forEach(node -> wishes.put(node.name(), wish.text()));
        NextStep<KubeletRoll.State, KubeletRoll.Wish> next = KubeletRoll.next(seen, wishes, settle, false, state, now);
        String digest = Sha256.hex("steward " + wish.text());
        String begun = newest(seen)
                .filter(last -> last.digest().equals(digest) && !last.isTakenBack())
                .map(KubeletChange::begun)
                .orElseGet(now::toString);
        boolean isRefused = next.action().isPresent()
                && !nodes.wish(
                        next.action().get().node(),
                        wish.text(),
                        new KubeletChange(
                                begun, digest, next.action().get().node().wish(), false));
        return new Step(
                isRefused ? state : next.state(),
                next.action().map(done -> done.node().name()),
                next.waitingFor(),
                next.ended());
    }

    /**
     * What came of one.
     *
     * @param begun the node that was told of what is wished, if one was
     * @param waitsFor what has to happen first; empty when nothing has to
     * @param isDone whether every node has what is wished
     */
    public record Step(KubeletRoll.State state, Optional<String> begun, String waitsFor, boolean isDone) {}

    private static KubeletWish wish(NodeKubelet node) {
        try {
            return KubeletWish.read(node.wish());
        } catch (MalformedJson e) {
            throw ProblemException.of(
                    ErrorCode.INVALID_CONFIG,
                    "Node " + node.name() + ", annotation " + KubeletWish.ANNOTATION,
                    String.valueOf(e.getMessage()),
                    "",
                    "correct it (kubectl annotate --overwrite), or begin anew: ouro kubelet set --clear");
        }
    }
}
