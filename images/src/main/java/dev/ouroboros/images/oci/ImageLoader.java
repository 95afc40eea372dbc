package dev.ouroboros.images.oci;

import dev.ouroboros.images.archive.NamedImage;
import dev.ouroboros.images.binary.Progress;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.Processes;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Puts images where the kubelet's containerd finds them, without a registry.
 *
 * <p>containerd unpacks an image without syncing its files: after a power cut it lists an image as complete whose programs are empty
 * (seen with 1.6.20). So an image counts as loaded when it carries our label, and it gets that after its file system was synced;
 * one without is removed with its unpacked files and loaded again.
 */
public final class ImageLoader {
    private static final String NAMESPACE = "k8s.io";

    /** As Go says ENOSPC. */
    private static final String NO_ROOM = "no space left on device";

    private static final String SYNCED = "ouroboros.dev/synced=true";
    /** From containerd 1.7 on the kubelet's collection of images leaves it alone; before, our kubelets collect none until the disk is full. */
    private static final String PINNED = "io.cri-containerd.pinned=pinned";

    private static final Duration IMPORT_TIMEOUT = Duration.ofMinutes(10);

    /** Arguments: one socket, the other, names. */
    private static final String COPY = "set -o pipefail; from=$1 to=$2; shift 2; "
            + "ctr --address \"$from\" --namespace " + NAMESPACE + " images export - \"$@\" | "
            + "ctr --address \"$to\" --namespace " + NAMESPACE + " images import -";

    private final Processes processes;
    private final List<String> prefix;
    private final Path socket;
    private final Optional<Path> store;

    /**
     * A loader for one containerd.
     *
     * @param prefix a command that executes its arguments, such as {@code nsenter}; empty for none
     * @param socket of containerd, as the prefixed command sees it
     * @param store a directory on the file system where that containerd keeps images; empty to sync all file systems
     */
    public ImageLoader(Processes processes, List<String> prefix, Path socket, Optional<Path> store) {
        this.processes = processes;
        this.prefix = List.copyOf(prefix);
        this.socket = socket;
        this.store = store;
    }

    /** A row of containerd's list of images. */
    private record Listed(String name, String digest, boolean synced) {}

    /** The names of the images that containerd has. */
    public Set<String> names() {
        return list().stream().map(Listed::name).collect(Collectors.toUnmodifiableSet());
    }

    /**
     * Loads those images that containerd does not have, whole, with the same content. The name that pods use is moved when it
     * points to other content, an earlier build of the same version for example. When this returns, what was loaded survives a
     * power cut.
     *
     * @return those that were loaded
     */
    public List<ContainerImage> load(List<ContainerImage> images, Progress progress) {
        List<Listed> present = list();
        List<ContainerImage> loaded = new ArrayList<>();
        for (ContainerImage image : images) {
            Optional<Listed> found = find(present, image.uniqueReference());
            if (found.isPresent() && found.get().synced()) {
                pointTo(found.get(), find(present, image.reference()), image);
            } else {
                found.ifPresent(torn -> remove(torn, present));
                progress.say("loading the image " + image.reference());
                run(ctr("images", "import", image.archive().toString()).withTimeout(IMPORT_TIMEOUT));
                loaded.add(image);
            }
        }
        if (!loaded.isEmpty()) {
            sync();
            loaded.forEach(image -> run(ctr("images", "label", image.uniqueReference(), SYNCED)));
        }
        return List.copyOf(loaded);
    }

    /**
     * Loads an image of somebody else's unless containerd has it, whole, with the same content; it has all of its names afterwards, and
     * keeps those that it had. When this returns, it survives a power cut.
     *
     * @return whether anything was missing, of its content or its names
     */
    public boolean load(NamedImage image, Progress progress) {
        List<Listed> present = list();
        List<Listed> same = present.stream()
                .filter(listed -> listed.digest().equals(image.digest()))
                .toList();
        Optional<Listed> whole = same.stream().filter(Listed::synced).findFirst();
        List<String> missing = image.names().stream()
                .filter(name -> find(same, name).isEmpty())
                .toList();
        if (whole.isPresent()) {
            missing.forEach(
                    name -> run(ctr("images", "tag", "--force", whole.get().name(), name)));
        } else {
            if (!same.isEmpty()) {
                remove(same.getFirst(), present);
            }
            progress.say("loading the image " + image.names().getFirst());
            importWhole(image, present);
            sync();
            same.stream()
                    .map(Listed::name)
                    // Names by a digest alone are those of containerd's CRI plugin, which gives them again.
                    .filter(name ->
                            !name.startsWith("sha256:") && !image.names().contains(name))
                    .forEach(name ->
                            run(ctr("images", "tag", "--force", image.names().getFirst(), name)));
        }
        image.names().forEach(name -> run(ctr("images", "label", name, SYNCED, PINNED)));
        return whole.isEmpty() || !missing.isEmpty();
    }

