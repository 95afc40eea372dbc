package dev.ouroboros.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import dev.ouroboros.endpoint.testing.TestAuthority;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPInputStream;
import picocli.CommandLine;

/** Where somebody makes a mistake: a directory, the command line as people meet it, and peers that answer as real ones do. */
final class Blunder implements Closeable {
    private static final Path SAMPLE =
            Path.of("../snapshot/src/test/resources/dev/ouroboros/snapshot/etcd-3.6.13-kubernetes-1.36.2-aescbc.db.gz");

    private final Path directory;
    private final List<Closeable> peers = new ArrayList<>();

    Blunder(Path directory) {
        this.directory = directory;
    }

    /** What a command says on standard error, and how it ends. */
    record Said(String error, int exitCode) {}

    Said ouro(Object... arguments) {
        String[] words = Arrays.stream(arguments).map(String::valueOf).toArray(String[]::new);
        StringWriter err = new StringWriter();
        CommandLine commandLine = Ouro.commandLine(words);
        commandLine.setOut(new PrintWriter(new StringWriter(), true));
        commandLine.setErr(new PrintWriter(err, true));
        int exitCode = commandLine.execute(words);
        return new Said(err.toString(), exitCode);
    }

    /** The same in a process of its own, for what reaches beyond the command line: rights, programs, the daemon's own output. */
    Said ouroAlone(List<String> prefix, String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(prefix);
        command.add(Path.of(System.getProperty("java.home"), "bin/java").toString());
        // What records the errors that were provoked records those of that process too.
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(argument -> argument.startsWith("-javaagent:"))
                .forEach(command::add);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), Ouro.class.getName()));
        command.addAll(List.of(arguments));
        Path said = path("said");
        Process process = new ProcessBuilder(command)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(said.toFile())
                .start();
        int exitCode = process.waitFor();
        return new Said(Files.readString(said), exitCode);
    }

    Path path(String name) {
        return directory.resolve(name);
    }

    Path file(String name, String text) throws IOException {
        Files.createDirectories(path(name).resolveSibling(""));
        return Files.writeString(path(name), text);
    }

    /** A program that says nothing and fails. */
    Path failingProgram(String name) throws IOException {
        Path file = file(name, "#!/bin/sh\nexit 1\n");
        assertThat(file.toFile().setExecutable(true)).isTrue();
        return file;
    }

    /** A real snapshot with encrypted Secrets. */
    Path snapshot() throws IOException {
        Path file = path("backup.db");
        try (InputStream packed = new GZIPInputStream(Files.newInputStream(SAMPLE))) {
            Files.copy(packed, file);
        }
        return file;
    }

    /** The same with one byte of one page changed. */
    Path snapshotWith(int offset, int change) throws IOException {
        Path file = snapshot();
        byte[] bytes = Files.readAllBytes(file);
        bytes[offset] = (byte) (bytes[offset] ^ change);
        return Files.write(file, bytes);
    }

    /** The same with a byte that ends an object's metadata too early; no page of the database tells of it. */
    Path snapshotWithATornObject() throws IOException {
        Path file = snapshot();
        byte[] bytes = Files.readAllBytes(file);
        String content = new String(bytes, StandardCharsets.ISO_8859_1);
        // Behind the prefix of every stored object stands its type: a length in place of its first tag cannot be read.
        int object = content.lastIndexOf("k8s\0\n\u000f\n\u0002v1\u0012\tConfigMap");
        assertThat(object).isPositive();
        bytes[object + 4] = (byte) 0xff;
        return Files.write(file, bytes);
    }

    Path document(String... lines) throws IOException {
        return file("cluster.yaml", """
                apiVersion: ouroboros.dev/v1alpha1
                kind: Cluster
                metadata: {name: demo}
                """ + String.join("\n", lines) + "\n");
    }

    static List<String> goodDocument() {
        return List.of(
                "spec:",
                "  kubernetesVersion: v1.36.2",
                "  apiServer: {endpoints: ['https://10.77.0.2:6443']}",
                "  etcd: {servers: ['https://10.77.0.2:2379']}");
    }

    /** A port that somebody has. */
    int takenPort() throws IOException {
        ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        peers.add(taken);
        return taken.getLocalPort();
    }

    /** A port that nobody listens on. */
    static int deadPort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    void closeLater(Closeable peer) {
        peers.add(peer);
    }

    /** A TLS server whose answers are given by path; all others are {@code status} with a Kubernetes Status. */
    int server(TestAuthority authority, int status, Map<String, String> answers) throws Exception {
        HttpsServer server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setHttpsConfigurator(new HttpsConfigurator(authority.serverContext()));
        server.createContext("/", exchange -> {
            // Nothing is written: that too is answered with the status.
            String known = exchange.getRequestMethod().equals("GET")
                    ? answers.get(exchange.getRequestURI().getPath())
                    : null;
            String body = known == null
                    ? "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Failure\",\"message\":\"you may not\",\"code\":%d}"
                            .formatted(status)
                    : known;
            byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().add("Content-Type", "application/json");
            exchange.sendResponseHeaders(known == null ? status : 200, bytes.length);
            exchange.getResponseBody().write(bytes);
            exchange.close();
        });
        server.start();
        peers.add(() -> server.stop(0));
        return server.getAddress().getPort();
    }

    Path kubeconfig(TestAuthority authority, int port) throws IOException {
        String trusted = Base64.getEncoder()
                .encodeToString(TestAuthority.pem(authority.certificate()).getBytes(StandardCharsets.US_ASCII));
        return kubeconfig(trusted, port);
    }

    Path kubeconfig(String authorityInBase64, int port) throws IOException {
        return file("kubeconfig", """
                apiVersion: v1
                kind: Config
                clusters:
                - name: c
                  cluster: {server: "https://127.0.0.1:%d", certificate-authority-data: "%s"}
                users:
                - name: u
                  user: {token: secret}
                contexts:
                - name: x
                  context: {cluster: c, user: u}
                current-context: x
                """.formatted(port, authorityInBase64));
    }

    @Override
    public void close() throws IOException {
        for (Closeable peer : peers) {
            peer.close();
        }
    }
}
