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
    private boolean done;

    StartRuns(Machine machine, Chance chance) {
        this.machine = machine;
        this.chance = chance;
    }

    /** Perhaps the next one. */
    void again() {
        if (done || last.filter(StartProcess::runs).isPresent() || !chance.of100(60)) {
            return;
        }
        boolean takesOver = refusedSince
                .filter(since -> since.isBefore(machine.now().minus(PATIENCE)))
                .isPresent();
        if (takesOver) {
            refusedSince = Optional.empty();
        }
        StartProcess next = new StartProcess(machine, chance.split(), takesOver);
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
    }

    boolean areDone() {
        return done;
    }

    void kill() {
        last.filter(StartProcess::runs).ifPresent(StartProcess::kill);
    }

    /** With everything else, when the power goes. */
    void stop() {
        last.ifPresent(StartProcess::stop);
    }
}
