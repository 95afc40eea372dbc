package dev.ouroboros.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.LocalProcesses;
import dev.ouroboros.node.process.Result;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** A real etcd that something like a kubelet runs from a manifest. */
final class ManifestEtcd implements AutoCloseable {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private final Path directory;
    private final Path binaries;
    private final TestIdentity identity;
    private final Path manifest;
    private final int port;
    private final int peerPort;
    private final ManifestKubelet kubelet;

    private ManifestEtcd(Path directory, Path binaries, TestIdentity identity, String image) throws IOException {
        this.directory = directory;
        this.binaries = binaries;
        this.identity = identity;
        this.port = SecureEtcd.freePort();
        this.peerPort = SecureEtcd.freePort();
        Files.createDirectory(directory.resolve("data"));
        this.manifest = Files.createDirectory(directory.resolve("manifests")).resolve("etcd.yaml");
        Files.writeString(manifest, manifest(image));
        this.kubelet = new ManifestKubelet(directory.resolve("manifests"), directory.resolve("etcd.log"));
    }

    /** Of the first version that is installed; without any the test is skipped. */
    static ManifestEtcd start(Path directory, String image) throws Exception {
        List<Path> installed = SecureEtcd.installed();
        assumeFalse(installed.isEmpty(), "no etcd on this machine");
        ManifestEtcd etcd = new ManifestEtcd(directory, installed.getFirst(), new TestIdentity(directory), image);
        etcd.awaitHealth();
        return etcd;
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

    int peerPort() {
        return peerPort;
    }

    EtcdServers servers() {
        return EtcdServers.of(List.of("https://127.0.0.1:" + port), identity.client());
    }

    /** Text of its manifest. */
    String manifest(String image, String... flags) {
        String client = "https://127.0.0.1:" + port;
        String peer = "http://127.0.0.1:" + peerPort;
        List<String> command = new ArrayList<>(List.of(
                binaries.resolve("etcd").toString(),
                "--name=one",
                "--data-dir=" + directory.resolve("data"),
                "--listen-client-urls=" + client,
                "--advertise-client-urls=" + client,
                "--listen-peer-urls=" + peer,
                "--initial-advertise-peer-urls=" + peer,
                "--initial-cluster=one=" + peer,
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
