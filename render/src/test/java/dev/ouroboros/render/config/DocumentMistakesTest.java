package dev.ouroboros.render.config;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** One mistake in a Cluster document that is good otherwise: one answer, at its line, with what is allowed and what to do. */
final class DocumentMistakesTest {
    private static final String GOOD = """
            apiVersion: ouroboros.dev/v1alpha1
            kind: Cluster
            spec:
              kubernetesVersion: v1.20.2
              apiServer:
                endpoints: [https://10.77.0.2:6443]
              etcd:
                servers: [https://10.77.0.2:2379]
            """;

    /**
     * A mistake.
     *
     * @param from what of the good document is written otherwise; empty for more at its end
     */
    record Mistake(String from, String to, ErrorCode code, String where, String what, String help) {
        @Override
        public String toString() {
            return where + ": " + what;
        }

        String document() {
            return from.isEmpty() ? GOOD + to : GOOD.replace(from, to);
        }
    }

    private static Mistake wrong(String from, String to, String where, String what, String help) {
        return new Mistake(from, to, ErrorCode.INVALID_CONFIG, where, what, help);
    }

    private static Mistake added(String more, String where, String what, String help) {
        return wrong("", "  " + more + "\n", "c.yaml:9: spec." + where, what, help);
    }

    static Stream<Mistake> mistakes() {
        return Stream.of(shape(), versions(), network(), endpoints(), images()).flatMap(List::stream);
    }

    private static List<Mistake> shape() {
        return List.of(
                wrong("", "---\nkind: Cluster\n", "c.yaml", "holds 2 documents", "one Cluster document"),
                wrong(GOOD, "only words\n", "c.yaml:1: document", "is the text only words", "a mapping"),
                wrong("kind: Cluster", "kind: \u0001", "c.yaml", "not YAML", "mend that line"),
                wrong("apiVersion: ouroboros.dev/v1alpha1\n", "", "c.yaml", "apiVersion is missing", "ouroboros.dev"),
                added("network: []", "network", "is a list", "a mapping"),
                added("podNetwork: {}", "podNetwork", "unknown field", "one of "),
                added(
                        "extraArgs: {kubeScheduler: [v]}",
                        "extraArgs.kubeScheduler",
                        "is a list",
                        "docs/examples/cluster.yaml"),
                added(
                        "extraArgs: {kubeScheduler: {v: 4, v: 5}}",
                        "extraArgs.kubeScheduler.v",
                        "is there twice",
                        "each flag once"),
                new Mistake(
                        "",
                        "  extraArgs: {kubeScheduler: {v: 4, --v: 5}}\n",
                        ErrorCode.INVALID_FLAG,
                        "c.yaml:9: spec.extraArgs.kubeScheduler.--v",
                        "--v is there twice",
                        "each flag once"),
                added(
                        "keeper: {extraArgs: {--soak: 1s, soak: 2s}}",
                        "keeper.extraArgs.soak",
                        "--soak is there twice",
                        "each flag once"),
                added("layers: {}", "layers", "is a mapping", "a text"),
                added(
                        "keeper: {extraArgs: {Not a flag: x}}",
                        "keeper.extraArgs.Not a flag",
                        "found Not a flag",
                        "a flag of ouro keeper"));
    }

    private static List<Mistake> versions() {
        return List.of(
                wrong(
                        "  kubernetesVersion: v1.20.2\n",
                        "",
                        "spec.kubernetesVersion",
                        "is missing",
                        "docs/examples/cluster.yaml"),
                wrong("v1.20.2", "newest", "c.yaml:4: spec.kubernetesVersion", "found newest", "as in v1.20.2"),
                new Mistake(
                        "",
                        "  emulatedVersion: v1.19\n",
                        ErrorCode.UNSUPPORTED_VERSION,
                        "c.yaml:9: spec.emulatedVersion",
                        "cannot serve as v1.19",
                        "set spec.emulatedVersion to one of these"));
    }

    private static List<Mistake> network() {
        return List.of(
                added("network: {serviceCIDR: 10.3.0.0/8}", "network.serviceCIDR", "10.3.0.0/8", "10.0.0.0/8"),
                added("network: {serviceCIDR: 11.0.0.0/8}", "network.serviceCIDR", "is too large", "at most 2^20"),
                added("network: {podCIDR: 10.2.0.0/28}", "network.podCIDR", "is too small", "node-cidr-mask-size"),
                added(
                        "network: {podCIDR: '10.2.0.0/16,fd00::/48'}",
                        "network.podCIDR",
                        "found two blocks",
                        "one block"),
                added("network: {podCIDR: somewhere}", "network.podCIDR", "found somewhere", "a block of addresses"),
                wrong(
                        "",
                        "  network: {podCIDR: 'fd00::/48'}\n",
                        "spec.network.serviceCIDR (default)",
                        "two families",
                        "one family"));
    }

