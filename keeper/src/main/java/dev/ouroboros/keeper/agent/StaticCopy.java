package dev.ouroboros.keeper.agent;

import dev.ouroboros.model.checkpoint.Understudy;
import dev.ouroboros.model.component.NodeAgentObjects;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.json.JsonText;
import dev.ouroboros.model.json.JsonText.MalformedJson;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.disk.Disk;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;

/**
 * The static pod of a node's agent: its manifest, which comes with the agent's Secret, and the kubeconfig, which the static pod cannot have from
 * the API. Every method may be called again after it failed or was cut off.
 */
final class StaticCopy {
    private final Disk disk;
    private final Path source;
    private final Path kubeconfig;
    private final Path manifest;
    private final Path savedKubeconfig;

    /**
     * @param source of the manifest
     * @param kubeconfig of the agent
     * @param manifests the kubelet's directory
     * @param directory of the agent
     */
    StaticCopy(Disk disk, Path source, Path kubeconfig, Path manifests, Path directory) {
        this.disk = disk;
        this.source = source;
        this.kubeconfig = kubeconfig;
        this.manifest = manifests.resolve(NodeAgentObjects.STATIC_MANIFEST);
        this.savedKubeconfig = directory.resolve(NodeAgentObjects.SAVED_KUBECONFIG);
    }

    /** Whether everything is as it should be; unknown when nothing can be said, or somebody else's file has the manifest's name. */
    Evidence<Boolean> isRight() {
        try {
            Optional<byte[]> there = disk.read(manifest);
            if (there.isPresent() && !isOurs(there.get())) {
                return Evidence.unknown(manifest + " was written by somebody else: move it away if it is not needed");
            }
            Optional<byte[]> wanted = disk.read(source);
            if (wanted.isEmpty()) {
                return Evidence.unknown(source + " is not there: the agent's DaemonSet brings it");
            }
            return Evidence.known(isSame(there, wanted) && isSame(disk.read(savedKubeconfig), disk.read(kubeconfig)));
        } catch (ProblemException e) {
            return Evidence.unknown(e.describe());
        }
    }

    private static boolean isSame(Optional<byte[]> one, Optional<byte[]> other) {
        return one.isPresent() && other.isPresent() && Arrays.equals(one.get(), other.get());
    }

    private static boolean isOurs(byte[] text) {
        try {
            return JsonText.read(new String(text, StandardCharsets.UTF_8))
                    .at("metadata", "annotations", Understudy.OWNER_ANNOTATION)
                    .equals(Json.text(NodeAgentObjects.OWNER));
        } catch (MalformedJson e) {
            // Our writes are whole or not there.
            return false;
        }
    }

    /**
     * Writes what is not as it should be, the manifest last: the kubelet starts the pod at once.
     *
     * @throws ProblemException when the disk refuses
     */
    void write() {
        copy(kubeconfig, savedKubeconfig);
        copy(source, manifest);
    }

    private void copy(Path from, Path to) {
        Optional<byte[]> wanted = disk.read(from);
        if (wanted.isPresent() && !isSame(disk.read(to), wanted)) {
            disk.write(to, wanted.get(), Disk.OWNER_ONLY_FILE);
        }
    }

    /**
     * Removes it, the key first: the kubelet ends this process at once when the manifest is gone.
     *
     * @throws ProblemException when the disk refuses
     */
    void remove() {
        disk.delete(savedKubeconfig);
        if (disk.read(manifest).filter(StaticCopy::isOurs).isPresent()) {
            disk.delete(manifest);
        }
    }

    /**
     * Whether a removal was cut off: {@link #write} never leaves a manifest without the key.
     *
     * @throws ProblemException when the disk refuses
     */
    boolean isHalfRemoved() {
        return disk.read(savedKubeconfig).isEmpty()
                && disk.read(manifest).filter(StaticCopy::isOurs).isPresent();
    }
}
