package dev.ouroboros.runtime.containerd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.images.binary.Architecture;
import dev.ouroboros.images.binary.Binaries;
import dev.ouroboros.images.binary.Binary;
import dev.ouroboros.images.cache.CacheDirectory;
import dev.ouroboros.images.debian.UnpackedPackages;
import dev.ouroboros.images.oci.BuiltImage;
import dev.ouroboros.images.oci.ContainerImage;
import dev.ouroboros.images.oci.ImageBuilder;
import dev.ouroboros.images.oci.ImageCache;
import dev.ouroboros.images.oci.ImageLoader;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.disk.LocalDisk;
import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.LocalProcesses;
import dev.ouroboros.runtime.cri.CriRuntime;
import dev.ouroboros.runtime.grpc.GrpcConnection;
import dev.ouroboros.runtime.protobuf.MessageReader;
import dev.ouroboros.runtime.protobuf.MessageWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** A containerd of a test's own, with one small image that a test builds. */
public final class TestContainerd {
    private static final Duration WAIT_LIMIT = Duration.ofSeconds(30);

    private final Path directory;
    private final Map<String, String> environment;
    private final List<String> sandboxes = new ArrayList<>();
    private Process process;

    private TestContainerd(Path directory, Map<String, String> environment, Process process) {
        this.directory = directory;
        this.environment = Map.copyOf(environment);
        this.process = process;
    }

    /** @param directory an empty one with a short path: a socket's is at most 108 bytes long */
    public static TestContainerd start(Path directory) throws IOException {
        return start(directory, Map.of());
    }

    /**
     * @param environment what it finds in its environment beside ours
     */
    public static TestContainerd start(Path directory, Map<String, String> environment) throws IOException {
        new LocalDisk()
                .write(
                        directory.resolve("config.toml"),
                        configuration(directory).getBytes(StandardCharsets.UTF_8),
                        "rw-------");
        TestContainerd containerd = new TestContainerd(directory, environment, launch(directory, environment));
        containerd.awaitReady();
        return containerd;
    }

    private static String configuration(Path directory) {
        return """
                version = 2
                root = "%1$s/root"
                state = "%1$s/state"
                [grpc]
                  address = "%1$s/sock"
                [plugins."io.containerd.internal.v1.opt"]
                  path = "%1$s/opt"
                [plugins."io.containerd.grpc.v1.cri"]
                  sandbox_image = "localhost/ouroboros/pause:1"
                  restrict_oom_score_adj = true
                  [plugins."io.containerd.grpc.v1.cri".containerd]
                    snapshotter = "native"
                  [plugins."io.containerd.grpc.v1.cri".registry]
                    config_path = "%1$s/certs.d"
                """.formatted(directory);
    }

