package dev.ouroboros.steward;

import dev.ouroboros.api.ApiException;
import dev.ouroboros.api.NodeLease;
import dev.ouroboros.model.component.Component;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Whether this steward leads: the one that has the Lease decides for the cluster. */
final class Leadership {
    /** Name of the Lease, in kube-system. */
    static final String LEASE = Component.STEWARD.id();

    private static final Logger LOG = LoggerFactory.getLogger(Leadership.class);
    /** Shorter than the 40 s after which another steward may take the Lease. */
    private static final Duration LEADS_FOR = Duration.ofSeconds(30);

    private final NodeLease lease;
    private final InstantSource clock;
    private volatile Optional<Instant> ledAt = Optional.empty();

    /** @param clock that does not jump */
    Leadership(NodeLease lease, InstantSource clock) {
        this.lease = lease;
        this.clock = clock;
    }

    /** Whether this steward leads now. */
    boolean leads() {
        return ledAt.filter(at -> at.plus(LEADS_FOR).isAfter(clock.instant())).isPresent();
    }

    /**
     * Takes the Lease, renews it, or gives it up.
     *
     * @param mayLead whether this steward could carry out what a leader decides
     * @return whether this steward has it
     */
    boolean hold(boolean mayLead) throws ApiException {
        if (!mayLead) {
            ledAt = Optional.empty();
            lease.release();
            return false;
        }
        return switch (lease.look()) {
            case NodeLease.Seen.OfAnother _ -> {
                ledAt = Optional.empty();
                yield false;
            }
            case NodeLease.Seen.Free() -> {
                Instant before = clock.instant();
                lease.hold();
                LOG.info("component=steward event=leads");
                ledAt = Optional.of(before);
                yield true;
            }
            case NodeLease.Seen.Mine(boolean renewalDue) -> {
                Instant before = clock.instant();
                if (renewalDue || ledAt.isEmpty()) {
                    lease.hold();
                    ledAt = Optional.of(before);
                }
                yield true;
            }
        };
    }
}
