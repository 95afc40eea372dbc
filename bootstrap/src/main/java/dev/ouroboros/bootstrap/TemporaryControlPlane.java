package dev.ouroboros.bootstrap;

import dev.ouroboros.bootstrap.decide.Handover;
import dev.ouroboros.bootstrap.decide.PivotObservation.Manifest;
import dev.ouroboros.model.asset.AssetLayout;
import dev.ouroboros.model.checkpoint.Understudy;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.render.understudy.PodYaml;
import dev.ouroboros.render.understudy.TemporaryPod;
import io.fabric8.kubernetes.api.model.Pod;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;

/**
 * The files that make the kubelet run the temporary control plane: static manifests, and the keys they mount. Only what carries
 * our marker is replaced or removed.
 */
final class TemporaryControlPlane {
    private static final String SECRETS_MARKER = ".written-by-ouro-start";
    private static final String INCOMPLETE = "-incomplete";

    private final Disk disk;
    private final Path manifestDirectory;
    private final Path secretsDirectory;
    private final StartAssets assets;
    private final ApiAddress address;

    TemporaryControlPlane(Disk disk, Path manifestDirectory, StartAssets assets, ApiAddress address) {
        this.disk = disk;
        this.manifestDirectory = manifestDirectory;
        this.secretsDirectory = Path.of(AssetLayout.BOOTSTRAP_SECRETS_DIRECTORY);
        this.assets = assets;
        this.address = address;
    }

    /** What lies where each component's manifest belongs; unknown when the directory cannot be read. */
    Map<Component, Evidence<Manifest>> observeManifests() {
        Map<Component, Evidence<Manifest>> result = new EnumMap<>(Component.class);
        for (Component component : Component.WITH_UNDERSTUDY) {
            result.put(component, observe(component));
        }
        return result;
    }

    private Evidence<Manifest> observe(Component component) {
        try {
            Optional<String> text = disk.readText(fileOf(component));
            return Evidence.known(text.map(content -> isOurs(content) ? Manifest.OURS : Manifest.FOREIGN)
                    .orElse(Manifest.ABSENT));
        } catch (ProblemException e) {
            return Evidence.unknown(e.describe());
        }
    }

    private boolean isOurs(String content) {
        try {
            Pod pod = PodYaml.parse("static manifest", content);
            Map<String, String> annotations = pod.getMetadata().getAnnotations();
            return annotations != null && TemporaryPod.OWNER.equals(annotations.get(Understudy.OWNER_ANNOTATION));
        } catch (ProblemException e) {
            // What cannot be understood was not written by us: our writes are whole or not there.
            return false;
        }
    }

    void writeManifest(Component component) {
        if (observe(component).is(manifest -> manifest == Manifest.FOREIGN)) {
            throw ProblemException.of(
                    ErrorCode.FOREIGN_FILE,
                    fileOf(component).toString(),
                    "was written by somebody else meanwhile",
                    "no file there, or ours",
                    "move it away if it is not needed and run the same command again");
        }
        disk.createDirectories(manifestDirectory, Disk.OWNER_ONLY_DIRECTORY);
        byte[] content = PodYaml.write(podOf(component)).getBytes(StandardCharsets.UTF_8);
        disk.write(fileOf(component), content, Disk.OWNER_ONLY_FILE);
    }

    private Pod podOf(Component component) {
        boolean sharesPort = component == Component.API_SERVER && address.handover() == Handover.OUTAGE;
        return sharesPort ? assets.temporaryApiServerOn(address.port()) : assets.temporaryPod(component);
    }

    void removeManifest(Component component) {
        if (observe(component).is(manifest -> manifest == Manifest.OURS)) {
            disk.delete(fileOf(component));
        }
    }

    /** Known when all or nothing is there; unknown while a copy or a removal is half done. */
    Evidence<Boolean> observeSecrets() {
        try {
            if (disk.read(incompleteMarker()).isPresent()) {
                return Evidence.unknown("half copied");
            }
            return Evidence.known(
                    disk.read(secretsDirectory.resolve(SECRETS_MARKER)).isPresent());
        } catch (ProblemException e) {
            return Evidence.unknown(e.describe());
        }
    }

    /** Whoever finds a copy that is half made copies all of it. */
    static void forgetSecrets(Disk disk) {
        Path directory = Path.of(AssetLayout.BOOTSTRAP_SECRETS_DIRECTORY);
        if (disk.read(directory.resolve(SECRETS_MARKER)).isPresent()) {
            disk.write(directory.resolve(SECRETS_MARKER + INCOMPLETE), new byte[0], Disk.OWNER_ONLY_FILE);
            disk.delete(directory.resolve(SECRETS_MARKER));
        }
    }

    void copySecrets() {
        boolean foreign = !disk.list(secretsDirectory).isEmpty()
                && !observeSecrets().is(Boolean::booleanValue)
                && disk.read(incompleteMarker()).isEmpty();
        if (foreign) {
            throw ProblemException.of(
                    ErrorCode.FOREIGN_FILE,
                    secretsDirectory.toString(),
                    "has files that ouro did not write",
                    "an empty or missing directory",
                    "move it away if it is not needed and run the same command again");
        }
        disk.createDirectories(secretsDirectory, Disk.OWNER_ONLY_DIRECTORY);
        disk.write(incompleteMarker(), new byte[0], Disk.OWNER_ONLY_FILE);
        assets.secrets().forEach((name, content) -> {
            Path file = secretsDirectory.resolve(name);
            disk.createDirectories(file.resolveSibling(".").normalize(), Disk.OWNER_ONLY_DIRECTORY);
            disk.write(file, content, Disk.OWNER_ONLY_FILE);
        });
        // Last: its presence says that everything else is there.
        disk.write(secretsDirectory.resolve(SECRETS_MARKER), new byte[0], Disk.OWNER_ONLY_FILE);
        disk.delete(incompleteMarker());
    }

    private Path incompleteMarker() {
        return secretsDirectory.resolve(SECRETS_MARKER + INCOMPLETE);
    }

    void removeSecrets() {
        if (!observeSecrets().is(present -> !present)) {
            // Written first, so that what a killed removal leaves is known to be ours; removed last, with its
            // directory.
            disk.write(incompleteMarker(), new byte[0], Disk.OWNER_ONLY_FILE);
            disk.list(secretsDirectory).stream()
                    .map(secretsDirectory::resolve)
                    .filter(file -> !file.equals(incompleteMarker()))
                    .forEach(disk::deleteTree);
            disk.deleteTree(secretsDirectory);
        }
    }

    private Path fileOf(Component component) {
        return manifestDirectory.resolve(StartAssets.manifestFileName(component));
    }
}
