package dev.ouroboros.snapshot.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/** A real etcd on loopback, of the version in a directory, and its tools. */
final class TestEtcd implements AutoCloseable {
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final Duration PAUSE = Duration.ofMillis(50);

    private final Path binaries;
    private final Path directory;
    private final String endpoint;
    private final Process process;

    private TestEtcd(Path binaries, Path directory, String endpoint, Process process) {
        this.binaries = binaries;
        this.directory = directory;
        this.endpoint = endpoint;
        this.process = process;
    }

    /** Directories with an etcd: of the property {@code ouroboros.etcds}, or else of the path. */
    static List<Path> installed() {
        String places = System.getProperty("ouroboros.etcds", System.getenv().getOrDefault("PATH", ""));
        return Stream.of(places.split(File.pathSeparator, -1))
                .map(Path::of)
                .filter(place ->
                        Files.isExecutable(place.resolve("etcd")) && Files.isExecutable(place.resolve("etcdctl")))
                .toList();
    }

    static TestEtcd start(Path binaries, Path directory) throws IOException {
        String client = "http://127.0.0.1:" + freePort();
        String peer = "http://127.0.0.1:" + freePort();
        Process process = new ProcessBuilder(
                        binaries.resolve("etcd").toString(),
                        "--data-dir=" + directory.resolve("data"),
                        "--listen-client-urls=" + client,
                        "--advertise-client-urls=" + client,
                        "--listen-peer-urls=" + peer,
                        "--initial-advertise-peer-urls=" + peer,
                        "--initial-cluster=default=" + peer,
                        "--unsafe-no-fsync")
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("etcd.log").toFile())
                .start();
        TestEtcd etcd = new TestEtcd(binaries, directory, client, process);
        etcd.awaitHealth();
        return etcd;
    }

    /** Below those that Linux gives to connections (net.ipv4.ip_local_port_range): one of them may be taken before etcd listens. */
    private static int freePort() throws IOException {
        while (true) {
            int port = ThreadLocalRandom.current().nextInt(20_000, 26_000);
            try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
                return socket.getLocalPort();
            } catch (BindException e) {
                // Another one has it.
            }
        }
    }

    private void awaitHealth() throws IOException {
        Instant end = InstantSource.system().instant().plus(LIMIT);
        while (run(Optional.empty(), "etcdctl", "--endpoints=" + endpoint, "endpoint", "health")
                        .exitCode()
                != 0) {
            assertThat(process.isAlive())
                    .as(Files.readString(directory.resolve("etcd.log")))
                    .isTrue();
            assertThat(InstantSource.system().instant()).isBefore(end);
            LockSupport.parkNanos(PAUSE.toNanos());
        }
    }

    String control(String... arguments) throws IOException {
        return controlWithInput("", arguments);
    }

    String controlWithInput(String input, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of("etcdctl", "--endpoints=" + endpoint));
        command.addAll(List.of(arguments));
        Ended ended = run(Optional.of(input), command.toArray(String[]::new));
        assertThat(ended.exitCode())
                .as(String.join(" ", arguments) + ": " + ended.output())
                .isZero();
        return ended.output();
    }

    Path save(String name) throws IOException {
        Path file = directory.resolve(name);
        control("snapshot", "save", file.toString());
        return file;
    }

    /** What etcd's own tool says of a file, as JSON. */
    String status(Path file) throws IOException {
        String tool = Files.isExecutable(binaries.resolve("etcdutl")) ? "etcdutl" : "etcdctl";
        Ended ended = run(Optional.empty(), tool, "snapshot", "status", file.toString(), "--write-out=json");
        assertThat(ended.exitCode()).as(ended.output()).isZero();
        return ended.output()
                .lines()
                .filter(line -> line.startsWith("{\"hash"))
                .findFirst()
                .orElseThrow();
    }

    String version() throws IOException {
        return run(Optional.empty(), "etcd", "--version")
                .output()
                .lines()
                .findFirst()
                .orElse("")
                .replaceFirst(".*: ", "");
    }

    Path database() {
        return directory.resolve("data/member/snap/db");
    }

    void stop() {
        process.destroy();
        try {
            assertThat(process.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private record Ended(int exitCode, String output) {}

    private Ended run(Optional<String> input, String... command) throws IOException {
        command[0] = binaries.resolve(command[0]).toString();
        Path errors = directory.resolve("tool.log");
        // Apart from the output: newer tools warn there.
        ProcessBuilder builder = new ProcessBuilder(command).redirectError(errors.toFile());
        builder.environment().put("ETCDCTL_API", "3");
        Process child = builder.start();
        try (var stdin = child.getOutputStream()) {
            stdin.write(input.orElse("").getBytes(StandardCharsets.UTF_8));
        }
        String output = new String(child.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        try {
            int exitCode = child.waitFor();
            return new Ended(exitCode, exitCode == 0 ? output : output + Files.readString(errors));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        }
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
