package dev.ouroboros.keeper.observe;

import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.front.FrontState;
import dev.ouroboros.model.front.FrontTable;
import dev.ouroboros.model.front.Server;
import dev.ouroboros.node.front.Front;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where the front leads. The kernel is asked when it says that our table changed, after a change of our own, and every
 * {@link #READ_EVERY}; in between a lease runs down by the clock.
 */
final class FrontSource {
    private static final Logger LOG = LoggerFactory.getLogger(FrontSource.class);
    private static final Duration READ_EVERY = Duration.ofSeconds(30);

    private final Front front;
    private final InstantSource clock;
    private final Signal changed;
    private final AtomicReference<Reading> reading;

    private record Reading(FrontState state, Instant at) {}

    FrontSource(Front front, TableMonitor monitor, InstantSource clock, Signal changed) {
        this.front = front;
        this.clock = clock;
        this.changed = changed;
        this.reading = new AtomicReference<>(new Reading(new FrontState.Unknown("not read yet"), clock.instant()));
        monitor.onChange(FrontTable.NAME, this::refresh);
    }

    void start(Lookouts lookouts) {
        lookouts.every("front", READ_EVERY, this::refresh);
    }

    /** Asks the kernel. */
    synchronized void refresh() {
        FrontState state = front.read();
        Reading before = reading.getAndSet(new Reading(state, clock.instant()));
        if (!before.state().equals(state)) {
            if (state instanceof FrontState.Unknown(String reason)) {
                LOG.warn("component=keeper source=front event=unknown reason=\"{}\"", reason);
            }
            changed.raise();
        }
    }

    Evidence<FrontState> value() {
        Reading last = reading.get();
        return switch (last.state()) {
            case FrontState.Unknown(String reason) -> Evidence.unknown(reason);
            case FrontState.ToUnderstudy(Duration remaining, Optional<Duration> cutOff) -> {
                Optional<Duration> left = left(remaining, last.at());
                Optional<Duration> cut = cutOff.flatMap(lease -> left(lease, last.at()));
                yield Evidence.known(
                        left.isPresent()
                                ? new FrontState.ToUnderstudy(left.get(), cut)
                                : new FrontState.ToPrincipal(cut));
            }
            case FrontState.ToPrincipal(Optional<Duration> cutOff) ->
                Evidence.known(new FrontState.ToPrincipal(cutOff.flatMap(lease -> left(lease, last.at()))));
            case FrontState.NotInstalled _, FrontState.Foreign _, FrontState.Damaged _ -> Evidence.known(last.state());
        };
    }

    /** The principal while it is not known. */
    Server lead() {
        return value().is(state -> state instanceof FrontState.ToUnderstudy) ? Server.UNDERSTUDY : Server.PRINCIPAL;
    }

    private Optional<Duration> left(Duration lease, Instant then) {
        return Optional.of(lease.minus(Duration.between(then, clock.instant()))).filter(Duration::isPositive);
    }
}
