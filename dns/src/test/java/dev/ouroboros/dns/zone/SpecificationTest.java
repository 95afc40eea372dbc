package dev.ouroboros.dns.zone;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.dns.testing.ExampleCluster;
import dev.ouroboros.model.net.Cidr;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.xbill.DNS.CNAMERecord;
import org.xbill.DNS.Name;
import org.xbill.DNS.Record;
import org.xbill.DNS.SOARecord;
import org.xbill.DNS.TextParseException;
import org.xbill.DNS.Type;

/** The Kubernetes DNS specification 1.1.0, section by section: its examples, then what its words say beyond them. */
final class SpecificationTest {
    private final ClusterZone zone =
            new ClusterZone("cluster.local", List.of(Cidr.parse("10.2.0.0/16"), Cidr.parse("10.3.0.0/24")), 5);
    private final ClusterView view = ExampleCluster.view();

    private Lookup look(String name, String type) throws TextParseException {
        return zone.look(Name.fromString(name), Type.value(type), view);
    }

    /** Data of the answers; or what is there instead. */
    private String answer(String name, String type) throws TextParseException {
        return switch (look(name, type)) {
            case Lookup.Found(List<Record> answers, List<Record> _) ->
                String.join(
                        " | ",
                        answers.stream().map(Record::rdataToString).sorted().toList());
            case Lookup.Alias(CNAMERecord alias) -> "CNAME " + alias.getTarget();
            case Lookup.NoData(SOARecord _) -> "NODATA";
            case Lookup.NoSuchName(SOARecord _) -> "NXDOMAIN";
            case Lookup.Unknown() -> "UNKNOWN";
            case Lookup.Elsewhere() -> "ELSEWHERE";
        };
    }

    @ParameterizedTest
    @CsvSource({
        // 2.2
        "dns-version.cluster.local., TXT, '\"1.1.0\"'",
        // 2.3.1, 2.3.2, 2.3.3
        "kubernetes.default.svc.cluster.local., A, 10.3.0.1",
        "dual.default.svc.cluster.local., A, 10.3.0.20",
        "dual.default.svc.cluster.local., AAAA, fd00:10:3:0:0:0:0:20",
        "_https._tcp.kubernetes.default.svc.cluster.local., SRV, 0 100 443 kubernetes.default.svc.cluster.local.",
        "_dns._udp.kube-dns.kube-system.svc.cluster.local., SRV, 0 100 53 kube-dns.kube-system.svc.cluster.local.",
        "1.0.3.10.in-addr.arpa., PTR, kubernetes.default.svc.cluster.local.",
        "0.2.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.3.0.0.0.0.1.0.0.0.0.d.f.ip6.arpa., PTR, dual.default.svc.cluster.local.",
        // 2.4.1
        "headless.default.svc.cluster.local., A, 10.2.0.100 | 10.2.0.101 | 10.2.0.102",
        "headless.default.svc.cluster.local., AAAA, fd00:10:2:0:0:0:0:100",
        "my-pet.headless.default.svc.cluster.local., A, 10.2.0.100",
        "my-pet.headless.default.svc.cluster.local., AAAA, fd00:10:2:0:0:0:0:100",
        "10-2-0-102.headless.default.svc.cluster.local., A, 10.2.0.102",
        // 2.4.3
        "100.0.2.10.in-addr.arpa., PTR, my-pet.headless.default.svc.cluster.local.",
        "102.0.2.10.in-addr.arpa., PTR, 10-2-0-102.headless.default.svc.cluster.local.",
        // 2.5
        "foo.default.svc.cluster.local., A, CNAME www.example.com.",
        // 2.6
        "10-2-0-7.default.pod.cluster.local., A, 10.2.0.7",
        "fd00-10-2--7.default.pod.cluster.local., AAAA, fd00:10:2:0:0:0:0:7",
    })
    void answersTheExamples(String name, String type, String expected) throws Exception {
        assertThat(answer(name, type)).isEqualTo(expected);
    }

    /** 2.4.2: one for each ready endpoint and named port. */
    @Test
    void everyReadyEndpointHasItsSrvRecord() throws Exception {
        assertThat(answer("_https._tcp.headless.default.svc.cluster.local.", "SRV"))
                .isEqualTo("0 100 443 10-2-0-102.headless.default.svc.cluster.local."
                        + " | 0 100 443 my-pet-2.headless.default.svc.cluster.local."
                        + " | 0 100 443 my-pet.headless.default.svc.cluster.local.");
    }

    @Test
    void anSrvRecordBringsTheAddressesOfItsTarget() throws Exception {
        assertThat(look("_https._tcp.kubernetes.default.svc.cluster.local.", "SRV"))
                .isInstanceOfSatisfying(
                        Lookup.Found.class,
                        found -> assertThat(found.additional())
                                .extracting(Record::rdataToString)
                                .containsExactly("10.3.0.1"));
    }

