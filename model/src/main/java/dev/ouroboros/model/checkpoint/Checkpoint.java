package dev.ouroboros.model.checkpoint;

import dev.ouroboros.model.component.ComponentName;
import dev.ouroboros.model.component.Role;
import dev.ouroboros.model.digest.Sha256;
import dev.ouroboros.model.flags.CommandLine;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.version.KubernetesVersion;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Comparator;
import java.util.List;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.TreeSet;

/**
 * Everything a component needs to run without an API server, as one value. The revision is derived: it cannot disagree with
 * the content.
 *
 * @param component the component that is saved
 * @param role its role in the control plane
 * @param pod the sanitized manifest ({@link Sanitizing}): no reference to an API object; saved volumes are hostPaths relative to
 *     the directory of the checkpoint's files
 * @param files of the saved volumes, in the order of volume and path
 */
public record Checkpoint(ComponentName component, Role role, Json.Fields pod, List<SavedFile> files) {
    private static final Comparator<SavedFile> ORDER =
            Comparator.comparing(SavedFile::volume).thenComparing(SavedFile::path);

    public Checkpoint {
        files = files.stream().sorted(ORDER).toList();
        for (int at = 1; at < files.size(); at++) {
            if (ORDER.compare(files.get(at - 1), files.get(at)) == 0) {
                throw new IllegalArgumentException("two files " + files.get(at).volume() + "/"
                        + files.get(at).path());
            }
        }
    }

    /**
     * Equal exactly when manifest and files are. SHA-256 over texts that each come after their length, so that no two contents
     * make the same sequence of bytes.
     */
    public Revision revision() {
        MessageDigest digest = Sha256.begin();
        add(digest, Canonical.text(pod));
        for (SavedFile file : files) {
            add(digest, file.volume().getBytes(StandardCharsets.UTF_8));
            add(digest, file.path().getBytes(StandardCharsets.UTF_8));
            digest.update(ByteBuffer.allocate(2 * Integer.BYTES)
                    .putInt(file.mode())
                    .putInt(file.group())
                    .flip());
            add(digest, file.content().bytes());
        }
        return new Revision(Sha256.hex(digest));
    }

    private static void add(MessageDigest digest, byte[] text) {
        digest.update(ByteBuffer.allocate(Integer.BYTES).putInt(text.length).flip());
        digest.update(text);
    }

    /** The saved volumes, also those without a file: each is a directory. */
    public NavigableSet<String> volumes() {
        NavigableSet<String> saved = new TreeSet<>();
        for (LocatedJson volume : LocatedJson.volumesOf(pod)) {
            volume.at("hostPath")
                    .value()
                    .at("path")
                    .text()
                    .filter(path -> !path.startsWith("/"))
                    .ifPresent(saved::add);
        }
        return saved;
    }

    /** Images of the pod's containers and image volumes, each once. */
    public NavigableSet<String> images() {
        return imagesOf(pod);
    }

    /** Images of a pod's containers and image volumes, each once. */
    public static NavigableSet<String> imagesOf(Json.Fields pod) {
        NavigableSet<String> images = new TreeSet<>();
        LocatedJson.containersOf(pod).forEach(container -> images.add(container.text("image")));
        LocatedJson.volumesOf(pod)
                .forEach(volume -> images.add(volume.at("image").text("reference")));
        images.remove("");
        return images;
    }

    /** The version of Kubernetes in the checkpoint, as far as the image's tag says so. */
    public Optional<KubernetesVersion> version() {
        return versionOf(pod, role);
    }

    /** The version of Kubernetes in a pod of a component, as far as the tag of its image says so. */
    public static Optional<KubernetesVersion> versionOf(Json.Fields pod, Role role) {
        return PodIdentity.mainContainer(pod, role)
                .map(container -> container.text("image"))
                .flatMap(Checkpoint::versionOf);
    }

    /** The words that start the component's program; none when no container runs it. */
    public CommandLine commandLine() {
        return main().map(container -> CommandLine.of(container.value())).orElse(new CommandLine(List.of()));
    }

    /** Path of the template's field that holds the command line, for people. */
    public String commandLinePath() {
        return templatePath(
                main().filter(container -> container.value().at("command").isNull())
                                .isPresent()
                        ? "args"
                        : "command");
    }

    /** Where the template of this pod names the image of the component. */
    public String imagePath() {
        return templatePath("image");
    }

    private String templatePath(String field) {
        return "spec.template." + main().map(LocatedJson::path).orElse("spec.containers[]") + "." + field;
    }

    private Optional<LocatedJson> main() {
        return PodIdentity.mainContainer(pod, role);
    }

    /** Content of the file at a path in the component's container, if the file is in a saved volume. */
    public Optional<Content> fileAt(String path) {
        return main().stream()
                .flatMap(container -> container.each("volumeMounts"))
                .filter(mount -> path.startsWith(mount.text("mountPath") + "/"))
                .max(Comparator.comparingInt(mount -> mount.text("mountPath").length()))
                .filter(mount -> mount.text("subPath").isEmpty())
                .flatMap(mount -> {
                    String relative = path.substring(mount.text("mountPath").length() + 1);
                    return files.stream()
                            .filter(file -> file.volume().equals(mount.text("name"))
                                    && file.path().equals(relative))
                            .findFirst();
                })
                .map(SavedFile::content);
    }

    /** The version in the tag of {@code host:5000/name:v1.20.2@sha256:...}: a colon before the last slash is a port. */
    private static Optional<KubernetesVersion> versionOf(String image) {
        int at = image.indexOf('@');
        String name = at < 0 ? image : image.substring(0, at);
        int colon = name.indexOf(':', name.lastIndexOf('/') + 1);
        return colon < 0 ? Optional.empty() : KubernetesVersion.parse(name.substring(colon + 1));
    }
}
