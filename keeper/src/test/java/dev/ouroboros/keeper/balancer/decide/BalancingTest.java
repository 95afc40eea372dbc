package dev.ouroboros.keeper.balancer.decide;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.evidence.Health;
import dev.ouroboros.model.front.Deal;
import dev.ouroboros.model.front.Server;
import dev.ouroboros.model.front.ServerAddress;
import java.net.InetAddress;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

final class BalancingTest {
    private static final Instant NOW = Instant.parse("2026-11-26T12:00:00Z");
    private static final ServerAddress A = at("10.77.0.2", 6443);
    private static final ServerAddress B = at("10.77.0.3", 6443);
    private static final ServerAddress C = at("10.77.0.4", 6443);
    private static final ServerAddress B_UNDERSTUDY = at("10.77.0.3", 26443);
    private static final ServerAddress FORMER = at("10.77.0.9", 6443);
    private static final ServerAddress SERVICE = at("10.3.0.1", 443);

    private static final Evidence<Health> READY = Evidence.known(new Health.Ready(NOW.minusSeconds(60)));
    private static final Evidence<Health> READY_NOW = Evidence.known(new Health.Ready(NOW));
    private static final Evidence<Health> NOT_READY = Evidence.known(new Health.NotReady("[-]etcd failed"));
    private static final Evidence<Health> SILENT =
            Evidence.known(new Health.NotReady("says nothing", Optional.of(NOW.minusSeconds(2))));
    /** Stands for one whose node is off. */
    private static final Evidence<Health> AWAY =
            Evidence.known(new Health.NotReady("cannot be reached", Optional.of(NOW.minusSeconds(2))));

    private static final Evidence<Health> CLOSED = Evidence.known(new Health.NotListening());
    private static final Evidence<Health> UNKNOWN = Evidence.unknown("not asked");
    private static final List<Evidence<Health>> ALL =
            List.of(READY, READY_NOW, NOT_READY, SILENT, AWAY, CLOSED, UNKNOWN);

    private static ServerAddress at(String address, int port) {
        return new ServerAddress(InetAddress.ofLiteral(address), port);
    }

    private static OwnServer own(Evidence<Health> principal, Evidence<Health> understudy, Server lead) {
        return new OwnServer(B, B_UNDERSTUDY, principal, understudy, lead);
    }

    private static ServersSeen seen(Optional<OwnServer> own, Map<ServerAddress, Evidence<Health>> members) {
        return seen(own, members, Map.of());
    }

    private static ServersSeen seen(
            Optional<OwnServer> own,
            Map<ServerAddress, Evidence<Health>> members,
            Map<ServerAddress, Evidence<Health>> former) {
        SortedMap<ServerAddress, RemoteHealth> health = new TreeMap<>();
        members.forEach(
                (server, seen) -> health.put(server, new RemoteHealth(seen, seen.equals(AWAY), seen.equals(AWAY))));
        former.forEach(
                (server, seen) -> health.put(server, new RemoteHealth(seen, seen.equals(AWAY), seen.equals(AWAY))));
        TreeSet<ServerAddress> all = new TreeSet<>(members.keySet());
        own.ifPresent(here -> all.add(here.principal()));
        return new ServersSeen(all, new TreeSet<>(former.keySet()), health, own, new TreeSet<>(Set.of(SERVICE)));
    }

    private static Deal deal(ServersSeen seen) {
        return Balancing.decide(seen, BalancerMemory.NONE, NOW).deal();
    }

    @Test
    void dealsToAllThatAreReadyThroughEveryDoor() {
        assertThat(deal(seen(Optional.empty(), Map.of(A, READY, B, READY, C, NOT_READY))))
                .isEqualTo(Deal.of(List.of(A, B, C, SERVICE), List.of(A, B), List.of()));
    }

    @Test
    void endsTheConnectionsOfWhoIsSilentOnly() {
        assertThat(deal(seen(Optional.empty(), Map.of(A, SILENT, B, READY, C, CLOSED))))
                .isEqualTo(Deal.of(List.of(A, B, C, SERVICE), List.of(B), List.of(A)));
    }

    @Test
    void anOwnServerThatIsReadyGetsWhoDialsOthers() {
        Optional<OwnServer> own = Optional.of(own(READY, CLOSED, Server.PRINCIPAL));

        assertThat(deal(seen(own, Map.of(A, SILENT, B, UNKNOWN, C, READY))))
                .as("its own address and the Services are its front's")
                .isEqualTo(Deal.of(List.of(A, C), List.of(B), List.of(A)));
    }

