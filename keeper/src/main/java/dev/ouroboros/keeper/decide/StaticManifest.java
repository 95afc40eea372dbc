package dev.ouroboros.keeper.decide;

import dev.ouroboros.model.checkpoint.Revision;

/** What lies in the kubelet's manifest directory under the name of a component's understudy. */
public sealed interface StaticManifest {
    record Absent() implements StaticManifest {}

    /** Written by a keeper of ours, from this revision. */
    record Ours(Revision revision) implements StaticManifest {}

    /** Left by {@code ouro start}, which was killed or is at work: the temporary component of a pivot. */
    record OfStart() implements StaticManifest {}

    /** Somebody else's; neither replaced nor removed. */
    record Foreign() implements StaticManifest {}
}
