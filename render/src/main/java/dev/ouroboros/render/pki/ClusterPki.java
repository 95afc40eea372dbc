package dev.ouroboros.render.pki;

import dev.ouroboros.model.asset.AssetLayout;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.component.KeeperObjects;
import dev.ouroboros.model.component.NodeAgentObjects;
import dev.ouroboros.model.credential.Credential;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.render.cluster.AlternativeName;
import dev.ouroboros.render.cluster.ClusterSpec;
import java.security.KeyPair;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Every key and certificate of a cluster. Keys that exist are kept. A certificate that exists is kept while it fits: same authority,
 * subject, names, usages and key algorithm, and at least 90 days left. So a second run changes nothing, and a changed name
 * changes one certificate.
 *
 * <p>An authority is never replaced: everything trusts it. One that cannot be used is a problem for its owner to solve.
 */
public final class ClusterPki {
    private static final String USER_PREFIX = "system:";
    private static final String GIVE_OTHERS =
            "put the right files there; where none is named and none is there, render makes an authority";

    private static final Set<String> PATHS = Set.of(
            AssetLayout.CA_CERTIFICATE,
            AssetLayout.CA_KEY,
            AssetLayout.API_SERVER_CERTIFICATE,
            AssetLayout.API_SERVER_KEY,
            AssetLayout.KUBELET_CLIENT_CERTIFICATE,
            AssetLayout.KUBELET_CLIENT_KEY,
            AssetLayout.ADMIN_CERTIFICATE,
            AssetLayout.ADMIN_KEY,
            AssetLayout.CONTROLLER_MANAGER_CERTIFICATE,
            AssetLayout.CONTROLLER_MANAGER_KEY,
            AssetLayout.SCHEDULER_CERTIFICATE,
            AssetLayout.SCHEDULER_KEY,
            AssetLayout.PROXY_CERTIFICATE,
            AssetLayout.PROXY_KEY,
            AssetLayout.KEEPER_CERTIFICATE,
            AssetLayout.KEEPER_KEY,
            AssetLayout.NODE_AGENT_CERTIFICATE,
            AssetLayout.NODE_AGENT_KEY,
            AssetLayout.FRONT_PROXY_CA_CERTIFICATE,
            AssetLayout.FRONT_PROXY_CA_KEY,
            AssetLayout.FRONT_PROXY_CLIENT_CERTIFICATE,
            AssetLayout.FRONT_PROXY_CLIENT_KEY,
            AssetLayout.ETCD_CA_CERTIFICATE,
            AssetLayout.ETCD_CA_KEY,
            AssetLayout.ETCD_SERVER_CERTIFICATE,
            AssetLayout.ETCD_SERVER_KEY,
            AssetLayout.ETCD_PEER_CERTIFICATE,
            AssetLayout.ETCD_PEER_KEY,
            AssetLayout.ETCD_CLIENT_CERTIFICATE,
            AssetLayout.ETCD_CLIENT_KEY,
            AssetLayout.SERVICE_ACCOUNT_KEY,
            AssetLayout.SERVICE_ACCOUNT_PUBLIC_KEY);

    private final ClusterSpec spec;
    private final Map<String, String> existing;
    private final Issuer issuer;
    private final InstantSource clock;
    private final List<Problem> problems = new ArrayList<>();
    private final SortedMap<String, String> files = new TreeMap<>();
    private final SortedMap<String, String> reissued = new TreeMap<>();
    private final Map<String, Instant> expiries = new LinkedHashMap<>();

    /**
     * Prepares the keys of a cluster.
     *
     * @param existing texts of the files in the asset directory, by path
     */
    public ClusterPki(ClusterSpec spec, Map<String, String> existing, Issuer issuer, InstantSource clock) {
        this.spec = spec;
        this.existing = Map.copyOf(existing);
        this.issuer = issuer;
        this.clock = clock;
    }

    /** PEM texts of a certification authority that the owner gave, and where they come from. */
    public record OwnAuthority(String certificate, String certificateWhere, String privateKey, String privateKeyWhere) {
        /** What is wrong with the authority at this time. */
        public List<Problem> check(Instant now) {
            List<Problem> found = new ArrayList<>();
            authorityOf(certificate, certificateWhere, privateKey, privateKeyWhere, now, found);
            return found;
        }
    }

