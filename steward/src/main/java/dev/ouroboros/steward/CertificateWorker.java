package dev.ouroboros.steward;

import dev.ouroboros.change.CertificateRenewal;
import dev.ouroboros.change.CertificateRenewal.Mounted;
import dev.ouroboros.cluster.ClusterClient;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.procedure.ProcedureListener;
import dev.ouroboros.render.pki.LeafRenewal.Outlook;
import dev.ouroboros.render.pki.RenewalPolicy;
import dev.ouroboros.steward.decide.CertificatePolicy;
import dev.ouroboros.steward.decide.CertificateReport;
import dev.ouroboros.steward.decide.CertificateReport.Standing;
import dev.ouroboros.steward.decide.ControlPlaneObject;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has certificates of workloads issued again before they end. The leading steward does it, on a thread of its own, because to replace an API server
 * takes minutes. What was begun goes on until all pods have the new certificates, by whichever steward leads then. Two leaders at once do no harm:
 * the second one finds the certificates issued.
 */
final class CertificateWorker {
    private static final Logger LOG = LoggerFactory.getLogger(CertificateWorker.class);
    private static final Duration INTERVAL = Duration.ofMinutes(1);
    private static final Duration RETRY = Duration.ofMinutes(10);
    /** A workload that refused new certificates costs its keeper a whole trial each time. */
    private static final Duration RETRY_OF_REFUSED = Duration.ofHours(1);
    /** How long one step may wait. */
    private static final Duration LIMIT = Duration.ofMinutes(20);

    private final Supplier<ClusterClient> clients;
    private final BooleanSupplier leads;
    private final Disk disk;
    private final Speaker speaker;
    private final StewardMetrics metrics;
    private final InstantSource clock;
    private final InstantSource wallClock;
    private final BackgroundTask task = new BackgroundTask("certificates", this);
    private Optional<Instant> nextLook = Optional.empty();
    private Optional<Standing> standing = Optional.empty();
    /** Whether renewal is still wished: where it is not, it ends between two steps. */
    private boolean isWished;

    /**
     * Nothing is known yet.
     *
     * @param clients each is closed after use
     * @param leads whether this steward has the Lease
     * @param clock that does not jump
     * @param wallClock for times that people read
     */
    CertificateWorker(
            Supplier<ClusterClient> clients,
            BooleanSupplier leads,
            Disk disk,
            Speaker speaker,
            StewardMetrics metrics,
            InstantSource clock,
            InstantSource wallClock) {
        this.clients = clients;
        this.leads = leads;
        this.disk = disk;
        this.speaker = speaker;
        this.metrics = metrics;
        this.clock = clock;
        this.wallClock = wallClock;
    }

    /** Looks from time to time at when certificates end, and begins to have them issued again when that is due. */
    synchronized void turn(ControlPlaneObject object) {
        if (!leads.getAsBoolean()) {
            rest();
            return;
        }
        CertificatePolicy policy = object.certificates();
        isWished = policy.isRenewing();
        if (standing.isEmpty()) {
            standing = Optional.of(CertificateReport.of(object).workloads().orElseGet(Standing::unknown));
        }
        boolean rests = nextLook.filter(at -> at.isAfter(clock.instant())).isPresent();
        if (task.isWorking() || rests) {
            return;
        }
        nextLook = Optional.of(clock.instant().plus(INTERVAL));
        task.begin(() -> work(policy), () -> {});
    }

    /** For a steward that does not lead, or where nothing is wished any more: what is under way ends between two steps. */
    synchronized void rest() {
        isWished = false;
        if (!task.isWorking()) {
            standing = Optional.empty();
            nextLook = Optional.empty();
        }
    }

    /** How the workloads' certificates stand; empty unless this steward leads. */
    synchronized Optional<Standing> standing() {
        return leads.getAsBoolean() ? standing : Optional.empty();
    }

    private synchronized void tell(Standing known) {
        standing = Optional.of(known);
        known.expires().ifPresent(metrics::certificatesEnd);
    }

    private synchronized Standing known() {
        return standing.orElseGet(Standing::unknown);
    }

    private synchronized boolean mayGoOn() {
        return isWished && leads.getAsBoolean();
    }

    private void work(CertificatePolicy policy) {
        boolean isAsExpected = false;
        try (ClusterClient client = clients.get()) {
            CertificateRenewal renewal = CertificateRenewal.of(
                    client,
                    Optional.empty(),
                    disk,
                    new RenewalPolicy(policy.lifetime()),
                    new Steps(),
                    new SecureRandom(),
                    LIMIT,
                    clock,
                    wallClock);
            work(policy, renewal);
            isAsExpected = true;
        } catch (ProblemException e) {
            isAsExpected = true;
            fail(e);
        } finally {
            if (!isAsExpected) {
                fail(ErrorCode.INTERNAL, "it ended as nobody expected: see the steward's log");
            }
        }
    }

