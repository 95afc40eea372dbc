package dev.ouroboros.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import dev.ouroboros.facts.EtcdTools;
import dev.ouroboros.model.asset.StateLayout;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.version.KubernetesVersion;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.disk.LocalDisk;
import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.LocalProcesses;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Restores of a real etcd, of every version that the machine has, with etcd's own tool. */
final class EtcdRestorerTest {
    private static final Duration LIMIT = Duration.ofSeconds(40);

    @TempDir
    private Path directory = Path.of("");

    private List<Path> installed = List.of();

    @BeforeEach
    void find() {
        installed = SecureEtcd.installed();
        assumeFalse(installed.isEmpty(), "no etcd on this machine");
    }

    /** An etcd in plain HTTP that a kubelet runs: only its data matters here. */
    private final class Node implements AutoCloseable {
        final Path place;
        final Path binaries;
        final String client;
        final RestoreOptions options;
        final TestKubelet kubelet;
        final OneServer servers = new OneServer();
        final KubernetesVersion version;

        Node(Path binaries) throws IOException {
            this.binaries = binaries;
            this.place = Files.createTempDirectory(directory, "node");
            this.version = KubernetesVersion.parse(new LocalProcesses()
                            .run(Command.of(binaries.resolve("etcd").toString(), "--version"))
                            .output()
                            .lines()
                            .findFirst()
                            .orElse("")
                            .replaceFirst(".*: ", ""))
                    .orElseThrow();
            int port = SecureEtcd.freePort();
            int peerPort = SecureEtcd.freePort();
            this.client = "http://127.0.0.1:" + port;
            String peer = "http://127.0.0.1:" + peerPort;
            List<String> command = List.of(
                    binaries.resolve("etcd").toString(),
                    "--name=one",
                    "--data-dir=" + place.resolve("data"),
                    "--listen-client-urls=" + client,
                    "--advertise-client-urls=" + client,
                    "--listen-peer-urls=" + peer,
                    "--initial-advertise-peer-urls=" + peer,
                    "--initial-cluster=one=" + peer);
            Path manifest = Files.createDirectory(place.resolve("manifests")).resolve("etcd.yaml");
            Files.writeString(manifest, manifest(command, port));
            String tool = new EtcdTools().restoring(version).getFirst();
            this.options = new RestoreOptions(
                    place.resolve("backup.db"),
                    manifest,
                    place.resolve("state"),
                    Optional.of(binaries.resolve(tool)),
                    Optional.of("touch " + place.resolve("kubelet-restarted")),
                    LIMIT);
            this.kubelet = new TestKubelet(manifest, command, place.resolve("etcd.log"));
            awaitHealth();
        }

        private String manifest(List<String> command, int port) {
            return """
                    apiVersion: v1
                    kind: Pod
                    metadata: {name: etcd, namespace: kube-system}
                    spec:
                      containers:
                      - name: etcd
                        image: registry.example/etcd:%s
                        command: ["%s"]
                        livenessProbe: {httpGet: {host: 127.0.0.1, path: /health, port: %d}}
                        volumeMounts: [{name: data, mountPath: %s}]
                      volumes: [{name: data, hostPath: {path: %s}}]
                    """.formatted(version.minorName() + ".0", String.join("\", \"", command), port, place, place);
        }

        void awaitHealth() throws IOException {
            Instant end = InstantSource.system().instant().plus(LIMIT);
            while (!run("endpoint", "health").succeeded()) {
                assertThat(InstantSource.system().instant())
                        .as(Files.readString(place.resolve("etcd.log")))
                        .isBefore(end);
                LockSupport.parkNanos(Duration.ofMillis(100).toNanos());
            }
        }

        dev.ouroboros.node.process.Result run(String... arguments) {
            List<String> command =
                    new ArrayList<>(List.of(binaries.resolve("etcdctl").toString(), "--endpoints=" + client));
            command.addAll(List.of(arguments));
            return new LocalProcesses().run(Command.of(command).withEnvironment("ETCDCTL_API", "3"));
        }

        String control(String... arguments) {
            return run(arguments).orThrow();
        }

        void restore(List<RestoreEvent> events) throws InterruptedException {
            restorer().restore(options, () -> {}, events::add);
        }

        EtcdRestorer restorer() {
            return new EtcdRestorer(new LocalDisk(), new LocalProcesses(), kubelet, servers, InstantSource.system());
        }

        List<String> members() throws IOException {
            try (Stream<Path> names = Files.list(place.resolve("data"))) {
                return names.map(name -> name.getFileName().toString()).sorted().toList();
            }
        }

        @Override
        public void close() {
            kubelet.close();
        }
    }

    /** Runs from before until it is told to end. */
    private static final class OneServer implements NodeServers {
        boolean ended;

        @Override
        public Instant now() {
            return Instant.EPOCH;
        }

        @Override
        public Evidence<Boolean> startedBefore(Instant moment) {
            return Evidence.known(!ended);
        }

        @Override
        public void end(Instant moment) {
            ended = true;
        }
    }

