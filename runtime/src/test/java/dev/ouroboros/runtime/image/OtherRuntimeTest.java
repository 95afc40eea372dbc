package dev.ouroboros.runtime.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ouroboros.core.problem.ErrorCode;
import dev.ouroboros.core.problem.ProblemException;
import dev.ouroboros.node.disk.LocalDisk;
import dev.ouroboros.runtime.grpc.FakeServer;
import dev.ouroboros.runtime.grpc.GrpcException;
import dev.ouroboros.runtime.grpc.GrpcStatus;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class OtherRuntimeTest {
    @TempDir
    private Path directory = Path.of("");

    @Test
    void saysThatItCannotArchiveImagesOfAnotherRuntime() throws IOException {
        Path socket = directory.resolve("crio.sock");
        FakeServer.Service crio = (method, _) -> {
            throw new GrpcException(GrpcStatus.UNIMPLEMENTED, "unknown service " + method);
        };
        try (FakeServer _ = FakeServer.grpc(socket, crio)) {
            ImageArchive images =
                    new ImageArchive(socket, Duration.ofSeconds(2), new LocalDisk(), InstantSource.system(), () -> {});
            assertThatThrownBy(() -> images.save("a:1", directory.resolve("image.tar")))
                    .isInstanceOfSatisfying(
                            ProblemException.class,
                            e -> assertThat(e.problems().getFirst().code()).isEqualTo(ErrorCode.UNSUPPORTED_RUNTIME))
                    .hasMessageContaining("images cannot be archived")
                    .hasMessageContaining("expected containerd");
        }
        assertThat(directory.resolve("image.tar")).doesNotExist();
    }
}
