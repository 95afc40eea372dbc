package dev.ouroboros.images.oci;

import dev.ouroboros.images.binary.Progress;
import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.Processes;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Puts images where the kubelet's containerd finds them, without a registry. */
public final class ImageLoader {
    private static final String NAMESPACE = "k8s.io";
    private static final Duration IMPORT_TIMEOUT = Duration.ofMinutes(10);

    private final Processes processes;
    private final List<String> prefix;
    private final Path socket;

    /**
     * A loader for one containerd.
     *
     * @param prefix a command that executes its arguments, such as {@code nsenter}; empty for none
     * @param socket of containerd, as the prefixed command sees it
     */
    public ImageLoader(Processes processes, List<String> prefix, Path socket) {
        this.processes = processes;
        this.prefix = List.copyOf(prefix);
        this.socket = socket;
    }

    /**
     * Loads those images that containerd does not have with the same content. The name that pods use is moved when it points
     * to other content, an earlier build of the same version for example.
     *
     * @return those that were loaded
     */
    public List<ContainerImage> load(List<ContainerImage> images, Progress progress) {
        Map<String, String> present = digests();
        List<ContainerImage> loaded = new ArrayList<>();
        for (ContainerImage image : images) {
            String digest = present.get(image.uniqueReference());
            if (digest == null) {
                progress.say("loading the image " + image.reference());
                processes
                        .run(ctr("images", "import", image.archive().toString()).withTimeout(IMPORT_TIMEOUT))
                        .orThrow();
                loaded.add(image);
            } else if (!digest.equals(present.get(image.reference()))) {
                processes
                        .run(ctr("images", "tag", "--force", image.uniqueReference(), image.reference()))
                        .orThrow();
            }
        }
        return List.copyOf(loaded);
    }

    /** Name to digest of all images that containerd has; in the listing they are the first and the third column. */
    private Map<String, String> digests() {
        Map<String, String> digests = new HashMap<>();
        processes.run(ctr("images", "ls")).orThrow().lines().skip(1).forEach(line -> {
            List<String> columns = List.of(line.split("\\s+", 4));
            if (columns.size() > 2) {
                digests.put(columns.getFirst(), columns.get(2));
            }
        });
        return digests;
    }

    private Command ctr(String... arguments) {
        List<String> all = new ArrayList<>(List.of("ctr", "--address", socket.toString(), "--namespace", NAMESPACE));
        all.addAll(List.of(arguments));
        return Command.of(all).behind(prefix);
    }
}