    /** Every path a key or certificate can have: what {@code existing} should hold if it is there. */
    public static Set<String> paths() {
        return PATHS;
    }

    /**
     * What was made.
     *
     * @param files all files, by path, whether kept or new
     * @param reissued why certificates that exist are issued again, by path
     * @param expiries when certificates end, by path
     * @param problems why it cannot be done; then the files are incomplete
     */
    public record Result(
            SortedMap<String, String> files,
            SortedMap<String, String> reissued,
            Map<String, Instant> expiries,
            List<Problem> problems) {}

    public Result make(Optional<OwnAuthority> own) {
        Optional<Credential> cluster = own.isPresent()
                ? given(own.get())
                : authority("kubernetes-ca", AssetLayout.CA_CERTIFICATE, AssetLayout.CA_KEY);
        cluster.ifPresent(this::clusterLeaves);
        authority("front-proxy-ca", AssetLayout.FRONT_PROXY_CA_CERTIFICATE, AssetLayout.FRONT_PROXY_CA_KEY)
                .ifPresent(frontProxy -> leaf(
                        frontProxy,
                        AssetLayout.FRONT_PROXY_CLIENT_CERTIFICATE,
                        AssetLayout.FRONT_PROXY_CLIENT_KEY,
                        Profile.client("front-proxy-client")));
        if (spec.etcd().security() instanceof ClusterSpec.EtcdSecurity.Ours) {
            authority("etcd-ca", AssetLayout.ETCD_CA_CERTIFICATE, AssetLayout.ETCD_CA_KEY)
                    .ifPresent(this::etcdLeaves);
        }
        serviceAccountKey();
        return new Result(files, reissued, expiries, List.copyOf(problems));
    }

    private void clusterLeaves(Credential ca) {
        leaf(
                ca,
                AssetLayout.API_SERVER_CERTIFICATE,
                AssetLayout.API_SERVER_KEY,
                Profile.server(Component.API_SERVER.id(), apiServerNames(), Profile.Usage.SERVER));
        // The server sends the authority with its own certificate: so a joining machine that knows only its hash gets
        // it before it is anybody.
        files.computeIfPresent(AssetLayout.API_SERVER_CERTIFICATE, (_, text) -> Pem.with(text, ca.certificate()));
        leaf(
                ca,
                AssetLayout.KUBELET_CLIENT_CERTIFICATE,
                AssetLayout.KUBELET_CLIENT_KEY,
                Profile.client("kube-apiserver-kubelet-client"));
        leaf(
                ca,
                AssetLayout.ADMIN_CERTIFICATE,
                AssetLayout.ADMIN_KEY,
                Profile.client("admin", USER_PREFIX + "masters"));
        leaf(
                ca,
                AssetLayout.CONTROLLER_MANAGER_CERTIFICATE,
                AssetLayout.CONTROLLER_MANAGER_KEY,
                Profile.client(USER_PREFIX + Component.CONTROLLER_MANAGER.id()));
        leaf(
                ca,
                AssetLayout.SCHEDULER_CERTIFICATE,
                AssetLayout.SCHEDULER_KEY,
                Profile.client(USER_PREFIX + Component.SCHEDULER.id()));
        if (spec.proxyMode().isPresent()) {
            leaf(
                    ca,
                    AssetLayout.PROXY_CERTIFICATE,
                    AssetLayout.PROXY_KEY,
                    Profile.client(USER_PREFIX + Component.PROXY.id()));
        }
        if (spec.keeper().isPresent()) {
            leaf(ca, AssetLayout.KEEPER_CERTIFICATE, AssetLayout.KEEPER_KEY, Profile.client(KeeperObjects.USER));
            leaf(
                    ca,
                    AssetLayout.NODE_AGENT_CERTIFICATE,
                    AssetLayout.NODE_AGENT_KEY,
                    Profile.client(NodeAgentObjects.USER));
        }
    }

    /** Kubernetes' own names, the Service's address, loopback (for our probes), and the names that the owner wants. */
    private List<AlternativeName> apiServerNames() {
        List<AlternativeName> names = new ArrayList<>(spec.apiServer().names());
        for (String name : List.of(
                "kubernetes",
                "kubernetes.default",
                "kubernetes.default.svc",
                "kubernetes.default.svc." + ClusterSpec.CLUSTER_DOMAIN,
                "localhost")) {
            names.add(new AlternativeName.Dns(name));
        }
        names.add(new AlternativeName.Ip(spec.network().apiServiceAddress()));
        AlternativeName.ofHost("127.0.0.1").ifPresent(names::add);
        return names.stream().distinct().toList();
    }

