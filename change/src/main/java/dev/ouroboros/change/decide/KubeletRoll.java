package dev.ouroboros.change.decide;

import dev.ouroboros.model.json.JsonText.MalformedJson;
import dev.ouroboros.model.kubelet.KubeletReport;
import dev.ouroboros.model.kubelet.KubeletSettingRules;
import dev.ouroboros.model.kubelet.KubeletWish;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.procedure.NextStep;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.stream.Collectors;

/**
 * Which node's kubelet is exchanged next: one after the other, workers first, and the next one when the one before has been Ready for a while. The first that fails ends it, wherever
 * it stands among the others, so that a bad wish reaches one node. Pods leave a node first where the change is not to be done under them ({@link KubeletSettingRules#drains}) and there is
 * another node for them. Everything is seen in the Nodes, but for how long one has been Ready.
 */
public final class KubeletRoll {
    /** Workers first: a control-plane node's kubelet keeps an API server, too. */
    private static final Comparator<NodeKubelet> ORDER =
            Comparator.comparing(NodeKubelet::isControlPlane).thenComparing(NodeKubelet::name);

    private KubeletRoll() {}

    /**
     * How far this run came.
     *
     * @param changed the node to which it wrote last
     * @param readySince since when that has run what is wished and is Ready
     * @param drain of the node that comes next
     */
    public record State(Optional<String> changed, Optional<Instant> readySince, Optional<Drain> drain) {
        public static final State BEGIN = new State(Optional.empty(), Optional.empty(), Optional.empty());

        private State ready(Optional<Instant> since) {
            return new State(changed, since, drain);
        }

        private State draining(Drain another) {
            return new State(changed, readySince, Optional.of(another));
        }
    }

    /**
     * A node that its pods are to leave.
     *
     * @param pods by their uids, once they were seen: what comes to a node that takes no pods is not waited for
     */
    public record Drain(String node, Optional<Set<String>> pods) {}

    /**
     * What is seen.
     *
     * @param nodes all Nodes
     * @param pods those that have to leave the node of {@link State#drain}; none where there is no drain
     * @param refusal why one of them may not leave now; empty when all may
     */
    public record Seen(List<NodeKubelet> nodes, List<DrainedPod> pods, String refusal) {}

    /**
     * What is asked for.
     *
     * @param wishes the text for each node that is meant, by its name; one whose Node is gone is none any more
     * @param settle how long a node has to be Ready before the next
     * @param isBack whether it is what they had before: that is told to a node that is not Ready, too, as it may be so for what it has now
     * @param isDraining whether pods leave a node where the change is not to be done under them
     */
    public record Order(SortedMap<String, String> wishes, Duration settle, boolean isBack, boolean isDraining) {
        private String wish(NodeKubelet node) {
            return wishes.getOrDefault(node.name(), "");
        }
    }

    /** What is done. */
    public sealed interface Action {
        NodeKubelet node();

        /**
         * Writes what is wished to a Node.
         *
         * @param text empty to wish nothing
         */
        record Wish(NodeKubelet node, String text) implements Action {}

        /** The node takes no pods any more. */
        record Cordon(NodeKubelet node) implements Action {}

        /** It takes pods again, if it was we who asked for the contrary. */
        record Uncordon(NodeKubelet node) implements Action {}

        /** Its pods are asked to leave, as their disruption budgets allow. */
        record Evict(NodeKubelet node, List<DrainedPod> pods) implements Action {}
    }

    /**
     * The next step.
     *
     * @throws ProblemException CHANGE_REFUSED for a node that is not Ready, or cannot have what is wished; COMPONENT_FAILED when its kubelet did
     *     not run with it
     */
    public static NextStep<State, Action> next(Seen seen, Order order, State state, Instant now) {
        Optional<NodeKubelet> left =
                seen.nodes().stream().filter(node -> isLeft(node, order)).findFirst();
        if (left.isPresent()) {
            return NextStep.act(state, new Action.Uncordon(left.get()));
        }
        List<NodeKubelet> meant = seen.nodes().stream()
                .filter(node -> order.wishes().containsKey(node.name()))
                .sorted(Comparator.comparing((NodeKubelet node) -> !endsIt(node, order))
                        .thenComparing(ORDER))
                .toList();
        boolean isAnyLeft = meant.stream().anyMatch(node -> !node.wish().equals(order.wish(node)));
        for (NodeKubelet node : meant) {
            boolean isOurs = state.changed().equals(Optional.of(node.name()));
            Optional<NextStep<State, Action>> step = node.wish().equals(order.wish(node))
                    // One that is off, of which nothing is to be done, holds up nobody when nothing is left to be done
                    // elsewhere.
                    ? settled(node, order, isOurs, isOurs || isAnyLeft, state, now)
                    : Optional.of(told(node, seen, order, state));
            if (step.isPresent()) {
                return step.get();
            }
        }
        return NextStep.end(state);
    }

