package dev.ouroboros.render.manifest;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.facts.KnownFlags;
import dev.ouroboros.facts.VersionFacts;
import dev.ouroboros.model.asset.Asset;
import dev.ouroboros.model.asset.AssetLayout;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.kubelet.KubeletLayout;
import dev.ouroboros.model.version.ProductVersion;
import dev.ouroboros.render.cluster.ClusterSpec;
import dev.ouroboros.render.config.ClusterChecks;
import dev.ouroboros.render.config.ClusterDocument;
import dev.ouroboros.render.pki.ClusterPki;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Golden files are rewritten with {@code -Dgolden.update=true}; the difference is then read in the commit. */
class ClusterManifestsTest {
    private static final Pattern FLAG = Pattern.compile("--([a-z0-9-]+)=");

    @ParameterizedTest
    @ValueSource(strings = {"v1.20.2", "v1.36.3"})
    void writesTheGoldenManifests(String version) throws IOException {
        Golden golden = new Golden(version);
        // Named, because its version is in the content of a Secret, and so in that Secret's name.
        String keeper = "  images: {keeper: \"localhost/ouroboros/keeper:development\"}\n";
        for (Asset asset : assets(version, keeper)) {
            golden.check(asset.path(), asset.text());
        }
        VersionFacts facts = facts(version);
        golden.check(
                "etcd.yaml",
                EtcdStaticPod.of("node-1", "localhost/ouroboros/etcd:3.4.23", "10.77.0.2")
                        .yaml());
        KubeletSettings kubelet = KubeletSettings.of("node-1", "10.77.0.2", "10.3.0.10", "localhost/ouroboros/pause:1");
        for (var file : kubelet.generation(facts, "/usr/local/bin/kubelet")
                .files(KubeletLayout.path(KubeletLayout.GENERATIONS, KubeletLayout.BASE))
                .entrySet()) {
            golden.check("kubelet/" + file.getKey(), file.getValue());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"v1.20.2", "v1.36.3"})
    void writesTheGoldenManifestsOfCoreDns(String version) throws IOException {
        Golden golden = new Golden(version + "-coredns");
        List<Asset> dns = assets(version, "  dns: {provider: coredns}\n").stream()
                .filter(asset -> asset.path().startsWith("manifests/dns"))
                .toList();
        assertThat(dns).hasSize(6);
        for (Asset asset : dns) {
            golden.check(asset.path(), asset.text());
        }
    }

    /** Both can be there while one follows the other: no object of one is the other's but the Service. */
    @Test
    void providersOfDnsHaveNothingInCommonButTheService() {
        String ours = text(assets("v1.36.3", "  dns: {provider: ouroboros}\n"), AssetLayout.DNS);
        String coreDns = text(assets("v1.36.3", "  dns: {provider: coredns}\n"), AssetLayout.DNS);

        assertThat(ours).contains("name: ouroboros-dns", "ouroboros.dev/dns: ouroboros", "k8s-app: kube-dns");
        assertThat(coreDns).contains("name: coredns", "ouroboros.dev/dns: coredns", "k8s-app: kube-dns");
        assertThat(text(assets("v1.36.3", "  dns: {provider: coredns}\n"), AssetLayout.DNS_SERVICE))
                .isEqualTo(text(assets("v1.36.3", "  dns: {provider: ouroboros}\n"), AssetLayout.DNS_SERVICE))
                .contains("clusterIP: 10.3.0.10");
    }

    @Test
    void dnsComesFromWhereTheApiServerDoes() {
        assertThat(text(assets("v1.36.3", ""), AssetLayout.DNS)).contains("image: localhost/ouroboros/dns:");
        assertThat(text(
                        assets("v1.36.3", "  images: {kubeApiserver: \"registry.k8s.io/kube-apiserver:v1.36.3\"}\n"),
                        AssetLayout.DNS))
                .contains("image: registry.k8s.io/coredns/coredns:v1.14.2");
        for (String none : List.of("  dns: {provider: none}\n", "  addOns: elsewhere\n")) {
            assertThat(assets("v1.36.3", none)).extracting(Asset::path).doesNotContain(AssetLayout.DNS);
        }
    }

