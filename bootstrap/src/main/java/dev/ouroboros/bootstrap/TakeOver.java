package dev.ouroboros.bootstrap;

import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.port.PortProbe;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;

/**
 * Ends the understudies that the keeper of this node has started, for a cluster that the keeper cannot bring back: when no scheduler was
 * ever checkpointed, nobody places the pods that would relieve them. Start's lock must be held: while it is, the keeper begins nothing.
 */
final class TakeOver {
    /** The keeper looks for start's lock each second; what it had begun before may still be written. */
    private static final Duration QUIET = Duration.ofSeconds(3);

    private static final Duration LOOK = Duration.ofMillis(200);
    /** Two minutes for the kubelet, which ends a static pod within its grace period. */
    private static final Duration LIMIT = Duration.ofMinutes(2);

    private final Disk disk;
    private final KeeperFiles files;
    private final InstantSource clock;

    TakeOver(Disk disk, KeeperFiles files, InstantSource clock) {
        this.disk = disk;
        this.files = files;
        this.clock = clock;
    }

    /**
     * Returns when no understudy is left.
     *
     * @throws ProblemException TIMEOUT when one of them still listens after {@link #LIMIT}
     */
    void run() throws InterruptedException {
        Instant begun = clock.instant();
        Instant quietSince = begun;
        Set<Component> removed = EnumSet.noneOf(Component.class);
        while (Duration.between(quietSince, clock.instant()).compareTo(QUIET) < 0) {
            SortedMap<Component, Path> there = files.understudies();
            there.values().forEach(disk::delete);
            removed.addAll(there.keySet());
            // Only ports of removed understudies: the others may be those of a killed start that is to go on.
            Optional<Component> listening = removed.stream()
                    .filter(component -> PortProbe.listens(component.understudyPort()))
                    .findFirst();
            if (listening.isPresent()) {
                requireTime(begun, listening.get());
                quietSince = clock.instant();
            }
            Thread.sleep(LOOK);
        }
    }

    private void requireTime(Instant begun, Component component) {
        if (Duration.between(begun, clock.instant()).compareTo(LIMIT) > 0) {
            throw ProblemException.of(
                    ErrorCode.TIMEOUT,
                    "127.0.0.1:" + component.understudyPort(),
                    "something still listens there, " + LIMIT.toSeconds()
                            + " s after the manifest of the keeper's understudy of " + component.id()
                            + " was removed",
                    "a kubelet that ends static pods whose manifest is gone",
                    "look whether the kubelet runs, and run the same command again");
        }
    }
}