    private void work(CertificatePolicy policy, CertificateRenewal renewal) {
        CertificateRenewal.Books books = renewal.books();
        List<Mounted> mounted = books.mounted();
        List<Mounted> due = mounted.stream().filter(one -> isDue(policy, one)).toList();
        Standing before = seeing(known(), mounted);
        tell(before);
        boolean isBegun = before.isRenewing() || !before.failure().isEmpty();
        boolean isToBeDone = isToBeBegun(policy, mounted) || (isBegun && policy.isRenewing() && !renewal.isAtRest());
        if (isToBeDone) {
            tell(before.renewing());
            boolean any = renewal.renew(CertificateRenewal.Scope.DUE) || before.isRenewing();
            tell(seeing(any ? known().renewedAt(moment()) : known().resting(), renewal.look()));
            if (any) {
                speaker.say(false, "CertificatesRenewed", "workloads have certificates that were issued again");
            }
        } else if (before.isRenewing()) {
            tellEnd(before, due);
        } else {
            if (policy.isRenewing()) {
                books.requireComplete();
            }
            if (due.isEmpty()) {
                tell(before.resting());
            }
        }
    }

    /** Reports the end of a renewal whose process ended before it could report. */
    private void tellEnd(Standing before, List<Mounted> due) {
        if (due.isEmpty()) {
            tell(before.renewedAt(moment()));
            speaker.say(false, "CertificatesRenewed", "workloads have certificates that were issued again");
        } else {
            tell(before.stopped());
            speaker.say(
                    false,
                    "RenewalLeft",
                    "due still, until they may be issued again: "
                            + due.stream()
                                    .map(CertificateWorker::title)
                                    .distinct()
                                    .collect(Collectors.joining(", ")));
        }
    }

    private static String title(Mounted one) {
        return one.component().id() + " " + one.leaf().file();
    }

    private boolean isToBeBegun(CertificatePolicy policy, List<Mounted> mounted) {
        RenewalPolicy dates = new RenewalPolicy(policy.lifetime());
        return mounted.stream()
                .map(one -> one.leaf().certificate())
                .anyMatch(leaf -> policy.mayBegin(dates.dueAt(leaf), dates.lateAt(leaf), wallClock.instant()));
    }

    /**
     * Whether a certificate is due. One that cannot be issued again, because its authority's key is not here or ends with it, is due as well: so that
     * it is reported before it ends.
     */
    private boolean isDue(CertificatePolicy policy, Mounted one) {
        return !new RenewalPolicy(policy.lifetime())
                .dueAt(one.leaf().certificate())
                .isAfter(wallClock.instant());
    }

    private static Standing seeing(Standing before, List<Mounted> mounted) {
        Optional<Mounted> first = mounted.stream()
                .min(Comparator.comparing(one -> one.leaf().certificate().getNotAfter()));
        return before.showing(
                first.map(CertificateWorker::title).orElse(""),
                first.map(one -> one.leaf().certificate().getNotAfter().toInstant()),
                Outlook.firstDue(mounted.stream().map(Mounted::outlook)));
    }

    private void fail(ProblemException e) {
        ErrorCode code = e.problems().getFirst().code();
        if (code == ErrorCode.LOCKED) {
            LOG.info("component=steward event=renewal-left reason=\"{}\"", Steward.describe(e));
        } else {
            fail(code, Steward.describe(e));
        }
    }

    private synchronized void fail(ErrorCode code, String why) {
        Standing before = known();
        if (!before.failure().equals(why)) {
            LOG.error("component=steward event=renewal-failed reason=\"{}\"", why);
            speaker.say(true, "RenewalFailed", why);
        }
        metrics.renewalFailed();
        standing = Optional.of(before.failing(why));
        nextLook = Optional.of(clock.instant().plus(code == ErrorCode.COMPONENT_FAILED ? RETRY_OF_REFUSED : RETRY));
    }

    private Instant moment() {
        return wallClock.instant().truncatedTo(ChronoUnit.SECONDS);
    }

    /**
     * Writes steps to the log, and what was done also as Events. It ends a renewal that is not wished any more, or that another steward leads by now.
     */
    private final class Steps implements ProcedureListener {
        private final LoggedSteps log = new LoggedSteps();

        private void requireToGoOn() {
            if (!mayGoOn()) {
                throw ProblemException.of(
                        ErrorCode.LOCKED,
                        "this steward",
                        "leads no more, or nothing is wished of it any more",
                        "",
                        "it is gone on with by whoever leads, when it is wished");
            }
        }

        @Override
        public void did(String what) {
            log.did(what);
            speaker.say(false, "RenewingCertificates", what);
            requireToGoOn();
        }

        @Override
        public void waits(String why, Duration since) {
            log.waits(why, since);
            requireToGoOn();
        }
    }
}
