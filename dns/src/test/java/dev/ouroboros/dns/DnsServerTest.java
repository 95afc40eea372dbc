package dev.ouroboros.dns;

import static dev.ouroboros.api.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.ouroboros.api.testing.FakeApiServer;
import dev.ouroboros.api.testing.FakeApiServer.Fault;
import dev.ouroboros.dns.testing.ExampleCluster;
import dev.ouroboros.endpoint.testing.TestAuthority;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.net.Cidr;
import dev.ouroboros.node.disk.LocalDisk;
import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.LocalProcesses;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.logging.Level;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Message;
import org.xbill.DNS.Name;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;
import org.xbill.DNS.Section;
import org.xbill.DNS.SimpleResolver;
import org.xbill.DNS.Type;

/** The whole server on loopback: an API server that is faked, real sockets, dnsjava's client and {@code dig}. */
final class DnsServerTest {
    private static final InetAddress LOOPBACK = InetAddress.getLoopbackAddress();

    @TempDir
    private Path directory = Path.of("");

    private FakeApiServer api = unset();
    private DnsServer server = unset();
    private int healthPort;

    @SuppressWarnings({"NullAway", "TypeParameterUnusedInFormals"}) // set before each test
    private static <T> T unset() {
        return null;
    }

    @BeforeEach
    void begin() throws Exception {
        TestAuthority authority = new TestAuthority();
        api = new FakeApiServer(authority);
        ExampleCluster.SERVICES.forEach(this::put);
        ExampleCluster.SLICES.forEach(slice -> api.put(
                "/apis/discovery.k8s.io/v1beta1/namespaces/" + text(slice, "namespace") + "/endpointslices/"
                        + text(slice, "name"),
                slice));
        Files.writeString(directory.resolve("ca.crt"), TestAuthority.pem(authority.certificate()));
        Files.writeString(directory.resolve("token"), "first\n");
        Files.writeString(directory.resolve("resolv.conf"), "nameserver 127.0.0.53\n");
        healthPort = freePort();
        server = start();
    }

    private DnsServer start() {
        return new DnsServer(
                new DnsOptions(
                        "cluster.local",
                        List.of(Cidr.parse("10.2.0.0/16"), Cidr.parse("10.3.0.0/24")),
                        List.of(InetAddress.ofLiteral("10.3.0.10")),
                        "discovery.k8s.io/v1beta1",
                        api.uri(),
                        directory,
                        directory.resolve("resolv.conf"),
                        0,
                        healthPort,
                        5,
                        Level.INFO),
                new LocalDisk(),
                InstantSource.system(),
                LOOPBACK);
    }

    @AfterEach
    void end() {
        server.close();
        api.close();
    }

    private void put(Json.Fields service) {
        api.put("/api/v1/namespaces/" + text(service, "namespace") + "/services/" + text(service, "name"), service);
    }

