package dev.ouroboros.keeper;

import dev.ouroboros.keeper.decide.KeeperState;
import dev.ouroboros.keeper.observe.Signal;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Notices that this process got no processor for a while, as after SIGSTOP or on an overloaded machine. What the keeper saw last is then
 * out of date, and a state that it remembers as uninterrupted may have been interrupted: it begins anew like a keeper that was just
 * started, and only looks on until everything was looked at again. A late decision while it looks on does not prolong this: on a machine
 * where every decision is late, late decisions must do. One that is later than a minute does: the process was stopped again.
 */
public final class Standstill {
    /** A source's thread whose turn is overdue takes it at once; a probe gives up after three seconds, of a server that is slow later. */
    private static final Duration LOOKS_ON_FOR = Duration.ofSeconds(5);

    private static final Duration STOPPED = Duration.ofMinutes(1);

    private Instant last;
    private Optional<Instant> looksOnUntil = Optional.empty();

    /** @param now by a clock that does not jump, and goes on while the process stands still */
    public Standstill(Instant now) {
        this.last = now;
    }

    /**
     * To be asked before each decision.
     *
     * @return what may still be remembered
     */
    public KeeperState awaken(KeeperState remembered, Instant now) {
        Duration since = Duration.between(last, now);
        boolean late = since.compareTo(Signal.STOOD_STILL) > 0;
        boolean wasStopped = since.compareTo(STOPPED) > 0;
        last = now;
        if (looksOnUntil.isPresent() && !wasStopped) {
            looksOnUntil = looksOnUntil.filter(now::isBefore);
            return remembered;
        }
        if (!late) {
            return remembered;
        }
        looksOnUntil = Optional.of(now.plus(LOOKS_ON_FOR));
        return KeeperState.initial(remembered.podCheckpointer());
    }

    /** Whether the present decision must not be carried out. */
    public boolean looksOn() {
        return looksOnUntil.isPresent();
    }
}
