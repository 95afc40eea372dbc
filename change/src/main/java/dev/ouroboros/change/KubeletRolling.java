package dev.ouroboros.change;

import dev.ouroboros.change.decide.KubeletChange;
import dev.ouroboros.change.decide.KubeletManner;
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
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** Changes the kubelets of a cluster, one node after the other: layer 0. Run again it goes on. */
public final class KubeletRolling {
    private static final int MOST_ATTEMPTS = 10;

    private final NodeKubelets nodes;
    private final ProcedureListener listener;
    private final Patience patience;
    private final KubeletManner manner;

    /**
     * Nothing is asked yet.
     *
     * @param limit how long one thing is waited for
     */
    public KubeletRolling(
            ClusterClient client,
            ProcedureListener listener,
            Duration limit,
            KubeletManner manner,
            InstantSource clock) {
        this(
                new ClusterChangeApi(new ClusterReader(client), new ClusterWriter(client)),
                listener,
                new Patience(listener, limit, clock),
                manner);
    }

    KubeletRolling(ChangeApi api, ProcedureListener listener, Patience patience, KubeletManner manner) {
        this.nodes = new NodeKubelets(api);
        this.listener = listener;
        this.patience = patience;
        this.manner = manner;
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
                .orElseGet(() -> new KubeletChange(patience.moment(), digest, "", false, false));
        SortedMap<String, Target> targets = new TreeMap<>();
        for (NodeKubelet node : all) {
            if (names.isEmpty() || names.contains(node.name())) {
                String text = request.on(node).text();
                Optional<KubeletChange> own = node.change().filter(last -> !last.isTakenBack());
                // What was tried and failed in the middle of a change is not what was before it, and another try of
                // it is no other change.
                String before = own.filter(last -> last.isSameAs(change))
                        .map(KubeletChange::before)
                        .orElseGet(node::runs);
                targets.put(
                        node.name(),
                        new Target(
                                text,
                                own.filter(_ -> request.isAnotherTry(node))
                                        .orElseGet(() ->
                                                new KubeletChange(change.begun(), digest, before, false, false))));
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
            return isAnotherTry(node) ? wished.attempt(wish(node)) : wished;
        }

        private boolean isAnotherTry(NodeKubelet node) {
            return isAgain
                    && node.reportOf(node.wish())
                            .filter(report -> report.state() == KubeletReport.State.FAILED)
                            .isPresent();
        }
    }

    /**
     * Gives nodes back what ran on them before the last change. One that was killed before it had told any node has drained one: that is all that is taken back then.
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
        List<NodeKubelet> drained = all.stream()
                .filter(node -> isOnlyDrained(node) && (names.isEmpty() || names.contains(node.name())))
                .toList();
        boolean isToldNowhere = drained.stream()
                .flatMap(node -> node.cordonedBy().stream())
                .anyMatch(begun ->
                        all.stream().flatMap(node -> node.change().stream()).noneMatch(begun::isSameAs));
        drained.forEach(nodes::uncordon);
        if ((names.isEmpty() && isToldNowhere) || (!names.isEmpty() && drained.size() == names.size())) {
            return drained.stream().map(NodeKubelet::name).collect(Collectors.toCollection(TreeSet::new));
        }
        for (NodeKubelet node : all) {
            Optional<KubeletChange> own = node.change()
                    .filter(_ -> !isOnlyDrained(node))
                    .filter(change -> names.isEmpty()
                            ? newest.filter(change::isSameAs).isPresent()
                            : names.contains(node.name()));
            own.ifPresent(change -> targets.put(
                    node.name(), new Target(change.isTakenBack() ? node.wish() : change.before(), change.takenBack())));
        }
        boolean isAnyLeft = all.stream()
                .filter(node -> targets.containsKey(node.name()))
                .anyMatch(node -> node.isCordonedByUs()
                        || !node.isSettled()
                        || node.change().filter(change -> !change.isTakenBack()).isPresent());
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

    /** Whether it was drained for a change of which it was not told. */
    private static boolean isOnlyDrained(NodeKubelet node) {
        return node.isCordonedByUs()
                && node.cordonedBy()
                        .flatMap(begun ->
                                node.change().filter(own -> own.digest().equals(begun.digest())))
                        .isEmpty();
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
        SortedMap<String, String> wishes = new TreeMap<>();
        targets.forEach((name, target) -> wishes.put(name, target.text()));
        KubeletRoll.Order order = new KubeletRoll.Order(wishes, manner.settle(), isBack, manner.isDraining());
        try {
            patience.run(new KubeletRollProcedure(nodes, targets, order), Journal.none(), KubeletRoll.State.BEGIN);
        } catch (ProblemException e) {
            throw givenUp(order, targets, e);
        }
        listener.did("the kubelets of " + String.join(", ", targets.keySet()) + " run as is wished");
        return targets.keySet();
    }

    /** Whoever gives up leaves no node that takes no pods, and none that would exchange its kubelet under them later; what stands in the way of that is said, too. */
    private ProblemException givenUp(KubeletRoll.Order order, SortedMap<String, Target> targets, ProblemException why) {
        try {
            int attempts = MOST_ATTEMPTS;
            while (attempts > 0 && !hasTakenBack(order, targets)) {
                attempts--;
            }
            nodes.look().stream()
                    .filter(node -> targets.containsKey(node.name()) && node.isCordonedByUs())
                    .forEach(nodes::uncordon);
            return why;
        } catch (ProblemException e) {
            List<Problem> both = new ArrayList<>(why.problems());
            both.addAll(e.problems());
            return new ProblemException(both);
        }
    }

    /** @return false when somebody else wrote a Node at the same time */
    private boolean hasTakenBack(KubeletRoll.Order order, SortedMap<String, Target> targets) {
        boolean isWritten = true;
        for (NodeKubelet node : nodes.look()) {
            Target target = targets.get(node.name());
            if (target != null && KubeletRoll.waitsInVain(node, order)) {
                isWritten &= nodes.wish(
                        node, target.change().before(), target.change().takenBack());
            }
        }
        return isWritten;
    }

    /** Has every node take pods that was cordoned for a change, for who looks again and again and has nothing to change any more. */
    public void release() {
        nodes.look().stream().filter(NodeKubelet::isCordonedByUs).forEach(nodes::uncordon);
    }

    /** As {@link #release}, of those only that {@link #step} cordoned: a command may be draining another one. */
    public void releaseOwn() {
        nodes.look().stream()
                .filter(node -> node.isCordonedByUs()
                        && node.cordonedBy().filter(KubeletChange::isStewards).isPresent())
                .forEach(nodes::uncordon);
    }

    /**
     * One step to where every node has what is wished, for who looks again and again; it waits for nothing.
     *
     * @param state of the step before
     * @param requirement what throws where nodes cannot have it, before any is told
     * @throws ProblemException as {@link KubeletRoll#next}, after which no other node is touched
     */
    public Step step(KubeletWish wish, KubeletRoll.State state, Instant now, Consumer<List<NodeKubelet>> requirement) {
        KubeletRoll.Seen seen = nodes.look(state);
        requirement.accept(seen.nodes());
        String digest = Sha256.hex("steward " + wish.text());
        String begun = newest(seen.nodes())
                .filter(last -> last.digest().equals(digest) && !last.isTakenBack())
                .map(KubeletChange::begun)
                .orElseGet(now::toString);
        SortedMap<String, String> wishes = new TreeMap<>();
        SortedMap<String, Target> targets = new TreeMap<>();
        seen.nodes().forEach(node -> {
            wishes.put(node.name(), wish.text());
            targets.put(
                    node.name(), new Target(wish.text(), new KubeletChange(begun, digest, node.runs(), false, true)));
        });
        KubeletRollProcedure procedure = new KubeletRollProcedure(
                nodes, targets, new KubeletRoll.Order(wishes, manner.settle(), false, manner.isDraining()));
        NextStep<KubeletRoll.State, KubeletRoll.Action> next = procedure.decide(seen, state, now);
        Optional<KubeletRoll.Action> action = next.action();
        KubeletRoll.State after =
                action.map(some -> procedure.perform(some, next.state())).orElse(next.state());
        String refusal = nodes.refusal().isEmpty() ? "" : " (" + nodes.refusal() + ")";
        return new Step(after, action.flatMap(KubeletRolling::described), next.waitingFor() + refusal, next.ended());
    }

    /** That pods are asked again and again is no news. */
    private static Optional<String> described(KubeletRoll.Action action) {
        String node = "node " + action.node().name();
        return switch (action) {
            case KubeletRoll.Action.Wish _ -> Optional.of(node + " gets another kubelet");
            case KubeletRoll.Action.Cordon _ -> Optional.of(node + " is drained");
            case KubeletRoll.Action.Uncordon _ -> Optional.of(node + " takes pods again");
            case KubeletRoll.Action.Evict _ -> Optional.empty();
        };
    }

    /**
     * What came of one.
     *
     * @param done what was done, for people
     * @param waitsFor what has to happen first; empty when nothing has to
     * @param isDone whether every node has what is wished
     */
    public record Step(KubeletRoll.State state, Optional<String> done, String waitsFor, boolean isDone) {}

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
