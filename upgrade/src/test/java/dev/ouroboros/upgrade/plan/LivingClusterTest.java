package dev.ouroboros.upgrade.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.endpoint.Endpoint;
import dev.ouroboros.facts.LivingCluster;
import dev.ouroboros.facts.LivingCluster.FieldRule;
import dev.ouroboros.facts.LivingCluster.Verdict;
import dev.ouroboros.model.asset.AssetLayout;
import dev.ouroboros.model.credential.Credential;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.manifest.Manifest;
import dev.ouroboros.model.version.KubernetesVersion;
import dev.ouroboros.node.disk.LocalDisk;
import dev.ouroboros.node.process.LocalProcesses;
import dev.ouroboros.render.RenderRequest;
import dev.ouroboros.render.Renderer;
import dev.ouroboros.render.cluster.KeyAlgorithm;
import dev.ouroboros.render.config.Field;
import dev.ouroboros.render.pki.Issuer;
import dev.ouroboros.render.pki.Pem;
import dev.ouroboros.upgrade.decide.ClusterSeen;
import dev.ouroboros.upgrade.decide.PlanFinding;
import dev.ouroboros.upgrade.decide.PlanFinding.Severity;
import dev.ouroboros.upgrade.decide.UpgradePlan;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** What a cluster that lives takes of a changed document: each field is changed once, and the table says what must come of it. */
final class LivingClusterTest {
    private static final String CHECK = "living-cluster";
    private static final String DOCUMENT = """
            apiVersion: ouroboros.dev/v1alpha1
            kind: Cluster
            metadata:
              name: demo
            spec:
              kubernetesVersion: v1.35.1
              layers: 2-4
              apiServer:
                endpoints: ["https://10.77.0.2:6443"]
                altNames: [IP=10.77.0.2, IP=10.77.0.3, DNS=demo.local]
              network:
                podCIDR: 10.2.0.0/16
                serviceCIDR: 10.3.0.0/24
              etcd:
                servers: ["https://10.77.0.2:2379"]
              encryption:
                enabled: true
                provider: secretbox
              keeper:
                enabled: true
              extraArgs:
                kubeApiserver:
                  goaway-chance: "0.001"
            """;
    private static final LivingCluster RULES = LivingCluster.load();

    @TempDir
    private Path directory = Path.of("");

    /** For each field its line, and what it is changed to. */
    private final Map<Field, String[]> edits = new EnumMap<>(Field.class);