    private void etcdLeaves(Credential ca) {
        List<AlternativeName> names = new ArrayList<>();
        spec.etcd().hosts().forEach(host -> AlternativeName.ofHost(host).ifPresent(names::add));
        AlternativeName.ofHost("localhost").ifPresent(names::add);
        AlternativeName.ofHost("127.0.0.1").ifPresent(names::add);
        List<AlternativeName> distinct = names.stream().distinct().toList();
        // etcd's gateway dials its own server with the server certificate, which therefore is for clients, too.
        leaf(
                ca,
                AssetLayout.ETCD_SERVER_CERTIFICATE,
                AssetLayout.ETCD_SERVER_KEY,
                Profile.server("etcd-server", distinct, Profile.Usage.SERVER, Profile.Usage.CLIENT));
        leaf(
                ca,
                AssetLayout.ETCD_PEER_CERTIFICATE,
                AssetLayout.ETCD_PEER_KEY,
                Profile.server("etcd-peer", distinct, Profile.Usage.SERVER, Profile.Usage.CLIENT));
        leaf(ca, AssetLayout.ETCD_CLIENT_CERTIFICATE, AssetLayout.ETCD_CLIENT_KEY, Profile.client("etcd-client"));
        String certificate = Pem.of(ca.certificate());
        files.put(AssetLayout.ETCD_SERVER_CA_CERTIFICATE, certificate);
        files.put(AssetLayout.ETCD_PEER_CA_CERTIFICATE, certificate);
    }

    private Optional<Credential> authority(String name, String certificatePath, String keyPath) {
        String certificate = existing.get(certificatePath);
        String key = existing.get(keyPath);
        if (certificate == null && key == null) {
            Credential made = issuer.newAuthority(name, spec.name());
            record(certificatePath, Pem.of(made.certificate()), keyPath, Pem.of(made.privateKey()), made);
            return Optional.of(made);
        }
        if (certificate == null || key == null) {
            problems.add(problem(
                    certificate == null ? certificatePath : keyPath,
                    "is missing, and " + (certificate == null ? keyPath : certificatePath) + " is there",
                    "both halves of the authority",
                    "restore the file; or render into an empty directory to start with new keys"));
            return Optional.empty();
        }
        return checked(certificate, certificatePath, key, keyPath, certificatePath, keyPath);
    }

    private Optional<Credential> given(OwnAuthority own) {
        String existingCertificate = existing.get(AssetLayout.CA_CERTIFICATE);
        Optional<X509Certificate> mine =
                Optional.ofNullable(existingCertificate).flatMap(Pem::certificate);
        if (mine.isPresent() && !mine.equals(Pem.certificate(own.certificate()))) {
            problems.add(problem(
                    AssetLayout.CA_CERTIFICATE,
                    "the directory was rendered with another authority than " + own.certificateWhere(),
                    "the same one: everything in the cluster trusts it",
                    "render into an empty directory to start with another"));
            return Optional.empty();
        }
        return checked(
                own.certificate(),
                own.certificateWhere(),
                own.privateKey(),
                own.privateKeyWhere(),
                AssetLayout.CA_CERTIFICATE,
                AssetLayout.CA_KEY);
    }

    private Optional<Credential> checked(
            String certificateText,
            String certificateWhere,
            String keyText,
            String keyWhere,
            String certificatePath,
            String keyPath) {
        Optional<Credential> credential =
                authorityOf(certificateText, certificateWhere, keyText, keyWhere, clock.instant(), problems);
        credential.ifPresent(found -> record(certificatePath, certificateText, keyPath, keyText, found));
        return credential;
    }

