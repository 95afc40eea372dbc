package dev.ouroboros.render.config;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.render.cluster.ClusterSpec;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ClusterConfigTest {
    private static final String SMALLEST = """
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
    void reportsEveryMistakeInOneRunWithItsLine() {
        List<String> problems = problems("""
                apiVersion: ouroboros.dev/v1alpha1
                kind: Clutser
                metadata: {name: Demo_1}
                spec:
                  kubernetesVersion: v1.19.0
                  layers: 0-4
                  apiServer:
                    endpoints: [https://10.77.0.2:6443, "http://x:6443"]
                    altNames: [IP=10.77.0.3, 10.77.0.2]
                  network:
                    podCIDR: 10.3.0.0/16
                    serviceCIDR: 10.3.0.0/29
                    podCDIR: 10.2.0.0/16
                  etcd:
                    servers: https://10.77.0.2:2379
                    tls: {caFile: ca.pem}
                  encryption: {enabled: maybe, provider: rot13}
                  encryption: {enabled: false}
                  pki:
                    algorithm: DSA
                    caCertificateFile: ca.pem
                  cloudProvider: aws
                """);

        assertThat(problems)
                .anySatisfy(line -> assertThat(line).contains("c.yaml:2: kind", "Clutser", "expected Cluster"))
                .anySatisfy(line -> assertThat(line).contains("c.yaml:3: metadata.name", "Demo_1"))
                .anySatisfy(line -> assertThat(line).contains("c.yaml:5: spec.kubernetesVersion", "v1.19.0"))
                .anySatisfy(line -> assertThat(line).contains("c.yaml:6: spec.layers", "2-4"))
                .anySatisfy(line -> assertThat(line).contains("c.yaml:8: spec.apiServer.endpoints[1]", "a URL as in"))
                .anySatisfy(line -> assertThat(line)
                        .contains("c.yaml:8: spec.apiServer.endpoints[0]", "not among the names", "altNames"))
                .anySatisfy(line -> assertThat(line).contains("c.yaml:9: spec.apiServer.altNames[1]", "IP=address"))
                .anySatisfy(line -> assertThat(line).contains("c.yaml:12: spec.network.serviceCIDR", "overlaps"))
                .anySatisfy(line -> assertThat(line).contains("c.yaml:12: spec.network.serviceCIDR", "too small"))
                .anySatisfy(line -> assertThat(line)
                        .contains("c.yaml:13: spec.network.podCDIR", "unknown field", "did you mean podCIDR?"))
                .anySatisfy(line -> assertThat(line).contains("c.yaml:15: spec.etcd.servers", "a list of texts"))
                .anySatisfy(line -> assertThat(line).contains("c.yaml:16: spec.etcd.tls.caFile", "1 of three files"))
                .anySatisfy(line -> assertThat(line).contains("c.yaml:17: spec.encryption.enabled", "true or false"))
                .anySatisfy(line -> assertThat(line).contains("c.yaml:17: spec.encryption.provider", "rot13"))
                .anySatisfy(line -> assertThat(line).contains("c.yaml:18: spec.encryption", "twice", "line 17"))
                .anySatisfy(
                        line -> assertThat(line).contains("c.yaml:20: spec.pki.algorithm", "ECDSA-P256 or RSA-2048"))
                .anySatisfy(line -> assertThat(line).contains("c.yaml:21: spec.pki.caCertificateFile", "one half"))
                .anySatisfy(line -> assertThat(line).contains("c.yaml:22: spec.cloudProvider", "external"));
    }

    @Test
    void refusesFlagsThatTheVersionHasNotAndSaysWhatToUse() {
        List<String> problems = problems(SMALLEST.replace("v1.20.2", "v1.25.0") + """
                  extraArgs:
                    kubeApiserver:
                      insecure-port: 8080
                      shutdown-watch-termination-grace-period: 20s
                      gowaway-chance: 0.001
                      etcd-servers: http://elsewhere:2379
                    kubeScheduler:
                      --v: 4
                """);

        assertThat(problems)
                .hasSize(4)
                .anySatisfy(line -> assertThat(line).contains("c.yaml:11:", "insecure-port", "--secure-port"))
                .anySatisfy(line -> assertThat(line).contains("c.yaml:12:", "from 1.27"))
                .anySatisfy(line -> assertThat(line).contains("c.yaml:13:", "perhaps --goaway-chance"))
                .anySatisfy(line -> assertThat(line).contains("c.yaml:14:", "spec.etcd.servers"));
    }

    @Test
    void acceptsUnknownFlagsOnlyWhenTold() {
        String config = SMALLEST + "  extraArgs: {kubeApiserver: {our-own-flag: 1}}\n";

        assertThat(problems(config)).singleElement().asString().contains("allowUnknownFlags");
        assertThat(problems(config + "  allowUnknownFlags: true\n")).isEmpty();
    }

    @Test
    void fillsDefaultsIn() {
        ClusterSpec cluster = ClusterChecks.check(
                        ClusterDocument.read(SMALLEST, "c.yaml").settings())
                .cluster()
                .orElseThrow();

        assertThat(cluster.network().services()).hasToString("10.3.0.0/24");
        assertThat(cluster.network().apiServiceAddress().getHostAddress()).isEqualTo("10.3.0.1");
        assertThat(cluster.network().dnsAddress().getHostAddress()).isEqualTo("10.3.0.10");
        assertThat(cluster.images().apiServer()).isEqualTo("localhost/ouroboros/kube-apiserver:1.20.2");
        assertThat(cluster.encryption())
                .isEqualTo(new ClusterSpec.Encryption(true, ClusterSpec.EncryptionProvider.SECRETBOX));
        assertThat(cluster.etcd().security()).isEqualTo(new ClusterSpec.EtcdSecurity.Ours());
        assertThat(cluster.proxyMode()).contains("iptables");
        assertThat(cluster.apiServer().port()).isEqualTo(6443);
    }

    @Test
    void rendersNoProxyWhenItsImageIsEmptyOrNone() {
        for (String image : List.of("''", "none")) {
            ClusterDocument.Result document =
                    ClusterDocument.read(SMALLEST + "  images: {kubeProxy: " + image + "}\n", "c.yaml");
            assertThat(ClusterChecks.check(document.settings())
                            .cluster()
                            .orElseThrow()
                            .proxyMode())
                    .isEmpty();
        }
    }

    @Test
    void refusesLoopbackEndpoints() {
        assertThat(problems(SMALLEST.replace("https://10.77.0.2:6443", "https://127.0.0.1:6443")))
                .singleElement()
                .asString()
                .contains("c.yaml:6", "loopback");
    }

    @Test
    void namesTheLineOfASyntaxError() {
        assertThat(ClusterDocument.read("apiVersion: v1\nkind: [\n", "c.yaml").problems())
                .singleElement()
                .satisfies(problem -> assertThat(problem.where()).isEqualTo("c.yaml:3"));
    }

    @Test
    void letsFlagsWinOverTheDocumentAndNamesThem() {
        Settings flags = Settings.builder()
                .set(Field.POD_CIDR, "10.3.0.0/16", "--pod-cidr")
                .build();
        Settings settings = ClusterDocument.read(SMALLEST, "c.yaml").settings().with(flags);

        assertThat(ClusterChecks.check(settings).problems())
                .singleElement()
                .satisfies(problem -> assertThat(problem.describe()).contains("overlaps", "--pod-cidr"));
    }

    private static List<String> problems(String text) {
        ClusterDocument.Result document = ClusterDocument.read(text, "c.yaml");
        List<Problem> all = new ArrayList<>(document.problems());
        all.addAll(ClusterChecks.check(document.settings()).problems());
        return all.stream().map(Problem::describe).toList();
    }
}