    @BeforeEach
    void collect() throws IOException {
        edit(Field.API_VERSION, "ouroboros.dev/v1alpha1", "ouroboros.dev/v1");
        edit(Field.KIND, "kind: Cluster", "kind: Other");
        edit(Field.NAME, "name: demo", "name: other");
        edit(Field.KUBERNETES_VERSION, "v1.35.1", "v1.35.2");
        edit(Field.EMULATED_VERSION, "  layers", "  emulatedVersion: \"1.34\"\n  layers");
        edit(Field.LAYERS, "2-4", "1-4");
        edit(Field.API_SERVER_ENDPOINTS, "https://10.77.0.2:6443", "https://10.77.0.3:6443");
        edit(Field.API_SERVER_ALT_NAMES, "DNS=demo.local", "DNS=other.local");
        edit(Field.POD_CIDR, "10.2.0.0/16", "10.9.0.0/16");
        edit(Field.SERVICE_CIDR, "10.3.0.0/24", "10.4.0.0/24");
        edit(Field.ETCD_SERVERS, "https://10.77.0.2:2379", "https://10.77.0.3:2379");
        authority("etcd");
        String tls = "    servers: [\"https://10.77.0.2:2379\"]\n    tls:\n      caFile: etcd.crt\n"
                + "      certificateFile: etcd.crt\n      privateKeyFile: etcd.key";
        for (Field field : List.of(Field.ETCD_CA_FILE, Field.ETCD_CERTIFICATE_FILE, Field.ETCD_PRIVATE_KEY_FILE)) {
            edit(field, "    servers: [\"https://10.77.0.2:2379\"]", tls);
        }
        image(Field.IMAGE_API_SERVER);
        image(Field.IMAGE_CONTROLLER_MANAGER);
        image(Field.IMAGE_SCHEDULER);
        image(Field.IMAGE_PROXY);
        image(Field.IMAGE_KEEPER);
        image(Field.IMAGE_DNS);
        edit(Field.IMAGE_STEWARD, "  layers: 2-4", "  layers: 1-4\n  images: {steward: \"registry.example/own:7\"}");
        edit(Field.EXTRA_ARGS_API_SERVER, "\"0.001\"", "\"0.002\"");
        extra(Field.EXTRA_ARGS_CONTROLLER_MANAGER);
        extra(Field.EXTRA_ARGS_SCHEDULER);
        extra(Field.EXTRA_ARGS_PROXY);
        edit(Field.ALLOW_UNKNOWN_FLAGS, "  layers", "  allowUnknownFlags: true\n  layers");
        edit(Field.ENCRYPTION_ENABLED, "    enabled: true\n    provider", "    enabled: false\n    provider");
        edit(Field.ENCRYPTION_PROVIDER, "secretbox", "aescbc");
        edit(Field.PKI_ALGORITHM, "  layers", "  pki: {algorithm: RSA-2048}\n  layers");
        authority("other");
        String own = "  pki:\n    caCertificateFile: other.crt\n    caPrivateKeyFile: other.key\n  layers";
        edit(Field.CA_CERTIFICATE_FILE, "  layers", own);
        edit(Field.CA_PRIVATE_KEY_FILE, "  layers", own);
        edit(Field.PROXY_MODE, "  layers", "  kubeProxy: {mode: ipvs}\n  layers");
        edit(Field.KEEPER_ENABLED, "  keeper:\n    enabled: true", "  keeper:\n    enabled: false");
        edit(Field.KEEPER_RUNTIME_SOCKET, "  keeper:\n", "  keeper:\n    runtimeSocket: /run/other.sock\n");
        edit(Field.KEEPER_EXTRA_ARGS, "  keeper:\n", "  keeper:\n    extraArgs: {soak: 61s}\n");
        edit(Field.DNS_PROVIDER, "  layers", "  dns: {provider: none}\n  layers");
        edit(Field.CLOUD_PROVIDER, "  layers", "  cloudProvider: external\n  layers");
        Files.createDirectory(directory.resolve("own"));
        Files.writeString(
                directory.resolve("own/map.yaml"),
                "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: own, namespace: default}\n");
        edit(Field.ADD_ONS, "  layers", "  addOns: own\n  layers");
    }

    private void edit(Field field, String before, String after) {
        edits.put(field, new String[] {before, after});
    }

    private void image(Field field) {
        String name = field.path().substring(field.path().lastIndexOf('.') + 1);
        edit(field, "  layers", "  images: {" + name + ": \"registry.example/own:7\"}\n  layers");
    }

    private void extra(Field field) {
        String name = field.path().substring(field.path().lastIndexOf('.') + 1);
        edit(field, "  extraArgs:\n", "  extraArgs:\n    " + name + ": {v: \"3\"}\n");
    }

    private void authority(String name) throws IOException {
        Credential made = new Issuer(KeyAlgorithm.ECDSA_P256, InstantSource.system(), new SecureRandom())
                .newAuthority(name, "demo");
        Files.writeString(directory.resolve(name + ".crt"), Pem.of(made.certificate()));
        Files.writeString(directory.resolve(name + ".key"), Pem.of(made.privateKey()));
    }

    @Test
    void everyFieldOfTheDocumentIsInTheTableOnce() {
        assertThat(RULES.fields().stream().map(FieldRule::path))
                .containsExactlyInAnyOrderElementsOf(
                        Arrays.stream(Field.values()).map(Field::path).toList());
    }

