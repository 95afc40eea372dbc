package dev.ouroboros.change;

import dev.ouroboros.change.decide.CertificateFiles.Leaf;
import dev.ouroboros.change.decide.CertificateHolder;
import dev.ouroboros.change.decide.CertificateRenewalStep;
import dev.ouroboros.change.decide.Rollout;
import dev.ouroboros.cluster.ClusterClient;
import dev.ouroboros.cluster.ClusterReader;
import dev.ouroboros.cluster.ClusterWriter;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.credential.Credential;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.procedure.Journal;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.procedure.Patience;
import dev.ouroboros.node.procedure.ProcedureDriver;
import dev.ouroboros.node.procedure.ProcedureListener;
import dev.ouroboros.render.pki.Authorities;
import dev.ouroboros.render.pki.LeafRenewal;
import dev.ouroboros.render.pki.RenewalPolicy;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.security.auth.x500.X500Principal;

/**
 * The certificates that workloads of a running control plane show: which there are, and others in their place before they end. The API server's are exchanged as any other change of its template, by its keeper and
 * without an outage.
 */
public final class CertificateRenewal {
    private final ControlPlaneObjects plane;
    private final CertificateSource source;
    private final Optional<AssetCopy> assets;
    private final RenewalPolicy policy;
    private final ProcedureListener listener;
    private final Patience patience;
    private final ProcedureDriver driver;
    private final InstantSource wallClock;
    private final SecureRandom random;

    /**
     * Nothing is asked yet.
     *
     * @param assetDirectory has keys of authorities that are not in the cluster, and gets what is issued; empty to use the cluster's alone
     * @param limit how long one thing is waited for
     * @param clock that does not jump
     * @param wallClock of which people read times
     */
    public static CertificateRenewal of(
            ClusterClient client,
            Optional<Path> assetDirectory,
            Disk disk,
            RenewalPolicy policy,
            ProcedureListener listener,
            SecureRandom random,
            Duration limit,
            InstantSource clock,
            InstantSource wallClock) {
        Patience patience = new Patience(listener, limit, clock);
        return new CertificateRenewal(
                new ClusterChangeApi(new ClusterReader(client), new ClusterWriter(client)),
                assetDirectory.map(directory -> new AssetCopy(disk, directory)),
                policy,
                listener,
                random,
                patience,
                patience,
                wallClock);
    }

    /** @param driver of the procedure; asks for what is around it are the patience's */
    CertificateRenewal(
            ChangeApi api,
            Optional<AssetCopy> assets,
            RenewalPolicy policy,
            ProcedureListener listener,
            SecureRandom random,
            Patience patience,
            ProcedureDriver driver,
            InstantSource wallClock) {
        this.plane = new ControlPlaneObjects(api);
        this.source = new CertificateSource(plane);
        this.assets = assets;
        this.policy = policy;
        this.listener = listener;
        this.random = random;
        this.patience = patience;
        this.driver = driver;
        this.wallClock = wallClock;
    }

    /**
     * A certificate that a workload's template mounts.
     *
     * @param secret of kube-system
     */
    public record Mounted(Component component, String secret, Leaf leaf, LeafRenewal.Outlook outlook) {}

    /**
     * What is known of all certificates.
     *
     * @param gaps Secrets that templates mount and that are gone, and what they have with them
     */
    public record Books(List<Mounted> mounted, List<Problem> gaps) {
        public Books {
            mounted = List.copyOf(mounted);
            gaps = List.copyOf(gaps);
        }

        /**
         * Requires that no certificate is unknown.
         *
         * @throws ProblemException NOT_FOUND when a Secret is gone
         */
        public void requireComplete() {
            if (!gaps.isEmpty()) {
                throw new ProblemException(gaps);
            }
        }
    }

    /** Which certificates there are. */
    public List<Mounted> look() {
        return books().mounted();
    }

    /** Which certificates there are, and which would have to be there. */
    public Books books() {
        List<CertificateHolder> holders = patience.asking(source::look);
        LeafRenewal renewal = renewal(holders);
        List<Mounted> found = new ArrayList<>();
        holders.forEach(holder -> holder.secrets()
                .forEach(files -> files.leaves()
                        .forEach(leaf -> found.add(new Mounted(
                                holder.component(),
                                files.secret().name(),
                                leaf,
                                renewal.outlook(leaf.certificate()))))));
        return new Books(
                found, holders.stream().flatMap(CertificateHolder::gaps).toList());
    }