    @Test
    void passesOnlyFlagsThatTheVersionHas() {
        for (int minor = 20; minor <= 36; minor++) {
            String version = "v1." + minor + ".0";
            KnownFlags flags = facts(version).flags();
            for (Asset asset : assets(version, "  keeper: {enabled: false}\n  dns: {provider: none}\n")) {
                Matcher flag = FLAG.matcher(asset.text());
                while (flag.find()) {
                    Component component = componentOf(asset);
                    assertThat(flags.judge(component, flag.group(1)))
                            .as("%s of %s %s in %s", flag.group(1), component, version, asset.path())
                            .isInstanceOf(KnownFlags.Verdict.Known.class);
                }
            }
        }
    }

    @Test
    void namesSecretsByTheirContent() {
        Map<String, String> files = files();
        String before = text(assets(files), AssetLayout.SCHEDULER);
        files.put(AssetLayout.SCHEDULER_KEY, "another key");
        List<Asset> after = assets(files);

        assertThat(text(after, AssetLayout.SCHEDULER)).isNotEqualTo(before);
        assertThat(text(after, AssetLayout.SCHEDULER_SECRET)).contains("immutable: true");
        assertThat(text(after, AssetLayout.CONTROLLER_MANAGER))
                .isEqualTo(text(assets(files()), AssetLayout.CONTROLLER_MANAGER));
    }

    @Test
    void letsTheOwnersArgumentsWinEverywhere() {
        List<Asset> assets = assets("v1.20.2", "  extraArgs: {kubeApiserver: {profiling: true, v: 4}}\n");

        for (String path : List.of(AssetLayout.API_SERVER, AssetLayout.bootstrapManifest(Component.API_SERVER))) {
            assertThat(text(assets, path)).contains("--profiling=true", "--v=4").doesNotContain("--profiling=false");
        }
    }

    @Test
    void pointsEveryKubeconfigAtTheEndpoint() {
        assertThat(assets("v1.36.3", ""))
                .filteredOn(asset -> asset.path().startsWith("auth/"))
                .hasSize(7)
                .allSatisfy(asset -> assertThat(asset.text()).containsPattern("server\"?: ?\"?https://10.77.0.2:6443"));
    }

    /** An add-on may have a token: its controller and its API server are there before it. */
    @Test
    void bindsNothingToClusterAdminAndMountsNoServiceAccountToken() {
        for (Asset asset : assets("v1.36.3", "  dns: {provider: none}\n  images: {steward: none}\n")) {
            assertThat(asset.text()).doesNotContain("cluster-admin", "serviceAccountName");
            if (asset.text().contains("containers:")) {
                assertThat(asset.text()).contains("automountServiceAccountToken: false");
            }
        }
    }

    private static Component componentOf(Asset asset) {
        String command = "- command:\n";
        int start = asset.text().indexOf(command) + command.length();
        String line = asset.text().substring(start, asset.text().indexOf('\n', start));
        return Component.ofId(line.replace("-", " ").strip().replace(" ", "-")).orElseThrow();
    }

    private static String text(List<Asset> assets, String path) {
        return assets.stream()
                .filter(asset -> asset.path().equals(path))
                .findFirst()
                .orElseThrow()
                .text();
    }

    private static VersionFacts facts(String version) {
        return VersionFacts.of(
                dev.ouroboros.model.version.KubernetesVersion.parse(version).orElseThrow());
    }

