package dev.ouroboros.runtime.problem;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.problem.testing.Refusal;
import dev.ouroboros.node.disk.LocalDisk;
import dev.ouroboros.runtime.grpc.FakeServer;
import dev.ouroboros.runtime.grpc.GrpcException;
import dev.ouroboros.runtime.grpc.GrpcStatus;
import dev.ouroboros.runtime.image.ImageArchive;
import java.io.IOException;
import java.net.SocketException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a runtime that does not do what it is asked is told of, for images as for pods. */
final class RuntimeProblemsTest {
    @TempDir
    private Path directory = Path.of("");

    private Path socket() {
        return directory.resolve("containerd.sock");
    }

    private void assertImagesFail(ErrorCode code, String what, String next) {
        ImageArchive images =
                new ImageArchive(socket(), Duration.ofSeconds(2), new LocalDisk(), InstantSource.system(), () -> {});
        Refusal.of(() -> images.save("a:1", directory.resolve("image.tar")), code, socket(), what, next);
        assertThat(directory.resolve("image.tar")).doesNotExist();
    }

    private static FakeServer.Service answering(GrpcStatus status, String message) {
        return (_, _) -> {
            throw new GrpcException(status, message);
        };
    }

    @Test
    void aRuntimeThatIsNotThereIsToBeStarted() {
        assertImagesFail(
                ErrorCode.RUNTIME_UNAVAILABLE,
                "the container runtime does not answer: ",
                "check that it runs and that this is its socket");
    }

    @Test
    void aRuntimeThatEndsMeanwhileHasALog() throws IOException {
        try (FakeServer _ = FakeServer.grpc(socket(), answering(GrpcStatus.UNAVAILABLE, "shutting down"))) {
            assertImagesFail(
                    ErrorCode.RUNTIME_UNAVAILABLE,
                    "the container runtime ended the call: shutting down",
                    "journalctl -u containerd");
        }
    }

    @Test
    void aRuntimeThatRefusesIsQuoted() throws IOException {
        try (FakeServer _ = FakeServer.grpc(socket(), answering(GrpcStatus.INTERNAL, "database not open"))) {
            assertImagesFail(
                    ErrorCode.RUNTIME_REFUSED,
                    "asked for the image a:1, the container runtime said INTERNAL: database not open",
                    "journalctl -u containerd");
        }
    }

    /** Root is never refused a socket; these are the words that others get. */
    @Test
    void whoMayNotUseTheSocketHearsWhoMay() {
        ProblemException failure =
                new RuntimeProblems(socket()).of("its pods", new SocketException("Permission denied"));

        Refusal.of(failure, ErrorCode.MISSING_PERMISSION)
                .where(socket())
                .whatContains("the container runtime's socket cannot be used: Permission denied")
                .nextContains("run as root");
    }
}
