package dev.ouroboros.keeper.balancer.decide;

import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.evidence.Health;
import dev.ouroboros.model.front.Deal;
import dev.ouroboros.model.front.ServerAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Decides which API servers the new connections of a node's own clients go to, whichever of them they dial. The first that applies:
 *
 * <pre>
 * there is                                       they go to           whose connections are ended
 * an own server that is ready, and a member      that one             silent ones', away ones'
 * ready ones of other nodes                      those                silent ones', away ones'
 * an own server that is ready                    that one             silent ones', away ones'
 * ready ones where the control plane was once,
 *   and none of those above for 15 s             those                away ones'
 * an own server that may listen                  that one             away ones'
 * others that may serve                          those                away ones'
 * ready ones where the control plane was once    those                away ones'
 * none for a while                               nobody, refused      everybody's
 * none                                           all                  nobody's
 * </pre>
 *
 * <p>Membership is not health: a server that is bad stays a door, and is asked on. All are bad at once when etcd elects a leader; then
 * whoever may serve is as good as before (openshift/kubernetes#2174). What lasts longer is no election: what is named may be no API server of this cluster at all,
 * as where somebody edited the Endpoints for a moment, and this node would never hear that they are right again. Who refuses connections counts as bad at once, and so does who says that
 * it is not ready, as a server does that is about to end; who was bad must be ready for {@link #STEADY} before it gets connections.
 *
 * <p>A node that is away takes its etcd along. API servers go on asking a member of etcd whose machine is off for ten seconds, the
 * TCP_USER_TIMEOUT of gRPC's keepalive, and fail meanwhile: on a control-plane node their connections to it are ended too, if it does
 * not answer who wants to connect either. Only those of clients: etcd's members
 * are left alone.
 *
 * <p>Clients are refused when there is nobody, not left waiting: a kubelet that waits for an API starts no static pods (kubernetes#99602).
 *
 * <p>The own server's front has doors of its own, the node's address and the Services; they are taken from it only while
 * the own server does not serve, or is no member and others are ready.
 */
public final class Balancing {
    static final Duration STEADY = Duration.ofSeconds(1);
    static final Duration REFUSE_AFTER = Duration.ofSeconds(5);
    /** Longer than etcd takes to elect a leader, and API servers to find that out. */
    static final Duration ELECTED_AFTER = Duration.ofSeconds(15);
    /** The controller manager has found such a node lost by then (40 s), and what a switch or a short reboot takes away is back. */
    static final Duration LOST_AFTER = Duration.ofMinutes(1);

    private final ServersSeen seen;
    private final BalancerMemory before;
    private final Instant now;
    private final SortedMap<ServerAddress, Standing> standings = new TreeMap<>();

    private Balancing(ServersSeen seen, BalancerMemory before, Instant now) {
        this.seen = seen;
        this.before = before;
        this.now = now;
        seen.others().forEach(server -> standings.put(server, standing(server)));
        seen.lastResorts().forEach(server -> standings.putIfAbsent(server, standing(server)));
    }

    /** @param now by a clock that does not jump, as the healths' */
    public static Balance decide(ServersSeen seen, BalancerMemory before, Instant now) {
        return new Balancing(seen, before, now).decide();
    }

    private Standing standing(ServerAddress server) {
        RemoteHealth last = seen.healthOf(server);
        return switch (last.health()) {
            case Evidence.Unknown<Health> _ -> Standing.UNKNOWN;
            case Evidence.Known<Health>(Health.NotListening _) -> Standing.CLOSED;
            case Evidence.Known<Health>(Health.NotReady(var _, Optional<Instant> silent)) ->
                last.away() ? Standing.AWAY : silent.isPresent() ? Standing.SILENT : Standing.NOT_READY;
            case Evidence.Known<Health>(Health.Ready(Instant since)) ->
                before.left().contains(server) && since.plus(STEADY).isAfter(now) ? Standing.RETURNS : Standing.READY;
        };
    }

    private Balance decide() {
        SortedSet<ServerAddress> members = seen.others();
        SortedSet<ServerAddress> ready = those(members, Standing.READY::equals);
        boolean ownIsReady = seen.own().filter(OwnServer::isReady).isPresent();
        if (ownIsReady && (seen.ownIsMember() || ready.isEmpty())) {
            return toOwn(gone(Standing.SILENT, Standing.AWAY), "the own server is ready");
        }
        if (!ready.isEmpty()) {
            return deal(ready, gone(Standing.SILENT, Standing.AWAY), "those that are ready");
        }
        SortedSet<ServerAddress> once = those(seen.lastResorts(), Standing.READY::equals);
        boolean isElection = now.isBefore(before.noneReadySince().orElse(now).plus(ELECTED_AFTER));
        if (!once.isEmpty() && !isElection) {
            return deal(
                    once, gone(Standing.AWAY), "none has been ready for a while but where the control plane was once");
        }
        if (seen.own().filter(OwnServer::mayListen).isPresent()) {
            return toOwn(gone(Standing.AWAY), "none is ready, and the own server may serve");
        }
        SortedSet<ServerAddress> possible = those(members, Standing::mayServe);
        if (!possible.isEmpty()) {
            return deal(possible, gone(Standing.AWAY), "none is ready, and these may serve");
        }
        if (!once.isEmpty()) {
            return deal(once, gone(Standing.AWAY), "none may serve but where the control plane was once");
        }
        return nobody();
    }

    private Balance toOwn(Set<ServerAddress> dead, String reason) {
        ServerAddress own = seen.own().orElseThrow().serving();
        SortedSet<ServerAddress> doors = new TreeSet<>(standings.keySet());
        return balance(doors.isEmpty() ? Deal.none() : Deal.of(doors, Set.of(own), dead), reason, Optional.empty());
    }

    private Balance deal(SortedSet<ServerAddress> servers, Set<ServerAddress> dead, String reason) {
        return balance(Deal.of(doors(), servers, dead), reason, Optional.empty());
    }

    private Balance nobody() {
        if (standings.isEmpty()) {
            return balance(Deal.none(), "no other is known", Optional.empty());
        }
        Instant since = before.noneSince().orElse(now);
        boolean refused = !now.isBefore(since.plus(REFUSE_AFTER));
        SortedSet<ServerAddress> bad = those(standings.keySet(), standing -> !standing.mayServe());
        Deal deal = refused ? Deal.of(doors(), Set.of(), bad) : Deal.of(doors(), seen.others(), Set.of());
        return balance(deal, refused ? "none may serve: clients are refused" : "none may serve", Optional.of(since));
    }

    private Balance balance(Deal deal, String reason, Optional<Instant> noneSince) {
        SortedSet<ServerAddress> left = standings.entrySet().stream()
                .filter(standing -> switch (standing.getValue()) {
                    case READY -> false;
                    case RETURNS, NOT_READY, CLOSED, SILENT, AWAY -> true;
                    case UNKNOWN -> before.left().contains(standing.getKey());
                })
                .map(Map.Entry::getKey)
                .collect(Collectors.toCollection(TreeSet::new));
        SortedMap<ServerAddress, Instant> awaySince = new TreeMap<>();
        those(standings.keySet(), Standing.AWAY::equals)
                .forEach(server -> awaySince.put(server, before.awaySince().getOrDefault(server, now)));
        boolean ownIsReady = seen.own().filter(OwnServer::isReady).isPresent();
        List<Standing> others =
                seen.others().stream().map(server -> standings.get(server)).toList();
        boolean noneIsReady = !ownIsReady && others.stream().noneMatch(Standing.READY::equals);
        boolean othersRefuse =
                ownIsReady && others.stream().allMatch(other -> other == Standing.NOT_READY || !other.mayServe());
        return new Balance(
                deal,
                standings,
                reason,
                new BalancerMemory(
                        left,
                        awaySince,
                        noneSince,
                        since(noneIsReady, before.noneReadySince()),
                        since(othersRefuse, before.othersRefuseSince())));
    }

    private Optional<Instant> since(boolean holds, Optional<Instant> known) {
        return holds ? known.or(() -> Optional.of(now)) : Optional.empty();
    }

    /** Every address at which a client may dial the API. */
    private SortedSet<ServerAddress> doors() {
        SortedSet<ServerAddress> doors = new TreeSet<>(standings.keySet());
        doors.addAll(seen.services());
        seen.own().ifPresent(own -> doors.add(own.principal()));
        return doors;
    }

    /** Those of such a standing; of a node that is away its etcd too, where a server asks that. */
    private SortedSet<ServerAddress> gone(Standing... which) {
        SortedSet<ServerAddress> gone = those(standings.keySet(), List.of(which)::contains);
        if (seen.own().isPresent()) {
            those(standings.keySet(), Standing.AWAY::equals).stream()
                    .filter(server -> seen.healthOf(server).etcdAway())
                    .forEach(server -> gone.add(new ServerAddress(server.address(), Component.ETCD.port())));
        }
        return gone;
    }

    private SortedSet<ServerAddress> those(Collection<ServerAddress> servers, Predicate<Standing> which) {
        return servers.stream()
                .filter(server -> which.test(standings.getOrDefault(server, Standing.UNKNOWN)))
                .collect(Collectors.toCollection(TreeSet::new));
    }
}
