package dev.ouroboros.cli.certificates;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.ouroboros.change.CertificateRenewal.Books;
import dev.ouroboros.change.CertificateRenewal.KnownAuthority;
import dev.ouroboros.change.CertificateRenewal.Mounted;
import dev.ouroboros.cli.console.TextTable;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.evidence.Evidence.Known;
import dev.ouroboros.model.evidence.Evidence.Unknown;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.render.pki.LeafRenewal.Outlook;
import dev.ouroboros.render.pki.RenewalPolicy;
import dev.ouroboros.status.seen.DatedCertificate;
import dev.ouroboros.status.seen.NodeSeen.NodeCertificates;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** Which certificates there are, as a table and as data. */
final class CertificatesView {
    private static final String BY_ITSELF = "by itself";

    private final List<Line> lines = new ArrayList<>();
    private final SortedMap<String, String> unknown = new TreeMap<>();
    private final List<Problem> gaps;
    private final RenewalPolicy policy;
    private final List<KnownAuthority> authorities;
    private final Instant now;

    /**
     * A certificate.
     *
     * @param user who shows it
     * @param where a file, or the Secret's name and the file in it
     * @param renews when it is to be issued again, or why that is not known; as people read it
     * @param due when it is to be issued again; empty where that is not ours to say
     * @param canBeRenewed whether what it takes is at hand
     */
    private record Line(
            String user,
            String where,
            String subject,
            List<String> names,
            String issuer,
            Instant notAfter,
            String renews,
            Optional<Instant> due,
            boolean canBeRenewed) {}

    CertificatesView(
            Books books,
            List<KnownAuthority> authorities,
            SortedMap<String, Evidence<NodeCertificates>> nodes,
            RenewalPolicy policy,
            Instant now) {
        this.gaps = books.gaps();
        this.policy = policy;
        this.authorities = List.copyOf(authorities);
        this.now = now;
        books.mounted().forEach(one -> lines.add(line(one)));
        nodes.forEach((node, evidence) -> {
            switch (evidence) {
                case Known<NodeCertificates>(NodeCertificates files) -> {
                    files.etcd().forEach(one -> add(Component.ETCD.id() + " on " + node, one, "member"));
                    files.kubelet().forEach(one -> add(Component.KUBELET.id() + " on " + node, one, BY_ITSELF));
                }
                case Unknown<NodeCertificates>(String why) -> unknown.put(node, why);
            }
        });
    }

    private Line line(Mounted one) {
        X509Certificate certificate = one.leaf().certificate();
        return new Line(
                one.component().id(),
                one.secret() + " " + one.leaf().file(),
                certificate.getSubjectX500Principal().getName(),
                names(certificate),
                certificate.getIssuerX500Principal().getName(),
                certificate.getNotAfter().toInstant(),
                switch (one.outlook()) {
                    case Outlook.Renews(Instant at, Instant _) -> days(at);
                    case Outlook.NoAuthority() -> "needs --asset-dir";
                    case Outlook.EndsWithAuthority() -> "ends with its authority";
                },
                Optional.of(policy.dueAt(certificate).truncatedTo(ChronoUnit.SECONDS)),
                one.outlook() instanceof Outlook.Renews);
    }

    private void add(String user, DatedCertificate one, String renews) {
        if (!one.isAuthority()) {
            lines.add(new Line(
                    user,
                    one.holder(),
                    one.subject(),
                    List.of(),
                    one.issuer(),
                    one.notAfter(),
                    renews.equals(BY_ITSELF) ? renews : days(due(one)),
                    renews.equals(BY_ITSELF) ? Optional.empty() : Optional.of(due(one)),
                    true));
        }
    }

    private Instant due(DatedCertificate one) {
        return policy.dueAt(one.notBefore(), one.notAfter()).truncatedTo(ChronoUnit.SECONDS);
    }

    private static List<String> names(X509Certificate certificate) {
        try {
            Collection<List<?>> names = certificate.getSubjectAlternativeNames();
            return names == null
                    ? List.of()
                    : names.stream()
                            .map(name -> String.valueOf(name.get(1)))
                            .sorted()
                            .toList();
        } catch (CertificateParsingException e) {
            return List.of("unreadable");
        }
    }

    private String days(Instant moment) {
        Duration left = Duration.between(now, moment);
        if (left.isNegative()) {
            return "now";
        }
        return left.toDays() > 0 ? "in " + left.toDays() + "d" : "in " + left.toMinutes() + "m";
    }

    /** Whether a certificate has ended, or will end without anything that could renew it. */
    boolean isWorrying() {
        return !gaps.isEmpty()
                || lines.stream()
                        .anyMatch(line -> line.notAfter().isBefore(now)
                                || (!line.canBeRenewed()
                                        && line.due()
                                                .filter(due -> due.isBefore(now))
                                                .isPresent()));
    }

    String text() {
        TextTable table = new TextTable("USED BY", "WHERE", "SUBJECT", "AUTHORITY", "ENDS", "RENEWED");
        lines.forEach(line -> table.row(
                line.user(),
                line.where(),
                line.subject(),
                commonName(line.issuer()),
                ends(line.notAfter()),
                line.renews()));
        StringBuilder text = new StringBuilder(table.toString());
        text.append('\n').append(authoritiesTable());
        gaps.forEach(gap -> text.append(gap.describe()).append('\n'));
        unknown.forEach((node, why) -> text.append("node ")
                .append(node)
                .append(": unknown: ")
                .append(why)
                .append('\n'));
        return text.toString();
    }

    private TextTable authoritiesTable() {
        TextTable table = new TextTable("AUTHORITY", "ENDS", "MOUNTED BY", "KEY");
        authorities.forEach(one -> table.row(
                commonName(one.authority().getSubjectX500Principal().getName()),
                ends(one.authority().getNotAfter().toInstant()),
                String.join(", ", one.users()),
                one.keys().isEmpty() ? "elsewhere" : String.join(", ", one.keys())));
        return table;
    }

    private static String commonName(String subject) {
        return subject.replaceAll("^(?:.*,)?CN=([^,]+).*$", "$1");
    }

    private String ends(Instant notAfter) {
        return notAfter.isBefore(now) ? "has ended" : days(notAfter);
    }

    ObjectNode data() {
        ObjectNode data = JsonNodeFactory.instance.objectNode();
        ArrayNode all = data.putArray("certificates");
        for (Line line : lines) {
            ObjectNode node = all.addObject()
                    .put("usedBy", line.user())
                    .put("where", line.where())
                    .put("subject", line.subject())
                    .put("authority", line.issuer())
                    .put("notAfter", line.notAfter().toString())
                    .put("renewable", line.canBeRenewed());
            line.due().ifPresent(due -> node.put("renews", due.toString()));
            ArrayNode names = node.putArray("names");
            line.names().forEach(names::add);
        }
        ArrayNode trusted = data.putArray("authorities");
        for (KnownAuthority one : authorities) {
            ObjectNode node = trusted.addObject()
                    .put("subject", one.authority().getSubjectX500Principal().getName())
                    .put("notAfter", one.authority().getNotAfter().toInstant().toString());
            ArrayNode users = node.putArray("mountedBy");
            one.users().forEach(users::add);
            ArrayNode keys = node.putArray("keys");
            one.keys().forEach(keys::add);
        }
        ArrayNode missing = data.putArray("missing");
        gaps.forEach(gap -> missing.add(gap.describe()));
        ObjectNode nodes = data.putObject("unknown");
        Collections.unmodifiableSortedMap(unknown).forEach(nodes::put);
        return data;
    }
}
