package dev.ouroboros.keeper.checkpoint;

import dev.ouroboros.core.json.Json;
import dev.ouroboros.core.keeper.ComponentName;
import dev.ouroboros.core.keeper.Revision;
import dev.ouroboros.core.keeper.Role;
import dev.ouroboros.core.keeper.StaticManifest;
import dev.ouroboros.node.disk.Disk;
import java.nio.file.Path;
import java.util.SortedMap;

/** The kubelet's manifest directory. What carries neither the keeper's nor start's mark is never touched. */
@SuppressWarnings("DoNotCallSuggester") // signatures first
public final class StaticManifests {
    private final Disk disk;
    private final Path directory;

    /** @param directory {@code /etc/kubernetes/manifests} */
    public StaticManifests(Disk disk, Path directory) {
        this.disk = disk;
        this.directory = directory;
    }

    /**
     * What stands for a component: under the name of its understudy, else, for the three components of a pivot, start's temporary
     * pod. A file of that name that carries no mark, or cannot be understood, is Foreign.
     */
    public StaticManifest read(ComponentName component, Role role) {
        throw new UnsupportedOperationException(disk + " " + directory);
    }

    /** Every manifest of the keeper's with its revision, also of components that nobody knows any more. */
    public SortedMap<ComponentName, Revision> ours() {
        throw new UnsupportedOperationException();
    }

    /**
     * Gives the kubelet an understudy; start's temporary pod of the same component is removed first.
     *
     * @throws dev.ouroboros.core.problem.ProblemException FOREIGN_FILE when somebody else's file has its name
     */
    public void write(ComponentName component, Role role, Json.Fields manifest) {
        throw new UnsupportedOperationException();
    }

    /** Removes the understudy of a component and start's temporary pod; false when there was none of ours. */
    public boolean remove(ComponentName component, Role role) {
        throw new UnsupportedOperationException();
    }
}
