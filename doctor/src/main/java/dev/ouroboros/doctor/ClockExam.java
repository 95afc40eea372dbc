package dev.ouroboros.doctor;

import dev.ouroboros.doctor.ClusterChart.Leases;
import dev.ouroboros.model.ailment.Ailment;
import dev.ouroboros.model.ailment.Finding;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.evidence.Evidence.Known;
import dev.ouroboros.model.evidence.Evidence.Unknown;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.manifest.ReadyCondition;
import dev.ouroboros.upgrade.decide.ClusterSeen;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Whether the nodes' clocks agree with this machine's, as far as the API tells. A kubelet writes the time of its clock into its Lease, each
 * quarter of the Lease's duration; the controller manager counts by its own clock, and calls a node unready whose Lease has not moved for
 * that duration (pkg/kubelet/kubelet.go, pkg/controller/nodelifecycle). So the Lease of a node that is ready
 *
 * <ul>
 *   <li>is of a clock that is ahead, when its time has not come yet;
 *   <li>is of a clock that is behind, when its time is longer ago than the duration.
 * </ul>
 *
 * <p>A clock that is less far behind than that does not show.
 */
final class ClockExam {
    private static final String CHECK = Ailment.CLOCKS_DIFFER.check();
    /** To read the list takes time, and synchronised clocks differ by less. */
    private static final Duration AHEAD = Duration.ofSeconds(2);

    private static final Duration SLACK = Duration.ofSeconds(10);
    private static final long USUAL_SECONDS = 40;

    private ClockExam() {}

    static List<Finding> of(ClusterChart chart) {
        return switch (chart.leases()) {
            case Unknown<Leases>(String why) -> List.of(Finding.unknown(CHECK, why));
            case Known<Leases>(Leases leases) -> judge(leases, ready(chart.cluster()));
        };
    }

    private static List<Finding> judge(Leases leases, Set<String> ready) {
        List<Finding> findings = new ArrayList<>();
        List<String> good = new ArrayList<>();
        for (Json lease : leases.leases()) {
            String node = lease.at("metadata", "name").text().orElse("?");
            Optional<Instant> renewed = lease.at("spec", "renewTime").text().flatMap(ClockExam::time);
            if (renewed.isEmpty()) {
                findings.add(Finding.unknown(CHECK, "Node " + node + ": its Lease has no time"));
                continue;
            }
            Duration age = Duration.between(renewed.get(), leases.at());
            Duration duration = Duration.ofSeconds(
                    lease.at("spec", "leaseDurationSeconds").integer().orElse(USUAL_SECONDS));
            if (age.compareTo(AHEAD.negated()) < 0) {
                findings.add(Ailment.CLOCKS_DIFFER.seen("Node " + node + ": its Lease was renewed "
                        + age.negated().toSeconds() + " s from now by this machine's clock"));
            } else if (age.compareTo(duration.plus(SLACK)) > 0 && ready.contains(node)) {
                findings.add(Ailment.CLOCKS_DIFFER.seen("Node " + node + ": is ready, and its Lease was renewed "
                        + age.toSeconds() + " s ago by this machine's clock, longer than the " + duration.toSeconds()
                        + " s after which it would not be ready"));
            } else if (ready.contains(node)) {
                good.add(node + " " + Math.max(0, age.toSeconds()) + " s ago");
            } else {
                findings.add(Finding.unknown(CHECK, "Node " + node + ": is not ready, so its Lease says nothing"));
            }
        }
        if (findings.isEmpty()) {
            findings.add(
                    good.isEmpty()
                            ? Finding.unknown(CHECK, "no kubelet has a Lease")
                            : Finding.ok(CHECK, "Leases renewed: " + String.join(", ", good)));
        }
        return findings;
    }

    private static Optional<Instant> time(String text) {
        try {
            return Optional.of(OffsetDateTime.parse(text).toInstant());
        } catch (DateTimeParseException e) {
            // Reported above, as a Lease without a time.
            return Optional.empty();
        }
    }

    private static Set<String> ready(Evidence<ClusterSeen> cluster) {
        if (!(cluster instanceof Known<ClusterSeen>(ClusterSeen seen))) {
            return Set.of();
        }
        return seen.nodes().orElse(List.of()).stream()
                .filter(ReadyCondition::holds)
                .flatMap(node -> node.at("metadata", "name").text().stream())
                .collect(Collectors.toSet());
    }
}
