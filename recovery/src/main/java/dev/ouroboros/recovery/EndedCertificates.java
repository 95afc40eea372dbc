package dev.ouroboros.recovery;

import dev.ouroboros.change.AssetCertificates;
import dev.ouroboros.change.CertificateRenewal;
import dev.ouroboros.cluster.ClusterClient;
import dev.ouroboros.endpoint.KubeconfigFile;
import dev.ouroboros.etcd.decide.EtcdTlsFiles;
import dev.ouroboros.etcd.membership.MemberCertificates;
import dev.ouroboros.model.asset.AssetLayout;
import dev.ouroboros.model.credential.Credential;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.clock.MonotonicClock;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.procedure.ProcedureListener;
import dev.ouroboros.render.pki.Authorities;
import dev.ouroboros.render.pki.LeafRenewal;
import dev.ouroboros.render.pki.Pem;
import dev.ouroboros.render.pki.RenewalPolicy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Brings a cluster back that was off until its certificates had ended, with the authorities in its asset directory: on the node, what starts it (directory, etcd's member, kubelet); then, from the moment when the
 * temporary API server of {@code start} answers, what the workloads show. Nobody is asked to sign, and no certificate says more than the one of before.
 */
public final class EndedCertificates {
    /** Where a kubelet of ours has its keys. */
    public static final Path KUBELET_KEYS = Path.of("/var/lib/kubelet/pki");

    private static final String KUBELET_CLIENT = "kubelet-client-";
    private static final Set<ErrorCode> AGAIN = Set.of(ErrorCode.API_UNAVAILABLE, ErrorCode.API_REFUSED);
    private static final Duration PAUSE = Duration.ofSeconds(5);

    private final Disk disk;
    private final Path assets;
    private final RenewalPolicy policy;
    private final InstantSource wallClock;
    private final SecureRandom random = new SecureRandom();

    /**
     * Nothing is read yet.
     *
     * @param assets the asset directory of the cluster, with the keys of its authorities
     * @param wallClock of which people read times
     */
    public EndedCertificates(Disk disk, Path assets, RenewalPolicy policy, InstantSource wallClock) {
        this.disk = disk;
        this.assets = assets;
        this.policy = policy;
        this.wallClock = wallClock;
    }

    /**
     * Has those of this node issued again that are due.
     *
     * @param etcdManifest of its member of etcd, if it has one
     * @param kubeletKeys directory with the certificate of its kubelet
     * @return the files that are others now
     * @throws ProblemException NOT_FOUND before anything is written where the directory has not the authority's key; INVALID_KEY_MATERIAL when a file is none
     */
    public List<String> renewHere(Path etcdManifest, Path kubeletKeys) {
        Credential authority = credential(AssetLayout.CA_CERTIFICATE, AssetLayout.CA_KEY)
                .orElseThrow(() -> ProblemException.of(
                        ErrorCode.NOT_FOUND,
                        assets.resolve(AssetLayout.CA_KEY).toString(),
                        "is not there, or does not belong to " + AssetLayout.CA_CERTIFICATE,
                        "the key of the cluster's authority",
                        "put both into the directory, as they were when the cluster was started from it"));
        List<String> changed = new ArrayList<>(new AssetCertificates(disk, assets, policy, random, wallClock)
                .renew().stream().map(file -> assets.resolve(file).toString()).toList());
        disk.readText(etcdManifest)
                .map(text -> EtcdTlsFiles.of(etcdManifest.toString(), text))
                .ifPresent(files -> {
                    MemberCertificates.Renewed renewed = new MemberCertificates(
                                    disk,
                                    files,
                                    credential(AssetLayout.ETCD_CA_CERTIFICATE, AssetLayout.ETCD_CA_KEY),
                                    policy,
                                    wallClock,
                                    random)
                            .renew(false);
                    renewed.requireAll();
                    renewed.changed().forEach(file -> changed.add(file.toString()));
                });
        renewKubelet(authority, kubeletKeys).ifPresent(file -> changed.add(file.toString()));
        return List.copyOf(changed);
    }

    private Optional<Credential> credential(String certificate, String key) {
        return MemberCertificates.authority(disk, assets.resolve(certificate), assets.resolve(key));
    }

    /** Certificate and key are in one file, to the newest of which a link of the kubelet's leads. */
    private Optional<Path> renewKubelet(Credential authority, Path keys) {
        LeafRenewal renewal = new LeafRenewal(new Authorities(List.of(authority)), policy, wallClock, random);
        Path current = keys.resolve(KUBELET_CLIENT + "current.pem");
        Optional<String> text = disk.readText(current);
        Optional<Path> file = disk.list(keys).stream()
                .filter(name -> name.startsWith(KUBELET_CLIENT))
                .map(keys::resolve)
                .filter(found -> !found.equals(current) && disk.readText(found).equals(text))
                .findFirst();
        Optional<Credential> renewed = text.flatMap(both -> Pem.credential(both, both))
                .filter(known -> renewal.isDue(known.certificate()))
                .flatMap(renewal::prolonged);
        return renewed.flatMap(fresh -> file.map(found -> {
            disk.write(
                    found,
                    Pem.withFirst(text.orElse(""), fresh.certificate()).getBytes(StandardCharsets.UTF_8),
                    Disk.OWNER_ONLY_FILE);
            return found;
        }));
    }

    /** What goes on beside {@code start}, for as long as that lasts. */
    public static final class Background implements AutoCloseable {
        private final ExecutorService thread = Executors.newVirtualThreadPerTaskExecutor();
        private final Future<Boolean> work;

        private Background(Callable<Boolean> renewal) {
            this.work = thread.submit(renewal);
        }

        /**
         * Waits until workloads have what they need.
         *
         * @return whether any needed it
         * @throws ProblemException why they have not
         */
        public boolean await() throws InterruptedException {
            try {
                return work.get();
            } catch (ExecutionException e) {
                if (e.getCause() instanceof ProblemException problem) {
                    throw problem;
                }
                throw new IllegalStateException("certificates were not issued again", e.getCause());
            }
        }

        /** Why it is not done, if that is known. */
        public Optional<ProblemException> failure() {
            return work.state() == Future.State.FAILED && work.exceptionNow() instanceof ProblemException problem
                    ? Optional.of(problem)
                    : Optional.empty();
        }

        /** It ends as it is: what it has not done is done by the same command. */
        @Override
        public void close() {
            thread.shutdownNow();
        }
    }

    /**
     * Begins to have those of workloads issued again that are due, as soon as an API server answers. A server that begins refuses what it will not a moment later: what it did not take is tried again.
     *
     * @param limit how long one thing is waited for
     */
    public Background renewWorkloads(ProcedureListener listener, Duration limit) {
        return new Background(() -> {
            Instant end = wallClock.instant().plus(limit);
            while (true) {
                try {
                    return renewWorkloadsOnce(listener, limit);
                } catch (ProblemException e) {
                    boolean isAnswer = e.problems().stream().noneMatch(problem -> AGAIN.contains(problem.code()));
                    if (isAnswer || wallClock.instant().isAfter(end)) {
                        throw e;
                    }
                    listener.waits(e.problems().getFirst().describe(), PAUSE);
                    Thread.sleep(PAUSE);
                }
            }
        });
    }

    private boolean renewWorkloadsOnce(ProcedureListener listener, Duration limit) {
        try (ClusterClient client = ClusterClient.connect(
                KubeconfigFile.read(assets.resolve(AssetLayout.ADMIN_KUBECONFIG), Optional.empty()))) {
            return CertificateRenewal.of(
                            client,
                            Optional.of(assets),
                            disk,
                            policy,
                            listener,
                            random,
                            limit,
                            new MonotonicClock(wallClock.instant()),
                            wallClock)
                    .renew(CertificateRenewal.Scope.DUE_AT_ONCE);
        }
    }
}
