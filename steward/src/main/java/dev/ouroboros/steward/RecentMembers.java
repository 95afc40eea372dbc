package dev.ouroboros.steward;

import dev.ouroboros.etcd.EtcdCluster;
import dev.ouroboros.model.problem.ProblemException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * etcd as its members reported a moment ago. One look serves a whole turn, because members that are off cost a timeout each, and the leader's Lease
 * is short.
 */
final class RecentMembers implements Supplier<EtcdCluster> {
    private static final Duration RECENT = Duration.ofSeconds(5);

    private final Supplier<EtcdCluster> look;
    private final InstantSource clock;
    private Optional<Looked> last = Optional.empty();

    /** @param problem why there is no answer */
    private record Looked(Instant at, Optional<EtcdCluster> etcd, Optional<ProblemException> problem) {}

    /** @param clock that does not jump */
    RecentMembers(Supplier<EtcdCluster> look, InstantSource clock) {
        this.look = look;
        this.clock = clock;
    }

    /** @throws ProblemException why nobody answers, or did not a moment ago */
    @Override
    public synchronized EtcdCluster get() {
        Looked looked = last.filter(known -> known.at().plus(RECENT).isAfter(clock.instant()))
                .orElseGet(this::lookAgain);
        last = Optional.of(looked);
        return looked.etcd().orElseThrow(() -> looked.problem().orElseThrow());
    }

    private Looked lookAgain() {
        try {
            EtcdCluster etcd = look.get();
            return new Looked(clock.instant(), Optional.of(etcd), Optional.empty());
        } catch (ProblemException e) {
            return new Looked(clock.instant(), Optional.empty(), Optional.of(e));
        }
    }
}
