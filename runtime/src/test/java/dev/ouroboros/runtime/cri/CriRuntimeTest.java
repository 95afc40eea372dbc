package dev.ouroboros.runtime.cri;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.testing.Refusal;
import dev.ouroboros.model.runtime.RuntimeContainer;
import dev.ouroboros.model.runtime.RuntimeContainer.Exit;
import dev.ouroboros.model.runtime.RuntimePod;
import dev.ouroboros.runtime.RuntimeVersion;
import dev.ouroboros.runtime.grpc.FakeServer;
import dev.ouroboros.runtime.grpc.GrpcException;
import dev.ouroboros.runtime.grpc.GrpcStatus;
import dev.ouroboros.runtime.protobuf.MessageWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What the runtime says, and what it may do to us; ContainerdTest has the same on a real one. */
@Timeout(20)
final class CriRuntimeTest {
    private static final String V1 = "/runtime.v1.RuntimeService/";
    private static final String ALPHA = "/runtime.v1alpha2.RuntimeService/";
    private static final long CREATED_AT = 1_700_000_000_123_456_789L;
    private static final Instant CREATED = Instant.parse("2023-11-14T22:13:20.123456789Z");

    @TempDir
    private Path directory = Path.of("");

    private final Map<String, MessageWriter> answers = new HashMap<>();
    private final List<String> asked = new ArrayList<>();

    @Test
    void readsPodsWithTheirContainers() throws IOException {
        answers.put(
                V1 + "ListPodSandbox",
                new MessageWriter()
                        .message(1, sandbox("s2", "web", "u2", 1, Map.of("kubernetes.io/config.source", "api")))
                        .message(
                                1,
                                sandbox(
                                        "s1",
                                        "api",
                                        "u1",
                                        0,
                                        Map.of("kubernetes.io/config.source", "file", "a", "b"))));
        answers.put(
                V1 + "ListContainers",
                new MessageWriter()
                        .message(1, container("c2", "s1", "server", 1, 1))
                        .message(1, container("c1", "s1", "server", 0, 2))
                        .message(1, container("c9", "gone", "other", 0, 1))
                        .message(1, container("c3", "s1", "future", 0, 7)));
        answers.put(
                V1 + "ContainerStatus",
                new MessageWriter()
                        .message(
                                1,
                                new MessageWriter()
                                        .number(6, CREATED_AT)
                                        .number(7, 137)
                                        .text(10, "OOMKilled")));

        try (FakeServer _ = serve()) {
            assertThat(runtime().pods())
                    .containsExactly(
                            new RuntimePod(
                                    "kube-system",
                                    "api",
                                    "u1",
                                    true,
                                    RuntimePod.State.READY,
                                    CREATED,
                                    2,
                                    List.of(
                                            container("future", RuntimeContainer.State.UNKNOWN, 0, Optional.empty()),
                                            container(
                                                    "server",
                                                    RuntimeContainer.State.EXITED,
                                                    0,
                                                    Optional.of(new Exit(137, CREATED, "OOMKilled"))),
                                            container("server", RuntimeContainer.State.RUNNING, 1, Optional.empty()))),
                            new RuntimePod(
                                    "kube-system",
                                    "web",
                                    "u2",
                                    false,
                                    RuntimePod.State.NOT_READY,
                                    CREATED,
                                    2,
                                    List.of()));
        }
    }

    @Test
    void asksOnceHowAContainerEnded() throws IOException {
        listOneThatEnded();
        answers.put(V1 + "ContainerStatus", new MessageWriter());
        try (FakeServer _ = serve()) {
            CriRuntime runtime = runtime();
            assertThat(runtime.pods()).isEqualTo(runtime.pods());
        }
        assertThat(asked)
                .filteredOn(method -> method.endsWith("ContainerStatus"))
                .hasSize(1);
    }

    @Test
    void acceptsThatAContainerWasRemovedMeanwhile() throws IOException {
        listOneThatEnded();
        try (FakeServer _ = serve(GrpcStatus.NOT_FOUND)) {
            RuntimeContainer container =
                    runtime().pods().getFirst().containers().getFirst();
            assertThat(container.state()).isEqualTo(RuntimeContainer.State.EXITED);
            assertThat(container.exit()).isEmpty();
        }
    }

    private void listOneThatEnded() {
        answers.put(V1 + "ListPodSandbox", new MessageWriter().message(1, sandbox("s1", "api", "u1", 0, Map.of())));
        answers.put(V1 + "ListContainers", new MessageWriter().message(1, container("c1", "s1", "server", 0, 2)));
    }

    @Test
    void speaksTheOldVersionWithAnOldRuntimeAndRemembersIt() throws IOException {
        answers.put(ALPHA + "Version", version("containerd", "1.4.13"));
        answers.put(ALPHA + "ListPodSandbox", new MessageWriter());
        answers.put(ALPHA + "ListContainers", new MessageWriter());
        try (FakeServer _ = serve()) {
            CriRuntime runtime = runtime();
            assertThat(runtime.version()).isEqualTo(new RuntimeVersion("containerd", "1.4.13", "v1alpha2"));
            assertThat(runtime.pods()).isEmpty();
        }
        assertThat(asked)
                .containsExactly(V1 + "Version", ALPHA + "Version", ALPHA + "ListPodSandbox", ALPHA + "ListContainers");
    }