    @ParameterizedTest
    @EnumSource
    void aChangedFieldBecomesWhatTheTableSays(Field field) throws IOException {
        FieldRule rule = RULES.fields().stream()
                .filter(known -> known.path().equals(field.path()))
                .findFirst()
                .orElseThrow();
        String[] edit =
                Optional.ofNullable(edits.get(field)).orElseThrow(() -> new AssertionError(field + " is not tried"));
        String changed = DOCUMENT.replace(edit[0], edit[1]);
        assertThat(changed).isNotEqualTo(DOCUMENT);

        UpgradePlan plan = plan(DOCUMENT, changed);

        switch (rule.verdict()) {
            case CONSTANT -> assertThat(blocking(plan, "target")).isNotEmpty();
            case TAKEN -> {
                assertThat(blocking(plan, CHECK)).isEmpty();
                assertThat(blocking(plan, "target")).isEmpty();
            }
            case UNJUDGED -> {
                assertThat(blocking(plan, CHECK)).isEmpty();
                assertThat(blocking(plan, "target")).isEmpty();
                assertThat(plan.unjudged())
                        .anySatisfy(one -> assertThat(one.object() + one.what())
                                .contains(field == Field.ADD_ONS ? "ConfigMap default/own" : field.path()));
            }
            case REFUSED -> {
                boolean isRefusedByRendering = rule.byRendering() || field == Field.ENCRYPTION_ENABLED;
                assertThat(blocking(plan, isRefusedByRendering ? "target" : CHECK))
                        .anySatisfy(finding -> {
                            String ca = field.path().startsWith("spec.pki.ca") ? "spec.pki.ca" : field.path();
                            assertThat(finding.object() + " " + finding.evidence())
                                    .contains("changed.yaml:")
                                    .contains(ca);
                            assertThat(finding.next()).isNotEmpty();
                        });
            }
        }
    }

    @Test
    void theSameDocumentIsNoChange() throws IOException {
        UpgradePlan plan = plan(DOCUMENT, DOCUMENT);

        assertThat(blocking(plan, CHECK)).isEmpty();
        assertThat(plan.unjudged()).isEmpty();
    }

    /** Apply would stop there. */
    @Test
    void aFileOfTheDirectoryThatSomebodyEditedBlocks() throws IOException {
        made(DOCUMENT);
        Path edited = directory.resolve("assets").resolve(AssetLayout.API_SERVER);
        Files.writeString(edited, Files.readString(edited) + "# mine\n");

        assertThat(blocking(plan(DOCUMENT.replace("v1.35.1", "v1.35.2")), "edited-files"))
                .singleElement()
                .satisfies(finding -> {
                    assertThat(finding.object()).isEqualTo(edited.toString());
                    assertThat(finding.next()).contains("make the change in the Cluster document");
                });
    }

    @Test
    void whatIsRefusedHasAReasonAndAnotherWay() {
        assertThat(RULES.fields().stream()
                        .filter(rule -> rule.verdict() == Verdict.REFUSED && !rule.byRendering())
                        .map(FieldRule::path))
                .allMatch(path -> RULES.endpoint().field().equals(path)
                        || RULES.flags().stream()
                                .anyMatch(flag -> flag.field().equals(Optional.of(path))
                                        && !flag.instead().isEmpty()));
    }

    @Test
    void theLineOfARefusedFieldIsSaidWithBothValues() throws IOException {
        UpgradePlan plan = plan(DOCUMENT, DOCUMENT.replace("10.2.0.0/16", "10.9.0.0/16"));

        assertThat(blocking(plan, CHECK)).singleElement().satisfies(finding -> {
            assertThat(finding.object()).endsWith("changed.yaml:12: spec.network.podCIDR");
            assertThat(finding.evidence()).contains("10.9.0.0/16").contains("10.2.0.0/16");
        });
    }

    @Test
    void encryptionCannotBeBegunInOneStepEither() throws IOException {
        String off = DOCUMENT.replace("    enabled: true\n    provider", "    enabled: false\n    provider");

        assertThat(blocking(plan(off, DOCUMENT), CHECK))
                .singleElement()
                .satisfies(finding -> assertThat(finding.object()).endsWith(": spec.encryption.enabled"));
    }

