package dev.ouroboros.keeper.checkpoint;

import dev.ouroboros.core.checkpoint.Checkpoint;
import dev.ouroboros.core.json.Json;
import dev.ouroboros.core.keeper.ComponentName;
import dev.ouroboros.core.keeper.Revision;
import dev.ouroboros.node.disk.Disk;
import java.nio.file.Path;

/**
 * The checkpoints of a node. One writer; every method may be called again after it failed or was cut off.
 *
 * <p>All methods throw {@link dev.ouroboros.core.problem.ProblemException} with code DISK when the disk refuses; then what was
 * there before is there still.
 */
@SuppressWarnings("DoNotCallSuggester") // signatures first
public final class CheckpointStore {
    private final Disk disk;
    private final Path root;

    /** @param root {@code /var/lib/ouroboros/checkpoints} */
    public CheckpointStore(Disk disk, Path root) {
        this.disk = disk;
        this.root = root;
    }

    /** Reads and verifies everything: call it at the start, after a change, and now and then. */
    public StoredCheckpoints read() {
        throw new UnsupportedOperationException(disk + " " + root);
    }

    /** Saves a checkpoint and makes it the candidate. */
    public void save(Checkpoint checkpoint) {
        throw new UnsupportedOperationException();
    }

    /** Makes the candidate the last-good, at once; the one before is collected. Does nothing when it is that already. */
    public void promote(ComponentName component, Revision candidate) {
        throw new UnsupportedOperationException();
    }

    /** Forgets a candidate, if it still is this revision. */
    public void drop(ComponentName component, Revision candidate) {
        throw new UnsupportedOperationException();
    }

    /** Removes all checkpoints of a component. What is not ours in its directory stays, and the directory with it. */
    public void retire(ComponentName component) {
        throw new UnsupportedOperationException();
    }

    /** The whole, verified checkpoint of a slot. */
    public Checkpoint load(ComponentName component, Revision revision) {
        throw new UnsupportedOperationException();
    }

    /** The static pod made from a verified checkpoint; its volumes are in this store. */
    public Json.Fields understudyManifest(ComponentName component, Revision revision) {
        throw new UnsupportedOperationException();
    }

    /** Removes whole generations that no slot names, but not {@code inUse}: those a static manifest was made from. */
    public void collect(java.util.Map<ComponentName, Revision> inUse) {
        throw new UnsupportedOperationException();
    }
}
