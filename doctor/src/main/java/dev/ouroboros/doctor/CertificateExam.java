package dev.ouroboros.doctor;

import dev.ouroboros.model.ailment.Ailment;
import dev.ouroboros.model.ailment.Finding;
import dev.ouroboros.model.evidence.Evidence.Known;
import dev.ouroboros.model.evidence.Evidence.Unknown;
import dev.ouroboros.status.model.ComponentStatus;
import dev.ouroboros.status.model.Report;
import dev.ouroboros.status.seen.DatedCertificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Until when the certificates of every component are good. */
final class CertificateExam {
    private static final String CHECK = Ailment.CERTIFICATE_HAS_ENDED.check();

    private CertificateExam() {}

    static List<Finding> of(Report report) {
        Set<Finding> findings = new LinkedHashSet<>();
        List<DatedCertificate> all = new ArrayList<>();
        for (ComponentStatus component : report.components()) {
            switch (component.certificates()) {
                case Unknown<List<DatedCertificate>>(String why) ->
                    findings.add(Finding.unknown(CHECK, component.title() + ": " + why));
                case Known<List<DatedCertificate>>(List<DatedCertificate> certificates) -> {
                    all.addAll(certificates);
                    certificates.stream()
                            .filter(one -> one.notAfter().isBefore(report.at().plus(Report.CERTIFICATE_WARNING)))
                            .forEach(one -> findings.add(judge(report.at(), component.title(), one)));
                }
            }
        }
        all.stream()
                .min(Comparator.comparing(DatedCertificate::notAfter))
                .filter(_ -> findings.stream().noneMatch(Finding::isWrong))
                .ifPresent(first -> findings.add(
                        Finding.ok(CHECK, all.size() + ", of which the first ends " + describe(first, report.at()))));
        return findings.isEmpty()
                ? List.of(Finding.unknown(CHECK, "nobody who was asked knows of any"))
                : List.copyOf(findings);
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