    private static List<Mistake> endpoints() {
        return List.of(
                wrong(
                        "    endpoints: [https://10.77.0.2:6443]",
                        "    endpoints: []",
                        "spec.apiServer.endpoints",
                        "is missing",
                        "give --api-servers"),
                wrong(
                        "    servers: [https://10.77.0.2:2379]",
                        "    servers: []",
                        "spec.etcd.servers",
                        "is missing",
                        "give --etcd-servers"),
                wrong(
                        "[https://10.77.0.2:6443]",
                        "[https://10.77.0.2:6443, https://10.77.0.3:7443]",
                        "c.yaml:6: spec.apiServer.endpoints[1]",
                        "port 7443 differs from the first endpoint's 6443",
                        "one port"),
                wrong(
                        "[https://10.77.0.2:2379]",
                        "[http://10.77.0.2:2379, https://10.77.0.3:2379]",
                        "c.yaml:8: spec.etcd.servers[0]",
                        "http beside https",
                        "https for all servers"),
                wrong(
                        "[https://10.77.0.2:2379]",
                        "[http://10.77.0.2:2379]\n    tls: {caFile: a, certificateFile: b, privateKeyFile: c}",
                        "c.yaml:9: spec.etcd.tls.caFile",
                        "certificates for servers that speak http",
                        "https URLs in spec.etcd.servers"));
    }

    private static List<Mistake> images() {
        return List.of(
                added(
                        "images: {kubeApiserver: 'no image'}",
                        "images.kubeApiserver",
                        "found no image",
                        "registry.example/kube-apiserver:v1.20.2"),
                wrong(
                        "",
                        "  dns: {provider: coredns}\n  images: {dns: 'localhost/ouroboros/dns:1'}\n",
                        "c.yaml:10: spec.images.dns",
                        "while spec.dns.provider is coredns",
                        "or nothing: then it is registry.k8s.io/"),
                wrong(
                        "",
                        "  dns: {provider: ouroboros}\n  images: {dns: 'registry.example/coredns:v1.12.1'}\n",
                        "c.yaml:10: spec.images.dns",
                        "while spec.dns.provider is ouroboros",
                        "an image of ouroboros"),
                wrong(
                        "",
                        "  network: {podCIDR: 10.77.0.0/16}\n",
                        "c.yaml:6: spec.apiServer.endpoints[0]",
                        "10.77.0.2 is an address of spec.network.podCIDR 10.77.0.0/16",
                        "no pod's"),
                added("kubeProxy: {mode: ebpf}", "kubeProxy.mode", "has no mode ebpf", "one of iptables"));
    }

    @ParameterizedTest
    @MethodSource("mistakes")
    void saysWhereWhatAndHow(Mistake mistake) {
        ClusterDocument.Result document = ClusterDocument.read(mistake.document(), "c.yaml");
        List<Problem> all = new ArrayList<>(document.problems());
        all.addAll(ClusterChecks.check(document.settings()).problems());
        assertThat(all).anySatisfy(problem -> {
            assertThat(problem.code()).isEqualTo(mistake.code());
            assertThat(problem.where()).isEqualTo(mistake.where());
            assertThat(problem.what()).contains(mistake.what());
            assertThat(problem.expected() + "; " + problem.next()).contains(mistake.help());
        });
    }

    @Test
    void theGoodOneIsGood() {
        ClusterDocument.Result document = ClusterDocument.read(GOOD, "c.yaml");
        assertThat(document.problems()).isEmpty();
        assertThat(ClusterChecks.check(document.settings()).problems()).isEmpty();
    }

    @Test
    void anAddOnThatIsNoManifestIsNamedByItsLine() {
        assertThat(YamlSyntax.check("apiVersion: v1\nkind: ConfigMap\n---\n- a list\n", "net.yaml"))
                .singleElement()
                .satisfies(problem -> {
                    assertThat(problem.code()).isEqualTo(ErrorCode.INVALID_CONFIG);
                    assertThat(problem.describe()).contains("net.yaml:4", "is not a Kubernetes object");
                    assertThat(problem.next()).contains("take the file out of the directory");
                });
        assertThat(YamlSyntax.check("kind: \u0001", "net.yaml"))
                .singleElement()
                .satisfies(problem -> assertThat(problem.describe()).startsWith("net.yaml: not YAML"));
        assertThat(YamlSyntax.check("kind: [\n", "net.yaml"))
                .singleElement()
                .satisfies(problem -> assertThat(problem.describe()).contains("net.yaml:2", "not YAML"));
    }
}
