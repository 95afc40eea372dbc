package dev.ouroboros.cli.upgrade;

import dev.ouroboros.cli.program.ThisMachine;
import dev.ouroboros.images.ImagesModule;
import dev.ouroboros.images.binary.Binaries;
import dev.ouroboros.images.binary.BinaryRequest;
import dev.ouroboros.images.binary.BinarySource;
import dev.ouroboros.images.binary.Progress;
import dev.ouroboros.images.oci.ImageLoader;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.Processes;
import dev.ouroboros.sandbox.Sandbox;
import dev.ouroboros.sandbox.node.NodeLayout;
import dev.ouroboros.sandbox.node.RunningNode;
import dev.ouroboros.upgrade.apply.ApplyListener;
import dev.ouroboros.upgrade.apply.NamedManifests;
import dev.ouroboros.upgrade.decide.UpgradeStage;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The images that an upgrade of a sandbox needs. Its node pulls from nowhere: what it has not yet is built from the target's programs. */
final class UpgradeImages {
    private final Sandbox sandbox;
    private final Optional<Path> binaries;
    private final ApplyListener listener;

    /** @param binaries the target's programs */
    UpgradeImages(Sandbox sandbox, Optional<Path> binaries, ApplyListener listener) {
        this.sandbox = sandbox;
        this.binaries = binaries;
        this.listener = listener;
    }

    /** @throws ProblemException with each that is missing */
    void require(NamedManifests target) {
        List<String> wanted = Stream.of(UpgradeStage.values())
                .flatMap(stage -> target.of(stage).stream())
                .flatMap(name -> target.images(name).stream())
                .distinct()
                .sorted()
                .toList();
        RunningNode node = sandbox.node()
                .orElseThrow(() -> ProblemException.of(
                        ErrorCode.NOT_FOUND,
                        "sandbox " + sandbox.name(),
                        "its node does not run",
                        "",
                        "ouro up --name " + sandbox.name()));
        if (!present(node).containsAll(wanted)) {
            binaries.ifPresent(directory -> load(node, directory));
        }
        requireAll(sandbox.name().toString(), wanted, present(node));
        listener.did(wanted.size() + " images are on the node");
    }

    /** @param present on the node */
    static void requireAll(String sandbox, List<String> wanted, Set<String> present) {
        List<Problem> problems = wanted.stream()
                .filter(image -> !present.contains(image))
                .map(image -> new Problem(
                        ErrorCode.NOT_FOUND,
                        "image " + image,
                        "is not on the sandbox's node",
                        "",
                        image.startsWith("localhost/")
                                ? "--binaries DIR with the target's programs, or 'ouro images load --name " + sandbox
                                        + " --bundle FILE'"
                                : "'ouro images load FILE --as " + image + " --name " + sandbox
                                        + "', with FILE of 'docker save'"))
                .toList();
        if (!problems.isEmpty()) {
            throw new ProblemException(problems);
        }
    }

    private static Set<String> present(RunningNode node) {
        return ThisMachine.processes()
                .run(node.enter(Command.of("ctr", "--namespace", "k8s.io", "images", "list", "--quiet")))
                .orThrow()
                .lines()
                .collect(Collectors.toUnmodifiableSet());
    }

    private void load(RunningNode node, Path directory) {
        Processes processes = ThisMachine.processes();
        Progress progress = listener::did;
        ImagesModule images = ThisMachine.images();
        BinarySource source = BinarySource.parse(directory.toString());
        Binaries programs =
                images.binaries().resolve(new BinaryRequest(Optional.of(source), Optional.empty(), true, progress));
        new ImageLoader(
                        processes,
                        List.of(),
                        node.file(NodeLayout.CONTAINERD_SOCKET),
                        Optional.of(node.file(NodeLayout.CONTAINERD_STORE)))
                .load(images.builder().build(programs, progress), progress);
    }
}