    private static String text(Json object, String field) {
        return object.at("metadata", field).text().orElseThrow();
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 0, LOOPBACK)) {
            return socket.getLocalPort();
        }
    }

    private Message ask(String name, int type, boolean tcp) throws IOException {
        SimpleResolver resolver = new SimpleResolver(LOOPBACK);
        resolver.setPort(server.port());
        resolver.setTCP(tcp);
        resolver.setTimeout(Duration.ofSeconds(10));
        return resolver.send(Message.newQuery(Record.newRecord(Name.fromString(name), type, DClass.IN)));
    }

    private List<String> addresses(String name) {
        try {
            return ask(name, Type.A, false).getSection(Section.ANSWER).stream()
                    .map(Record::rdataToString)
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private int health(String path) {
        try (HttpClient client = HttpClient.newHttpClient()) {
            return client.send(
                            HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + healthPort + path))
                                    .build(),
                            BodyHandlers.discarding())
                    .statusCode();
        } catch (IOException e) {
            throw new AssertionError(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    private void awaitReady() throws InterruptedException {
        eventually("the cluster is seen", () -> health("/readyz") == 200);
    }

    @Test
    void answersOverUdpAndTcpWhatTheApiTells() throws Exception {
        awaitReady();
        for (boolean tcp : new boolean[] {false, true}) {
            assertThat(ask("kubernetes.default.svc.cluster.local.", Type.A, tcp).getSection(Section.ANSWER))
                    .extracting(Record::rdataToString)
                    .containsExactly("10.3.0.1");
            assertThat(ask("none.default.svc.cluster.local.", Type.A, tcp).getRcode())
                    .isEqualTo(Rcode.NXDOMAIN);
        }
        assertThat(addresses("headless.default.svc.cluster.local."))
                .containsExactly("10.2.0.100", "10.2.0.101", "10.2.0.102");
        assertThat(health("/healthz")).isEqualTo(200);
    }

    @Test
    void followsChanges() throws Exception {
        awaitReady();
        put(ExampleCluster.service("default", "late", "{\"clusterIP\": \"10.3.0.33\"}"));
        eventually(
                "a new Service has its name",
                () -> addresses("late.default.svc.cluster.local.").equals(List.of("10.3.0.33")));
        api.delete("/api/v1/namespaces/default/services/late");
        eventually(
                "a Service that is gone has none",
                () -> addresses("late.default.svc.cluster.local.").isEmpty());
    }

    /** The API server of a self-hosted cluster is one of its pods. */
    @Test
    void goesOnAnsweringWhileTheApiIsAway() throws Exception {
        awaitReady();
        api.die();
        eventually("it notices", () -> metrics().contains("ouroboros_dns_stale 1"));
        assertThat(addresses("kubernetes.default.svc.cluster.local.")).containsExactly("10.3.0.1");
        assertThat(health("/readyz")).isEqualTo(200);

        put(ExampleCluster.service("default", "late", "{\"clusterIP\": \"10.3.0.33\"}"));
        api.listen();
        eventually(
                "what changed meanwhile is known",
                () -> addresses("late.default.svc.cluster.local.").equals(List.of("10.3.0.33")));
    }

    private String metrics() {
        try (HttpClient client = HttpClient.newHttpClient()) {
            return client.send(
                            HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + healthPort + "/metrics"))
                                    .build(),
                            BodyHandlers.ofString())
                    .body();
        } catch (IOException e) {
            throw new AssertionError(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    @Test
    void isNotReadyBeforeItHasSeenTheCluster() throws Exception {
        server.close();
        api.fault("GET /apis/discovery.k8s.io", new Fault.Status(503, Map.of()));
        healthPort = freePort();
        server = start();

        eventually("it serves", () -> health("/healthz") == 200);
        assertThat(health("/readyz")).isEqualTo(503);
        assertThat(ask("kubernetes.default.svc.cluster.local.", Type.A, false).getRcode())
                .isEqualTo(Rcode.SERVFAIL);
        api.heal();
        awaitReady();
    }

    /** As resolvers in pods do it: glibc's and others' search lists need an NXDOMAIN to go on. */
    @Test
    void digUnderstandsIt() throws Exception {
        Path dig = Path.of("/usr/bin/dig");
        assumeTrue(Files.isExecutable(dig), "dig is not installed: apt-get install bind9-dnsutils");
        awaitReady();

        assertThat(dig("+noall", "+answer", "_https._tcp.headless.default.svc.cluster.local", "SRV")
                        .lines())
                .hasSize(3)
                .allSatisfy(line -> assertThat(line).matches(".*\\s5\\s+IN\\s+SRV\\s+0 100 443 .*"));
        assertThat(dig("+short", "-x", "10.3.0.1")).isEqualTo("kubernetes.default.svc.cluster.local.\n");
        assertThat(dig("none.default.svc.cluster.local")).contains("status: NXDOMAIN", "flags: qr aa rd ra");
        assertThat(dig("+tcp", "+short", "kubernetes.default.svc.cluster.local"))
                .isEqualTo("10.3.0.1\n");
        assertThat(dig("+short", "TXT", "dns-version.cluster.local")).isEqualTo("\"1.1.0\"\n");
        assertThat(dig("+norecurse", "+dnssec", "kubernetes.default.svc.cluster.local"))
                .contains("status: NOERROR", "EDNS: version: 0, flags: do", "udp: 1232");
    }

    private String dig(String... words) {
        List<String> command =
                new ArrayList<>(List.of("dig", "@127.0.0.1", "-p", Integer.toString(server.port()), "+tries=1"));
        command.addAll(List.of(words));
        return new LocalProcesses().run(Command.of(command)).orThrow();
    }
}