    /** Whether what is asked for did not run on a node, or was refused by it: no other is told of it then. What one node had before and cannot have again is no reason to keep it from others. */
    private static boolean endsIt(NodeKubelet node, Order order) {
        return !order.isBack() && node.wish().equals(order.wish(node)) && node.isGivenUp();
    }

    /** Whether a mark of ours is left over: of a run that was killed and is taken back, or where somebody else has had the node take pods since. */
    private static boolean isLeft(NodeKubelet node, Order order) {
        boolean isMeant = order.wishes().containsKey(node.name());
        return (isMeant && node.cordonedBy().isPresent() && !node.isCordoned())
                || (!isMeant && order.isBack() && node.isCordonedByUs());
    }

    /** Toward a node's being told what is wished. */
    private static NextStep<State, Action> told(NodeKubelet node, Seen seen, Order order, State state) {
        State next = new State(Optional.of(node.name()), Optional.empty(), Optional.empty());
        List<String> why = order.isDraining() ? reasonsToDrain(node, order.wish(node)) : List.of();
        boolean isAnywhereToGo =
                seen.nodes().stream().anyMatch(other -> !other.name().equals(node.name()) && other.takesPods());
        boolean isBegun = node.isCordonedByUs();
        if (!isBegun && !order.isBack() && node.wish().isEmpty()) {
            requireReady(node);
        }
        Optional<String> missing =
                why.isEmpty() || isBegun || order.isBack() ? Optional.empty() : node.missingProgram(order.wish(node));
        if (missing.isPresent()) {
            // Its pods would leave for nothing.
            return NextStep.await(
                    state,
                    "node " + node.name() + ": the kubelet with SHA-256 " + missing.get()
                            + " is not on it: 'ouro kubelet load FILE' there brings it");
        }
        boolean isHeldUp = !isAnywhereToGo || !node.isReady();
        // One whose kubelet runs as is wished comes back without another one.
        boolean isAway = isAnywhereToGo && !node.isReady() && node.isSettled();
        if (why.isEmpty() || (isHeldUp && ((!isBegun && !isAway) || order.isBack()))) {
            return NextStep.act(next, new Action.Wish(node, order.wish(node)));
        }
        // What is to be done when its pods have left is not done under them because a node was not Ready for a moment.
        if (!node.isReady()) {
            return NextStep.await(state, "node " + node.name() + " to be Ready, to be drained");
        }
        if (!isAnywhereToGo) {
            return NextStep.await(state, "another node that takes the pods of node " + node.name());
        }
        if (!node.isCordoned()) {
            return NextStep.act(
                    new State(state.changed(), state.readySince(), Optional.empty()), new Action.Cordon(node));
        }
        Optional<Drain> drain = state.drain().filter(begun -> begun.node().equals(node.name()));
        if (drain.isEmpty()) {
            return NextStep.move(state.draining(new Drain(node.name(), Optional.empty())));
        }
        if (drain.get().pods().isEmpty()) {
            Set<String> pods = seen.pods().stream().map(DrainedPod::uid).collect(Collectors.toSet());
            return NextStep.move(state.draining(new Drain(node.name(), Optional.of(pods))));
        }
        List<DrainedPod> pods = seen.pods().stream()
                .filter(pod -> drain.get().pods().get().contains(pod.uid()))
                .toList();
        return pods.isEmpty()
                ? NextStep.act(next, new Action.Wish(node, order.wish(node)))
                : drained(node, pods, seen.refusal(), why, state);
    }

    /** Whoever may not leave now is asked in each look: that is no progress, so that it ends some day. */
    private static NextStep<State, Action> drained(
            NodeKubelet node, List<DrainedPod> pods, String refusal, List<String> why, State state) {
        List<DrainedPod> staying = pods.stream().filter(pod -> !pod.isEnding()).toList();
        Optional<Action> asked =
                Optional.<Action>of(new Action.Evict(node, staying)).filter(_ -> !staying.isEmpty());
        String names = String.join(
                ", ", pods.stream().map(DrainedPod::toString).sorted().toList());
        return new NextStep<>(
                state,
                asked,
                "node " + node.name() + " to be drained for " + String.join(", ", why) + ": " + names,
                refusal.isEmpty() ? "" : " (" + refusal + ")",
                false);
    }