    @Test
    void speaksTheNewVersionAgainWhenTheRuntimeWasReplaced() throws IOException {
        CriRuntime runtime = runtime();
        answers.put(ALPHA + "Version", version("containerd", "1.4.13"));
        try (FakeServer _ = serve()) {
            assertThat(runtime.version().api()).isEqualTo("v1alpha2");
        }
        answers.clear();
        answers.put(V1 + "Version", version("containerd", "v2.1.0"));
        try (FakeServer _ = serve()) {
            assertThat(runtime.version()).isEqualTo(new RuntimeVersion("containerd", "v2.1.0", "v1"));
        }
    }

    @Test
    void tellsAnImageThatIsThereFromOneThatIsNot() throws IOException {
        answers.put(
                "/runtime.v1.ImageService/ImageStatus",
                new MessageWriter().message(1, new MessageWriter().text(1, "sha256:1")));
        try (FakeServer _ = serve()) {
            assertThat(runtime().hasImage("a:1")).isTrue();
            answers.put("/runtime.v1.ImageService/ImageStatus", new MessageWriter());
            assertThat(runtime().hasImage("a:1")).isFalse();
        }
    }

    @Test
    void tellsWhatImagesAreCalled() throws IOException {
        answers.put(
                "/runtime.v1.ImageService/ListImages",
                new MessageWriter()
                        .message(
                                1,
                                new MessageWriter()
                                        .text(1, "sha256:1")
                                        .text(2, "a:1")
                                        .text(2, "b:1"))
                        .message(1, new MessageWriter().text(1, "sha256:2")));
        try (FakeServer _ = serve()) {
            assertThat(runtime().imageReferences())
                    .isEqualTo(Map.of("sha256:1", List.of("a:1", "b:1"), "sha256:2", List.of()));
        }
    }

    @Test
    void worksAgainAfterEachWayToFail() throws IOException {
        CriRuntime runtime = runtime();
        assertFails(runtime, ErrorCode.RUNTIME_UNAVAILABLE, "No such file");
        try (FakeServer _ = FakeServer.start(socket(), connection -> {
            connection.greet();
            connection.request();
            connection.request(); // there is none: it waits as long as the client does
        })) {
            assertFails(runtime, ErrorCode.TIMEOUT, "did not answer: no answer within PT0.5S");
        }
        try (FakeServer _ = FakeServer.start(socket(), connection -> {
            connection.raw("garbage, and enough of it".getBytes(StandardCharsets.UTF_8));
            connection.greet();
            connection.request();
        })) {
            assertFails(runtime, ErrorCode.RUNTIME_UNAVAILABLE, "does not speak HTTP/2");
        }
        try (FakeServer _ = FakeServer.start(socket(), _ -> {})) {
            assertFails(runtime, ErrorCode.RUNTIME_UNAVAILABLE, "");
        }
        try (FakeServer _ = serve()) {
            assertFails(runtime, ErrorCode.RUNTIME_REFUSED, "UNIMPLEMENTED: unknown method");
        }
        try (FakeServer _ = serve(GrpcStatus.INTERNAL)) {
            assertFails(runtime, ErrorCode.RUNTIME_REFUSED, "asked for its pods, the container runtime said INTERNAL");
        }
        answers.put(V1 + "ListPodSandbox", new MessageWriter().text(1, "this is no message"));
        try (FakeServer _ = serve()) {
            assertFails(runtime, ErrorCode.RUNTIME_UNAVAILABLE, "");
        }
        answers.put(V1 + "ListPodSandbox", new MessageWriter());
        answers.put(V1 + "ListContainers", new MessageWriter());
        try (FakeServer _ = serve()) {
            assertThat(runtime.pods()).isEmpty();
        }
    }

    private void assertFails(CriRuntime runtime, ErrorCode code, String message) {
        long start = System.nanoTime();
        Refusal.of(runtime::pods, code).where(socket()).lineContains(message);
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(5));
    }

    private FakeServer serve() throws IOException {
        return serve(GrpcStatus.UNIMPLEMENTED);
    }

    /** @param otherwise status of a method without an answer */
    private FakeServer serve(GrpcStatus otherwise) throws IOException {
        return FakeServer.grpc(socket(), (method, _) -> {
            asked.add(method);
            MessageWriter answer = answers.get(method);
            if (answer == null) {
                throw new GrpcException(otherwise, "unknown method " + method);
            }
            return answer.toBytes();
        });
    }

    private CriRuntime runtime() {
        return new CriRuntime(socket(), Duration.ofMillis(500));
    }

    private Path socket() {
        return directory.resolve("runtime.sock");
    }

    private static MessageWriter version(String name, String version) {
        return new MessageWriter()
                .text(1, "0.1.0")
                .text(2, name)
                .text(3, version)
                .text(4, "v1");
    }

    private static MessageWriter sandbox(
            String id, String name, String uid, int state, Map<String, String> annotations) {
        MessageWriter metadata = new MessageWriter()
                .text(1, name)
                .text(2, uid)
                .text(3, "kube-system")
                .number(4, 2);
        return new MessageWriter()
                .text(1, id)
                .message(2, metadata)
                .number(3, state)
                .number(4, CREATED_AT)
                .map(5, Map.of("label", "value"))
                .map(6, annotations)
                .text(7, "runc");
    }

    private static MessageWriter container(String id, String sandbox, String name, int attempt, int state) {
        return new MessageWriter()
                .text(1, id)
                .text(2, sandbox)
                .message(3, new MessageWriter().text(1, name).number(2, attempt))
                .message(4, new MessageWriter().text(1, "sha256:image"))
                .text(5, "ref")
                .number(6, state)
                .number(7, CREATED_AT);
    }

    private static RuntimeContainer container(
            String name, RuntimeContainer.State state, int attempt, Optional<Exit> exit) {
        return new RuntimeContainer(name, "sha256:image", state, attempt, CREATED, exit);
    }
}
