package dev.ouroboros.keeper.testing;

import dev.ouroboros.api.testing.FakeApiServer;
import dev.ouroboros.keeper.act.Images;
import dev.ouroboros.model.checkpoint.Understudy;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.json.JsonText;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.runtime.RuntimeContainer;
import dev.ouroboros.model.runtime.RuntimePod;
import dev.ouroboros.runtime.ContainerRuntime;
import dev.ouroboros.runtime.RuntimeVersion;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/**
 * Kubelet and runtime of a node: runs what lies in the manifest directory, and the pods that a test says. Starting the understudy of
 * the API server makes a server listen.
 */
public final class FakeKubelet implements ContainerRuntime, Images.Archive, AutoCloseable {
    private final Path manifests;
    private final String nodeName;
    private final FakeApiServer understudy;
    private final Thread thread;
    private final List<RuntimePod> apiPods = new CopyOnWriteArrayList<>();
    private final Set<String> images = ConcurrentHashMap.newKeySet();
    private final Set<String> archived = ConcurrentHashMap.newKeySet();
    private final List<String> restored = new CopyOnWriteArrayList<>();
    private final AtomicInteger synced = new AtomicInteger();
    private volatile Answer answer = Answer.PROMPT;
    private volatile Optional<IOException> failure = Optional.empty();

    /** How the runtime answers. */
    public enum Answer {
        PROMPT,
        FAILS,
        HANGS
    }

    public FakeKubelet(Path manifests, String nodeName, FakeApiServer understudy) {
        this.manifests = manifests;
        this.nodeName = nodeName;
        this.understudy = understudy;
        this.thread = Thread.ofVirtual().start(this::work);
    }

    private void work() {
        while (!Thread.currentThread().isInterrupted()) {
            try {
                boolean wanted =
                        staticPods().stream().anyMatch(pod -> pod.name().contains("kube-apiserver"));
                if (wanted && !understudy.isListening()) {
                    understudy.listen();
                } else if (!wanted && understudy.isListening()) {
                    understudy.die();
                }
                Thread.sleep(50);
            } catch (IOException e) {
                failure = Optional.of(e);
                return;
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    public void answer(Answer how) {
        answer = how;
    }

    /** A pod that came from the API, with one container. */
    public void runs(String name, String uid, String container, boolean running) {
        stopped(name);
        apiPods.add(pod(name, uid, false, container, running));
    }

    public void stopped(String name) {
        apiPods.removeIf(pod -> pod.name().equals(name));
    }

    public void hasImages(String... references) {
        images.addAll(List.of(references));
    }

    public void collectImages() {
        images.clear();
    }

    public Set<String> archived() {
        return Set.copyOf(archived);
    }

    public List<String> restored() {
        return List.copyOf(restored);
    }

    /** What a static pod of before has left: its sandbox, and a container that ended again and again. */
    public void leftBehind(String staticPod, String container, int ends) {
        RuntimeContainer crashed = new RuntimeContainer(
                container, "sha256:1", RuntimeContainer.State.EXITED, ends, Instant.EPOCH, Optional.empty());
        apiPods.add(new RuntimePod(
                "kube-system",
                staticPod + "-" + nodeName,
                "left-behind",
                true,
                RuntimePod.State.NOT_READY,
                Instant.EPOCH,
                0,
                List.of(crashed)));
    }

    private static RuntimePod pod(String name, String uid, boolean isStatic, String container, boolean running) {
        return pod(name, uid, isStatic, container, running, Instant.EPOCH);
    }

    private static RuntimePod pod(
            String name, String uid, boolean isStatic, String container, boolean running, Instant createdAt) {
        RuntimeContainer only = new RuntimeContainer(
                container,
                "sha256:1",
                running ? RuntimeContainer.State.RUNNING : RuntimeContainer.State.EXITED,
                0,
                Instant.EPOCH,
                Optional.empty());
        return new RuntimePod("kube-system", name, uid, isStatic, RuntimePod.State.READY, createdAt, 0, List.of(only));
    }

    private List<RuntimePod> staticPods() throws IOException {
        List<RuntimePod> found = new ArrayList<>();
        List<Path> files;
        try (Stream<Path> entries = Files.list(manifests)) {
            files = entries.filter(file -> !file.getFileName().toString().startsWith("."))
                    .toList();
        }
        for (Path file : files) {
            Optional<Json> read = read(file);
            if (read.isEmpty()) {
                continue;
            }
            Json pod = read.get();
            String name = pod.at("metadata", "name").text().orElseThrow() + "-" + nodeName;
            Json first = pod.at("spec", "containers").items().getFirst();
            // What is not there is pulled.
            first.at("image").text().ifPresent(images::add);
            String container = first.at("name").text().orElseThrow();
            Instant written = pod.at("metadata", "annotations", Understudy.START_ANNOTATION)
                    .text()
                    .map(Instant::parse)
                    .orElse(Instant.EPOCH);
            found.add(pod(name, "static-" + file.getFileName(), true, container, true, written));
        }
        return found;
    }

    private static Optional<Json> read(Path manifest) throws IOException {
        try {
            return Optional.of(JsonText.read(Files.readAllBytes(manifest)));
        } catch (NoSuchFileException e) {
            // Removed since it was listed.
            return Optional.empty();
        }
    }

    @Override
    public RuntimeVersion version() {
        throw new UnsupportedOperationException("no keeper asks");
    }

    @Override
    public List<RuntimePod> pods() {
        switch (answer) {
            case PROMPT -> {}
            case FAILS -> throw hangs();
            case HANGS -> {
                try {
                    Thread.sleep(2000);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
                throw hangs();
            }
        }
        try {
            List<RuntimePod> all = new ArrayList<>(apiPods);
            all.addAll(staticPods());
            return all;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static ProblemException hangs() {
        return ProblemException.of(ErrorCode.TIMEOUT, "runtime", "does not answer", "", "try again");
    }

    @Override
    public boolean hasImage(String reference) {
        return images.contains(reference);
    }

    @Override
    public void save(String reference) {
        require(images, reference);
        archived.add(reference);
    }

    @Override
    public void restore(String reference) {
        require(archived, reference);
        restored.add(reference);
        images.add(reference);
    }

    private static void require(Set<String> where, String reference) {
        if (!where.contains(reference)) {
            throw ProblemException.of(ErrorCode.NOT_FOUND, reference, "is not there", "", "pull it");
        }
    }

    @Override
    public void sync() {
        synced.incrementAndGet();
    }

    /** How often what was unpacked was synced. */
    public int synced() {
        return synced.get();
    }

    @Override
    public void retainOnly(Set<String> references) {
        archived.retainAll(references);
    }

    /** @throws UncheckedIOException when it stopped to work before */
    @Override
    public void close() {
        thread.interrupt();
        failure.ifPresent(e -> {
            throw new UncheckedIOException(e);
        });
    }
}