    /**
     * An authority whose certificate workloads mount. Others may trust it as well: kubeconfigs have it in them, and nodes have it in files.
     *
     * @param users names of these workloads
     * @param keys where its key is; none where that is elsewhere
     */
    public record KnownAuthority(X509Certificate authority, SortedSet<String> users, SortedSet<String> keys) {
        public KnownAuthority {
            users = Collections.unmodifiableSortedSet(new TreeSet<>(users));
            keys = Collections.unmodifiableSortedSet(new TreeSet<>(keys));
        }
    }

    /** Which authorities there are, in the order in which workloads have them. */
    public List<KnownAuthority> known() {
        List<CertificateHolder> holders = patience.asking(source::look);
        Map<X509Certificate, NavigableSet<String>> users = new LinkedHashMap<>();
        holders.forEach(holder -> holder.secrets()
                .forEach(files -> files.trusted()
                        .forEach(authority -> users.computeIfAbsent(authority, _ -> new TreeSet<>())
                                .add(holder.component().id()))));
        Map<X509Certificate, NavigableSet<String>> keys = new HashMap<>();
        patience.asking(() -> source.withKeys(holders))
                .forEach(files -> files.authorities()
                        .forEach(authority -> keys.computeIfAbsent(authority.certificate(), _ -> new TreeSet<>())
                                .add("Secret " + files.secret().name())));
        assets.ifPresent(copy -> copy.authorities()
                .forEach(authority -> keys.computeIfAbsent(authority.certificate(), _ -> new TreeSet<>())
                        .add("the asset directory")));
        return users.entrySet().stream()
                .map(entry -> new KnownAuthority(
                        entry.getKey(), entry.getValue(), keys.getOrDefault(entry.getKey(), new TreeSet<>())))
                .toList();
    }

    /** Whether each workload's pods have what its template says. */
    public boolean isAtRest() {
        return patience.asking(source::look).stream().allMatch(holder -> holder.rollout() instanceof Rollout.Settled);
    }

    /** Authorities whose keys are in the cluster, or in the asset directory. */
    public List<Credential> authorities() {
        return authorities(patience.asking(source::look));
    }

    /** Authorities whose keys are in an asset directory. */
    public static List<Credential> authoritiesOf(Path assetDirectory, Disk disk) {
        return new AssetCopy(disk, assetDirectory).authorities();
    }

    private List<Credential> authorities(List<CertificateHolder> holders) {
        List<Credential> authorities = new ArrayList<>(patience.asking(() -> source.authorities(holders)));
        assets.ifPresent(copy -> authorities.addAll(copy.authorities()));
        return authorities;
    }

    /** Keys of authorities are in the controller manager's Secret, in the steward's, and in the asset directory. */
    private LeafRenewal renewal(List<CertificateHolder> holders) {
        return new LeafRenewal(new Authorities(authorities(holders)), policy, wallClock, random);
    }

    /** Which certificates are issued again. */
    public enum Scope {
        /** Of which a third of the life is left or less; one workload after the other. */
        DUE,
        /** The same, and no workload is waited for: those that run with certificates that end do not come to rest. */
        DUE_AT_ONCE,
        /** All that can be, one workload after the other. */
        ALL
    }

