package dev.ouroboros.sim;

import dev.ouroboros.model.front.FrontSpec;
import dev.ouroboros.model.front.FrontState;
import dev.ouroboros.model.front.FrontTable;
import dev.ouroboros.model.front.Server;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.front.Front;
import java.net.InetAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** The front's table in the kernel of one node: a map with a lease and fallback rules. Lost with the power and when others flush. */
final class FrontModel implements Front {
    private final FrontSpec spec;
    private final EventTimeline timeline;
    private final Consumer<Server> pointed;
    private boolean installed = true;
    private Optional<Instant> leaseEnds = Optional.empty();
    private Optional<Instant> cutOffEnds = Optional.empty();
    /** Until when the front skips a principal whose port was found closed. */
    private Instant principalLeftUntil = Instant.MIN;
    /** Whether the kernel gives no answer. */
    boolean silent;

    /**
     * @param address of the node
     * @param pointed told before new connections are sent to a server
     */
    FrontModel(EventTimeline timeline, InetAddress address, Consumer<Server> pointed) {
        this.timeline = timeline;
        this.pointed = pointed;
        this.spec = FrontSpec.of(List.of(address), List.of());
    }

    void flush() {
        installed = false;
        leaseEnds = Optional.empty();
        cutOffEnds = Optional.empty();
        principalLeftUntil = Instant.MIN;
    }

    /** Whether clients of the principal get a reset. */
    boolean cutsOffPrincipal() {
        return cutOffEnds.filter(end -> timeline.instant().isBefore(end)).isPresent();
    }

    boolean leadsToUnderstudy() {
        return leaseEnds.isPresent() && timeline.instant().isBefore(leaseEnds.get());
    }

    /** Clients, who dial all the time, find closed ports. */
    void dialled(boolean principalListens, boolean understudyListens) {
        if (!understudyListens) {
            // While the principal is cut off nobody is led back to it.
            principalLeftUntil = cutsOffPrincipal() ? principalLeftUntil : Instant.MIN;
        } else if (installed && !principalListens) {
            principalLeftUntil = timeline.instant().plus(FrontTable.PRINCIPAL_LEFT_OUT);
        }
    }

    /** Whether clients go to the understudy because the principal's port was found closed, even if it is open by now. */
    boolean leavesPrincipal() {
        return timeline.instant().isBefore(principalLeftUntil);
    }

    /** Whether a connection goes to the understudy when the principal does not listen. */
    boolean fallsBack() {
        return installed;
    }

    @Override
    public FrontSpec spec() {
        return spec;
    }

    /** @throws ProblemException while the kernel gives no answer */
    void ask() {
        if (silent) {
            throw ProblemException.of(
                    ErrorCode.TIMEOUT, "nft", "the kernel does not answer", "", "none: this is a model");
        }
    }

    @Override
    public void install() {
        ask();
        installed = true;
    }

    @Override
    public void cutOffPrincipal(Duration lease) {
        ask();
        installed = true;
        cutOffEnds = Optional.of(timeline.instant().plus(lease));
    }

    @Override
    public void letThrough() {
        ask();
        installed = true;
        cutOffEnds = Optional.empty();
    }

    @Override
    public void pointToUnderstudy(Duration lease) {
        ask();
        pointed.accept(Server.UNDERSTUDY);
        installed = true;
        principalLeftUntil = Instant.MIN;
        leaseEnds = Optional.of(timeline.instant().plus(lease));
    }

    @Override
    public void pointToPrincipal() {
        ask();
        pointed.accept(Server.PRINCIPAL);
        installed = true;
        principalLeftUntil = Instant.MIN;
        leaseEnds = Optional.empty();
    }

    @Override
    public FrontState read() {
        if (silent) {
            return new FrontState.Unknown("the kernel does not answer");
        }
        if (!installed) {
            return new FrontState.NotInstalled();
        }
        Optional<Duration> cutOff = cutsOffPrincipal() ? cutOffEnds.map(this::left) : Optional.empty();
        return leadsToUnderstudy()
                ? new FrontState.ToUnderstudy(left(leaseEnds.orElseThrow()), cutOff)
                : new FrontState.ToPrincipal(cutOff);
    }

    private Duration left(Instant end) {
        return Duration.ofSeconds(Duration.between(timeline.instant(), end).toSeconds());
    }

    @Override
    public void remove() {
        ask();
        flush();
    }
}