    private static Optional<Credential> authorityOf(
            String certificateText,
            String certificateWhere,
            String keyText,
            String keyWhere,
            Instant now,
            List<Problem> problems) {
        Optional<X509Certificate> certificate = Pem.certificate(certificateText);
        Optional<PrivateKey> key = Pem.privateKey(keyText);
        if (certificate.isEmpty()) {
            problems.add(problem(certificateWhere, "holds no certificate", "a certificate in PEM", GIVE_OTHERS));
        }
        if (key.isEmpty()) {
            problems.add(
                    problem(keyWhere, "holds no private key", "a private key in PEM without a password", GIVE_OTHERS));
        }
        if (certificate.isEmpty() || key.isEmpty()) {
            return Optional.empty();
        }
        Credential credential = new Credential(certificate.get(), key.get());
        List<String> refusals = Fitness.refuseAuthority(credential, now);
        refusals.forEach(refusal -> problems.add(problem(
                certificateWhere,
                refusal,
                "a valid certification authority with its private key " + keyWhere,
                GIVE_OTHERS)));
        return refusals.isEmpty() ? Optional.of(credential) : Optional.empty();
    }

    private void leaf(Credential authority, String certificatePath, String keyPath, Profile profile) {
        Optional<X509Certificate> certificate =
                Optional.ofNullable(existing.get(certificatePath)).flatMap(Pem::certificate);
        Optional<PrivateKey> key = Optional.ofNullable(existing.get(keyPath)).flatMap(Pem::privateKey);
        if (certificate.isPresent() && key.isPresent()) {
            Credential old = new Credential(certificate.get(), key.get());
            boolean keyStays = old.fits()
                    && Fitness.isOf(certificate.get().getPublicKey(), spec.pki().algorithm());
            Optional<String> outdated = Fitness.outdated(certificate.get(), authority, profile, clock.instant());
            if (keyStays && outdated.isEmpty()) {
                record(
                        certificatePath,
                        existing.getOrDefault(certificatePath, ""),
                        keyPath,
                        existing.getOrDefault(keyPath, ""),
                        old);
                return;
            }
            reissued.put(certificatePath, outdated.orElse("its key is of another kind or does not fit"));
            if (keyStays) {
                X509Certificate renewed =
                        issuer.issue(authority, profile, certificate.get().getPublicKey());
                record(
                        certificatePath,
                        Pem.of(renewed),
                        keyPath,
                        existing.getOrDefault(keyPath, ""),
                        new Credential(renewed, key.get()));
                return;
            }
        }
        KeyPair keys = issuer.newKeys();
        X509Certificate issued = issuer.issue(authority, profile, keys.getPublic());
        record(
                certificatePath,
                Pem.of(issued),
                keyPath,
                Pem.of(keys.getPrivate()),
                new Credential(issued, keys.getPrivate()));
    }

    private void serviceAccountKey() {
        String privateText = existing.get(AssetLayout.SERVICE_ACCOUNT_KEY);
        String publicText = existing.get(AssetLayout.SERVICE_ACCOUNT_PUBLIC_KEY);
        if (privateText == null && publicText == null) {
            KeyPair keys = issuer.newKeys();
            files.put(AssetLayout.SERVICE_ACCOUNT_KEY, Pem.of(keys.getPrivate()));
            files.put(AssetLayout.SERVICE_ACCOUNT_PUBLIC_KEY, Pem.of(keys.getPublic()));
            return;
        }
        Optional<PrivateKey> privateKey = Optional.ofNullable(privateText).flatMap(Pem::privateKey);
        Optional<PublicKey> publicKey = Optional.ofNullable(publicText).flatMap(Pem::publicKey);
        if (privateKey.isEmpty() || publicKey.isEmpty() || !Credential.fits(privateKey.get(), publicKey.get())) {
            problems.add(problem(
                    privateKey.isEmpty() ? AssetLayout.SERVICE_ACCOUNT_KEY : AssetLayout.SERVICE_ACCOUNT_PUBLIC_KEY,
                    "is missing, is not a key in PEM, or does not belong to its other half",
                    "the key pair that signs the cluster's ServiceAccount tokens",
                    "restore both files; or render into an empty directory to start with new keys"));
            return;
        }
        files.put(AssetLayout.SERVICE_ACCOUNT_KEY, String.valueOf(privateText));
        files.put(AssetLayout.SERVICE_ACCOUNT_PUBLIC_KEY, String.valueOf(publicText));
    }

    private void record(String certificatePath, String certificate, String keyPath, String key, Credential credential) {
        files.put(certificatePath, certificate);
        files.put(keyPath, key);
        expiries.put(certificatePath, credential.certificate().getNotAfter().toInstant());
    }

    private static Problem problem(String where, String what, String expected, String next) {
        return new Problem(ErrorCode.INVALID_KEY_MATERIAL, where, what, expected, next);
    }
}