    /** Else API servers would go on asking a member of etcd that is off. */
    @Test
    void aNodeThatIsAwayTakesItsEtcdAlongForAnOwnServer() {
        ServerAddress etcd = at("10.77.0.2", 2379);

        assertThat(deal(seen(Optional.of(own(READY, CLOSED, Server.PRINCIPAL)), Map.of(A, AWAY, C, READY)))
                        .dead())
                .containsExactlyInAnyOrder(A, etcd);
        assertThat(deal(seen(Optional.of(own(NOT_READY, CLOSED, Server.PRINCIPAL)), Map.of(A, AWAY, C, NOT_READY)))
                        .dead())
                .as("also when no server is ready, for want of etcd")
                .containsExactlyInAnyOrder(A, etcd);
        assertThat(deal(seen(Optional.empty(), Map.of(A, AWAY, C, NOT_READY))).dead())
                .containsExactly(A);
    }

    /** It may be the only one there is. */
    @Test
    void anEtcdThatAnswersIsLeftAlone() {
        ServersSeen seen = new ServersSeen(
                new TreeSet<>(Set.of(A)),
                new TreeSet<>(),
                new TreeMap<>(Map.of(A, new RemoteHealth(AWAY, true, false))),
                Optional.of(own(NOT_READY, CLOSED, Server.PRINCIPAL)),
                new TreeSet<>(Set.of(SERVICE)));
        assertThat(deal(seen).dead()).containsExactly(A);
    }

    @Test
    void anUnderstudyGetsThemWhileItHasTheFront() {
        assertThat(deal(seen(Optional.of(own(READY, READY, Server.UNDERSTUDY)), Map.of(A, READY)))
                        .servers())
                .containsExactly(B_UNDERSTUDY);
        assertThat(deal(seen(Optional.of(own(READY, CLOSED, Server.UNDERSTUDY)), Map.of(A, READY)))
                        .servers())
                .as("an understudy that is closed gets nobody")
                .containsExactly(B);
        assertThat(deal(seen(Optional.of(own(CLOSED, READY, Server.PRINCIPAL)), Map.of(A, READY)))
                        .servers())
                .containsExactly(B_UNDERSTUDY);
    }

    @Test
    void anOwnServerThatIsNotReadyIsLeftForOthersThatAre() {
        Optional<OwnServer> own = Optional.of(own(NOT_READY, CLOSED, Server.PRINCIPAL));

        assertThat(deal(seen(own, Map.of(A, READY, C, NOT_READY))))
                .isEqualTo(Deal.of(List.of(A, B, C, SERVICE), List.of(A), List.of()));
        assertThat(deal(seen(own, Map.of(A, NOT_READY, C, NOT_READY))))
                .as("nobody is better: etcd elects")
                .isEqualTo(Deal.of(List.of(A, C), List.of(B), List.of()));
    }

    /** One that leaves the control plane ends soon; one that joins it is not proven yet. */
    @Test
    void anOwnServerThatIsNoMemberIsLeftWhileOthersAreReady() {
        Optional<OwnServer> own = Optional.of(own(READY, CLOSED, Server.PRINCIPAL));

        assertThat(deal(notNamed(own, READY)).servers()).containsExactly(A);
        assertThat(deal(notNamed(own, NOT_READY)).servers()).containsExactly(B);
    }

    private static ServersSeen notNamed(Optional<OwnServer> own, Evidence<Health> other) {
        return new ServersSeen(
                new TreeSet<>(Set.of(A)),
                new TreeSet<>(),
                new TreeMap<>(Map.of(A, RemoteHealth.present(other))),
                own,
                new TreeSet<>(Set.of(SERVICE)));
    }

    @Test
    void theOnlyControlPlaneNodeDealsNothing() {
        for (Evidence<Health> principal : ALL) {
            for (Evidence<Health> understudy : ALL) {
                Optional<OwnServer> own = Optional.of(own(principal, understudy, Server.PRINCIPAL));
                assertThat(deal(seen(own, Map.of(B, UNKNOWN)))).isEqualTo(Deal.none());
            }
        }
    }

    @Test
    void whenNoneIsReadyWhoMayServeIsKept() {
        assertThat(deal(seen(Optional.empty(), Map.of(A, NOT_READY, B, UNKNOWN, C, SILENT))))
                .isEqualTo(Deal.of(List.of(A, B, C, SERVICE), List.of(A, B), List.of()));
    }

    @Test
    void whoWasBadMustBeReadyForAWhile() {
        Balance bad = Balancing.decide(
                seen(Optional.empty(), Map.of(A, CLOSED, B, READY)), BalancerMemory.NONE, NOW.minusSeconds(5));
        ServersSeen back = seen(Optional.empty(), Map.of(A, READY_NOW, B, READY));

        Balance early = Balancing.decide(back, bad.memory(), NOW);
        assertThat(early.deal().servers()).containsExactly(B);
        assertThat(early.standings()).containsEntry(A, Standing.RETURNS);

        Balance later = Balancing.decide(back, early.memory(), NOW.plusSeconds(1));
        assertThat(later.deal().servers()).containsExactly(A, B);
        assertThat(later.memory().left()).isEmpty();
    }

