package dev.ouroboros.keeper.kubelet.decide;

import dev.ouroboros.keeper.kubelet.decide.KubeletSeen.NodeView;
import dev.ouroboros.model.json.JsonText.MalformedJson;
import dev.ouroboros.model.kubelet.KubeletGeneration;
import dev.ouroboros.model.kubelet.KubeletLayout;
import dev.ouroboros.model.kubelet.KubeletReport;
import dev.ouroboros.model.kubelet.KubeletReport.State;
import dev.ouroboros.model.kubelet.KubeletSettingRules;
import dev.ouroboros.model.kubelet.KubeletWish;
import java.time.Duration;
import java.util.List;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * What to do now. While the API does not answer nobody asks: then the guard alone decides whether a kubelet stays.
 *
 * <pre>
 * the wish cannot be understood, or not be had      REFUSED    nothing
 * the guard tries the wished one                    TRYING     Condemn, when it is well and does not report to the API
 * the guard tries another one                       TRYING     Stage, Try: a changed wish wins
 * the wished one runs                               RUNNING    ForgetFailures, then Forget each other one
 * it was tried and failed                           FAILED     nothing, until another one that is wished runs
 * its program is not there                          WAITING    nothing
 * else                                              TRYING     Stage, Try
 * </pre>
 */
public record KubeletDuty(KubeletReport report, KubeletAction action) {
    /** A kubelet writes its Node's status as soon as it runs. The guard confirms one after thirty seconds of being well. */
    static final Duration REPORTS_WITHIN = Duration.ofSeconds(20);

    private static final KubeletAction NOTHING = new KubeletAction.Nothing();

    public static KubeletDuty of(KubeletSeen seen) {
        NodeView node = seen.node();
        Report report =
                new Report(KubeletReport.digestOf(node.wish()), seen.started().orElse(""), programs(seen));
        if (seen.base().isEmpty() || seen.started().isEmpty()) {
            return report.rest(
                    State.UNMANAGED,
                    "",
                    "this node was made by an ouro that knew no generations of kubelets: 'ouro host prepare' run again changes that, in a sandbox 'ouro reboot' and then 'ouro up'");
        }
        if (node.wish().isBlank() && seen.trial().isEmpty() && seen.isRunning(KubeletLayout.BASE)) {
            // As a rule: what is there for wishes is not even loaded.
            return report.with(State.RUNNING, KubeletLayout.BASE, "", tidying(seen, KubeletLayout.BASE));
        }
        KubeletWish wish;
        try {
            wish = KubeletWish.read(node.wish());
        } catch (MalformedJson e) {
            return report.rest(State.REFUSED, "", "annotation " + KubeletWish.ANNOTATION + " " + e.getMessage());
        }
        KubeletGeneration base = seen.base().get();
        KubeletGeneration wanted = wish.isNothing() ? base : wish.on(base);
        String name = wish.isNothing() ? KubeletLayout.BASE : wanted.name();
        List<String> refusals = KubeletSettingRules.against(base, wanted);
        if (!refusals.isEmpty()) {
            return report.rest(State.REFUSED, name, String.join("; ", refusals));
        }
        if (seen.trial().equals(Optional.of(name))) {
            return tried(seen, node, name, report);
        }
        if (seen.trial().isEmpty() && seen.isRunning(name) && seen.has(name)) {
            return report.with(State.RUNNING, name, "", tidying(seen, name));
        }
        Optional<String> failure = seen.trial().isEmpty() ? seen.failure(name) : Optional.empty();
        if (failure.isPresent()) {
            return report.rest(State.FAILED, name, failure.get());
        }
        Optional<String> missing = wanted.digest()
                .filter(digest -> !digest.equals(base.digest().orElse("")))
                .filter(digest -> !seen.programs().contains(digest));
        if (missing.isPresent()) {
            return report.rest(
                    State.WAITING,
                    name,
                    "the kubelet with SHA-256 " + missing.get()
                            + " is not on it: 'ouro kubelet load FILE' there brings it");
        }
        // In the middle of a trial and right after it a Node is not Ready for what was tried, and the next one has to
        // make it so.
        KubeletAction next = seen.has(name)
                ? new KubeletAction.Try(name, node.isReady() || node.wasReady())
                : new KubeletAction.Stage(wanted);
        return report.with(State.TRYING, name, "", next);
    }

    /** Those that were brought, and the node's own. */
    private static NavigableSet<String> programs(KubeletSeen seen) {
        NavigableSet<String> all = new TreeSet<>(seen.programs());
        seen.base().flatMap(KubeletGeneration::digest).ifPresent(all::add);
        return all;
    }

    private static KubeletDuty tried(KubeletSeen seen, NodeView node, String name, Report report) {
        boolean isSilent = node.wasReady()
                && !node.reports()
                && seen.wellFor()
                        .filter(time -> time.compareTo(REPORTS_WITHIN) >= 0)
                        .isPresent();
        return isSilent
                ? report.with(
                        State.TRYING,
                        name,
                        "it is well, and does not report to the API",
                        new KubeletAction.Condemn(name, "its kubelet is well, and its Node is not Ready"))
                : report.rest(State.TRYING, name, "");
    }

    /** What failed before is forgotten first: that is done when the Node says that another one runs, so that whoever reads this can wish the former one again. */
    private static KubeletAction tidying(KubeletSeen seen, String current) {
        SortedSet<String> failed = seen.outcomes().keySet().stream()
                .filter(generation ->
                        !generation.equals(current) && seen.failure(generation).isPresent())
                .collect(Collectors.toCollection(TreeSet::new));
        if (!failed.isEmpty()) {
            return new KubeletAction.ForgetFailures(failed);
        }
        return seen.generations().stream()
                .filter(generation -> !generation.equals(KubeletLayout.BASE)
                        && !generation.equals(current)
                        && !seen.isNamed(generation))
                .findFirst()
                .<KubeletAction>map(KubeletAction.Forget::new)
                .orElse(NOTHING);
    }

    private record Report(String wish, String running, SortedSet<String> programs) {
        KubeletDuty rest(State state, String wanted, String message) {
            return with(state, wanted, message, NOTHING);
        }

        KubeletDuty with(State state, String wanted, String message, KubeletAction action) {
            return new KubeletDuty(
                    new KubeletReport(state, wish, running, wanted, message, Optional.of(programs)), action);
        }
    }
}
