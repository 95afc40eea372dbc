package dev.ouroboros.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.ouroboros.model.asset.AssetLayout;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.disk.LocalDisk;
import dev.ouroboros.render.pki.Pem;
import dev.ouroboros.snapshot.Snapshot;
import dev.ouroboros.snapshot.encryption.EncryptionConfiguration;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** From a real snapshot of etcd 3.6 with the control plane of a Kubernetes 1.36, whose Secrets are encrypted. */
final class SnapshotRecoveryTest {
    private static final Path SAMPLE =
            Path.of("../snapshot/src/test/resources/dev/ouroboros/snapshot/etcd-3.6.13-kubernetes-1.36.2-aescbc.db.gz");
    private static final String KEY = "ouroboros-test-key-1-32-bytes!!!";
    private static final RecoveryRequest PLAIN =
            new RecoveryRequest(Optional.empty(), Optional.empty(), false, true, Map.of(), Map.of());

    @TempDir
    private Path directory = Path.of("");

    private ClusterObjects read(EncryptionConfiguration keys) throws IOException {
        Path file = directory.resolve("sample.db");
        try (var packed = new GZIPInputStream(Files.newInputStream(SAMPLE))) {
            Files.write(file, packed.readAllBytes());
        }
        try (Snapshot snapshot = Snapshot.open(file, keys, 1 << 20)) {
            return ClusterObjects.read(new SnapshotObjectSource(snapshot, "sample.db"));
        }
    }

    private ClusterObjects read() throws IOException {
        return read(EncryptionConfiguration.read(
                """
                kind: EncryptionConfiguration
                resources:
                - resources: [secrets]
                  providers:
                  - aescbc: {keys: [{name: key1, secret: %s}]}
                """.formatted(Base64.getEncoder().encodeToString(KEY.getBytes(StandardCharsets.US_ASCII))),
                "keys.yaml"));
    }

    private static RecoveredCluster recover(ClusterObjects objects, RecoveryRequest request) {
        return new Recovery(InstantSource.system(), new SecureRandom()).of(objects, request);
    }

    private static Map<String, String> texts(RecoveredCluster cluster) {
        Map<String, String> texts = new TreeMap<>();
        cluster.files()
                .forEach(
                        file -> texts.put(file.path(), new String(file.content().bytes(), StandardCharsets.UTF_8)));
        return texts;
    }

    @Test
    void findsTheControlPlaneWithEverythingItRefersTo() throws IOException {
        Map<String, String> files = texts(recover(read(), PLAIN));
        assertThat(files)
                .containsKeys(
                        AssetLayout.bootstrapManifest(Component.API_SERVER),
                        AssetLayout.bootstrapManifest(Component.CONTROLLER_MANAGER),
                        AssetLayout.bootstrapManifest(Component.SCHEDULER),
                        AssetLayout.CA_CERTIFICATE,
                        AssetLayout.ADMIN_KUBECONFIG,
                        "tls/recovered/kube-apiserver/secrets/apiserver.key",
                        "tls/recovered/kube-controller-manager/secrets/ca.key",
                        "manifests/daemonset-kube-system-kube-apiserver.yaml",
                        "manifests/deployment-kube-system-kube-controller-manager.yaml",
                        "manifests/secret-kube-system-kube-apiserver.yaml");
    }

    @Test
    void keepsTheArgumentsOfTheLastDay() throws IOException {
        String manifest = texts(recover(read(), PLAIN)).get(AssetLayout.bootstrapManifest(Component.API_SERVER));
        assertThat(manifest)
                .contains("--service-account-issuer=https://kubernetes.default.svc")
                .contains("/etc/kubernetes/bootstrap-secrets/recovered/kube-apiserver/secrets")
                .doesNotContain("secretName")
                .doesNotContain("runAsUser")
                .doesNotContain("readinessProbe");
    }

    /** bootkube's run under ServiceAccounts, whose tokens no static pod gets. */
    @Test
    void givesAControllerManagerThatUsedAServiceAccountAKubeconfig() throws IOException {
        String manifest =
                texts(recover(read(), PLAIN)).get(AssetLayout.bootstrapManifest(Component.CONTROLLER_MANAGER));
        assertThat(manifest)
                .contains("--kubeconfig=/etc/kubernetes/recovered-access/kubeconfig")
                .contains("path: /etc/kubernetes/bootstrap-secrets\n")
                .doesNotContain("serviceAccountName");
    }