    @Test
    void whoWasNeverBadIsReadyAtOnce() {
        assertThat(deal(seen(Optional.empty(), Map.of(A, READY_NOW))).servers()).containsExactly(A);
    }

    @Test
    void clientsAreRefusedWhenThereHasBeenNobodyForAWhile() {
        ServersSeen nobody = seen(Optional.empty(), Map.of(A, SILENT, B, CLOSED));

        Balance first = Balancing.decide(nobody, BalancerMemory.NONE, NOW);
        assertThat(first.deal()).isEqualTo(Deal.of(List.of(A, B, SERVICE), List.of(A, B), List.of()));

        Balance later = Balancing.decide(nobody, first.memory(), NOW.plusSeconds(5));
        assertThat(later.deal()).isEqualTo(Deal.of(List.of(A, B, SERVICE), List.of(), List.of(A, B)));

        ServersSeen again = seen(Optional.empty(), Map.of(A, SILENT, B, NOT_READY));
        Balance back = Balancing.decide(again, later.memory(), NOW.plusSeconds(6));
        assertThat(back.deal()).isEqualTo(Deal.of(List.of(A, B, SERVICE), List.of(B), List.of()));
        assertThat(back.memory().noneSince()).isEmpty();
    }

    @Test
    void whereTheControlPlaneWasOnceIsTheLastResort() {
        assertThat(deal(seen(Optional.empty(), Map.of(A, SILENT), Map.of(FORMER, READY))))
                .isEqualTo(Deal.of(List.of(A, FORMER, SERVICE), List.of(FORMER), List.of()));
        assertThat(deal(seen(Optional.empty(), Map.of(A, NOT_READY), Map.of(FORMER, READY)))
                        .servers())
                .as("etcd elects")
                .containsExactly(A);
    }

    /** Somebody edits the Endpoints for a moment, and what they name then answers whatever it is asked: the node would never hear that they are right again. */
    @Test
    void whatIsNamedAndIsNotReadyForLongIsLeftForWhereTheControlPlaneWasOnce() {
        for (Optional<OwnServer> own :
                List.of(Optional.<OwnServer>empty(), Optional.of(own(NOT_READY, CLOSED, Server.PRINCIPAL)))) {
            ServersSeen wrong = seen(own, Map.of(A, NOT_READY), Map.of(FORMER, READY));
            Balance first = Balancing.decide(wrong, BalancerMemory.NONE, NOW.minusSeconds(15));
            Balance early = Balancing.decide(wrong, first.memory(), NOW.minusSeconds(1));
            Balance late = Balancing.decide(wrong, early.memory(), NOW);

            assertThat(early.deal().servers()).isEqualTo(first.deal().servers());
            assertThat(late.deal().servers()).containsExactly(FORMER);
            assertThat(Balancing.decide(seen(own, Map.of(A, READY), Map.of(FORMER, READY)), late.memory(), NOW)
                            .memory()
                            .noneReadySince())
                    .isEmpty();
        }
    }

    /** Whatever is seen: who is dealt to is not dead, there is a server wherever one may serve, and none is dead while no other one is ready. */
    @Test
    void holdsForEveryCombination() {
        List<Optional<OwnServer>> owns = Arrays.asList(
                Optional.empty(),
                Optional.of(own(READY, CLOSED, Server.PRINCIPAL)),
                Optional.of(own(NOT_READY, CLOSED, Server.PRINCIPAL)),
                Optional.of(own(CLOSED, READY, Server.UNDERSTUDY)),
                Optional.of(own(SILENT, UNKNOWN, Server.PRINCIPAL)),
                Optional.of(own(CLOSED, CLOSED, Server.PRINCIPAL)));
        for (Optional<OwnServer> own : owns) {
            for (Evidence<Health> a : ALL) {
                for (Evidence<Health> c : ALL) {
                    for (Evidence<Health> former : ALL) {
                        holds(seen(own, Map.of(A, a, C, c), Map.of(FORMER, former)));
                    }
                }
            }
        }
    }

    private static void holds(ServersSeen seen) {
        Balance now = Balancing.decide(seen, BalancerMemory.NONE, NOW);
        boolean somebodyIsReady = now.standings().containsValue(Standing.READY)
                || seen.own().filter(OwnServer::isReady).isPresent();
        assertThat(now.deal().servers()).as("%s", seen).isNotEmpty();
        if (!somebodyIsReady) {
            assertThat(now.deal().dead())
                    .as("%s", seen)
                    .allMatch(dead -> dead.port() == 2379 || now.standings().get(dead) == Standing.AWAY);
        }
        if (seen.others().stream().map(member -> now.standings().get(member)).anyMatch(Standing::mayServe)) {
            assertThat(now.deal().servers())
                    .as("%s", seen)
                    .allMatch(server -> !now.standings().containsKey(server)
                            || now.standings().get(server).mayServe());
        }
        assertThat(now.deal().doors()).as("%s", seen).containsAll(seen.others());
    }
}
