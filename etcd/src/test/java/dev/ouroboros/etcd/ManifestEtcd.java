package dev.ouroboros.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import dev.ouroboros.facts.EtcdTools;
import dev.ouroboros.model.version.KubernetesVersion;
import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.LocalProcesses;
import dev.ouroboros.node.process.Result;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import javax.net.ssl.SSLSocket;

/** A real etcd that something like a kubelet runs from a manifest. */
final class ManifestEtcd implements AutoCloseable {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private final Path directory;
    private final Path place;
    private final Path binaries;
    private final TestIdentity identity;
    private final Path manifest;
    private final String name;
    private final int port;
    private final int peerPort;
    private final String initialCluster;
    private ManifestKubelet kubelet;

    /**
     * What the members of one etcd share.
     *
     * @param directory with the keys of all
     */
    private record Shared(Path directory, Path binaries, TestIdentity identity, String image) {}

    /** @param peers ports by the names of all members, with which they begin */
    private ManifestEtcd(Shared shared, Path place, String name, Map<String, Integer> peers) throws IOException {
        this.directory = shared.directory();
        this.place = place;
        this.binaries = shared.binaries();
        this.identity = shared.identity();
        this.name = name;
        this.port = SecureEtcd.freePort();
        this.peerPort = peers.getOrDefault(name, 0);
        this.initialCluster = peers.entrySet().stream()
                .map(peer -> peer.getKey() + "=" + peerUrl(peer.getValue()))
                .collect(Collectors.joining(","));
        Files.createDirectory(place.resolve("data"));
        this.manifest = Files.createDirectory(place.resolve("manifests")).resolve("etcd.yaml");
        Files.writeString(manifest, manifest(shared.image()));
        this.kubelet = newKubelet();
    }

    /** Of the first version that is installed; without any the test is skipped. */
    static ManifestEtcd start(Path directory, String image) throws Exception {
        ManifestEtcd etcd =
                new ManifestEtcd(shared(directory, image), directory, "one", Map.of("one", SecureEtcd.freePort()));
        etcd.awaitHealth();
        return etcd;
    }

    private ManifestKubelet newKubelet() {
        return new ManifestKubelet(place.resolve("manifests"), place.resolve("etcd.log"));
    }

    /** After {@link #close}. */
    void startAgain() {
        kubelet = newKubelet();
    }

    /** Three members of one etcd, each with a kubelet of its own, with an image of their version; otherwise as {@link #start}. */
    static List<ManifestEtcd> startThree(Path directory) throws Exception {
        Shared shared = shared(directory, "registry.example/etcd:" + version());
        Map<String, Integer> peers = new TreeMap<>();
        for (String name : List.of("one", "three", "two")) {
            peers.put(name, SecureEtcd.freePort());
        }
        List<ManifestEtcd> members = new ArrayList<>();
        for (String name : peers.keySet()) {
            members.add(new ManifestEtcd(shared, Files.createDirectory(directory.resolve(name)), name, peers));
        }
        try {
            members.forEach(ManifestEtcd::awaitHealth);
        } catch (AssertionError e) {
            members.forEach(ManifestEtcd::close);
            throw e;
        }
        return members;
    }

    private static String version() {
        List<Path> installed = SecureEtcd.installed();
        assumeFalse(installed.isEmpty(), "no etcd on this machine");
        return new LocalProcesses()
                .run(Command.of(installed.getFirst().resolve("etcd").toString(), "--version"))
                .output()
                .lines()
                .findFirst()
                .orElse("")
                .replaceFirst(".*: ", "");
    }

    /** Of its own version. */
    Path restoreTool() {
        String name = new EtcdTools()
                .restoring(KubernetesVersion.parse(version()).orElseThrow())
                .getFirst();
        return binaries.resolve(name);
    }

    private static Shared shared(Path directory, String image) throws Exception {
        List<Path> installed = SecureEtcd.installed();
        assumeFalse(installed.isEmpty(), "no etcd on this machine");
        return new Shared(directory, installed.getFirst(), new TestIdentity(directory), image);
    }

    private static String peerUrl(int port) {
        return "http://127.0.0.1:" + port;
    }

    void awaitHealth() {
        Instant end = InstantSource.system().instant().plus(LIMIT);
        while (!control("endpoint", "health").succeeded()) {
            assertThat(InstantSource.system().instant()).isBefore(end);
            LockSupport.parkNanos(Duration.ofMillis(100).toNanos());
        }
    }

    ManifestKubelet kubelet() {
        return kubelet;
    }

    /** Where the kubelet looks for it. */
    Path manifest() {
        return manifest;
    }

    Path data() {
        return place.resolve("data");
    }

    int clientPort() {
        return port;
    }

    int peerPort() {
        return peerPort;
    }

    EtcdServers servers() {
        return EtcdServers.of(List.of("https://127.0.0.1:" + port), identity.client());
    }

    /** A connection to somebody else who has got a member's port, and its keys. */
    SSLSocket accepting(Socket plain) throws IOException {
        return identity.accepting(plain, "TLSv1.3");
    }

    /** Text of its manifest. */
    String manifest(String image, String... flags) {
        String client = "https://127.0.0.1:" + port;
        String peer = peerUrl(peerPort);
        List<String> command = new ArrayList<>(List.of(
                binaries.resolve("etcd").toString(),
                "--name=" + name,
                "--data-dir=" + data(),
                "--listen-client-urls=" + client,
                "--advertise-client-urls=" + client,
                "--listen-peer-urls=" + peer,
                "--initial-advertise-peer-urls=" + peer,
                "--initial-cluster=" + initialCluster,
                "--listen-metrics-urls=http://127.0.0.1:" + (port + 1),
                "--cert-file=" + identity.file("server.crt"),
                "--key-file=" + identity.file("server.key"),
                "--trusted-ca-file=" + identity.file("ca.crt"),
                "--client-cert-auth"));
        command.addAll(List.of(flags));
        return """
                apiVersion: v1
                kind: Pod
                metadata: {name: etcd, namespace: kube-system}
                spec:
                  hostNetwork: true
                  containers:
                  - name: etcd
                    image: %s
                    command: ["%s"]
                    livenessProbe: {httpGet: {host: 127.0.0.1, path: /health, port: %d}}
                    volumeMounts: [{name: all, mountPath: %s}]
                  volumes: [{name: all, hostPath: {path: %s}}]
                """.formatted(image, String.join("\", \"", command), port + 1, directory, directory);
    }

    /** Has the kubelet run another text, and waits until that answers. */
    void rewrite(String text) throws IOException {
        Path another = manifest.resolveSibling(".new");
        Files.writeString(another, text);
        Files.move(another, manifest, StandardCopyOption.ATOMIC_MOVE);
        while (!kubelet.runs(text)) {
            LockSupport.parkNanos(Duration.ofMillis(100).toNanos());
        }
        awaitHealth();
    }

    Result control(String... arguments) {
        List<String> command = new ArrayList<>(List.of(
                binaries.resolve("etcdctl").toString(),
                "--endpoints=https://127.0.0.1:" + port,
                "--cacert=" + identity.file("ca.crt"),
                "--cert=" + identity.file("client.crt"),
                "--key=" + identity.file("client.key")));
        command.addAll(List.of(arguments));
        return new LocalProcesses().run(Command.of(command).withEnvironment("ETCDCTL_API", "3"));
    }

    @Override
    public void close() {
        kubelet.close();
    }
}
