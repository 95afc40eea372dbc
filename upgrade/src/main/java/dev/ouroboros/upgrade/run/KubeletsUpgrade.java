package dev.ouroboros.upgrade.run;

import dev.ouroboros.change.KubeletRolling;
import dev.ouroboros.change.WishedKubelets;
import dev.ouroboros.change.decide.KubeletManner;
import dev.ouroboros.change.decide.NodeKubelet;
import dev.ouroboros.cluster.ClusterClient;
import dev.ouroboros.facts.VersionFacts;
import dev.ouroboros.model.json.JsonText.MalformedJson;
import dev.ouroboros.model.kubelet.KubeletWish;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.version.KubernetesVersion;
import dev.ouroboros.node.procedure.ProcedureListener;
import dev.ouroboros.render.manifest.KubeletFlags;
import dev.ouroboros.render.manifest.KubeletSettings;
import dev.ouroboros.upgrade.decide.Release;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The kubelets of an upgrade: after the control plane, and before it on the way back, as the skew policy has it. Everything is seen in the Nodes, so that it goes on where it was.
 *
 * @param limit how long one thing is waited for
 */
record KubeletsUpgrade(ClusterClient client, ProcedureListener listener, Duration limit, InstantSource clock) {
    /**
     * Requires, before anything is changed, that they can be exchanged afterwards.
     *
     * @param target empty where none was given
     * @throws ProblemException BAD_USAGE for a kubelet of another version than the target; CHANGE_REFUSED where the steward sees to kubelets;
     *     INVALID_FLAG for a flag that is wished of a node and that the version has not
     */
    void require(UpgradeOrder.Kubelets kubelets, Optional<Release> target) {
        Optional<String> other = target.map(Release::version)
                .filter(version -> !version.equals(kubelets.version().number()));
        if (other.isPresent()) {
            throw ProblemException.of(
                    ErrorCode.BAD_USAGE,
                    "--kubelet",
                    "is a kubelet " + kubelets.version().number(),
                    "one of the target, " + other.get(),
                    "give that one, or leave kubelets as they are: --no-kubelets");
        }
        WishedKubelets.requireNone(client);
        KubeletWish needed = KubeletSettings.wishFor(
                VersionFacts.of(kubelets.version()),
                new KubeletWish.Program(kubelets.version().tag(), ""));
        KubeletFlags.require(
                "--argument ",
                kubelets.version(),
                rolling(kubelets.manner()).look().stream()
                        .map(NodeKubelet::wish)
                        .toList(),
                needed);
    }

    /**
     * Every node's, but for those that are off.
     *
     * @param now what the API servers are
     * @throws ProblemException BAD_USAGE for a kubelet newer than they; else as {@link KubeletRolling#set}
     */
    void forward(UpgradeOrder.Kubelets kubelets, Release now) {
        if (now.emulates().isPresent()) {
            listener.did("kubelets stay as they are while the API servers emulate "
                    + now.emulates().get().minorName());
            return;
        }
        require(kubelets, Optional.of(now));
        KubeletRolling rolling = rolling(kubelets.manner());
        Map<Boolean, List<NodeKubelet>> nodes =
                rolling.look().stream().collect(Collectors.partitioningBy(node -> isAway(node, kubelets)));
        List<NodeKubelet> away = nodes.getOrDefault(true, List.of());
        Set<String> others = nodes.getOrDefault(false, List.of()).stream()
                .map(NodeKubelet::name)
                .collect(Collectors.toSet());
        if (!others.isEmpty()) {
            rolling.set(others, new KubeletRolling.Request(kubelets.wish().get(), false, false));
        }
        List<String> older = away.stream()
                .filter(node -> !node.version().equals(kubelets.version().tag()))
                .map(node -> "; node " + node.name() + " is not Ready, and keeps " + node.version()
                        + " until the same command is run again")
                .toList();
        listener.did((older.isEmpty() ? "every kubelet is " : "kubelets are ")
                + kubelets.version()
                + String.join("", older));
    }

