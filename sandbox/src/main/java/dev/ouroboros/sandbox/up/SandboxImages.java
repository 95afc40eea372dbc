package dev.ouroboros.sandbox.up;

import dev.ouroboros.images.ImagesModule;
import dev.ouroboros.images.binary.Binaries;
import dev.ouroboros.images.binary.BinaryRequest;
import dev.ouroboros.images.binary.BinarySource;
import dev.ouroboros.images.binary.Progress;
import dev.ouroboros.images.oci.ContainerImage;
import dev.ouroboros.images.oci.ImageLoader;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.process.Processes;
import dev.ouroboros.sandbox.Sandbox;
import dev.ouroboros.sandbox.SandboxNode;
import dev.ouroboros.sandbox.node.NodeLayout;
import dev.ouroboros.sandbox.node.RunningNode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * The images that the nodes of a sandbox are to have. They pull from nowhere: what one has not yet is built from programs.
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

    /**
     * Of every node of a sandbox, by its name: an image must be wherever a pod may run.
     *
     * @throws ProblemException NOT_FOUND with each node that does not run
     */
    public static SortedMap<String, ImageLoader> loaders(Processes processes, Sandbox sandbox) {
        List<Problem> problems = new ArrayList<>();
        SortedMap<String, ImageLoader> loaders = new TreeMap<>();
        for (SandboxNode node : sandbox.nodes()) {
            node.running()
                    .ifPresentOrElse(
                            running -> loaders.put(node.name(), loader(processes, running)),
                            () -> problems.add(new Problem(
                                    ErrorCode.NOT_FOUND,
                                    "node " + node.name(),
                                    "does not run, and could not get the images",
                                    "",
                                    "boot it: ouro node on " + node.name())));
        }
        if (!problems.isEmpty()) {
            throw new ProblemException(problems);
        }
        return loaders;
    }

    /**
     * Nodes that are off get theirs when {@code ouro up} boots them.
     *
     * @throws ProblemException with each that is missing; NOT_FOUND when no node runs
     */
    public void require(List<String> wanted) {
        boolean isAnyOn =
                sandbox.nodes().stream().anyMatch(node -> node.running().isPresent());
        SortedMap<String, ImageLoader> loaders = isAnyOn ? new TreeMap<>() : loaders(processes, sandbox);
        for (SandboxNode node : sandbox.nodes()) {
            node.running()
                    .ifPresentOrElse(
                            running -> loaders.put(node.name(), loader(processes, running)),
                            () -> progress.say(
                                    "node " + node.name() + " is off, and has no new images before 'ouro up --name "
                                            + sandbox.name() + "' boots it"));
        }
        List<ImageLoader> lacking = loaders.values().stream()
                .filter(loader -> !loader.names().containsAll(wanted))
                .toList();
        if (!lacking.isEmpty()) {
            binaries.ifPresent(directory -> load(lacking, directory));
        }
        loaders.forEach((node, loader) -> requireAll(sandbox.name().toString(), node, wanted, loader.names()));
        progress.say(wanted.size() + " images are on "
                + (sandbox.nodes().size() == 1 ? "the node" : "every node that runs"));
    }

    /** @param present on the node */
    static void requireAll(String sandbox, String node, List<String> wanted, Set<String> present) {
        List<Problem> problems = wanted.stream()
                .filter(image -> !present.contains(image))
                .map(image -> new Problem(
                        ErrorCode.NOT_FOUND,
                        "image " + image,
                        "is not on node " + node,
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

    private void load(List<ImageLoader> loaders, Path directory) {
        ImagesModule module = images.get();
        BinarySource source = BinarySource.parse(directory.toString());
        Binaries programs =
                module.binaries().resolve(new BinaryRequest(Optional.of(source), Optional.empty(), true, progress));
        List<ContainerImage> built = module.builder().build(programs, progress);
        loaders.forEach(loader -> loader.load(built, progress));
    }
}
