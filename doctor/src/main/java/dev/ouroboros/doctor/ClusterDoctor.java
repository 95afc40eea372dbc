package dev.ouroboros.doctor;

import dev.ouroboros.model.ailment.Ailment;
import dev.ouroboros.model.ailment.Finding;
import dev.ouroboros.model.evidence.Evidence.Unknown;
import dev.ouroboros.status.judge.Judge;
import dev.ouroboros.status.model.Report;
import dev.ouroboros.status.model.SourceStatus;
import dev.ouroboros.status.seen.ApiSeen;
import java.util.ArrayList;
import java.util.List;

/** What is wrong with a cluster that was looked at. Every check has a finding, if only that it could not look. Pure. */
public final class ClusterDoctor {
    private ClusterDoctor() {}

    public static List<Finding> examine(ClusterChart chart) {
        Report report = Judge.report(chart.status());
        List<Finding> findings = new ArrayList<>();
        findings.add(api(report, chart));
        findings.addAll(ComponentExam.of(report));
        findings.addAll(CheckpointExam.of(report));
        findings.addAll(ImageExam.of(chart));
        findings.addAll(CertificateExam.of(report, chart.nodes()));
        findings.addAll(ClockExam.of(chart));
        findings.addAll(EtcdExam.of(chart));
        findings.addAll(EtcdMemberExam.of(chart.etcd()));
        findings.addAll(ControlPlaneExam.of(chart.controlPlane(), report.at()));
        findings.addAll(KubeletExam.of(chart));
        findings.addAll(PolicyExam.of(chart));
        return List.copyOf(findings);
    }

    /** Whether the API answers, as the report says: it knows when another cluster's server answered. */
    private static Finding api(Report report, ClusterChart chart) {
        String check = Ailment.API_DOES_NOT_ANSWER.check();
        SourceStatus server = report.sources().getFirst();
        if (chart.status().api() instanceof Unknown<ApiSeen>(String why)) {
            return Finding.unknown(check, why);
        }
        return server.known() ? Finding.ok(check, server.text()) : Ailment.API_DOES_NOT_ANSWER.seen(server.text());
    }
}
