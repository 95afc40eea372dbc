package dev.ouroboros.bootstrap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ouroboros.endpoint.Endpoint;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.disk.LocalDisk;
import dev.ouroboros.node.kubelet.PodLogs;
import dev.ouroboros.node.port.Listeners;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Somebody who is no API server of the cluster listens on its port: this test. */
final class PortPreflightTest {
    @TempDir
    private Path directory = Path.of("");

    @Test
    void aPortThatAnotherProgramHasIsToldWithTheProgram() throws IOException {
        try (ServerSocket server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            assertInUse(
                    server,
                    Listeners.ofThisMachine(),
                    " (process " + ProcessHandle.current().pid() + ")");
        }
    }

    @Test
    void aPortWhoseProgramCannotBeSeenIsToldToo() throws IOException {
        try (ServerSocket server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            Path table = Files.createDirectories(directory.resolve("net")).resolve("tcp");
            Files.writeString(table, """
                    sl local_address
                    0: 0100007F:%04X 00000000:0000 0A 00000000:00000000 00:00000000 00000000 0 0 4711 1
                    """.formatted(server.getLocalPort()));
            assertInUse(
                    server,
                    new Listeners(directory),
                    "somebody (a process listens on port " + server.getLocalPort() + " that cannot be seen from here)");
        }
    }

    private void assertInUse(ServerSocket server, Listeners listeners, String who) {
        Thread.ofVirtual().start(() -> hangUp(server));
        Endpoint api = Endpoint.of(
                URI.create("https://127.0.0.1:" + server.getLocalPort()),
                List.of(),
                Optional.empty(),
                Optional.empty());
        PortPreflight preflight =
                new PortPreflight(listeners, new PodLogs(new LocalDisk(), directory.resolve("pods")), api);
        assertThatThrownBy(() -> preflight.check(
                        new ApiAddress.OnLoopback(InetAddress.getLoopbackAddress(), server.getLocalPort())))
                .isInstanceOfSatisfying(
                        ProblemException.class,
                        // The other ports of a pivot are this machine's: a cluster may run on it.
                        refused -> assertThat(refused.problems())
                                .filteredOn(problem -> problem.where().equals("port " + server.getLocalPort()))
                                .singleElement()
                                .satisfies(problem -> {
                                    assertThat(problem.code()).isEqualTo(ErrorCode.PORT_IN_USE);
                                    assertThat(problem.what()).contains(who).endsWith(" listens on it");
                                    assertThat(problem.expected())
                                            .isEqualTo("nobody, or a kube-apiserver of this cluster");
                                    assertThat(problem.next()).startsWith("end that program or give it another port");
                                }));
    }

    private static void hangUp(ServerSocket server) {
        while (!server.isClosed()) {
            try (Socket _ = server.accept()) {
                // No word of TLS.
            } catch (IOException e) {
                return; // the test is over
            }
        }
    }
}
