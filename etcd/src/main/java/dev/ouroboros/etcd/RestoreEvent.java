package dev.ouroboros.etcd;

import dev.ouroboros.etcd.decide.RestorePhase;
import java.nio.file.Path;

/** What a restore tells whoever listens. */
public sealed interface RestoreEvent {
    /** @param resumed whether a restore that was interrupted goes on */
    record Entered(RestorePhase phase, boolean resumed) implements RestoreEvent {}

    /** @param what changed since the last time */
    record Waiting(String what) implements RestoreEvent {}

    /** @param aside where the former data is, if there was any */
    record Restored(Path aside, boolean hadData, boolean revisionRaised) implements RestoreEvent {}

    /** This snapshot was restored by a start that has not ended yet. */
    record WasRestored() implements RestoreEvent {}
}
