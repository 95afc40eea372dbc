package dev.ouroboros.doctor;

import dev.ouroboros.model.ailment.Ailment;
import dev.ouroboros.model.ailment.Finding;
import dev.ouroboros.model.ailment.Finding.Severity;
import dev.ouroboros.model.evidence.Evidence.Known;
import dev.ouroboros.model.evidence.Evidence.Unknown;
import dev.ouroboros.model.version.KubernetesVersion;
import dev.ouroboros.upgrade.decide.CheckUp;
import dev.ouroboros.upgrade.decide.ClusterSeen;
import dev.ouroboros.upgrade.decide.PlanFinding;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What {@code ouro upgrade plan} would say of the cluster as it is: versions, nodes, their room, APIs and flags that go. */
final class PolicyExam {
    /** The plan's checks that are ailments; all others are about room. */
    private static final Map<String, Ailment> BY_CHECK = Map.of(
            CheckUp.SKEW, Ailment.VERSIONS_ARE_TOO_FAR_APART,
            CheckUp.VERSIONS, Ailment.VERSIONS_ARE_TOO_FAR_APART,
            CheckUp.NODES, Ailment.NODE_IS_ILL,
            CheckUp.REMOVED_APIS, Ailment.REMOVED_API_IS_USED,
            CheckUp.FLAGS, Ailment.FLAG_GOES);

    private PolicyExam() {}

    static List<Finding> of(ClusterChart chart) {
        return switch (chart.cluster()) {
            case Unknown<ClusterSeen>(String why) -> List.of(unknown(why));
            case Known<ClusterSeen>(ClusterSeen seen)
            when seen.server() instanceof Unknown<KubernetesVersion>(String why) -> List.of(unknown(why));
            case Known<ClusterSeen>(ClusterSeen seen) -> judge(new CheckUp(seen));
        };
    }

    private static Finding unknown(String why) {
        return Finding.unknown(
                Stream.of(
                                CheckUp.SKEW,
                                CheckUp.NODES,
                                Ailment.NODE_HAS_NO_ROOM.check(),
                                CheckUp.REMOVED_APIS,
                                CheckUp.FLAGS)
                        .collect(Collectors.joining(", ")),
                why);
    }

    private static List<Finding> judge(CheckUp checkUp) {
        List<Finding> findings = new ArrayList<>(
                checkUp.findings().stream().map(PolicyExam::finding).toList());
        Set<String> said = findings.stream().map(Finding::check).collect(Collectors.toSet());
        Map<String, String> good = Map.of(
                CheckUp.SKEW,
                String.join(", ", checkUp.versions()),
                CheckUp.NODES,
                "every node is ready and short of nothing",
                Ailment.NODE_HAS_NO_ROOM.check(),
                "memory and disk of control-plane nodes have room for a change",
                CheckUp.REMOVED_APIS,
                "no client has used one since the API server's start",
                CheckUp.FLAGS,
                "the next minor version knows every flag of the control plane");
        good.keySet().stream()
                .sorted()
                .filter(check -> !said.contains(check))
                .forEach(check -> findings.add(Finding.ok(check, String.valueOf(good.get(check)))));
        return findings;
    }

    private static Finding finding(PlanFinding found) {
        Ailment ailment = BY_CHECK.getOrDefault(found.check(), Ailment.NODE_HAS_NO_ROOM);
        String evidence = found.object() + ": " + found.evidence();
        return switch (found.severity()) {
            case BLOCKING -> ailment.seen(Severity.PROBLEM, evidence, found.consequence(), found.next());
            case WARNING -> ailment.seen(Severity.WARNING, evidence, found.consequence(), found.next());
            case UNKNOWN ->
                Finding.unknown(ailment.check(), evidence + (found.next().isEmpty() ? "" : "; ask: " + found.next()));
        };
    }
}
