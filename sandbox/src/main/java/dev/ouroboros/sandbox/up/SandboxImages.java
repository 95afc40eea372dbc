package dev.ouroboros.sandbox.up;

import dev.ouroboros.images.ImagesModule;
import dev.ouroboros.images.binary.Binaries;
import dev.ouroboros.images.binary.BinaryRequest;
import dev.ouroboros.images.binary.BinarySource;
import dev.ouroboros.images.binary.Progress;
import dev.ouroboros.images.oci.ImageLoader;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.process.Processes;
import dev.ouroboros.sandbox.Sandbox;
import dev.ouroboros.sandbox.node.NodeLayout;
import dev.ouroboros.sandbox.node.RunningNode;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/**
 * The images that a sandbox is to have. Its node pulls from nowhere: what it has not yet is built from programs.
 *
 * @param images made when something is to be built
 * @param binaries the programs that images are built from
 */
public record SandboxImages(
        Sandbox sandbox,
        Processes processes,
        Supplier<ImagesModule> images,
        Optional<Path> binaries,
        Progress progress) {
    /** Of a node's containerd. A socket is reached through the root directory of process 1 too: ctr runs on the host, beside the archives. */
    public static ImageLoader loader(Processes processes, RunningNode node) {
        return new ImageLoader(
                processes,
                List.of(),
                node.file(NodeLayout.CONTAINERD_SOCKET),
                Optional.of(node.file(NodeLayout.CONTAINERD_STORE)));
    }

    /** @throws ProblemException with each that is missing */
    public void require(List<String> wanted) {
        ImageLoader loader = loader(processes, sandbox.requireNode("ouro up --name " + sandbox.name()));
        if (!loader.names().containsAll(wanted)) {
            binaries.ifPresent(directory -> load(loader, directory));
        }
        requireAll(sandbox.name().toString(), wanted, loader.names());
        progress.say(wanted.size() + " images are on the node");
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

    private void load(ImageLoader loader, Path directory) {
        ImagesModule module = images.get();
        BinarySource source = BinarySource.parse(directory.toString());
        Binaries programs =
                module.binaries().resolve(new BinaryRequest(Optional.of(source), Optional.empty(), true, progress));
        loader.load(module.builder().build(programs, progress), progress);
    }
}