    /** Whether a node is not Ready that was not told of this kubelet: of one that was it may be this change that has it so. */
    private static boolean isAway(NodeKubelet node, UpgradeOrder.Kubelets kubelets) {
        boolean isTold = node.wishedVersion().equals(Optional.of(kubelets.version()));
        return !node.isReady() && !isTold && !node.isCordonedByUs();
    }

    /**
     * Gives nodes that are Ready back the kubelet of before where it is newer than what the API servers become.
     *
     * @throws ProblemException CHANGE_REFUSED for one of another minor version that does not go back by what was wished before
     */
    void back(Release target, KubeletManner manner) {
        KubeletRolling rolling = rolling(manner);
        List<NodeKubelet> newer = newer(rolling, target);
        refuse(newer.stream().filter(node -> !goesBack(node)).toList(), target);
        Set<String> names = new TreeSet<>();
        rolling.look().stream()
                .filter(node -> node.isCordonedByUs()
                        || newer.stream().anyMatch(one -> one.name().equals(node.name())))
                .filter(node -> goesBack(node) || node.isCordonedByUs())
                .forEach(node -> names.add(node.name()));
        if (!names.isEmpty()) {
            WishedKubelets.requireNone(client);
            rolling.takeBack(names);
            refuse(newer(rolling, target), target);
        }
    }

    /** Those of nodes that are Ready which are newer than what the API servers become, or serve as. */
    private static List<NodeKubelet> newer(KubeletRolling rolling, Release target) {
        Optional<KubernetesVersion> goal = target.emulates().or(() -> KubernetesVersion.parse(target.version()));
        return rolling.look().stream()
                .filter(NodeKubelet::isReady)
                .filter(node ->
                        versions(node).anyMatch(version -> goal.isPresent() && isNewer(version, goal.get(), target)))
                .toList();
    }

    /** What its kubelet is, and what it is about to be. */
    private static Stream<KubernetesVersion> versions(NodeKubelet node) {
        Stream<KubernetesVersion> wished = node.isGivenUp() ? Stream.empty() : node.wishedVersion().stream();
        return Stream.concat(KubernetesVersion.parse(node.version()).stream(), wished);
    }

    private static boolean isNewer(KubernetesVersion version, KubernetesVersion goal, Release target) {
        return target.emulates().isPresent()
                ? version.minorVersion().compareTo(goal.minorVersion()) > 0
                : version.compareTo(goal) > 0;
    }

    private static void refuse(List<NodeKubelet> newer, Release target) {
        List<Problem> foreign = newer.stream()
                .filter(node -> isOfAnotherMinor(node, target))
                .map(node -> new Problem(
                        ErrorCode.CHANGE_REFUSED,
                        "Node " + node.name(),
                        "its kubelet is " + node.version()
                                + ", and what was wished before the last change is no other one",
                        "none newer than the API server becomes, " + target,
                        "put the one of before back (ouro kubelet set --node " + node.name()
                                + " --clear, where the node was made with it), then run the same command again"))
                .toList();
        if (!foreign.isEmpty()) {
            throw new ProblemException(foreign);
        }
    }

    private static boolean isOfAnotherMinor(NodeKubelet node, Release target) {
        Optional<KubernetesVersion> goal = target.emulates().or(() -> KubernetesVersion.parse(target.version()));
        return KubernetesVersion.parse(node.version())
                .filter(version -> goal.isEmpty()
                        || !version.minorVersion().equals(goal.get().minorVersion()))
                .isPresent();
    }

    /** Whether the last change was to another program, and is taken back or can be. */
    private static boolean goesBack(NodeKubelet node) {
        return node.change()
                .filter(change -> change.isTakenBack()
                        ? !node.isSettled()
                        : !program(change.before()).equals(program(node.wish())))
                .isPresent();
    }

    private static Optional<KubeletWish.Program> program(String wish) {
        try {
            return KubeletWish.read(wish).program();
        } catch (MalformedJson e) {
            // Nobody knows which: it is none that another one could be told from.
            return Optional.empty();
        }
    }

    private KubeletRolling rolling(KubeletManner manner) {
        return new KubeletRolling(client, listener, limit, manner, clock);
    }
}