    private static Process launch(Path directory, Map<String, String> environment) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(
                "containerd", "--config", directory.resolve("config.toml").toString());
        builder.environment().putAll(environment);
        return builder.redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(
                        directory.resolve("log").toFile()))
                .start();
    }

    private void awaitReady() {
        CriRuntime runtime = new CriRuntime(socket(), Duration.ofSeconds(2));
        await("containerd's first answer", () -> {
            try {
                return !runtime.version().name().isEmpty();
            } catch (ProblemException e) {
                assertThat(process.isAlive())
                        .as("containerd runs: " + e.describe())
                        .isTrue();
                return false;
            }
        });
    }

    /** Waits for something that has no event. */
    public static void await(String what, BooleanSupplier condition) {
        Instant deadline = Instant.now().plus(WAIT_LIMIT);
        while (!condition.getAsBoolean()) {
            assertThat(Instant.now()).as(what).isBefore(deadline);
            LockSupport.parkNanos(Duration.ofMillis(50).toNanos());
        }
    }

    public Path socket() {
        return directory.resolve("sock");
    }

    /** Kills containerd, as a crash does. */
    public void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    public void startAgain() throws IOException {
        process = launch(directory, environment);
        awaitReady();
    }

    /** Builds a small image and loads it; its reference. Only the one for pause can be run. */
    public String loadImage(BuiltImage component) {
        LocalDisk disk = new LocalDisk();
        CacheDirectory cache = new CacheDirectory(directory.resolve("cache"));
        ImageBuilder builder = ImageBuilder.create(
                new LocalProcesses(),
                disk,
                InstantSource.system(),
                cache,
                new ImageCache(disk, cache),
                new UnpackedPackages(new LocalProcesses(), disk, cache),
                ImageBuilder.Daemons.find(List.of()),
                Architecture.AMD64);
        Map<Binary, Path> anything = new EnumMap<>(Binary.class); // files of any content will do
        for (Binary binary : EnumSet.complementOf(EnumSet.of(Binary.PAUSE, Binary.KUBE_PROXY))) {
            anything.put(binary, directory.resolve("config.toml"));
        }
        Binaries binaries = new Binaries("a test", "1.36.2", "3.5.30", anything, List.of());
        List<ContainerImage> images = builder.build(binaries, _ -> {});
        ContainerImage image = images.stream()
                .filter(built -> built.component() == component)
                .findFirst()
                .orElseThrow();
        new ImageLoader(new LocalProcesses(), List.of(), socket(), Optional.empty()).load(List.of(image), _ -> {});
        return image.reference();
    }

    /** Runs {@code ctr} in the namespace of the kubelet. */
    public String ctr(String... arguments) {
        List<String> command =
                new ArrayList<>(List.of("ctr", "--address", socket().toString(), "--namespace", "k8s.io"));
        command.addAll(List.of(arguments));
        return new LocalProcesses().run(Command.of(command)).orThrow();
    }

    /** Starts a pod on the host's network, which needs no network plugin; the sandbox's id. */
    public String runSandbox(String name, Map<String, String> annotations) throws IOException {
        MessageReader response = cri(
                "RuntimeService/RunPodSandbox",
                new MessageWriter().message(1, sandboxConfiguration(name, annotations)));
        assertThat(response.next()).isTrue();
        String id = response.text();
        sandboxes.add(id);
        return id;
    }

    private MessageWriter sandboxConfiguration(String name, Map<String, String> annotations) {
        MessageWriter metadata =
                new MessageWriter().text(1, name).text(2, "uid-of-" + name).text(3, "kube-system");
        MessageWriter hostNetwork = new MessageWriter().number(1, 2);
        MessageWriter linux = new MessageWriter().message(2, new MessageWriter().message(1, hostNetwork));
        return new MessageWriter()
                .message(1, metadata)
                .text(3, directory.resolve("logs").toString())
                .map(7, annotations)
                .message(8, linux);
    }

    /** Starts a container of our pause image; its id. */
    public String runContainer(String sandbox, String pod, String name, int attempt, String image) throws IOException {
        MessageWriter configuration = new MessageWriter()
                .message(1, new MessageWriter().text(1, name).number(2, attempt))
                .message(2, new MessageWriter().text(1, image));
        MessageReader created = cri(
                "RuntimeService/CreateContainer",
                new MessageWriter()
                        .text(1, sandbox)
                        .message(2, configuration)
                        .message(3, sandboxConfiguration(pod, Map.of())));
        assertThat(created.next()).isTrue();
        String id = created.text();
        cri("RuntimeService/StartContainer", new MessageWriter().text(1, id));
        return id;
    }

    public void stopContainer(String id) throws IOException {
        cri("RuntimeService/StopContainer", new MessageWriter().text(1, id).number(2, 5));
    }

    /** Gets an image as the kubelet does. */
    public void pullImage(String reference) throws IOException {
        cri("ImageService/PullImage", new MessageWriter().message(1, new MessageWriter().text(1, reference)));
    }

    /** Removes an image as the kubelet's garbage collection does. */
    public void removeImage(String reference) throws IOException {
        cri("ImageService/RemoveImage", new MessageWriter().message(1, new MessageWriter().text(1, reference)));
    }

    private MessageReader cri(String method, MessageWriter request) throws IOException {
        try (GrpcConnection connection = GrpcConnection.open(socket(), Duration.ofSeconds(20))) {
            return new MessageReader(connection.call("/runtime.v1." + method, request.toBytes(), Map.of()));
        }
    }

    /** Ends it and all of its pods. */
    public void close() throws IOException, InterruptedException {
        for (String sandbox : sandboxes) {
            cri("RuntimeService/StopPodSandbox", new MessageWriter().text(1, sandbox));
            cri("RuntimeService/RemovePodSandbox", new MessageWriter().text(1, sandbox));
        }
        process.destroy();
        assertThat(process.waitFor(20, TimeUnit.SECONDS)).as("containerd ended").isTrue();
    }
}
