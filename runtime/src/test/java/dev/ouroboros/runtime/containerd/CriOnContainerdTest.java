package dev.ouroboros.runtime.containerd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ouroboros.images.oci.BuiltImage;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.runtime.RuntimeContainer;
import dev.ouroboros.model.runtime.RuntimePod;
import dev.ouroboros.runtime.cri.CriRuntime;
import java.io.IOException;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@link CriRuntime} and a containerd with pods. */
@Tag("e2e")
@Timeout(120)
final class CriOnContainerdTest {
    private static final int NOBODY = 65_534;

    @TempDir
    private Path directory = Path.of("");

    private TestContainerd containerd;
    private CriRuntime runtime;

    @BeforeEach
    void startContainerd() throws IOException {
        containerd = TestContainerd.start(directory);
        runtime = new CriRuntime(containerd.socket(), Duration.ofSeconds(2));
    }

    @AfterEach
    void stopContainerd() throws IOException, InterruptedException {
        containerd.close();
    }

    @Test
    void namesItself() {
        assertThat(runtime.version().name()).isEqualTo("containerd");
        assertThat(runtime.version().version()).isNotEmpty();
        assertThat(runtime.version().api()).isEqualTo("v1");
        assertThat(runtime.pods()).isEmpty();
        assertThat(runtime.hasImage("localhost/ouroboros/pause:1")).isFalse();
    }

    @Test
    void showsPodsAsTheyLiveAndDie() throws IOException, InterruptedException {
        Instant before = Instant.now();
        String image = containerd.loadImage(BuiltImage.PAUSE);
        String sandbox = containerd.runSandbox("static", Map.of("kubernetes.io/config.source", "file"));
        containerd.runSandbox("from-api", Map.of("kubernetes.io/config.source", "api"));
        String container = containerd.runContainer(sandbox, "static", "server", 3, image);

        List<RuntimePod> pods = runtime.pods();
        assertThat(pods).extracting(RuntimePod::name).containsExactly("from-api", "static");
        assertThat(pods).extracting(RuntimePod::isStatic).containsExactly(false, true);
        assertThat(pods).allSatisfy(pod -> {
            assertThat(pod.namespace()).isEqualTo("kube-system");
            assertThat(pod.uid()).isEqualTo("uid-of-" + pod.name());
            assertThat(pod.state()).isEqualTo(RuntimePod.State.READY);
            assertThat(pod.createdAt()).isBetween(before, Instant.now());
        });
        RuntimeContainer running = pods.getLast().containers().getFirst();
        assertThat(running.name()).isEqualTo("server");
        assertThat(running.attempt()).isEqualTo(3);
        assertThat(running.state()).isEqualTo(RuntimeContainer.State.RUNNING);
        assertThat(running.exit()).isEmpty();

        containerd.stopContainer(container);
        RuntimeContainer stopped = runtime.pods().getLast().containers().getFirst();
        assertThat(stopped.state()).isEqualTo(RuntimeContainer.State.EXITED);
        RuntimeContainer.Exit exit = stopped.exit().orElseThrow();
        assertThat(exit.code()).isZero();
        assertThat(exit.reason()).isEqualTo("Completed");
        assertThat(exit.finishedAt()).isBetween(before, Instant.now());

        containerd.kill();
        assertThatThrownBy(runtime::pods)
                .isInstanceOfSatisfying(
                        ProblemException.class,
                        e -> assertThat(e.problems().getFirst().code()).isEqualTo(ErrorCode.RUNTIME_UNAVAILABLE));
        containerd.startAgain();
        assertThat(runtime.pods()).extracting(RuntimePod::name).containsExactly("from-api", "static");
        assertThat(runtime.pods().getLast().containers()).containsExactly(stopped);
    }

    @Test
    void knowsWhichImagesItHas() throws IOException {
        String image = containerd.loadImage(BuiltImage.PAUSE);
        assertThat(runtime.hasImage(image)).isTrue();
        containerd.removeImage(image);
        assertThat(runtime.hasImage(image)).isFalse();
    }

    /** Root may use every socket, so this thread is nobody to the file system for a while (setfsuid(2)). */
    @Test
    void tellsThatItMayNotUseTheSocket() throws Exception {
        try (var threads = Executors.newSingleThreadExecutor()) {
            Future<?> asked = threads.submit(() -> {
                setFileSystemUser(NOBODY);
                assertThatThrownBy(runtime::version)
                        .isInstanceOfSatisfying(
                                ProblemException.class,
                                e -> assertThat(e.problems().getFirst().code())
                                        .isEqualTo(ErrorCode.MISSING_PERMISSION));
            });
            asked.get();
        }
        assertThat(runtime.version().name()).isEqualTo("containerd");
    }

    @SuppressWarnings("restricted")
    private static void setFileSystemUser(int user) {
        Linker linker = Linker.nativeLinker();
        MethodHandle setfsuid = linker.downcallHandle(
                linker.defaultLookup().findOrThrow("setfsuid"),
                FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));
        try {
            int _ = (int) setfsuid.invokeExact(user);
        } catch (Throwable e) {
            throw new IllegalStateException("setfsuid", e);
        }
    }
}
