package dev.ouroboros.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.model.runtime.RuntimeContainer;
import dev.ouroboros.model.runtime.RuntimePod;
import dev.ouroboros.runtime.ContainerRuntime;
import dev.ouroboros.runtime.RuntimeVersion;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Runs a real etcd as long as its manifest is there, as a kubelet does, and is the container runtime that says so. */
final class TestKubelet implements ContainerRuntime, AutoCloseable {
    private static final Duration TICK = Duration.ofMillis(100);

    private final Path manifest;
    private final List<String> command;
    private final Path log;
    private final Thread thread;
    private volatile Optional<Process> etcd = Optional.empty();
    private volatile boolean over;

    TestKubelet(Path manifest, List<String> command, Path log) {
        this.manifest = manifest;
        this.command = List.copyOf(command);
        this.log = log;
        this.thread = Thread.ofPlatform().start(this::run);
    }

    private void run() {
        while (!over) {
            sync();
            LockSupport.parkNanos(TICK.toNanos());
        }
    }

    /** The runtime shows a pod from when its kubelet decided to start it until it was torn down: nobody looks in between. */
    private synchronized void sync() {
        try {
            boolean wanted = Files.exists(manifest);
            boolean runs = etcd.filter(Process::isAlive).isPresent();
            if (wanted && !runs) {
                etcd = Optional.of(new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                        .start());
            } else if (!wanted && runs) {
                etcd.ifPresent(Process::destroy);
            }
        } catch (IOException e) {
            throw new IllegalStateException("starting etcd", e);
        }
    }

    @Override
    public RuntimeVersion version() {
        return new RuntimeVersion("test", "1", "v1");
    }

    @Override
    public synchronized List<RuntimePod> pods() {
        List<RuntimeContainer> containers = new ArrayList<>();
        boolean runs = etcd.filter(Process::isAlive).isPresent();
        containers.add(new RuntimeContainer(
                "etcd",
                "etcd",
                runs ? RuntimeContainer.State.RUNNING : RuntimeContainer.State.EXITED,
                0,
                Instant.EPOCH,
                Optional.empty()));
        return List.of(new RuntimePod(
                "kube-system",
                "etcd-node",
                "uid",
                true,
                runs ? RuntimePod.State.READY : RuntimePod.State.NOT_READY,
                Instant.EPOCH,
                0,
                containers));
    }

    @Override
    public boolean hasImage(String reference) {
        return true;
    }

    @Override
    public void close() {
        over = true;
        try {
            thread.join();
            etcd.ifPresent(Process::destroyForcibly);
            if (etcd.isPresent()) {
                assertThat(etcd.get().waitFor(20, TimeUnit.SECONDS)).isTrue();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
