package dev.ouroboros.upgrade.decide;

import dev.ouroboros.facts.EtcdTools;
import dev.ouroboros.facts.KnownFlags;
import dev.ouroboros.facts.LivingCluster;
import dev.ouroboros.facts.RemovedApis;
import dev.ouroboros.facts.SkewPolicy;
import dev.ouroboros.facts.VersionFacts;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.evidence.Evidence.Unknown;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.version.KubernetesVersion;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * Plans an upgrade of what was seen to what is intended. Nothing is asked and nothing is changed here: the same input has the same
 * plan.
 */
public final class Planner {
    private Planner() {}

    /** @throws ProblemException API_UNAVAILABLE when not even the API server's version is known */
    public static UpgradePlan plan(ClusterSeen seen, Intent intent) {
        Members members = Members.of(seen);
        KubernetesVersion target = intent.version();
        if (members.server() instanceof Unknown<KubernetesVersion>(String why)) {
            throw ProblemException.of(ErrorCode.API_UNAVAILABLE, Component.API_SERVER.id(), why, "", "ouro status");
        }
        KubernetesVersion now = members.server().orElse(target);
        KnownFlags flags = VersionFacts.of(target).flags();
        Set<Component> changed = changed(members, intent);
        Route route = intent.isDifferent() || !changed.isEmpty()
                ? Route.of(members.found(), target, changed, intent.changesKubelets(), SkewPolicy.load())
                : Route.none();
        List<PlanFinding> findings = new ArrayList<>(members.silent());
        findings.addAll(SkewJudge.judge(route, members, target));
        findings.addAll(OtherJudges.target(intent));
        findings.addAll(OtherJudges.directory(intent, now));
        findings.addAll(OtherJudges.left(intent));
        LivingJudge.Judgement living = LivingJudge.judge(seen, intent, LivingCluster.load());
        findings.addAll(living.findings());
        findings.addAll(LiveEditJudge.judge(intent));
        findings.addAll(StateJudge.judge(seen));
        findings.addAll(FlagJudge.judge(seen, intent, flags));
        findings.addAll(ApiJudge.judge(seen, intent, RemovedApis.load()));
        findings.addAll(StaticPodJudge.judge(seen, intent, members));
        findings.addAll(OtherJudges.etcd(members, target, new EtcdTools()));
        findings.addAll(OtherJudges.wayBack(seen, intent, members, now));
        findings.addAll(NodeJudge.judge(seen, route));
        findings.addAll(OtherJudges.certificates(seen));
        findings.addAll(ImageJudge.judge(seen, intent, now));
        findings.addAll(OtherJudges.images(seen, intent));
        return new UpgradePlan(
                now, target, members.found(), route.steps(), findings, living.unjudged(), kubelets(now, intent, flags));
    }

    /** Components whose manifests change, and those that run another version than the target's: an upgrade may have been interrupted. */
    private static Set<Component> changed(Members members, Intent intent) {
        Set<Component> changed = EnumSet.noneOf(Component.class);
        changed.addAll(intent.changed());
        members.found().stream()
                .filter(member -> member.component().isKubernetes())
                .filter(member -> !member.version().equals(intent.version()))
                .forEach(member -> changed.add(member.component()));
        return changed;
    }

    /** For each node: what happens there, or what a person has to do. */
    private static List<String> kubelets(KubernetesVersion now, Intent intent, KnownFlags flags) {
        KubernetesVersion target = intent.version();
        if (now.compareTo(target) >= 0) {
            return List.of();
        }
        boolean isDrained = !now.minorVersion().equals(target.minorVersion());
        if (intent.changesKubelets()) {
            return List.of(
                    (isDrained ? "its pods leave it, if there is another node; " : "")
                            + "its kubelet becomes " + target
                            + "; where that does not run, the node goes back by itself and no other is touched",
                    "the program is there before: 'ouro kubelet load FILE' on each machine; in a sandbox that is done");
        }
        List<String> advice = new ArrayList<>();
        advice.add("or let 'ouro upgrade apply --kubelet FILE' do it, with the kubelet of " + target
                + ": what follows is the way by hand");
        if (isDrained) {
            advice.add("drain the node: kubectl drain NODE --ignore-daemonsets (not one that is the only one)");
        }
        flags.goneSince(Component.KUBELET, now)
                .forEach(gone -> advice.add("take --" + gone.flag() + " out of its arguments if it is there: gone "
                        + gone.range()
                                .until()
                                .map(end -> "in " + end.minorName())
                                .orElse("")
                        + gone.successor()
                                .map(successor -> "; instead: " + successor)
                                .orElse("")));
        advice.add("replace the binary by kubelet " + target + " and restart it; pods run on meanwhile");
        advice.add("kubectl uncordon NODE, then 'ouro status --wait' before the next node");
        return advice;
    }
}
