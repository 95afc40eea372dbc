package dev.ouroboros.change.decide;

import dev.ouroboros.model.kubelet.KubeletReport;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.procedure.NextStep;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;

/**
 * Which node's kubelet is exchanged next: one after the other, workers first, and the next one when the one before has been Ready for a while. The first that fails ends it, so that a
 * bad wish reaches one node. Everything is seen in the Nodes, but for how long one has been Ready.
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
     */
    public record State(Optional<String> changed, Optional<Instant> readySince) {
        public static final State BEGIN = new State(Optional.empty(), Optional.empty());
    }

    /**
     * Writes what is wished to a Node.
     *
     * @param text empty to wish nothing
     */
    public record Wish(NodeKubelet node, String text) {}

    /**
     * The next step.
     *
     * @param seen all Nodes
     * @param wishes the text for each node that is meant, by its name; one whose Node is gone is none any more
     * @param isBack whether it is what they had before: that is told to a node that is not Ready, too, as it may be so for what it has now
     * @param settle how long a node has to be Ready before the next
     * @throws ProblemException CHANGE_REFUSED for a node that is not Ready, or cannot have what is wished; COMPONENT_FAILED when its kubelet did
     *     not run with it
     */
    public static NextStep<State, Wish> next(
            List<NodeKubelet> seen,
            SortedMap<String, String> wishes,
            Duration settle,
            boolean isBack,
            State state,
            Instant now) {
        List<NodeKubelet> meant = seen.stream()
                .filter(node -> wishes.containsKey(node.name()))
                .sorted(ORDER)
                .toList();
        boolean isAnyLeft = meant.stream().anyMatch(node -> !node.wish().equals(wishes.getOrDefault(node.name(), "")));
        for (NodeKubelet node : meant) {
            String text = wishes.getOrDefault(node.name(), "");
            if (!node.wish().equals(text)) {
                if (!isBack && node.wish().isEmpty()) {
                    requireReady(node);
                }
                return NextStep.act(new State(Optional.of(node.name()), Optional.empty()), new Wish(node, text));
            }
            boolean isOurs = state.changed().equals(Optional.of(node.name()));
            // One that is off, of which nothing is to be done, holds up nobody when nothing is left to be done
            // elsewhere.
            Optional<String> waitsFor = waitsFor(node, text, isOurs || isAnyLeft);
            if (waitsFor.isPresent()) {
                return NextStep.await(new State(state.changed(), Optional.empty()), waitsFor.get());
            }
            if (isOurs) {
                if (state.readySince().isEmpty()) {
                    return NextStep.move(new State(state.changed(), Optional.of(now)));
                }
                if (Duration.between(state.readySince().get(), now).compareTo(settle) < 0) {
                    return NextStep.await(
                            state, "node " + node.name() + " to have been Ready for " + settle.toSeconds() + " s");
                }
            }
        }
        return NextStep.end(state);
    }

    private static void requireReady(NodeKubelet node) {
        if (!node.isReady()) {
            throw ProblemException.of(
                    ErrorCode.CHANGE_REFUSED,
                    "Node " + node.name(),
                    "is not Ready with the kubelet that it was made with, so that nothing could be told of another one",
                    "a node that is Ready",
                    "bring it back, or name the others with --node");
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