    /**
     * Loads all that another containerd has and this one does not have, whole, under the same names. When this returns, it survives a power
     * cut. Both sockets are seen by the same prefixed command.
     *
     * @return the names that were loaded
     */
    public List<String> loadFrom(ImageLoader other, Progress progress) {
        List<Listed> present = list();
        Set<String> whole =
                present.stream().filter(Listed::synced).map(Listed::digest).collect(Collectors.toUnmodifiableSet());
        List<Listed> missing = other.list().stream()
                // Names by a digest alone are those of containerd's CRI plugin, which gives them again.
                .filter(image -> !image.name().startsWith("sha256:"))
                .filter(image -> !whole.contains(image.digest())
                        || find(present, image.name())
                                .filter(own -> own.digest().equals(image.digest()))
                                .isEmpty())
                .toList();
        if (missing.isEmpty()) {
            return List.of();
        }
        present.stream()
                .filter(torn -> !whole.contains(torn.digest()))
                .filter(torn ->
                        missing.stream().anyMatch(image -> image.digest().equals(torn.digest())))
                .collect(Collectors.toMap(Listed::digest, torn -> torn, (one, _) -> one))
                .values()
                .forEach(torn -> remove(torn, present));
        List<String> names = missing.stream().map(Listed::name).sorted().toList();
        progress.say("copying " + names.size() + " images");
        List<String> command =
                new ArrayList<>(List.of("bash", "-c", COPY, "copy", other.socket.toString(), socket.toString()));
        command.addAll(names);
        run(Command.of(command).behind(prefix).withTimeout(IMPORT_TIMEOUT));
        sync();
        names.forEach(name -> run(ctr("images", "label", name, SYNCED, PINNED)));
        return names;
    }

    /** A name without all of its content would be taken for the image. */
    private void importWhole(NamedImage image, List<Listed> before) {
        try {
            run(ctr("images", "import", image.archive().toString()).withTimeout(IMPORT_TIMEOUT));
        } catch (ProblemException e) {
            List<Listed> half = list().stream()
                    .filter(listed -> listed.digest().equals(image.digest()))
                    .filter(listed -> find(before, listed.name()).isEmpty())
                    .toList();
            if (!half.isEmpty()) {
                remove(half.getFirst(), half);
            }
            throw e.describe().contains(NO_ROOM)
                    ? ProblemException.of(
                            ErrorCode.DISK,
                            "image " + image.names().getFirst(),
                            "there is no room for it on the disk of containerd",
                            "room for the archive and what is in it",
                            "'ouro doctor' says what is full; make room, then load it again")
                    : e;
        }
    }

    private void pointTo(Listed content, Optional<Listed> name, ContainerImage image) {
        if (name.isEmpty() || !name.get().digest().equals(content.digest())) {
            run(ctr("images", "tag", "--force", image.uniqueReference(), image.reference()));
        }
    }

    /** With the last of its names its content goes too; containerd's CRI plugin gives each image one more. */
    private void remove(Listed torn, List<Listed> present) {
        List<String> arguments = new ArrayList<>(List.of("images", "delete", "--sync"));
        present.stream()
                .filter(other -> other.digest().equals(torn.digest()))
                .map(Listed::name)
                .forEach(arguments::add);
        run(ctr(arguments.toArray(String[]::new)));
    }

    private void sync() {
        List<String> command = new ArrayList<>(List.of("sync"));
        store.ifPresent(directory -> command.addAll(List.of("--file-system", directory.toString())));
        run(Command.of(command).behind(prefix).withTimeout(IMPORT_TIMEOUT));
    }

    /** Name and digest are the first and the third column; labels are in the last. */
    private List<Listed> list() {
        List<Listed> listed = new ArrayList<>();
        run(ctr("images", "ls")).lines().skip(1).forEach(line -> {
            List<String> columns = List.of(line.split("\\s+", 4));
            if (columns.size() > 3) {
                listed.add(new Listed(
                        columns.getFirst(), columns.get(2), columns.getLast().contains(SYNCED)));
            }
        });
        return listed;
    }

    private static Optional<Listed> find(List<Listed> present, String name) {
        return present.stream().filter(listed -> listed.name().equals(name)).findFirst();
    }

    private String run(Command command) {
        return processes.run(command).orThrow();
    }

    private Command ctr(String... arguments) {
        List<String> all = new ArrayList<>(List.of("ctr", "--address", socket.toString(), "--namespace", NAMESPACE));
        all.addAll(List.of(arguments));
        return Command.of(all).behind(prefix);
    }
}