    private static List<String> reasonsToDrain(NodeKubelet node, String text) {
        try {
            return KubeletSettingRules.drains(KubeletWish.read(node.runs()), KubeletWish.read(text), node.version());
        } catch (MalformedJson e) {
            // Nobody knows what it is now.
            return List.of("what is wished now cannot be understood");
        }
    }

    /**
     * Whether a node waits for its program, for a change for which its pods have left: before it has that, nothing comes of it, and afterwards the keeper would exchange its kubelet
     * under the pods that came back.
     */
    public static boolean waitsInVain(NodeKubelet node, Order order) {
        return order.isDraining()
                && !order.isBack()
                && node.wish().equals(order.wish(node))
                && node.reportOf(node.wish())
                        .filter(report -> report.state() == KubeletReport.State.WAITING)
                        .isPresent()
                && !reasonsToDrain(node, node.wish()).isEmpty();
    }

    /** Of a node that was told; empty when it is done with. */
    private static Optional<NextStep<State, Action>> settled(
            NodeKubelet node, Order order, boolean isOurs, boolean isReadiness, State state, Instant now) {
        if (node.isCordonedByUs() && isOver(node)) {
            return Optional.of(NextStep.act(state, new Action.Uncordon(node)));
        }
        Optional<String> waitsFor = waitsFor(node, order.wish(node), isReadiness);
        if (waitsFor.isPresent()) {
            return Optional.of(NextStep.await(state.ready(Optional.empty()), waitsFor.get()));
        }
        if (!isOurs) {
            return Optional.empty();
        }
        if (state.readySince().isEmpty()) {
            return Optional.of(NextStep.move(state.ready(Optional.of(now))));
        }
        return Duration.between(state.readySince().get(), now).compareTo(order.settle()) < 0
                ? Optional.of(NextStep.await(
                        state,
                        "node " + node.name() + " to have been Ready for "
                                + order.settle().toSeconds() + " s"))
                : Optional.empty();
    }

    /** Whether the kubelet that is wished runs and its node is Ready, or it will not run. */
    private static boolean isOver(NodeKubelet node) {
        return node.reportOf(node.wish())
                .filter(report -> switch (report.state()) {
                    case RUNNING -> node.isReady();
                    case FAILED, REFUSED, UNMANAGED -> true;
                    case TRYING, WAITING -> false;
                })
                .isPresent();
    }

    private static void requireReady(NodeKubelet node) {
        if (!node.isReady()) {
            throw ProblemException.of(
                    ErrorCode.CHANGE_REFUSED,
                    "Node " + node.name(),
                    "is not Ready with the kubelet that it was made with, so that nothing could be told of another one",
                    "a node that is Ready",
                    "bring it back, or name the others: ouro kubelet set --node");
        }
    }

    private static Optional<String> waitsFor(NodeKubelet node, String text, boolean isReadiness) {
        Optional<KubeletReport> report = node.reportOf(text);
        if (report.isEmpty()) {
            return Optional.of("keeper or agent of node " + node.name() + " to take up what is wished");
        }
        boolean isMade = text.isEmpty() && report.get().state() == KubeletReport.State.UNMANAGED;
        if (isMade) {
            // It runs as it was made, and cannot but do so.
            return Optional.empty();
        }
        return switch (report.get().state()) {
            case RUNNING ->
                node.isReady() || !isReadiness ? Optional.empty() : Optional.of("node " + node.name() + " to be Ready");
            case TRYING -> Optional.of("node " + node.name() + " to try its kubelet" + because(report.get()));
            case WAITING -> Optional.of("node " + node.name() + because(report.get()));
            case FAILED ->
                throw ProblemException.of(
                        ErrorCode.COMPONENT_FAILED,
                        "kubelet of node " + node.name(),
                        report.get().message() + "; the node went back, and no other was touched since",
                        "",
                        "journalctl -u kubelet on the node, in a sandbox kubelet.log of 'ouro nodes', says why; take it back: ouro kubelet rollback, or try it once more: ouro kubelet set --again");
            case REFUSED, UNMANAGED ->
                throw ProblemException.of(
                        ErrorCode.CHANGE_REFUSED,
                        "kubelet of node " + node.name(),
                        report.get().message(),
                        "",
                        "take it back: ouro kubelet rollback");
        };
    }

    private static String because(KubeletReport report) {
        return report.message().isEmpty() ? "" : ": " + report.message();
    }
}
