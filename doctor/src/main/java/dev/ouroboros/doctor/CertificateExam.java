package dev.ouroboros.doctor;

import dev.ouroboros.model.ailment.Ailment;
import dev.ouroboros.model.ailment.Finding;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.evidence.Evidence.Known;
import dev.ouroboros.model.evidence.Evidence.Unknown;
import dev.ouroboros.status.model.Report;
import dev.ouroboros.status.seen.DatedCertificate;
import dev.ouroboros.status.seen.NodeSeen;
import dev.ouroboros.status.seen.NodeSeen.NodeCertificates;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Until when the certificates of every component are valid. */
final class CertificateExam {
    private static final String CHECK = Ailment.CERTIFICATE_HAS_ENDED.check();

    private CertificateExam() {}

    /** @param nodes the first one's certificates are in the report already */
    static List<Finding> of(Report report, List<NodeChart> nodes) {
        Set<Finding> findings = new LinkedHashSet<>();
        List<DatedCertificate> all = new ArrayList<>();
        byHolder(report, nodes).forEach((holder, found) -> {
            switch (found) {
                case Unknown<List<DatedCertificate>>(String why) ->
                    findings.add(Finding.unknown(CHECK, holder + ": " + why));
                case Known<List<DatedCertificate>>(List<DatedCertificate> certificates) -> {
                    all.addAll(certificates);
                    certificates.stream()
                            .filter(one -> one.notAfter().isBefore(report.at().plus(Report.CERTIFICATE_WARNING)))
                            .forEach(one -> findings.add(judge(report.at(), holder, one)));
                }
            }
        });
        all.stream()
                .min(Comparator.comparing(DatedCertificate::notAfter))
                .filter(_ -> findings.stream().noneMatch(Finding::isWrong))
                .ifPresent(first -> findings.add(
                        Finding.ok(CHECK, all.size() + ", of which the first ends " + describe(first, report.at()))));
        return findings.isEmpty()
                ? List.of(Finding.unknown(CHECK, "nobody who was asked knows of any"))
                : List.copyOf(findings);
    }

    private static Map<String, Evidence<List<DatedCertificate>>> byHolder(Report report, List<NodeChart> nodes) {
        Map<String, Evidence<List<DatedCertificate>>> found = new LinkedHashMap<>();
        report.components().forEach(component -> found.put(component.title(), component.certificates()));
        nodes.stream().skip(1).forEach(node -> {
            Evidence<NodeCertificates> there = node.seen().flatMap(NodeSeen::certificates);
            found.put(Component.KUBELET.id() + " on " + node.name(), there.map(NodeCertificates::kubelet));
            if (there.is(certificates -> !certificates.etcd().isEmpty())) {
                found.put(Component.ETCD.id() + " on " + node.name(), there.map(NodeCertificates::etcd));
            }
        });
        return found;
    }

    private static Finding judge(Instant now, String component, DatedCertificate one) {
        boolean ended = one.notAfter().isBefore(now);
        Ailment ailment = ended ? Ailment.CERTIFICATE_HAS_ENDED : Ailment.CERTIFICATE_ENDS_SOON;
        return ailment.seen(component + ": " + (ended ? "ended " : "ends ") + describe(one, now));
    }

    private static String describe(DatedCertificate one, Instant now) {
        long days = Duration.between(now, one.notAfter()).toDays();
        return one.notAfter() + (days < 0 ? "" : ", in " + days + " days") + " (" + one.subject() + ", " + one.where()
                + ")";
    }
}
