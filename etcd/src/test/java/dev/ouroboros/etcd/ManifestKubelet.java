package dev.ouroboros.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.model.digest.Sha256;
import dev.ouroboros.model.runtime.RuntimeContainer;
import dev.ouroboros.model.runtime.RuntimePod;
import dev.ouroboros.render.understudy.PodYaml;
import dev.ouroboros.runtime.ContainerRuntime;
import dev.ouroboros.runtime.RuntimeVersion;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.VolumeMount;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * Runs the commands of all manifests in a directory, each in the place of the one of before, as a kubelet does; and is the container runtime that says so. There are no containers: where a command names a
 * path of a volume, it gets the path on this machine.
 */
final class ManifestKubelet implements ContainerRuntime, AutoCloseable {
    private static final Duration TICK = Duration.ofMillis(100);

    private final Path directory;
    private final Path log;
    private final Thread thread;
    private final Map<String, Running> pods = new LinkedHashMap<>();
    private volatile boolean over;

    /** @param initial exit code of its init container; 0 of one that has none */
    private record Running(String text, int initial, Process process) {}

    /** @param log of all that it runs */
    ManifestKubelet(Path directory, Path log) {
        this.directory = directory;
        this.log = log;
        this.thread = Thread.ofPlatform().start(this::run);
    }

    private void run() {
        while (!over) {
            sync();
            LockSupport.parkNanos(TICK.toNanos());
        }
    }

    private synchronized void sync() {
        Map<String, String> wanted = manifests();
        pods.forEach((name, pod) -> {
            if (!pod.text().equals(wanted.get(name))) {
                pod.process().destroy();
            }
        });
        pods.values().removeIf(pod -> !pod.process().isAlive());
        wanted.forEach((name, text) -> pods.computeIfAbsent(name, _ -> start(text)));
    }

    /** Texts by the names of pods. Writers rename: names with a dot in front are theirs. */
    private Map<String, String> manifests() {
        Map<String, String> found = new LinkedHashMap<>();
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file : files.filter(path -> path.toString().endsWith(".yaml"))
                    .filter(path -> !path.toFile().getName().startsWith("."))
                    .toList()) {
                String text = Files.readString(file);
                found.put(pod(text).getMetadata().getName(), text);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return found;
    }

    private static Pod pod(String text) {
        return PodYaml.parse("manifest", text);
    }

    private Running start(String text) {
        Pod pod = pod(text);
        try {
            int initial = 0;
            for (Container container : pod.getSpec().getInitContainers()) {
                initial = launch(pod, container).waitFor();
            }
            // A pod whose init container failed has nothing else that runs.
            Process process = initial == 0
                    ? launch(pod, pod.getSpec().getContainers().getFirst())
                    : new ProcessBuilder("sleep", "infinity").start();
            return new Running(text, initial, process);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private Process launch(Pod pod, Container container) throws IOException {
        return new ProcessBuilder(container.getCommand().stream()
                        .map(word -> onThisMachine(pod, container, word))
                        .toList())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                .start();
    }

    private static String onThisMachine(Pod pod, Container container, String word) {
        for (VolumeMount mount : container.getVolumeMounts()) {
            String inside = mount.getMountPath() + "/";
            String path = word.substring(word.indexOf('=') + 1);
            if (path.startsWith(inside)) {
                String outside = pod.getSpec().getVolumes().stream()
                        .filter(volume -> volume.getName().equals(mount.getName()))
                        .map(volume -> volume.getHostPath().getPath().replaceAll("/+$", "") + "/")
                        .findFirst()
                        .orElseThrow();
                return word.substring(0, word.length() - path.length()) + outside + path.substring(inside.length());
            }
        }
        return word;
    }

    /** Whether what runs was started from a manifest with this text. */
    synchronized boolean runs(String text) {
        return pods.values().stream()
                .anyMatch(pod -> pod.text().equals(text) && pod.process().isAlive());
    }

    @Override
    public RuntimeVersion version() {
        return new RuntimeVersion("test", "1", "v1");
    }

    @Override
    public synchronized List<RuntimePod> pods() {
        List<RuntimePod> found = new ArrayList<>();
        pods.forEach((name, pod) -> found.add(new RuntimePod(
                "kube-system",
                name + "-node",
                Sha256.hex(pod.text().getBytes(StandardCharsets.UTF_8)),
                true,
                RuntimePod.State.READY,
                Instant.EPOCH,
                0,
                containers(pod))));
        return found;
    }

    private static List<RuntimeContainer> containers(Running running) {
        List<RuntimeContainer> containers = new ArrayList<>();
        for (Container container : pod(running.text()).getSpec().getInitContainers()) {
            containers.add(new RuntimeContainer(
                    container.getName(),
                    "etcd",
                    RuntimeContainer.State.EXITED,
                    0,
                    Instant.EPOCH,
                    Optional.of(new RuntimeContainer.Exit(running.initial(), Instant.EPOCH, "Error"))));
        }
        containers.add(new RuntimeContainer(
                "etcd", "etcd", RuntimeContainer.State.RUNNING, 0, Instant.EPOCH, Optional.empty()));
        return containers;
    }

    @Override
    public boolean hasImage(String reference) {
        return !reference.endsWith("missing");
    }

    @Override
    public void close() {
        over = true;
        try {
            thread.join();
            for (Running pod : pods.values()) {
                pod.process().destroyForcibly();
                assertThat(pod.process().waitFor(20, TimeUnit.SECONDS)).isTrue();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