    @Test
    void putsAnEtcdBackToItsSnapshotInAClusterOfItsOwn() throws Exception {
        for (Path binaries : installed) {
            try (Node node = new Node(binaries)) {
                node.control("put", "kept", "in the snapshot");
                node.control("snapshot", "save", node.options.snapshot().toString());
                node.control("put", "lost", "after the snapshot");
                String before = node.control("member", "list", "-w", "json");
                List<RestoreEvent> events = new ArrayList<>();
                node.restore(events);
                assertThat(node.control("get", "kept", "--print-value-only").strip())
                        .isEqualTo("in the snapshot");
                assertThat(node.control("get", "lost", "--print-value-only")).isEmpty();
                assertThat(clusterId(node.control("member", "list", "-w", "json")))
                        .isNotEqualTo(clusterId(before));
                assertThat(node.servers.ended).isTrue();
                assertThat(node.members())
                        .hasSize(2)
                        .contains("member")
                        .anyMatch(name -> name.startsWith("member.before-"));
                boolean raises = new EtcdTools().raisesRevision(node.version);
                assertThat(revision(node)).isGreaterThan(raises ? 1_000_000_000L : 1L);
                assertThat(node.place.resolve("kubelet-restarted").toFile().exists())
                        .isEqualTo(!raises);
                assertThat(events)
                        .filteredOn(event -> event instanceof RestoreEvent.Restored)
                        .singleElement()
                        .satisfies(event -> assertThat(((RestoreEvent.Restored) event).hadData())
                                .isTrue());
                restoresOnceAStart(node);
            }
        }
    }

    /** A start that was killed later must not lose what was written since its restore. */
    private static void restoresOnceAStart(Node node) throws Exception {
        node.control("put", "new", "since the restore");
        List<RestoreEvent> events = new ArrayList<>();
        node.restore(events);
        assertThat(events).containsExactly(new RestoreEvent.WasRestored());
        assertThat(node.control("get", "new", "--print-value-only").strip()).isEqualTo("since the restore");
    }

    private static String clusterId(String memberList) {
        return memberList.replaceAll(".*\"cluster_id\":(\\d+).*", "$1").strip();
    }

    private static long revision(Node node) {
        return Long.parseLong(node.control("get", "nothing", "-w", "json")
                .replaceAll("(?s).*\"revision\":(\\d+).*", "$1")
                .strip());
    }

    @Test
    void touchesNothingWhenTheSnapshotIsDamaged() throws Exception {
        try (Node node = new Node(installed.getFirst())) {
            node.control("put", "kept", "before");
            node.control("snapshot", "save", node.options.snapshot().toString());
            byte[] bytes = Files.readAllBytes(node.options.snapshot());
            bytes[bytes.length / 2] ^= 1;
            Files.write(node.options.snapshot(), bytes);
            assertThatThrownBy(() -> node.restore(new ArrayList<>())).isInstanceOf(ProblemException.class);
            assertThat(node.members()).containsExactly("member");
            assertThat(node.control("get", "kept", "--print-value-only").strip())
                    .isEqualTo("before");
        }
    }

    /** Its manifest names only itself, as the others were added later: they would go on with what was before. */
    @Test
    void refusesOneToWhichOthersWereAdded() throws Exception {
        try (Node node = new Node(installed.getFirst())) {
            node.control("snapshot", "save", node.options.snapshot().toString());
            Path mark = Files.createDirectories(node.options.stateDirectory()).resolve(StateLayout.ETCD_MEMBERS_ADDED);
            Files.createFile(mark);
            assertThatThrownBy(() -> node.restore(new ArrayList<>()))
                    .isInstanceOf(ProblemException.class)
                    .hasMessageContaining("members were added to the etcd of this node (" + mark);
            assertThat(node.members()).containsExactly("member");
        }
    }

    @Test
    void goesOnAfterItWasKilledBeforeAnyChangeOfTheDisk() throws Exception {
        try (Node node = new Node(installed.getFirst())) {
            node.control("put", "kept", "in the snapshot");
            node.control("snapshot", "save", node.options.snapshot().toString());
            boolean killed = true;
            for (int change = 0; killed; change++) {
                node.control("put", "lost", "after the snapshot");
                killed = isKilledBefore(node, change);
                node.restore(new ArrayList<>());
                node.awaitHealth();
                assertThat(node.control("get", "kept", "--print-value-only").strip())
                        .isEqualTo("in the snapshot");
                assertThat(node.control("get", "lost", "--print-value-only"))
                        .as("killed before change " + change)
                        .isEmpty();
                node.restorer().forget(node.options);
            }
            assertThat(node.members())
                    .filteredOn(name -> !name.equals("member"))
                    .hasSizeGreaterThan(10)
                    .allMatch(name -> name.startsWith("member.before-"));
        }
    }

    private static void yes() {}

