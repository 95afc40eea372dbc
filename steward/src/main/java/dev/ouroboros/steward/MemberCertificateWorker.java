package dev.ouroboros.steward;

import dev.ouroboros.etcd.decide.EtcdTlsFiles;
import dev.ouroboros.etcd.membership.MemberCertificates;
import dev.ouroboros.etcd.membership.MemberCertificates.Renewed;
import dev.ouroboros.etcd.membership.MemberCertificates.Shown;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.render.pki.LeafRenewal.Outlook;
import dev.ouroboros.render.pki.RenewalPolicy;
import dev.ouroboros.steward.decide.CertificatePolicy;
import dev.ouroboros.steward.decide.CertificateReport;
import dev.ouroboros.steward.decide.CertificateReport.Standing;
import dev.ouroboros.steward.decide.ControlPlaneObject;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has the certificates of this node's member of etcd issued again before they end. etcd reads its files anew for each connection, so that no
 * maintenance window is needed, and nothing but the files changes.
 */
final class MemberCertificateWorker {
    private static final Logger LOG = LoggerFactory.getLogger(MemberCertificateWorker.class);

    private final String node;
    private final BooleanSupplier hasMember;
    private final Supplier<Optional<EtcdTlsFiles>> files;
    private final BiFunction<EtcdTlsFiles, RenewalPolicy, MemberCertificates> certificates;
    private final Speaker speaker;
    private final StewardMetrics metrics;
    private final InstantSource wallClock;
    private boolean begun;
    private Optional<Standing> standing = Optional.empty();

    /**
     * For one node.
     *
     * @param hasMember whether this node has a member
     * @param files of the member; empty while something is done with it
     * @param wallClock for times that people read
     */
    MemberCertificateWorker(
            String node,
            BooleanSupplier hasMember,
            Supplier<Optional<EtcdTlsFiles>> files,
            BiFunction<EtcdTlsFiles, RenewalPolicy, MemberCertificates> certificates,
            Speaker speaker,
            StewardMetrics metrics,
            InstantSource wallClock) {
        this.node = node;
        this.hasMember = hasMember;
        this.files = files;
        this.certificates = certificates;
        this.speaker = speaker;
        this.metrics = metrics;
        this.wallClock = wallClock;
    }

    private void begin(ControlPlaneObject object) {
        if (!begun) {
            begun = true;
            standing =
                    Optional.ofNullable(CertificateReport.of(object).members().get(node));
        }
    }

    void turn(ControlPlaneObject object) {
        begin(object);
        try {
            if (!hasMember.getAsBoolean()) {
                standing = Optional.empty();
                return;
            }
            CertificatePolicy policy = object.certificates();
            files.get().ifPresent(here -> turn(certificates.apply(here, new RenewalPolicy(policy.lifetime())), policy));
        } catch (ProblemException e) {
            fail(Steward.describe(e));
        }
    }

    private void turn(MemberCertificates certified, CertificatePolicy policy) {
        Renewed renewed = policy.isRenewing() ? certified.renew(false) : Renewed.NOTHING;
        if (!renewed.changed().isEmpty()) {
            LOG.info("component=steward event=member-certificates-renewed files={}", renewed.changed());
            speaker.say(false, "MemberCertificatesRenewed", node + ": " + renewed.changed() + " were issued again");
            standing = Optional.of(known().renewedAt(wallClock.instant().truncatedTo(ChronoUnit.SECONDS)));
        }
        List<Shown> shown = certified.look();
        // Whatever fails, the end of the certificates is reported.
        show(shown);
        renewed.requireAll();
        requireAuthority(shown, policy);
        standing = Optional.of(known().resting());
    }

    private Standing known() {
        return standing.orElseGet(Standing::unknown);
    }

    private void show(List<Shown> shown) {
        Optional<Shown> first =
                shown.stream().min(Comparator.comparing(one -> one.certificate().getNotAfter()));
        standing = Optional.of(known().showing(
                        first.map(one -> one.file().toString()).orElse(""),
                        first.map(one -> one.certificate().getNotAfter().toInstant()),
                        Outlook.firstDue(shown.stream().map(Shown::outlook))));
        first.ifPresent(one ->
                metrics.memberCertificatesEnd(one.certificate().getNotAfter().toInstant()));
    }

    /** Reports in time those certificates whose authority's key is not here, or that end with their authority. */
    private void requireAuthority(List<Shown> shown, CertificatePolicy policy) {
        RenewalPolicy dates = new RenewalPolicy(policy.lifetime());
        List<Problem> problems = shown.stream()
                .filter(one -> !dates.dueAt(one.certificate()).isAfter(wallClock.instant()))
                .flatMap(one -> problem(one).stream())
                .toList();
        if (!problems.isEmpty()) {
            throw new ProblemException(problems);
        }
    }

    private static Optional<Problem> problem(Shown one) {
        String end = "on " + one.certificate().getNotAfter().toInstant();
        return switch (one.outlook()) {
            case Outlook.Renews _ -> Optional.empty();
            case Outlook.NoAuthority() ->
                Optional.of(new Problem(
                        ErrorCode.NOT_FOUND,
                        one.file().toString(),
                        "ends " + end + ", and the key of its authority is not here",
                        "an etcd of ours, whose authority's key the steward has",
                        "have it issued where it came from, and put it in its place"));
            case Outlook.EndsWithAuthority() ->
                Optional.of(
                        new Problem(
                                ErrorCode.INVALID_KEY_MATERIAL,
                                one.file().toString(),
                                "ends with its authority, "
                                        + one.certificate()
                                                .getIssuerX500Principal()
                                                .getName() + ", " + end,
                                "an authority that is good for longer",
                                "exchange etcd's authority by hand before then: there is no command for it (docs/certificates.md, \"Not yet\")"));
        };
    }

    private void fail(String why) {
        Standing before = known();
        if (!before.failure().equals(why)) {
            LOG.error("component=steward event=member-renewal-failed reason=\"{}\"", why);
            speaker.say(true, "RenewalFailed", node + ": " + why);
        }
        metrics.renewalFailed();
        standing = Optional.of(before.failing(why));
    }

    /** How the certificates of this node's member stand, as this process knows or the status says. */
    Map<String, Standing> standing(ControlPlaneObject object) {
        begin(object);
        return standing.map(known -> Map.of(node, known)).orElseGet(Map::of);
    }
}
