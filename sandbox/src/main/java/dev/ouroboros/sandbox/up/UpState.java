package dev.ouroboros.sandbox.up;

import dev.ouroboros.images.binary.Binaries;
import dev.ouroboros.images.oci.BuiltImage;
import dev.ouroboros.images.oci.ContainerImage;
import dev.ouroboros.recovery.RecoveredCluster;
import dev.ouroboros.sandbox.node.RunningNode;
import java.util.List;
import java.util.Optional;

/** What the steps of one {@code up} tell each other. */
record UpState(
        Optional<CheckedSnapshot> snapshot,
        Optional<Binaries> foundBinaries,
        List<ContainerImage> images,
        Optional<RunningNode> startedNode,
        Optional<ClusterFacts> knownCluster) {
    UpState {
        images = List.copyOf(images);
    }

    static UpState begin() {
        return new UpState(Optional.empty(), Optional.empty(), List.of(), Optional.empty(), Optional.empty());
    }

    UpState with(CheckedSnapshot read) {
        return new UpState(Optional.of(read), foundBinaries, images, startedNode, knownCluster);
    }

    UpState with(Binaries found) {
        return new UpState(snapshot, Optional.of(found), images, startedNode, knownCluster);
    }

    UpState with(List<ContainerImage> built) {
        return new UpState(snapshot, foundBinaries, built, startedNode, knownCluster);
    }

    UpState with(RunningNode started) {
        return new UpState(snapshot, foundBinaries, images, Optional.of(started), knownCluster);
    }

    UpState with(ClusterFacts known) {
        return new UpState(snapshot, foundBinaries, images, startedNode, Optional.of(known));
    }

    Optional<RecoveredCluster> recovered() {
        return snapshot.map(CheckedSnapshot::cluster);
    }

    Binaries binaries() {
        return foundBinaries.orElseThrow(UpState::tooEarly);
    }

    RunningNode node() {
        return startedNode.orElseThrow(UpState::tooEarly);
    }

    ClusterFacts cluster() {
        return knownCluster.orElseThrow(UpState::tooEarly);
    }

    /** The reference of a built image. */
    String image(BuiltImage component) {
        return images.stream()
                .filter(image -> image.component() == component)
                .map(ContainerImage::reference)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("no image for " + component));
    }

    private static IllegalStateException tooEarly() {
        return new IllegalStateException("a step uses what a later one makes");
    }
}
