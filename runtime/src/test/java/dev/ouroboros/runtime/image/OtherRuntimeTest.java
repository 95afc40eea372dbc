package dev.ouroboros.runtime.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.disk.LocalDisk;
import dev.ouroboros.runtime.grpc.FakeServer;
import dev.ouroboros.runtime.grpc.GrpcException;
import dev.ouroboros.runtime.grpc.GrpcStatus;
import dev.ouroboros.runtime.protobuf.MessageReader;
import dev.ouroboros.runtime.protobuf.MessageWriter;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
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

    /** containerd 2.1 ends with a nil pointer when it is asked to change an image and is not given the target; 1.6 does not care. */
    @Test
    void namesTheTargetOfAnImageWhoseLabelsAreChanged() throws IOException {
        MessageWriter image = new MessageWriter()
                .text(1, "a:1")
                .message(
                        3,
                        new MessageWriter()
                                .text(1, "type")
                                .text(2, "sha256:" + "0".repeat(64))
                                .number(3, 7));
        AtomicReference<byte[]> update = new AtomicReference<>(new byte[0]);
        FakeServer.Service containerd = (method, request) -> {
            if (method.endsWith("/Update")) {
                update.set(request);
            }
            return new MessageWriter().message(1, image).toBytes();
        };
        Path socket = directory.resolve("containerd.sock");
        try (FakeServer _ = FakeServer.grpc(socket, containerd)) {
            new ImageArchive(socket, Duration.ofSeconds(2), new LocalDisk(), InstantSource.system(), () -> {})
                    .unpin("docker.io/library/a:1");
        }

        MessageReader changed = new MessageReader(update.get());
        assertThat(changed.next()).isTrue();
        assertThat(fields(changed.message())).contains(3);
    }

    private static List<Integer> fields(MessageReader message) throws IOException {
        List<Integer> fields = new ArrayList<>();
        while (message.next()) {
            fields.add(message.field());
        }
        return fields;
    }
}