    /**
     * Has certificates issued again. Killed anywhere, it goes on when it is run again.
     *
     * @return whether any was
     * @throws ProblemException COMPONENT_FAILED when a workload does not run with others; TIMEOUT when nothing moves; when all others are issued, NOT_FOUND of those whose authority's key is not at hand or whose Secret is gone, and INVALID_KEY_MATERIAL of authorities that end themselves
     */
    public boolean renew(Scope scope) {
        boolean all = scope == Scope.ALL;
        List<CertificateHolder> holders = patience.asking(source::look);
        assets.ifPresent(copy -> holders.stream()
                .filter(holder -> holder.component() == Component.API_SERVER)
                .flatMap(holder -> holder.secrets().stream())
                .forEach(files -> copy.require(files.secret())));
        LeafRenewal renewal = renewal(holders);
        Predicate<Leaf> isDue = all
                ? leaf -> renewal.outlook(leaf.certificate()) instanceof LeafRenewal.Outlook.Renews
                : leaf -> renewal.isDue(leaf.certificate());
        CertificateRenewalProcedure procedure = new CertificateRenewalProcedure(
                plane,
                source,
                renewal,
                new CertificateRenewalProcedure.Choice(
                        isDue, leaf -> scope == Scope.DUE_AT_ONCE || renewal.hasEnded(leaf.certificate())),
                assets,
                listener,
                patience);
        Optional<Rollout.Ending> before = holders.stream()
                .filter(holder -> holder.component() == Component.API_SERVER)
                .findFirst()
                .flatMap(holder -> Rollout.ending(holder.workload()));
        CertificateRenewalStep.State end =
                driver.run(procedure, Journal.none(), CertificateRenewalStep.State.begin(before));
        requireAll(holders, renewal, scope);
        return !end.replaced().isEmpty();
    }

    /** Of those that end soon none is passed over in silence. */
    private void requireAll(List<CertificateHolder> holders, LeafRenewal renewal, Scope scope) {
        List<Problem> problems = new ArrayList<>();
        holders.stream().flatMap(CertificateHolder::gaps).forEach(problems::add);
        orphans(holders, renewal, scope == Scope.ALL).distinct().forEach(problems::add);
        if (scope != Scope.DUE_AT_ONCE) {
            // Who brings a cluster back that was off has got what there is.
            ending(holders, renewal).forEach(problems::add);
        }
        if (!problems.isEmpty()) {
            throw new ProblemException(problems);
        }
    }

    private boolean isDue(Leaf leaf) {
        return !policy.dueAt(leaf.certificate()).isAfter(wallClock.instant());
    }

    private Stream<Problem> orphans(List<CertificateHolder> holders, LeafRenewal renewal, boolean all) {
        return holders.stream()
                .flatMap(CertificateHolder::leaves)
                .filter(leaf -> renewal.outlook(leaf.certificate()) instanceof LeafRenewal.Outlook.NoAuthority)
                .filter(leaf -> all || isDue(leaf))
                .map(
                        leaf -> new Problem(
                                ErrorCode.NOT_FOUND,
                                leaf.file() + " (" + leaf.certificate().getSubjectX500Principal() + ")",
                                "the key of its authority, "
                                        + leaf.certificate().getIssuerX500Principal()
                                        + ", is not in the cluster"
                                        + (assets.isPresent() ? " or in the asset directory" : ""),
                                "an authority whose key is at hand",
                                "give the directory that the cluster was started from with --asset-dir; what another authority issues, have issued there and apply it by hand (docs/certificates.md)"));
    }

    /** Authorities that end soon: with one all that it has issued does, at once. */
    private Stream<Problem> ending(List<CertificateHolder> holders, LeafRenewal renewal) {
        Map<X500Principal, List<X509Certificate>> ending = holders.stream()
                .flatMap(CertificateHolder::leaves)
                .filter(leaf -> renewal.outlook(leaf.certificate()) instanceof LeafRenewal.Outlook.EndsWithAuthority)
                .filter(this::isDue)
                .map(Leaf::certificate)
                .collect(Collectors.groupingBy(
                        X509Certificate::getIssuerX500Principal, LinkedHashMap::new, Collectors.toList()));
        return ending.entrySet().stream()
                .map(
                        entry -> new Problem(
                                ErrorCode.INVALID_KEY_MATERIAL,
                                "authority " + entry.getKey().getName(),
                                "ends on "
                                        + entry.getValue()
                                                .getFirst()
                                                .getNotAfter()
                                                .toInstant()
                                        + ", and with it what it has issued: "
                                        + entry.getValue().stream()
                                                .map(leaf -> leaf.getSubjectX500Principal()
                                                        .getName())
                                                .distinct()
                                                .collect(Collectors.joining(", ")),
                                "an authority that is good for longer",
                                "exchange it before then: the front proxy's by ouro change rotate-authority front-proxy, another one by hand (docs/certificates.md, \"Not yet\")"));
    }
}