    @Test
    void theAdministratorsCertificateIsOfTheClustersOwnAuthority() throws Exception {
        Map<String, String> files = texts(recover(read(), PLAIN));
        Path kubeconfig = Files.writeString(
                directory.resolve("kubeconfig"), files.getOrDefault(AssetLayout.ADMIN_KUBECONFIG, ""));
        assertThat(Files.readString(kubeconfig)).contains("server: https://10.77.0.11:6443");
        var config = new YAMLMapper().readTree(kubeconfig.toFile());
        String pem = new String(
                Base64.getDecoder()
                        .decode(config.at("/users/0/user/client-certificate-data")
                                .asText()),
                StandardCharsets.US_ASCII);
        var authority = Pem.certificate(files.getOrDefault(AssetLayout.CA_CERTIFICATE, ""))
                .orElseThrow();
        var certificate = Pem.certificate(pem).orElseThrow();
        certificate.verify(authority.getPublicKey());
        assertThat(certificate.getSubjectX500Principal().getName()).contains("O=system:masters");
    }

    @Test
    void whatAServerAddedIsNotAppliedAgain() throws IOException {
        assertThat(texts(recover(read(), PLAIN)).get("manifests/daemonset-kube-system-kube-apiserver.yaml"))
                .doesNotContain("uid:")
                .doesNotContain("managedFields")
                .doesNotContain("status:")
                .doesNotContain("deprecated.daemonset")
                .contains("k8s-app: kube-apiserver");
    }

    @Test
    void aSecondRunKeepsWhatTheFirstMade() throws IOException {
        ClusterObjects objects = read();
        RecoveredCluster first = recover(objects, PLAIN);
        RecoveryDirectory target = new RecoveryDirectory(new LocalDisk(), directory.resolve("recovered"));
        target.write(first.files());
        RecoveredCluster second = recover(
                objects,
                new RecoveryRequest(Optional.empty(), Optional.empty(), false, true, Map.of(), target.existing()));
        assertThat(target.isComplete()).isTrue();
        assertThat(target.compare(second.files()))
                .extracting(RecoveryDirectory.Difference::kind)
                .containsOnly(RecoveryDirectory.Kind.SAME);
    }

    @Test
    void aDirectoryOfSomebodyElseKeepsItsKeys() throws IOException {
        Path key = directory.resolve("rendered/tls/ca.key");
        Files.createDirectories(key.resolveSibling("."));
        Files.writeString(key, "the only copy");
        RecoveryDirectory target = new RecoveryDirectory(new LocalDisk(), directory.resolve("rendered"));
        List<AssetFile> files = recover(read(), PLAIN).files();
        assertThatThrownBy(() -> target.write(files)).hasMessageContaining("has files that no recovery wrote");
        assertThat(key).hasContent("the only copy");
    }

    @Test
    void oneThatWasLeftHalfWrittenIsWrittenAgain() throws IOException {
        List<AssetFile> files = recover(read(), PLAIN).files();
        Path root = directory.resolve("recovered");
        RecoveryDirectory target = new RecoveryDirectory(new LocalDisk(), root);
        target.write(files);
        Files.delete(root.resolve(AssetLayout.RECOVERY));
        Files.writeString(root.resolve(".ouroboros/recovery-begun"), "");
        Files.writeString(root.resolve("manifests/of-another-recovery.yaml"), "kind: Secret");
        assertThat(target.isComplete()).isFalse();
        target.write(files);
        assertThat(target.isComplete()).isTrue();
        assertThat(root.resolve("manifests/of-another-recovery.yaml")).doesNotExist();
        assertThat(root.resolve(".ouroboros/recovery-begun")).doesNotExist();
    }

    @Test
    void whatWasMadeForAnotherClusterIsNotTakenOver() throws IOException {
        Map<String, String> another = new TreeMap<>(texts(recover(read(), PLAIN)));
        another.put(AssetLayout.CA_CERTIFICATE, "another authority");
        Map<String, String> files = texts(recover(
                read(), new RecoveryRequest(Optional.empty(), Optional.empty(), false, true, Map.of(), another)));
        assertThat(files.get(AssetLayout.ADMIN_KUBECONFIG)).isNotEqualTo(another.get(AssetLayout.ADMIN_KUBECONFIG));
        assertThat(files.get(AssetLayout.KUBELET_KUBECONFIG)).isNotEqualTo(another.get(AssetLayout.KUBELET_KUBECONFIG));
    }

    @Test
    void newKeysForEtcdNeedAnApiServerThatReadsThemFromASecret() {
        RecoveryRequest newKeys =
                new RecoveryRequest(Optional.empty(), Optional.empty(), true, true, Map.of(), Map.of());
        assertThatThrownBy(() -> recover(read(), newKeys))
                .isInstanceOfSatisfying(
                        ProblemException.class,
                        failure -> assertThat(failure.describe()).contains("--etcd-cafile"));
    }

    @Test
    void aMissingKeyIsNamedInsteadOfWhatItHides() {
        assertThatThrownBy(() -> recover(read(EncryptionConfiguration.none()), PLAIN))
                .isInstanceOfSatisfying(
                        ProblemException.class,
                        failure -> assertThat(failure.problems())
                                .extracting(Problem::code)
                                .containsOnly(ErrorCode.KEY_MISSING));
    }
}