    /** Without a keeper nobody releases a Lease; and of two times that must fit each other, both are one's own. */
    @Test
    void aLeaderMayMissTheApiForLongOnlyWithAKeeperAndWithoutTimesOfOnesOwn() {
        assertThat(leaderElection(""))
                .contains("--leader-elect-lease-duration=60s", "--leader-elect-renew-deadline=40s");
        assertThat(leaderElection("  keeper: {enabled: false}\n")).containsExactly("--leader-elect=true");
        assertThat(leaderElection("  extraArgs: {kubeControllerManager: {leader-elect-lease-duration: 30s}}\n"))
                .containsExactlyInAnyOrder("--leader-elect-lease-duration=30s", "--leader-elect=true");
    }

    /** Nobody releases the Lease of a node that is off, and another one stands by. */
    @Test
    void whereThereAreSeveralALeaseIsSoonOver() {
        String several = "https://10.77.0.2:6443, https://10.77.0.3:6443";
        assertThat(leaderElection(assets("v1.20.2", several, "", files())))
                .contains(
                        "--leader-elect-lease-duration=13s",
                        "--leader-elect-renew-deadline=10s",
                        "--leader-elect-retry-period=1500ms");
        assertThat(leaderElection(assets("v1.20.2", several, "  keeper: {enabled: false}\n", files())))
                .containsExactly("--leader-elect=true");
    }

    private static List<String> leaderElection(String extra) {
        return leaderElection(assets("v1.20.2", extra));
    }

    private static List<String> leaderElection(List<Asset> assets) {
        String manifest = assets.stream()
                .filter(asset -> asset.path().equals("manifests/kube-controller-manager.yaml"))
                .findFirst()
                .orElseThrow()
                .text();
        return manifest.lines()
                .map(line -> line.replaceFirst("^ *- ", ""))
                .filter(word -> word.startsWith("--leader-elect"))
                .toList();
    }

    private static List<Asset> assets(Map<String, String> files) {
        return assets("v1.20.2", "", files);
    }

    private static List<Asset> assets(String version, String extra) {
        return assets(version, extra, files());
    }

    /** Keys whose text is their name: manifests must not depend on more than it. */
    private static Map<String, String> files() {
        Map<String, String> files = new TreeMap<>();
        ClusterPki.paths().forEach(path -> files.put(path, path));
        files.put(AssetLayout.ENCRYPTION_CONFIG, AssetLayout.ENCRYPTION_CONFIG);
        files.put(AssetLayout.AUTHENTICATION_CONFIG, AssetLayout.AUTHENTICATION_CONFIG);
        return files;
    }

    private static List<Asset> assets(String version, String extra, Map<String, String> files) {
        return assets(version, "https://10.77.0.2:6443", extra, files);
    }

    private static List<Asset> assets(String version, String endpoints, String extra, Map<String, String> files) {
        String config = """
                apiVersion: ouroboros.dev/v1alpha1
                kind: Cluster
                metadata: {name: demo}
                spec:
                  kubernetesVersion: %s
                  apiServer:
                    endpoints: [%s]
                  etcd:
                    servers: [https://10.77.0.2:2379]
                %s""".formatted(version, endpoints, extra);
        ClusterDocument.Result document = ClusterDocument.read(config, "c.yaml");
        assertThat(document.problems()).isEmpty();
        ClusterSpec cluster = ClusterChecks.check(document.settings()).cluster().orElseThrow();
        BootstrapToken token = BootstrapToken.parse("abcdef.0123456789abcdef").orElseThrow();
        return new ClusterManifests(cluster, facts(version), token, files).assets();
    }

    /** Compares with files below the test's resources. */
    private record Golden(String version) {
        void check(String path, String made) throws IOException {
            // Of a model that is no jar, as in a build that packages nothing, the version is another one.
            String text = made.replace(":" + ProductVersion.current(), ":development");
            Path file = Path.of("src/test/resources/golden", version, path);
            if (Boolean.getBoolean("golden.update")) {
                Path parent = file.getParent();
                assertThat(parent).isNotNull();
                Files.createDirectories(parent);
                Files.writeString(file, text);
            }
            assertThat(file).hasContent(text);
        }
    }
}
