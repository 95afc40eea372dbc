package dev.ouroboros.status.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import dev.ouroboros.endpoint.Endpoint;
import dev.ouroboros.model.component.ComponentName;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.evidence.Evidence.Unknown;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.disk.LocalDisk;
import dev.ouroboros.status.seen.ApiSeen;
import dev.ouroboros.status.seen.NodeSeen;
import dev.ouroboros.status.seen.Seen;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Each source is a value, or unknown with its reason; none throws because something is not there. */
final class SourcesTest {
    private static final ComponentName KEEPER = new ComponentName("kube-system", "ouroboros-keeper");

    @TempDir
    private Path directory = Path.of(".");

    @Test
    void readsThePagesOfAKeeper() throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/state", exchange -> {
            byte[] body = "{\"node\": \"one\"}".getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
        try {
            KeeperPages pages = new KeeperPages(
                    NodePlace.here("one"), "the keeper", server.getAddress().getPort());
            assertThat(pages.state()).isEqualTo(Evidence.known(Json.object().with("node", Json.text("one"))));
            assertThat(reason(pages.decisions())).contains("does not answer");
        } finally {
            server.stop(0);
        }
    }

    @Test
    void saysThatNoKeeperListens() throws IOException {
        int port = freePort();
        assertThat(reason(new KeeperPages(NodePlace.here("one"), "the keeper", port).state()))
                .isEqualTo("the keeper on 127.0.0.1:" + port + " does not answer (Connection refused)");
    }

    @Test
    void saysThatNoApiServerListens() throws IOException {
        Endpoint endpoint = Endpoint.of(
                URI.create("https://127.0.0.1:" + freePort()), List.of(), Optional.empty(), Optional.empty());
        try (StatusSource source = status(endpoint, StatusSource.REQUEST_TIMEOUT)) {
            Seen seen = source.look();
            assertThat(seen.api().is(answer -> reason(answer.version()).equals("connection refused")))
                    .isTrue();
            assertThat(seen.node()).isEqualTo(Evidence.unknown("no node"));
        }
    }

    /** The kernel takes the connection; nobody shakes hands. */
    @Test
    void saysHowAnApiServerThatIsSlowCanBeWaitedFor() throws IOException {
        try (ServerSocket slow = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
                StatusSource source = status(
                        Endpoint.of(
                                URI.create("https://127.0.0.1:" + slow.getLocalPort()),
                                List.of(),
                                Optional.empty(),
                                Optional.empty()),
                        Duration.ofSeconds(1))) {
            Seen seen = source.look();
            assertThat(seen.api().orElse(ApiSeen.unknown("", "")).version())
                    .isEqualTo(Evidence.unknown("Read timed out after 1 s (--request-timeout)"));
        }
    }

    /** As when the first node of several is lost, and another one is booted. */
    @Test
    void looksAtWhoeverIsMeantNow() throws IOException {
        Endpoint first = Endpoint.of(
                URI.create("https://127.0.0.1:" + freePort()), List.of(), Optional.empty(), Optional.empty());
        Endpoint second = first.at(URI.create("https://127.0.0.1:" + freePort()));
        Deque<Endpoint> servers = new ArrayDeque<>(List.of(first, first, second, second));
        NodePlace booted = new NodePlace("one", directory, Optional.empty());
        Deque<Evidence<NodePlace>> places = new ArrayDeque<>(List.of(
                Evidence.unknown("is off"),
                Evidence.unknown("is off"),
                Evidence.unknown("is off"),
                Evidence.known(booted)));
        List<Evidence<NodePlace>> made = new ArrayList<>();

        try (StatusLooks looks =
                new StatusLooks(() -> Evidence.known(servers.removeFirst()), places::removeFirst, (server, place) -> {
                    made.add(place);
                    return new StatusSource(
                            server, place, new LocalDisk(), InstantSource.system(), StatusSource.REQUEST_TIMEOUT);
                })) {
            assertThat(server(looks.look())).isEqualTo(first.server().toString());
            assertThat(server(looks.look())).isEqualTo(first.server().toString());
            assertThat(made).as("the same is kept").hasSize(1);
            assertThat(server(looks.look())).isEqualTo(second.server().toString());
            assertThat(looks.look().node().is(_ -> true)).isTrue();
            assertThat(made).hasSize(3);
        }
    }

    private static String server(Seen seen) {
        return seen.api().map(ApiSeen::server).orElse("");
    }

    private static StatusSource status(Endpoint endpoint, Duration requestTimeout) {
        return new StatusSource(
                Evidence.known(endpoint),
                Evidence.unknown("no node"),
                new LocalDisk(),
                InstantSource.system(),
                requestTimeout);
    }

    @Test
    void aTornFileOfTheKeeperIsUnknownAndNothingElse() throws IOException {
        Path state = directory.resolve("var/lib/ouroboros/keeper/state.json");
        Files.createDirectories(state.getParent());
        Files.writeString(state, "{\"clusterId\": \"0d4f");

        NodeSeen seen = new NodeSource(new NodePlace("one", directory, Optional.empty()), new LocalDisk()).look();
        assertThat(reason(seen.clusterId())).contains("state.json").contains("is not JSON");
        assertThat(reason(seen.pods())).contains("containerd.sock").contains("does not answer");
        assertThat(reason(seen.kubeletRuns())).contains("cannot be listed");
        assertThat(seen.checkpoints().is(Map::isEmpty)).isTrue();
    }

    @Test
    void aCertificateThatCannotBeReadIsUnknownWithItsFile() throws IOException {
        Path file = directory.resolve("etc/kubernetes/etcd/server.crt");
        Files.createDirectories(file.getParent());
        Files.writeString(file, "client-certificate-data: A\n");

        NodeSeen seen = new NodeSource(new NodePlace("one", directory, Optional.empty()), new LocalDisk()).look();

        assertThat(reason(seen.certificates()))
                .contains("/etc/kubernetes/etcd/server.crt: its certificate cannot be read: not base64")
                .contains("openssl x509 -text");
    }

    @Test
    void saysThatItWasInterruptedWhileItWaited() {
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> AwaitedAnswer.of(new CompletableFuture<>()))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining("interrupted while waiting for an answer")
                .hasMessageContaining("run the same command again");
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void readsTheLastWordsOfTheCopyThatSpokeLast() throws IOException {
        log("ouroboros-keeper-x7k2p", "time=2026-03-01T02:00:00Z level=info node=one action=promote");
        log("ouroboros-keeper-one", "time=2026-03-01T03:00:00Z level=error node=one the disk is full");
        log("kube-apiserver-x7k2p", "time=2026-03-01T04:00:00Z level=info");

        NodePlace node = new NodePlace("one", directory, Optional.empty());
        assertThat(new ComponentLog(node, new LocalDisk(), KEEPER).tail(5))
                .contains("time=2026-03-01T03:00:00Z level=error node=one the disk is full");
    }

    private void log(String pod, String line) throws IOException {
        Path file = directory.resolve("var/log/pods/kube-system_" + pod + "_uid/ouroboros-keeper/0.log");
        Files.createDirectories(file.getParent());
        Files.writeString(file, "2026-03-01T03:00:00.000000000Z stderr F " + line + "\n");
    }

    @Test
    void saysThatNoKeeperEverSpoke() {
        NodePlace node = new NodePlace("one", directory, Optional.empty());
        assertThat(new ComponentLog(node, new LocalDisk(), KEEPER).tail(5)).isEmpty();
    }

    private static String reason(Evidence<?> evidence) {
        return evidence instanceof Unknown<?>(String why) ? why : "known: " + evidence;
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }
}