    private static void killWhileItIsUnpacked(Node node) {
        Disk disk = FaultyDisk.with((name, arguments) -> {
            if (name.equals("rename")) {
                throw new Killed();
            }
        });
        EtcdRestorer killed =
                new EtcdRestorer(disk, new LocalProcesses(), node.kubelet, node.servers, InstantSource.system());
        assertThatThrownBy(() -> killed.restore(node.options, EtcdRestorerTest::yes, _ -> {}))
                .isInstanceOf(Killed.class);
    }

    /** The database of a data directory: no SHA-256 is behind it. */
    @Test
    void goesOnWithoutASha256AndAsksAgain() throws Exception {
        try (Node node = new Node(installed.getFirst())) {
            node.control("put", "kept", "in the snapshot");
            node.control("snapshot", "save", node.options.snapshot().toString());
            byte[] bytes = Files.readAllBytes(node.options.snapshot());
            Files.write(node.options.snapshot(), Arrays.copyOf(bytes, bytes.length - 32));
            node.control("put", "kept", "after the snapshot");
            killWhileItIsUnpacked(node);
            AtomicInteger asked = new AtomicInteger();
            node.restorer().restore(node.options, asked::incrementAndGet, _ -> {});

            assertThat(asked).as("etcd was not touched yet").hasValue(1);
            assertThat(node.control("get", "kept", "--print-value-only").strip())
                    .isEqualTo("in the snapshot");
        }
    }

    @Test
    void anotherSnapshotIsRestoredWhereTheFirstHasTouchedNothing() throws Exception {
        try (Node node = new Node(installed.getFirst())) {
            node.control("put", "kept", "in the first");
            node.control("snapshot", "save", node.options.snapshot().toString());
            killWhileItIsUnpacked(node);
            node.control("put", "kept", "in the second");
            Path second = node.place.resolve("second.db");
            node.control("snapshot", "save", second.toString());
            node.control("put", "kept", "after both");
            node.restorer()
                    .restore(
                            new RestoreOptions(
                                    second,
                                    node.options.manifest(),
                                    node.options.stateDirectory(),
                                    node.options.tool(),
                                    node.options.kubeletRestart(),
                                    LIMIT),
                            EtcdRestorerTest::yes,
                            _ -> {});

            assertThat(node.control("get", "kept", "--print-value-only").strip())
                    .isEqualTo("in the second");
        }
    }

    /** Names have seconds: what another restore has set aside in the same one is not ours to put back. */
    @Test
    void leavesAloneWhatAnotherRestoreOfThisSecondHasSetAside() throws Exception {
        try (Node node = new Node(installed.getFirst())) {
            node.control("snapshot", "save", node.options.snapshot().toString());
            InstantSource stopped = InstantSource.fixed(InstantSource.system().instant());
            for (int round = 0; round < 3; round++) {
                new EtcdRestorer(new LocalDisk(), new LocalProcesses(), node.kubelet, node.servers, stopped)
                        .restore(node.options, () -> {}, event -> {});
                node.restorer().forget(node.options);
            }
            assertThat(node.members())
                    .filteredOn(name -> name.startsWith("member.before-"))
                    .hasSize(3);
        }
    }

    private static final class Killed extends Error {
        private static final long serialVersionUID = 1;
    }

    private static boolean isKilledBefore(Node node, int change) throws InterruptedException {
        AtomicInteger left = new AtomicInteger(change);
        Disk disk = FaultyDisk.with((name, arguments) -> {
            if (left.getAndDecrement() <= 0) {
                throw new Killed();
            }
        });
        try {
            new EtcdRestorer(disk, new LocalProcesses(), node.kubelet, node.servers, InstantSource.system())
                    .restore(node.options, () -> {}, event -> {});
            return false;
        } catch (Killed e) {
            return true;
        }
    }

    @Test
    void asksBeforeItTouchesAnything() throws Exception {
        try (Node node = new Node(installed.getFirst())) {
            node.control("snapshot", "save", node.options.snapshot().toString());
            EtcdRestorer restorer = node.restorer();
            assertThatThrownBy(() -> restorer.restore(
                            node.options,
                            () -> {
                                throw ProblemException.of(ErrorCode.CHANGE_REFUSED, "test", "no", "", "try again");
                            },
                            event -> {}))
                    .hasMessageContaining("no");
            assertThat(node.members()).containsExactly("member");
        }
    }

    @Test
    void refusesAToolOfAnotherVersion() throws Exception {
        try (Node node = new Node(installed.getFirst())) {
            node.control("snapshot", "save", node.options.snapshot().toString());
            Path wrong = Files.writeString(node.place.resolve("etcdutl"), "#!/bin/sh\necho etcdutl version: 3.99.0\n");
            assertThat(wrong.toFile().setExecutable(true)).isTrue();
            RestoreOptions options = new RestoreOptions(
                    node.options.snapshot(),
                    node.options.manifest(),
                    node.options.stateDirectory(),
                    Optional.of(wrong),
                    Optional.empty(),
                    LIMIT);
            EtcdRestorer restorer = node.restorer();
            assertThatThrownBy(() -> restorer.restore(options, () -> {}, event -> {}))
                    .hasMessageContaining("is of etcd 3.99");
        }
    }
}