    @ParameterizedTest
    @CsvSource({
        // 2.4.1: no ready endpoint
        "empty.default.svc.cluster.local., A, NXDOMAIN",
        "_https._tcp.empty.default.svc.cluster.local., SRV, NXDOMAIN",
        "sick.headless.default.svc.cluster.local., A, NXDOMAIN",
        "103.0.2.10.in-addr.arpa., PTR, NXDOMAIN",
        // the name is there, the type is not
        "kubernetes.default.svc.cluster.local., AAAA, NODATA",
        "kubernetes.default.svc.cluster.local., MX, NODATA",
        "_https._tcp.kubernetes.default.svc.cluster.local., A, NODATA",
        "pending.default.svc.cluster.local., A, NODATA",
        "10-2-0-7.default.pod.cluster.local., AAAA, NODATA",
        "my-pet-2.headless.default.svc.cluster.local., AAAA, NODATA",
        // only above others: who says NXDOMAIN of them says it of those, too (RFC 8020)
        "svc.cluster.local., A, NODATA",
        "default.svc.cluster.local., A, NODATA",
        "_tcp.kubernetes.default.svc.cluster.local., SRV, NODATA",
        "pod.cluster.local., A, NODATA",
        "default.pod.cluster.local., A, NODATA",
        "cluster.local., A, NODATA",
        // nothing
        "none.default.svc.cluster.local., A, NXDOMAIN",
        "kubernetes.none.svc.cluster.local., A, NXDOMAIN",
        "none.svc.cluster.local., A, NXDOMAIN",
        "_http._tcp.kubernetes.default.svc.cluster.local., SRV, NXDOMAIN",
        "_https._udp.kubernetes.default.svc.cluster.local., SRV, NXDOMAIN",
        "_udp.kubernetes.default.svc.cluster.local., SRV, NXDOMAIN",
        "a.b.c.d.e.kubernetes.default.svc.cluster.local., A, NXDOMAIN",
        "a.foo.default.svc.cluster.local., A, NXDOMAIN",
        "300-2-0-7.default.pod.cluster.local., A, NXDOMAIN",
        "www.example.com.default.svc.cluster.local., A, NXDOMAIN",
        "www.example.com.svc.cluster.local., A, NXDOMAIN",
        "www.example.com.cluster.local., A, NXDOMAIN",
        // of unnamed ports there is no SRV record
        "_._tcp.dual.default.svc.cluster.local., SRV, NXDOMAIN",
        "_tcp.dual.default.svc.cluster.local., SRV, NXDOMAIN",
        // an address of the cluster that nobody has, and others'
        "77.0.3.10.in-addr.arpa., PTR, NXDOMAIN",
        "1.0.168.192.in-addr.arpa., PTR, ELSEWHERE",
        "3.10.in-addr.arpa., NS, ELSEWHERE",
        "999.0.3.10.in-addr.arpa., PTR, ELSEWHERE",
        "www.example.com., A, ELSEWHERE",
        "local., A, ELSEWHERE",
        "., NS, ELSEWHERE",
    })
    void tellsWhatIsNotThere(String name, String type, String expected) throws Exception {
        assertThat(answer(name, type)).isEqualTo(expected);
    }

    /** 2.1: all comparisons are without case. */
    @Test
    void namesHaveNoCase() throws Exception {
        assertThat(answer("KUBERNETES.Default.SVC.Cluster.LOCAL.", "A")).isEqualTo("10.3.0.1");
        assertThat(answer("_HTTPS._TCP.kubernetes.default.svc.cluster.local.", "SRV"))
                .startsWith("0 100 443");
    }

    /** Not asked for by the specification; peers of a StatefulSet find each other so. */
    @Test
    void aServiceItselfHasSrvRecordsOfAllPorts() throws Exception {
        assertThat(answer("kube-dns.kube-system.svc.cluster.local.", "SRV")).contains("0 100 53 kube-dns");
        assertThat(answer("headless.default.svc.cluster.local.", "SRV")).contains("my-pet-2.headless");
    }

    /** A pod of a StatefulSet whose Service has an address of its own. */
    @Test
    void endpointsHaveNamesWhateverTheirServiceHas() throws Exception {
        assertThat(answer("pod-0.dual.default.svc.cluster.local.", "A")).isEqualTo("10.2.0.120");
        assertThat(answer("120.0.2.10.in-addr.arpa.", "PTR")).isEqualTo("NXDOMAIN");
    }

    @Test
    void theZoneHasAnAuthorityAndAServer() throws Exception {
        assertThat(answer("cluster.local.", "NS")).isEqualTo("kube-dns.kube-system.svc.cluster.local.");
        assertThat(answer("cluster.local.", "SOA")).startsWith("kube-dns.kube-system.svc.cluster.local.");
    }

    @Test
    void whatIsMissingIsRememberedAsLongAsARecordIs() throws Exception {
        assertThat(look("none.default.svc.cluster.local.", "A"))
                .isInstanceOfSatisfying(Lookup.NoSuchName.class, missing -> {
                    assertThat(missing.authority().getMinimum()).isEqualTo(5);
                    assertThat(missing.authority().getTTL()).isEqualTo(5);
                });
        assertThat(look("77.0.3.10.in-addr.arpa.", "PTR"))
                .isInstanceOfSatisfying(
                        Lookup.NoSuchName.class,
                        missing -> assertThat(missing.authority().getName()).hasToString("0.3.10.in-addr.arpa."));
    }

    @Test
    void objectsThatMakeNoSenseMakeNoRecord() throws Exception {
        ClusterView odd = ExampleCluster.view(
                Stream.of(ExampleCluster.service("default", "odd", """
                        {"clusterIP": "no address", "ports": [{"name": "http"}, {"port": 1.5}]}""")),
                Stream.of(ExampleCluster.slice("default", "odd-1", "odd", """
                        {"endpoints": [{"addresses": [1, "x"]}, {}], "ports": "none"}""")));
        assertThat(zone.look(Name.fromString("odd.default.svc.cluster.local."), Type.A, odd))
                .isInstanceOf(Lookup.NoData.class);
    }
}
