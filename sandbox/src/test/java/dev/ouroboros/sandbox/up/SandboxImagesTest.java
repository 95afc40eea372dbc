package dev.ouroboros.sandbox.up;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.testing.ModelDisk;
import dev.ouroboros.sandbox.Sandbox;
import dev.ouroboros.sandbox.SandboxHost;
import dev.ouroboros.sandbox.SandboxName;
import dev.ouroboros.sandbox.testing.Programs;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class SandboxImagesTest {
    @Test
    void aNodeWithoutPowerIsToBeStartedFirst() {
        ModelDisk disk = new ModelDisk();
        disk.tamper(
                Path.of("/proc/mounts"), "cgroup2 /sys/fs/cgroup/of-no-machine cgroup2 rw 0 0\n", Disk.OWNER_ONLY_FILE);
        Programs programs = command -> {
            throw new AssertionError("not run: " + command.describe());
        };
        Sandbox sandbox = new SandboxHost(Path.of("/sandboxes"), programs, disk, InstantSource.system())
                .sandbox(new SandboxName("one"));
        SandboxImages images = new SandboxImages(
                sandbox,
                programs,
                () -> {
                    throw new AssertionError("nothing is built");
                },
                Optional.empty(),
                _ -> {});

        assertThatThrownBy(() -> images.require(List.of()))
                .isInstanceOfSatisfying(
                        ProblemException.class,
                        failure -> assertThat(failure.problems())
                                .singleElement()
                                .satisfies(problem -> {
                                    assertThat(problem.code()).isEqualTo(ErrorCode.NOT_FOUND);
                                    assertThat(problem.where()).isEqualTo("node one");
                                    assertThat(problem.what()).startsWith("does not run");
                                    assertThat(problem.next()).isEqualTo("boot it: ouro node on one");
                                }));
    }

    @Test
    void eachImageThatNobodyBroughtIsNamed() {
        assertThatThrownBy(() -> SandboxImages.requireAll(
                        "one",
                        "one-2",
                        List.of("localhost/hyperkube:v1.20.2", "localhost/hyperkube:v1.21.0", "localhost/etcd:3.4.13"),
                        Set.of("localhost/hyperkube:v1.20.2")))
                .isInstanceOfSatisfying(
                        ProblemException.class,
                        failure -> assertThat(failure.problems())
                                .allSatisfy(problem -> {
                                    assertThat(problem.code()).isEqualTo(ErrorCode.NOT_FOUND);
                                    assertThat(problem.what()).isEqualTo("is not on node one-2");
                                    assertThat(problem.next())
                                            .contains("--binaries DIR", "ouro images load --name one");
                                })
                                .extracting(Problem::where)
                                .containsExactly("image localhost/hyperkube:v1.21.0", "image localhost/etcd:3.4.13"));
    }

    /** No bundle has an add-on's. */
    @Test
    void anImageOfARegistryComesFromAFile() {
        assertThatThrownBy(() -> SandboxImages.requireAll("one", "one", List.of("registry/coredns:v1"), Set.of()))
                .isInstanceOfSatisfying(
                        ProblemException.class,
                        failure -> assertThat(failure.problems().getFirst().next())
                                .contains("ouro images load FILE --as registry/coredns:v1 --name one")
                                .doesNotContain("--bundle"));
    }
}
