package dev.ouroboros.sim;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** {@code ouro start} as people run it: again and again until it says that it is done, and with {@code --take-over} when it was refused for long. */
final class StartRuns {
    static final Duration AGAIN = Duration.ofSeconds(5);
    private static final Duration PATIENCE = Duration.ofMinutes(10);

    private final Machine machine;
    private final Chance chance;
    private Optional<StartProcess> last = Optional.empty();
    private Optional<Instant> refusedSince = Optional.empty();
    private Optional<EtcdMemberModel.Snapshot> restores = Optional.empty();
    private boolean done;

    StartRuns(Machine machine, Chance chance) {
        this.machine = machine;
        this.chance = chance;
    }

    /** Perhaps begins the next run. */
    void again() {
        if (done || last.filter(StartProcess::runs).isPresent() || !chance.of100(60)) {
            return;
        }
        // People who restore know that the keeper's understudies are of no use.
        boolean takesOver = restores.isPresent()
                || refusedSince
                        .filter(since -> since.isBefore(machine.now().minus(PATIENCE)))
                        .isPresent();
        if (takesOver) {
            refusedSince = Optional.empty();
        }
        StartProcess next = new StartProcess(machine, chance.split(), takesOver, restores);
        last = Optional.of(next);
        next.begin();
    }

    boolean isAtWork() {
        return last.filter(StartProcess::isAtWork).isPresent();
    }

    void refused() {
        refusedSince = refusedSince.or(() -> Optional.of(machine.now()));
    }

    void done() {
        done = true;
        restores = Optional.empty();
    }

    boolean isRestoring() {
        return restores.isPresent();
    }

    /** Every next run restores, until one is done. */
    void restore(EtcdMemberModel.Snapshot snapshot) {
        restores = Optional.of(snapshot);
        done = false;
    }

    /** The file was no good: there is another one. */
    void restoreFailed() {
        restores = restores.map(EtcdMemberModel.Snapshot::good);
    }

    boolean areDone() {
        return done;
    }

    void kill() {
        last.filter(StartProcess::runs).ifPresent(StartProcess::kill);
    }

    /** Its process gets no processor for a while, and holds its lock. */
    void standStill(Duration how) {
        last.filter(StartProcess::runs).ifPresent(process -> process.standStill(how));
    }

    /** Ends it with all else when the power is cut. */
    void stop() {
        last.ifPresent(StartProcess::stop);
    }
}
