package dev.ouroboros.bootstrap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.manifest.WorkloadReference;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.problem.testing.Refusal;
import dev.ouroboros.node.disk.LocalDisk;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KeeperFilesTest {
    @TempDir
    private Path directory = Path.of("");

    @Test
    void namesEveryComponentThatAPowerCutWouldLose() throws IOException {
        KeeperFiles files = new KeeperFiles(
                directory.resolve("checkpoints"),
                directory.resolve("manifests"),
                List.of(
                        new WorkloadReference("DaemonSet", "kube-system", "kube-apiserver"),
                        new WorkloadReference("Deployment", "kube-system", "kube-scheduler")));

        assertThat(files.missing())
                .containsExactly(
                        "the keeper's first checkpoint of kube-system/kube-apiserver",
                        "the keeper's first checkpoint of kube-system/kube-scheduler",
                        "the keeper's static copy");

        write("checkpoints/kube-system/kube-apiserver/slots.json");
        write("manifests/ouroboros-keeper.json");
        assertThat(files.missing()).containsExactly("the keeper's first checkpoint of kube-system/kube-scheduler");

        write("checkpoints/kube-system/kube-scheduler/slots.json");
        assertThat(files.missing()).isEmpty();
    }

    @Test
    void refusesANodeWhoseKeeperStandsIn() throws IOException {
        KeeperFiles files =
                new KeeperFiles(directory.resolve("checkpoints"), directory.resolve("manifests"), List.of());
        write("manifests/ouroboros-keeper.json");
        write("manifests/understudy-elsewhere.kube-scheduler.json");
        files.requireNoUnderstudy();

        write("manifests/understudy-kube-scheduler.json");
        write("manifests/understudy-kube-apiserver.json");
        assertThatThrownBy(files::requireNoUnderstudy)
                .isInstanceOfSatisfying(
                        ProblemException.class,
                        refused -> assertThat(refused.problems())
                                .extracting(Problem::what)
                                .containsExactly(
                                        "the keeper of this node stands in for kube-apiserver",
                                        "the keeper of this node stands in for kube-scheduler"));
    }

    @Test
    void takesOverFromItsUnderstudiesAndLeavesWhatIsNotOfTheControlPlane() throws Exception {
        KeeperFiles files =
                new KeeperFiles(directory.resolve("checkpoints"), directory.resolve("manifests"), List.of());
        write("manifests/ouroboros-keeper.json");
        write("manifests/understudy-elsewhere.kube-scheduler.json");
        write("manifests/understudy-kube-scheduler.json");

        new TakeOver(new LocalDisk(), files, InstantSource.system()).run();

        assertThat(files.understudies()).isEmpty();
        assertThat(directory.resolve("manifests/ouroboros-keeper.json")).exists();
        assertThat(directory.resolve("manifests/understudy-elsewhere.kube-scheduler.json"))
                .exists();
    }

    @Test
    void doesNotTakeOverFromAnUnderstudyThatStays() throws Exception {
        KeeperFiles files =
                new KeeperFiles(directory.resolve("checkpoints"), directory.resolve("manifests"), List.of());
        Path manifest = directory.resolve("manifests/understudy-kube-controller-manager.json");
        write("manifests/understudy-kube-controller-manager.json");
        // No kubelet ends it: two minutes are over when its manifest is gone.
        InstantSource clock = () -> Files.exists(manifest) ? Instant.EPOCH : Instant.EPOCH.plusSeconds(121);

        try (AutoCloseable _ = listening(Component.CONTROLLER_MANAGER.understudyPort())) {
            Refusal.of(
                    () -> new TakeOver(new LocalDisk(), files, clock).run(),
                    ErrorCode.TIMEOUT,
                    "127.0.0.1:" + Component.CONTROLLER_MANAGER.understudyPort(),
                    "something still listens there, 120 s after the manifest of the keeper's understudy of"
                            + " kube-controller-manager was removed",
                    "look whether the kubelet runs, and run the same command again");
        }
    }

    /** Where another program of this machine has the port, that one listens. */
    private static AutoCloseable listening(int port) throws IOException {
        try {
            return new ServerSocket(port, 5, InetAddress.getLoopbackAddress());
        } catch (BindException e) {
            return () -> {};
        }
    }

    private void write(String path) throws IOException {
        Path file = directory.resolve(path);
        Path parent = file.getParent();
        assertThat(parent).isNotNull();
        Files.createDirectories(parent);
        Files.writeString(file, "{}");
    }
}
