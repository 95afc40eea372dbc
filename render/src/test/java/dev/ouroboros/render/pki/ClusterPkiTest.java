package dev.ouroboros.render.pki;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.model.asset.AssetLayout;
import dev.ouroboros.model.credential.Credential;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.render.cluster.ClusterSpec;
import dev.ouroboros.render.cluster.KeyAlgorithm;
import dev.ouroboros.render.config.ClusterChecks;
import dev.ouroboros.render.config.ClusterDocument;
import java.security.SecureRandom;
import java.security.cert.CertPathValidator;
import java.security.cert.CertificateFactory;
import java.security.cert.PKIXParameters;
import java.security.cert.TrustAnchor;
import java.security.cert.X509Certificate;
import java.security.interfaces.RSAPublicKey;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Date;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ClusterPkiTest {
    private static final Instant NOW = Instant.parse("2026-11-21T12:00:00Z");
    private static final String CONFIG = """
            apiVersion: ouroboros.dev/v1alpha1
            kind: Cluster
            spec:
              kubernetesVersion: v1.20.2
              apiServer:
                endpoints: [https://10.77.0.2:6443]
              etcd:
                servers: [https://10.77.0.2:2379]
            """;

    @Test
    void makesLeavesThatTheirAuthoritiesVouchFor() throws Exception {
        Map<String, String> files = make(CONFIG, Map.of(), NOW).files();

        for (String leaf : List.of("apiserver", "admin", "apiserver-kubelet-client", "kube-scheduler", "kube-proxy")) {
            validate(files, "tls/" + leaf + ".crt", AssetLayout.CA_CERTIFICATE);
        }
        validate(files, AssetLayout.FRONT_PROXY_CLIENT_CERTIFICATE, AssetLayout.FRONT_PROXY_CA_CERTIFICATE);
        validate(files, AssetLayout.ETCD_SERVER_CERTIFICATE, AssetLayout.ETCD_CA_CERTIFICATE);
        validate(files, AssetLayout.ETCD_PEER_CERTIFICATE, AssetLayout.ETCD_CA_CERTIFICATE);
        validate(files, AssetLayout.ETCD_CLIENT_CERTIFICATE, AssetLayout.ETCD_CA_CERTIFICATE);
    }

    @Test
    void namesTheApiServerAsClientsAndProbesCallIt() throws Exception {
        X509Certificate certificate = certificate(make(CONFIG, Map.of(), NOW).files(), "tls/apiserver.crt");

        assertThat(certificate.getSubjectAlternativeNames())
                .extracting(name -> String.valueOf(name.get(1)))
                .containsExactlyInAnyOrder(
                        "10.77.0.2",
                        "kubernetes",
                        "kubernetes.default",
                        "kubernetes.default.svc",
                        "kubernetes.default.svc.cluster.local",
                        "localhost",
                        "10.3.0.1",
                        "127.0.0.1");
    }

    @Test
    void givesAdministratorRightsToTheAdministratorAlone() {
        Map<String, String> files = make(CONFIG, Map.of(), NOW).files();

        assertThat(files.keySet().stream()
                        .filter(path -> path.endsWith(".crt"))
                        .filter(path -> certificate(files, path)
                                .getSubjectX500Principal()
                                .getName()
                                .contains("system:masters")))
                .containsExactly(AssetLayout.ADMIN_CERTIFICATE);
    }

    @Test
    void keepsEverythingWhenMadeAgain() {
        ClusterPki.Result first = make(CONFIG, Map.of(), NOW);
        ClusterPki.Result second = make(CONFIG, first.files(), NOW.plus(Duration.ofDays(200)));

        assertThat(second.files()).isEqualTo(first.files());
        assertThat(second.reissued()).isEmpty();
    }

    @Test
    void issuesOnlyTheApiServersCertificateAgainWhenItsNamesChange() {
        ClusterPki.Result first = make(CONFIG, Map.of(), NOW);
        ClusterPki.Result second = make(
                CONFIG.replace("apiServer:\n", "apiServer:\n    altNames: [IP=10.77.0.2, DNS=api.example]\n"),
                first.files(),
                NOW);

        assertThat(second.reissued()).containsOnlyKeys(AssetLayout.API_SERVER_CERTIFICATE);
        assertThat(differing(first, second)).containsExactly(AssetLayout.API_SERVER_CERTIFICATE);
    }

    @Test
    void renewsLeavesWithTheirKeysBeforeTheyEnd() {
        ClusterPki.Result first = make(CONFIG, Map.of(), NOW);
        ClusterPki.Result second = make(CONFIG, first.files(), NOW.plus(Duration.ofDays(300)));

        assertThat(differing(first, second))
                .allMatch(path -> path.endsWith(".crt"))
                .hasSize(12);
        assertThat(differing(first, second)).doesNotContain(AssetLayout.CA_CERTIFICATE);
    }

    @Test
    void changesLeafKeysButNoAuthorityWhenTheAlgorithmChanges() {
        ClusterPki.Result first = make(CONFIG, Map.of(), NOW);
        ClusterPki.Result second = make(CONFIG + "  pki: {algorithm: RSA-2048}\n", first.files(), NOW);

        assertThat(certificate(second.files(), "tls/admin.crt").getPublicKey()).isInstanceOf(RSAPublicKey.class);
        assertThat(differing(first, second))
                .contains(AssetLayout.ADMIN_KEY)
                .doesNotContain(AssetLayout.CA_KEY, AssetLayout.CA_CERTIFICATE, AssetLayout.SERVICE_ACCOUNT_KEY);
    }

    @Test
    void issuesFromTheOwnersAuthority() throws Exception {
        Credential own = issuer(KeyAlgorithm.RSA_2048, NOW).newAuthority("corporate", "example");
        ClusterPki.Result result = make(CONFIG, Map.of(), NOW, Optional.of(ownAuthority(own)));

        assertThat(result.problems()).isEmpty();
        assertThat(certificate(result.files(), AssetLayout.CA_CERTIFICATE)).isEqualTo(own.certificate());
        validate(result.files(), "tls/apiserver.crt", AssetLayout.CA_CERTIFICATE);
    }

    @Test
    void refusesAnAuthorityThatCannotBeOne() {
        Credential expired = issuer(KeyAlgorithm.ECDSA_P256, NOW.minus(Duration.ofDays(4000)))
                .newAuthority("old", "example");
        Credential other = issuer(KeyAlgorithm.ECDSA_P256, NOW).newAuthority("other", "example");
        Credential mixed = new Credential(expired.certificate(), other.privateKey());

        assertThat(ownAuthority(mixed).check(NOW))
                .extracting(problem -> problem.where() + " " + problem.what())
                .anyMatch(line -> line.contains("own.crt") && line.contains("does not belong"))
                .anyMatch(line -> line.contains("own.crt") && line.contains("expired on 2025"));
        Map<String, String> files = make(CONFIG, Map.of(), NOW).files();
        ClusterPki.OwnAuthority leaf = new ClusterPki.OwnAuthority(
                files.getOrDefault("tls/admin.crt", ""), "a.crt", files.getOrDefault("tls/admin.key", ""), "a.key");
        assertThat(leaf.check(NOW)).anyMatch(problem -> problem.what().contains("not a certification authority"));
    }

    @Test
    void neverReplacesAnAuthority() {
        Map<String, String> existing = new HashMap<>(make(CONFIG, Map.of(), NOW).files());
        Credential own = issuer(KeyAlgorithm.ECDSA_P256, NOW).newAuthority("corporate", "example");

        assertThat(make(CONFIG, existing, NOW, Optional.of(ownAuthority(own))).problems())
                .anyMatch(problem -> problem.what().contains("another authority"));
        existing.remove(AssetLayout.CA_KEY);
        assertThat(make(CONFIG, existing, NOW).problems())
                .anyMatch(problem -> problem.where().equals(AssetLayout.CA_KEY)
                        && problem.what().contains("missing"));
    }

    @Test
    void saysWhichHalfOfAnAuthorityIsNotThere() {
        ClusterPki.OwnAuthority nothing = new ClusterPki.OwnAuthority("no PEM", "own.crt", "no PEM", "own.key");

        assertThat(nothing.check(NOW))
                .allSatisfy(problem -> {
                    assertThat(problem.code()).isEqualTo(ErrorCode.INVALID_KEY_MATERIAL);
                    assertThat(problem.next()).contains("render makes an authority");
                })
                .extracting(problem -> problem.where() + " " + problem.what())
                .containsExactly("own.crt holds no certificate", "own.key holds no private key");
    }

    /** Tokens of pods that run are signed with it: a new pair would shut them out. */
    @Test
    void neverReplacesHalfOfThePairThatSignsTokens() {
        Map<String, String> existing = new HashMap<>(make(CONFIG, Map.of(), NOW).files());
        existing.remove(AssetLayout.SERVICE_ACCOUNT_PUBLIC_KEY);

        assertThat(make(CONFIG, existing, NOW).problems()).singleElement().satisfies(problem -> {
            assertThat(problem.code()).isEqualTo(ErrorCode.INVALID_KEY_MATERIAL);
            assertThat(problem.where()).isEqualTo(AssetLayout.SERVICE_ACCOUNT_PUBLIC_KEY);
            assertThat(problem.what()).contains("does not belong to its other half");
            assertThat(problem.next()).contains("restore both files");
        });
    }

    @Test
    void saysWhatIsWrongWithTheOwnersKeysForEtcd() {
        Map<String, String> files = make(CONFIG, Map.of(), NOW).files();
        String authority = files.getOrDefault(AssetLayout.ETCD_CA_CERTIFICATE, "");
        String certificate = files.getOrDefault(AssetLayout.ETCD_CLIENT_CERTIFICATE, "");
        String foreign = files.getOrDefault("tls/admin.key", "");

        assertThat(etcdKeys("no PEM", "no PEM", "no PEM", NOW))
                .containsExactly(
                        "ca.crt holds no certificate", "me.crt holds no certificate", "me.key holds no private key");
        assertThat(etcdKeys(authority, certificate, foreign, NOW))
                .containsExactly("me.key does not belong to the certificate");
        assertThat(etcdKeys(authority, certificate, foreign, NOW.plus(Duration.ofDays(36_500))))
                .anyMatch(line -> line.startsWith("ca.crt expired on "))
                .anyMatch(line -> line.startsWith("me.crt expired on "));
    }

    private static List<String> etcdKeys(String authority, String certificate, String key, Instant now) {
        List<Problem> problems =
                new ClientCredential(authority, "ca.crt", certificate, "me.crt", key, "me.key").check(now);
        assertThat(problems).allSatisfy(problem -> {
            assertThat(problem.code()).isEqualTo(ErrorCode.INVALID_KEY_MATERIAL);
            assertThat(problem.next()).contains("CA, certificate and key of one client");
        });
        return problems.stream()
                .map(problem -> problem.where() + " " + problem.what())
                .toList();
    }

    private static ClusterPki.OwnAuthority ownAuthority(Credential own) {
        return new ClusterPki.OwnAuthority(Pem.of(own.certificate()), "own.crt", Pem.of(own.privateKey()), "own.key");
    }

    private static Set<String> differing(ClusterPki.Result first, ClusterPki.Result second) {
        assertThat(second.problems()).isEmpty();
        return second.files().keySet().stream()
                .filter(path -> !second.files()
                        .getOrDefault(path, "")
                        .equals(first.files().get(path)))
                .collect(java.util.stream.Collectors.toCollection(java.util.TreeSet::new));
    }

    private static void validate(Map<String, String> files, String leaf, String authority) throws Exception {
        PKIXParameters parameters = new PKIXParameters(Set.of(new TrustAnchor(certificate(files, authority), null)));
        parameters.setRevocationEnabled(false);
        parameters.setDate(Date.from(NOW));
        X509Certificate certificate = certificate(files, leaf);
        CertPathValidator.getInstance("PKIX")
                .validate(CertificateFactory.getInstance("X.509").generateCertPath(List.of(certificate)), parameters);
        String key = files.getOrDefault(leaf.replace(".crt", ".key"), "");
        assertThat(new Credential(certificate, Pem.privateKey(key).orElseThrow()).fits())
                .isTrue();
    }

    private static X509Certificate certificate(Map<String, String> files, String path) {
        return Pem.certificate(files.getOrDefault(path, "")).orElseThrow();
    }

    private static ClusterPki.Result make(String config, Map<String, String> existing, Instant now) {
        return make(config, existing, now, Optional.empty());
    }

    private static ClusterPki.Result make(
            String config, Map<String, String> existing, Instant now, Optional<ClusterPki.OwnAuthority> own) {
        ClusterSpec cluster = ClusterChecks.check(
                        ClusterDocument.read(config, "c.yaml").settings())
                .cluster()
                .orElseThrow();
        return new ClusterPki(cluster, existing, issuer(cluster.pki().algorithm(), now), InstantSource.fixed(now))
                .make(own);
    }

    private static Issuer issuer(KeyAlgorithm algorithm, Instant now) {
        return new Issuer(algorithm, InstantSource.fixed(now), new SecureRandom());
    }
}
