package dev.ouroboros.status.source;

import dev.ouroboros.keeper.checkpoint.CheckpointStore;
import dev.ouroboros.model.asset.StateLayout;
import dev.ouroboros.model.checkpoint.Checkpoint;
import dev.ouroboros.model.checkpoint.Revision;
import dev.ouroboros.model.checkpoint.SavedFile;
import dev.ouroboros.model.checkpoint.Slots;
import dev.ouroboros.model.component.ComponentName;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.evidence.Evidence.Known;
import dev.ouroboros.model.evidence.Evidence.Unknown;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.json.JsonText;
import dev.ouroboros.model.json.JsonText.MalformedJson;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.runtime.RuntimeContainer;
import dev.ouroboros.model.runtime.RuntimePod;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.runtime.cri.CriRuntime;
import dev.ouroboros.status.seen.DatedCertificate;
import dev.ouroboros.status.seen.NodeSeen;
import dev.ouroboros.status.seen.SavedCheckpoint;
import dev.ouroboros.status.seen.SavedSlots;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** Looks at a node without its API: keeper, container runtime, disk, processes. Changes nothing. */
final class NodeSource {
    private static final Duration LIMIT = Duration.ofSeconds(3);

    private final NodePlace node;
    private final Disk disk;

    NodeSource(NodePlace node, Disk disk) {
        this.node = node;
        this.disk = disk;
    }

    NodeSeen look() {
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<Evidence<Json>> state = threads.submit(KeeperPages.ofKeeper(node)::state);
            CriRuntime runtime = new CriRuntime(node.file("/run/containerd/containerd.sock"), LIMIT);
            var pods = threads.submit(() -> evidence(() -> named(runtime.pods(), runtime.imageReferences())));
            var checkpoints = threads.submit(() -> evidence(this::checkpoints));
            Evidence<Json> memory = evidence(this::memory);
            Optional<Json> agent = AwaitedAnswer.of(state) instanceof Unknown<Json>
                            && KeeperPages.ofAgent(node).state() instanceof Known<Json>(Json told)
                    ? Optional.of(told)
                    : Optional.empty();
            return new NodeSeen(
                    AwaitedAnswer.of(state)
                            .map(Optional::of)
                            .orElse(agent)
                            .flatMap(said -> said.at("node").text())
                            .orElse(node.name()),
                    AwaitedAnswer.of(state),
                    agent,
                    AwaitedAnswer.of(pods),
                    AwaitedAnswer.of(checkpoints),
                    kubeletRuns(),
                    remembered(memory, "kubelet"),
                    clusterId(memory),
                    evidence(new NodeCertificateFiles(node, disk)::look));
        }
    }

    /** Names images by reference: the runtime names them by id. */
    private static List<RuntimePod> named(List<RuntimePod> pods, Map<String, List<String>> references) {
        return pods.stream()
                .map(pod -> new RuntimePod(
                        pod.namespace(),
                        pod.name(),
                        pod.uid(),
                        pod.isStatic(),
                        pod.state(),
                        pod.createdAt(),
                        pod.attempt(),
                        pod.containers().stream()
                                .map(container -> named(container, references))
                                .toList()))
                .toList();
    }

    private static RuntimeContainer named(RuntimeContainer container, Map<String, List<String>> references) {
        return references.getOrDefault(container.image(), List.of()).stream()
                .findFirst()
                .map(reference -> new RuntimeContainer(
                        container.name(),
                        reference,
                        container.state(),
                        container.attempt(),
                        container.createdAt(),
                        container.exit()))
                .orElse(container);
    }

    private <T> Evidence<T> evidence(Supplier<T> source) {
        try {
            return Evidence.known(source.get());
        } catch (ProblemException e) {
            return Evidence.unknown(asThere(e.problems().getFirst().describe()));
        }
    }

    /** The reason with file names as they are on the node. */
    private String asThere(String reason) {
        return node.root().equals(Path.of("/")) ? reason : reason.replace(node.root() + "/", "/");
    }

    private Map<ComponentName, Evidence<SavedSlots>> checkpoints() {
        CheckpointStore store = new CheckpointStore(disk, node.file(StateLayout.path(StateLayout.CHECKPOINTS)));
        Map<ComponentName, Evidence<SavedSlots>> all = new TreeMap<>();
        store.read()
                .slots()
                .forEach((component, slots) -> all.put(
                        component,
                        switch (slots) {
                            case Unknown<Slots>(String why) -> Evidence.unknown(asThere(why));
                            case Known<Slots>(Slots known) ->
                                evidence(() -> new SavedSlots(
                                        known.lastGood().map(revision -> saved(store, component, revision)),
                                        known.candidate().map(revision -> saved(store, component, revision))));
                        }));
        return all;
    }

    private SavedCheckpoint saved(CheckpointStore store, ComponentName component, Revision revision) {
        Checkpoint checkpoint = store.load(component, revision);
        List<DatedCertificate> certificates = new ArrayList<>();
        for (SavedFile file : checkpoint.files()) {
            certificates.addAll(NodeCertificateFiles.dated(
                    "checkpoint, " + file.volume() + "/" + file.path(),
                    file.content().bytes()));
        }
        return new SavedCheckpoint(
                revision, store.savedAt(component, revision), List.copyOf(checkpoint.images()), certificates);
    }

    /** What the keeper remembers of its cluster. */
    private Json memory() {
        Path file = node.file(StateLayout.path(StateLayout.KEEPER) + "/state.json");
        try {
            Optional<String> text = disk.readText(file);
            return text.isPresent() ? JsonText.read(text.get()) : Json.object();
        } catch (MalformedJson e) {
            throw new ProblemException(
                    new Problem(
                            ErrorCode.FOREIGN_FILE,
                            file.toString(),
                            "is not JSON: " + e.getMessage(),
                            "",
                            "move it away: the keeper writes it anew"),
                    e);
        }
    }

    private static Evidence<String> remembered(Evidence<Json> memory, String field) {
        return memory.flatMap(value -> value.at(field)
                .text()
                .map(Evidence::known)
                .orElseGet(() -> Evidence.unknown("the keeper has not seen it yet")));
    }

    private static Evidence<Optional<String>> clusterId(Evidence<Json> memory) {
        return memory.map(value -> value.at("clusterId").text());
    }

    private Evidence<Boolean> kubeletRuns() {
        try (Stream<Path> processes = Files.list(node.file("/proc"))) {
            return Evidence.known(processes
                    .filter(process -> process.getFileName().toString().matches("\\d+"))
                    .anyMatch(NodeSource::isKubelet));
        } catch (IOException e) {
            return Evidence.unknown("processes cannot be listed: " + e.getMessage());
        }
    }

    private static boolean isKubelet(Path process) {
        try {
            return Files.readString(process.resolve("comm")).strip().equals("kubelet");
        } catch (IOException e) {
            // It has ended since it was listed.
            return false;
        }
    }
}
