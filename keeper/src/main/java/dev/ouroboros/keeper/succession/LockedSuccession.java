package dev.ouroboros.keeper.succession;

import dev.ouroboros.keeper.decide.Successor;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.libc.InheritedFile;
import dev.ouroboros.node.lock.ExclusiveLock;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The succession by three locks in the keeper's directory. The kernel gives each back when its holder ends, however that came about.
 *
 * <ol>
 *   <li>{@code lock}: the container's command, util-linux {@code flock}, waits for it before there is a JVM, with less than a MiB. The
 *       JVM inherits it. A static copy that acts closes that descriptor to admit its successor.
 *   <li>{@code work}: of the JVM that acts. So two never act at once, and a keeper that was started without {@code flock} looks on.
 *   <li>{@code successor}: of a JVM that looks on, from when it sees the node and decides. It is given back before that JVM acts: no
 *       keeper may take itself for its own successor.
 * </ol>
 *
 * <p>The latter two are POSIX locks, which a process loses with the first descriptor of the same file that it closes: each has a file
 * of its own.
 */
public final class LockedSuccession implements Succession {
    private final Path queue;
    private final Path work;
    private final Path successor;
    private final boolean staticCopy;
    private Optional<ExclusiveLock> acting = Optional.empty();
    private Optional<ExclusiveLock> next = Optional.empty();
    private boolean admitted;

    /**
     * @param directory of the keeper; exists
     * @param staticCopy whether this is the copy that gives way
     */
    public LockedSuccession(Path directory, boolean staticCopy) {
        this.queue = directory.resolve("lock");
        this.work = directory.resolve("work");
        this.successor = directory.resolve("successor");
        this.staticCopy = staticCopy;
    }

    @Override
    public synchronized boolean begin() {
        if (acting.isEmpty()) {
            acting = ExclusiveLock.tryAcquire(work);
            if (acting.isPresent()) {
                next.ifPresent(ExclusiveLock::close);
                next = Optional.empty();
            }
        }
        return acting.isPresent();
    }

    @Override
    public synchronized void tellThatItDecides() {
        if (next.isEmpty() && acting.isEmpty()) {
            next = ExclusiveLock.tryAcquire(successor);
        }
    }

    @Override
    public synchronized Evidence<Successor> successor() {
        if (!staticCopy || !admitted) {
            return Evidence.known(Successor.WAITS);
        }
        try {
            return Evidence.known(ExclusiveLock.isHeld(successor) ? Successor.DECIDES : Successor.ADMITTED);
        } catch (ProblemException e) {
            return Evidence.unknown(String.valueOf(e.getMessage()));
        }
    }

    @Override
    public synchronized void admit() {
        InheritedFile.closeAll(queue);
        admitted = true;
    }

    @Override
    public synchronized void close() {
        acting.ifPresent(ExclusiveLock::close);
        next.ifPresent(ExclusiveLock::close);
    }
}
