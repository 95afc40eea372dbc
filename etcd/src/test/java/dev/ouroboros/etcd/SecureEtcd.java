package dev.ouroboros.etcd;

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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A real etcd on loopback that wants client certificates, of the version in a directory, and its tool. */
final class SecureEtcd implements AutoCloseable {
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final Duration PAUSE = Duration.ofMillis(50);

    private final Path binaries;
    private final Path directory;
    private final TestIdentity identity;
    private final String endpoint;
    private final Process process;

    private SecureEtcd(Path binaries, Path directory, TestIdentity identity, String endpoint, Process process) {
        this.binaries = binaries;
        this.directory = directory;
        this.identity = identity;
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

    static SecureEtcd start(Path binaries, Path directory, TestIdentity identity) throws IOException {
        return start(binaries, List.of(directory), identity).getFirst();
    }

    /** The members of one etcd, each in its directory. */
    static List<SecureEtcd> start(Path binaries, List<Path> directories, TestIdentity identity, String... flags)
            throws IOException {
        Map<String, String> peers = new LinkedHashMap<>();
        for (int member = 0; member < directories.size(); member++) {
            peers.put("m" + member, "http://127.0.0.1:" + freePort());
        }
        String all = peers.entrySet().stream().map(Map.Entry::toString).collect(Collectors.joining(","));
        List<SecureEtcd> members = new ArrayList<>();
        for (Map.Entry<String, String> peer : peers.entrySet()) {
            Path directory = directories.get(members.size());
            String client = "https://127.0.0.1:" + freePort();
            Process process = launch(binaries, directory, identity, client, peer, all, flags);
            members.add(new SecureEtcd(binaries, directory, identity, client, process));
        }
        for (SecureEtcd member : members) {
            member.awaitHealth();
        }
        return members;
    }

    private static Process launch(
            Path binaries,
            Path directory,
            TestIdentity identity,
            String client,
            Map.Entry<String, String> peer,
            String all,
            String... flags)
            throws IOException {
        List<String> command = new ArrayList<>(List.of(
                binaries.resolve("etcd").toString(),
                "--name=" + peer.getKey(),
                "--data-dir=" + directory.resolve("data"),
                "--listen-client-urls=" + client,
                "--advertise-client-urls=" + client,
                "--listen-peer-urls=" + peer.getValue(),
                "--initial-advertise-peer-urls=" + peer.getValue(),
                "--initial-cluster=" + all,
                "--cert-file=" + identity.file("server.crt"),
                "--key-file=" + identity.file("server.key"),
                "--client-cert-auth",
                "--trusted-ca-file=" + identity.file("ca.crt"),
                "--unsafe-no-fsync"));
        command.addAll(List.of(flags));
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("etcd.log").toFile())
                .start();
    }

    /** Below those that Linux gives to connections (net.ipv4.ip_local_port_range): one of them may be taken before etcd listens. */
    static int freePort() throws IOException {
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
        while (run("", List.of("endpoint", "health")).exitCode() != 0) {
            assertThat(process.isAlive())
                    .as(Files.readString(directory.resolve("etcd.log")))
                    .isTrue();
            assertThat(InstantSource.system().instant()).isBefore(end);
            LockSupport.parkNanos(PAUSE.toNanos());
        }
    }

    String endpoint() {
        return endpoint;
    }

    /** Its file, which it maps into its memory: whoever changes a byte of it changes what it reads. */
    Path database() {
        return directory.resolve("data/member/snap/db");
    }

    EtcdServers servers() {
        return EtcdServers.of(List.of(endpoint), identity.client());
    }

    String control(String... arguments) throws IOException {
        return controlWithInput("", arguments);
    }

    String controlWithInput(String input, String... arguments) throws IOException {
        Ended ended = run(input, List.of(arguments));
        assertThat(ended.exitCode())
                .as(String.join(" ", arguments) + ": " + ended.output())
                .isZero();
        return ended.output();
    }

    private record Ended(int exitCode, String output) {}

    private Ended run(String input, List<String> arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                binaries.resolve("etcdctl").toString(),
                "--endpoints=" + endpoint,
                "--cacert=" + identity.file("ca.crt"),
                "--cert=" + identity.file("client.crt"),
                "--key=" + identity.file("client.key")));
        command.addAll(arguments);
        Path errors = directory.resolve("tool.log");
        // Apart from the output: newer tools warn there.
        ProcessBuilder builder = new ProcessBuilder(command).redirectError(errors.toFile());
        builder.environment().put("ETCDCTL_API", "3");
        Process child = builder.start();
        try (var stdin = child.getOutputStream()) {
            stdin.write(input.getBytes(StandardCharsets.UTF_8));
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
        try {
            assertThat(process.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