    /** An endpoint behind the first one is a name in a certificate. */
    @Test
    void anotherEndpointBehindTheFirstIsTaken() throws IOException {
        String both = DOCUMENT.replace(
                "[\"https://10.77.0.2:6443\"]", "[\"https://10.77.0.2:6443\", \"https://10.77.0.3:6443\"]");

        assertThat(blocking(plan(DOCUMENT, both), CHECK)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "service-node-port-range, 31000-32000, true",
        "service-node-port-range, 20000-32767, false",
        "service-account-issuer, https://other.example, true",
        "etcd-prefix, /other, true",
        "etcd-prefix, /registry, false",
    })
    void aFlagThatALivingClusterHoldsOnToIsRefusedAtItsLine(String flag, String value, boolean isRefused)
            throws IOException {
        String changed = DOCUMENT.replace("kubeApiserver:\n", "kubeApiserver:\n      " + flag + ": " + value + "\n");

        List<PlanFinding> refused = blocking(plan(DOCUMENT, changed), CHECK);

        if (isRefused) {
            assertThat(refused)
                    .singleElement()
                    .satisfies(finding -> assertThat(finding.object())
                            .endsWith("changed.yaml:23: spec.extraArgs.kubeApiserver." + flag));
        } else {
            assertThat(refused).isEmpty();
        }
    }

    /** Rendered over the directory that the cluster was made from, with live objects as they were made. */
    private UpgradePlan plan(String before, String after) throws IOException {
        made(before);
        return plan(after);
    }

    private static Renderer renderer() {
        return new Renderer(new LocalDisk(), InstantSource.system(), new SecureRandom());
    }

    private void made(String document) throws IOException {
        Path made = Files.writeString(directory.resolve("made.yaml"), document);
        renderer().render(RenderRequest.ofFile(made, directory.resolve("assets")));
    }

    private UpgradePlan plan(String after) throws IOException {
        Path assets = directory.resolve("assets");
        Path changed = Files.writeString(directory.resolve("changed.yaml"), after);
        UpgradePlanner planner =
                new UpgradePlanner(new LocalDisk(), new LocalProcesses(), renderer(), InstantSource.system());
        Endpoint nobody = Endpoint.of(URI.create("https://127.0.0.1:1"), List.of(), Optional.empty(), Optional.empty());
        PlanRequest request = new PlanRequest(
                nobody,
                after.contains("kind: Other") ? Wanted.of(version()) : Wanted.nothing(),
                Optional.of(changed),
                Optional.of(assets),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                true,
                false,
                false);
        List<Manifest> live = ManifestFiles.of(new LocalDisk(), assets).orElse(List.of()).stream()
                .filter(manifest -> List.of("DaemonSet", "Deployment").contains(manifest.kind()))
                .map(manifest -> new Manifest("API", manifest.object()))
                .toList();
        assertThat(live).hasSizeGreaterThan(3);
        return planner.plan(planner.asked(request), seen(live), Evidence.known(Map.of()));
    }

    private static KubernetesVersion version() {
        return KubernetesVersion.parse("1.35.1").orElseThrow();
    }

    private static ClusterSeen seen(List<Manifest> live) {
        String why = "not asked";
        return new ClusterSeen(
                Instant.EPOCH,
                Evidence.known(version()),
                Evidence.unknown(why),
                Evidence.known(live),
                Evidence.unknown(why),
                Evidence.unknown(why),
                Evidence.unknown(why),
                Map.of("clients", Evidence.unknown(why)),
                Map.of(),
                Evidence.unknown(why),
                Evidence.unknown(why),
                Evidence.unknown(why));
    }

    private static List<PlanFinding> blocking(UpgradePlan plan, String check) {
        return plan.findings().stream()
                .filter(finding -> finding.severity() == Severity.BLOCKING
                        && finding.check().equals(check))
                .toList();
    }
}
